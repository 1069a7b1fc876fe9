"""How specific each class's panel is: everybody's score by everybody's own features."""

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
from disjoint_centroids.plots.colours import GAPS_MAP
from disjoint_centroids.plots.fitted import class_codes, class_scores, classifier_of
from disjoint_centroids.plots.fonts import show_every_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEAST_RANGE = 2.0  # colours tell two standard deviations from none, also where nothing is so far


class ScoreDisplay:
    """Scores by every class's own features: row i, column j is how high class j scores samples of class i.

    A cell is the mean over the samples, from which the mean over class j's own samples is taken, in standard
    deviations of the score within classes: 0 on the diagonal, and well below 0 elsewhere where the features of class
    j are specific. Near 0, they cannot tell the samples of the other class from its own; above, they prefer them. Use
    :meth:`from_estimator`.

    Parameters
    ----------
    scores : array of shape (n_samples, n_classes)
        Score of each sample for each class; NaN or minus infinity where there was none.
    y : array of shape (n_samples,)
        Labels of the samples.
    classes : array of shape (n_classes,)
        Class labels, as the columns of ``scores``.

    Attributes
    ----------
    mean_scores : array of shape (n_classes, n_classes)
        Mean score of the samples of class i for class j; NaN where there are none.
    separation : array of shape (n_classes, n_classes)
        ``mean_scores``, from each column its diagonal entry taken, divided by the standard deviation within classes.
    row_counts : array of shape (n_classes,)
        Samples of each class.
    ax_ : matplotlib Axes
        The picture.
    figure_ : matplotlib Figure
        The figure it is in.

    See Also
    --------
    DistanceDisplay : The same question for classifiers with distances to centroids.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids import DisjointPanelClassifier
    >>> from disjoint_centroids.plots import ScoreDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DisjointPanelClassifier(random_state=0).fit(X, y)

    What the folds of the fit said of the training samples is there already:

    >>> display = ScoreDisplay(model.held_out_scores_, y, model.classes_).plot()
    >>> bool(display.separation[1, 0] < -2)
    True
    """

    figure_: Figure
    ax_: Axes

    def __init__(self, scores: np.ndarray, y: np.ndarray, classes: np.ndarray) -> None:
        self.scores = np.asarray(scores, dtype=np.float64)
        self.y = np.asarray(y)
        self.classes = np.asarray(classes)
        codes = class_codes(self.classes, self.scores, self.y)
        self.row_counts = np.bincount(codes, minlength=len(self.classes))
        known = np.where(np.isfinite(self.scores), self.scores, np.nan)
        self.mean_scores = means_by_class(known, codes, len(self.classes))
        self.separation = (self.mean_scores - np.diag(self.mean_scores)) / _spread_within(
            known, self.mean_scores[codes]
        )

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, cv: Any = None, groups: Any = None, ax: Axes | None = None
    ) -> Self:
        """Score samples for every class, and draw it.

        Parameters
        ----------
        estimator : classifier or Pipeline
            Any classifier of this package, or a pipeline that ends in one. It must be fitted unless ``cv`` is given.
            The scores of those with centroids are minus their squared distances.
        X : array-like of shape (n_samples, n_features)
            With ``cv`` the training samples; without it samples that the model has not seen. On those it was trained
            on, every panel looks more specific than it is.
        y : array-like of shape (n_samples,)
            Their labels.
        cv : int, splitter or iterable, default=None
            Scores are then held out: a copy of the model is fitted for each fold, and scores the samples left out. An
            int means stratified folds. None: ``X`` is taken as new data.
        groups : array-like of shape (n_samples,), default=None
            Passed to the splitter.
        ax : matplotlib Axes, default=None
            Where to draw. None: a new figure.

        Returns
        -------
        ScoreDisplay
            The display, with the drawn data on it.
        """
        if cv is None:
            classifier = classifier_of(estimator)
            display = cls(class_scores(classifier, as_seen(estimator, X)), np.asarray(y), classifier.classes_)
        else:
            display = cls(*measured_when_held_out(estimator, X, np.asarray(y), cv, groups, class_scores))
        return display.plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw. None: a new figure.

        Returns
        -------
        ScoreDisplay
            This display, with ``ax_`` and ``figure_`` set.
        """
        if ax is None:
            ax = new_axes(len(self.classes))
        widest = float(np.abs(self.separation[np.isfinite(self.separation)]).max(initial=_LEAST_RANGE))
        image = ax.imshow(np.ma.masked_invalid(self.separation), cmap=GAPS_MAP, vmin=-widest, vmax=widest)
        bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
        bar.set_label("score, in standard deviations\n(0: that of the class's own samples)")
        name_classes(ax, self.classes, self.row_counts)
        ax.set_xlabel("score of this class, from the features it owns")
        write_cells(ax, image, self.separation, [[_short(gap) for gap in row] for row in self.separation])
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        show_every_name(self.figure_)
        return self


def _spread_within(scores: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Pooled standard deviation of every score within classes; 1 where a score does not vary."""
    gaps = scores - means
    spread = np.sqrt(np.nansum(gaps**2, axis=0) / np.maximum((~np.isnan(gaps)).sum(axis=0), 1))
    return np.where(spread > 0, spread, 1.0)


def _short(gap: float) -> str:
    return f"{gap:.1f}".replace("-", "\N{MINUS SIGN}") if round(gap, 1) else "0"
