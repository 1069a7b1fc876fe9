"""Tables on disk that are read a block of rows at a time."""
