"""Picture of the stability of the feature sets: share of fits on halves of the data in which a class owns a feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from disjoint_centroids.evaluation.stability import NOBODY_COLUMN, SHARED_COLUMN, OwnershipStability
from disjoint_centroids.plots.colours import INK, bar_style
from disjoint_centroids.plots.fonts import show_every_name
from disjoint_centroids.plots.names import shown_names

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NOBODY: dict[str, Any] = {"facecolor": "#EDEDED", "edgecolor": "#9A9A9A", "linewidth": 0.5}
_SHARED: dict[str, Any] = {"facecolor": "white", "edgecolor": INK, "linewidth": 0.5, "hatch": "|||"}
_ROW = 0.23  # inches
_MOST = 30  # features drawn by default, unless there are more classes
_SWATCH = 0.016  # of the width, before a class's name


class StabilityDisplay:
    """Stacked bars of the features that each class owns most often: share of the fits in which each class owns them.

    Every class has a heading in its colour and below it its features, the surest first. A bar begins with the share
    of that class: where it reaches the line of the cut-off, the feature is stable. Use :meth:`from_estimator`.

    Parameters
    ----------
    probabilities : pandas.DataFrame of shape (n_shown, n_classes + 1 or 2)
        Rows of ``OwnershipStability.probabilities_`` that are drawn, class by class.
    owners : array of shape (n_shown,)
        Index of the class under which each row stands.
    stable_counts : array of shape (n_classes,)
        Features of each class that reach the cut-off, drawn or not.
    classes : array of shape (n_classes,)
        Class labels.
    cutoff : float
        Where the line is.
    n_resamples : int
        Number of fits.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it is drawn.
    figure_ : matplotlib Figure
        The figure it is in.

    Examples
    --------
    >>> from disjoint_centroids import NearestDisjointCentroid
    >>> from disjoint_centroids.datasets import make_blocks
    >>> from disjoint_centroids.plots import StabilityDisplay
    >>> from disjoint_centroids.evaluation.stability import OwnershipStability
    >>> X, y = make_blocks(k=2, n=20, d=4, mu=(2.0, 0.0), sigma=(1.0, 2.0), irrelevant=8, random_state=0)
    >>> model = NearestDisjointCentroid(lam=0.8, n_init=10)
    >>> stability = OwnershipStability(model, n_resamples=10, random_state=0).fit(X, y)
    >>> display = StabilityDisplay.from_estimator(stability, max_features=6)
    >>> display.probabilities.shape
    (6, 3)
    """

    figure_: Figure
    ax_: Axes

    def __init__(
        self,
        probabilities: pd.DataFrame,
        owners: np.ndarray,
        stable_counts: np.ndarray,
        classes: np.ndarray,
        cutoff: float,
        n_resamples: int,
    ) -> None:
        self.probabilities = probabilities
        self.owners = owners
        self.stable_counts = stable_counts
        self.classes = classes
        self.cutoff = cutoff
        self.n_resamples = n_resamples

    @classmethod
    def from_estimator(cls, estimator: Any, *, max_features: int | None = None, ax: Axes | None = None) -> Self:
        """Choose the features that classes own most often, and draw them.

        Parameters
        ----------
        estimator : OwnershipStability
            Fitted.
        max_features : int, default=None
            At most so many features are drawn, as many of one class as of another while they last; at least one of
            every class. None: 30, or the number of classes if that is more.
        ax : matplotlib Axes, default=None
            Where to draw. None: a new figure.

        Returns
        -------
        StabilityDisplay
            The display, with the drawn data on it.
        """
        display = cls.of(estimator, max_features)
        return display.plot(ax=ax)

    @classmethod
    def of(cls, estimator: Any, max_features: int | None = None) -> Self:
        """Select the rows that :meth:`from_estimator` draws, without drawing them; :meth:`figure_size` gives the size.

        Parameters
        ----------
        estimator : OwnershipStability
            Fitted.
        max_features : int, default=None
            As for :meth:`from_estimator`.

        Returns
        -------
        StabilityDisplay
            Call :meth:`plot` on it.
        """
        if not isinstance(estimator, OwnershipStability):
            raise ValueError(
                f"There is nothing to draw for {type(estimator).__name__}. Give a fitted OwnershipStability."
            )
        check_is_fitted(estimator)
        n_classes = len(estimator.classes_)
        if max_features is None:
            max_features = max(_MOST, n_classes)
        if max_features < n_classes:
            raise ValueError(
                f"max_features={max_features} leaves some of {n_classes} classes without a row. "
                f"Give at least {n_classes}."
            )
        shares = estimator.probabilities_.to_numpy()[:, :n_classes]
        groups = []
        for j in range(n_classes):
            own = np.flatnonzero(estimator.owner_ == j)
            groups.append(own[np.argsort(-shares[own, j], kind="stable")])
        lengths = _equal_parts([len(group) for group in groups], max_features)
        shown = np.concatenate([group[:most] for group, most in zip(groups, lengths, strict=True)])
        return cls(
            estimator.probabilities_.iloc[shown],
            np.repeat(np.arange(n_classes), lengths),
            np.array([len(names) for names in estimator.stable_features_.values()]),
            estimator.classes_,
            estimator.cutoff,
            len(estimator.owners_),
        )

    def figure_size(self) -> tuple[float, float]:
        """Width and height in inches in which the names can be read.

        Returns
        -------
        pair of floats
            In inches.
        """
        return 8.0, _ROW * (len(self.probabilities) + len(self.classes)) + 1.5

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw. None: a new figure.

        Returns
        -------
        StabilityDisplay
            This display, with ``ax_`` and ``figure_`` set.
        """
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=self.figure_size(), layout="constrained")
        # A heading before the features of each class: row of a feature = features and headings before it.
        rows = np.arange(len(self.owners)) + self.owners + 1
        n_rows = len(self.owners) + len(self.classes)
        self._draw_bars(ax, rows)
        self._write_headings(ax)
        ax.axvline(self.cutoff, color="black", linewidth=1.2, linestyle=(0, (4, 2)), zorder=3)
        ax.annotate(
            f"stable from {self.cutoff:g} on",
            (self.cutoff, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=9,
        )
        ax.set_yticks(rows, shown_names(self.probabilities.index, 30), fontsize=8.5)
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(n_rows - 0.4, -0.6)
        ax.set_xlim(0.0, 1.0)
        ax.set_xlabel(f"who owns the feature: share of {self.n_resamples} fits on halves of the samples")
        ax.spines[["top", "right", "left"]].set_visible(False)
        self._add_legend(ax)
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        show_every_name(self.figure_)
        return self

    def _draw_bars(self, ax: Axes, rows: np.ndarray) -> None:
        n_classes = len(self.classes)
        shares = self.probabilities.to_numpy()
        columns = list(self.probabilities.columns)
        last = [columns.index(name) for name in (SHARED_COLUMN, NOBODY_COLUMN) if name in columns[n_classes:]]
        for row, own, share in zip(rows, self.owners, shares, strict=True):
            left = 0.0
            for column in [own, *(j for j in range(n_classes) if j != own), *last]:
                if share[column] > 0:
                    ax.barh(row, share[column], left=left, height=0.78, **self._style(column))
                    left += share[column]

    def _style(self, column: int) -> dict[str, Any]:
        if column < len(self.classes):
            return bar_style(column)
        return _NOBODY if self.probabilities.columns[column] == NOBODY_COLUMN else _SHARED

    def _write_headings(self, ax: Axes) -> None:
        """Write the name and the colour of each class above its features."""
        from matplotlib.patches import Rectangle

        counts = np.bincount(self.owners, minlength=len(self.classes))
        top = 0
        for j, name in enumerate(shown_names(self.classes, 36)):
            ax.add_patch(Rectangle((0.0, top - 0.22), _SWATCH, 0.52, **bar_style(j)))
            ax.text(
                _SWATCH + 0.008,
                top + 0.05,
                f"{name}: {_counted(int(self.stable_counts[j]), int(counts[j]))}",
                va="center",
                fontsize=9,
                fontweight="bold",
                color=INK,
                zorder=4,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
            )
            top += 1 + counts[j]

    def _add_legend(self, ax: Axes) -> None:
        from matplotlib.patches import Patch

        handles = []
        if self.probabilities[NOBODY_COLUMN].any():
            handles.append(Patch(label="used by nobody", **_NOBODY))
        if SHARED_COLUMN in self.probabilities and self.probabilities[SHARED_COLUMN].any():
            handles.append(Patch(label="shared by all", **_SHARED))
        if handles:
            ax.legend(handles=handles, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, frameon=False, fontsize=9)


def _counted(stable: int, shown: int) -> str:
    """Number of stable features of a class, and of those that are drawn, in words."""
    words = f"{stable} stable feature{'' if stable == 1 else 's'}"
    return f"{words}, {shown} shown" if stable > shown else words


def _equal_parts(sizes: list[int], total: int) -> list[int]:
    """Share a total out among lists: long lists are cut to one length, and the rest goes to the first of them."""
    parts = [0] * len(sizes)
    while total > 0 and any(part < size for part, size in zip(parts, sizes, strict=True)):
        for at, size in enumerate(sizes):
            if total > 0 and parts[at] < size:
                parts[at] += 1
                total -= 1
    return parts
