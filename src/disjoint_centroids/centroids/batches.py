"""Samples that come in batches and are not kept: what ``partial_fit`` learns from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from disjoint_centroids import numerics
from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.compressed import PRODUCT_BYTES, refuse_unusable, sample_size
from disjoint_centroids.centroids.passes import dense_rows
from disjoint_centroids.rows.labelled_rows import LabelledRows
from disjoint_centroids.rows.sketch import random_bits
from disjoint_centroids.rows.sums import GroupSums, RowBlock, moments_of_sums, sums_of_block
from disjoint_centroids.rows.training import whole_owner

_SEED = 0  # which samples are kept for the temperature need not depend on the user's random state


def announced_classes(classes: Any) -> np.ndarray:
    """The classes given to the first call of ``partial_fit``."""
    if classes is None:
        raise ValueError(
            "The first call of partial_fit needs classes: all labels that will ever come, for example "
            "classes=np.unique(all_labels)."
        )
    found: np.ndarray = np.unique(np.asarray(classes))
    if found.size < 2:
        raise ValueError(f"classes must name at least 2 classes; got {classes!r}.")
    return found


def codes_among(known: np.ndarray, classes: Any, y: np.ndarray) -> np.ndarray:
    """Positions of labels among the known classes; ``classes``, if given again, must be the same."""
    if classes is not None and not np.array_equal(np.unique(np.asarray(classes)), known):
        raise ValueError(f"classes={classes!r} is not what the first call of partial_fit was given: {list(known)}.")
    unknown = np.setdiff1d(y, known)
    if unknown.size:
        raise ValueError(
            f"y has labels that were not announced: {list(unknown[:5])}. Name all classes in the first call of "
            "partial_fit."
        )
    return np.searchsorted(known, y)


@dataclass(slots=True)
class Stream:
    """The sums over all samples so far, and some of the samples.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        All classes that were announced.
    shared : boolean array of shape (n_features,)
        Features that every class uses.
    n_seen : int
        Samples so far, those of weight zero included.
    """

    classes: np.ndarray
    shared: np.ndarray
    divided: bool
    sums: GroupSums | None = None
    n_seen: int = 0
    _rows: np.ndarray | None = None
    _known: np.ndarray | None = None  # code, weight and lot of each row that is kept

    sample_decides = True

    def __post_init__(self) -> None:
        needed = 8.0 * len(self.classes) * int((~self.shared).sum()) ** 2
        if needed > PRODUCT_BYTES:
            raise ValueError(
                f"partial_fit keeps the inner products of all pairs of features, here {needed / 2**30:.1f} GiB. Select "
                "features first, or fit a dask array with compression='sketch'."
            )

    def add(self, estimator: BaseEstimator, values: Any, codes: np.ndarray, weights: np.ndarray) -> None:
        """Take in a batch. One that cannot be used leaves everything as it was."""
        block = RowBlock(values, np.where(weights > 0, codes, -1), weights)
        sums = sums_of_block(block, self.shared, len(self.classes), 0)
        sums = sums if self.sums is None else self.sums + sums
        refuse_unusable(estimator, sums)
        self.sums = sums
        self._keep_some(values, codes, weights)
        self.n_seen += codes.size

    def _keep_some(self, values: Any, codes: np.ndarray, weights: np.ndarray) -> None:
        """Of all samples so far, those with the lowest lots."""
        lots = random_bits(_SEED, codes.size, self.n_seen).astype(np.float64)
        at = np.flatnonzero(weights > 0)
        rows, known = dense_rows(values, at), np.column_stack([codes, weights, lots])[at]
        if self._rows is not None and self._known is not None:
            rows, known = np.concatenate([self._rows, rows]), np.concatenate([self._known, known])
        wanted = sample_size(self.shared.size)
        if len(rows) > wanted:
            kept = np.sort(np.argpartition(known[:, 2], wanted)[:wanted])
            rows, known = rows[kept], known[kept]
        self._rows, self._known = rows, known

    @property
    def sample(self) -> LabelledRows:
        """The samples that were kept: all, as long as there are few."""
        rows, known = self._rows, self._known
        if rows is None or known is None:
            raise NotFittedError("No sample of positive weight came yet.")
        return LabelledRows(rows, rows[:, :0], known[:, 0].astype(np.intp), known[:, 1])

    def problem(self) -> search.Problem:
        """All samples so far as the engine's problem; every class must have come."""
        if self.sums is None or (self.sums.weights <= 0).any():
            came = np.zeros(len(self.classes)) if self.sums is None else self.sums.weights
            missing = ", ".join(str(name) for name in self.classes[came <= 0])
            raise NotFittedError(
                f"No sample of positive weight came yet of the class(es) {missing}, announced to partial_fit. "
                "Give it samples of every class before you ask for the model."
            )
        return search.problem_of_sums(self.sums, self.shared, divided=self.divided)

    def moments(self) -> numerics.Moments:
        """Moments of all features."""
        if self.sums is None:
            raise NotFittedError("No sample came yet.")
        return moments_of_sums(self.sums)

    def whole_owner(self, owner: np.ndarray) -> np.ndarray:
        """Owners of all features from those of the features that are shared out."""
        return whole_owner(owner, self.shared)
