"""The comparison at equal size: the error of every method with the same number of features."""
