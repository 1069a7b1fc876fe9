"""Which terms, how many rounds, which penalty: chosen by what every candidate says of samples it was not fitted on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.special import log_softmax

from disjoint_centroids import engine
from disjoint_centroids.panel.model import PanelModel
from disjoint_centroids.panel.path import Candidate, TrainingPart, fit_candidates

Fold = tuple[np.ndarray, np.ndarray]

ROUNDS = (1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100)
PENALTIES: dict[engine.Terms, tuple[float, ...]] = {"linear": (0.5,), "squared": (0.5,), "both": (0.5, 0.005)}
"""What "auto" tries. Chosen on the design sets of the real-data benchmark and on the paper's simulations."""

USUAL = 50
"""Rounds that are taken unless others are surely better: long panels are safer than a choice by few samples."""

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
    """

    folds: list[Fold]
    scores: dict[Candidate, np.ndarray]
    models: dict[Candidate, list[tuple[PanelModel, np.ndarray]]]


def candidates(
    terms: Sequence[str], rounds: int | None, penalty: float | None, most_rounds: int, overdraft: int = 1
) -> list[Candidate]:
    """Everything to be tried; a parameter that the user gave is not varied."""
    return [
        Candidate(kind, size, value, overdraft)
        for kind in engine.TERMS
        if kind in terms
        for value in (PENALTIES[kind] if penalty is None else (penalty,))
        for size in ([rounds] if rounds is not None else rounds_to_try(kind, most_rounds))
    ]


def rounds_to_try(kind: engine.Terms, most: int) -> list[int]:
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
    rules: engine.Rules,
    *,
    n_jobs: int | None = None,
    tick: Callable[[], None] = lambda: None,
) -> HeldOut:
    """Fit every candidate on the training part of every fold, and score what it held out."""
    scores = {candidate: np.full((part.codes.size, part.n_classes), np.nan) for candidate in wanted}
    models: dict[Candidate, list[tuple[PanelModel, np.ndarray]]] = {candidate: [] for candidate in wanted}
    pool = Parallel(n_jobs=n_jobs, return_as="generator")
    fits = pool(delayed(_fit_fold)(part, train, wanted, rules) for train, _ in folds)
    for (_, test), (found, known) in zip(folds, fits, strict=True):
        for candidate, model in found.items():
            scores[candidate][test] = widened(model.scores(part.values[test]), known, part.n_classes)
            models[candidate].append((model, known))
        tick()
    return HeldOut(folds, scores, models)


def _fit_fold(
    part: TrainingPart, train: np.ndarray, wanted: Sequence[Candidate], rules: engine.Rules
) -> tuple[dict[Candidate, PanelModel], np.ndarray]:
    known, codes = np.unique(part.codes[train], return_inverse=True)
    inner = TrainingPart(part.values[train], codes, part.weights[train], known.size)
    return fit_candidates(inner, wanted, for_classes(rules, known)).models, known


def for_classes(rules: engine.Rules, known: np.ndarray) -> engine.Rules:
    """The rules where only some classes play."""
    return replace(rules, forced=tuple(rules.forced[j] for j in known))


def widened(scores: np.ndarray, known: np.ndarray, n_classes: int) -> np.ndarray:
    """Scores of some classes as scores of all, -inf for those that are not known."""
    wide = np.full((len(scores), n_classes), -np.inf)
    wide[:, known] = scores
    return wide


def losses(scores: np.ndarray, codes: np.ndarray, temperature: float) -> np.ndarray:
    """Minus the log-probability of the own class; never more than at a probability of 1e-5."""
    logs = log_softmax(temperature * scores, axis=1)[np.arange(codes.size), codes]
    return -np.maximum(logs, np.log(1e-5))


def most_rounds(rules: engine.Rules) -> int:
    """Rounds after which no class can pick any more."""
    n_classes = len(rules.forced)
    available = min(int(rules.allowed.sum()), rules.in_all)
    return max(1, min(-(-available // n_classes), rules.per_class))


def temperature(part: TrainingPart, scores: np.ndarray, priors: np.ndarray | None = None) -> float:
    """The factor that makes held-out scores the best log-probabilities; 1 if nothing was held out."""
    seen = np.isfinite(scores).all(axis=1)
    scores = scores[seen]
    if not len(scores):
        return 1.0
    below = scores.max(axis=1, keepdims=True) - scores
    log_priors = None if priors is None else np.log(priors)
    return engine.fit_temperature(below, part.codes[seen], part.weights[seen], log_priors)


def results(part: TrainingPart, held_out: HeldOut) -> dict[str, np.ndarray]:
    """Held-out loss and error of every candidate, as columns of a table."""
    rows: list[dict[str, Any]] = []
    for candidate, scores in held_out.scores.items():
        seen = ~np.isnan(scores).any(axis=1)
        codes, weights = part.codes[seen], part.weights[seen]
        loss = error = np.nan
        if codes.size:
            loss = np.average(losses(scores[seen], codes, temperature(part, scores)), weights=weights)
            error = np.average(scores[seen].argmax(axis=1) != codes, weights=weights)
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


def choose(part: TrainingPart, held_out: HeldOut, rule: str) -> Candidate:
    """Linear terms, and in a wide table the usual rounds, unless held-out samples surely speak for others.

    Candidates are judged by the loss of their probabilities, at the temperature that fits the held-out samples best:
    otherwise a weak penalty would win by being confident. Where samples are few the candidate of least loss is mostly
    one that was lucky, so the difference must be three standard errors. In a table that is not wide, where the usual
    rounds would use up the features, the rounds of least loss are taken. ``rule="1se"``: the fewest rounds within one
    standard error of the chosen candidate.
    """
    seen = np.flatnonzero(np.isfinite(np.concatenate(list(held_out.scores.values()), axis=1)).all(axis=1))
    if not seen.size:
        return _usual(list(held_out.scores))
    judged = _Judged(part, held_out, seen)
    # Where the usual number of rounds would use up the features, a long panel is not the safe choice.
    is_wide = any(candidate.rounds > USUAL for candidate in held_out.scores)
    of_kinds = [
        judged.surely_best(rivals) if is_wide else judged.best(rivals)
        for kind in engine.TERMS
        if (rivals := [candidate for candidate in held_out.scores if candidate.terms == kind])
    ]
    best = of_kinds[0]  # the linear ones, if they take part
    other = min(of_kinds, key=lambda c: judged.gap(c, best))
    if judged.is_surely_better(other, best):
        best = other
    if rule == "min":
        return best
    alike = [c for c in held_out.scores if (c.terms, c.penalty) == (best.terms, best.penalty)]
    return min((c for c in alike if judged.gap(c, best) <= judged.uncertainty(c, best)), key=lambda c: c.rounds)


def _usual(rivals: Sequence[Candidate]) -> Candidate:
    """The first candidate with the usual number of rounds, or the nearest to it that there is."""
    return min(rivals, key=lambda c: abs(c.rounds - USUAL))


class _Judged:
    """Held-out losses of all candidates, and how sure their differences are."""

    def __init__(self, part: TrainingPart, held_out: HeldOut, seen: np.ndarray) -> None:
        self.weights = part.weights[seen]
        codes = part.codes[seen]
        self.loss = {
            candidate: losses(scores[seen], codes, temperature(part, scores))
            for candidate, scores in held_out.scores.items()
        }

    def gap(self, one: Candidate, other: Candidate) -> float:
        """How much larger the mean loss of one candidate is than that of another."""
        return float(np.average(self.loss[one] - self.loss[other], weights=self.weights))

    def uncertainty(self, one: Candidate, other: Candidate) -> float:
        """The standard error of that gap."""
        gaps = self.loss[one] - self.loss[other]
        spread = np.average((gaps - self.gap(one, other)) ** 2, weights=self.weights)
        return float(np.sqrt(spread / self.weights.sum()))

    def is_surely_better(self, one: Candidate, other: Candidate) -> bool:
        """Whether the loss of one is smaller than that of the other by more than chance."""
        return -self.gap(one, other) > _SURE * self.uncertainty(one, other)

    def best(self, rivals: Sequence[Candidate]) -> Candidate:
        """The candidate of least loss, ties to the fewest rounds."""
        return min(rivals, key=lambda c: (self.gap(c, rivals[0]), c.rounds))

    def surely_best(self, rivals: Sequence[Candidate]) -> Candidate:
        """Among the same terms: the usual candidate (of two penalties the better), unless one surely beats it."""
        usual = self.best([c for c in rivals if c.rounds == _usual(rivals).rounds])
        better = [c for c in rivals if self.is_surely_better(c, usual)]
        return self.best(better) if better else usual
