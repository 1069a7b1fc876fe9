"""Owned genes in the form of scanpy's rankings: columns of ``.var``, and record arrays with one field per group."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

NO_NAME = ""
"""Fills up the shorter lists: a file of AnnData has no missing value among strings."""

_TINY = 1e-9  # keeps ratios of means finite, as in scanpy


def measured_means(values: Any, labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Class means of the values as they are, (n_classes, n_genes); of a dense or a sparse matrix in memory."""
    is_member = (labels == classes[:, None]).astype(np.float64)
    means: np.ndarray = is_member @ values / is_member.sum(axis=1, keepdims=True)
    return means


class Markers:
    """Marker genes of a fitted estimator, with the groups in the order of the AnnData.

    Attributes
    ----------
    groups : list of str
    sets : list of arrays
        Genes of each group, the best first: in the order of picking, or by margin for methods without picks.
    margin : array of shape (n_genes,)
    means, rest : arrays of shape (n_groups, n_genes)
        Mean in the cells of each group, and in all others.

    Parameters
    ----------
    estimator : classifier
        Fitted.
    labels : array of shape (n_cells,)
    groups : list of str
    means : array of shape (n_classes, n_genes)
        Class means, in the order of the estimator's classes.
    has_picks : bool
        True if ``feature_sets_`` are in the order of picking.
    """

    def __init__(
        self, estimator: Any, labels: np.ndarray, groups: list[str], means: np.ndarray, *, has_picks: bool
    ) -> None:
        self.groups = groups
        self.has_picks = has_picks
        self.margin = np.asarray(estimator.margin_)
        place = [list(estimator.classes_).index(group) for group in groups]
        counts = np.array([np.count_nonzero(labels == group) for group in groups])
        self.means = means[place]
        self.rest = (counts @ self.means - counts[:, None] * self.means) / (counts.sum() - counts)[:, None]
        owned = [np.asarray(estimator.feature_sets_[j]) for j in place]
        self.sets = owned if has_picks else [own[np.argsort(-self.margin[own], kind="stable")] for own in owned]

    def columns(self) -> dict[str, Any]:
        """Owner, margin, difference and pick of every gene; missing for genes without an owner."""
        owner = np.full(self.margin.size, -1)
        pick, difference = (np.full(self.margin.size, np.nan) for _ in range(2))
        for at, own in enumerate(self.sets):
            owner[own] = at
            pick[own] = np.arange(1, own.size + 1)
            difference[own] = self.means[at, own] - self.rest[at, own]
        found = {
            "owner": pd.Categorical.from_codes(owner, categories=pd.Index(self.groups)),
            "margin": self.margin,
            "difference": difference,
        }
        return found | ({"pick": pick} if self.has_picks else {})

    def lists(self, n_genes: int | None, names: pd.Index, log_base: float) -> dict[str, np.recarray]:
        """Record arrays with one field per group, the best ``n_genes`` first."""
        each = len(self.groups)
        # scanpy's table asks for p-values; there are none.
        missing = np.full((each, len(names)), np.nan)
        return {
            "names": self._listed([np.asarray(names, dtype=object)] * each, n_genes, object, NO_NAME),
            "scores": self._listed([self.margin] * each, n_genes, np.float32),
            "logfoldchanges": self._listed(self._log_fold_changes(log_base), n_genes, np.float32),
            "differences": self._listed(self.means - self.rest, n_genes, np.float32),
            "pvals": self._listed(missing, n_genes, np.float64),
            "pvals_adj": self._listed(missing, n_genes, np.float64),
        }

    def _listed(
        self, values_of_group: Iterable[np.ndarray], n_genes: int | None, dtype: Any, missing: Any = np.nan
    ) -> np.recarray:
        shown = [own[:n_genes] for own in self.sets]
        length = max(own.size for own in shown)
        columns = []
        for own, values in zip(shown, values_of_group, strict=True):
            column = np.full(length, missing, dtype=dtype)
            column[: own.size] = values[own]
            columns.append(column)
        return np.rec.fromarrays(columns, dtype=[(group, dtype) for group in self.groups])

    def _log_fold_changes(self, log_base: float) -> np.ndarray:
        """Base-2 logarithm of ratios of means, taken back from log1p; NaN beside a negative mean, as in scaled data."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            own, rest = (np.expm1(means * np.log(log_base)) + _TINY for means in (self.means, self.rest))
            changes = np.log2(own / rest)
        return np.where((self.means >= 0) & (self.rest >= 0), changes, np.nan)
