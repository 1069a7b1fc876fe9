"""Candidates among which cross-validation chooses: kinds of terms, regressions, numbers of rounds and penalties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from disjoint_centroids.panels import drafting

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


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way of fitting.

    Attributes
    ----------
    terms : str
        Kind of terms.
    regression : str
        "ridge" or "logistic".
    rounds : int
        Features per class.
    penalty : float
        Ridge penalty of the final fit.
    overdraft : int
        How many times longer the draft is at first.
    """

    terms: drafting.TermsKind
    regression: str
    rounds: int
    penalty: float
    overdraft: int = 1

    @property
    def family(self) -> tuple[str, str]:
        """Terms and regression: candidates of a family differ in rounds and penalty."""
        return self.terms, self.regression


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
    least_rounds : int, default=1
        Rounds that every class needs to have as many features as it must have.
    """

    terms: Sequence[str]
    regression: str | None
    rounds: int | None
    penalty: float | None
    most_rounds: int
    wide: bool
    overdraft: int | None
    least_rounds: int = 1


def list_candidates(options: Options, n_samples: int) -> list[Candidate]:
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
            else rounds_to_try(kind, options.most_rounds, wide=options.wide, least=options.least_rounds)
        )
        found += [Candidate(kind, regression, size, value, overdraft) for value in penalties for size in sizes]
    return found


def _takes_part(kind: str, regression: str, given: str | None, n_samples: int) -> bool:
    if kind != "linear":
        return True
    if given is not None:
        return regression == given
    return regression == "ridge" or n_samples >= MANY_SAMPLES


def rounds_to_try(kind: drafting.TermsKind, most: int, *, wide: bool, least: int = 1) -> list[int]:
    """Numbers of rounds to try, from the least that is asked for to the most that table and rules leave room for.

    In a wide table squared terms are tried in short panels only:
    they take long to fit, and have never been the better ones with more features per class.
    """
    tried = ROUNDS if wide else FINE_ROUNDS
    most = min(most, max(SHORT if kind != "linear" and wide else DEFAULT_ROUNDS, least))
    sizes = sorted({size for size in tried if least <= size <= most} | {most})
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
