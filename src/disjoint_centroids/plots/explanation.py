"""Picture of the explanation of one sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from disjoint_centroids.models.explanation import Explanation, explain_sample
from disjoint_centroids.plots.axes import given_panels
from disjoint_centroids.plots.colours import INK, OKABE_ITO, bar_style
from disjoint_centroids.plots.fonts import show_every_name
from disjoint_centroids.plots.names import shown_name, shown_names

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class ExplanationDisplay:
    """Score or squared distance of one sample for every class, and the features that contribute most.

    The first plot holds the totals, predicted class on top, then the best; the others hold one class each. Beside
    every bar stand the sample's value and the class's mean. A bar has the colour of the class that owns the feature:
    where classes read the features of all panels, bars of several colours make up a score; with more classes than
    colours the owner is named too. Use :meth:`from_estimator`.

    Parameters
    ----------
    explanation : Explanation
        From :func:`disjoint_centroids.models.explanation.explain_sample`.
    n_features : int, default=8
        Features drawn per class.
    n_classes : int, default=4
        Classes that have a plot of their own.

    Attributes
    ----------
    contributions, totals, sample, classes
        Those of the explanation.
    kind : {"distance", "score"}
        Meaning of the totals.
    predicted : label
        The predicted class.
    axes_ : array of matplotlib Axes
        The totals, then one plot per class drawn.
    figure_ : matplotlib Figure
        The figure they are in.

    Examples
    --------
    >>> from disjoint_centroids import NearestDisjointCentroid
    >>> from disjoint_centroids.datasets import make_blocks
    >>> from disjoint_centroids.plots import ExplanationDisplay
    >>> X, y = make_blocks(k=3, n=20, d=5, mu=(3.0, 0.0), random_state=0)
    >>> model = NearestDisjointCentroid(n_init=10, random_state=0).fit(X, y)
    >>> display = ExplanationDisplay.from_estimator(model, X, sample=0)
    >>> int(display.predicted), len(display.axes_)
    (0, 4)
    """

    figure_: Figure
    axes_: np.ndarray

    def __init__(
        self,
        explanation: Explanation,
        *,
        n_features: int = 8,
        n_classes: int = 4,
    ) -> None:
        self.contributions = explanation.contributions
        self.totals = explanation.totals
        self.sample = explanation.sample
        self.classes = explanation.classes
        self.kind = explanation.measure
        self.n_features = n_features
        self.n_classes = n_classes
        self.predicted = self.totals.index[0]
        # Centroids have no column of owners: there a class's features are its own and the shared ones.
        owners = self.contributions.get("owner", self.contributions["class"])
        self._reads_others = bool((owners != self.contributions["class"]).any())
        self._names_owners = self._reads_others and len(self.classes) > len(OKABE_ITO)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, sample: Any = None, n_features: int = 8, n_classes: int = 4, axes: Any = None
    ) -> Self:
        """Explain one sample of a table, and draw it.

        Parameters
        ----------
        estimator : classifier or Pipeline
            Fitted model, such as DisjointPanelClassifier or NearestDisjointCentroidCV, or a pipeline that ends in
            one; values are then those after its transforms.
        X : array-like of shape (n_samples, n_features)
            The table.
        sample : label, default=None
            Which sample: its name in the index of a pandas frame, its position (from 0) in any other table. None: the
            only one.
        n_features : int, default=8
            Features drawn per class, those that add most.
        n_classes : int, default=4
            Classes that have a plot of their own, the predicted one and then the best.
        axes : matplotlib Axes, one more than classes drawn, default=None
            Where to draw the totals, and the classes. None: a new figure.

        Returns
        -------
        ExplanationDisplay
            The display, with the drawn data on it.
        """
        if min(n_features, n_classes) < 1:
            raise ValueError(f"n_features and n_classes must be at least 1; got {n_features} and {n_classes}.")
        found = explain_sample(estimator, X, sample)
        return cls(found, n_features=n_features, n_classes=n_classes).plot(axes=axes)

    def plot(self, *, axes: Any = None) -> Self:
        """Draw the totals and the first classes.

        Parameters
        ----------
        axes : matplotlib Axes, one more than classes drawn, default=None
            Where to draw the totals, and the classes. None: a new figure.

        Returns
        -------
        ExplanationDisplay
            This display, with ``axes_`` and ``figure_`` set.
        """
        drawn = self.totals.index[: self.n_classes]
        panels = self._new_panels(len(drawn)) if axes is None else axes
        self.axes_ = given_panels(panels, len(drawn) + 1, "one for the totals and one for each class drawn")
        self.figure_ = self.axes_[0].figure
        self._draw_totals(self.axes_[0])
        tops = [self.contributions[self.contributions["class"] == label].head(self.n_features) for label in drawn]
        lengths = np.concatenate([top["contribution"].to_numpy() for top in tops])
        limits = _limits(lengths, room=1.1 if self.kind == "score" else 0.75)
        for ax, label, top in zip(self.axes_[1:], drawn, tops, strict=True):
            self._draw_class(ax, label, top)
            ax.set_xlim(limits)
        show_every_name(self.figure_)
        return self

    def _new_panels(self, n_drawn: int) -> np.ndarray:
        import matplotlib.pyplot as plt

        columns = n_drawn if n_drawn <= 3 else 2 if n_drawn == 4 else 3
        rows = -(-n_drawn // columns)
        around = 1.7 if self._reads_others else 1.4
        row = 0.34 if self._names_owners else 0.24  # a name and its owner are two lines
        height = max(rows * (row * self._n_rows() + around), 0.26 * len(self.totals) + around)
        figure = plt.figure(figsize=(3.4 + 3.9 * columns, height), layout="constrained")
        grid = figure.add_gridspec(rows, columns + 1, width_ratios=[0.85] + [1.0] * columns)
        details = [figure.add_subplot(grid[at // columns, 1 + at % columns]) for at in range(n_drawn)]
        return np.array([figure.add_subplot(grid[:, 0]), *details], dtype=object)

    def _n_rows(self) -> int:
        """Rows of every panel, so that bars are equally thick in all of them."""
        drawn = self.contributions[self.contributions["class"].isin(self.totals.index[: self.n_classes])]
        return max(3, min(self.n_features, int(drawn["class"].value_counts().max()) if len(drawn) else 0))

    def _draw_totals(self, ax: Axes) -> None:
        totals = self.totals.to_numpy()
        finite = np.where(np.isfinite(totals), totals, 0.0)
        for row, (label, total) in enumerate(self.totals.items()):
            ax.barh(row, finite[row], height=0.7, **bar_style(self._place_of(label)))
            text = f" {_short(total)}" if np.isfinite(total) else " owns no feature"
            ax.text(max(finite[row], 0.0), row, text, va="center", fontsize=8, color=INK)
        ax.set_yticks(np.arange(len(totals)), [self._shown(label) for label in self.totals.index], fontsize=9)
        ax.get_yticklabels()[0].set_fontweight("bold")
        ax.set_ylim(max(len(totals), 3) - 0.4, -0.6)
        ax.locator_params(axis="x", nbins=4)
        ax.axvline(0.0, color=INK, linewidth=0.8)
        ax.set_xlim(_limits(finite, room=0.25))
        ax.tick_params(axis="x", labelsize=8)
        total = "score: start + all that the features add" if self.kind == "score" else "squared distance to the class"
        ax.set_xlabel(f"{total}\n(a feature has the colour of its owner)" if self._reads_others else total, fontsize=9)
        ax.set_title(f"sample {shown_name(self.sample, 20)}:\npredicted {self._shown(self.predicted)}", fontsize=10)

    def _draw_class(self, ax: Axes, label: Any, top: pd.DataFrame) -> None:
        rows = np.arange(len(top))
        for row, (_, part) in enumerate(top.iterrows()):
            owner = self._place_of(part.get("owner", label))
            ax.barh(row, part["contribution"], height=0.7, **bar_style(owner))
            ax.text(max(part["contribution"], 0.0), row, f" {self._beside(part)}", va="center", fontsize=7.5, color=INK)
        ax.set_yticks(rows, self._shown_features(label, top), fontsize=8)
        ax.set_ylim(self._n_rows() - 0.4, -0.6)
        ax.locator_params(axis="x", nbins=4)
        ax.tick_params(axis="x", labelsize=8)
        ax.axvline(0.0, color=INK, linewidth=0.8)
        beside = (
            "sample's value | mean in class | elsewhere" if self.kind == "score" else "sample's value vs class's mean"
        )
        ax.set_xlabel(f"adds\n({beside})", fontsize=8.5)
        mark = " (predicted)" if label == self.predicted else ""
        if self.kind == "score":
            title = f"for {self._shown(label)}{mark}: {_short(self.totals[label])}\n{self._sum(label, top)}"
        else:
            title = f"to {self._shown(label)}{mark}\n{self._summary(label, top)}"
        ax.set_title(title, fontsize=9)

    def _shown_features(self, label: Any, top: pd.DataFrame) -> list[str]:
        """Names beside the bars of a class; with the owners where there are more classes than colours."""
        names = shown_names(top["feature"], 20)
        if not self._names_owners:
            return names
        return [
            name if owner == label else f"{name}\n({self._shown(owner)})"
            for name, owner in zip(names, top["owner"], strict=True)
        ]

    def _beside(self, part: pd.Series) -> str:
        """The numbers beside a bar."""
        if self.kind == "score":
            return " | ".join(_short(part[name]) for name in ("value", "centroid", "others"))
        return f"{_short(part['value'])} vs {_short(part['centroid'])}"

    def _summary(self, label: Any, top: pd.DataFrame) -> str:
        """Contribution of the drawn features to the squared distance, in words."""
        n_used = int((self.contributions["class"] == label).sum())
        if n_used == 0:
            return "owns no feature"
        if len(top) == n_used:
            return f"{'only feature' if n_used == 1 else f'all {n_used} features'}: {_short(self.totals[label])}"
        drawn = _short(top["contribution"].sum())
        return f"{len(top)} of {n_used:,} features: {drawn} of {_short(self.totals[label])}"

    def _sum(self, label: Any, top: pd.DataFrame) -> str:
        """Parts of the score of a class, in words."""
        read = self.contributions[self.contributions["class"] == label]
        added = read["contribution"]
        text = f"start {_signed(self.totals[label] - added.sum())}"
        if len(added) == 0:
            return f"{text}, owns no feature"
        if self._reads_others:
            own = (read["owner"] == label).to_numpy()
            of_own = f"own {own.sum():,}: {_signed(added[own].sum())}" if own.any() else "owns no feature"
            of_others = f"{(~own).sum():,} of other classes: {_signed(added[~own].sum())}"
            largest = f"\ndrawn: the largest {len(top)} of {len(added):,}" if len(top) < len(added) else ""
            return f"{text}, {of_own},\n{of_others}{largest}"
        drawn, others = top["contribution"].sum(), len(added) - len(top)
        text += f", {'these' if len(top) > 1 else 'this'} {len(top)}: {_signed(drawn)}"
        return (
            f"{text}, {others:,} other{'' if others == 1 else 's'}: {_signed(added.sum() - drawn)}" if others else text
        )

    def _shown(self, label: Any) -> str:
        """A class's name as the picture writes it."""
        return shown_names(self.classes, 20)[self._place_of(label)]

    def _place_of(self, label: Any) -> int:
        return int(np.flatnonzero(self.classes == label)[0])


def _short(number: float) -> str:
    """Write a number with few digits, and without powers of ten in the usual range."""
    size = abs(number)
    if size >= 100:
        return f"{number:,.0f}" if size < 1e6 else f"{number:.3g}"
    return f"{number:.2f}" if size >= 0.01 or size == 0 else f"{number:.2g}"


def _signed(number: float) -> str:
    return f"{round(number, 2) + 0.0:+.2f}"  # zero is positive


def _limits(lengths: np.ndarray, *, room: float) -> tuple[float, float]:
    """Limits of an axis for bars from zero, with room for numbers on the right, and a little on the left of bars."""
    low, high = min(0.0, lengths.min(initial=0.0)), max(0.0, lengths.max(initial=0.0))
    length = (high - low) or 1.0
    return low - (0.05 * length if low < 0 else 0.0), (high or low + length) + room * length
