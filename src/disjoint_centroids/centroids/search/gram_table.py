"""A training table known only by sums over its rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoint_centroids.centroids.search.dense_table import DenseTable
from disjoint_centroids.centroids.search.problem import Problem, SharedPart
from disjoint_centroids.centroids.search.supports import EVERYONE, GramSupport, Support, Supports
from disjoint_centroids.centroids.search.table import Table
from disjoint_centroids.numerics.moments import moments_of
from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray
from disjoint_centroids.rows.sketch import Sketch
from disjoint_centroids.rows.sums import GroupSums

_ROUNDING = 1e-12
"""Squared distances from inner products below this share of the features' squares are zero."""


@dataclass(frozen=True, slots=True)
class GramTable:
    """A table known only by its classes' Gram matrices.

    Attributes
    ----------
    grams : array of shape (n_classes, n_features, n_features)
    weights : array of shape (n_classes,)
    """

    grams: FloatArray
    weights: FloatArray
    divided: bool

    @property
    def n_features(self) -> int:
        return int(self.grams.shape[1])

    @property
    def n_classes(self) -> int:
        return int(self.grams.shape[0])

    def supports(self) -> Supports:
        """All of them as Gram matrices."""
        stack = np.concatenate([self.grams.sum(axis=0)[None], self.grams])
        divisors = np.concatenate([[self.weights.sum()], self.weights]) if self.divided else np.ones(len(stack))
        everyone, *classes = (
            GramSupport(stack[at], float(divisors[at]), label)
            for at, label in enumerate(range(EVERYONE, self.n_classes))
        )
        return Supports(everyone, tuple(classes), stack)

    def squared_gaps(self, label: int, groups: list[IntArray], features: IntArray | None) -> FloatArray:
        """Squared gaps computed from the inner products; the samples themselves are not kept."""
        gram = self.grams.sum(axis=0) if label == EVERYONE else self.grams[label]
        asked = np.arange(self.n_features) if features is None else features
        squares = np.diagonal(gram)
        found = np.full((len(groups), asked.size), np.inf)
        for at, members in enumerate(groups):
            if members.size:
                sums = gram[members].sum(axis=0)
                norm = sums[members].sum() / members.size**2
                gaps = squares[asked] - 2.0 / members.size * sums[asked] + norm
                found[at] = np.where(gaps > _ROUNDING * np.maximum(squares[asked], norm), gaps, 0.0)
        return found

    def squared_lengths(self, support: Support, features: IntArray) -> FloatArray:
        """Squared lengths with each row's mean taken out: all that is left of the samples."""
        return support.squares[features]


def problem_of_sums(sums: GroupSums, shared: BoolArray, *, divided: bool, sketch: DenseTable | None = None) -> Problem:
    """The problem of a table whose groups are its classes; the samples themselves are not at hand."""
    own = ~shared
    variances = sums.scatters / sums.weights[:, None]
    moments = moments_of(sums.means[:, own], variances[:, own], sums.weights)
    common = SharedPart(moments_of(sums.means[:, shared], variances[:, shared], sums.weights))
    if sums.products is not None:
        table: Table = GramTable(sums.products, sums.weights, divided)
    elif sketch is not None:
        table = sketch
    else:
        raise ValueError("Sums without inner products need a sketch in their place.")
    return Problem(table, moments, table.supports(), common)


def sketched_table(
    sketch: Sketch, rows: FloatArray, groups_of: list[IntArray], weights: FloatArray, *, divided: bool
) -> DenseTable:
    """The sketch as a table: the rows of class j are those of its groups, and weigh what the class weighs."""
    at = [np.concatenate([sketch.starts[g] + np.arange(sketch.sizes[g]) for g in groups]) for groups in groups_of]
    codes = np.repeat(np.arange(len(at)), [part.size for part in at])
    share = (weights / [part.size for part in at])[codes]
    # A row of weight w counts as root w times its values: that factor is taken out beforehand.
    values = rows[np.concatenate(at)] / np.sqrt(share)[:, None]
    return DenseTable(values, codes, share, len(at), divided)
