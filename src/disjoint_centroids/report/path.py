"""Section of a report on what cross-validation chose: lambda, or the number of rounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from disjoint_centroids.panels.candidates import DEFAULT_ROUNDS, MANY_SAMPLES
from disjoint_centroids.panels.chosen import line_places, reading_by_folds, rounds_choice
from disjoint_centroids.report.formatting import rounded

_BY_FOUR = "only if its loss is lower by four standard errors."
_TERMS = f"Linear terms are therefore the default, and another kind replaces them {_BY_FOUR}"
_REPLACED = f"and a {{fit}} are therefore the default, and another candidate replaces them {_BY_FOUR}"
_ROUNDS = f"Linear terms, {DEFAULT_ROUNDS} rounds {_REPLACED}"
_MOST = f"Linear terms, as many rounds as are allowed {_REPLACED}"
_LOGISTIC = (
    f"From {MANY_SAMPLES} samples on a logistic regression on the same features is tried too, and taken if its loss is "
    "lower."
)
_RULES = {
    "default": _ROUNDS,
    "better than default": _ROUNDS,
    "most allowed": _MOST,
    "better than most allowed": _MOST,
    "budget": _MOST,
    "least loss": f"{_TERMS} This table has too few features for the default of {DEFAULT_ROUNDS} rounds, so the "
    "number of rounds and the penalty with the lowest loss are taken.",
    "1se": "The rule 1se therefore takes the fewest rounds whose loss is within one standard error of that of the "
    "candidate that would be taken without it.",
}
"""Sentences of the page by the reason for the rounds: what is done about candidates that are lucky.

``{fit}`` stands for the default regression and its penalty.
"""


def path_facts(model: Any) -> dict[str, Any] | None:
    """Held-out error and features in use along lambda; None for a model that did not choose its lambda."""
    if model._path != "lambda":
        return None
    table = model.path_table()
    return {
        "chosen": float(table.loc[table["chosen"], "lam"].iloc[0]),
        "one_se": float(table.loc[table["one_se"], "lam"].iloc[0]),
        "n_folds": int(model.cv_errors_.shape[1]),
        "rows": [
            {
                "lam": row.lam,
                "error": row.error,
                "se": float(np.nan_to_num(row.standard_error)),
                "features": row.n_features,
            }
            for row in table.itertuples()
        ],
    }


def rounds_facts(model: Any) -> dict[str, Any] | None:
    """Held-out loss and error of every candidate, and which was chosen; None for a model without rounds."""
    if model._path != "rounds":
        return None
    choice, table = rounds_choice(model), model.rounds_table()
    rows = [
        {
            "line": row.line,
            "rounds": row.rounds,
            "loss": rounded(row.loss),
            "error": rounded(row.error),
            "chosen": row.chosen,
            "mark": row.mark,
        }
        for row in table.itertuples()
    ]
    (chosen,) = (row for row in rows if row["chosen"])
    return {
        "sentence": choice.sentence,
        "default_rule": _default_rule(choice.reason, table),
        "terms": choice.terms,
        "reads": model.reads_,
        "reads_by_folds": reading_by_folds(model),
        "fit": choice.fit,
        "other_rule": None if choice.other is None else choice.other.sentence,
        "by_folds": choice.by_folds,
        "rounds": int(model.rounds_),
        "line": chosen["line"],
        "penalty": float(model.penalty_),
        "error": chosen["error"],
        "n_folds": len(model.fold_models_),
        # Sums hold no samples to count errors of: what was held out were stand-ins.
        "stand_ins": bool(np.isnan(model.train_error_)),
        "rule": model.rule,
        "given": [name for name in ("rounds", "terms", "regression", "penalty") if getattr(model, name) != "auto"],
        "lines": table["line"].unique().tolist(),
        "styles": [list(places) for places in zip(*line_places(table), strict=True)],
        "rows": rows,
    }


def _default_rule(reason: str, table: Any) -> str:
    first = table.iloc[0]  # the default regression and penalty are tried first
    sentence = _RULES.get(reason, _TERMS).format(fit=f"{first.regression} regression with penalty {first.penalty:g}")
    return f"{sentence} {_LOGISTIC}" if _both_tried(table) else sentence


def _both_tried(table: Any) -> bool:
    """True if linear terms were fitted by both regressions."""
    return bool(table.loc[table["terms"] == "linear", "regression"].nunique() > 1)
