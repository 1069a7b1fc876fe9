"""Reasons for the rounds, terms, regression and penalty of a fitted panel, as sentences for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from disjoint_centroids.panels.candidates import DEFAULT_ROUNDS, MANY_SAMPLES, is_wide, most_rounds, room
from disjoint_centroids.panels.design import given_features, read_rules, why_no_more

if TYPE_CHECKING:
    import pandas as pd

Reason = Literal[
    "given",
    "in all",
    "fewer in all",
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
    "in all": ", as asked for",
    "fewer in all": "",
    "nothing held out": "; no sample could be held out to compare other numbers by",
    "only one": ", the only number that the table leaves room for",
    "only one allowed": ", the most allowed",
    "1se": ", the fewest that do as well within one standard error (rule='1se')",
    "budget": ", as many as the budget allows",
    "most allowed": ", the most allowed",
    "default": ", the default number",
    "better than default": f", better than the default of {DEFAULT_ROUNDS} by four standard errors",
    "better than most allowed": ", better than the most allowed by four standard errors",
    "least loss": ", the number with the least held-out loss",
}
_KEPT = ("budget", "most allowed", "default")
_BY_FOLDS = ("1se", "better than default", "better than most allowed", "least loss")


@dataclass(frozen=True, slots=True)
class OtherRule:
    """Number of rounds that the other of the two rules would take.

    Attributes
    ----------
    rule : {"min", "1se"}
        The rule that was not asked for.
    rounds : int
        Its number of rounds.
    error : float
        Held-out error there.
    is_same : bool
        True if both rules take the same number.
    """

    rule: str
    rounds: int
    error: float
    is_same: bool

    @property
    def sentence(self) -> str:
        """Choice of the other rule in one sentence, without a full stop."""
        if self.is_same:
            return f"rule='{self.rule}' would take the same number"
        size = f"{self.rounds} feature{'' if self.rounds == 1 else 's'} per class"
        fewest = ", the fewest within one standard error" if self.rule == "1se" else ""
        return f"rule='{self.rule}' would take {size}{fewest}; held-out error {self.error:.3f}"


@dataclass(frozen=True, slots=True)
class RoundsChoice:
    """Number of rounds of a fitted panel, and the reason for it.

    Attributes
    ----------
    rounds : int
        As fitted.
    reason : str
        "given" by the user; so many rounds that the bound on the features "in all" decides, which was reached or not
        ("fewer in all"); "nothing held out" to choose by; "only one" number tried, because of the table or because
        no other is "allowed"; the rule "1se"; the "default" number, or the "most allowed" by a bound or by the
        "budget", which stay unless another number is better by four standard errors; "better than" those; "least
        loss" of all, in a table where the default would use up the features.
    fewer : int or None
        The fewest rounds with a held-out loss no higher than that of the fitted ones, if these are not the fewest and
        give fewer features than the fitted panels have.
    lowest : int or None
        Rounds of least held-out loss, if those are others.
    n_compared : int
        Numbers of rounds that were compared with these terms, regression and penalty. Where fits take long, terms and
        regressions other than the default ones are tried at one number only.
    size : str
        Features per class, in words.
    longest : int
        Features of the longest panel.
    terms : str
        Kind of terms, and the reason for it.
    fit : str
        Regression and penalty, and the reasons for them.
    settings_by_folds : bool
        True if held-out samples decided on terms, regression, penalty, or on what a class reads.
    other : OtherRule or None
        What the other rule would take, if folds chose the rounds and that is known.
    """

    rounds: int
    reason: Reason
    fewer: int | None
    lowest: int | None
    n_compared: int
    size: str
    longest: int
    terms: str
    fit: str
    settings_by_folds: bool
    other: OtherRule | None

    @property
    def by_folds(self) -> bool:
        """True if held-out samples decided, so that their error is optimistic."""
        return self.reason in _BY_FOLDS or self.settings_by_folds

    @property
    def sentence(self) -> str:
        """Choice of the rounds in one sentence, without a full stop.

        Returns
        -------
        str
            Such as "50 features per class, the default number; 10 had no higher held-out loss".
        """
        text = self.size + _REASONS[self.reason]
        if self.reason == "given" and self.longest < self.rounds:
            return f"{self.size}, as many as there are to pick; {self.rounds} were asked for"
        if self.reason not in _KEPT:
            return text
        if self.fewer is not None:
            return f"{text}; {self.fewer} had no higher held-out loss"
        if self.lowest is None:
            return f"{text}, and no other had a lower held-out loss" if self.n_compared > 1 else text
        if self.lowest > self.rounds:
            return f"{text}; {self.lowest} had a lower held-out loss, but not by four standard errors"
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
            "in all": "as asked for",
            "fewer in all": "as many as there are",
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
    tried = _tried(model)
    alike = _alike(tried, model.terms_, model.regression_, model.penalty_)
    rounds, loss = tried["rounds"][alike], tried["loss"][alike]
    own = loss[rounds == model.rounds_][0]
    has_loss = not np.isnan(own)
    sizes = [len(panel) for panel in model.feature_sets_]
    as_good = rounds[loss <= own]
    fewer = int(as_good.min()) if as_good.size and as_good.min() < min(model.rounds_, max(sizes)) else None
    lowest = int(rounds[np.lexsort((rounds, loss))[0]]) if has_loss else None
    reason = _reason(model, np.unique(tried["rounds"]).size, sizes, has_loss=has_loss)
    size = _size_in_all(model, sum(sizes)) if reason in ("in all", "fewer in all") else _size(sizes)
    terms, terms_by_folds = _terms(model, np.unique(tried["terms"]).size > 1, held_out=has_loss)
    fit, fit_by_folds = _fit(model, tried, held_out=has_loss)
    return RoundsChoice(
        int(model.rounds_),
        reason,
        fewer,
        None if lowest is None or loss[rounds == lowest][0] == own else lowest,
        rounds.size,
        size,
        max(sizes),
        terms,
        fit,
        terms_by_folds or fit_by_folds or reading_by_folds(model),
        _other_rule(model, tried) if reason in (*_KEPT, *_BY_FOLDS) else None,
    )


def rounds_table(model: Any) -> pd.DataFrame:
    """Candidates of a fitted panel, as :meth:`DisjointPanelClassifier.rounds_table` describes them."""
    import pandas as pd

    results, choice, lines = pd.DataFrame(_tried(model)), rounds_choice(model), []
    for (terms, regression), of_terms in results.groupby(["terms", "regression"], sort=False):
        several = of_terms["penalty"].nunique() > 1
        for penalty, rows in of_terms.groupby("penalty", sort=False):
            kind = _kind(str(terms)) + (", logistic" if terms == "linear" and regression == "logistic" else "")
            name = f"{kind}, penalty {penalty:g}" if several else kind
            lines.append(rows.sort_values("rounds", kind="stable").assign(line=name))
    table = pd.concat(lines, ignore_index=True)
    alike = _alike(table, model.terms_, model.regression_, model.penalty_)
    table["chosen"] = alike & (table["rounds"] == model.rounds_)
    table["mark"] = np.select(
        [table["chosen"], alike & (table["rounds"] == choice.fewer)], [choice.mark, choice.as_good], ""
    )
    return table[["line", "terms", "regression", "rounds", "penalty", "loss", "error", "chosen", "mark"]]


def reading_by_folds(model: Any) -> bool:
    """True if held-out samples decided which panels a class reads."""
    # Files of earlier releases have the chosen way only; squared terms enter the score of the owner anyway.
    several = np.unique(model.cv_results_.get("reads", "")).size > 1
    return several and model.terms_ != "squared" and not np.isnan(model.cv_results_["loss"]).all()


def _tried(model: Any) -> dict[str, np.ndarray]:
    """Results of the candidates that read as the fitted model does."""
    results = {name: np.asarray(column) for name, column in model.cv_results_.items()}
    if "reads" not in results:
        return results
    as_chosen = results["reads"] == model.reads_
    return {name: column[as_chosen] for name, column in results.items()}


def line_places(table: pd.DataFrame) -> list[tuple[int, int]]:
    """Number the kinds of fit (terms and regression) of the lines of a table of rounds, and the penalties of each kind.

    Returns
    -------
    list of pairs
        One per line, in the order of the table: a chart gives each kind a colour, and each penalty a shape.
    """
    lines = table.drop_duplicates("line")
    kinds = list(zip(lines["terms"], lines["regression"], strict=True))
    order = list(dict.fromkeys(kinds))
    return [(order.index(kind), kinds[:at].count(kind)) for at, kind in enumerate(kinds)]


def _alike(table: Any, terms: str, regression: str, penalty: float) -> Any:
    """Mask of the candidates of one line: with the same terms, regression and penalty."""
    return (table["terms"] == terms) & (table["regression"] == regression) & (table["penalty"] == penalty)


def _kind(terms: str) -> str:
    """Kind of terms, in words."""
    return "both kinds of terms" if terms == "both" else f"{terms} terms"


def _reason(model: Any, n_tried: int, sizes: list[int], *, has_loss: bool) -> Reason:
    """Reason for the rounds of a model, by the rule of ``search.choose``.

    ``n_tried`` is how many numbers of rounds were tried, ``sizes`` the number of features of each class.
    """
    longest = max(sizes)
    if model.rounds != "auto":
        if model.max_features is None or model.rounds + given_features(model).sum() < model.max_features:
            return "given"
        # Whoever picks, the bound is reached before the rounds are over.
        return "in all" if sum(sizes) == model.max_features else "fewer in all"
    if not has_loss:
        return "nothing held out"
    rules = read_rules(model, model.classes_, model.n_features_in_)
    most = most_rounds(rules)
    if n_tried == 1:
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


def _size_in_all(model: Any, n_features: int) -> str:
    """Features of all classes together, where the bound on them decides; the reason if they are fewer."""
    n_given = int(given_features(model).sum())
    given = f", {n_given} of them given" if n_given else ""
    if n_features == model.max_features:
        return f"{n_features} features in all{given}"
    return f"only {n_features} of {model.max_features} features in all{given}: {why_no_more(model)}"


def _terms(model: Any, several: bool, *, held_out: bool) -> tuple[str, bool]:
    """Kind of terms with the reason for it, and True if held-out samples decided."""
    name = _kind(model.terms_)
    if model.terms != "auto":
        return f"{name}, as asked for", False
    if not several or not held_out:
        return name, False
    if model.terms_ == "linear":
        return f"{name}, the default", False
    return f"{name}, better than linear ones by four standard errors", True


def _fit(model: Any, tried: dict[str, np.ndarray], *, held_out: bool) -> tuple[str, bool]:
    """Regression and penalty with the reasons for them, and True if held-out samples decided."""
    regression, regression_by_folds = _regression(model, tried, held_out=held_out)
    penalty, penalty_by_folds = _penalty(model, tried, held_out=held_out)
    return f"{regression} with penalty {model.penalty_:g}{penalty}", regression_by_folds or penalty_by_folds


def _regression(model: Any, tried: dict[str, np.ndarray], *, held_out: bool) -> tuple[str, bool]:
    name = f"{model.regression_} regression"
    if model.terms_ != "linear":
        return name, False
    if model.regression != "auto":
        return f"{name} (as asked for)", False
    several = np.unique(tried["regression"][tried["terms"] == "linear"]).size > 1
    # With fewer samples, a logistic regression of linear terms is only a measure for that of squared ones.
    if several and held_out and len(model.held_out_scores_) >= MANY_SAMPLES:
        return f"{name} (which had the lower held-out loss)", True
    return name, False


def _penalty(model: Any, tried: dict[str, np.ndarray], *, held_out: bool) -> tuple[str, bool]:
    if model.penalty != "auto":
        return ", as asked for", False
    family = (tried["terms"] == model.terms_) & (tried["regression"] == model.regression_)
    if not held_out or np.unique(tried["penalty"][family]).size == 1:
        return "", False
    if not is_wide(read_rules(model, model.classes_, model.n_features_in_)):
        return ", which had the least held-out loss", True
    default = tried["penalty"][family][0]  # the default one is tried first
    if model.penalty_ == default:
        return ", the default", False
    return f", better than the default of {default:g} by four standard errors", True


def _other_rule(model: Any, tried: dict[str, np.ndarray]) -> OtherRule | None:
    """Choice of the other rule; None if it is not known.

    Files of earlier releases did not keep the errors of the differences in loss, and with ``rule="min"`` some families
    are tried at one number of rounds only.
    """
    if "gap_error" not in tried:
        return None
    # The candidate that rule="min" takes is the one that the others are compared with.
    best = int(np.flatnonzero(tried["gap_error"] == 0.0)[0])
    alike = _alike(tried, *(tried[name][best] for name in ("terms", "regression", "penalty")))
    if model.rule == "min" and alike.sum() == 1 < np.unique(tried["rounds"]).size:
        return None
    within = np.flatnonzero(alike & (tried["loss"] - tried["loss"][best] <= tried["gap_error"]))
    fewest = within[np.argmin(tried["rounds"][within])]
    rule, at = ("1se", fewest) if model.rule == "min" else ("min", best)
    return OtherRule(rule, int(tried["rounds"][at]), float(tried["error"][at]), bool(fewest == best))
