"""Picture of the cross-validation along the lambdas, and of the chosen one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from disjoint_centroids.fitted import classifier_of
from disjoint_centroids.plots.axes import given_panels, label_ticks, log_ticks
from disjoint_centroids.plots.colours import OKABE_ITO
from disjoint_centroids.plots.fonts import show_every_name
from disjoint_centroids.plots.names import shown_name

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ERROR, _COUNT, _CHOSEN, _ONE_SE = OKABE_ITO[0], OKABE_ITO[2], OKABE_ITO[5], OKABE_ITO[7]
_LOG_FROM = 20  # counts that differ by this factor are drawn on a logarithmic axis


class PathDisplay:
    """Held-out error and number of features along the lambdas, with the chosen lambda and the one of the 1-SE rule.

    Use :meth:`from_estimator`.

    Parameters
    ----------
    path : pandas.DataFrame
        One row per lambda, increasing, as :meth:`disjoint_centroids.NearestDisjointCentroidCV.path_table` returns it.
    error_name : str, default="cross-validated error"
        Meaning of the errors.

    Attributes
    ----------
    axes_ : array of 2 matplotlib Axes
        The errors, and the numbers of features.
    figure_ : matplotlib Figure
        The figure they are in.

    Examples
    --------
    >>> from disjoint_centroids import NearestDisjointCentroidCV
    >>> from disjoint_centroids.datasets import make_blocks
    >>> from disjoint_centroids.plots import PathDisplay
    >>> X, y = make_blocks(k=3, n=20, d=5, irrelevant=10, random_state=0)
    >>> model = NearestDisjointCentroidCV(n_lams=5, n_init=10, random_state=0).fit(X, y)
    >>> display = PathDisplay.from_estimator(model)
    >>> len(display.path)
    5
    """

    figure_: Figure
    axes_: np.ndarray

    def __init__(self, path: pd.DataFrame, *, error_name: str = "cross-validated error") -> None:
        self.path = path
        self.error_name = error_name

    @classmethod
    def from_estimator(cls, estimator: Any, *, axes: Any = None) -> Self:
        """Draw the path of a model that chose lambda by cross-validation.

        Parameters
        ----------
        estimator : NearestDisjointCentroidCV or Pipeline
            Fitted model, or a pipeline that ends in one.
        axes : 2 matplotlib Axes, default=None
            Where to draw the errors, and the numbers of features. None: a new figure.

        Returns
        -------
        PathDisplay
            The display, with the drawn data on it.
        """
        model = classifier_of(estimator)
        if model._path != "lambda":
            name = type(model).__name__
            raise ValueError(
                f"{name} has no lambdas: RoundsDisplay draws what its cross-validation found."
                if model._path == "rounds"
                else f"{name} has no path to draw: it did not choose lambda. Fit a NearestDisjointCentroidCV."
            )
        return cls(model.path_table(), error_name=_error_name(model.scoring)).plot(axes=axes)

    def plot(self, *, axes: Any = None) -> Self:
        """Draw the path.

        Parameters
        ----------
        axes : 2 matplotlib Axes, default=None
            Where to draw the errors, and the numbers of features. None: a new figure.

        Returns
        -------
        PathDisplay
            This display, with ``axes_`` and ``figure_`` set.
        """
        import matplotlib.pyplot as plt

        given = axes is not None
        if not given:
            _, axes = plt.subplots(
                2, 1, sharex=True, figsize=(7.5, 6), layout="constrained", height_ratios=(3, 2), squeeze=True
            )
        errors, counts = self.axes_ = given_panels(axes, 2, "one for the errors and one for the numbers of features")
        self.figure_ = errors.figure
        at = _positions(self.path["lam"].to_numpy())
        for ax in self.axes_:
            ax.set_xscale("log")
            self._label_lams(ax, at)
            ax.grid(color="0.9", linewidth=0.6)
            ax.set_axisbelow(True)
        self._draw_errors(errors, at)
        self._draw_counts(counts, at)
        self._mark_lams(at)
        for ax in self.axes_ if given else [counts]:
            ax.set_xlabel(r"$\lambda$: larger keeps more features")
        show_every_name(self.figure_)
        return self

    def _draw_errors(self, ax: Axes, at: np.ndarray) -> None:
        errors, spread = self.path["error"].to_numpy(), self.path["standard_error"].to_numpy()
        if np.isfinite(spread).all():
            ax.fill_between(
                at, errors - spread, errors + spread, color=_ERROR, alpha=0.2, linewidth=0, label="± 1 standard error"
            )
        ax.plot(at, errors, color=_ERROR, marker="o", markersize=3.5, linewidth=1.4, label="mean over folds")
        ax.set_ylabel(shown_name(self.error_name, 40))

    def _draw_counts(self, ax: Axes, at: np.ndarray) -> None:
        counts = self.path["n_features"].to_numpy()
        ax.plot(at, counts, color=_COUNT, marker="s", markersize=3.5, linewidth=1.4)
        ax.set_ylabel("features in use")
        low, high = max(1, counts.min()), max(1, counts.max())
        if high >= _LOG_FROM * low:
            ax.set_yscale("log")
            ticks = np.unique(log_ticks(low, high).round())
            label_ticks(ax.yaxis, ticks, [f"{tick:,.0f}" for tick in ticks])

    def _mark_lams(self, at: np.ndarray) -> None:
        """Draw a line at each of the two lambdas through both panels, named in words above them."""
        chosen, one_se = (int(np.flatnonzero(self.path[rule])[0]) for rule in ("chosen", "one_se"))
        marks = [(chosen, "chosen", _CHOSEN, "-"), (one_se, "1-SE rule", _ONE_SE, "--")]
        if chosen == one_se:
            marks = [(chosen, "chosen, and by the 1-SE rule", _CHOSEN, "-")]
        for here, name, colour, style in marks:
            row = self.path.iloc[here]
            label = f"{name}: " + rf"$\lambda$ = {_number(row['lam'])}, {row['n_features']:,} features, "
            label += f"error {row['error']:.3g}"
            for ax in self.axes_:
                ax.axvline(at[here], color=colour, linestyle=style, linewidth=1.6, label=label)
        self.axes_[0].legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), fontsize=9, frameon=False)

    def _label_lams(self, ax: Axes, at: np.ndarray) -> None:
        finite = at[np.isfinite(self.path["lam"])]
        ticks = log_ticks(finite[0], finite[-1]) if finite.size else finite
        labels = [f"{tick:g}" for tick in ticks]
        if finite.size < at.size:
            ticks, labels = np.append(ticks, at[-1]), [*labels, "∞"]
        label_ticks(ax.xaxis, ticks, labels)
        ax.tick_params(axis="x", labelbottom=True)


def _positions(lams: np.ndarray) -> np.ndarray:
    """Positions of the lambdas on a logarithmic axis; infinity is a little beyond the last finite one."""
    finite = lams[np.isfinite(lams)]
    if finite.size == lams.size:
        return lams
    if finite.size == 0:
        return np.ones(1)
    step = (finite[-1] / finite[0]) ** (2 / max(1, finite.size - 1))
    return np.append(finite, finite[-1] * max(step, 1.25))


def _number(lam: float) -> str:
    return "∞" if np.isinf(lam) else f"{lam:.3g}"


def _error_name(scoring: Any) -> str:
    if scoring is None:
        return "cross-validated error"
    return f"1 − {scoring}" if isinstance(scoring, str) else "1 − score"  # noqa: RUF001 - a minus sign
