"""The methods that NDC is compared with, each tuned by inner cross-validation as the paper did."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import NearestCentroid
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import check_is_fitted, validate_data


def inner_splitter(y: np.ndarray, n_splits: int, random_state: Any) -> StratifiedKFold:
    """Stratified folds, no more of them than the smallest class has samples (but at least two)."""
    smallest = int(np.unique(y, return_counts=True)[1].min())
    return StratifiedKFold(max(2, min(n_splits, smallest)), shuffle=True, random_state=random_state)


class ShrunkenCentroidCV(ClassifierMixin, BaseEstimator):
    """Nearest shrunken centroids, the threshold chosen by cross-validation (Tibshirani et al. 2002).

    scikit-learn's ``NearestCentroid`` at ``n_thresholds`` values from 0 to the one that removes every feature. Samples
    are classified as R's pamr does: distances in units of the pooled standard deviation plus its median over features,
    the same units in which the centroids were shrunken (``NearestCentroid`` itself leaves the median out there), and
    classes as frequent as in training.

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
    n_features_used_ : int
        Features in which some centroid differs from the overall one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids.peers import ShrunkenCentroidCV
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
        self.classes_ = unique_labels(y)
        thresholds = np.linspace(0.0, _removes_everything(X, y), self.n_thresholds)
        errors = np.zeros(len(thresholds))
        for train, test in inner_splitter(y, self.cv, self.random_state).split(X, y):
            if len(train) <= len(self.classes_):
                continue  # one sample a class has no spread within classes to measure in
            for at, threshold in enumerate(thresholds):
                model = _shrunken(threshold).fit(X[train], y[train])
                errors[at] += np.mean(_predict(model, X[test]) != y[test])
        best = np.flatnonzero(errors <= errors.min() + 1e-12)[0 if self.ties == "most" else -1]
        self.threshold_ = float(thresholds[best])
        self.model_ = _shrunken(self.threshold_).fit(X, y)
        self.n_features_used_ = int((np.ptp(self.model_.centroids_, axis=0) > 0).sum())
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Class of the nearest shrunken centroid.

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
        return _predict(self.model_, validate_data(self, X, dtype=np.float64, reset=False))


def _shrunken(threshold: float) -> NearestCentroid:
    return NearestCentroid(shrink_threshold=threshold if threshold > 0 else None, priors="empirical")


def _predict(model: NearestCentroid, X: np.ndarray) -> np.ndarray:
    units = model.within_class_std_dev_ + np.median(model.within_class_std_dev_)
    units = np.where(units > 0, units, 1.0)  # a column without spread, beside a median of 0
    distances = euclidean_distances(X / units, model.centroids_ / units, squared=True)
    return model.classes_[np.argmin(distances - 2.0 * np.log(model.class_prior_), axis=1)]


def _removes_everything(X: np.ndarray, y: np.ndarray) -> float:
    """The largest standardised deviation of a class mean from the overall mean."""
    model = NearestCentroid().fit(X, y)
    return float(np.abs(model.deviations_).max())


class L1LogisticCV(ClassifierMixin, BaseEstimator):
    """Multinomial logistic regression with an L1 penalty, chosen by cross-validation along glmnet's path.

    As R's ``cv.glmnet`` does by default: 100 penalties, down to 1e-4 of the largest (1e-2 if there are more features
    than samples), and the one with the lowest held-out deviance.

    Parameters
    ----------
    cv : int, default=5
        Inner folds.
    random_state : int, RandomState instance or None, default=None
        For the folds.

    Attributes
    ----------
    n_features_used_ : int
        Features with a coefficient that is not zero for some class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids.peers import L1LogisticCV
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
        try:
            from glmnet import LogitNet
        except ImportError as error:
            raise ImportError(
                "L1 logistic regression needs glmnet: pip install 'disjoint-centroids[compare]', "
                "or leave the method 'Logistic' out."
            ) from error
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_ = unique_labels(y)
        smallest = int(np.unique(y, return_counts=True)[1].min())
        self.model_ = LogitNet(
            min_lambda_ratio=1e-2 if X.shape[0] < X.shape[1] else 1e-4,
            n_splits=max(3, min(self.cv, smallest)),
            scoring=_minus_deviance,
            cut_point=0.0,
            random_state=self.random_state,
        )
        self.model_.fit(X, y)
        self.n_features_used_ = int((np.abs(np.atleast_2d(self.model_.coef_)).max(axis=0) > 0).sum())
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class.

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
        return self.model_.predict(validate_data(self, X, dtype=np.float64, reset=False))


_LEAST_PROBABILITY = 1e-5  # as cv.glmnet: one confident mistake must not decide


def _minus_deviance(model: Any, X: np.ndarray, y: np.ndarray, lamb: np.ndarray) -> np.ndarray:
    """Mean log-probability of the true classes, for each penalty (python-glmnet's own is not a softmax)."""
    scores = model.decision_function(X, lamb).reshape(len(X), -1, len(lamb))
    if scores.shape[1] == 1:
        scores = np.concatenate([-scores / 2, scores / 2], axis=1)
    own = np.asarray(y)[:, None] == model.classes_
    logs = np.where(own[:, :, None], log_softmax(scores, axis=1), -np.inf).max(axis=1)
    return np.maximum(logs, np.log(_LEAST_PROBABILITY)).mean(axis=0)
