"""Sums over the samples of a table, from which panels are fitted without the samples: for sites that may not share."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from disjoint_centroids._listed import listed
from disjoint_centroids._whole_file import write_whole

SMALLEST = 5
"""Number of samples that every sum is taken over at least."""

N_FOLDS = 5
_VERSION = 1
_MOST_BYTES = 2**33
_LARGEST_HEAD = 2**26


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

    Notes
    -----
    Sums of a class reveal its means, variances and correlations exactly. With more features than samples, they also
    determine the samples up to a rotation: someone who knows all but one sample of a fold and class can compute the
    last one. Each sum is taken over at least ``smallest`` samples; agree on a number with your data protection officer.

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

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.means.shape[2])

    @classmethod
    def of(cls, X: Any, y: Any, *, n_folds: int = N_FOLDS, smallest: int = SMALLEST, random_state: int = 0) -> Self:
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
                "them with others, or give a smaller number as smallest."
            )
        n_folds = int(min(n_folds, sizes.min() // smallest))
        folds = _fold_of_each(codes, n_folds, random_state)
        p = values.shape[1]
        counts = np.zeros((n_folds, classes.size))
        means, scatters = np.zeros((n_folds, classes.size, p)), np.zeros((n_folds, classes.size, p, p))
        for fold in range(n_folds):
            for j in range(classes.size):
                rows = values[np.flatnonzero((folds == fold) & (codes == j))]
                rows = rows.toarray() if sparse.issparse(rows) else rows
                counts[fold, j], means[fold, j] = len(rows), rows.mean(axis=0)
                gaps = rows - means[fold, j]
                scatters[fold, j] = gaps.T @ gaps
        return cls(classes, names, counts, means, scatters)

    def save(self, path: str | Path) -> None:
        """Write the sums to a file, whole or not at all.

        Parameters
        ----------
        path : path
            Target.
        """
        head = {
            "version": _VERSION,
            "classes": self.classes.tolist(),
            "feature_names": None if self.feature_names is None else list(self.feature_names),
        }
        upper = np.triu_indices(self.n_features)
        arrays: dict[str, Any] = {
            "head": np.frombuffer(json.dumps(head).encode(), dtype=np.uint8),
            "counts": self.counts,
            "means": self.means,
            "scatters": self.scatters[:, :, upper[0], upper[1]],
        }

        def write(part: Path) -> None:
            with part.open("wb") as file:
                np.savez_compressed(file, **arrays)

        write_whole(Path(path), write)

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
        try:
            with zipfile.ZipFile(path) as archive:
                size = sum(member.file_size for member in archive.infolist())
            if size > _MOST_BYTES:
                raise ValueError(f"its contents would take {size / 2**30:.1f} GiB")
            with np.load(path, allow_pickle=False) as arrays:
                found = {name: arrays[name] for name in ("head", "counts", "means", "scatters")}
            head = json.loads(found["head"].tobytes()[:_LARGEST_HEAD].decode())
            if head.get("version") != _VERSION:
                raise ValueError(f"its version is {head.get('version')!r}, this program reads {_VERSION}")
            return cls._checked(head, found["counts"], found["means"], found["scatters"])
        except (ValueError, KeyError, zipfile.BadZipFile, EOFError, AttributeError) as error:
            raise ValueError(f"{path} is not a file of sums: {error}. Write one with 'ndc sums'.") from error

    @classmethod
    def _checked(cls, head: dict[str, Any], counts: np.ndarray, means: np.ndarray, scatters: np.ndarray) -> Self:
        classes, names = np.asarray(head["classes"]), head["feature_names"]
        n_folds, n_classes, p = means.shape
        upper = np.triu_indices(p)
        shapes = (counts.shape, scatters.shape, classes.shape)
        if shapes != ((n_folds, n_classes), (n_folds, n_classes, upper[0].size), (n_classes,)):
            raise ValueError("its parts do not fit together")
        if names is not None and (len(names) != p or not all(isinstance(name, str) for name in names)):
            raise ValueError("its feature names do not fit its features")
        if not all(np.isfinite(part).all() for part in (counts, means, scatters)) or (counts < 0).any():
            raise ValueError("it holds values that are no finite numbers, or negative counts")
        whole = np.zeros((n_folds, n_classes, p, p))
        whole[:, :, upper[0], upper[1]] = scatters
        whole[:, :, upper[1], upper[0]] = scatters
        return cls(classes, None if names is None else tuple(names), counts, means, whole)


def pooled(tables: Sequence[TableSums]) -> TableSums:
    """Sums of the pooled table: features are matched by name, and classes that a site lacks have no samples there.

    Parameters
    ----------
    tables : sequence of TableSums
        One per site.

    Returns
    -------
    TableSums
        As if the samples had been in one table.
    """
    first = tables[0]
    for at, table in enumerate(tables[1:], start=2):
        _check_same_features(first, table, at)
    classes = np.unique(np.concatenate([table.classes for table in tables]))
    n_folds = max(len(table.counts) for table in tables)
    p = first.n_features
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
    return TableSums(classes, first.feature_names, counts, means, scatters)


def _fold_of_each(codes: np.ndarray, n_folds: int, seed: int) -> np.ndarray:
    """Fold of each sample: every class is dealt out evenly."""
    rng = np.random.default_rng(seed)
    folds = np.empty(codes.size, dtype=np.intp)
    for label in np.unique(codes):
        own = rng.permutation(np.flatnonzero(codes == label))
        folds[own] = np.arange(own.size) % n_folds
    return folds


def _order(first: TableSums, table: TableSums) -> np.ndarray:
    """Positions in a table of the features of the first one."""
    if first.feature_names is None or table.feature_names is None:
        return np.arange(first.n_features)
    place = {name: at for at, name in enumerate(table.feature_names)}
    return np.array([place[name] for name in first.feature_names], dtype=np.intp)


def _check_same_features(first: TableSums, table: TableSums, number: int) -> None:
    if (first.feature_names is None) != (table.feature_names is None) or first.n_features != table.n_features:
        raise ValueError(
            f"sums 1 and {number} do not have the same features ({first.n_features} and {table.n_features}, with "
            "names or without). All sites must add up the same columns."
        )
    if first.feature_names is not None and table.feature_names is not None:
        missing = sorted(set(first.feature_names) - set(table.feature_names))
        if missing:
            raise ValueError(
                f"sums {number} lack {len(missing)} features of sums 1: {listed(missing, 5)}. All sites must add up "
                "the same columns, in any order."
            )
