"""Readers of the file formats, from bytes to cells."""
