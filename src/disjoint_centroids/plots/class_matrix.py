"""Pictures with a cell for every two classes: what samples of one class are to the features of another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv

from disjoint_centroids.pipeline import as_seen
from disjoint_centroids.plots.colours import ink_on
from disjoint_centroids.plots.fitted import classifier_of, rows_of
from disjoint_centroids.plots.names import fit_side_by_side, shown_names
from disjoint_centroids.plots.panels import inches_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ANNOTATED = 15
"""Numbers are written into the cells for at most so many classes."""


def new_axes(n_classes: int) -> Axes:
    """A new figure, large enough for a cell for every two classes."""
    import matplotlib.pyplot as plt

    side = min(3.2 + 0.42 * n_classes, 12)
    _, ax = plt.subplots(figsize=(side + 2.0, side + 0.6), layout="compressed")
    return ax


def name_classes(ax: Axes, classes: np.ndarray, row_counts: np.ndarray) -> None:
    """Name columns, and rows with how many samples they have."""
    places = np.arange(len(classes))
    labels = shown_names(classes, 20)
    size = 10.0 if len(labels) <= 8 else 8.0
    level = fit_side_by_side(labels, [inches_of(ax)[0] / len(labels)] * len(labels), size)
    ax.set_xticks(places, labels, fontsize=size, rotation=0 if level else 90)
    rows = [f"{label} ({n})" for label, n in zip(labels, row_counts, strict=True)]
    ax.set_yticks(places, rows, fontsize=size)
    ax.set_facecolor("0.85")  # what could not be measured
    ax.set_ylabel("samples of this class (how many)")


def write_cells(ax: Axes, image: Any, shown: np.ndarray, texts: Sequence[Sequence[str]]) -> None:
    """Write into every cell, in ink that can be read on its colour; a dash where nothing was measured."""
    if len(shown) > ANNOTATED:
        return
    size = 10 if len(shown) <= 6 else 7
    for (i, j), value in np.ndenumerate(shown):
        known = bool(np.isfinite(value))
        text = texts[i][j] if known else "–"  # noqa: RUF001 - a dash
        colour = ink_on(image.cmap(image.norm(value))) if known else "black"
        ax.text(j, i, text, ha="center", va="center", fontsize=size, color=colour)


def measured_when_held_out(
    estimator: Any, X: Any, y: np.ndarray, cv: Any, groups: Any, measure: Callable[[Any, Any], np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Measures of left-out samples, their labels, and the classes; NaN where a fold was trained without a class.

    ``measure`` takes a fitted classifier and samples as it sees them, and returns a column a class.
    """
    classes, parts, labels = np.unique(y), [], []
    for train, test in check_cv(cv, y, classifier=True).split(X, y, groups):
        model = clone(estimator).fit(rows_of(X, train), y[train])
        part = np.full((len(y[test]), len(classes)), np.nan)
        classifier = classifier_of(model)
        part[:, np.searchsorted(classes, classifier.classes_)] = measure(classifier, as_seen(model, rows_of(X, test)))
        parts.append(part)
        labels.append(y[test])
    return np.concatenate(parts), np.concatenate(labels), classes


def means_by_class(values: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Mean of each column over the samples of each class that have an entry; NaN where none has."""
    return np.stack([_means(values[codes == i]) for i in range(n_classes)])


def _means(rows: np.ndarray) -> np.ndarray:
    there = ~np.isnan(rows)
    counts = there.sum(axis=0)
    return np.divide(
        np.where(there, rows, 0.0).sum(axis=0), counts, out=np.full(rows.shape[1], np.nan), where=counts > 0
    )
