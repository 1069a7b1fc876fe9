"""Nearest neighbours, each seen on the features of its own class."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_is_fitted

from disjoint_centroids import numerics
from disjoint_centroids._scikit import Interval, fit_context
from disjoint_centroids.centroids.extensions.on_partition import OWN_CONSTRAINTS, OnPartition, fit_on
from disjoint_centroids.numerics.ranks import rank_weights
from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.rows.training import read_samples, sample_names

if TYPE_CHECKING:
    import pandas as pd

_SAME_VOTES = 1e-9
_CASTING_VOTE = 1e-9


@dataclass(frozen=True, slots=True)
class _Ballot:
    """Training samples in order of distance, one row per sample to be classified, and the weight of each vote."""

    order: np.ndarray
    squared: np.ndarray
    votes: np.ndarray


class DisjointKNeighborsClassifier(OnPartition):
    r"""Vote of the nearest training samples, where the distance to a sample of class j is taken on class j's features.

    .. math:: d(x, x_i)^2 = \frac{1}{|I_j|} \sum_{f \in I_j} (x_f - x_{if})^2 , \quad j = y_i ,

    with the disjoint feature sets :math:`I_j` of :class:`NearestDisjointCentroid`.

    Parameters
    ----------
    n_neighbors : int, default=15
        How many of the nearest training samples vote. If there are fewer, all vote, and a warning says so.
    estimator : NearestDisjointCentroid or NearestDisjointCentroidCV, default=None
        Finds the feature sets. None: ``NearestDisjointCentroid()``. With its norm "euclidean" distances are not
        divided by the number of features.
    random_state : int, RandomState instance or None, default=None
        For an ``estimator`` that has none of its own. Pass an int for the same answer every time.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Class labels.
    estimator_ : NearestDisjointCentroid or NearestDisjointCentroidCV
        What found the feature sets.
    samples_ : array of shape (n_samples, n_features)
        The training samples (those of positive weight). A saved model holds them too.
    sample_codes_ : array of shape (n_samples,)
        Their classes, as positions in ``classes_``.
    sample_weights_ : array of shape (n_samples,)
        Their weights.
    sample_rows_ : array of shape (n_samples,)
        Where they stood in the training table.
    train_error_ : float
        Share of the training samples that are classified wrongly; each has a vote on itself.
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
    ``predict_proba`` is each class's share of the votes. Where classes have equally many, the one with the nearest
    training sample gets a casting vote of a billionth; if that is a tie too, the first in ``classes_``. Training
    samples at the same distance that compete for the last votes share them evenly, so that the order of the
    table does not matter. A training sample of weight w counts as w samples.

    ``distances`` and ``explain`` speak of the centroids, as for every classifier here; :meth:`voters` says whose votes
    made the decision.

    References
    ----------
    N. Fraiman and Z. Li, "Classification with Nearest Disjoint Centroids", Discussion.

    Examples
    --------
    >>> from disjoint_centroids.datasets import make_blocks
    >>> from disjoint_centroids.centroids.extensions import DisjointKNeighborsClassifier
    >>> X, y = make_blocks(k=3, n=30, d=10, mu=(2.0, 0.0), random_state=0)
    >>> model = DisjointKNeighborsClassifier(n_neighbors=5, random_state=0).fit(X, y)
    >>> model.predict(X[::30])
    array([0, 1, 2])
    >>> float(model.voters(X[:1])["vote"].sum())
    5.0
    """

    _needs_all_features = True  # samples are compared with training samples on all features of a class
    _parameter_constraints: dict[str, Any] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        **OWN_CONSTRAINTS,
    }

    def __init__(self, *, n_neighbors: int = 15, estimator: Any = None, random_state: Any = None) -> None:
        self.n_neighbors = n_neighbors
        self.estimator = estimator
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find each class's features, and remember the samples.

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
        self : DisjointKNeighborsClassifier
            The fitted classifier.
        """
        training = self._read_labelled(X, y, sample_weight)
        self.estimator_ = fit_on(self._partitioner(training, self._seed()), training)
        self.classes_ = training.classes
        self.samples_, self.sample_codes_ = training.values.copy(), training.codes
        self.sample_weights_, self.sample_rows_ = training.weights, training.rows
        if self.n_neighbors > training.weights.sum():
            warnings.warn(
                f"n_neighbors={self.n_neighbors}, but there are {training.weights.sum():g} training samples: all of "
                "them vote on every sample, and the largest class always wins. Lower n_neighbors.",
                UserWarning,
                stacklevel=3,
            )
        predicted = np.argmax(self._votes(training.values), axis=1)
        self.train_error_ = float(np.average(predicted != training.codes, weights=training.weights))
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Share of the votes for each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        array of shape (n_samples, n_classes)
            Rows sum to one, columns as in ``classes_``.
        """
        votes = self._scores(X)
        return votes / votes.sum(axis=1, keepdims=True)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of ``predict_proba``; minus infinity for a class without a vote.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        array of shape (n_samples, n_classes)
            Log-probabilities.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> np.ndarray:
        """Votes for each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        array of shape (n_samples, n_classes) or (n_samples,)
            With two classes the second's votes minus the first's.
        """
        return super().decision_function(X)

    def voters(self, X: Any) -> pd.DataFrame:
        """Find the neighbours whose votes decide.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples. The index of a pandas frame names them.

        Returns
        -------
        pandas.DataFrame
            A row for every sample and training sample that votes on it, the nearest first: ``sample``, ``neighbour``
            (the row of the training table), ``class``, ``distance``, ``vote``.
        """
        import pandas as pd

        check_is_fitted(self)
        values = read_samples(self, X)
        samples = sample_names(X, len(values))
        parts = []
        for block, ballot in self._ballots(values):
            at, column = np.nonzero(ballot.votes)
            neighbour = ballot.order[at, column]
            parts.append(
                pd.DataFrame(
                    {
                        "sample": samples[block][at],
                        "neighbour": self.sample_rows_[neighbour],
                        "class": self.classes_[self.sample_codes_[neighbour]],
                        "distance": np.sqrt(ballot.squared[at, column]),
                        "vote": ballot.votes[at, column],
                    }
                )
            )
        return pd.concat(parts, ignore_index=True)

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._votes(read_samples(self, X))

    def _scores_of(self, squared: np.ndarray) -> np.ndarray:
        raise TypeError(
            "DisjointKNeighborsClassifier cannot classify by distances to centroids, only by the samples themselves: "
            "call its predict or predict_proba."
        )

    def _votes(self, values: np.ndarray) -> np.ndarray:
        """Votes (n_samples, n_classes), ties broken."""
        votes = np.empty((len(values), len(self.classes_)))
        for block, ballot in self._ballots(values):
            codes = self.sample_codes_[ballot.order]
            nearest = np.empty_like(votes[block])
            for j in range(len(self.classes_)):
                votes[block, j] = np.where(codes == j, ballot.votes, 0.0).sum(axis=1)
                nearest[:, j] = np.where(codes == j, ballot.squared, np.inf).min(axis=1)
            _cast(votes[block], nearest)
        return votes

    def _ballots(self, values: np.ndarray) -> Iterator[tuple[slice, _Ballot]]:
        """All training samples in order of distance, and their votes, for some samples at a time."""
        length = max(1, get_sizes().neighbour_distances // len(self.samples_))
        for begin in range(0, len(values), length):
            block = slice(begin, min(begin + length, len(values)))
            squared = self._squared_to_samples(values[block])
            order = np.argsort(squared, axis=1, kind="stable")
            squared = np.take_along_axis(squared, order, axis=1)
            # Samples of a class without features are nowhere, and have no say.
            weights = np.where(np.isfinite(squared), self.sample_weights_[order], 0.0)
            ranked = rank_weights(squared, weights)
            tied = ranked.through - ranked.before
            left = np.clip(self.n_neighbors - ranked.before, 0.0, tied)
            votes = weights * np.divide(left, tied, out=np.zeros_like(tied), where=tied > 0)
            yield block, _Ballot(order, squared, votes)

    def _squared_to_samples(self, values: np.ndarray) -> np.ndarray:
        """Squared distance (n_samples, n_training_samples), on the features of the training sample's class."""
        squared = np.full((len(values), len(self.samples_)), np.inf)
        for j in range(len(self.classes_)):
            features, members = self._features_of(j), np.flatnonzero(self.sample_codes_ == j)
            if features.size:
                own = self.samples_[np.ix_(members, features)]
                # Plain differences: inner products would decide ties by rounding.
                gaps = cdist(values[:, features], own, "sqeuclidean")
                squared[:, members] = gaps / (features.size if self._is_divided() else 1)
        return squared


def _cast(votes: np.ndarray, nearest: np.ndarray) -> None:
    """Break ties between classes, in place: a little more for the one with the nearest training sample."""
    top = votes.max(axis=1, keepdims=True)
    leads = votes >= top * (1.0 - _SAME_VOTES)
    np.copyto(votes, top, where=leads)
    among = np.where(leads, nearest, np.inf)
    winner = np.argmax(among <= among.min(axis=1, keepdims=True) * (1.0 + numerics.TIE), axis=1)
    tied = np.flatnonzero(leads.sum(axis=1) > 1)
    votes[tied, winner[tied]] *= 1.0 + _CASTING_VOTE
