"""How specific each class's list of features is: everybody's distance in everybody's own space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from disjoint_centroids.pipeline import as_seen
from disjoint_centroids.plots.class_matrix import (
    means_by_class,
    measured_when_held_out,
    name_classes,
    new_axes,
    write_cells,
)
from disjoint_centroids.plots.colours import RATIOS_MAP
from disjoint_centroids.plots.fitted import class_codes, classifier_of
from disjoint_centroids.plots.fonts import show_every_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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

    See Also
    --------
    ScoreDisplay : The same question for classifiers with scores instead of distances.

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
        self.mean_distances = means_by_class(self.distances, codes, len(self.classes))
        with np.errstate(invalid="ignore", divide="ignore"):
            self.relative = self.mean_distances / np.diag(self.mean_distances)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, cv: Any = None, groups: Any = None, ax: Axes | None = None
    ) -> Self:
        """Measure how far samples are from every centroid, and draw it.

        Parameters
        ----------
        estimator : classifier or Pipeline
            A model with distances to centroids, such as NearestDisjointCentroidCV, or a pipeline that ends in one. It
            must be fitted unless ``cv`` is given.
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
            display = cls(_distances(classifier, as_seen(estimator, X)), np.asarray(y), classifier.classes_)
        else:
            display = cls(*measured_when_held_out(estimator, X, np.asarray(y), cv, groups, _distances))
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
        from matplotlib.colors import LogNorm

        if ax is None:
            ax = new_axes(len(self.classes))
        widest = self._widest()
        shown = np.where(np.isnan(self.relative), np.nan, np.clip(self.relative, 1 / widest, widest))
        image = ax.imshow(np.ma.masked_invalid(shown), cmap=RATIOS_MAP, norm=LogNorm(1 / widest, widest))
        ticks = widest ** np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
        bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, ticks=ticks)
        bar.ax.minorticks_off()
        bar.ax.set_yticks(ticks, labels=[f"{tick:.2g}" for tick in ticks])
        bar.set_label("distance, relative to the class's own samples")
        name_classes(ax, self.classes, self.row_counts)
        ax.set_xlabel("to the centroid of this class, on the features it owns")
        write_cells(ax, image, shown, [[_short(ratio) for ratio in row] for row in self.relative])
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        show_every_name(self.figure_)
        return self

    def _widest(self) -> float:
        """The largest factor away from one: the colours go as far in both directions."""
        ratios = self.relative[np.isfinite(self.relative) & (self.relative > 0)]
        return float(np.exp(np.abs(np.log(ratios)).max(initial=np.log(_LEAST_RANGE))))


def _distances(classifier: Any, seen: Any) -> np.ndarray:
    if not hasattr(classifier, "distances"):
        raise ValueError(
            f"{type(classifier).__name__} has scores and no distances. ScoreDisplay draws the same picture of scores."
        )
    found: np.ndarray = classifier.distances(seen)
    return found


def _short(ratio: float) -> str:
    if np.isinf(ratio):
        return "∞"
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"
