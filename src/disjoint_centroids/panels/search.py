"""Choice of terms, rounds and penalty by the loss of every candidate on samples that it was not fitted on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.special import log_softmax

from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.calibration import Calibration, fit_calibration
from disjoint_centroids.panels.model import PanelModel
from disjoint_centroids.panels.path import Candidate, Fits, fit_candidates
from disjoint_centroids.rows.training import TrainingSet

Fold = tuple[np.ndarray, np.ndarray]

ROUNDS = (1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100)
PENALTIES: dict[drafting.TermsKind, tuple[float, ...]] = {"linear": (0.5,), "squared": (0.5,), "both": (0.5, 0.005)}
"""Numbers of rounds and penalties that "auto" tries.

Chosen on the design sets of the real-data benchmark and on the paper's simulations.
"""

DEFAULT_ROUNDS = 50
"""Default number of rounds: kept unless another is better by three standard errors.

A long panel is safer than a choice by few samples.
"""

SHORT, SHORT_OVERDRAFT = 20, 3
"""Panels of up to 20 features per class are drafted three times as long and cut back, which makes them better."""

_SMALLEST = 5  # with room for ten rounds or more, fewer than this many are not tried
_N_ERRORS = 3.0  # standard errors by which other rounds must beat the default ones, and other terms the linear ones


@dataclass(frozen=True, slots=True)
class HeldOutScores:
    """Scores of samples by the models of the folds that held them out, for each candidate.

    Attributes
    ----------
    folds : list of pairs of arrays
        Training and held-out positions.
    scores : dict
        For each candidate (n_samples, n_classes); NaN for samples that no fold held out, -inf for a class that the
        training part of the fold did not have.
    models : dict
        For each candidate its model in every fold, with the classes it knows.
    standards : list
        Standardisation of the features in every fold.
    """

    folds: list[Fold]
    scores: dict[Candidate, np.ndarray]
    models: dict[Candidate, list[tuple[PanelModel, np.ndarray]]]
    standards: list[drafting.Standard]


def candidates(
    terms: Sequence[str], rounds: int | None, penalty: float | None, most_rounds: int, overdraft: int | None = None
) -> list[Candidate]:
    """List all candidates to be tried; a parameter that the user gave is not varied.

    ``overdraft`` None: short panels with linear terms are cut back from longer ones.
    """
    longest = most_rounds if rounds is None else rounds
    by_itself = SHORT_OVERDRAFT if longest <= SHORT else 1
    return [
        Candidate(kind, size, value, (by_itself if kind == "linear" else 1) if overdraft is None else overdraft)
        for kind in drafting.TERMS
        if kind in terms
        for value in (PENALTIES[kind] if penalty is None else (penalty,))
        for size in ([rounds] if rounds is not None else rounds_to_try(kind, most_rounds))
    ]


def rounds_to_try(kind: drafting.TermsKind, most: int) -> list[int]:
    """Numbers of rounds to try, up to the most that the table and the rules leave room for.

    Squared terms are tried up to the default number of rounds only: they take long to fit, and have never
    been the better ones with more features per class.
    """
    most = min(most, ROUNDS[-1] if kind == "linear" else DEFAULT_ROUNDS)
    sizes = sorted({size for size in ROUNDS if size <= most} | {most})
    return [size for size in sizes if size >= _SMALLEST] if most >= 2 * _SMALLEST else sizes


def hold_out(
    training: TrainingSet,
    folds: list[Fold],
    wanted: Sequence[Candidate],
    rules: drafting.Rules,
    *,
    n_jobs: int | None = None,
    tick: Callable[[], None] = lambda: None,
) -> HeldOutScores:
    """Fit every candidate on the training samples of every fold, and score the samples that it held out."""
    scores = {candidate: np.full((training.codes.size, len(training.classes)), np.nan) for candidate in wanted}
    models: dict[Candidate, list[tuple[PanelModel, np.ndarray]]] = {candidate: [] for candidate in wanted}
    standards = []
    pool = Parallel(n_jobs=n_jobs, return_as="generator")
    fits = pool(delayed(_fit_fold)(training, train, wanted, rules) for train, _ in folds)
    for (_, test), (found, known) in zip(folds, fits, strict=True):
        standards.append(found.standard)
        for candidate, model in found.models.items():
            scores[candidate][test] = widened(model.scores(training.values[test]), known, len(training.classes))
            models[candidate].append((model, known))
        tick()
    return HeldOutScores(folds, scores, models, standards)


def _fit_fold(
    training: TrainingSet, train: np.ndarray, wanted: Sequence[Candidate], rules: drafting.Rules
) -> tuple[Fits, np.ndarray]:
    known = np.unique(training.codes[train])
    return fit_candidates(training.subset(train), wanted, for_classes(rules, known)), known


def for_classes(rules: drafting.Rules, known: np.ndarray) -> drafting.Rules:
    """Rules of a draft in which only the ``known`` classes pick."""
    return replace(rules, forced=tuple(rules.forced[j] for j in known))


def widened(scores: np.ndarray, known: np.ndarray, n_classes: int) -> np.ndarray:
    """Extend the scores of the ``known`` classes to all classes, with -inf for the others."""
    wide = np.full((len(scores), n_classes), -np.inf)
    wide[:, known] = scores
    return wide


def most_rounds(rules: drafting.Rules) -> int:
    """Rounds after which no class can pick any more."""
    return max(1, min(room(rules), -(-rules.in_all // len(rules.forced)), rules.per_class))


def room(rules: drafting.Rules) -> int:
    """Rounds after which the allowed features are used up, whatever the bounds."""
    return -(-int(rules.allowed.sum()) // len(rules.forced))


def is_wide(rules: drafting.Rules) -> bool:
    """True if the table has more allowed features per class than the usual number of rounds would use up."""
    return room(rules) > DEFAULT_ROUNDS


class Judged:
    """Comparison of candidates by calibrated probabilities of held-out samples, with the same weight for every class.

    Parameters
    ----------
    training : TrainingSet
        The samples.
    held_out : HeldOutScores
        Their scores by the models of the folds.
    """

    def __init__(self, training: TrainingSet, held_out: HeldOutScores) -> None:
        self._training, self._held_out = training, held_out
        self._calibrations = {candidate: calibrated(training, scores) for candidate, scores in held_out.scores.items()}
        in_all = np.concatenate(list(held_out.scores.values()), axis=1)
        self.seen = np.flatnonzero(np.isfinite(in_all).all(axis=1))
        """Samples for which every candidate has finite scores: comparisons are made on them."""
        self._loss = {candidate: self._losses(candidate, self.seen) for candidate in held_out.scores}
        self._factors, self._weights = self._class_factors(self.seen), training.weights[self.seen]

    def results(self) -> dict[str, np.ndarray]:
        """Held-out loss and error of every candidate, as columns of a table."""
        rows: list[dict[str, Any]] = []
        for candidate, scores in self._held_out.scores.items():
            seen = np.flatnonzero(~np.isnan(scores).any(axis=1))
            codes, weights = self._training.codes[seen], self._training.weights[seen]
            loss = error = np.nan
            if seen.size:
                loss = np.average(self._losses(candidate, seen), weights=weights * self._class_factors(seen))
                error = np.average(self._logits(candidate, seen).argmax(axis=1) != codes, weights=weights)
            rows.append(
                {
                    "terms": candidate.terms,
                    "rounds": candidate.rounds,
                    "penalty": candidate.penalty,
                    "loss": loss,
                    "error": error,
                }
            )
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}

    def gap(self, one: Candidate, other: Candidate) -> float:
        """Mean loss of one candidate minus that of another."""
        return float(np.average(self._loss[one] - self._loss[other], weights=self._factors * self._weights))

    def uncertainty(self, one: Candidate, other: Candidate) -> float:
        """Standard error of that gap."""
        gaps = self._loss[one] - self._loss[other] - self.gap(one, other)
        return float(np.sqrt(self._weights @ (self._factors * gaps) ** 2) / (self._weights @ self._factors))

    def beats(self, one: Candidate, other: Candidate) -> bool:
        """True if the loss of one is smaller than that of the other by more than three standard errors."""
        return -self.gap(one, other) > _N_ERRORS * self.uncertainty(one, other)

    def best(self, rivals: Sequence[Candidate]) -> Candidate:
        """Candidate of least loss; ties go to the fewest rounds."""
        return min(rivals, key=lambda c: (self.gap(c, rivals[0]), c.rounds))

    def default_unless_beaten(self, rivals: Sequence[Candidate]) -> Candidate:
        """Candidate with the default number of rounds, unless others are better by three standard errors.

        ``rivals`` have the same terms. Of several penalties the better one counts, and of those that beat the default
        the one of least loss.
        """
        default = self.best([c for c in rivals if c.rounds == _default(rivals).rounds])
        better = [c for c in rivals if self.beats(c, default)]
        return self.best(better) if better else default

    def _logits(self, candidate: Candidate, rows: np.ndarray) -> np.ndarray:
        calibration = self._calibrations[candidate]
        return calibration.temperature * (self._held_out.scores[candidate][rows] + calibration.offsets)

    def _losses(self, candidate: Candidate, rows: np.ndarray) -> np.ndarray:
        """Minus the log-probability of each sample's class, which counts as 1e-5 at least."""
        logs = log_softmax(self._logits(candidate, rows), axis=1)[np.arange(rows.size), self._training.codes[rows]]
        return -np.maximum(logs, np.log(1e-5))

    def _class_factors(self, rows: np.ndarray) -> np.ndarray:
        """Factors on the weights of samples that make every class count alike."""
        codes = self._training.codes[rows]
        totals = np.bincount(codes, self._training.weights[rows], len(self._training.classes))
        return (totals.sum() / len(self._training.classes) / np.where(totals > 0, totals, 1.0))[codes]


def calibrated(training: TrainingSet, scores: np.ndarray, priors: np.ndarray | None = None) -> Calibration:
    """Factor and offsets that make held-out scores the best probabilities under some priors; None: classes alike."""
    seen = np.isfinite(scores).all(axis=1)
    return fit_calibration(scores[seen], training.codes[seen], training.weights[seen], priors)


def choose(judged: Judged, wanted: Sequence[Candidate], rule: str, *, wide: bool) -> Candidate:
    """Choose a candidate by its held-out loss.

    Terms are linear, and in a wide table the rounds are the default ones, unless others have the lower loss by three
    standard errors: where samples are few, the candidate of least loss is mostly there by chance. The default number
    of rounds is 50, or as many as a bound on the panels leaves room for. In a table that is not wide, where the
    default would use all features, the rounds of least loss are taken. The loss is that of calibrated probabilities,
    because otherwise a weak penalty would win by its large scores. With ``rule="1se"`` the choice is the fewest
    rounds within one standard error of that candidate.
    """
    if not judged.seen.size:
        return _default(wanted)
    of_kinds = [
        judged.default_unless_beaten(rivals) if wide else judged.best(rivals)
        for kind in drafting.TERMS
        if (rivals := [candidate for candidate in wanted if candidate.terms == kind])
    ]
    best = of_kinds[0]  # the linear ones, if they take part
    other = min(of_kinds, key=lambda c: judged.gap(c, best))
    if judged.beats(other, best):
        best = other
    if rule == "min":
        return best
    alike = [c for c in wanted if (c.terms, c.penalty) == (best.terms, best.penalty)]
    return min((c for c in alike if judged.gap(c, best) <= judged.uncertainty(c, best)), key=lambda c: c.rounds)


def _default(rivals: Sequence[Candidate]) -> Candidate:
    """First candidate with the default number of rounds, or with the number nearest to it."""
    return min(rivals, key=lambda c: abs(c.rounds - DEFAULT_ROUNDS))
