"""Common base class of all classifiers: labels and probabilities from scores, selected features, and a description."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from disjoint_centroids._owners_html import owners_html
from disjoint_centroids._scikit import check_feature_names_in
from disjoint_centroids.rows.training import UNUSED, is_lazy

SEEN = 1e-12
"""Logits that differ by less cannot be told apart once they are probabilities."""


class PartitionedClassifier(ClassifierMixin, SelectorMixin, BaseEstimator):
    """Base of classifiers with one score per class, computed from the features that the class owns.

    Subclasses define the scores (``_scores``). They also describe themselves: other rooms of the package print, draw
    and store a fitted classifier by the class attributes below and by the methods under "description", and never ask
    for its type.

    Attributes
    ----------
    _kind : {"centroids", "panel"}
        Family of the classifier, for the words that describe it.
    _measure : {"score", "distance"}
        Measure of a sample against a class, see ``_measured``.
    _order : {"picking", "distance"}
        Order in which the features of a class are listed: that of picking, or the nearest to the centre first.
    _has_owners : bool
        True if a feature belongs to one class at most, so that there is an ``owner_``.
    _path : {"lambda", "rounds"} or None
        Parameter whose values cross-validation compared; None if it chose nothing.
    _needs_all_features : bool
        True if a sample that lacks a feature cannot be classified by the others.
    """

    _kind: ClassVar[Literal["centroids", "panel"]]
    _measure: ClassVar[Literal["score", "distance"]] = "score"
    _order: ClassVar[Literal["picking", "distance"]] = "picking"
    _has_owners: ClassVar[bool] = True
    _path: ClassVar[Literal["lambda", "rounds"] | None] = None
    _needs_all_features: ClassVar[bool] = False

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class with the largest score.

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
        """Reduce X to the selected columns.

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
            self._check_same_features(X)
            selected = self.get_support(indices=True)
            return X[list(np.asarray(X.columns)[selected])] if hasattr(X, "columns") else X[:, selected]
        return super().transform(X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # Two features cannot be split three ways, which is what scikit-learn's check of the score asks for.
        tags.classifier_tags.poor_score = True
        return tags

    def _repr_html_inner(self) -> str:
        html: str = super()._repr_html_inner()
        return html + self._owners_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._owners_html()
        return bundle

    def _n_classes(self) -> int:
        check_is_fitted(self)
        return len(self.classes_)

    def _by_blocks(self, method: str, X: Any, n_columns: int | None = -1) -> Any:
        """Apply a method lazily to the blocks of a dask table. ``n_columns=-1``: one column per class."""
        from disjoint_centroids.rows import dask_blocks as distributed

        self._check_same_features(X)
        model = copy(self)
        model.__dict__.pop("feature_names_in_", None)  # blocks are arrays
        dtype = self.classes_.dtype if method == "predict" else np.dtype(np.float64)
        n_columns = self._n_classes() if n_columns == -1 else n_columns
        return distributed.map_rows(getattr(model, method), X, dtype, n_columns)

    def _check_same_features(self, X: Any) -> None:
        """Check the number of features of a dask table and, of a frame, their names."""
        import pandas as pd

        check_is_fitted(self)
        seen = pd.DataFrame(columns=list(X.columns)) if hasattr(X, "columns") else X
        validate_data(self, seen, reset=False, skip_check_array=True)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.owner_ != UNUSED

    def _scores(self, X: Any) -> np.ndarray:
        """Score of every class, (n_samples, n_classes), with the priors in it; scores that nearly tie are equal."""
        raise NotImplementedError

    # Description: what other rooms ask of a fitted classifier.

    def _measured(self, X: Any) -> np.ndarray:
        """Measure samples against every class, (n_samples, n_classes): scores, or distances (see ``_measure``)."""
        return self._scores(X)

    def _ranked_sets(self, by: Literal["distance", "margin"]) -> list[np.ndarray]:
        """Features of each class in the order in which they are listed.

        ``by`` is for centroids: the nearest to the centre of the class first, or the widest margin first. Panels are
        always in the order of picking.
        """
        raise NotImplementedError

    def _owners_html(self) -> str:
        """Table of the features of each class, for notebooks; empty before the fit."""
        if not hasattr(self, "classes_"):
            return ""
        names = check_feature_names_in(self)
        owned = [(label, names[own]) for label, own in zip(self.classes_, self._ranked_sets("distance"), strict=True)]
        return owners_html(owned, int((~self.get_support()).sum()))

    def _listed(self) -> np.ndarray:
        """All features in the order in which one table lists them, those in use first."""
        raise NotImplementedError

    def _figures(self) -> dict[str, np.ndarray]:
        """Numbers that describe each feature, by their names in ``feature_table``; NaN where there is none."""
        return {"margin": self.margin_}

    def _readings(self, features: np.ndarray) -> list[str] | None:
        """Values of features that raise the score of their class: "high", "low", "near" its mean or "far" from it.

        None if the classifier has no coefficients.
        """
        return None

    def _chosen(self) -> dict[str, Any]:
        """Parameters that cross-validation chose, and ``cv_error``, their held-out error (None if not known)."""
        return {}

    def _held_out_errors(self, y: Any) -> tuple[float | None, float | None]:
        """Error and balanced error of the training samples, labelled y, while they were held out; None: not known."""
        return None, None

    def _fold_models(self) -> list[Any]:
        """Models of the folds, from which sets of classes and typicality come; empty if there are none."""
        return []

    def _partition_estimator(self) -> Any:
        """Fitted classifier that the feature sets come from; None if the classifier finds them itself."""
        return None

    def _lambda(self) -> float | None:
        """Lambda that the classifier was fitted with; None without lambda."""
        return None

    def _with_ties(self, scores: np.ndarray, tolerance: np.ndarray | float = 0.0) -> np.ndarray:
        """Add the priors to scores, and make those equal to the largest that cannot be told apart from it."""
        if self.class_prior_ is not None:
            scores = scores + np.log(self.class_prior_) / self.temperature_
        top = scores.max(axis=1, keepdims=True)
        return np.where(top - scores <= np.maximum(tolerance, SEEN / self.temperature_), top, scores)


def checked_priors(priors: Any, shares: np.ndarray) -> np.ndarray | None:
    """Check prior probabilities and scale them to sum to one; None stays None."""
    if priors is None:
        return None
    if isinstance(priors, str):
        return shares
    given = np.asarray(priors, dtype=np.float64)
    if given.shape != shares.shape or not (given > 0).all() or not np.isfinite(given).all():
        raise ValueError(
            f"priors must be {shares.size} positive numbers, one per class in the order of classes_; got {priors!r}."
        )
    return given / given.sum()
