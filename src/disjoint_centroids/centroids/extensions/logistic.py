"""Logistic regression on the distances to disjoint centroids."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.utils import Tags

from disjoint_centroids import numerics
from disjoint_centroids._scikit import Interval, fit_context
from disjoint_centroids.base import SEEN
from disjoint_centroids.centroids.extensions.on_partition import OWN_CONSTRAINTS, OnPartition, fit_on
from disjoint_centroids.centroids.extensions.refits import RefitDistances, folds_of, refit_distances
from disjoint_centroids.progress import Progress

_CLOSE = 1e-8  # to the optimum: Newton's steps are quick


class DisjointLogisticRegression(OnPartition):
    r"""Multinomial logistic regression on the distances to the disjoint centroids.

    The nearest disjoint centroid compares distances that were measured on different features, with different noise.
    Here a regression learns how much each of them counts, for and against every class:

    .. math:: P(y = j \mid x) \propto \exp\Bigl(b_j + \sum_m w_{jm} \frac{d_m(x) - \bar d_m}{s}\Bigr),

    with :math:`d_m(x)` the distance of the sample to the centroid of class m on that class's features. Distances of
    training samples to their own centroids are too small, for the centroids were made of them. The regression is
    therefore fitted on distances of held-out samples: feature sets and centroids are found again without each fold.
    Predictions use the feature sets and centroids of all samples.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the (squared) penalty on the coefficients, as in
        :class:`sklearn.linear_model.LogisticRegression`. Distances enter in units of their standard deviation, so
        that it means the same on any scale of the table.
    estimator : NearestDisjointCentroid or NearestDisjointCentroidCV, default=None
        Finds the feature sets. None: ``NearestDisjointCentroid()``. With :class:`NearestDisjointCentroidCV` lambda is
        chosen anew in each fold.
    cv : int, splitter or iterable, default=None
        The folds. None: up to five, stratified, by lot; a class of fewer samples is held out in some of them. Others
        as everywhere in scikit-learn; a sample that is held out r times counts 1/r each time.
    random_state : int, RandomState instance or None, default=None
        For the folds, and for an ``estimator`` that has none of its own. Pass an int for the same answer every time.
    verbose : int, default=0
        1 shows a progress bar over the folds on standard error.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Class labels.
    estimator_ : NearestDisjointCentroid or NearestDisjointCentroidCV
        What found the feature sets, fitted on all samples.
    coef_ : array of shape (n_classes, n_classes), or (1, 2) with two classes
        Row j: what a standard deviation more of the distance to each class's centroid adds to the score of class j.
    intercept_ : array of shape (n_classes,) or (1,)
        Scores of a sample at mean distance from everyone.
    mean_distance_ : array of shape (n_classes,)
        Mean of the held-out distances to each centroid.
    scale_ : float
        Their standard deviation, one for all classes.
    train_error_ : float
        Share of the training samples that are classified wrongly.
    temperature_ : float
        1: scores are logits as they are.
    owner_, feature_sets_, centroids_, variances_, margin_, feature_distances_, risk_
        Of ``estimator_``, see :class:`NearestDisjointCentroid`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (n_features,)
        Names of the features, if X had string column names.

    See Also
    --------
    NearestDisjointCentroid : The nearest centroid wins.

    Notes
    -----
    In each fold the search for feature sets starts from the partition of all samples. From other starts it could end
    in another partition that is about as good, and distances of different folds would not mean the same.

    A class of one sample cannot be held out: it stays in the training part, and the distance of its sample to its
    own centroid, which is zero, is replaced by the mean held-out distance of samples to their own centroids. A class
    without any feature (there are fewer features than classes) is taken to be at its mean distance from everyone.

    References
    ----------
    N. Fraiman and Z. Li, "Classification with Nearest Disjoint Centroids", Discussion.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from disjoint_centroids import NearestDisjointCentroid
    >>> from disjoint_centroids.centroids.extensions import DisjointLogisticRegression
    >>> X, y = load_wine(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> model = DisjointLogisticRegression(estimator=NearestDisjointCentroid(n_init=20), random_state=0).fit(X, y)
    >>> model.coef_.shape, model.predict_proba(X[:5]).shape
    ((3, 3), (5, 3))
    >>> bool((model.coef_.diagonal() < 0).all())  # a centroid that is far speaks against its class
    True
    """

    _parameter_constraints: dict[str, Any] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "cv": ["cv_object"],
        "verbose": ["verbose"],
        **OWN_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        estimator: Any = None,
        cv: Any = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.estimator = estimator
        self.cv = cv
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Find feature sets and centroids, then the regression on held-out distances to them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: 0 is removal, a whole number is repetition within a fold.
        groups : array-like of shape (n_samples,), default=None
            Passed to the splitter ``cv``.

        Returns
        -------
        self : DisjointLogisticRegression
            The fitted classifier.
        """
        training = self._read_labelled(X, y, sample_weight)
        seed = self._seed()
        partitioner = self._partitioner(training, seed)
        folds = folds_of(self.cv, X, y, groups, training, seed)
        with warnings.catch_warnings():
            # Of classes without features it says that they are never predicted, which does not hold here.
            warnings.filterwarnings("ignore", message=".*own no feature", category=UserWarning)
            self.estimator_ = fit_on(partitioner, training)
        self.classes_ = training.classes
        with Progress("folds", len(folds), enabled=self.verbose > 0) as bar:
            held_out = refit_distances(partitioner, self.owner_, training, folds, bar.tick)
        self._fit_regression(held_out)
        self.temperature_ = 1.0
        predicted = np.argmax(self._scores_of(self._squared_distances(training.values)), axis=1)
        self.train_error_ = float(np.average(predicted != training.codes, weights=training.weights))
        self._warn_of_classes_without_features()
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # With fewer features than classes the distances to the others still tell a class apart.
        tags.classifier_tags.poor_score = False
        return tags

    def _fit_regression(self, held_out: RefitDistances) -> None:
        distances, weights = held_out.distances, held_out.weights
        known = np.where(np.isfinite(distances), weights[:, None], 0.0)
        total = np.where(known.any(axis=0), known.sum(axis=0), 1.0)
        self.mean_distance_ = (known * np.where(known > 0, distances, 0.0)).sum(axis=0) / total
        gaps = self._filled(distances) - self.mean_distance_
        spread = float(np.sqrt(np.average((gaps**2).mean(axis=1), weights=weights)))
        mean = float(self.mean_distance_.mean())
        # Distances that are all the same differ by rounding only, which must not be blown up.
        self.scale_ = spread if spread > numerics.TIE * mean else mean or 1.0
        regression = LogisticRegression(C=self.C, solver="newton-cholesky", tol=_CLOSE)
        regression.fit(gaps / self.scale_, held_out.codes, sample_weight=weights)
        self.coef_: np.ndarray = regression.coef_
        self.intercept_: np.ndarray = regression.intercept_

    def _filled(self, distances: np.ndarray) -> np.ndarray:
        """Distances, the mean standing in for those to a class without features."""
        return np.where(np.isfinite(distances), distances, self.mean_distance_)

    def _scores_of(self, squared: np.ndarray) -> np.ndarray:
        gaps = self._filled(np.sqrt(squared)) - self.mean_distance_
        logits = gaps / self.scale_ @ self.coef_.T + self.intercept_
        if len(self.classes_) == 2:  # one row of coefficients: those of the second class against the first
            logits = np.column_stack([np.zeros(len(logits)), logits])
        top = logits.max(axis=1, keepdims=True)
        return np.where(top - logits <= SEEN, top, logits)

    def _warn_of_classes_without_features(self) -> None:
        empty = [str(c) for c, own in zip(self.classes_, self.feature_sets_, strict=True) if own.size == 0]
        if empty:
            warnings.warn(
                f"{self.n_features_in_} feature(s) cannot be shared out among {len(self.classes_)} classes: these own "
                "no feature, and are told apart by their distances to the others only. Give more features, or fewer "
                f"classes: {', '.join(empty)}",
                UserWarning,
                stacklevel=4,
            )
