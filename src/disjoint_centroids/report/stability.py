"""Section of a report on the stability of the feature sets."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from disjoint_centroids.evaluation.false_selections import runs_needed
from disjoint_centroids.evaluation.stability import OwnershipStability
from disjoint_centroids.fitted import feature_names
from disjoint_centroids.report.formatting import rounded
from disjoint_centroids.report.pictures import noted, png
from disjoint_centroids.rows.training import UNUSED

MOST_FEATURES = 300
"""Rows of the table of the model's features."""
_SUREST = 5


def stability_facts(
    model: Pipeline,
    search: OwnershipStability,
    values: pd.DataFrame,
    labels: pd.Series,
    most_features: int = MOST_FEATURES,
) -> dict[str, Any]:
    """Agreement of fits on halves of a table with each other and with a fitted model.

    ``search`` fits the model's settings on halves. If that cannot be done, ``reason`` says why, and nothing else is
    known.
    """
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = search.fit(values, labels.to_numpy())
        except ValueError as error:
            return {"reason": str(error), "n_resamples": search.n_resamples}
    return {
        "reason": None,
        "n_resamples": search.n_resamples,
        "needed": runs_needed(found.cutoff, search.n_resamples),
        "stability": rounded(found.stability_),
        "agreement": agreement_sentence(found),
        "bound": bound_sentence(found),
        "classes": _class_rows(found, model),
        "features": _thinned(_feature_rows(found, model), most_features),
        "n_used": int((model[-1].owner_ != UNUSED).sum()),
        "picture": _picture(found),
        "notes": list(dict.fromkeys(str(warning.message) for warning in said)),
    }


def bound_sentence(found: OwnershipStability) -> str:
    """Number of stable features, and of those that can be expected by chance, in words."""
    rows = found.expected_false_selections_.loc[found.classes_.tolist()]
    stable, low, plain = int(rows["stable"].sum()), rows["unimodal"].sum(), rows["meinshausen_buhlmann"].sum()
    n_fits = len(found.owners_)
    text = (
        f"A feature is stable if one class owns it in at least {runs_needed(found.cutoff, n_fits)} of {n_fits} fits, "
        f"each on a random half of the samples; here {stable} of {found.n_features_in_} features "
        f"{'is' if stable == 1 else 'are'}."
    )
    if stable == 0:
        return text
    by_chance = "without being owned more often than an average feature"
    if low >= stable:
        return (
            f"{text} That may be chance: up to {low:.3g} can be expected to get there {by_chance}. A higher cut-off, "
            "or a model that uses fewer features, would tell more."
        )
    return (
        f"{text} Of these at most {low:.2g} are expected to have got there by chance, that is, {by_chance} (Shah and "
        f"Samworth's bound for frequencies with one mode; without that assumption at most {plain:.2g})."
    )


def chance_bound(found: OwnershipStability, label: Any) -> float | None:
    """Upper bound for the stable features of a class that chance explains; None if that could be all of them."""
    row = found.expected_false_selections_.loc[label]
    return float(row["unimodal"]) if row["unimodal"] < row["stable"] else None


def agreement_sentence(found: OwnershipStability) -> str:
    """Agreement of the fits on two halves, in words."""
    return (
        f"Two halves that share no sample agree on who owns what with an adjusted Rand index of {found.stability_:.2f} "
        "on average (1: the same owners; 0: no more than by chance)."
    )


def _class_rows(found: OwnershipStability, model: Pipeline) -> list[dict[str, Any]]:
    """List the classes: features in the model, those of them that are stable, and the bound for chance."""
    own = {str(label): set(feature_names(model[-1])[sets]) for label, sets in _sets(model)}
    rows = []
    for label, names in found.stable_features_.items():
        bound = chance_bound(found, label)
        shares = found.probabilities_[label]
        rows.append(
            {
                "class": str(label),
                "features": len(own.get(str(label), ())),
                "kept": len(own.get(str(label), set()) & set(names)),
                "stable": len(names),
                "chance": None if bound is None else rounded(bound),
                "surest": [[str(name), rounded(shares[name])] for name in names[:_SUREST]],
            }
        )
    return rows


def _feature_rows(found: OwnershipStability, model: Pipeline) -> list[list[Any]]:
    """List the features of the model, class by class: shares of the fits in which the class owns them, and in use."""
    names, used = feature_names(model[-1]), found.selection_frequency_
    rows: list[list[Any]] = []
    for label, own in _sets(model):
        if str(label) not in found.probabilities_:
            continue  # a class of the model that this table has no samples of
        shares = found.probabilities_[str(label)][names[own]].sort_values(ascending=False, kind="stable")
        rows += [[str(name), str(label), rounded(share), rounded(used[name])] for name, share in shares.items()]
    return rows


def _thinned(rows: list[list[Any]], at_most: int) -> list[list[Any]]:
    """Keep the most stable features of every class, as many as there is room for."""
    if len(rows) <= at_most:
        return rows
    classes = [row[1] for row in rows]
    rank = pd.Series(np.arange(len(rows))).groupby(classes).cumcount()
    kept = np.sort(np.argsort(rank.to_numpy(), kind="stable")[:at_most])
    return [rows[at] for at in kept]


def _sets(model: Pipeline) -> list[tuple[Any, np.ndarray]]:
    return list(zip(model[-1].classes_, model[-1].feature_sets_, strict=True))


def _picture(found: OwnershipStability) -> dict[str, str | None]:
    """Draw the bars as a PNG in a data address, and describe them."""
    from matplotlib.figure import Figure

    from disjoint_centroids.plots import StabilityDisplay

    display = StabilityDisplay.of(found)
    figure = Figure(figsize=display.figure_size(), layout="constrained")
    note = noted(lambda: display.plot(ax=figure.add_subplot()))
    counts = [f"{len(names)} of {label}" for label, names in found.stable_features_.items()]
    text = (
        f"Bars of the features that each class owns most often, in {len(found.owners_)} fits on halves of the samples. "
        f"Stable, at a cut-off of {found.cutoff:g}: {', '.join(counts)}. The figures are in the tables below."
    )
    return {"image": png(figure), "text": text, "note": note}
