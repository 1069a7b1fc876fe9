"""Checks of a table, each answered by sentences that say what is wrong and what to do."""
