"""Picture of the contrast of each class with the others, on the features it owns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from disjoint_centroids.evaluation.class_contrasts import class_contrasts
from disjoint_centroids.fitted import classifier_of
from disjoint_centroids.plots.axes import given_panels
from disjoint_centroids.plots.colours import INK, bar_style
from disjoint_centroids.plots.fonts import show_every_name
from disjoint_centroids.plots.names import shown_names

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDE, _NARROW = 4.0, 3.6  # inches that a panel has, and needs


class CentroidDisplay:
    """Bars of the features of each class: its mean against those of the other classes, one panel per class.

    Zero is the average of the other classes' means, the unit is the pooled standard deviation within classes, and the
    small strokes are the other classes. Use :meth:`from_estimator`.

    Parameters
    ----------
    bars : pandas.DataFrame
        Table of :func:`disjoint_centroids.evaluation.class_contrasts.class_contrasts`: one row per class and feature
        drawn.
    feature_counts : array of shape (n_classes,)
        Features that each class owns, drawn or not.
    classes : array of shape (n_classes,)
        Class labels.

    Attributes
    ----------
    axes_ : array of n_classes matplotlib Axes
        One panel per class.
    figure_ : matplotlib Figure
        The figure they are in.

    Examples
    --------
    >>> from disjoint_centroids import NearestDisjointCentroid
    >>> from disjoint_centroids.datasets import make_blocks
    >>> from disjoint_centroids.plots import CentroidDisplay
    >>> X, y = make_blocks(k=3, n=20, d=5, irrelevant=10, random_state=0)
    >>> model = NearestDisjointCentroid(n_init=10, random_state=0).fit(X, y)
    >>> display = CentroidDisplay.from_estimator(model, X, y, n_features=2)
    >>> display.bars.columns.tolist()
    ['class', 'feature', 'stands_out', 'mean_0', 'mean_1', 'mean_2']
    >>> len(display.bars)
    6
    """

    figure_: Figure
    axes_: np.ndarray

    def __init__(self, bars: pd.DataFrame, feature_counts: np.ndarray, classes: np.ndarray) -> None:
        self.bars = bars
        self.feature_counts = feature_counts
        self.classes = classes

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, n_features: int = 10, axes: Any = None) -> Self:
        """Compare the classes' means on the features that each owns, and draw them.

        Parameters
        ----------
        estimator : classifier or Pipeline
            Fitted model, such as DisjointPanelClassifier or NearestDisjointCentroidCV, or a pipeline that ends in
            one; values are then those after its transforms.
        X : array-like of shape (n_samples, n_features)
            The table, training data or new.
        y : array-like of shape (n_samples,)
            Its labels.
        n_features : int, default=10
            At most so many features per class, those in which it stands out most.
        axes : n_classes matplotlib Axes, default=None
            Where to draw. None: a new figure.

        Returns
        -------
        CentroidDisplay
            The display, with the drawn data on it.
        """
        return cls.of(estimator, X, y, n_features=n_features).plot(axes=axes)

    @classmethod
    def of(cls, estimator: Any, X: Any, y: Any, *, n_features: int = 10) -> Self:
        """Compare the means as :meth:`from_estimator` does, without drawing them."""
        bars = class_contrasts(estimator, X, y, n_features=n_features)
        classifier = classifier_of(estimator)
        counts = np.array([len(own) for own in classifier.feature_sets_])
        return cls(bars, counts, classifier.classes_)

    def plot(self, *, axes: Any = None, figure: Figure | None = None) -> Self:
        """Draw one panel per class.

        Parameters
        ----------
        axes : n_classes matplotlib Axes, default=None
            Where to draw. None: a new figure.
        figure : matplotlib Figure, default=None
            An empty figure to divide into panels, instead of a new one; as many in a row as it has room for.

        Returns
        -------
        CentroidDisplay
            This display, with ``axes_`` and ``figure_`` set.
        """
        n_classes = len(self.classes)
        self.axes_ = self._new_panels(figure) if axes is None else given_panels(axes, n_classes, "one per class")
        self.figure_ = self.axes_[0].figure
        spans = self.bars.filter(like="mean_").to_numpy()
        spans = spans[np.isfinite(spans)]
        low, high = min(0.0, spans.min(initial=0.0)), max(0.0, spans.max(initial=0.0))
        margin = 0.06 * (high - low) or 1.0
        for j, ax in enumerate(self.axes_):
            self._draw_class(ax, j)
            ax.set_xlim(low - margin, high + margin)
            if axes is not None:
                ax.set_xlabel("standard deviations from the other classes' average", fontsize=8)
        show_every_name(self.figure_)
        return self

    def figure_size(self, columns: int | None = None) -> tuple[float, float]:
        """Width and height in inches that the panels need, with ``columns`` of them in a row."""
        columns = _columns_for(len(self.classes)) if columns is None else columns
        rows = -(-len(self.classes) // columns)
        return (_WIDE if columns < 4 else _NARROW) * columns, rows * (0.25 * self._n_rows() + 0.9) + 0.7

    def _new_panels(self, figure: Figure | None) -> np.ndarray:
        n_classes = len(self.classes)
        if figure is None:
            import matplotlib.pyplot as plt

            figure = plt.figure(figsize=self.figure_size(), layout="constrained")
        columns = min(n_classes, max(1, int(figure.get_figwidth() // _NARROW)))
        grid = figure.subplots(-(-n_classes // columns), columns, squeeze=False)
        for ax in grid.ravel()[n_classes:]:
            ax.remove()
        figure.supxlabel(
            "mean of the class minus that of the other, in standard deviations within classes"
            if n_classes == 2
            else "mean of the class (bar) and of each other class (strokes), in standard deviations within classes;\n"
            "0 is the average of the other classes",
            fontsize=10,
        )
        panels: np.ndarray = grid.ravel()[:n_classes]
        return panels

    def _n_rows(self) -> int:
        """Rows of every panel, so that bars are equally thick in all of them."""
        return max(3, int(self.bars["class"].value_counts().max()) if len(self.bars) else 0)

    def _draw_class(self, ax: Axes, j: int) -> None:
        label = self.classes[j]
        bars = self.bars[self.bars["class"] == label]
        rows = np.arange(len(bars))
        name = shown_names(self.classes, 24)[j]
        ax.set_title(f"{name}\n{_how_many(len(bars), self.feature_counts[j])}", fontsize=9)
        ax.axvline(0.0, color=INK, linewidth=0.8)
        if bars["stands_out"].notna().any():
            ax.barh(rows - 0.15, bars["stands_out"], height=0.5, **bar_style(j))
            others = bars[[f"mean_{c}" for i, c in enumerate(self.classes) if i != j]].to_numpy()
            ax.vlines(
                others.ravel(),
                np.repeat(rows + 0.14, others.shape[1]),
                np.repeat(rows + 0.42, others.shape[1]),
                color=INK,
                linewidth=0.9,
            )
        else:
            text = "owns no feature" if len(bars) == 0 else "no samples of this class"
            ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", color=INK)
        ax.set_yticks(rows, shown_names(bars["feature"], 20), fontsize=8)
        ax.set_ylim(self._n_rows() - 0.4, -0.6)
        ax.tick_params(axis="x", labelsize=8)


def _columns_for(n_panels: int) -> int:
    return {1: 1, 2: 2, 3: 3, 4: 2}.get(n_panels, 3 if n_panels <= 9 else 4)


def _how_many(drawn: int, owned: int) -> str:
    return f"top {drawn} of {owned:,}" if drawn < owned else f"{owned:,} feature{'' if owned == 1 else 's'}"
