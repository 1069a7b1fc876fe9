"""Picture of how samples of each class measure against every class: one cell per pair of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from disjoint_centroids.evaluation.class_matrix import ClassMatrix, class_matrix
from disjoint_centroids.plots.axes import inches_of
from disjoint_centroids.plots.colours import GAPS_MAP, RATIOS_MAP, ink_on
from disjoint_centroids.plots.fonts import show_every_name
from disjoint_centroids.plots.names import fit_side_by_side, shown_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ANNOTATED = 15  # numbers are written into the cells of at most so many classes
_READ = {"own": ", from the features it owns", "all": ", from the features of all panels", None: ""}
_LEAST_RANGE = 2.0  # colours tell twice as far, or two standard deviations, from none, also where nothing is so far


class ClassMatrixDisplay:
    """Heat map of all pairs of classes: row i, column j compares samples of class i with class j, on its features.

    Classifiers with centroids have distances: a cell is the mean distance of the samples to the centroid of class j,
    divided by that of class j's own samples; 1 on the diagonal, and well above 1 elsewhere where the features of class
    j are specific. Panels have scores: a cell is the mean score for class j minus that of class j's own samples, in
    standard deviations within classes; 0 on the diagonal, and well below 0 elsewhere. Near 1, or 0, the features cannot
    tell the samples of the other class from its own. The score of a class may read the features of all panels; with
    ``reads="own"`` a column is about the panel of its class alone. Use :meth:`from_estimator`.

    Parameters
    ----------
    matrix : ClassMatrix
        From :func:`disjoint_centroids.evaluation.class_matrix.class_matrix`, or from
        :meth:`disjoint_centroids.evaluation.class_matrix.ClassMatrix.of`.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The heat map.
    figure_ : matplotlib Figure
        The figure it is in.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids import DisjointPanelClassifier
    >>> from disjoint_centroids.evaluation.class_matrix import ClassMatrix
    >>> from disjoint_centroids.plots import ClassMatrixDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DisjointPanelClassifier(random_state=0).fit(X, y)

    The scores of the training samples while they were held out are there already:

    >>> matrix = ClassMatrix.of(model.held_out_scores_, y, model.classes_, measure="score")
    >>> display = ClassMatrixDisplay(matrix).plot()
    >>> bool(display.matrix.contrasts[1, 0] < -2)
    True
    """

    figure_: Figure
    ax_: Axes

    def __init__(self, matrix: ClassMatrix) -> None:
        self.matrix = matrix

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        measure: Literal["score", "distance"] | None = None,
        cv: Any = None,
        groups: Any = None,
        ax: Axes | None = None,
    ) -> Self:
        """Measure samples against every class, and draw the means.

        Parameters
        ----------
        estimator : classifier or Pipeline
            A classifier of this package, or a pipeline that ends in one. It must be fitted unless ``cv`` is given.
        X : array-like of shape (n_samples, n_features)
            With ``cv`` the training samples; without it samples that the model has not seen. On those it was trained
            on, all features look more specific than they are.
        y : array-like of shape (n_samples,)
            Their labels.
        measure : {"score", "distance"}, default=None
            Scores (those of classifiers with centroids are minus their squared distances), or distances, which only
            classifiers with centroids have. None: distances where there are some.
        cv : int, splitter or iterable, default=None
            Measures are then held out: a copy of the model is fitted for each fold, and measures the samples left
            out. An int means stratified folds. None: ``X`` is taken as new data.
        groups : array-like of shape (n_samples,), default=None
            Passed to the splitter.
        ax : matplotlib Axes, default=None
            Where to draw. None: a new figure.

        Returns
        -------
        ClassMatrixDisplay
            The display, with the drawn data on it.
        """
        return cls(class_matrix(estimator, X, y, measure=measure, cv=cv, groups=groups)).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw the heat map.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw. None: a new figure.

        Returns
        -------
        ClassMatrixDisplay
            This display, with ``ax_`` and ``figure_`` set.
        """
        if ax is None:
            ax = _new_axes(len(self.matrix.classes))
        draw = self._draw_distances if self.matrix.measure == "distance" else self._draw_scores
        draw(ax)
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        show_every_name(self.figure_)
        return self

    def _draw_distances(self, ax: Axes) -> None:
        from matplotlib.colors import LogNorm

        ratios = self.matrix.contrasts
        # The largest factor away from one: the colours go as far in both directions.
        known = ratios[np.isfinite(ratios) & (ratios > 0)]
        widest = float(np.exp(np.abs(np.log(known)).max(initial=np.log(_LEAST_RANGE))))
        shown = np.where(np.isnan(ratios), np.nan, np.clip(ratios, 1 / widest, widest))
        image = ax.imshow(np.ma.masked_invalid(shown), cmap=RATIOS_MAP, norm=LogNorm(1 / widest, widest))
        ticks = widest ** np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
        bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, ticks=ticks)
        bar.ax.minorticks_off()
        bar.ax.set_yticks(ticks, labels=[f"{tick:.2g}" for tick in ticks])
        bar.set_label("distance, relative to the class's own samples")
        self._name_classes(ax)
        ax.set_xlabel("to the centroid of this class, on the features it owns")
        self._write_cells(ax, image, shown, _ratio)

    def _draw_scores(self, ax: Axes) -> None:
        gaps = self.matrix.contrasts
        widest = float(np.abs(gaps[np.isfinite(gaps)]).max(initial=_LEAST_RANGE))
        image = ax.imshow(np.ma.masked_invalid(gaps), cmap=GAPS_MAP, vmin=-widest, vmax=widest)
        bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
        bar.set_label("score, in standard deviations\n(0: that of the class's own samples)")
        self._name_classes(ax)
        ax.set_xlabel(f"score of this class{_READ[self.matrix.reads]}")
        self._write_cells(ax, image, gaps, _gap)

    def _name_classes(self, ax: Axes) -> None:
        """Name columns, and rows with their numbers of samples."""
        places = np.arange(len(self.matrix.classes))
        labels = shown_names(self.matrix.classes, 20)
        size = 10.0 if len(labels) <= 8 else 8.0
        level = fit_side_by_side(labels, [inches_of(ax)[0] / len(labels)] * len(labels), size)
        ax.set_xticks(places, labels, fontsize=size, rotation=0 if level else 90)
        rows = [f"{label} ({n})" for label, n in zip(labels, self.matrix.counts, strict=True)]
        ax.set_yticks(places, rows, fontsize=size)
        ax.set_facecolor("0.85")  # cells without a measure
        ax.set_ylabel("samples of this class (how many)")

    def _write_cells(self, ax: Axes, image: Any, shown: np.ndarray, text_of: Callable[[float], str]) -> None:
        """Write every number, in ink that can be read on the colour of its cell; a dash where there is none."""
        if len(shown) > _ANNOTATED:
            return
        size = 10 if len(shown) <= 6 else 7
        for (i, j), value in np.ndenumerate(shown):
            known = bool(np.isfinite(value))
            text = text_of(float(self.matrix.contrasts[i, j])) if known else "–"  # noqa: RUF001 - a dash
            colour = ink_on(image.cmap(image.norm(value))) if known else "black"
            ax.text(j, i, text, ha="center", va="center", fontsize=size, color=colour)


def _new_axes(n_classes: int) -> Axes:
    """Make a new figure, large enough for one cell per pair of classes."""
    import matplotlib.pyplot as plt

    side = min(3.2 + 0.42 * n_classes, 12)
    _, ax = plt.subplots(figsize=(side + 2.0, side + 0.6), layout="compressed")
    return ax


def _ratio(ratio: float) -> str:
    if np.isinf(ratio):
        return "∞"
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


def _gap(gap: float) -> str:
    return f"{gap:.1f}".replace("-", "\N{MINUS SIGN}") if round(gap, 1) else "0"
