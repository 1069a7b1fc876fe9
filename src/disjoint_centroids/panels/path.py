"""Fits of all candidates on one training set: one draft per kind of terms, and along it fits at every penalty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.model import PanelModel, as_model
from disjoint_centroids.rows.training import TrainingSet

DRAFT_PENALTY = 0.5
"""Penalty of the regressions that guide the picks, in units of the number of samples.

It is strong, so that a class also picks features that are correlated with those it has: their mean is less noisy than
one of them alone.
"""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way of fitting: kind of terms, number of rounds, penalty, and how many times longer the draft is at first."""

    terms: drafting.TermsKind
    rounds: int
    penalty: float
    overdraft: int = 1


def balanced_weights(codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Scale sample weights so that every class has the same sum, and all classes together the sum they had."""
    totals = np.bincount(codes, weights)
    return weights * (weights.sum() / totals.size / totals)[codes]


def as_counts(weights: np.ndarray) -> np.ndarray:
    """Turn sample weights into numbers of samples: whole numbers are kept, others are scaled to a mean of one.

    Calibration and prediction sets count samples: weights such as 1/n would count as a single sample in all.
    """
    if (weights == np.round(weights)).all():
        return weights
    return weights / weights.mean()


@dataclass(frozen=True, slots=True)
class Fits:
    """Model of every candidate, and the standardisation of features that they share."""

    models: dict[Candidate, PanelModel]
    standard: drafting.Standard


def fit_candidates(
    training: TrainingSet, candidates: Sequence[Candidate], rules: drafting.Rules, *, slope: float = drafting.ROUGH
) -> Fits:
    """Fit every candidate; those with the same terms share a draft, and each fit starts from the next smaller one."""
    codes, balanced = training.codes, balanced_weights(training.codes, training.weights)
    columns = drafting.columns_of(training.values, codes, training.weights)
    learned = drafting.panel_columns("both", columns, balanced)
    models: dict[Candidate, PanelModel] = {}
    for kind, penalty in sorted({(c.terms, _draft_penalty(c)) for c in candidates}):
        wanted = sorted(
            (c for c in candidates if (c.terms, _draft_penalty(c)) == (kind, penalty)),
            key=lambda c: (-c.penalty, c.rounds),
        )
        terms = replace(learned, kind=kind)
        n_rounds = max(c.rounds * c.overdraft for c in wanted)
        longer = replace(rules, per_class=rules.per_class * max(c.overdraft for c in wanted))
        drafted = drafting.draft(
            columns, terms, training.codes, balanced, rules=longer, n_rounds=n_rounds, penalty=penalty
        )
        matrices = [terms.of_class(j, columns.dense(picks), picks) for j, picks in enumerate(drafted.picks)]
        fit = _fitter(kind, codes, balanced)
        places = _places(wanted, drafted, matrices, terms, balanced, fit, rules.per_class)
        start = None
        for candidate in wanted:
            own = places[candidate.rounds]
            if kind == "linear" and candidate.overdraft == 1:
                found = drafted.scores(candidate.rounds)  # the draft's own regression
            else:
                cut = [m[:, drafting.columns_at(p, terms.per_feature)] for m, p in zip(matrices, own, strict=True)]
                start = _if_smaller(start, cut) if candidate.overdraft == 1 else None
                found = start = fit(cut, penalty=candidate.penalty, slope=slope, start=start)
            panels = tuple(picks[p] for picks, p in zip(drafted.picks, own, strict=True))
            models[candidate] = as_model(columns.standard, terms, panels, found)
    return Fits(models, columns.standard)


def _fitter(kind: drafting.TermsKind, codes: np.ndarray, weights: np.ndarray) -> Callable[..., drafting.Scores]:
    """Function from matrices, a penalty, a start and a tolerance to the scores of all classes."""

    def fit(
        matrices: list[np.ndarray], *, penalty: float, slope: float, start: drafting.Scores | None = None
    ) -> drafting.Scores:
        if kind == "linear":
            return drafting.fit_ridge(matrices, codes, weights, penalty=penalty)
        return drafting.fit_softmax(matrices, codes, weights, penalty=penalty, start=start, slope=slope)

    return fit


def _places(
    wanted: Sequence[Candidate],
    drafted: drafting.Draft,
    matrices: list[np.ndarray],
    terms: drafting.PanelColumns,
    weights: np.ndarray,
    fit: Callable[..., drafting.Scores],
    per_class: int,
) -> dict[int, tuple[np.ndarray, ...]]:
    """Positions of the picks that each class keeps, by number of rounds: the first ones, or those that a cut leaves."""
    sizes = [c.rounds for c in wanted]
    if all(c.overdraft == 1 for c in wanted):
        return {size: tuple(np.arange(panel.size) for panel in drafted.panels(size)) for size in sizes}
    rough = partial(fit, penalty=wanted[0].penalty, slope=drafting.ROUGH)
    n_forced = drafted.counts[0]
    sizes_of = {size: np.minimum(size + n_forced, per_class) for size in sizes}
    return drafting.cut_back(matrices, terms.per_feature, n_forced, sizes_of, weights, rough)


def _draft_penalty(candidate: Candidate) -> float:
    """Penalty of the draft: for linear terms, whose scores are those of the draft, that of the candidate."""
    return candidate.penalty if candidate.terms == "linear" else DRAFT_PENALTY


def _if_smaller(start: drafting.Scores | None, matrices: list[np.ndarray]) -> drafting.Scores | None:
    """Return ``start`` if it has no more columns than ``matrices``, so that a fit can begin there; else None."""
    if start is None or any(c.size > m.shape[1] for c, m in zip(start.coefficients, matrices, strict=True)):
        return None
    return start
