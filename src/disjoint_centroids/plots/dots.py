"""Picture of markers in classes: one dot per class and marker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from disjoint_centroids.plots.colours import INK, class_colour
from disjoint_centroids.plots.names import fit_side_by_side, shown_names, width_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.figure import Figure

_LARGEST = 150.0
"""Area of a dot of all samples, in square points."""

_COLUMN = 0.27
_ROW = 0.3
"""Width of a column and height of a row, in inches."""

_KEYS = 2.4, 1.5
"""Width and height of the keys beside the dots, in inches."""

_NARROWEST, _AROUND = 4.5, 0.7
_LETTERS = 24
_NAME_SIZE = 9.0
_SHARES = (0.25, 0.5, 1.0)


class MarkerDotDisplay:
    """Classes x markers: the size of a dot is the share of samples in which the marker is on, the colour its mean.

    Colours run from the smallest class mean of each marker to the largest, as in scanpy's ``dotplot`` with
    ``standard_scale="var"``. Above the markers of a class stands a bar with its name.

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
        names, labels = shown_names(markers["feature"], _LETTERS), shown_names(classes, _LETTERS)
        if ax is None:
            _, ax = plt.subplots(figsize=_figure_size(names, labels), layout="constrained")
        drawn = self._draw_dots(ax, n_classes, n_markers)
        _name_groups(ax, [classes.index(owner) for owner in markers["owner"]], classes)
        ax.set_xticks(range(n_markers), names, rotation=90, fontsize=_NAME_SIZE)
        ax.set_yticks(range(n_classes), labels, fontsize=_NAME_SIZE)
        ax.set_xlim(-0.6, n_markers - 0.4)
        ax.set_ylim(n_classes - 0.4, -0.6)
        ax.set_ylabel("class of the samples")
        ax.spines[["top", "right"]].set_visible(False)
        _add_keys(ax, drawn, n_classes, n_markers)
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self

    def _draw_dots(self, ax: Axes, n_classes: int, n_markers: int) -> PathCollection:
        means = self.dots["mean"].to_numpy().reshape(n_classes, n_markers)
        shares = self.dots["share_on"].to_numpy().reshape(n_classes, n_markers)
        low, span = np.nanmin(means, axis=0), np.ptp(means, axis=0)
        shade = np.divide(means - low, span, out=np.zeros_like(means), where=span > 0)
        rows, columns = np.indices(means.shape)
        return ax.scatter(
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


def _figure_size(names: list[str], labels: list[str]) -> tuple[float, float]:
    """Width and height in inches that leave room for dots, names of markers and of classes, and keys."""
    of_class = max(width_of(label, _NAME_SIZE) for label in labels)
    of_marker = max(width_of(name, _NAME_SIZE) for name in names)
    width = max(_NARROWEST, _COLUMN * len(names) + of_class + _KEYS[0])
    return width, max(_KEYS[1], _ROW * len(labels)) + of_marker + of_class + _AROUND


def _name_groups(ax: Axes, owners: list[int], classes: list[str]) -> None:
    """Draw a bar above the markers of each class, with the name of the class."""
    import matplotlib.pyplot as plt

    names = shown_names(classes, _LETTERS)
    starts = [at for at, owner in enumerate(owners) if at == 0 or owner != owners[at - 1]]
    ends = [*starts[1:], len(owners)]
    shown = [names[owners[start]] for start in starts]
    room = [_COLUMN * (end - start) for start, end in zip(starts, ends, strict=True)]
    turned = not fit_side_by_side(shown, room, _NAME_SIZE)
    for start, end, name in zip(starts, ends, shown, strict=True):
        colour = class_colour(owners[start])
        ax.add_patch(plt.Rectangle((start - 0.42, -0.98), end - start - 0.16, 0.2, facecolor=colour, clip_on=False))
        ax.annotate(
            name,
            ((start + end - 1) / 2, -0.98),
            xytext=(0, 3),
            textcoords="offset points",
            rotation=90 if turned else 0,
            ha="center",
            va="bottom",
            fontsize=_NAME_SIZE,
            annotation_clip=False,
        )


def _add_keys(ax: Axes, drawn: PathCollection, n_classes: int, n_markers: int) -> None:
    """Say what sizes and colours mean."""
    sizes = [ax.scatter([], [], s=_LARGEST * share, color="white", edgecolors=INK) for share in _SHARES]
    ax.legend(
        sizes,
        [f"{share:.0%}" for share in _SHARES],
        title="samples on",
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
    )
    # In inches, however large the picture is; the layout makes room for the legend.
    width, height = max(1.2, _COLUMN * n_markers), max(1.2, _ROW * n_classes)
    bar = ax.figure.colorbar(
        drawn,
        ax=ax,
        ticks=[0.0, 1.0],
        location="right",
        pad=0.15 / width,
        fraction=0.15 / width,
        shrink=min(1.0, 1.5 / height),
        aspect=10,
        anchor=(0.0, 1.0),
    )
    bar.ax.set_yticklabels(["lowest", "highest"])
    bar.set_label("class mean")
