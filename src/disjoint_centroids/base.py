"""What every classifier does whose features belong to classes: turn scores into labels, and select the features."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from disjoint_centroids.rows.training import UNUSED, is_lazy

_SEEN = 1e-12  # logits that differ by less cannot be told apart once they are probabilities


class PartitionedClassifier(ClassifierMixin, SelectorMixin, BaseEstimator):
    """A classifier with a score a class, each read from features of its own. Subclasses say what the scores are."""

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest score.

        Parameters
        ----------
        X : array-like, sparse matrix or dask table of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        array of shape (n_samples,)
            Predicted labels; ties go to the class that comes first in ``classes_``.
        """
        if is_lazy(X):
            return self._by_blocks("predict", X, n_columns=None)
        best = np.argmax(self._scores(X), axis=1)
        return self.classes_[best]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class: softmax of the scores times ``temperature_``.

        Parameters
        ----------
        X : array-like, sparse matrix or dask table of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        array of shape (n_samples, n_classes)
            Rows sum to one, columns as in ``classes_``.
        """
        if is_lazy(X):
            return self._by_blocks("predict_proba", X)
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of ``predict_proba``.

        Parameters
        ----------
        X : array-like, sparse matrix or dask table of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        array of shape (n_samples, n_classes)
            Log-probabilities.
        """
        if is_lazy(X):
            return self._by_blocks("predict_log_proba", X)
        scores = self._scores(X)
        return log_softmax(self.temperature_ * scores, axis=1)

    def decision_function(self, X: Any) -> np.ndarray:
        """The score of each class, plus ``log(prior) / temperature_`` if there are priors.

        Parameters
        ----------
        X : array-like, sparse matrix or dask table of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        array of shape (n_samples, n_classes) or (n_samples,)
            With two classes the second's score minus the first's. A class without any score has -inf.
        """
        if is_lazy(X):
            return self._by_blocks(
                "decision_function", X, n_columns=None if self._n_classes() == 2 else self._n_classes()
            )
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def transform(self, X: Any) -> Any:
        """The selected columns.

        Parameters
        ----------
        X : array-like, sparse matrix or dask table of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        array of shape (n_samples, n_selected_features)
            What X is: an array, a sparse matrix, or a dask table that has not been computed.
        """
        if is_lazy(X):
            self._refuse_other_features(X)
            selected = self.get_support(indices=True)
            return X[list(np.asarray(X.columns)[selected])] if hasattr(X, "columns") else X[:, selected]
        return super().transform(X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # Two features cannot be split three ways, which is what scikit-learn's check of the score asks for.
        tags.classifier_tags.poor_score = True
        return tags

    def _n_classes(self) -> int:
        check_is_fitted(self)
        return len(self.classes_)

    def _by_blocks(self, method: str, X: Any, n_columns: int | None = -1) -> Any:
        """What a method gives, block by block of a dask table, when it is asked for. -1: a column a class."""
        from disjoint_centroids.rows import dask_blocks as distributed

        self._refuse_other_features(X)
        model = copy(self)
        model.__dict__.pop("feature_names_in_", None)  # blocks are arrays
        dtype = self.classes_.dtype if method == "predict" else np.dtype(np.float64)
        n_columns = self._n_classes() if n_columns == -1 else n_columns
        return distributed.map_rows(getattr(model, method), X, dtype, n_columns)

    def _refuse_other_features(self, X: Any) -> None:
        """Check the number of features of a dask table and, of a frame, their names."""
        import pandas as pd

        check_is_fitted(self)
        seen = pd.DataFrame(columns=list(X.columns)) if hasattr(X, "columns") else X
        validate_data(self, seen, reset=False, skip_check_array=True)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.owner_ != UNUSED

    def _scores(self, X: Any) -> np.ndarray:
        """Scores that ``predict``, ``decision_function`` and ``predict_proba`` all see, near ties made ties."""
        raise NotImplementedError

    def _with_ties(self, scores: np.ndarray, tolerance: np.ndarray | float = 0.0) -> np.ndarray:
        """Scores after the priors, in which what cannot be told apart from the largest is equal to it."""
        if self.class_prior_ is not None:
            scores = scores + np.log(self.class_prior_) / self.temperature_
        top = scores.max(axis=1, keepdims=True)
        return np.where(top - scores <= np.maximum(tolerance, _SEEN / self.temperature_), top, scores)


def checked_priors(priors: Any, shares: np.ndarray) -> np.ndarray | None:
    """Prior probabilities that sum to one, or None."""
    if priors is None:
        return None
    if isinstance(priors, str):
        return shares
    given = np.asarray(priors, dtype=np.float64)
    if given.shape != shares.shape or not (given > 0).all() or not np.isfinite(given).all():
        raise ValueError(
            f"priors must be {shares.size} positive numbers, one a class in the order of classes_; got {priors!r}."
        )
    return given / given.sum()
