"""Calibration of held-out scores to probabilities: one factor for all scores, and one offset per class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoint_centroids.numerics.softmax import log_softmax
from disjoint_centroids.numerics.temperature import HIGHEST, LOWEST
from disjoint_centroids.numerics.types import FloatArray, IntArray

_PENALTY = 0.3
"""Penalty on the squared offsets, in samples, if priors are given: it shrinks offsets fitted to few samples."""

_PENALTY_ALIKE, _LEAST_GAP = 3.0, 1e-3
"""Penalty if all classes count alike.

It is divided by the fourth power of the log ratio of a class's size to the geometric mean of the sizes.

Classes of about the same size need no offset, and one that is fitted to few samples would only add noise: chosen on
the 20 design sets of the real-data benchmark and on simulated tables with rare classes.
"""

_STEPS = 200
_CLOSE = 1e-10
_FLAT = 1e-12


@dataclass(frozen=True, slots=True)
class Calibration:
    """Probabilities are ``softmax(temperature * (scores + offsets) + log(priors))``, for classes alike without priors.

    Attributes
    ----------
    temperature : float
        Factor on all scores.
    offsets : array of shape (n_classes,)
        Added to the scores, in their units; zero for a class of which no sample was held out.
    """

    temperature: float
    offsets: FloatArray


def fit_calibration(
    scores: FloatArray,
    codes: IntArray,
    weights: FloatArray,
    priors: FloatArray | None,
    start: Calibration | None = None,
) -> Calibration:
    """Fit factor and offsets to scores of held-out samples, as if the classes were as frequent as ``priors`` say.

    The samples of each class weigh as much as its prior, so that the mean probability of every class comes near its
    prior. Targets are smoothed by what one wrong sample in all would add: samples that are all classified rightly
    must not make the probabilities certain. Scores of a class with few samples are systematically low where features
    outnumber samples; the offsets make up for it.

    Parameters
    ----------
    scores : array of shape (n_samples, n_classes)
        Finite scores of held-out samples.
    codes : array of shape (n_samples,)
        Their classes.
    weights : array of shape (n_samples,)
        Sample weights as counts.
    priors : array of shape (n_classes,) or None
        Positive numbers that sum to one. None: all classes count alike, and offsets are held back where the classes
        are of about the same size.
    start : Calibration, default=None
        Calibration of similar scores, from which the search begins: it takes fewer steps to the same answer.
    """
    counts: FloatArray = np.bincount(codes, weights, scores.shape[1]).astype(np.float64)
    present = np.flatnonzero(counts > 0)
    offsets = np.zeros(counts.size)
    gaps = scores.max(axis=1, keepdims=True) - scores if len(scores) else scores
    unit = float(gaps[:, present].mean()) if present.size > 1 else 0.0
    if unit <= 0:
        return Calibration(1.0, offsets)
    wanted = np.ones(counts.size) if priors is None else priors
    problem = _Problem(
        np.ascontiguousarray(-gaps[:, present].T / unit),
        np.searchsorted(present, codes),
        weights,
        counts[present],
        wanted[present] / wanted[present].sum(),
        _penalties(counts[present]) if priors is None else np.full(present.size, _PENALTY),
    )
    begin = np.concatenate([[1.0], np.zeros(present.size)])
    if start is not None:
        begin = start.temperature * np.concatenate([[unit], start.offsets[present]])
    factor, found = problem.solve(begin)
    offsets[present] = found / factor * unit
    return Calibration(factor / unit, offsets)


def _penalties(counts: FloatArray) -> FloatArray:
    """Penalty on the squared offset of every class if all count alike: weak for rare and for frequent classes."""
    rarity = -np.log(counts)
    gaps = rarity - rarity.mean()
    penalties: FloatArray = _PENALTY_ALIKE / np.maximum(gaps**4, _LEAST_GAP)
    return penalties


class _Problem:
    """Convex loss of the factor and the offsets, which are penalised, in units in which scores are about one apart.

    Scores and targets have one line per class.
    """

    def __init__(
        self,
        scores: FloatArray,
        codes: IntArray,
        weights: FloatArray,
        counts: FloatArray,
        priors: FloatArray,
        penalties: FloatArray,
    ) -> None:
        n_classes = counts.size
        shares = weights * (priors / counts)[codes]  # sum to one
        # Kish's effective sample size: as many equally weighted samples would be as informative.
        effective = 1.0 / float(priors**2 @ (1.0 / counts))
        missed = 1.0 / (n_classes * counts + 1.0)
        self.targets = np.repeat((missed / (n_classes - 1))[codes][None], n_classes, axis=0)
        self.targets[codes, np.arange(codes.size)] = 1.0 - missed[codes]
        self.scores, self.log_priors, self.weights = scores, np.log(priors), effective * shares
        self.penalties = penalties

    def solve(self, begin: FloatArray) -> tuple[float, FloatArray]:
        """Newton's method from factor and offsets; a factor that would leave its bounds stays there."""
        at = begin.copy()
        at[0] = np.clip(at[0], LOWEST, HIGHEST)
        logs = self._logs(at)
        loss = self._loss(at, logs)
        for _ in range(_STEPS):
            slopes, curvature = self._derivatives(at, logs)
            free = np.ones(at.size, dtype=bool)
            free[0] = not ((at[0] <= LOWEST and slopes[0] > 0) or (at[0] >= HIGHEST and slopes[0] < 0))
            step = np.zeros(at.size)
            step[free] = np.linalg.solve(curvature[np.ix_(free, free)], -slopes[free])
            if np.abs(step).max() <= _CLOSE * max(1.0, float(np.abs(at).max())):
                break
            new, new_logs, new_loss = at, logs, loss
            for halving in range(60):
                new = at + step / 2.0**halving
                new[0] = np.clip(new[0], LOWEST, HIGHEST)
                new_logs = self._logs(new)
                new_loss = self._loss(new, new_logs)
                if new_loss <= loss + _FLAT * abs(loss):
                    break
            at, logs, loss = new, new_logs, new_loss
        return float(at[0]), at[1:]

    def _logs(self, at: FloatArray) -> FloatArray:
        return log_softmax(at[0] * self.scores + (self.log_priors + at[1:])[:, None])

    def _loss(self, at: FloatArray, logs: FloatArray) -> float:
        fit = -float(np.einsum("ji,ji->i", self.targets, logs) @ self.weights)
        return fit + 0.5 * float(self.penalties @ at[1:] ** 2)

    def _derivatives(self, at: FloatArray, logs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Slopes and second derivatives."""
        shares = np.exp(logs)
        left = self.weights * (shares - self.targets)
        slopes = np.concatenate([[float((left * self.scores).sum())], left.sum(axis=1) + self.penalties * at[1:]])
        weighted = self.weights * shares
        centred = self.scores - np.einsum("ji,ji->i", shares, self.scores)
        curvature = np.empty((at.size, at.size))
        curvature[0, 0] = float((weighted * centred**2).sum()) + _FLAT
        curvature[0, 1:] = curvature[1:, 0] = (weighted * centred).sum(axis=1)
        curvature[1:, 1:] = np.diag(weighted.sum(axis=1) + self.penalties) - weighted @ shares.T
        return slopes, curvature
