"""Bounds on the memory that reading a file may take."""
