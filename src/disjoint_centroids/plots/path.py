"""What cross-validation saw along the lambdas, and which one was taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from disjoint_centroids.centroids.path import choose_lam
from disjoint_centroids.plots.colours import OKABE_ITO
from disjoint_centroids.plots.fitted import classifier_of
from disjoint_centroids.plots.fonts import show_every_name
from disjoint_centroids.plots.names import shown_name
from disjoint_centroids.plots.panels import given_panels, label_ticks, log_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ERROR, _COUNT, _CHOSEN, _ONE_SE = OKABE_ITO[0], OKABE_ITO[2], OKABE_ITO[5], OKABE_ITO[7]
_LOG_FROM = 20  # counts that differ by this factor are drawn on a logarithmic axis


class PathDisplay:
    """Held-out error and number of features along the lambdas, with the chosen lambda and the one of the 1-SE rule.

    Use :meth:`from_estimator`.

    Parameters
    ----------
    lams : array of shape (n_lams,)
        Lambdas, increasing; the last may be infinity.
    cv_errors : array of shape (n_lams, n_folds)
        Held-out errors.
    n_selected : array of shape (n_lams,)
        Features in use.
    lam : float
        The chosen lambda, one of ``lams``.
    lam_1se : float
        The lambda with the fewest features whose error is within one standard error of the lowest.
    error_name : str, default="cross-validated error"
        What ``cv_errors`` are.

    Attributes
    ----------
    mean_errors, standard_errors : arrays of shape (n_lams,)
        Over the folds; with one fold there is no standard error, and it is NaN.
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
    >>> display.mean_errors.shape
    (5,)
    """

    figure_: Figure
    axes_: np.ndarray

    def __init__(
        self,
        lams: np.ndarray,
        cv_errors: np.ndarray,
        n_selected: np.ndarray,
        *,
        lam: float,
        lam_1se: float,
        error_name: str = "cross-validated error",
    ) -> None:
        self.lams = np.asarray(lams, dtype=np.float64)
        self.cv_errors = np.asarray(cv_errors, dtype=np.float64)
        self.n_selected = np.asarray(n_selected)
        self.lam = lam
        self.lam_1se = lam_1se
        self.error_name = error_name
        self.mean_errors = self.cv_errors.mean(axis=1)
        n_folds = self.cv_errors.shape[1]
        self.standard_errors = (
            self.cv_errors.std(axis=1, ddof=1) / np.sqrt(n_folds)
            if n_folds > 1
            else np.full(len(self.mean_errors), np.nan)
        )

    @classmethod
    def from_estimator(cls, estimator: Any, *, axes: Any = None) -> Self:
        """Take the path from a model that chose lambda by cross-validation, and draw it.

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
        if not hasattr(model, "cv_errors_"):
            name = type(model).__name__
            raise ValueError(
                f"{name} has no lambdas: RoundsDisplay draws what its cross-validation saw."
                if hasattr(model, "rounds_")
                else f"{name} has no path to draw: it did not choose lambda. Fit a NearestDisjointCentroidCV."
            )
        one_se = choose_lam(model.cv_errors_, model.n_selected_, "1se", model.path_.n_restarts > 0)
        return cls(
            model.lams_,
            model.cv_errors_,
            model.n_selected_,
            lam=model.lam_,
            lam_1se=float(model.lams_[one_se]),
            error_name=_error_name(model.scoring),
        ).plot(axes=axes)

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
        at = _positions(self.lams)
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
        if np.isfinite(self.standard_errors).all():
            low, high = self.mean_errors - self.standard_errors, self.mean_errors + self.standard_errors
            ax.fill_between(at, low, high, color=_ERROR, alpha=0.2, linewidth=0, label="± 1 standard error")
        ax.plot(at, self.mean_errors, color=_ERROR, marker="o", markersize=3.5, linewidth=1.4, label="mean over folds")
        ax.set_ylabel(shown_name(self.error_name, 40))

    def _draw_counts(self, ax: Axes, at: np.ndarray) -> None:
        ax.plot(at, self.n_selected, color=_COUNT, marker="s", markersize=3.5, linewidth=1.4)
        ax.set_ylabel("features in use")
        low, high = max(1, self.n_selected.min()), max(1, self.n_selected.max())
        if high >= _LOG_FROM * low:
            ax.set_yscale("log")
            ticks = np.unique(log_ticks(low, high).round())
            label_ticks(ax.yaxis, ticks, [f"{tick:,.0f}" for tick in ticks])

    def _mark_lams(self, at: np.ndarray) -> None:
        """A line at each of the two lambdas through both panels, named in words above them."""
        marks = [(self.lam, "chosen", _CHOSEN, "-"), (self.lam_1se, "1-SE rule", _ONE_SE, "--")]
        if self.lam == self.lam_1se:
            marks = [(self.lam, "chosen, and by the 1-SE rule", _CHOSEN, "-")]
        for lam, name, colour, style in marks:
            here = int(np.flatnonzero(self.lams == lam)[0])
            label = f"{name}: " + rf"$\lambda$ = {_number(lam)}, {self.n_selected[here]:,} features, "
            label += f"error {self.mean_errors[here]:.3g}"
            for ax in self.axes_:
                ax.axvline(at[here], color=colour, linestyle=style, linewidth=1.6, label=label)
        self.axes_[0].legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), fontsize=9, frameon=False)

    def _label_lams(self, ax: Axes, at: np.ndarray) -> None:
        finite = at[np.isfinite(self.lams)]
        ticks = log_ticks(finite[0], finite[-1]) if finite.size else finite
        labels = [f"{tick:g}" for tick in ticks]
        if finite.size < at.size:
            ticks, labels = np.append(ticks, at[-1]), [*labels, "∞"]
        label_ticks(ax.xaxis, ticks, labels)
        ax.tick_params(axis="x", labelbottom=True)


def _positions(lams: np.ndarray) -> np.ndarray:
    """Where the lambdas stand on a logarithmic axis: infinity a little beyond the last finite one."""
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
