"""What cross-validation saw along the rounds of a draft, and where it stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from disjoint_centroids.panels.chosen import RoundsChoice, rounds_choice
from disjoint_centroids.plots.colours import OKABE_ITO
from disjoint_centroids.plots.fitted import classifier_of
from disjoint_centroids.plots.panels import given_panels, label_ticks

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CHOSEN = OKABE_ITO[5]
_LINES = tuple(zip((OKABE_ITO[0], OKABE_ITO[2], OKABE_ITO[3], OKABE_ITO[7]), "osD^", strict=True))
_MEASURES = {"loss": "held-out loss", "error": "held-out error"}


class RoundsDisplay:
    """Held-out loss and error along the rounds of a draft, a line for every kind of terms, and the chosen rounds.

    In every round each class picks one more feature. The loss is minus the logarithm of the probability that a sample
    gets for its own class. Linear terms, and in a wide table 50 rounds or the most allowed, are the default and stay
    unless another candidate is better by three standard errors: the fitted one need not be the lowest. Use
    :meth:`from_estimator`.

    Parameters
    ----------
    results : pandas.DataFrame
        A row for every candidate: ``terms``, ``rounds``, ``penalty``, ``loss``, ``error``.
    terms, rounds, penalty : str, int, float
        The chosen candidate.
    choice : RoundsChoice, default=None
        Reason for the number of rounds, from :func:`disjoint_centroids.panels.chosen.rounds_choice`. With it the fitted
        rounds are marked by their reason, and so are the fewest that did as well.

    Attributes
    ----------
    lines : dict of pandas.DataFrame
        Rows of ``results`` that are drawn as one line, by its name, rounds increasing.
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
    >>> model = DisjointPanelClassifier(terms="linear", random_state=0).fit(X, y)
    >>> display = RoundsDisplay.from_estimator(model)
    >>> list(display.lines)
    ['linear terms']
    >>> display.lines["linear terms"]["rounds"].tolist()
    [5, 7, 10, 14, 15]
    """

    figure_: Figure
    axes_: np.ndarray

    def __init__(
        self,
        results: pd.DataFrame,
        *,
        terms: str,
        rounds: int,
        penalty: float,
        choice: RoundsChoice | None = None,
    ) -> None:
        self.results = results
        self.choice = choice
        self.terms = terms
        self.rounds = rounds
        self.penalty = penalty
        self.lines = named_lines(results)

    @classmethod
    def from_estimator(cls, estimator: Any, *, axes: Any = None) -> Self:
        """Take what cross-validation found from a fitted panel classifier, and draw it.

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
        import pandas as pd

        model = classifier_of(estimator)
        if not hasattr(model, "rounds_"):
            raise ValueError(
                f"{type(model).__name__} does not draft in rounds. Fit a DisjointPanelClassifier; for the lambdas of "
                "a NearestDisjointCentroidCV there is PathDisplay."
            )
        results = pd.DataFrame(model.cv_results_)
        if results["loss"].isna().all():
            raise ValueError(
                "No sample was held out, so there is no loss to draw: with one sample a class there are no folds. Fit "
                "with more samples a class."
            )
        chosen = {"terms": model.terms_, "rounds": model.rounds_, "penalty": model.penalty_}
        return cls(results, **chosen, choice=rounds_choice(model)).plot(axes=axes)

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
        chosen = self._row(self.rounds)
        ax.axvline(chosen["rounds"], color=_CHOSEN, linestyle="--", linewidth=1.4)
        for at, (name, rows) in enumerate(self.lines.items()):
            colour, marker = _LINES[at % len(_LINES)]
            style: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 4, "linewidth": 1.4}
            ax.plot(rows["rounds"], rows[measure], label=name, **style)
        ax.plot(
            chosen["rounds"],
            chosen[measure],
            color=_CHOSEN,
            marker="*",
            markersize=15,
            markeredgecolor="white",
            linestyle="none",
            label=f"{self._mark()}: {_rounds(self.rounds)}, error {chosen['error']:.3g}",
        )
        if self.choice is not None and self.choice.fewer is not None:
            fewer = self._row(self.choice.fewer)
            label = f"{self.choice.as_good}: {_rounds(self.choice.fewer)}, error {fewer['error']:.3g}"
            ring: dict[str, Any] = {"marker": "o", "markersize": 13, "markerfacecolor": "none", "linestyle": "none"}
            ax.plot(fewer["rounds"], fewer[measure], color=_CHOSEN, label=label, **ring)
        rounds = np.unique(self.results["rounds"])
        ax.set_xscale("log")
        label_ticks(ax.xaxis, rounds, [str(value) for value in rounds])
        ax.tick_params(axis="x", labelbottom=True)
        ax.grid(color="0.9", linewidth=0.6)
        ax.set_axisbelow(True)

    def _mark(self) -> str:
        return "chosen" if self.choice is None else self.choice.mark

    def _row(self, rounds: int) -> pd.Series:
        """The candidate with this many rounds, and the chosen terms and penalty."""
        rows = self.results
        at = (rows["terms"] == self.terms) & (rows["rounds"] == rounds) & (rows["penalty"] == self.penalty)
        return rows[at].iloc[0]


def _rounds(number: int) -> str:
    return f"{number} round{'' if number == 1 else 's'}"


def named_lines(results: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Candidates that differ in their rounds only, by the name of what they have in common."""
    lines = {}
    for terms, of_terms in results.groupby("terms", sort=False):
        several = of_terms["penalty"].nunique() > 1
        for penalty, rows in of_terms.groupby("penalty", sort=False):
            kind = "both kinds of terms" if terms == "both" else f"{terms} terms"
            name = f"{kind}, penalty {penalty:g}" if several else kind
            lines[name] = rows.sort_values("rounds", kind="stable").reset_index(drop=True)
    return lines
