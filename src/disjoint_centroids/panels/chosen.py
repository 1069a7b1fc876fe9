"""Reason for the number of rounds of a fitted panel, as one sentence for the terminal, the report and charts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from disjoint_centroids.panels.design import read_rules
from disjoint_centroids.panels.search import DEFAULT_ROUNDS, is_wide, most_rounds, room

if TYPE_CHECKING:
    import pandas as pd

Reason = Literal[
    "given",
    "nothing held out",
    "only one",
    "only one allowed",
    "1se",
    "budget",
    "most allowed",
    "default",
    "better than default",
    "better than most allowed",
    "least loss",
]

_REASONS: dict[Reason, str] = {
    "given": ", as asked for",
    "nothing held out": "; no sample could be held out to compare other numbers by",
    "only one": ", the only number that the table leaves room for",
    "only one allowed": ", the most allowed",
    "1se": ", the fewest that do as well within one standard error (rule='1se')",
    "budget": ", as many as the budget allows",
    "most allowed": ", the most allowed",
    "default": ", the default number",
    "better than default": f", better than the default of {DEFAULT_ROUNDS} by three standard errors",
    "better than most allowed": ", better than the most allowed by three standard errors",
    "least loss": ", the number with the least held-out loss",
}
_KEPT = ("budget", "most allowed", "default")
_BY_FOLDS = ("1se", "better than default", "better than most allowed", "least loss")


@dataclass(frozen=True, slots=True)
class RoundsChoice:
    """Number of rounds of a fitted panel, and the reason for it.

    Attributes
    ----------
    rounds : int
        As fitted.
    reason : str
        "given" by the user; "nothing held out" to choose by; "only one" number tried, because of the table or because
        no other is "allowed"; the rule "1se"; the "default" number, or the "most allowed" by a bound or by the
        "budget", which stay unless another number is better by three standard errors; "better than" those; "least
        loss" of all, in a table where the default would use up the features.
    fewer : int or None
        The fewest rounds with a held-out loss no higher than that of the fitted ones, if these are not the fewest and
        give fewer features than the fitted panels have.
    lowest : int or None
        Rounds of least held-out loss, if those are others.
    size : str
        Features per class, in words.
    terms : str
        Kind of terms, and the reason for it.
    """

    rounds: int
    reason: Reason
    fewer: int | None
    lowest: int | None
    size: str
    terms: str
    terms_by_folds: bool

    @property
    def by_folds(self) -> bool:
        """True if held-out samples decided, so that their error is optimistic."""
        return self.reason in _BY_FOLDS or self.terms_by_folds

    @property
    def sentence(self) -> str:
        """Choice of the rounds in one sentence, without a full stop.

        Returns
        -------
        str
            Such as "50 features per class, the default number; 10 did as well or better: rule='1se'".
        """
        text = self.size + _REASONS[self.reason]
        if self.reason not in _KEPT:
            return text
        if self.fewer is not None:
            return f"{text}; {self.fewer} did as well or better: rule='1se'"
        if self.lowest is None:
            return f"{text}, and no other had a lower held-out loss"
        if self.lowest > self.rounds:
            return f"{text}; {self.lowest} had a lower held-out loss, but not by three standard errors"
        return text  # fewer rounds, which the budget makes no smaller panels of

    @property
    def as_good(self) -> str:
        """A few words for the mark of ``fewer`` in a chart."""
        return "as well or better"

    @property
    def mark(self) -> str:
        """A few words for the mark of ``rounds`` in a chart."""
        return {
            "default": "default",
            "given": "as asked for",
            "most allowed": "the most allowed",
            "only one allowed": "the most allowed",
            "budget": "as many as the budget allows",
            "1se": "rule 1se",
        }.get(self.reason, "chosen")


def rounds_choice(model: Any) -> RoundsChoice:
    """Find the reason for the number of rounds of a fitted panel.

    Parameters
    ----------
    model : DisjointPanelClassifier
        Fitted; its parameters, ``cv_results_`` and choices are read.

    Returns
    -------
    RoundsChoice
        Number, reason, and what did as well.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids import DisjointPanelClassifier
    >>> from disjoint_centroids.panels.chosen import rounds_choice
    >>> X, y = load_iris(return_X_y=True)
    >>> print(rounds_choice(DisjointPanelClassifier(rounds=1, random_state=0).fit(X, y)).sentence)
    1 feature per class, as asked for
    """
    tried = {name: np.asarray(column) for name, column in model.cv_results_.items()}
    alike = (tried["terms"] == model.terms_) & (tried["penalty"] == model.penalty_)
    rounds, loss = tried["rounds"][alike], tried["loss"][alike]
    own = loss[rounds == model.rounds_][0]
    sizes = [len(panel) for panel in model.feature_sets_]
    as_good = rounds[loss <= own]
    fewer = int(as_good.min()) if as_good.size and as_good.min() < min(model.rounds_, max(sizes)) else None
    lowest = None if np.isnan(own) else int(rounds[np.lexsort((rounds, loss))[0]])
    terms, terms_by_folds = _terms(model, np.unique(tried["terms"]).size > 1, held_out=not np.isnan(own))
    return RoundsChoice(
        int(model.rounds_),
        _reason(model, rounds, max(sizes), has_loss=not np.isnan(own)),
        fewer,
        None if lowest is None or loss[rounds == lowest][0] == own else lowest,
        _size(sizes),
        terms,
        terms_by_folds,
    )


def rounds_table(model: Any) -> pd.DataFrame:
    """Candidates of a fitted panel, as :meth:`DisjointPanelClassifier.rounds_table` describes them."""
    import pandas as pd

    results, choice, lines = pd.DataFrame(model.cv_results_), rounds_choice(model), []
    for terms, of_terms in results.groupby("terms", sort=False):
        several = of_terms["penalty"].nunique() > 1
        for penalty, rows in of_terms.groupby("penalty", sort=False):
            kind = _kind(str(terms))
            name = f"{kind}, penalty {penalty:g}" if several else kind
            lines.append(rows.sort_values("rounds", kind="stable").assign(line=name))
    table = pd.concat(lines, ignore_index=True)
    alike = (table["terms"] == model.terms_) & (table["penalty"] == model.penalty_)
    table["chosen"] = alike & (table["rounds"] == model.rounds_)
    table["mark"] = np.select(
        [table["chosen"], alike & (table["rounds"] == choice.fewer)], [choice.mark, choice.as_good], ""
    )
    return table[["line", "terms", "rounds", "penalty", "loss", "error", "chosen", "mark"]]


def _kind(terms: str) -> str:
    """Kind of terms, in words."""
    return "both kinds of terms" if terms == "both" else f"{terms} terms"


def _reason(model: Any, rounds: np.ndarray, longest: int, *, has_loss: bool) -> Reason:
    """Reason for the rounds of a model, by the rule of ``search.choose``; ``longest`` is its longest panel."""
    if model.rounds != "auto":
        return "given"
    if not has_loss:
        return "nothing held out"
    rules = read_rules(model, model.classes_, model.n_features_in_)
    most = most_rounds(rules)
    if rounds.size == 1:
        return "only one allowed" if most < room(rules) else "only one"
    if model.rule == "1se":
        return "1se"
    if not is_wide(rules):
        return "least loss"
    if model.rounds_ != min(most, DEFAULT_ROUNDS):
        return "better than default" if most >= DEFAULT_ROUNDS else "better than most allowed"
    if longest < model.rounds_:  # nothing else ends a draft in a wide table
        return "budget"
    return "default" if most >= DEFAULT_ROUNDS else "most allowed"


def _size(sizes: list[int]) -> str:
    """Features per class: all classes have as many as there were rounds, unless features or a bound ran out."""
    most = max(sizes)
    words = f"{most} feature{'' if most == 1 else 's'} per class"
    return words if min(sizes) == most else f"up to {words}"


def _terms(model: Any, several: bool, *, held_out: bool) -> tuple[str, bool]:
    """Kind of terms with the reason for it, and True if held-out samples decided."""
    name = _kind(model.terms_)
    if model.terms != "auto":
        return f"{name}, as asked for", False
    if not several or not held_out:
        return name, False
    if model.terms_ == "linear":
        return f"{name}, the default", False
    return f"{name}, better than linear ones by three standard errors", True
