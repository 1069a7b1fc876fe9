"""The rows of a training table, for both methods: validation, blocks of dask tables, sums, folds."""
