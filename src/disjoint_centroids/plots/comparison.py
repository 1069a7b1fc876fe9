"""Picture of a comparison of methods on one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from disjoint_centroids.evaluation.comparison_summary import comparison_summary
from disjoint_centroids.plots.colours import INK, OKABE_ITO

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class ComparisonDisplay:
    """Held-out error of each method with its 95 % confidence interval, the best on top, and the features each uses.

    Methods of this package have a colour of their own.

    Use :meth:`from_table`.

    Parameters
    ----------
    summary : pandas.DataFrame
        One row per method, the lowest error first, as
        :func:`disjoint_centroids.evaluation.comparison_summary.comparison_summary` returns it.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it is drawn.
    figure_ : matplotlib Figure
        The figure it is in.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids.evaluation import compare
    >>> from disjoint_centroids.plots import ComparisonDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> table = compare(X, y, methods=["NDC", "NC"], repeats=1, n_init=5)
    >>> sorted(ComparisonDisplay.from_table(table).summary.index)
    ['NC', 'NDC']
    """

    figure_: Figure
    ax_: Axes

    def __init__(self, summary: pd.DataFrame) -> None:
        self.summary = summary

    @classmethod
    def from_table(cls, table: pd.DataFrame, *, ax: Axes | None = None) -> Self:
        """Summarise what :func:`disjoint_centroids.evaluation.comparison.compare` returns, and draw it.

        Parameters
        ----------
        table : pandas.DataFrame
            One row per method, repeat and fold.
        ax : matplotlib Axes, default=None
            Where to draw. None: a new figure.

        Returns
        -------
        ComparisonDisplay
            The display, with the summary on it.
        """
        return cls(comparison_summary(table)).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw a dot and its standard error for each method.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw. None: a new figure.

        Returns
        -------
        ComparisonDisplay
            This display, with ``ax_`` and ``figure_`` set.
        """
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=(7, 0.45 * len(self.summary) + 1.3), layout="constrained")
        rows = np.arange(len(self.summary))[::-1]
        ours = self.summary.index.str.startswith(("NDC", "Panel"))
        for chosen, colour in ((ours, OKABE_ITO[5]), (~ours, OKABE_ITO[0])):
            part = self.summary[chosen]
            sides = [part["error"] - part["low"], part["high"] - part["error"]]
            ax.errorbar(part["error"], rows[chosen], xerr=sides, fmt="o", color=colour, capsize=3)
        ax.set_yticks(rows, list(self.summary.index))
        ax.set_xlim(left=0)
        ax.set_ylim(-0.6, len(rows) - 0.4)
        ax.set_xlabel("held-out error, 95 % confidence interval")
        for row, features in zip(rows, self.summary["features"], strict=True):
            ax.annotate(
                f"{features:.0f} features", (1.01, row), xycoords=("axes fraction", "data"), va="center", color=INK
            )
        ax.spines[["top", "right"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self
