"""Nearest shrunken centroids and L1 logistic regression, tuned by inner cross-validation as in the paper."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from disjoint_centroids.evaluation.peers.logistic_path import l1_logistic_path, smallest_share
from disjoint_centroids.evaluation.peers.shrunken_centroids import class_deviations

_LEAST_FOLDS = 3  # of glmnet's cross-validation


def inner_splitter(y: np.ndarray, n_splits: int, random_state: Any) -> StratifiedKFold:
    """Stratified folds, no more of them than the smallest class has samples (but at least two)."""
    smallest = int(np.unique(y, return_counts=True)[1].min())
    return StratifiedKFold(max(2, min(n_splits, smallest)), shuffle=True, random_state=random_state)


class ShrunkenCentroidCV(ClassifierMixin, BaseEstimator):
    """Nearest shrunken centroids, the threshold chosen by cross-validation (Tibshirani et al. 2002).

    The centroids of scikit-learn's ``NearestCentroid`` at ``n_thresholds`` values from 0 to the one that removes every
    feature. Samples are classified as R's pamr does: distances in units of the pooled standard deviation plus its
    median over features, the same units in which the centroids were shrunken (``NearestCentroid`` itself leaves the
    median out there), and classes as frequent as in training.

    Parameters
    ----------
    n_thresholds : int, default=30
        Length of the grid.
    ties : {"most", "fewest"}, default="most"
        Among thresholds with the same error take the one with the most features, as R's ``which.min`` over pamr's
        table does, or with the fewest.
    cv : int, default=5
        Inner folds.
    random_state : int, RandomState instance or None, default=None
        For the folds.

    Attributes
    ----------
    threshold_ : float
        The chosen threshold: the lowest error in the inner folds.
    centroids_ : array of shape (n_classes, n_features)
        The class means, shrunken by it.
    n_features_used_ : int
        Features in which some centroid differs from the overall one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids.evaluation.peers.classifiers import ShrunkenCentroidCV
    >>> X, y = load_iris(return_X_y=True)
    >>> ShrunkenCentroidCV(random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        *,
        n_thresholds: int = 30,
        ties: Literal["most", "fewest"] = "most",
        cv: int = 5,
        random_state: Any = None,
    ) -> None:
        self.n_thresholds = n_thresholds
        self.ties = ties
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the threshold, then fit with it on all samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : ShrunkenCentroidCV
            The fitted classifier.
        """
        if self.ties not in {"most", "fewest"}:
            raise ValueError(f"ties go to the 'most' or the 'fewest' features; got {self.ties!r}.")
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        _check_can_fit("The shrunken centroid classifier", X, self.classes_)
        if len(y) == len(self.classes_):
            raise ValueError(
                f"Shrunken centroids need the spread within classes, and {len(y)} samples of as many classes "
                "have none. Give some class two samples."
            )
        self.measured_ = class_deviations(X, codes)
        thresholds = np.linspace(0.0, np.abs(self.measured_.deviations).max(), self.n_thresholds)
        errors = np.zeros(len(thresholds))
        for train, test in inner_splitter(y, self.cv, self.random_state).split(X, y):
            present, within = np.unique(codes[train], return_inverse=True)
            if len(present) < 2 or len(train) <= len(self.classes_):
                continue  # with one class, or one sample per class, there is no spread within classes
            found = class_deviations(X[train], within).nearest_along(X[test], thresholds)
            errors += (present[found] != codes[test]).mean(axis=1)
        best = np.flatnonzero(errors <= errors.min() + 1e-12)[0 if self.ties == "most" else -1]
        self.threshold_ = float(thresholds[best])
        self.centroids_ = self.measured_.shrunken(self.threshold_)
        self.n_features_used_ = int((np.ptp(self.centroids_, axis=0) > 0).sum())
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of the nearest shrunken centroid of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        array of shape (n_samples,)
            Predicted labels.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.classes_[self.measured_.nearest(X, self.threshold_)]


class L1LogisticCV(ClassifierMixin, BaseEstimator):
    """Multinomial logistic regression with an L1 penalty, chosen by cross-validation along glmnet's path.

    As R's ``cv.glmnet`` does by default: 100 penalties, down to 1e-4 of the largest (1e-2 if there are more features
    than samples), and the one with the lowest held-out deviance. The path is fitted by our own compiled
    code with the steps of glmnet (Friedman, Hastie and Tibshirani 2010), and gives the labels of R's glmnet.

    Parameters
    ----------
    cv : int, default=5
        Inner folds.
    random_state : int, RandomState instance or None, default=None
        For the folds.

    Attributes
    ----------
    penalties_ : array of shape (n_penalties,)
        Penalties of the path, decreasing.
    deviances_ : array of shape (n_penalties,)
        Half the mean deviance of held-out samples at each.
    penalty_ : float
        Penalty with the lowest deviance.
    coef_ : array of shape (n_classes, n_features)
        Coefficients there; of two classes the first has none.
    intercept_ : array of shape (n_classes,)
        Likewise.
    n_features_used_ : int
        Features with a coefficient that is not zero for some class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids.evaluation.peers.classifiers import L1LogisticCV
    >>> X, y = load_iris(return_X_y=True)
    >>> L1LogisticCV(random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    def __init__(self, *, cv: int = 5, random_state: Any = None) -> None:
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the path, choose the penalty with the lowest cross-validated deviance.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : L1LogisticCV
            The fitted classifier.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes, sizes = np.unique(y, return_inverse=True, return_counts=True)
        _check_can_fit("Logistic regression", X, self.classes_)
        smallest = smallest_share(*X.shape)
        path = l1_logistic_path(X, codes, smallest)
        self.penalties_ = path.penalties
        splitter = StratifiedKFold(
            max(_LEAST_FOLDS, min(self.cv, int(sizes.min()))), shuffle=True, random_state=self.random_state
        )
        of_folds = []
        for train, test in splitter.split(X, y):
            present, within = np.unique(codes[train], return_inverse=True)
            if len(present) < 2:
                continue  # one class is all that can be predicted, whatever the penalty
            unknown = ~np.isin(codes[test], present)
            held_out = np.where(unknown, -1, np.searchsorted(present, codes[test]))
            of_folds.append(l1_logistic_path(X[train], within, smallest).deviances(X[test], held_out, path.penalties))
        self.deviances_ = np.mean(of_folds, axis=0)
        best = int(np.argmin(self.deviances_))
        self.penalty_ = float(path.penalties[best])
        self.coef_ = np.zeros((len(self.classes_), X.shape[1]))
        self.coef_[:, path.features] = path.coefs[best]
        self.intercept_ = path.intercepts[best]
        self.n_features_used_ = int(self.coef_.any(axis=0).sum())
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        array of shape (n_samples,)
            Predicted labels.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.classes_[np.argmax(X @ self.coef_.T + self.intercept_, axis=1)]


def _check_can_fit(method: str, X: np.ndarray, classes: np.ndarray) -> None:
    if len(classes) < 2:
        raise ValueError(f"{method} needs two classes or more; y has {len(classes)} class: {classes[0]!r}.")
    if not np.ptp(X, axis=0).any():
        raise ValueError(f"{method} needs columns that vary: every column of X is constant.")
