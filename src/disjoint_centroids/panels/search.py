"""Choice of terms, regression, rounds and penalty by the loss of every candidate on samples that were held out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.special import log_softmax

from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.calibration import Calibration, fit_calibration
from disjoint_centroids.panels.model import PanelModel
from disjoint_centroids.panels.path import Candidate, Path
from disjoint_centroids.panels.training_parts import Parts
from disjoint_centroids.rows.folds import Fold

ROUNDS = (1, 2, 3, 5, 7, 10, 14, 20, 30, 50)
"""Numbers of rounds that "auto" tries in a wide table, where others must be better than the default by a margin."""

FINE_ROUNDS = (*range(1, 11), 12, 14, 17, 20, 25, 30, 40, 50)
"""Numbers of rounds that "auto" tries in other tables, where the number of least loss is taken."""

PENALTIES: dict[tuple[drafting.TermsKind, str], tuple[float, ...]] = {
    ("linear", "ridge"): (2.0, 0.3, 0.05),
    ("linear", "logistic"): (0.01, 0.001),
    ("squared", "logistic"): (0.5, 20.0),
    ("both", "logistic"): (0.5, 0.005),
}
"""Penalties that "auto" tries, by family of candidates; the first is the default one.

Chosen on the design sets of the real-data benchmark and on the paper's simulations.
"""

DEFAULT_ROUNDS = 50
"""Default number of rounds: kept unless another is better by four standard errors.

A long panel is safer than a choice by few samples.
"""

SHORT, SHORT_OVERDRAFT = 20, 2
"""Panels of up to 20 features per class are drafted twice as long and cut back, which makes them better."""

MANY_SAMPLES = 500
"""Number of samples from which logistic regression on linear terms is tried beside ridge regression."""

FEW_CLASSES = 8
"""Number of classes up to which both ways of reading are tried in a table that is not wide; with more, all panels."""

_SMALLEST = 5  # with room for ten rounds or more, fewer than this many are not tried
_N_ERRORS = 4.0
"""Standard errors by which other candidates must beat the default ones.

Dozens of candidates are compared, and with few samples the standard error of a gap is itself uncertain. Chosen on the
design sets of the real-data benchmark.
"""
_MUCH_WORK = 1e7  # samples times classes times features: beyond this, squared terms are tried at one size only


@dataclass(frozen=True, slots=True)
class Options:
    """Choices that the parameters leave open: terms and regressions to try, and what is given.

    Attributes
    ----------
    terms : sequence of str
        Kinds of terms to try.
    regression : {"ridge", "logistic"} or None
        Regression on linear terms; None: both, logistic only with many samples.
    rounds : int or None
        Number of rounds; None: to be chosen.
    penalty : float or None
        Penalty; None: to be chosen.
    most_rounds : int
        Rounds after which no class can pick any more.
    wide : bool
        True if the table has more features per class than the default number of rounds would use up.
    overdraft : int or None
        Factor on the rounds of the draft; None: by the length of the panels.
    """

    terms: Sequence[str]
    regression: str | None
    rounds: int | None
    penalty: float | None
    most_rounds: int
    wide: bool
    overdraft: int | None


def candidates(options: Options, n_samples: int) -> list[Candidate]:
    """List all candidates that may be tried; a parameter that the user gave is not varied."""
    longest = options.most_rounds if options.rounds is None else options.rounds
    by_itself = SHORT_OVERDRAFT if longest <= SHORT else 1
    found = []
    for kind, regression in PENALTIES:
        if kind not in options.terms or not _takes_part(kind, regression, options.regression, n_samples):
            continue
        overdraft = (by_itself if kind == "linear" else 1) if options.overdraft is None else options.overdraft
        penalties = PENALTIES[kind, regression] if options.penalty is None else (options.penalty,)
        sizes = (
            [options.rounds]
            if options.rounds is not None
            else rounds_to_try(kind, options.most_rounds, wide=options.wide)
        )
        found += [Candidate(kind, regression, size, value, overdraft) for value in penalties for size in sizes]
    return found


def _takes_part(kind: str, regression: str, given: str | None, n_samples: int) -> bool:
    if kind != "linear":
        return True
    if given is not None:
        return regression == given
    return regression == "ridge" or n_samples >= MANY_SAMPLES


def rounds_to_try(kind: drafting.TermsKind, most: int, *, wide: bool) -> list[int]:
    """Numbers of rounds to try, up to the most that the table and the rules leave room for.

    In a wide table squared terms are tried in short panels only:
    they take long to fit, and have never been the better ones with more features per class.
    """
    tried = ROUNDS if wide else FINE_ROUNDS
    most = min(most, SHORT if kind != "linear" and wide else DEFAULT_ROUNDS)
    sizes = sorted({size for size in tried if size <= most} | {most})
    return [size for size in sizes if size >= _SMALLEST] if most >= 2 * _SMALLEST else sizes


def most_rounds(rules: drafting.Rules) -> int:
    """Rounds after which no class can pick any more."""
    return max(1, min(room(rules), -(-rules.in_all // len(rules.forced)), rules.per_class))


def room(rules: drafting.Rules) -> int:
    """Rounds after which the allowed features are used up, whatever the bounds."""
    return -(-int(rules.allowed.sum()) // len(rules.forced))


def is_wide(rules: drafting.Rules) -> bool:
    """True if the table has more allowed features per class than the default number of rounds would use up."""
    return room(rules) > DEFAULT_ROUNDS


@dataclass(frozen=True, slots=True)
class Samples:
    """Samples to judge by: their classes, and weights as counts."""

    codes: np.ndarray
    weights: np.ndarray
    n_classes: int


class HeldOut:
    """Scores of samples by the models of the folds that held them out, computed for candidates as they are asked for.

    Parameters
    ----------
    path : Path
        Drafts of all training parts.
    n_jobs : int or None
        Threads for the folds.

    Attributes
    ----------
    scores : dict
        For each candidate (n_times, n_samples, n_classes), with n_times the number of folds that hold a sample out: 1,
        or as many as folds are repeated. NaN where a sample was held out fewer times, -inf for a class that the
        training part of the fold did not have.
    models : dict
        For each candidate its model in every fold.
    """

    def __init__(self, path: Path, n_jobs: int | None = None) -> None:
        self.path, self._n_jobs = path, n_jobs
        self.folds = path.parts.division.folds
        self._times = _times_held_out(self.folds, path.parts.division.codes.size)
        self.scores: dict[Candidate, np.ndarray] = {}
        self.models: dict[Candidate, list[PanelModel]] = {}

    def add(self, wanted: Sequence[Candidate], tick: Callable[[], None] = lambda: None) -> None:
        """Fit candidates in every fold; each fit starts from the one before, panels only growing."""
        self.path.prepare(wanted)
        division = self.path.parts.division
        n_times = max((int(times.max(initial=0)) for times in self._times), default=0) + 1
        shape = (n_times, division.codes.size, division.balance.size)
        for candidate in wanted:
            self.scores[candidate] = np.full(shape, np.nan)
            self.models[candidate] = []
        pool = Parallel(n_jobs=self._n_jobs, prefer="threads", return_as="generator")
        fits = pool(delayed(self._fit_fold)(at, wanted) for at in range(len(self.folds)))
        for at, models in enumerate(fits):
            known, test = self.path.standard(at).known, division.held_out(at)
            for candidate, model in zip(wanted, models, strict=True):
                self.scores[candidate][self._times[at][test], test] = widened(self._score(model, test), known)
                self.models[candidate].append(model)
            tick()

    def _fit_fold(self, at: int, wanted: Sequence[Candidate]) -> list[PanelModel]:
        found: dict[Candidate, PanelModel] = {}
        starts: dict[tuple[str, str], drafting.Coefficients] = {}
        for candidate in sorted(wanted, key=lambda c: (c.rounds, -c.penalty)):
            line = candidate.family
            found[candidate], starts[line] = self.path.fit(at, candidate, start=starts.get(line))
        return [found[candidate] for candidate in wanted]

    def _score(self, model: PanelModel, rows: np.ndarray) -> np.ndarray:
        return model.scores_of(self.standardised(model, rows))

    def standardised(self, model: PanelModel, rows: np.ndarray) -> np.ndarray:
        """Standardised values of the features of a model in some of the samples that are kept."""
        z: np.ndarray = (self.path.parts.columns(rows, model.features) - model.center) / model.scale
        return z


def _times_held_out(folds: Sequence[Fold], n_samples: int) -> list[np.ndarray]:
    """For every fold, the number of earlier folds that held out each sample, (n_samples,)."""
    found, so_far = [], np.zeros(n_samples, dtype=np.intp)
    for _, test in folds:
        found.append(so_far.copy())
        so_far[test] += 1
    return found


def last_scores(scores: np.ndarray) -> np.ndarray:
    """Scores (n_samples, n_classes) of every sample by the last of the folds that held it out."""
    last = np.maximum((~np.isnan(scores).any(axis=2)).sum(axis=0) - 1, 0)
    return scores[last, np.arange(scores.shape[1])]


def widened(scores: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Scores with -inf for classes that are not known."""
    scores[:, ~known] = -np.inf
    return scores


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
        self._loss: dict[Candidate, np.ndarray] = {}
        self.reference: Candidate | None = None
        """The candidate that ``rule="min"`` takes, once it is known."""

    @property
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
        return float(np.average(gaps, weights=self._factors() * self._weights()))

    def uncertainty(self, one: Candidate, other: Candidate) -> float:
        """Standard error of that gap."""
        gaps = self._loss_of(one) - self._loss_of(other) - self.gap(one, other)
        factors, weights = self._factors(), self._weights()
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
        default = _default(rivals)
        better = [c for c in rivals if self.beats(c, default)]
        return self.best(better) if better else default

    def _factors(self) -> np.ndarray:
        return self._class_factors(self.seen)

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
            self._calibrations[candidate] = calibrated(self._samples, scores)
        calibration = self._calibrations[candidate]
        return calibration.temperature * (scores + calibration.offsets)

    def _losses(self, candidate: Candidate, counted: np.ndarray) -> np.ndarray:
        """Minus the log-probability of each sample's class, which counts as 1e-5 at least, over the times ``counted``.

        ``counted`` is a mask of shape (n_times, n_samples).
        """
        logits, codes = self._logits(candidate), self._samples.codes
        losses = np.zeros(counted.shape)
        times, rows = np.nonzero(counted)
        logs = log_softmax(logits[times, rows], axis=1)[np.arange(rows.size), codes[rows]]
        losses[times, rows] = -np.maximum(logs, np.log(1e-5))
        return _mean_over_times(losses, counted)

    def _class_factors(self, rows: np.ndarray) -> np.ndarray:
        """Factors on the weights of samples that make every class count alike."""
        codes, k = self._samples.codes[rows], self._samples.n_classes
        totals = np.bincount(codes, self._samples.weights[rows], k)
        return (totals.sum() / k / np.where(totals > 0, totals, 1.0))[codes]


@dataclass(frozen=True, slots=True)
class How:
    """Settings of a search.

    Attributes
    ----------
    own : bool
        True if a class reads its own panel only.
    class_weights : array of shape (n_classes,) or None
        Weight of each class in logistic regressions.
    rule : str
        "min" or "1se".
    wide : bool
        True if the table is wide.
    n_jobs : int or None
        Threads for the folds.
    tick : callable
        Called after every round and fold.
    """

    own: bool
    class_weights: np.ndarray | None
    rule: str
    wide: bool
    n_jobs: int | None
    tick: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Found:
    """Outcome of a search: the candidate chosen, its held-out loss, and the results of all.

    Attributes
    ----------
    own : bool
        True if a class reads its own panel only.
    held_out : HeldOut
        Models and scores of the folds.
    chosen : Candidate
        The candidate.
    results : dict of arrays
        Losses and errors of all candidates.
    loss : float
        Held-out loss of the chosen one; NaN if nothing was held out.
    """

    own: bool
    held_out: HeldOut
    chosen: Candidate
    results: dict[str, np.ndarray]
    loss: float


def search(parts: Parts, wanted: Sequence[Candidate], rules: drafting.Rules, samples: Samples, how: How) -> Found:
    """Draft from all training parts, and choose a candidate by the samples that were held out."""
    path = Path(parts, wanted, rules, own=how.own, class_weights=how.class_weights, tick=how.tick)
    held_out = HeldOut(path, how.n_jobs)
    judged = Judged(samples, held_out)
    chosen = choose(judged, held_out, wanted, how.rule, wide=how.wide, tick=how.tick)
    results = judged.results()
    at = list(held_out.scores).index(chosen)
    return Found(how.own, held_out, chosen, results, float(results["loss"][at]))


def calibrated(samples: Samples, scores: np.ndarray, priors: np.ndarray | None = None) -> Calibration:
    """Factor and offsets that make held-out scores the best probabilities under some priors; None: classes alike.

    A sample that was held out several times weighs as much as one that was held out once.
    """
    finite = np.isfinite(scores).all(axis=2)
    times, rows = np.nonzero(finite)
    weights = samples.weights[rows] / finite.sum(axis=0)[rows]
    return fit_calibration(scores[times, rows], samples.codes[rows], weights, priors)


def _mean_over_times(values: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Mean of what is counted of each sample; both arrays are (n_times, n_samples)."""
    found: np.ndarray = np.where(counted, values, 0.0).sum(axis=0) / np.maximum(counted.sum(axis=0), 1)
    return found


def choose(
    judged: Judged,
    held_out: HeldOut,
    wanted: Sequence[Candidate],
    rule: str,
    *,
    wide: bool,
    tick: Callable[[], None] = lambda: None,
) -> Candidate:
    """Choose a candidate by its held-out loss.

    Terms are linear and fitted by ridge regression, and in a wide table the rounds are the default ones, unless others
    have the lower loss by four standard errors: where samples are few, the candidate of least loss is mostly there by
    chance. The default number of rounds is 50, or as many as a bound on the panels leaves room for. In a table that is
    not wide, where the default would use all features, the rounds of least loss are taken. The loss is that of
    calibrated probabilities, because otherwise a weak penalty would win by its large scores. With ``rule="1se"`` the
    choice is the fewest rounds within one standard error of that candidate.
    """
    linear: Candidate | None = None
    others: list[Candidate] = []
    for _, group in groupby(wanted, key=lambda c: c.family):
        family = list(group)
        if linear is not None:
            family = _worth_trying(family, linear, judged, held_out)
            if not family:
                continue
        held_out.add([c for c in family if c not in held_out.scores], tick)
        if not judged.seen.size:
            return _default(wanted)
        rival = judged.default_unless_beaten(family) if wide else judged.best(family)
        if rival.terms != "linear":
            others.append(rival)
        elif linear is None or judged.gap(rival, linear) < 0.0:
            # Logistic regression is tried with many samples only, and must have the lower loss.
            linear = rival
    best = judged.best(others) if others else linear
    assert best is not None
    if linear is not None and others and not judged.beats(best, linear):
        best = linear
    judged.reference = best
    if rule == "min":
        return best
    alike = [
        c for c in held_out.scores if (c.terms, c.regression, c.penalty) == (best.terms, best.regression, best.penalty)
    ]
    return min((c for c in alike if judged.gap(c, best) <= judged.uncertainty(c, best)), key=lambda c: c.rounds)


def _worth_trying(family: list[Candidate], best: Candidate, judged: Judged, held_out: HeldOut) -> list[Candidate]:
    """Candidates of a family that are fitted in full.

    Logistic regression on linear terms is tried at the rounds of the best so far only. So are squared terms where fits
    take long; there they are tried in short panels first, beside linear ones of the same length, and not at all if they
    are not better there.
    """
    division = held_out.path.parts.division
    n_classes = division.balance.size
    work = division.codes.size * n_classes**2 * sum(c.rounds for c in family)
    if family[0].terms != "linear" and work <= _MUCH_WORK:
        return family
    if family[0].terms != "linear":
        shortest = min(c.rounds for c in family)
        short = [c for c in family if c.rounds == shortest]
        linear = Candidate("linear", "logistic", shortest, PENALTIES["linear", "logistic"][0], best.overdraft)
        held_out.add([c for c in (linear, *short) if c not in held_out.scores])
        if not any(judged.beats(c, linear) for c in short):
            return []
    nearest = min({c.rounds for c in family}, key=lambda rounds: abs(rounds - best.rounds))
    return [c for c in family if c.rounds == nearest]


def _default(rivals: Sequence[Candidate]) -> Candidate:
    """First candidate with the default number of rounds, or with the number nearest to it."""
    return min(rivals, key=lambda c: abs(c.rounds - DEFAULT_ROUNDS))
