"""The inner loops of the search, compiled by numba.

Functions import these modules when they run: numba is slow to import.
"""
