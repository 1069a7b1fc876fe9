"""Sums over the samples of a table, from which panels are fitted without the samples: for sites that may not share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from disjoint_centroids._listed import listed
from disjoint_centroids.numerics.stored import dense
from disjoint_centroids.panels.sums_file import check_room, read_sums, write_sums
from disjoint_centroids.rows.sketch import random_bits

SMALLEST = 5
"""Number of samples that every sum is taken over at least."""

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
    class but one can compute the last one. With as many features as samples or more, the products determine the samples
    up to a rotation. Each sum is taken over at least ``smallest`` samples; agree on a number with your data protection
    officer.

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
    ) -> Self:
        """Add up a table.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; finite numbers.
        y : array-like of shape (n_samples,)
            Class labels.
        n_folds : int, default=5
            Parts into which the samples of every class are divided, for cross-validation from sums. Fewer are made if
            a class would have fewer than ``smallest`` samples in one.
        smallest : int, default=5
            Number of samples that every sum is taken over at least.
        random_state : int, default=0
            Seed of the division.
        transform : str, default="none"
            Name of the change of scale that X has had, to be kept with the sums.

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
        y = column_or_1d(np.asarray(y))
        check_classification_targets(y)
        values = check_array(X, accept_sparse="csr", dtype=np.float64)
        check_consistent_length(values, y)
        classes, codes = np.unique(y, return_inverse=True)
        sizes = np.bincount(codes)
        few = np.flatnonzero(sizes < 2 * smallest)
        if few.size:
            shown = listed(f"{classes[j]} ({sizes[j]})" for j in few)
            raise ValueError(
                f"sums over fewer than {smallest} samples would say too much of single ones, and two folds of that "
                f"size need {2 * smallest} samples per class; too few in: {shown}. Leave these classes out, merge "
                "them with others, or allow sums over fewer samples: smallest=N."
            )
        n_folds = min(int(n_folds), int(sizes.min()) // smallest)
        check_room(
            n_folds,
            classes.size,
            values.shape[1],
            "Sums hold the products of all pairs of features for every fold and class",
            "Select features first, the same at all sites, or give fewer folds: n_folds=N.",
        )
        folds = deal_folds(codes, n_folds, random_state)
        found = cls.by_group(values, codes, np.ones(codes.size), folds, classes, n_folds)
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
            rows, weight = dense(values[own]), weights[own]
            with np.errstate(over="ignore", invalid="ignore"):
                counts[fold, j], means[fold, j] = weight.sum(), np.average(rows, axis=0, weights=weight)
                gaps = rows - means[fold, j]
                scatters[fold, j] = (weight[:, None] * gaps).T @ gaps
        return cls(classes, None, counts, means, scatters)

    def save(self, path: str | Path) -> None:
        """Write the sums to a file, whole or not at all.

        Parameters
        ----------
        path : path
            Target.
        """
        head = {
            "classes": self.classes.tolist(),
            "feature_names": None if self.feature_names is None else list(self.feature_names),
            "transform": self.transform,
        }
        write_sums(Path(path), head, self.counts, self.means, self.scatters)

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


def pooled(tables: Sequence[TableSums], sources: Sequence[str] | None = None) -> TableSums:
    """Sums of the pooled table: features are matched by name, and classes that a site lacks have no samples there.

    Parameters
    ----------
    tables : sequence of TableSums
        One per site.
    sources : sequence of str, default=None
        What errors call each of them, such as the name of its file; None: by numbers.

    Returns
    -------
    TableSums
        As if the samples had been in one table.
    """
    first = tables[0]
    called = [f"sums {at}" for at in range(1, len(tables) + 1)] if sources is None else list(sources)
    for table, name in zip(tables[1:], called[1:], strict=True):
        _check_alike(first, table, called[0], name)
    classes = np.unique(np.concatenate([table.classes for table in tables]))
    n_folds = max(len(table.counts) for table in tables)
    p = first.n_features
    if len(tables) > 1:
        what = "The pooled sums hold the products of all pairs of features for every fold and class"
        check_room(n_folds, classes.size, p, what, "Select features first, the same at all sites.")
    counts = np.zeros((n_folds, classes.size))
    means, scatters = np.zeros((n_folds, classes.size, p)), np.zeros((n_folds, classes.size, p, p))
    for table in tables:
        order = _order(first, table)
        places = np.searchsorted(classes, table.classes).tolist()
        for fold in range(len(table.counts)):
            for j, label in enumerate(places):
                new, mean = table.counts[fold, j], table.means[fold, j, order]
                total = counts[fold, label] + new
                if new == 0:
                    continue
                gap = mean - means[fold, label]
                scatters[fold, label] += table.scatters[fold, j][np.ix_(order, order)]
                scatters[fold, label] += counts[fold, label] * new / total * np.outer(gap, gap)
                means[fold, label] += new / total * gap
                counts[fold, label] = total
    return TableSums(classes, first.feature_names, counts, means, scatters, first.transform)


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


def _order(first: TableSums, table: TableSums) -> np.ndarray:
    """Positions in a table of the features of the first one."""
    if first.feature_names is None or table.feature_names is None:
        return np.arange(first.n_features)
    place = {name: at for at, name in enumerate(table.feature_names)}
    return np.array([place[name] for name in first.feature_names], dtype=np.intp)


def _check_alike(first: TableSums, table: TableSums, first_name: str, name: str) -> None:
    """Raise an error if two tables do not have the same features, scale, and kind of labels."""
    if first.transform != table.transform:
        raise ValueError(
            f"the values of {first_name} had the transform {first.transform!r} before they were added up, those of "
            f"{name} {table.transform!r}. Add up the same scale at all sites."
        )
    if (first.classes.dtype.kind == "U") != (table.classes.dtype.kind == "U"):
        raise ValueError(f"the class labels of {first_name} and {name} are text in one and numbers in the other.")
    if first.feature_names is not None and table.feature_names is not None:
        for one, other, of, lacks in (
            (first, table, first_name, name),
            (table, first, name, first_name),
        ):
            missing = sorted(set(one.feature_names or ()) - set(other.feature_names or ()))
            if missing:
                raise ValueError(
                    f"{lacks} lack {len(missing)} features of {of}: {listed(missing, 5)}. All sites must add up the "
                    "same columns, in any order."
                )
    elif (first.feature_names is None) != (table.feature_names is None) or first.n_features != table.n_features:
        raise ValueError(
            f"{first_name} and {name} do not have the same features ({first.n_features} and {table.n_features}, with "
            "names or without). All sites must add up the same columns."
        )
