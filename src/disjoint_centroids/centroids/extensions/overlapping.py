"""One centroid per class, on features that other classes may use too."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from disjoint_centroids import numerics
from disjoint_centroids._listed import listed
from disjoint_centroids._scikit import Interval, StrOptions, check_feature_names_in, fit_context
from disjoint_centroids.base import checked_priors
from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.base import DisjointCentroidBase
from disjoint_centroids.centroids.classifier import COMMON_CONSTRAINTS
from disjoint_centroids.centroids.in_memory import RowsInMemory
from disjoint_centroids.centroids.search.overlapping import (
    FeatureSet,
    fit_overlapping,
    set_distances,
    smallest_lam_that_keeps,
)
from disjoint_centroids.directions import directions_by_class, in_words
from disjoint_centroids.rows.training import TrainingSet, read_training_set

if TYPE_CHECKING:
    import pandas as pd

_CALLER = 4  # from a warning, past fit and its validation, to the line that called fit


class OverlappingCentroidClassifier(DisjointCentroidBase):
    r"""Nearest centroid on feature sets that may overlap, found for each class on its own.

    For each class j the features are clustered in two: the cluster :math:`I_j` uses the samples of class j only,
    the other all samples, and its distance is multiplied by ``lam``. The class keeps :math:`I_j`, whatever the
    other classes keep; features that no class keeps are not used. A sample goes to the class with the nearest centroid:

    .. math:: \hat y(x) = \arg\min_j \frac{1}{|I_j|} \sum_{f \in I_j} (x_f - c_{jf})^2 .

    Parameters
    ----------
    lam : float, default=1.0
        The smaller, the fewer features a class keeps. ``inf``: all of them, as long as ``max_features_per_class``
        allows. Which value is best depends on the table: search it with
        :class:`sklearn.model_selection.GridSearchCV`.
    max_features_per_class : int, default=None
        Of the features in its cluster a class keeps at most this many: those with the largest margin.
    n_init : int, default=100
        Restarts, the same for every class. Those in which the class loses its last feature do not count.
    init : {"k-means", "k-means++", "random", "variance"}, default="k-means"
        Where restarts begin, see :class:`NearestDisjointCentroid`. "variance": the class starts with the features whose
        standard deviation within it is at most ``lam`` times that over all samples (one start).
    priors : "empirical" or array-like of shape (n_classes,), default=None
        Prior probabilities of the classes. None: the nearest centroid wins. They do not move the choice of features.
    max_iter : int, default=300
        Bound on the steps of a restart.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same answer every time.
    n_jobs : int, default=None
        Threads. None: as many as the linear algebra library uses. The answer does not depend on it.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Class labels.
    membership_ : boolean array of shape (n_classes, n_features)
        Which class uses which feature.
    feature_sets_ : list of n_classes arrays
        Indices of the features that each class uses.
    centroids_ : array of shape (n_classes, n_features)
        Class means of all features.
    variances_ : array of shape (n_classes, n_features)
        Class variances of all features.
    margin_ : array of shape (n_classes, n_features)
        ``lam`` times the distance of the feature to the centre of all samples, minus that to the class's
        centre. Infinite if nothing was left to the former.
    feature_distances_ : array of shape (n_classes, n_features)
        Distance of each feature to each class's centre.
    risk_ : float
        Mean squared distance of the training samples to their own class's centroid.
    train_error_ : float
        Share of the training samples that are classified wrongly.
    temperature_ : float
        Factor on squared distances in ``predict_proba``.
    class_prior_ : array of shape (n_classes,) or None
        Priors, normalised.
    n_iter_ : int
        Steps of the best restart, for the class that took most.
    n_restarts_used_ : int
        Restarts that counted, for the class with the fewest. 0: none did, and the class was given the feature that
        varies least within it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (n_features,)
        Names of the features, if X had string column names.

    See Also
    --------
    NearestDisjointCentroid : No feature belongs to two classes.

    Notes
    -----
    The best restart of a class is the one whose features separate it best from all others: the largest chance, over
    the training data, that a sample of the class is nearer to its centroid than a sample of another class (ties: the
    smaller mean distance of its own samples).

    References
    ----------
    N. Fraiman and Z. Li, "Classification with Nearest Disjoint Centroids", Discussion.

    Examples
    --------
    >>> from disjoint_centroids.datasets import make_blocks
    >>> from disjoint_centroids.centroids.extensions import OverlappingCentroidClassifier
    >>> X, y = make_blocks(k=3, n=100, d=4, irrelevant=20, random_state=0)
    >>> model = OverlappingCentroidClassifier(lam=0.8, n_init=20, random_state=0).fit(X, y)
    >>> model.feature_sets_
    [array([0, 1, 2, 3]), array([4, 5, 6, 7]), array([ 8,  9, 10, 11])]
    >>> model.set_params(max_features_per_class=2).fit(X, y).membership_.sum(axis=1)
    array([2, 2, 2])
    """

    _has_owners = False
    _takes_sparse = False  # distances to sets that overlap need the samples dense

    _parameter_constraints: dict[str, Any] = {
        "lam": [Interval(Real, 0, None, closed="right")],
        "max_features_per_class": [Interval(Integral, 1, None, closed="left"), None],
        **{name: COMMON_CONSTRAINTS[name] for name in ("n_init", "priors", "max_iter", "random_state", "n_jobs")},
        "init": [StrOptions(set(search.KINDS))],
    }

    def __init__(
        self,
        *,
        lam: float = 1.0,
        max_features_per_class: int | None = None,
        n_init: int = 100,
        init: str = "k-means",
        priors: Any = None,
        max_iter: int = 300,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.lam = lam
        self.max_features_per_class = max_features_per_class
        self.n_init = n_init
        self.init = init
        self.priors = priors
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find each class's features and centroid.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: 0 is removal, a whole number is repetition.

        Returns
        -------
        self : OverlappingCentroidClassifier
            The fitted classifier.
        """
        training = read_training_set(self, X, y, sample_weight, None, divided=True)
        problem = RowsInMemory(training).problem
        settings = search.Settings(
            n_init=self.n_init,
            init=self.init,
            by_error=False,
            max_iter=self.max_iter,
            n_threads=numerics.default_threads() if self.n_jobs is None else effective_n_jobs(self.n_jobs),
            seed=self._seed(),
        )
        sets = fit_overlapping(problem, self.lam, self.max_features_per_class, settings)
        lost = [training.classes[j] for j, found in enumerate(sets) if found.n_restarts == 0]
        if lost:
            smallest = smallest_lam_that_keeps(problem, self.lam, settings)
            if smallest is not None:
                raise ValueError(
                    f"at lam={self.lam:g} no feature stays with {_classes(lost)}. Try lam >= {smallest!r} (which keeps "
                    "a feature for every class on this data)."
                )
        self._adopt_sets(training, problem.moments, sets)
        self._warn_of_sets(sets, lost)
        return self

    def feature_table(self) -> pd.DataFrame:
        """Table of everything known about the features, one row per feature.

        Returns
        -------
        pandas.DataFrame
            ``feature`` (its name), ``role`` ("used" or "unused"), ``n_classes`` (how many classes use it), and for
            every class ``uses_<class>``, ``direction_<class>`` ("up" if the feature's mean is higher in the class
            than in the others on average, "down" if lower, "" if the class does not use it), ``margin_<class>``,
            ``distance_<class>`` (of the feature to that class's centre among the features), ``mean_<class>`` and
            ``variance_<class>``.
        """
        import pandas as pd

        check_is_fitted(self)
        table = {
            "feature": check_feature_names_in(self, None),
            "role": np.where(self.membership_.any(axis=0), "used", "unused"),
            "n_classes": self.membership_.sum(axis=0),
        }
        for name, values in (
            ("uses", self.membership_),
            ("direction", in_words(directions_by_class(self) * self.membership_)),
            ("margin", self.margin_),
            ("distance", self.feature_distances_),
            ("mean", self.centroids_),
            ("variance", self.variances_),
        ):
            table |= {f"{name}_{label}": row for label, row in zip(self.classes_, values, strict=True)}
        return pd.DataFrame(table)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # Every class has a feature, however few there are.
        tags.classifier_tags.poor_score = False
        return tags

    def _is_divided(self) -> bool:
        return True

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return np.any(self.membership_, axis=0)

    def _features_of(self, label: int) -> np.ndarray:
        return np.flatnonzero(self.membership_[label])

    def _squared_distances(self, values: np.ndarray) -> np.ndarray:
        return set_distances(values, self.centroids_, self.membership_)

    def _adopt_sets(self, training: TrainingSet, moments: numerics.Moments, sets: list[FeatureSet]) -> None:
        """Take the sets over as the fitted model."""
        self.classes_ = training.classes
        self.membership_ = np.stack([found.held for found in sets])
        self.feature_sets_ = [np.flatnonzero(found.held) for found in sets]
        self.margin_ = np.stack([found.margin for found in sets])
        self.feature_distances_ = np.stack([found.distance for found in sets])
        self.n_iter_ = max(found.n_iter for found in sets)
        self.n_restarts_used_ = min(found.n_restarts for found in sets)
        self.centroids_, self.variances_ = moments.means, moments.variances
        self.class_prior_ = checked_priors(self.priors, moments.shares)
        squared = self._squared_distances(training.values)
        log_priors = None if self.class_prior_ is None else np.log(self.class_prior_)
        self.temperature_ = numerics.fit_temperature(squared, training.codes, training.weights, log_priors)
        own = squared[np.arange(len(squared)), training.codes]
        self.risk_ = float(np.average(own, weights=training.weights))
        predicted = np.argmax(self._scores_of(squared), axis=1)
        self.train_error_ = float(np.average(predicted != training.codes, weights=training.weights))

    def _warn_of_sets(self, sets: list[FeatureSet], lost: list[Any]) -> None:
        """Say what a user should know about how the fit went."""
        if lost:
            warnings.warn(
                f"In every restart {_classes(lost)} lost the last feature, and got the one that varies least within "
                "the class. Equal or constant columns do this (drop them); otherwise try another init.",
                UserWarning,
                stacklevel=_CALLER,
            )
        if not all(found.converged for found in sets):
            warnings.warn(
                f"The best restart of some class had not converged after max_iter={self.max_iter} steps. Raise "
                "max_iter.",
                ConvergenceWarning,
                stacklevel=_CALLER,
            )


def _classes(labels: list[Any]) -> str:
    return f"class{'' if len(labels) == 1 else 'es'} {listed(labels, 5)}"
