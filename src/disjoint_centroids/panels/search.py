"""Which terms, how many rounds, which penalty: chosen by what every candidate says of samples it was not fitted on."""

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
from disjoint_centroids.panels.path import Candidate, Fits, TrainingPart, fit_candidates

Fold = tuple[np.ndarray, np.ndarray]

ROUNDS = (1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100)
PENALTIES: dict[drafting.Terms, tuple[float, ...]] = {"linear": (0.5,), "squared": (0.5,), "both": (0.5, 0.005)}
"""What "auto" tries. Chosen on the design sets of the real-data benchmark and on the paper's simulations."""

USUAL = 50
"""Rounds that are taken unless others are surely better: long panels are safer than a choice by few samples."""

SHORT, SHORT_OVERDRAFT = 20, 3
"""Panels of up to 20 features per class are drafted three times as long and cut back, which makes them better."""

_SMALLEST = 5  # with room for ten rounds or more, fewer than this many are not tried
_SURE = 3.0  # standard errors by which other rounds must beat the usual ones, and other terms the linear ones


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What the model of each fold says of the samples it was not fitted on.

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
        How features were standardised in every fold.
    """

    folds: list[Fold]
    scores: dict[Candidate, np.ndarray]
    models: dict[Candidate, list[tuple[PanelModel, np.ndarray]]]
    standards: list[drafting.Standard]


def candidates(
    terms: Sequence[str], rounds: int | None, penalty: float | None, most_rounds: int, overdraft: int | None = None
) -> list[Candidate]:
    """Everything to be tried; a parameter that the user gave is not varied.

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


def rounds_to_try(kind: drafting.Terms, most: int) -> list[int]:
    """Numbers of rounds, up to the most that the table and the rules leave room for.

    Squared terms take long to fit, and with that many features to choose from they have never been the better ones.
    """
    most = min(most, ROUNDS[-1] if kind == "linear" else USUAL)
    sizes = sorted({size for size in ROUNDS if size <= most} | {most})
    return [size for size in sizes if size >= _SMALLEST] if most >= 2 * _SMALLEST else sizes


def hold_out(
    part: TrainingPart,
    folds: list[Fold],
    wanted: Sequence[Candidate],
    rules: drafting.Rules,
    *,
    n_jobs: int | None = None,
    tick: Callable[[], None] = lambda: None,
) -> HeldOut:
    """Fit every candidate on the training part of every fold, and score what it held out."""
    scores = {candidate: np.full((part.codes.size, part.n_classes), np.nan) for candidate in wanted}
    models: dict[Candidate, list[tuple[PanelModel, np.ndarray]]] = {candidate: [] for candidate in wanted}
    standards = []
    pool = Parallel(n_jobs=n_jobs, return_as="generator")
    fits = pool(delayed(_fit_fold)(part, train, wanted, rules) for train, _ in folds)
    for (_, test), (found, known) in zip(folds, fits, strict=True):
        standards.append(found.standard)
        for candidate, model in found.models.items():
            scores[candidate][test] = widened(model.scores(part.values[test]), known, part.n_classes)
            models[candidate].append((model, known))
        tick()
    return HeldOut(folds, scores, models, standards)


def _fit_fold(
    part: TrainingPart, train: np.ndarray, wanted: Sequence[Candidate], rules: drafting.Rules
) -> tuple[Fits, np.ndarray]:
    known, codes = np.unique(part.codes[train], return_inverse=True)
    inner = TrainingPart(part.values[train], codes, part.weights[train], known.size)
    return fit_candidates(inner, wanted, for_classes(rules, known)), known


def for_classes(rules: drafting.Rules, known: np.ndarray) -> drafting.Rules:
    """The rules where only some classes play."""
    return replace(rules, forced=tuple(rules.forced[j] for j in known))


def widened(scores: np.ndarray, known: np.ndarray, n_classes: int) -> np.ndarray:
    """Scores of some classes as scores of all, -inf for those that are not known."""
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
    return room(rules) > USUAL


class Judged:
    """Held-out scores of all candidates as calibrated probabilities, every class counting alike, and how they compare.

    Parameters
    ----------
    part : TrainingPart
        The samples.
    held_out : HeldOut
        What the folds said of them.
    """

    def __init__(self, part: TrainingPart, held_out: HeldOut) -> None:
        self._part, self._held_out = part, held_out
        self._calibrations = {candidate: calibrated(part, scores) for candidate, scores in held_out.scores.items()}
        in_all = np.concatenate(list(held_out.scores.values()), axis=1)
        self.seen = np.flatnonzero(np.isfinite(in_all).all(axis=1))
        """Samples that every candidate has finite scores of: comparisons are made on them."""
        self._loss = {candidate: self._losses(candidate, self.seen) for candidate in held_out.scores}
        self._factors, self._weights = self._class_factors(self.seen), part.weights[self.seen]

    def results(self) -> dict[str, np.ndarray]:
        """Held-out loss and error of every candidate, as columns of a table."""
        rows: list[dict[str, Any]] = []
        for candidate, scores in self._held_out.scores.items():
            seen = np.flatnonzero(~np.isnan(scores).any(axis=1))
            codes, weights = self._part.codes[seen], self._part.weights[seen]
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

    def is_surely_better(self, one: Candidate, other: Candidate) -> bool:
        """True if the loss of one is smaller than that of the other by three standard errors."""
        return -self.gap(one, other) > _SURE * self.uncertainty(one, other)

    def best(self, rivals: Sequence[Candidate]) -> Candidate:
        """The candidate of least loss, ties to the fewest rounds."""
        return min(rivals, key=lambda c: (self.gap(c, rivals[0]), c.rounds))

    def surely_best(self, rivals: Sequence[Candidate]) -> Candidate:
        """Among the same terms: the usual candidate (of two penalties the better), unless one surely beats it."""
        usual = self.best([c for c in rivals if c.rounds == _usual(rivals).rounds])
        better = [c for c in rivals if self.is_surely_better(c, usual)]
        return self.best(better) if better else usual

    def _logits(self, candidate: Candidate, rows: np.ndarray) -> np.ndarray:
        calibration = self._calibrations[candidate]
        return calibration.temperature * (self._held_out.scores[candidate][rows] + calibration.offsets)

    def _losses(self, candidate: Candidate, rows: np.ndarray) -> np.ndarray:
        """Minus the log-probability of the own class; never more than at a probability of 1e-5."""
        logs = log_softmax(self._logits(candidate, rows), axis=1)[np.arange(rows.size), self._part.codes[rows]]
        return -np.maximum(logs, np.log(1e-5))

    def _class_factors(self, rows: np.ndarray) -> np.ndarray:
        """Factors on the weights of samples that make every class count alike."""
        codes = self._part.codes[rows]
        totals = np.bincount(codes, self._part.weights[rows], self._part.n_classes)
        return (totals.sum() / self._part.n_classes / np.where(totals > 0, totals, 1.0))[codes]


def calibrated(part: TrainingPart, scores: np.ndarray, priors: np.ndarray | None = None) -> Calibration:
    """Factor and offsets that make held-out scores the best probabilities under some priors; None: classes alike."""
    seen = np.isfinite(scores).all(axis=1)
    return fit_calibration(scores[seen], part.codes[seen], part.weights[seen], priors)


def choose(judged: Judged, wanted: Sequence[Candidate], rule: str, *, wide: bool) -> Candidate:
    """Linear terms, and in a wide table the usual rounds, unless others have the lower loss by three standard errors.

    Candidates are judged by the loss of their calibrated probabilities: otherwise a weak penalty would win by being
    confident. Where samples are few the candidate of least loss is mostly one that was lucky, so the difference must
    be three standard errors. The usual number of rounds is 50, or what a bound on the panels leaves room for. In a
    table that is not wide, where the usual rounds would use up the features, the rounds of least loss are taken.
    ``rule="1se"``: the fewest rounds within one standard error of the chosen candidate.
    """
    if not judged.seen.size:
        return _usual(wanted)
    of_kinds = [
        judged.surely_best(rivals) if wide else judged.best(rivals)
        for kind in drafting.TERMS
        if (rivals := [candidate for candidate in wanted if candidate.terms == kind])
    ]
    best = of_kinds[0]  # the linear ones, if they take part
    other = min(of_kinds, key=lambda c: judged.gap(c, best))
    if judged.is_surely_better(other, best):
        best = other
    if rule == "min":
        return best
    alike = [c for c in wanted if (c.terms, c.penalty) == (best.terms, best.penalty)]
    return min((c for c in alike if judged.gap(c, best) <= judged.uncertainty(c, best)), key=lambda c: c.rounds)


def _usual(rivals: Sequence[Candidate]) -> Candidate:
    """The first candidate with the usual number of rounds, or the nearest to it that there is."""
    return min(rivals, key=lambda c: abs(c.rounds - USUAL))
