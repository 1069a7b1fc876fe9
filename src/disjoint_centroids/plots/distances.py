"""How specific each class's list of features is: everybody's distance in everybody's own space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv

from disjoint_centroids.plots.colours import RATIOS_MAP, ink_on
from disjoint_centroids.plots.fitted import as_seen, class_codes, classifier_of, rows_of
from disjoint_centroids.plots.names import fit_side_by_side, shown_names
from disjoint_centroids.plots.panels import inches_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ANNOTATED = 15  # numbers are written into the cells for at most so many classes
_LEAST_RANGE = 2.0  # colours tell twice as far from equally far, also where nothing is so far


class DistanceDisplay:
    """Distances in every class's own space: row i, column j is how far samples of class i are from class j's centroid.

    A distance is the mean over the samples, on the features that class j owns, divided by that of class j's own
    samples: 1 on the diagonal, and well above 1 elsewhere where a list is specific. Below 1, the samples of another
    class are nearer to the centroid than those of the class itself. Use :meth:`from_estimator`.

    Parameters
    ----------
    distances : array of shape (n_samples, n_classes)
        Distance of each sample to each class's centroid; NaN where there was no such centroid.
    y : array of shape (n_samples,)
        Labels of the samples.
    classes : array of shape (n_classes,)
        Class labels, as the columns of ``distances``.

    Attributes
    ----------
    mean_distances : array of shape (n_classes, n_classes)
        Mean distance of the samples of class i to the centroid of class j; NaN for a class without samples, infinity
        for one without features.
    relative : array of shape (n_classes, n_classes)
        ``mean_distances``, each column divided by its diagonal entry.
    row_counts : array of shape (n_classes,)
        Samples of each class.
    ax_ : matplotlib Axes
        The picture.
    figure_ : matplotlib Figure
        The figure it is in.

    Examples
    --------
    >>> import numpy as np
    >>> from disjoint_centroids.plots import DistanceDisplay
    >>> distances = np.array([[1.0, 6.0], [3.0, 6.0], [4.0, 2.0]])
    >>> DistanceDisplay(distances, np.array(["a", "a", "b"]), np.array(["a", "b"])).relative
    array([[1., 3.],
           [2., 1.]])
    """

    figure_: Figure
    ax_: Axes

    def __init__(self, distances: np.ndarray, y: np.ndarray, classes: np.ndarray) -> None:
        self.distances = np.asarray(distances, dtype=np.float64)
        self.y = np.asarray(y)
        self.classes = np.asarray(classes)
        codes = class_codes(self.classes, self.distances, self.y)
        self.row_counts = np.bincount(codes, minlength=len(self.classes))
        self.mean_distances = np.stack([_means(self.distances[codes == i]) for i in range(len(self.classes))])
        with np.errstate(invalid="ignore", divide="ignore"):
            self.relative = self.mean_distances / np.diag(self.mean_distances)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, cv: Any = None, groups: Any = None, ax: Axes | None = None
    ) -> Self:
        """Measure how far samples are from every centroid, and draw it.

        Parameters
        ----------
        estimator : NearestDisjointCentroid, NearestDisjointCentroidCV or Pipeline
            The model, or a pipeline that ends in one. It must be fitted unless ``cv`` is given.
        X : array-like of shape (n_samples, n_features)
            With ``cv`` the training samples; without it samples that the model has not seen. On those it was trained
            on, every list looks more specific than it is.
        y : array-like of shape (n_samples,)
            Their labels.
        cv : int, splitter or iterable, default=None
            Distances are then held out: a copy of the model is fitted for each fold, and measures the samples left
            out. An int means stratified folds. None: ``X`` is taken as new data.
        groups : array-like of shape (n_samples,), default=None
            Passed to the splitter.
        ax : matplotlib Axes, default=None
            Where to draw. None: a new figure.

        Returns
        -------
        DistanceDisplay
            The display, with the drawn data on it.
        """
        if cv is None:
            classifier = classifier_of(estimator)
            display = cls(classifier.distances(as_seen(estimator, X)), np.asarray(y), classifier.classes_)
        else:
            display = cls(*_held_out(estimator, X, np.asarray(y), cv, groups))
        return display.plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw. None: a new figure.

        Returns
        -------
        DistanceDisplay
            This display, with ``ax_`` and ``figure_`` set.
        """
        import matplotlib.pyplot as plt
        from matplotlib.colors import LogNorm

        if ax is None:
            side = min(3.2 + 0.42 * len(self.classes), 12)
            _, ax = plt.subplots(figsize=(side + 2.0, side + 0.6), layout="compressed")
        widest = self._widest()
        shown = np.where(np.isnan(self.relative), np.nan, np.clip(self.relative, 1 / widest, widest))
        image = ax.imshow(np.ma.masked_invalid(shown), cmap=RATIOS_MAP, norm=LogNorm(1 / widest, widest))
        ax.set_facecolor("0.85")  # what could not be measured
        ticks = widest ** np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
        bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, ticks=ticks)
        bar.ax.minorticks_off()
        bar.ax.set_yticks(ticks, labels=[f"{tick:.2g}" for tick in ticks])
        bar.set_label("distance, relative to the class's own samples")
        self._name_classes(ax)
        if len(self.classes) <= _ANNOTATED:
            self._write_ratios(ax, image, shown)
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self

    def _widest(self) -> float:
        """The largest factor away from one: the colours go as far in both directions."""
        ratios = self.relative[np.isfinite(self.relative) & (self.relative > 0)]
        return float(np.exp(np.abs(np.log(ratios)).max(initial=np.log(_LEAST_RANGE))))

    def _name_classes(self, ax: Axes) -> None:
        places = np.arange(len(self.classes))
        labels = shown_names(self.classes, 20)
        size = 10.0 if len(labels) <= 8 else 8.0
        level = fit_side_by_side(labels, [inches_of(ax)[0] / len(labels)] * len(labels), size)
        ax.set_xticks(places, labels, fontsize=size, rotation=0 if level else 90)
        rows = [f"{label} ({n})" for label, n in zip(labels, self.row_counts, strict=True)]
        ax.set_yticks(places, rows, fontsize=size)
        ax.set_xlabel("to the centroid of this class, on the features it owns")
        ax.set_ylabel("samples of this class (how many)")

    def _write_ratios(self, ax: Axes, image: Any, shown: np.ndarray) -> None:
        size = 10 if len(self.classes) <= 6 else 7
        for (i, j), ratio in np.ndenumerate(self.relative):
            known = bool(np.isfinite(shown[i, j]))
            text = _short(ratio) if known else "–"  # noqa: RUF001 - a dash
            colour = ink_on(image.cmap(image.norm(shown[i, j]))) if known else "black"
            ax.text(j, i, text, ha="center", va="center", fontsize=size, color=colour)


def _held_out(estimator: Any, X: Any, y: np.ndarray, cv: Any, groups: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distances of left-out samples, their labels, and the classes; NaN where a fold was trained without a class."""
    classes, parts, labels = np.unique(y), [], []
    for train, test in check_cv(cv, y, classifier=True).split(X, y, groups):
        model = clone(estimator).fit(rows_of(X, train), y[train])
        part = np.full((len(y[test]), len(classes)), np.nan)
        classifier = classifier_of(model)
        part[:, np.searchsorted(classes, classifier.classes_)] = classifier.distances(as_seen(model, rows_of(X, test)))
        parts.append(part)
        labels.append(y[test])
    return np.concatenate(parts), np.concatenate(labels), classes


def _means(rows: np.ndarray) -> np.ndarray:
    """Mean of each column over the entries that are there; NaN where there are none."""
    there = ~np.isnan(rows)
    counts = there.sum(axis=0)
    return np.divide(
        np.where(there, rows, 0.0).sum(axis=0), counts, out=np.full(rows.shape[1], np.nan), where=counts > 0
    )


def _short(ratio: float) -> str:
    if np.isinf(ratio):
        return "∞"
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"
