"""L1 logistic regression along a path of penalties, as glmnet walks it, and the deviance of a path on other samples.

The path is fitted by code of our own because no maintained solver has both a multinomial path and wheels for every
platform. It equals R's glmnet label by label: ``tests/evaluation/test_r_reference.py`` compares them.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import log_softmax
from sklearn.exceptions import ConvergenceWarning

if TYPE_CHECKING:
    from disjoint_centroids.evaluation.peers.logistic_kernels import Walk

N_PENALTIES = 100
TOLERANCE = 1e-7
"""Descent stops when a step gains less than this share of the null deviance."""

MOST_PASSES = 100_000
"""Passes over the coefficients after which a path is given up."""

_SHORTEST = 5  # penalties before a path may end early
_LEAST_GAIN, _ENOUGH = 1e-5, 0.999  # it does where the share of deviance explained stands still, or leaves nothing
_LEAST_PROBABILITY = 1e-5  # as cv.glmnet: one confident mistake must not decide


@dataclass(frozen=True, slots=True)
class PenaltyPath:
    """Solutions along decreasing penalties.

    Attributes
    ----------
    penalties : array of shape (n_penalties,)
        Decreasing.
    features : array of shape (n_entered,)
        Those with a coefficient at some penalty.
    coefs : array of shape (n_penalties, n_classes, n_entered)
        Their coefficients, for the columns as given. Of two classes the first has none.
    intercepts : array of shape (n_penalties, n_classes)
        Likewise.
    """

    penalties: np.ndarray
    features: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray

    def scores(self, X: np.ndarray) -> np.ndarray:
        """Linear scores of samples at every penalty: (n_penalties, n_samples, n_classes)."""
        n_penalties, n_classes, n_entered = self.coefs.shape
        flat = X[:, self.features] @ self.coefs.reshape(-1, n_entered).T
        by_penalty = flat.reshape(len(X), n_penalties, n_classes).transpose(1, 0, 2)
        return by_penalty + self.intercepts[:, None]

    def scores_at(self, X: np.ndarray, penalties: np.ndarray) -> np.ndarray:
        """Scores at any penalties, interpolated as glmnet does: (number of penalties asked for, n_samples, n_classes).

        Penalties beyond the ends of the path count as the ends.
        """
        scores = self.scores(X)
        place = np.interp(penalties, self.penalties[::-1], np.arange(len(self.penalties))[::-1])
        before = place.astype(np.intp)
        after = np.minimum(before + 1, len(scores) - 1)
        share = (place - before)[:, None, None]
        return (1.0 - share) * scores[before] + share * scores[after]

    def deviances(self, X: np.ndarray, codes: np.ndarray, penalties: np.ndarray) -> np.ndarray:
        """Half the mean deviance of samples at any penalties.

        ``codes`` are the classes of the samples, -1 for a class that the path was not fitted on.
        """
        logs = log_softmax(self.scores_at(X, penalties), axis=2)
        own = np.where(codes >= 0, logs[:, np.arange(len(codes)), codes], -np.inf)
        deviances: np.ndarray = -np.maximum(own, np.log(_LEAST_PROBABILITY)).mean(axis=1)
        return deviances


def smallest_share(n_samples: int, n_features: int) -> float:
    """Share of the largest penalty at which glmnet's path ends by default."""
    return 1e-2 if n_samples < n_features else 1e-4


def l1_logistic_path(
    X: np.ndarray, codes: np.ndarray, smallest: float, *, most_passes: int = MOST_PASSES
) -> PenaltyPath:
    """Fit the classes 0 … k - 1 at penalties from the largest that matters down to ``smallest`` times that.

    What is minimised is the mean negative log-likelihood plus the penalty times the sum of the sizes of all
    coefficients, for columns of standard deviation 1. The path ends early where a smaller penalty explains hardly
    more, or where all is explained.
    """
    from disjoint_centroids.evaluation.peers.logistic_kernels import walk_down

    means, spread, columns = _standardised(X)
    walk, null = _beginning(columns, codes)
    penalties = walk.steepness.max() * smallest ** np.linspace(0.0, 1.0, N_PENALTIES)
    if penalties[0] == 0.0:  # no feature is correlated with a class
        penalties = penalties[:1]
    n_found, sizes, intercepts, values, converged = walk_down(
        walk, penalties, null, TOLERANCE, most_passes, _SHORTEST, _LEAST_GAIN, _ENOUGH
    )
    if not converged:
        _warn(n_found, most_passes)
    features = walk.entered[: sizes[-1]].copy()
    coefs = np.zeros((n_found, len(walk.own), len(features)))
    of_penalties = np.split(values, np.cumsum(sizes * len(walk.own))[:-1])
    for at, size in enumerate(sizes):
        coefs[at, :, :size] = of_penalties[at].reshape(len(walk.own), size)
    coefs /= spread[features]
    return PenaltyPath(penalties[:n_found], features, coefs, intercepts - coefs @ means[features])


def _standardised(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means, standard deviations, and the standardised table with one row per feature; constant features are 0."""
    means = X.mean(axis=0)
    columns = np.ascontiguousarray((X - means).T)
    spread = np.sqrt((columns**2).mean(axis=1))
    constant = np.ptp(X, axis=0) == 0
    spread[constant], columns[constant] = 1.0, 0.0
    columns /= spread[:, None]
    return means, spread, columns


def _beginning(columns: np.ndarray, codes: np.ndarray) -> tuple[Walk, float]:
    """State before the first penalty, with intercepts only, and half the mean deviance there."""
    from disjoint_centroids.evaluation.peers.logistic_kernels import Walk

    n_features, n_samples = columns.shape
    n_classes = int(codes.max()) + 1
    first = 1 if n_classes == 2 else 0  # of two classes, the second against the first
    own = (np.arange(n_classes)[:, None] == codes).astype(np.float64)
    shares = own.mean(axis=1)
    intercept = np.log(shares) - (np.log(shares[0]) if first else np.log(shares).mean())
    scores = np.repeat(intercept[:, None], n_samples, axis=1)
    slopes = columns @ (own - shares[:, None])[first:].T / n_samples
    walk = Walk(
        columns=columns,
        own=own,
        scores=scores,
        odds=np.exp(scores),
        top=np.zeros(n_samples),
        coef=np.zeros((n_classes, n_features)),
        intercept=intercept,
        is_eligible=np.zeros(n_features, bool),
        steepness=np.abs(slopes).max(axis=1),
        has_entered=np.zeros(n_features, bool),
        entered=np.zeros(n_features, np.intp),
        first=first,
    )
    return walk, -float(shares @ np.log(shares))


def _warn(n_found: int, most_passes: int) -> None:
    warnings.warn(
        f"The L1 path was given up after {most_passes} passes over the table, with solutions at {n_found} of "
        f"{N_PENALTIES} penalties: the classes are all but separated, and smaller penalties say little more.",
        ConvergenceWarning,
        stacklevel=3,
    )
