"""What a report tells of a panel only: what its features say, how many rounds it drafted, its sets of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from disjoint_centroids._listed import listed
from disjoint_centroids.panels.chosen import rounds_choice
from disjoint_centroids.panels.search import DEFAULT_ROUNDS
from disjoint_centroids.plots.rounds import named_lines
from disjoint_centroids.report.figures import percent, rounded
from disjoint_centroids.report.held_out import CONFIDENCE

_BY_THREE = "only if its loss is lower by three standard errors."
_TERMS = f"Linear terms are therefore the default, and another kind replaces them {_BY_THREE}"
_REPLACED = f"are therefore the default, and another candidate replaces them {_BY_THREE}"
_ROUNDS = f"Linear terms and {DEFAULT_ROUNDS} rounds {_REPLACED}"
_MOST = f"Linear terms and as many rounds as are allowed {_REPLACED}"
_RULES = {
    "default": _ROUNDS,
    "better than default": _ROUNDS,
    "most allowed": _MOST,
    "better than most allowed": _MOST,
    "budget": _MOST,
    "least loss": f"{_TERMS} This table has too few features for the default of {DEFAULT_ROUNDS} rounds, so the "
    "number of rounds with the lowest loss is taken.",
    "1se": "The rule 1se therefore takes the fewest rounds whose loss is within one standard error of that of the "
    "candidate that would be taken without it.",
}
"""Sentences of the page by the reason for the rounds: what is done about candidates that are lucky."""
_SIZES = ("none", "one", "two", "three or more")


def is_panel(model: Any) -> bool:
    """Whether a model has drafted panels, and scores classes by them."""
    return hasattr(model, "rounds_")


def directions(model: Any, features: np.ndarray) -> list[str]:
    """When a feature speaks for its class: "high", "low", or, without a linear term, "near" its mean or "far"."""
    linear, squared = model.coef_[features], model.curvature_[features]
    return [
        ("high" if w > 0 else "low") if w else ("near" if v < 0 else "far")
        for w, v in zip(linear, squared, strict=True)
    ]


def rounds_facts(model: Any) -> dict[str, Any] | None:
    """Held-out loss and error of every candidate, and which was chosen; None for a model without rounds."""
    if not is_panel(model):
        return None
    lines = named_lines(pd.DataFrame(model.cv_results_))
    rows: list[dict[str, Any]] = []
    for line, found in lines.items():
        for terms, rounds, penalty, loss, error in found.itertuples(index=False):
            is_chosen = (terms, rounds, penalty) == (model.terms_, model.rounds_, model.penalty_)
            rows.append(
                {
                    "line": line,
                    "rounds": int(rounds),
                    "loss": rounded(loss),
                    "error": rounded(error),
                    "chosen": bool(is_chosen),
                }
            )
    (chosen,) = (row for row in rows if row["chosen"])
    choice = rounds_choice(model)
    for row in rows:
        row["mark"] = choice.mark if row["chosen"] else ""
        if choice.fewer is not None and (row["line"], row["rounds"]) == (chosen["line"], choice.fewer):
            row["mark"] = choice.as_good
    return {
        "sentence": choice.sentence,
        "default_rule": _RULES.get(choice.reason, _TERMS),
        "terms": choice.terms,
        "by_folds": choice.by_folds,
        "rounds": int(model.rounds_),
        "line": chosen["line"],
        "penalty": float(model.penalty_),
        "error": chosen["error"],
        "n_folds": len(model.fold_models_),
        "rule": model.rule,
        "given": [name for name in ("rounds", "terms", "penalty") if getattr(model, name) != "auto"],
        "lines": list(lines),
        "rows": rows,
    }


def set_facts(sets: np.ndarray, classes: np.ndarray, labels: pd.Series, *, held_out: bool) -> dict[str, Any]:
    """How often sets of classes hold the true one, and how large they are.

    ``held_out``: whether the samples come from nested folds, and not from a table of new samples.
    """
    names, true = [str(label) for label in classes], labels.to_numpy()
    known = np.isin(true, names)
    covered, sizes = np.zeros(len(true), dtype=bool), sets.sum(axis=1)
    covered[known] = sets[np.flatnonzero(known), [names.index(label) for label in true[known]]]
    shares = np.bincount(np.minimum(sizes, len(_SIZES) - 1), minlength=len(_SIZES)) / len(true)
    rows = []
    for label in [*names, *sorted(set(true) - set(names))]:
        here = true == label
        if here.any():
            rows.append(
                {
                    "class": label,
                    "samples": int(here.sum()),
                    "covered": rounded(covered[here].mean()),
                    "size": rounded(sizes[here].mean()),
                }
            )
    always = [name for name, held in zip(names, sets.T, strict=True) if held.all()]
    facts = {"covered": float(covered.mean()), "size": float(sizes.mean())}
    facts |= {name: float(share) for name, share in zip(_SIZES, shares, strict=True)}
    return facts | {
        "confidence": CONFIDENCE,
        "sentence": _set_sentence(facts, len(true), held_out=held_out) + _always_sentence(always, held_out=held_out),
        "classes": rows,
    }


def _set_sentence(facts: dict[str, Any], n_samples: int, *, held_out: bool) -> str:
    samples = f"{n_samples} {'held-out' if held_out else 'new'} samples"
    several = facts["two"] + facts["three or more"]
    return (
        f"A set of classes is to hold the true class for {100 * CONFIDENCE:.0f}\N{NO-BREAK SPACE}% of the samples of "
        f"every class. Here the sets hold it for {percent(facts['covered'])} of {samples}. They name "
        f"{facts['size']:.2f} classes on average: one for {percent(facts['one'])} of the samples, several for "
        f"{percent(several)}, and none, because no class fits well, for {percent(facts['none'])}."
    )


def _always_sentence(always: list[str], *, held_out: bool) -> str:
    """Classes that no set leaves out, mostly because they have too few samples."""
    if not always:
        return ""
    enough = "only if it was fitted on nine samples of it or more"
    part = "; the models here were fitted on a part of the samples" if held_out else ""
    return f" In every set: {listed(always)}. A model can leave a class out {enough}{part}."
