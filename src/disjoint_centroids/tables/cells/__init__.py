"""Cells of a file: numbers, words, and the rules that tell them apart."""
