"""The features of each class, on the screen and as JSON."""

from __future__ import annotations

import sys
from math import isnan
from typing import Any

from disjoint_centroids._listed import listed
from disjoint_centroids.cli.output import Grid, say, show, shown_name
from disjoint_centroids.cli.translation import in_options
from disjoint_centroids.exports.feature_lists import higher_elsewhere_sentence, owned_directions, owned_features

NAMES_SHOWN = 8
WHO_READS = {
    "all": "a class owns the features that it picked; the score of every class uses the features of all classes",
    "own": "a class owns the features that it picked; the score of a class uses its own features only",
}
"""Sentences on what owning a feature means, by the panels that the score of a class reads."""


def summary(model: Any) -> dict[str, Any]:
    """Features and errors of a fitted classifier as plain values."""
    from disjoint_centroids.fitted import feature_names
    from disjoint_centroids.panels.chosen import rounds_choice
    from disjoint_centroids.panels.design import given_features

    names = feature_names(model)
    owned = owned_features(model)
    directions = owned_directions(model, owned)
    answer = {
        "classifier": type(model).__name__,
        "classes": [str(label) for label in model.classes_],
        "features": {label: [str(name) for name in names[own]] for label, own in owned.items()},
        "directions": directions,
        "n_unused": int((~model.get_support()).sum()),
        "train_error": float(model.train_error_),
    }
    if model._order == "picking":
        answer["given"] = [str(name) for name in names[given_features(model)]]
        answer["margins"] = {label: model.margin_[own].tolist() for label, own in owned.items()}
    answer |= model._chosen()
    if model._path == "rounds":
        choice = rounds_choice(model)
        answer["choice"] = in_options(choice.sentence)
        if choice.other is not None:
            answer["other_rule"] = {name: getattr(choice.other, name) for name in ("rule", "rounds", "error")}
    return answer


def show_owners(model: Any) -> None:
    """Print the features of each class, and the errors."""
    from disjoint_centroids.panels.chosen import reading_by_folds
    from disjoint_centroids.panels.tables import reads_all_panels

    answer = summary(model)
    picked = model._order == "picking"
    given = set(answer.get("given", ()))
    order = (
        f"{'given ones first, ' if given else ''}in the order of picking" if picked else "nearest to its centre first"
    )
    order += "; in brackets the margin" if picked else ""
    table = Grid("class", title=f"What each class owns ({order})")
    table.add_column("features", justify="right")
    table.add_column("names")
    arrows = arrows_for_terminal()
    for label, names in answer["features"].items():
        words = [
            f"{shown_name(name)} {arrows[direction]}" if direction else shown_name(name)
            for name, direction in zip(names[:NAMES_SHOWN], answer["directions"][label], strict=False)
        ]
        if picked:
            marks = ["given, " if name in given else "" for name in names[:NAMES_SHOWN]]
            margins = answer["margins"][label]
            words = [f"{name} ({mark}{margin:.2g})" for name, mark, margin in zip(words, marks, margins, strict=False)]
        table.add_row(shown_name(label), str(len(names)), listed(words, NAMES_SHOWN, total=len(names)))
    table.add_row("(not used)", str(answer["n_unused"]), "", style="dim")
    show(table)
    say(f"{arrows['up']} higher in this class than in the other classes on average, {arrows['down']} lower")
    if picked:
        say(
            "margin: how much more a feature adds to the score of its class in samples of that class than in the others"
        )
        by_folds = ", which had the lower held-out loss" if reading_by_folds(model) else ""
        owns = "that it picked, and those given to it" if given else "that it picked"
        say(WHO_READS["all" if reads_all_panels(model) else "own"].replace("that it picked", owns, 1) + by_folds)
        if higher := higher_elsewhere_sentence(model):
            say(higher)
    for line in _how_well(model, answer):
        say(line)


def arrows_for_terminal() -> dict[str, str]:
    """Arrows for up and down, or words on a terminal that has no arrows."""
    from disjoint_centroids.directions import ARROWS

    try:
        "".join(ARROWS.values()).encode(sys.stdout.encoding or "utf-8")
    except (LookupError, UnicodeEncodeError):
        return {word: word for word in ARROWS}
    return ARROWS


_COMPARED = {"random_state", "n_jobs", "verbose", "n_init", "cv"}
"""Parameters that ``ndc compare`` sets as ``ndc fit`` does, or that do not matter for the error."""


def _unbiased(model: Any, answer: dict[str, Any]) -> str:
    """Command that gives an unbiased error, in brackets; "" if sums were fitted, because it needs the samples."""
    if isnan(answer["train_error"]):
        return ""
    default, given = type(model)().get_params(deep=False), model.get_params(deep=False)
    as_compared = all(repr(given[name]) == repr(value) for name, value in default.items() if name not in _COMPARED)
    if as_compared and "batches" not in answer:
        return " (ndc compare gives an unbiased one)"
    return " (ndc report TABLE with the same options gives an unbiased one)"


def _how_well(model: Any, answer: dict[str, Any]) -> list[str]:
    from disjoint_centroids.panels.chosen import rounds_choice
    from disjoint_centroids.panels.within_batches import judged_samples

    optimistic = f"which is optimistic because it was used to choose{_unbiased(model, answer)}"
    lines = []
    if "rounds" in answer:
        choice = rounds_choice(model)
        terms = choice.terms
        if answer["cv_error"] is not None:
            judged = judged_samples(model.new_batch_share_)
            terms += f"; held-out error {answer['cv_error']:.3f}" + (f" on {judged}" if judged else "")
            terms += f", {optimistic}" if choice.by_folds else ""
        lines += [answer["choice"], *([] if choice.other is None else [in_options(choice.other.sentence)])]
        lines += [terms, choice.fit]
    elif "lam" in answer:
        error = f"error there {answer['cv_error']:.3f}, {optimistic}"
        lines.append(f"lambda {answer['lam']:.3g}, chosen by cross-validation; {error}")
    if isnan(answer["train_error"]):
        return [
            *lines,
            "fitted to sums: the errors are those of stand-ins with the means and covariances of the samples; try the "
            "model on samples of your own",
        ]
    return [*lines, f"error on the training samples {answer['train_error']:.3f}"]
