"""Picture of markers in classes: one dot per class and marker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from disjoint_centroids.plots.colours import INK, class_colour
from disjoint_centroids.plots.names import shown_names

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LARGEST = 150.0
"""Area of a dot of all samples, in square points."""

_LETTERS = 24
_SHARES = (0.25, 0.5, 1.0)


class MarkerDotDisplay:
    """Classes x markers: the size of a dot is the share of samples in which the marker is on, the colour its mean.

    Colours run from the smallest class mean of each marker to the largest, as in scanpy's ``dotplot`` with
    ``standard_scale="var"``. A bar below the markers has the colour of the class that they are meant for.

    Use :meth:`from_table`.

    Parameters
    ----------
    dots : pandas.DataFrame
        One row per class and marker: ``class``, ``feature``, ``owner``, ``share_on`` and ``mean``, as
        :class:`disjoint_centroids.markers.MarkerEvaluation` has it.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it is drawn.
    figure_ : matplotlib Figure
        The figure it is in.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from disjoint_centroids.markers import evaluate_markers
    >>> from disjoint_centroids.plots import MarkerDotDisplay
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> found = evaluate_markers(X, y, ["proline", "hue"], cv=2)
    >>> len(MarkerDotDisplay.from_table(found.dots).ax_.get_yticks())
    3
    """

    figure_: Figure
    ax_: Axes

    def __init__(self, dots: pd.DataFrame) -> None:
        self.dots = dots

    @classmethod
    def from_table(cls, dots: pd.DataFrame, *, ax: Axes | None = None) -> Self:
        """Draw the dots of a table.

        Parameters
        ----------
        dots : pandas.DataFrame
            One row per class and marker.
        ax : matplotlib Axes, default=None
            Where to draw. None: a new figure.

        Returns
        -------
        MarkerDotDisplay
            The display, with the table on it.
        """
        return cls(dots).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw a dot for each class and marker.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw. None: a new figure.

        Returns
        -------
        MarkerDotDisplay
            This display, with ``ax_`` and ``figure_`` set.
        """
        import matplotlib.pyplot as plt

        classes = list(dict.fromkeys(self.dots["class"]))
        markers = self.dots.drop_duplicates("feature")
        n_classes, n_markers = len(classes), len(markers)
        if ax is None:
            size = (max(4.5, 0.27 * n_markers + 3.0), max(2.6, 0.3 * n_classes + 1.9))
            _, ax = plt.subplots(figsize=size, layout="constrained")
        means = self.dots["mean"].to_numpy().reshape(n_classes, n_markers)
        shares = self.dots["share_on"].to_numpy().reshape(n_classes, n_markers)
        low, span = np.nanmin(means, axis=0), np.ptp(means, axis=0)
        shade = np.divide(means - low, span, out=np.zeros_like(means), where=span > 0)
        rows, columns = np.indices(means.shape)
        drawn = ax.scatter(
            columns.ravel(),
            rows.ravel(),
            s=_LARGEST * shares.ravel(),
            c=shade.ravel(),
            cmap="Reds",
            vmin=0.0,
            vmax=1.0,
            edgecolors=INK,
            linewidths=0.4,
        )
        for at, owner in enumerate(markers["owner"]):
            colour = class_colour(classes.index(owner))
            ax.add_patch(plt.Rectangle((at - 0.5, n_classes - 0.45), 1.0, 0.22, facecolor=colour, edgecolor="white"))
        ax.set_xticks(range(n_markers), shown_names(markers["feature"], _LETTERS), rotation=90)
        ax.set_yticks(range(n_classes), shown_names(classes, _LETTERS))
        ax.set_xlim(-0.6, n_markers - 0.4)
        ax.set_ylim(n_classes - 0.2, -0.6)
        ax.spines[["top", "right"]].set_visible(False)
        sizes = [ax.scatter([], [], s=_LARGEST * share, color="white", edgecolors=INK) for share in _SHARES]
        ax.legend(
            sizes,
            [f"{share:.0%}" for share in _SHARES],
            title="samples on",
            loc="upper left",
            bbox_to_anchor=(1.01, 1.0),
            frameon=False,
        )
        bar = ax.figure.colorbar(drawn, ax=ax, shrink=0.7, ticks=[0.0, 1.0], location="right", pad=0.14)
        bar.ax.set_yticklabels(["lowest", "highest"])
        bar.set_label("class mean")
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self
