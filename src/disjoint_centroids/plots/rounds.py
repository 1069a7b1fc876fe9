"""Picture of the cross-validation along the rounds of a draft, and of the chosen number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from disjoint_centroids.fitted import classifier_of
from disjoint_centroids.panels.chosen import line_places
from disjoint_centroids.plots.axes import given_panels, label_ticks
from disjoint_centroids.plots.colours import OKABE_ITO

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CHOSEN = OKABE_ITO[5]
_COLOURS = (OKABE_ITO[0], OKABE_ITO[2], OKABE_ITO[3], OKABE_ITO[7])  # one per kind of terms and regression
_PENALTIES = tuple(zip("osD^P", ("-", "--", ":", "-.", "-"), strict=True))  # one marker and dash per penalty
_MEASURES = {"loss": "held-out loss", "error": "held-out error"}


class RoundsDisplay:
    """Held-out loss and error along the rounds of a draft, one line per kind of fit and penalty, and the chosen rounds.

    In every round each class picks one more feature. The loss is minus the logarithm of the probability that a sample
    gets for its own class. Linear terms, and in a wide table 50 rounds or the most allowed and a penalty of 2, are the
    default and stay unless another candidate is better by four standard errors: the fitted one need not be the lowest.
    Lines of one colour have the same terms and regression and differ in their penalty. Use :meth:`from_estimator`.

    Parameters
    ----------
    results : pandas.DataFrame
        One row per candidate, as :meth:`disjoint_centroids.DisjointPanelClassifier.rounds_table` returns it.

    Attributes
    ----------
    axes_ : array of 2 matplotlib Axes
        The losses, and the errors.
    figure_ : matplotlib Figure
        The figure they are in.

    See Also
    --------
    PathDisplay : Errors along the lambdas of NearestDisjointCentroidCV.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from disjoint_centroids import DisjointPanelClassifier
    >>> from disjoint_centroids.plots import RoundsDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = DisjointPanelClassifier(terms="linear", regression="ridge", random_state=0).fit(X, y)
    >>> display = RoundsDisplay.from_estimator(model)
    >>> display.results["line"].unique().tolist()
    ['linear terms, penalty 2', 'linear terms, penalty 0.3', 'linear terms, penalty 0.05']
    >>> display.results["rounds"].unique().tolist()
    [5, 6, 7, 8, 9, 10, 12, 14, 15]
    """

    figure_: Figure
    axes_: np.ndarray

    def __init__(self, results: pd.DataFrame) -> None:
        self.results = results

    @classmethod
    def from_estimator(cls, estimator: Any, *, axes: Any = None) -> Self:
        """Draw the losses and errors that the cross-validation of a fitted panel classifier found.

        Parameters
        ----------
        estimator : DisjointPanelClassifier or Pipeline
            Fitted model, or a pipeline that ends in one.
        axes : 2 matplotlib Axes, default=None
            Where to draw the losses, and the errors. None: a new figure.

        Returns
        -------
        RoundsDisplay
            The display, with the drawn data on it.
        """
        model = classifier_of(estimator)
        if model._path != "rounds":
            raise ValueError(
                f"{type(model).__name__} does not draft in rounds. Fit a DisjointPanelClassifier; for the lambdas of "
                "a NearestDisjointCentroidCV there is PathDisplay."
            )
        results = model.rounds_table()
        if results["loss"].isna().all():
            raise ValueError(
                "No sample was held out, so there is no loss to draw: with one sample per class there are no folds. "
                "Fit with more samples per class."
            )
        return cls(results).plot(axes=axes)

    def plot(self, *, axes: Any = None) -> Self:
        """Draw the losses and the errors.

        Parameters
        ----------
        axes : 2 matplotlib Axes, default=None
            Where to draw the losses, and the errors. None: a new figure.

        Returns
        -------
        RoundsDisplay
            This display, with ``axes_`` and ``figure_`` set.
        """
        import matplotlib.pyplot as plt

        given = axes is not None
        if not given:
            _, axes = plt.subplots(2, 1, sharex=True, figsize=(7.5, 6.5), layout="constrained", squeeze=True)
        self.axes_ = given_panels(axes, 2, "one for the losses and one for the errors")
        self.figure_ = self.axes_[0].figure
        for ax, (measure, name) in zip(self.axes_, _MEASURES.items(), strict=True):
            self._draw_lines(ax, measure)
            ax.set_ylabel(name)
        self.axes_[0].legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), fontsize=9, frameon=False, ncols=2)
        for ax in self.axes_ if given else self.axes_[1:]:
            ax.set_xlabel("rounds: features that every class picks")
        return self

    def _draw_lines(self, ax: Axes, measure: str) -> None:
        chosen: Any
        (chosen,) = self.results[self.results["chosen"]].itertuples()
        ax.axvline(chosen.rounds, color=_CHOSEN, linestyle="--", linewidth=1.4)
        lines = zip(line_places(self.results), self.results.groupby("line", sort=False), strict=True)
        for (kind, penalty), (name, rows) in lines:
            colour, (marker, dash) = _COLOURS[kind % len(_COLOURS)], _PENALTIES[penalty % len(_PENALTIES)]
            style: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 4, "linewidth": 1.4}
            style |= {"linestyle": dash}
            ax.plot(rows["rounds"], rows[measure], label=name, **style)
        star: dict[str, Any] = {"marker": "*", "markersize": 15, "markeredgecolor": "white"}
        ring: dict[str, Any] = {"marker": "o", "markersize": 13, "markerfacecolor": "none"}
        others = self.results[(self.results["mark"] != "") & ~self.results["chosen"]]
        for row, style in [(chosen, star), *((row, ring) for row in others.itertuples())]:
            label = f"{row.mark}: {row.rounds} round{'' if row.rounds == 1 else 's'}, error {row.error:.3g}"
            ax.plot(row.rounds, getattr(row, measure), color=_CHOSEN, linestyle="none", label=label, **style)
        rounds = np.unique(self.results["rounds"])
        ax.set_xscale("log")
        label_ticks(ax.xaxis, rounds, [str(value) for value in rounds])
        ax.tick_params(axis="x", labelbottom=True)
        ax.grid(color="0.9", linewidth=0.6)
        ax.set_axisbelow(True)
