"""The page on a marker list: its errors beside those of other lists, class by class, and every marker."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from disjoint_centroids._listed import listed
from disjoint_centroids.exports.plain_values import plain_values
from disjoint_centroids.markers.evaluation import MarkerEvaluation
from disjoint_centroids.panels.within_batches import judged_samples
from disjoint_centroids.report.assets import template_environment
from disjoint_centroids.report.formatting import percent, written
from disjoint_centroids.report.page import page_policy, page_style
from disjoint_centroids.report.versions import versions

LISTS = {"given": "This list", "ours": "Disjoint panels, same size", "random": "Random features, same size"}
READINGS = {"scores": "panel scores", "centroid": "nearest centroid", "logistic": "logistic regression"}


def summarize_markers(found: MarkerEvaluation, *, source: str, table: str, command: str = "") -> dict[str, Any]:
    """Collect what the page on a marker list shows, ready for JSON.

    Parameters
    ----------
    found : MarkerEvaluation
        As :func:`disjoint_centroids.markers.evaluate_markers` returns it.
    source, table : str
        Files of the list and of the table.
    command : str, default=""
        The command that makes the page.

    Returns
    -------
    dict
        Sentences and tables.
    """
    return {
        "source": source,
        "table": table,
        "command": command,
        "created": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "versions": versions(),
        "setup": found.setup,
        "folds": _folds(found.setup),
        "on": _on(found),
        "missing": _missing(found),
        "sentences": _sentences(found),
        "best_reading": str(_best_reading(found)["reading"]),
        "errors": plain_values(found.errors.to_dict("records")),
        "lists": plain_values(found.lists.to_dict("records")),
        "classes": plain_values(found.classes.to_dict("records")),
        "markers": plain_values(found.markers.to_dict("records")),
    }


def _best_reading(found: MarkerEvaluation) -> Any:
    """Row of the reading with which the list has the lowest error."""
    of_given = found.errors[found.errors["list"] == "given"]
    return of_given.iloc[int(of_given["error"].to_numpy().argmin())]


def _folds(setup: dict[str, Any]) -> str:
    """Sentence on the cross-validation."""
    times = "" if setup["repeats"] == 1 else f", {setup['repeats']} times with new splits"
    way = " with the classes evenly spread" if setup["batches"] is None else ""
    judged = judged_samples(setup["new_batch_share"])
    held_out = f" {setup['batches']} batches: errors are those on {judged}." if judged else ""
    return f"Cross-validation in {setup['folds']} folds{way}{times}.{held_out}"


def _on(found: MarkerEvaluation) -> str:
    """Sentence on the value above which a marker is on."""
    values = found.markers["on_above"].unique()
    if values.size == 1:
        return f"A marker is on in a sample if its value there is above {written(float(values[0]))}."
    return (
        "A marker is on in a sample if its value there is above the mean of its class means (“On above” in the last "
        "table)."
    )


def _missing(found: MarkerEvaluation) -> str:
    """Sentence on on-target fractions that are missing; "" if none is for the values' sake."""
    if not found.setup["negative"]:
        return ""
    return (
        "On-target fractions are missing where a marker has negative values, as after standardising: a share of a sum "
        "has no meaning there. Judge the list on values from 0 up, such as logarithms of 1 + counts."
    )


def _sentences(found: MarkerEvaluation) -> list[str]:
    """Answer in a few sentences: the errors, and the classes that the list misses."""
    best = _best_reading(found)
    same = found.errors[found.errors["reading"] == best["reading"]].set_index("list")["error"]
    n_markers, n_classes = len(found.markers), found.classes["class"].nunique()
    what = "The one feature of the list tells" if n_markers == 1 else f"The {n_markers} features of the list tell"
    judged = judged_samples(found.setup["new_batch_share"])
    where = f" on {judged}" if judged else ""
    sentences = [
        f"{what} {n_classes} classes apart with a held-out error of {percent(best['error'])}{where}, read by "
        f"{READINGS[best['reading']]}, the best of three readings. As many features chosen by this program (disjoint "
        f"panels) have {percent(same['ours'])}, as many random ones {percent(same['random'])}.",
        "If these samples helped to choose the list, its error is too low; those of the other two are not.",
    ]
    of_list = found.classes[(found.classes["list"] == "given") & (found.classes["reading"] == best["reading"])]
    poor = of_list[of_list["recall"] < 0.5]
    if len(poor):
        sentences.append(
            f"Read in this way, fewer than half of the samples are recognised of: {listed(poor['class'], 5)}."
        )
    without = [label for label in of_list["class"] if label not in set(found.markers["class"])]
    if without:
        sentences.append(f"No feature of the list is meant for, or highest in: {listed(without, 5)}.")
    return sentences


def render_markers(summary: dict[str, Any], picture: str) -> str:
    """Render the page on a marker list: one HTML file that opens offline, sends no request and runs no script.

    Parameters
    ----------
    summary : dict
        As :func:`summarize_markers` returns it.
    picture : str
        The dots of the markers, as a data URI.

    Returns
    -------
    str
        HTML. Write it as UTF-8.
    """
    return (
        template_environment("disjoint_centroids.report")
        .get_template("markers.html.j2")
        .render(
            judged=summary,
            picture=picture,
            lists=LISTS,
            readings=READINGS,
            policy=page_policy([]),
            own_style=page_style(),
        )
    )
