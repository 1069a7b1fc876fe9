"""Matrix of all pairs of classes: how samples of one class score by, or how far they are from, another class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv

from disjoint_centroids.fitted import class_codes, classifier_of, rows_of
from disjoint_centroids.panels.tables import reads_all_panels
from disjoint_centroids.pipeline import as_seen

Measure = Literal["score", "distance"]


@dataclass(frozen=True, slots=True)
class ClassMatrix:
    """Means of a measure over the samples of each class, for every class.

    Attributes
    ----------
    measured : array of shape (n_samples, n_classes)
        Score of each sample for each class, or distance to its centroid; NaN where there was none.
    y : array of shape (n_samples,)
        Labels of the samples.
    classes : array of shape (n_classes,)
        Class labels, as the columns of ``measured``.
    measure : {"score", "distance"}
        Meaning of ``measured``.
    means : array of shape (n_classes, n_classes)
        Row i, column j: mean over the samples of class i, for class j; NaN where there are none.
    contrasts : array of shape (n_classes, n_classes)
        ``means`` compared with those of class j's own samples. Distances: divided by the diagonal entry of the column.
        Scores: minus the diagonal entry, in standard deviations of the score within classes.
    counts : array of shape (n_classes,)
        Samples of each class.
    reads : {"own", "all"} or None
        Features that the measure of a class depends on: its own, or those of all classes; None if not known.
    """

    measured: np.ndarray
    y: np.ndarray
    classes: np.ndarray
    measure: Measure
    means: np.ndarray
    contrasts: np.ndarray
    counts: np.ndarray
    reads: Literal["own", "all"] | None = None

    @classmethod
    def of(
        cls, measured: Any, y: Any, classes: Any, *, measure: Measure, reads: Literal["own", "all"] | None = None
    ) -> ClassMatrix:
        """Average measures that are there already.

        Parameters
        ----------
        measured : array of shape (n_samples, n_classes)
            Scores or distances; NaN where there are none.
        y : array of shape (n_samples,)
            Labels of the samples.
        classes : array of shape (n_classes,)
            Class labels, as the columns of ``measured``.
        measure : {"score", "distance"}
            Meaning of ``measured``.
        reads : {"own", "all"}, default=None
            Features that the measure of a class depends on, if known.

        Returns
        -------
        ClassMatrix
            With means and contrasts.

        Examples
        --------
        >>> import numpy as np
        >>> from disjoint_centroids.evaluation.class_matrix import ClassMatrix
        >>> distances = np.array([[1.0, 6.0], [3.0, 6.0], [4.0, 2.0]])
        >>> ClassMatrix.of(distances, ["a", "a", "b"], ["a", "b"], measure="distance").contrasts
        array([[1., 3.],
               [2., 1.]])
        """
        values, y, classes = np.asarray(measured, dtype=np.float64), np.asarray(y), np.asarray(classes)
        codes = class_codes(classes, values, y)
        counts = np.bincount(codes, minlength=len(classes))
        if measure == "distance":
            means = _means_by_class(values, codes, len(classes))
            with np.errstate(invalid="ignore", divide="ignore"):
                contrasts = means / np.diag(means)
        else:
            known = np.where(np.isfinite(values), values, np.nan)
            means = _means_by_class(known, codes, len(classes))
            contrasts = (means - np.diag(means)) / _spread_within(known, means[codes])
        return cls(values, y, classes, measure, means, contrasts, counts, reads)


def class_matrix(
    estimator: Any, X: Any, y: Any, *, measure: Measure | None = None, cv: Any = None, groups: Any = None
) -> ClassMatrix:
    """Measure samples against every class, and average over the samples of each class.

    Parameters
    ----------
    estimator : classifier or Pipeline
        A classifier of this package, or a pipeline that ends in one. It must be fitted unless ``cv`` is given.
    X : array-like of shape (n_samples, n_features)
        With ``cv`` the training samples; without it samples that the model has not seen.
    y : array-like of shape (n_samples,)
        Their labels.
    measure : {"score", "distance"}, default=None
        Scores (those of classifiers with centroids are minus their squared distances), or distances, which only
        classifiers with centroids have. None: distances where there are some.
    cv : int, splitter or iterable, default=None
        Measures are then held out: a copy of the model is fitted for each fold, and measures the samples left out. An
        int means stratified folds. None: ``X`` is taken as new data.
    groups : array-like of shape (n_samples,), default=None
        Passed to the splitter.

    Returns
    -------
    ClassMatrix
        Means and contrasts.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids import DisjointPanelClassifier
    >>> from disjoint_centroids.evaluation.class_matrix import class_matrix
    >>> X, y = load_iris(return_X_y=True)
    >>> found = class_matrix(DisjointPanelClassifier(rounds=1, random_state=0), X, y, cv=3)
    >>> found.measure, bool(found.contrasts[1, 0] < -2)
    ('score', True)
    """
    last = classifier_of(estimator, fitted=cv is None)
    measure = last._measure if measure is None else measure
    if measure == "distance" and last._measure != "distance":
        raise ValueError(f"{type(last).__name__} has scores and no distances. Give measure='score', or leave it out.")
    y = np.asarray(y)
    if cv is None:
        measured = _measured(last, as_seen(estimator, X), measure)
        return ClassMatrix.of(measured, y, last.classes_, measure=measure, reads=_reads(last))
    classes, parts, labels = np.unique(y), [], []
    for train, test in check_cv(cv, y, classifier=True).split(X, y, groups):
        model = clone(estimator).fit(rows_of(X, train), y[train])
        classifier, part = classifier_of(model), np.full((len(y[test]), len(classes)), np.nan)
        known = np.searchsorted(classes, classifier.classes_)  # a fold may have been trained without a class
        part[:, known] = _measured(classifier, as_seen(model, rows_of(X, test)), measure)
        parts.append(part)
        labels.append(y[test])
    return ClassMatrix.of(
        np.concatenate(parts), np.concatenate(labels), classes, measure=measure, reads=_reads(classifier)
    )


def _reads(classifier: Any) -> Literal["own", "all"]:
    return "all" if classifier._kind == "panel" and reads_all_panels(classifier) else "own"


def _measured(classifier: Any, seen: Any, measure: Measure) -> np.ndarray:
    found: np.ndarray = classifier._scores(seen) if measure == "score" else classifier._measured(seen)
    return found


def _means_by_class(values: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Mean of each column over the samples of each class that have an entry; NaN where none has."""
    return np.stack([_means(values[codes == i]) for i in range(n_classes)])


def _means(rows: np.ndarray) -> np.ndarray:
    there = ~np.isnan(rows)
    counts = there.sum(axis=0)
    return np.divide(
        np.where(there, rows, 0.0).sum(axis=0), counts, out=np.full(rows.shape[1], np.nan), where=counts > 0
    )


def _spread_within(scores: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Pooled standard deviation of every score within classes; 1 where a score does not vary."""
    gaps = scores - means
    spread = np.sqrt(np.nansum(gaps**2, axis=0) / np.maximum((~np.isnan(gaps)).sum(axis=0), 1))
    return np.where(spread > 0, spread, 1.0)
