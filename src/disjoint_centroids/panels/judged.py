"""Comparison of candidates by their losses on samples that were held out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from disjoint_centroids.numerics.softmax import log_softmax
from disjoint_centroids.panels.calibration import Calibration, fit_calibration
from disjoint_centroids.panels.candidates import DEFAULT_ROUNDS, Candidate
from disjoint_centroids.panels.held_out import HeldOut, Samples

_N_ERRORS = 4.0
"""Standard errors by which other candidates must beat the default ones.

Dozens of candidates are compared, and with few samples the standard error of a gap is itself uncertain. Chosen on the
design sets of the real-data benchmark.
"""


class Judged:
    """Comparison of candidates by calibrated probabilities of held-out samples, with the same weight for every class.

    Parameters
    ----------
    samples : Samples
        The samples.
    held_out : HeldOut
        Their scores by the models of the folds.
    """

    def __init__(self, samples: Samples, held_out: HeldOut) -> None:
        self._samples, self._held_out = samples, held_out
        self._calibrations: dict[Candidate, Calibration] = {}
        self._losses_held_out: dict[Candidate, np.ndarray] = {}
        self._loss: dict[Candidate, np.ndarray] = {}
        self.reference: Candidate | None = None
        """The candidate that ``rule="min"`` takes, once it is known."""

    @cached_property
    def seen(self) -> np.ndarray:
        """Samples with finite scores: comparisons are made on them."""
        scores = next(iter(self._held_out.scores.values()))
        return np.flatnonzero(np.isfinite(scores).all(axis=2).any(axis=0))

    def results(self) -> dict[str, np.ndarray]:
        """Held-out loss and error of every candidate, as columns of a table."""
        rows: list[dict[str, Any]] = []
        for candidate, scores in self._held_out.scores.items():
            told = ~np.isnan(scores).any(axis=2)
            seen = np.flatnonzero(told.any(axis=0))
            loss = error = np.nan
            if seen.size:
                weights = self._samples.weights[seen]
                wrong = self._logits(candidate).argmax(axis=2) != self._samples.codes
                loss = np.average(self._losses(candidate, told)[seen], weights=weights * self._class_factors(seen))
                error = np.average(_mean_over_times(wrong, told)[seen], weights=weights)
            compared = {}
            if self.reference is not None:
                compared["gap_error"] = self.uncertainty(candidate, self.reference)
            rows.append(
                {
                    "terms": candidate.terms,
                    "regression": candidate.regression,
                    "rounds": candidate.rounds,
                    "penalty": candidate.penalty,
                    "loss": loss,
                    "error": error,
                }
                | compared
            )
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}

    def gap(self, one: Candidate, other: Candidate) -> float:
        """Mean loss of one candidate minus that of another."""
        gaps = self._loss_of(one) - self._loss_of(other)
        return float(np.average(gaps, weights=self._factors * self._weights))

    def uncertainty(self, one: Candidate, other: Candidate) -> float:
        """Standard error of that gap."""
        gaps = self._loss_of(one) - self._loss_of(other) - self.gap(one, other)
        factors, weights = self._factors, self._weights
        return float(np.sqrt(weights @ (factors * gaps) ** 2) / (weights @ factors))

    def beats(self, one: Candidate, other: Candidate) -> bool:
        """True if the loss of one is smaller than that of the other by more than four standard errors."""
        return -self.gap(one, other) > _N_ERRORS * self.uncertainty(one, other)

    def best(self, rivals: Sequence[Candidate]) -> Candidate:
        """Candidate of least loss; ties go to the fewest rounds."""
        return min(rivals, key=lambda c: (self.gap(c, rivals[0]), c.rounds))

    def default_unless_beaten(self, rivals: Sequence[Candidate]) -> Candidate:
        """Candidate with the default rounds and penalty, unless others are better by four standard errors.

        ``rivals`` have the same terms. Of those that beat the default the one of least loss is taken.
        """
        default = default_of(rivals)
        better = [c for c in rivals if self.beats(c, default)]
        return self.best(better) if better else default

    @cached_property
    def _factors(self) -> np.ndarray:
        return self._class_factors(self.seen)

    @cached_property
    def _weights(self) -> np.ndarray:
        return self._samples.weights[self.seen]

    def _loss_of(self, candidate: Candidate) -> np.ndarray:
        if candidate not in self._loss:
            finite = np.isfinite(self._held_out.scores[candidate]).all(axis=2)
            self._loss[candidate] = self._losses(candidate, finite)[self.seen]
        return self._loss[candidate]

    def _logits(self, candidate: Candidate) -> np.ndarray:
        scores = self._held_out.scores[candidate]
        if candidate not in self._calibrations:
            last = next(reversed(self._calibrations.values()), None)
            self._calibrations[candidate] = calibrated(self._samples, scores, start=last)
        calibration = self._calibrations[candidate]
        return calibration.temperature * (scores + calibration.offsets)

    def _losses(self, candidate: Candidate, counted: np.ndarray) -> np.ndarray:
        """Minus the log-probability of each sample's class, which counts as 1e-5 at least, over the times ``counted``.

        ``counted`` is a mask of shape (n_times, n_samples).
        """
        if candidate not in self._losses_held_out:
            logits, codes = self._logits(candidate), self._samples.codes
            times, rows = np.nonzero(~np.isnan(logits).any(axis=2))
            logs = log_softmax(np.ascontiguousarray(logits[times, rows].T))[codes[rows], np.arange(rows.size)]
            losses = np.zeros(counted.shape)
            losses[times, rows] = -np.maximum(logs, np.log(1e-5))
            self._losses_held_out[candidate] = losses
        return _mean_over_times(self._losses_held_out[candidate], counted)

    def _class_factors(self, rows: np.ndarray) -> np.ndarray:
        """Factors on the weights of samples that make every class count alike."""
        codes, k = self._samples.codes[rows], self._samples.n_classes
        totals = np.bincount(codes, self._samples.weights[rows], k)
        return (totals.sum() / k / np.where(totals > 0, totals, 1.0))[codes]


def calibrated(
    samples: Samples, scores: np.ndarray, priors: np.ndarray | None = None, start: Calibration | None = None
) -> Calibration:
    """Factor and offsets that make held-out scores the best probabilities under some priors; None: classes alike.

    A sample that was held out several times weighs as much as one that was held out once.
    """
    finite = np.isfinite(scores).all(axis=2)
    times, rows = np.nonzero(finite)
    weights = samples.weights[rows] / finite.sum(axis=0)[rows]
    return fit_calibration(scores[times, rows], samples.codes[rows], weights, priors, start)


def _mean_over_times(values: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Mean of what is counted of each sample; both arrays are (n_times, n_samples)."""
    found: np.ndarray = np.where(counted, values, 0.0).sum(axis=0) / np.maximum(counted.sum(axis=0), 1)
    return found


def default_of(rivals: Sequence[Candidate]) -> Candidate:
    """First candidate with the default number of rounds, or with the number nearest to it."""
    return min(rivals, key=lambda c: abs(c.rounds - DEFAULT_ROUNDS))
