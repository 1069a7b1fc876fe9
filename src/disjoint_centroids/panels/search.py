"""Choice of terms, regression, rounds and penalty by the loss of every candidate on samples that were held out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.candidates import PENALTIES, Candidate
from disjoint_centroids.panels.held_out import HeldOut, Samples
from disjoint_centroids.panels.judged import Judged, default_of
from disjoint_centroids.panels.path import Path
from disjoint_centroids.panels.training_parts import Parts

_MUCH_WORK = 1e7  # samples times classes times features: beyond this, squared terms are tried at one size only


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
    n_threads : int
        Threads for the folds.
    tick : callable
        Called after every round and fold.
    """

    own: bool
    class_weights: np.ndarray | None
    rule: str
    wide: bool
    n_threads: int
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


def joined_results(searches: Sequence[Found], best: Found) -> dict[str, np.ndarray]:
    """Results of all candidates of several searches, with a column ``reads``.

    Standard errors of gaps are known within the best search only, and missing in the others.
    """
    tables = []
    for one in searches:
        table = {"reads": np.full(one.results["loss"].size, "own" if one.own else "all")} | one.results
        if one is not best and "gap_error" in table:
            table["gap_error"] = np.full(table["loss"].size, np.nan)
        tables.append(table)
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}


def search(parts: Parts, wanted: Sequence[Candidate], rules: drafting.Rules, samples: Samples, how: How) -> Found:
    """Draft from all training parts, and choose a candidate by the samples that were held out."""
    path = Path(parts, wanted, rules, own=how.own, class_weights=how.class_weights, tick=how.tick)
    held_out = HeldOut(path, how.n_threads)
    judged = Judged(samples, held_out)
    chosen = choose(judged, held_out, wanted, how.rule, wide=how.wide, tick=how.tick)
    results = judged.results()
    at = list(held_out.scores).index(chosen)
    return Found(how.own, held_out, chosen, results, float(results["loss"][at]))


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
            return default_of(wanted)
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
    alike = [c for c in wanted if (c.terms, c.regression, c.penalty) == (best.terms, best.regression, best.penalty)]
    held_out.add([c for c in alike if c not in held_out.scores])  # of some families, other rounds were not tried
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
