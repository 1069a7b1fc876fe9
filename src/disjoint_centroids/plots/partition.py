"""Picture of the table, sorted with the block of each class on the diagonal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from disjoint_centroids.fitted import class_codes, classifier_of, columns_seen
from disjoint_centroids.plots.axes import inches_of
from disjoint_centroids.plots.colours import VALUES_MAP, class_colour
from disjoint_centroids.plots.fonts import show_every_name
from disjoint_centroids.plots.names import fit_side_by_side, shown_names
from disjoint_centroids.rows.training import SHARED, UNUSED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SMALL = 50  # tables with so few features are drawn whole
_FEW = 20  # unused features that can always be drawn beside at least as many in use
_CROWDED = 8  # with more groups than this, labels are written smaller
_COLOUR_BAR = 4.0  # its greatest height, in inches
_POINTS_PER_INCH, _LINE, _SMALLEST = 72, 1.2, 4.0  # smallest size of a label in points; a line is 1.2 times as high


class PartitionDisplay:
    """Heat map of a table, rows sorted by class and columns by owner, with the block of each class on the diagonal.

    Use :meth:`from_estimator`. Groups too small to be labelled are drawn wider than they are. The features of a panel
    classifier are drawn in the order of picking, first those whose high values raise the score, then the others.

    Parameters
    ----------
    values : array of shape (n_samples, n_shown)
        The sorted table, columns standardised; of unused features, and of very long lists, only some are kept.
    row_counts : array of shape (n_classes,)
        Samples of each class.
    column_counts : array of shape (n_classes + 2,)
        Shown features that each class owns, that all classes share, and that are not used.
    n_unused : int
        Features that are not used, shown or not.
    classes : array of shape (n_classes,)
        Class labels.
    feature_counts : array of shape (n_classes + 2,), default=None
        Features of each group, shown or not. None: all are shown, but for the ``n_unused``.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The heat map.
    figure_ : matplotlib Figure
        The figure it is in.

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
        feature_counts: np.ndarray | None = None,
    ) -> None:
        self.values = values
        self.row_counts = row_counts
        self.column_counts = column_counts
        self.n_unused = n_unused
        self.classes = classes
        self.feature_counts = (
            np.array([*column_counts[:-1], n_unused]) if feature_counts is None else np.asarray(feature_counts)
        )

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, max_features: int = 600, ax: Axes | None = None) -> Self:
        """Sort a table by a fitted model's classes and owners, and draw it.

        Parameters
        ----------
        estimator : classifier or Pipeline
            Fitted model whose features have one owner at most, such as DisjointPanelClassifier or
            NearestDisjointCentroidCV, or a pipeline that ends in one.
        X : array-like of shape (n_samples, n_features)
            The table, training data or new.
        y : array-like of shape (n_samples,)
            Its labels.
        max_features : int, default=600
            Of the features in use at most so many are drawn, evenly spaced, the shortest lists whole; of those that
            nobody uses, at most half as many, or 20 if that is more, but never more than of those in use. A table
            of up to 50 features is drawn whole.
        ax : matplotlib Axes, default=None
            Where to draw. None: a new figure.

        Returns
        -------
        PartitionDisplay
            The display, with the drawn data on it.
        """
        classifier = classifier_of(estimator)
        if max_features < len(classifier.classes_) + 1:
            raise ValueError(
                f"max_features={max_features} leaves some of {len(classifier.classes_)} classes without a column. "
                f"Give at least {len(classifier.classes_) + 1}."
            )
        if not classifier._has_owners:
            raise ValueError(
                f"{type(classifier).__name__} lets classes share features, so no feature has one owner and there are "
                "no blocks to draw. CentroidDisplay draws what each class uses, ClassMatrixDisplay how specific it is."
            )
        n_classes, owner = len(classifier.classes_), classifier.owner_
        groups = [*_ordered_sets(classifier), np.flatnonzero(owner == SHARED), np.flatnonzero(owner == UNUSED)]
        shown = _thinned(groups, max_features)
        columns = columns_seen(estimator, X, np.concatenate(shown))
        codes = class_codes(classifier.classes_, columns, y)
        columns = columns[np.argsort(codes, kind="stable")]
        spread = columns.std(axis=0)
        display = cls(
            (columns - columns.mean(axis=0)) / np.where(spread > 0, spread, 1.0),
            np.bincount(codes, minlength=n_classes),
            np.array([len(group) for group in shown]),
            len(groups[-1]),
            classifier.classes_,
            np.array([len(group) for group in groups]),
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

        n_classes = len(self.classes)
        if ax is None:
            size = (min(8 + 0.25 * max(0, n_classes - 6), 13), height_for(n_classes))
            _, ax = plt.subplots(figsize=size, layout="constrained")
        row_repeats, column_repeats = _repeats(self.row_counts), _repeats(self.column_counts)
        # Repeating whole columns keeps one image, in which a cell is a number of the table and nothing else.
        cells = np.repeat(self.values, np.repeat(row_repeats, self.row_counts), axis=0)
        cells = np.repeat(cells, np.repeat(column_repeats, self.column_counts), axis=1)
        image = ax.imshow(cells, aspect="auto", cmap=VALUES_MAP, vmin=-2.5, vmax=2.5, interpolation="nearest")
        shrink = min(0.8, _COLOUR_BAR / inches_of(ax)[1])
        ax.figure.colorbar(image, ax=ax, label="standardised value", shrink=shrink, extend="both")
        self._mark_blocks(
            ax, np.cumsum([0, *(self.row_counts * row_repeats)]), np.cumsum([0, *(self.column_counts * column_repeats)])
        )
        ax.set_ylabel("samples, by class")
        ax.set_xlabel(self._column_title())
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        show_every_name(self.figure_)
        return self

    def _column_title(self) -> str:
        shown, total = int(self.column_counts.sum()), int(self.feature_counts.sum())
        if shown == total:
            return "features, by owner"
        return f"features, by owner (in brackets how many; {shown:,} of {total:,} drawn)"

    def _group_labels(self) -> list[str]:
        """Names of the groups of columns; with their sizes if not all features in use are drawn."""
        names = [*shown_names(self.classes, 20), "shared"]
        if (self.column_counts[:-1] < self.feature_counts[:-1]).any():
            names = [f"{name}\n({total:,})" for name, total in zip(names, self.feature_counts[:-1], strict=True)]
        return [*names, f"unused\n({self.n_unused:,})"]

    def _mark_blocks(self, ax: Axes, rows: np.ndarray, columns: np.ndarray) -> None:
        """Frame each class's own block, and name the groups of rows and columns."""
        from matplotlib.patches import Rectangle

        self._name_groups(ax, rows, columns)
        crowded = len(self.classes) > _CROWDED
        line: dict[str, Any] = {"color": "black", "linewidth": 0.4 if crowded else 0.6}
        for edge in columns[1:-1]:
            ax.axvline(edge - 0.5, **line)
        for j in range(len(self.classes)):
            ax.axhline(rows[j + 1] - 0.5, **line)
            corner = (columns[j] - 0.5, rows[j] - 0.5)
            size = (columns[j + 1] - columns[j], rows[j + 1] - rows[j])
            width = 2.0 if crowded else 2.5
            ax.add_patch(
                Rectangle(corner, *size, fill=False, edgecolor=class_colour(j), linewidth=width, clip_on=False)
            )

    def _name_groups(self, ax: Axes, rows: np.ndarray, columns: np.ndarray) -> None:
        size = 10.0 if len(self.classes) <= _CROWDED else 8.0
        labels, shown = self._group_labels(), np.flatnonzero(self.column_counts > 0)
        widths = np.diff(columns)[shown] / columns[-1] * inches_of(ax)[0]
        level = fit_side_by_side([labels[g] for g in shown], widths, size)
        across = size
        if not level:  # one line each: two would not fit side by side
            labels = [label.replace("\n", " ") for label in labels]
            across = float(np.clip(widths.min() * _POINTS_PER_INCH / _LINE, _SMALLEST, size))
        middles = (columns[:-1] + columns[1:])[shown] / 2 - 0.5
        ax.set_xticks(middles, [labels[g] for g in shown], rotation=0 if level else 90, fontsize=across)
        present = np.flatnonzero(self.row_counts > 0)
        middles = (rows[:-1] + rows[1:])[present] / 2 - 0.5
        names = shown_names(self.classes, 20)
        ax.set_yticks(middles, [names[j] for j in present], fontsize=size)


def height_for(n_classes: int) -> float:
    """Height of a figure, in inches, in which the names of the classes fit one below the other."""
    return 5.0 + 0.25 * max(0, n_classes - 6)


def _ordered_sets(classifier: Any) -> list[np.ndarray]:
    """Features of each class; of a panel first those that are not read as "low"."""
    ordered = []
    for own in classifier.feature_sets_:
        readings = classifier._readings(own)
        order = np.argsort([word == "low" for word in readings or ()], kind="stable")
        ordered.append(own if readings is None else own[order])
    return ordered


def _thinned(groups: list[np.ndarray], most: int) -> list[np.ndarray]:
    """Select evenly spaced members of each group: long lists are cut to one length so that all used ones fit."""
    if sum(len(group) for group in groups) <= _SMALL:
        return groups
    *used, unused = groups
    sizes = np.array([len(group) for group in used])
    longest = int(sizes.max(initial=1))
    if sizes.sum() > most:
        # Sizes in order, the first that would no longer fit if all the rest were as long as it.
        ordered = np.sort(sizes)
        fits = np.cumsum(ordered) + ordered * np.arange(len(ordered) - 1, -1, -1) <= most
        whole = int(fits.sum())
        longest = int((most - ordered[:whole].sum()) // (len(ordered) - whole))
    shown = [_spaced(group, longest) for group in used]
    # Dropped features are often most of the table: a few of them are enough to see that they are noise.
    n_used = max(1, sum(len(group) for group in shown))
    return [*shown, _spaced(unused, min(n_used, max(_FEW, n_used // 2)))]


def _spaced(members: np.ndarray, most: int) -> np.ndarray:
    return members if len(members) <= most else members[np.linspace(0, len(members) - 1, most).round().astype(np.intp)]


def _repeats(counts: np.ndarray) -> np.ndarray:
    """Repetitions of the members of each group; every group gets at least half of an equal share of the room."""
    filled = max(1, int((counts > 0).sum()))
    least = counts.sum() / (2 * filled)
    return np.maximum(1, np.ceil(least / np.maximum(counts, 1))).astype(np.intp)
