"""What the tests of the estimators have in common: small tables as users hold them, and quick settings."""

import numpy as np
import pandas as pd
import polars as pl

import awkward_tables as tables
from disjoint_centroids.rows.training import TrainingSet

QUICK = {"n_init": 6, "random_state": 0}
"""Few restarts, and always the same: most tests ask about the answer, not about the search."""


def table(sizes=(12, 9, 10), n_features=24, seed=0, noise=1.0):
    """Samples and class numbers of a table in which classes differ, but not so much that nobody errs."""
    found = tables.blocks(sizes, n_features, seed, noise)
    return found.X, found.y


def training_set(X, y, weights=None):
    """A validated table as the searches take it, with class numbers as labels."""
    weights = np.ones(len(y)) if weights is None else weights
    none_shared = np.zeros(X.shape[1], dtype=bool)
    return TrainingSet(X, y, weights, np.unique(y), np.arange(len(y)), none_shared, divided=True)


def names_of(X):
    """Column names that are not in alphabetical order: sorting them somewhere would show."""
    return [f"gene {X.shape[1] - f}" for f in range(X.shape[1])]


def pandas_frame(X):
    return pd.DataFrame(X, columns=names_of(X))


def polars_frame(X):
    return pl.DataFrame(X, schema=names_of(X))


def assert_same_model(found, expected, exactly=True, probabilities=True):
    """Two fitted classifiers are one: owners and everything that follows from them."""
    np.testing.assert_array_equal(found.classes_, expected.classes_)
    np.testing.assert_array_equal(found.owner_, expected.owner_)
    rtol = 0 if exactly else 1e-9
    names = ("centroids_", "variances_", "margin_", "risk_", "train_error_", "temperature_")
    for name in names if probabilities else names[:-1]:
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=rtol, atol=rtol, err_msg=name)
