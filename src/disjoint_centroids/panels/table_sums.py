"""Sums over the samples of a table, from which panels are fitted without the samples: for sites that may not share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from disjoint_centroids._listed import listed
from disjoint_centroids.panels.sums_file import check_room, read_sums, write_sums
from disjoint_centroids.progress import Progress
from disjoint_centroids.rows.column_sums import Grouping, add_up, shifted_table
from disjoint_centroids.rows.sketch import random_bits

SMALLEST = 5
"""Number of samples that a part of a class has at least."""

N_FOLDS = 5
_SEEDS = 1_000_003  # between the seeds of two classes


@dataclass(frozen=True, slots=True)
class TableSums:
    """Counts, means and products of columns by fold and class: all that a fit of linear panels needs of a table.

    No sample is in it. It still says something about the samples: see the notes.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        Class labels, sorted.
    feature_names : tuple of str, or None
        Names of the features.
    counts : array of shape (n_folds, n_classes)
        Numbers of samples.
    means : array of shape (n_folds, n_classes, n_features)
        Means of the features.
    scatters : array of shape (n_folds, n_classes, n_features, n_features)
        Sums of products of differences from the means.
    transform : str, default="none"
        Name of the change of scale that the values had before they were added up. Sums of different scales are not
        pooled.

    Notes
    -----
    Sums of a class reveal its means, variances and correlations exactly. Someone who knows all samples of a fold and
    class but one can compute the last one. A sample that is the only one of its fold and class with another value of
    some feature, such as the only one in which a gene is not zero, can be computed by anybody: its values are the
    products with that feature. The number ``smallest`` does not prevent this. With as many features as samples or more,
    the products determine the samples up to a rotation; if values are few or mostly zero (genotypes, counts), nothing
    else is needed to find them. Two files of a table that has grown by a sample give away that sample: it is their
    difference. Files of one table that were divided differently (``random_state``, ``n_folds``) add information in the
    same way: send one file of a table only. Treat a file of sums as confidential, and ask your data protection officer.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids import DisjointPanelClassifier
    >>> from disjoint_centroids.panels import TableSums
    >>> X, y = load_iris(return_X_y=True)
    >>> here, there = TableSums.of(X[::2], y[::2]), TableSums.of(X[1::2], y[1::2])
    >>> model = DisjointPanelClassifier(rounds=1, terms="linear").fit_sums([here, there])
    >>> model.score(X, y) > 0.8
    True
    """

    classes: np.ndarray
    feature_names: tuple[str, ...] | None
    counts: np.ndarray
    means: np.ndarray
    scatters: np.ndarray
    transform: str = "none"

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.means.shape[2])

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        *,
        n_folds: int = N_FOLDS,
        smallest: int = SMALLEST,
        random_state: int = 0,
        transform: str = "none",
        verbose: int = 0,
    ) -> Self:
        """Add up a table.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; finite numbers. Sparse ones are not made dense.
        y : array-like of shape (n_samples,)
            Class labels.
        n_folds : int, default=5
            Parts into which the samples of every class are divided, for cross-validation from sums. Fewer are made if
            a class would have fewer than ``smallest`` samples in one.
        smallest : int, default=5
            Number of samples that a part has at least, 2 or more.
        random_state : int, default=0
            Seed of the division.
        transform : str, default="none"
            Name of the change of scale that X has had, to be kept with the sums.
        verbose : int, default=0
            1 shows a progress bar on standard error.

        Returns
        -------
        TableSums
            The sums.

        Raises
        ------
        ValueError
            A class has fewer than ``2 * smallest`` samples.
        """
        names = tuple(map(str, X.columns)) if hasattr(X, "columns") else None
        _check_number("smallest", smallest, 2, "A sum over one sample is that sample.")
        _check_number("n_folds", n_folds, 1, "1 is without cross-validation.")
        _check_number("random_state", random_state, 0, "It is the seed of the division.")
        values, y = _checked_table(X, y)
        classes, codes = np.unique(y, return_inverse=True)
        sizes = np.bincount(codes)
        _check_sizes(classes, sizes, smallest)
        n_folds = min(int(n_folds), int(sizes.min()) // smallest)
        check_room(
            n_folds,
            classes.size,
            values.shape[1],
            "Sums hold the products of all pairs of features for every fold and class",
            "Select features first, the same at all sites, or give fewer folds: n_folds=N.",
        )
        folds = deal_folds(codes, n_folds, random_state)
        with Progress("sums of folds and classes", n_folds * classes.size, enabled=verbose > 0) as bar:
            found = cls.by_group(values, codes, np.ones(codes.size), folds, classes, n_folds, bar.tick)
        return replace(found, feature_names=names, transform=transform)

    @classmethod
    def by_group(
        cls,
        values: Any,
        codes: np.ndarray,
        weights: np.ndarray,
        folds: np.ndarray,
        classes: np.ndarray,
        n_folds: int,
        tick: Callable[[], None] = lambda: None,
    ) -> Self:
        """Add up validated rows by the fold and the class of each; a group may be empty.

        Parameters
        ----------
        values : array or CSR matrix of shape (n_samples, n_features)
            Rows.
        codes, weights, folds : arrays of shape (n_samples,)
            Class, weight and fold of each row.
        classes : array of shape (n_classes,)
            Class labels.
        n_folds : int
            Number of folds.
        tick : callable, default does nothing
            Called after every group.

        Returns
        -------
        TableSums
            The sums, without names of features.
        """
        p = values.shape[1]
        counts = np.zeros((n_folds, classes.size))
        means, scatters = np.zeros((n_folds, classes.size, p)), np.zeros((n_folds, classes.size, p, p))
        for fold, j in np.unique(np.column_stack([folds, codes]), axis=0).tolist():
            own = np.flatnonzero((folds == fold) & (codes == j))
            rows, weight = values[own], weights[own]
            with np.errstate(over="ignore", invalid="ignore"):
                counts[fold, j] = weight.sum()
                means[fold, j], scatters[fold, j] = _added(rows, weight)
            tick()
        return cls(classes, None, counts, means, scatters)

    def save(self, path: str | Path, *, verbose: int = 0) -> None:
        """Write the sums to a file, whole or not at all.

        Parameters
        ----------
        path : path
            Target.
        verbose : int, default=0
            1 shows a progress bar on standard error.
        """
        head = {
            "classes": self.classes.tolist(),
            "feature_names": None if self.feature_names is None else list(self.feature_names),
            "transform": self.transform,
        }
        with Progress("file of sums", self.counts.size, enabled=verbose > 0) as bar:
            write_sums(Path(path), head, self.counts, self.means, self.scatters, bar.tick)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read sums from a file, which is not trusted: nothing in it is executed.

        Parameters
        ----------
        path : path
            File that :meth:`save` wrote.

        Returns
        -------
        TableSums
            The sums.
        """
        head, counts, means, scatters = read_sums(Path(path))
        names = None if head["feature_names"] is None else tuple(head["feature_names"])
        return cls(np.asarray(head["classes"]), names, counts, means, scatters, head.get("transform", "none"))


def deal_folds(codes: np.ndarray, n_folds: int, seed: int = 0, before: np.ndarray | None = None) -> np.ndarray:
    """Fold of each sample: every class is dealt out evenly, in the order in which its samples come.

    Every ``n_folds`` samples of a class go to different folds, in random order. ``before`` (n_classes,) says how many
    samples of each class have been dealt out already, so that batches are dealt out as the whole would be.
    """
    folds = np.empty(codes.size, dtype=np.intp)
    for label in np.unique(codes).tolist():
        own = np.flatnonzero(codes == label)
        first = 0 if before is None else int(before[label])
        begin, end = first // n_folds, -(-(first + own.size) // n_folds)
        drawn = random_bits(seed + _SEEDS * label, (end - begin) * n_folds, begin * n_folds).reshape(-1, n_folds)
        dealt = drawn.argsort(axis=1).ravel()[first - begin * n_folds :]
        folds[own] = dealt[: own.size]
    return folds


def _check_number(name: str, value: Any, least: int, reason: str) -> None:
    if not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be a whole number, {least} or more; got {value!r}. {reason}")


def _checked_table(X: Any, y: Any) -> tuple[Any, np.ndarray]:
    """Validated rows, sparse ones as CSR, and their labels."""
    y = _plain_labels(column_or_1d(np.asarray(y)))
    check_classification_targets(y)
    values = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False)
    check_consistent_length(values, y)
    stored = values.data if sparse.issparse(values) else values
    bad = ~np.isfinite(stored)
    if bad.any():
        columns = np.unique(values.indices[bad]) if sparse.issparse(values) else np.flatnonzero(bad.any(axis=0))
        names = list(X.columns) if hasattr(X, "columns") else [f"column {at}" for at in range(values.shape[1])]
        raise ValueError(
            f"sums need a finite number in every cell, and {int(bad.sum())} cells are missing or infinite, in "
            f"{columns.size} of {len(names)} features: {listed((names[at] for at in columns), 5)}. Fill them in "
            "beforehand, or leave these features out at all sites."
        )
    return values, y


def _plain_labels(y: np.ndarray) -> np.ndarray:
    """Labels as an array of text or of numbers, as a file holds them, whatever objects they were."""
    if y.dtype.kind != "O":
        return y
    missing = sum(label is None or label != label for label in y)
    if missing:
        raise ValueError(f"y has no label for {missing} of {y.size} samples. Leave these samples out.")
    n_texts = sum(isinstance(label, str) for label in y)
    if 0 < n_texts < y.size:
        raise ValueError(
            f"y has {n_texts} labels that are text and {y.size - n_texts} that are not. Give all as text: "
            "y = [str(label) for label in y]."
        )
    return np.asarray(y.tolist())


def _check_sizes(classes: np.ndarray, sizes: np.ndarray, smallest: int) -> None:
    """Raise an error if two folds of a class would have too few samples."""
    few = np.flatnonzero(sizes < 2 * smallest)
    if few.size:
        shown = listed(f"{classes[j]} ({sizes[j]})" for j in few)
        lower = ", or allow sums over fewer samples: smallest=N" if smallest > 2 else ""
        raise ValueError(
            f"sums over fewer than {smallest} samples would say too much of single ones, and two folds of that "
            f"size need {2 * smallest} samples per class; too few in: {shown}. Leave these classes out, or merge "
            f"them with others{lower}."
        )


def _added(rows: Any, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weighted mean of some rows, and the sum of products of their differences from it."""
    if sparse.issparse(rows):
        return _added_sparse(rows, weights)
    mean = np.average(rows, axis=0, weights=weights)
    gaps = rows - mean
    return mean, (weights[:, None] * gaps).T @ gaps


def _added_sparse(rows: Any, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of sparse rows, from products of stored values: they are not made dense.

    The products of the means are subtracted from those of the values. Columns without zeros are shifted to their means
    first, so that this costs no digits.
    """
    rows.sum_duplicates()  # in a copy: these rows have been picked
    shifted, shift = shifted_table(rows)
    n_rows, p = shifted.shape
    none = np.zeros(n_rows, dtype=np.intp)
    sums = add_up(shifted, np.zeros(p), Grouping(none, none, weights, weights, 1, 1, False, True))
    assert sums.products is not None
    mean = sums.first[0, 0] / weights.sum()
    return shift + mean, sums.products[0] - weights.sum() * np.outer(mean, mean)
