"""Pictures of fitted models, in scikit-learn's Display convention. Needs the extra ``plots``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from disjoint_centroids.training import SHARED, UNUSED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BAR = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#6C6C6C")
"""Okabe and Ito's colours, which colour-blind readers can tell apart; more classes start over."""


class PartitionDisplay:
    """Heat map of a table, rows sorted by class and columns by owner: a class's own block is where the two meet.

    Use :meth:`from_estimator`.

    Parameters
    ----------
    values : array of shape (n_samples, n_shown)
        The sorted table, columns standardised; features that nobody uses are thinned out.
    row_counts : array of shape (n_classes,)
        Samples of each class.
    column_counts : array of shape (n_classes + 2,)
        Shown features that each class owns, that all share, and that nobody uses.
    n_unused : int
        Features that nobody uses, shown or not.
    classes : array of shape (n_classes,)
        Class labels.

    Examples
    --------
    >>> from disjoint_centroids import NearestDisjointCentroid
    >>> from disjoint_centroids.datasets import make_blocks
    >>> from disjoint_centroids.plots import PartitionDisplay
    >>> X, y = make_blocks(k=3, n=20, d=5, irrelevant=10, random_state=0)
    >>> model = NearestDisjointCentroid(lam=1.0, n_init=10, random_state=0).fit(X, y)
    >>> display = PartitionDisplay.from_estimator(model, X, y)
    >>> display.values.shape[0]
    60
    """

    figure_: Figure
    ax_: Axes

    def __init__(
        self,
        values: np.ndarray,
        row_counts: np.ndarray,
        column_counts: np.ndarray,
        n_unused: int,
        classes: np.ndarray,
    ) -> None:
        self.values = values
        self.row_counts = row_counts
        self.column_counts = column_counts
        self.n_unused = n_unused
        self.classes = classes

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Self:
        """Sort a table by a fitted model's classes and owners, and draw it.

        Parameters
        ----------
        estimator : NearestDisjointCentroid or NearestDisjointCentroidCV
            Fitted model.
        X : array-like of shape (n_samples, n_features)
            The table, training data or new.
        y : array-like of shape (n_samples,)
            Its labels.
        ax : matplotlib Axes, default=None
            Where to draw. None: a new figure.

        Returns
        -------
        PartitionDisplay
            The display, with the drawn data on it.
        """
        check_is_fitted(estimator)
        values, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
        rows = np.concatenate([np.flatnonzero(labels == label) for label in estimator.classes_])
        row_counts = np.array([(labels == label).sum() for label in estimator.classes_])
        owner = estimator.owner_
        unused = np.flatnonzero(owner == UNUSED)
        # Dropped features are often most of the table: a few of them are enough to see that they are noise.
        shown = unused[:: max(1, int(np.ceil(unused.size / max(1, (owner != UNUSED).sum()))))]
        groups = [*(np.flatnonzero(owner == j) for j in range(len(row_counts))), np.flatnonzero(owner == SHARED), shown]
        spread = values.std(axis=0)
        standardised = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        display = cls(
            standardised[np.ix_(rows, np.concatenate(groups))],
            row_counts,
            np.array([len(group) for group in groups]),
            int(unused.size),
            estimator.classes_,
        )
        return display.plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw the heat map.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw. None: a new figure.

        Returns
        -------
        PartitionDisplay
            This display, with ``ax_`` and ``figure_`` set.
        """
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=(8, 5), layout="constrained")
        image = ax.imshow(self.values, aspect="auto", cmap="RdBu_r", vmin=-2.5, vmax=2.5, interpolation="nearest")
        ax.figure.colorbar(image, ax=ax, label="standardised value", shrink=0.8)
        self._mark_blocks(ax)
        row_edges = np.cumsum([0, *self.row_counts])
        ax.set_yticks((row_edges[:-1] + row_edges[1:]) / 2 - 0.5, [str(label) for label in self.classes])
        ax.set_ylabel("samples, by class")
        ax.set_xlabel("features, by owner")
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self

    def _mark_blocks(self, ax: Axes) -> None:
        """Frame each class's own block, and name the groups of columns."""
        from matplotlib.patches import Rectangle

        columns, rows = np.cumsum([0, *self.column_counts]), np.cumsum([0, *self.row_counts])
        names = [*(str(label) for label in self.classes), "shared", f"unused\n({self.n_unused})"]
        shown = np.flatnonzero(self.column_counts > 0)
        middles = [(columns[g] + columns[g + 1]) / 2 - 0.5 for g in shown]
        ax.set_xticks(middles, [names[g] for g in shown])
        for g in shown:
            ax.axvline(columns[g + 1] - 0.5, color="black", linewidth=0.6)
        for j in range(len(self.classes)):
            ax.axhline(rows[j + 1] - 0.5, color="black", linewidth=0.6)
            corner = (columns[j] - 0.5, rows[j] - 0.5)
            size = (self.column_counts[j], self.row_counts[j])
            ax.add_patch(
                Rectangle(corner, *size, fill=False, edgecolor=_BAR[j % len(_BAR)], linewidth=2.5, clip_on=False)
            )
