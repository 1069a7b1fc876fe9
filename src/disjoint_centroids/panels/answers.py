"""Answers of a panel classifier that come with a stated error rate."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from disjoint_centroids._listed import listed
from disjoint_centroids.base import PartitionedClassifier
from disjoint_centroids.panels.conformal import FoldModel, class_p_values, distance_p_values, too_few_held_out
from disjoint_centroids.panels.held_out import widened
from disjoint_centroids.rows.training import read_samples

_ROUNDING = 1e-12  # 1 - 0.9 is a little less than a tenth


class ConformalAnswers(PartitionedClassifier):
    """Sets of classes, and a test for samples unlike all training samples, from the models of the folds."""

    fold_models_: list[FoldModel]

    def predict_set(
        self, X: Any, confidence: float = 0.9, *, coverage: str = "class", output: str = "mask"
    ) -> np.ndarray | list[list[Any]]:
        """Sets of classes that hold the true one with a stated confidence: cross-conformal prediction.

        A class is in the set of a sample unless the sample fits it worse than nearly all training samples of the class
        did while they were held out. If new samples are like the training samples, the true class is in the set about
        as often as ``confidence`` says (never less often than ``2 * confidence - 1`` but for a term of order one over
        the square root of the number of samples): in every class (``coverage="class"``), or on average over the
        samples (``coverage="average"``), where a rare class may be missed more often. An empty set means that no class
        fits well, which happens to ordinary samples too; whether a sample is unlike all training samples is another
        question, which :meth:`typicality` answers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        confidence : float, default=0.9
            How often the true class should be in the set, between 0 and 1.
        coverage : {"class", "average"}, default="class"
            "class": the confidence holds in every class. "average": it holds on average over the samples.
        output : {"mask", "labels"}, default="mask"
            Form of the answer.

        Returns
        -------
        boolean array of shape (n_samples, n_classes), or list of n_samples lists
            "mask": True where a class is in the set, columns as in ``classes_``. "labels": the class labels in the
            set of each sample.

        Warns
        -----
        UserWarning
            If a class has too few held-out samples for the confidence: it is then in every set.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from disjoint_centroids import DisjointPanelClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = DisjointPanelClassifier(random_state=0).fit(X, y)
        >>> model.predict_set(X[[0, 100]], confidence=0.95)
        array([[ True, False, False],
               [False, False,  True]])
        >>> model.predict_set(X[[0, 100]], output="labels")
        [[0], [2]]
        """
        if not 0.0 < confidence < 1.0:
            raise ValueError(f"confidence must lie between 0 and 1, both excluded; got {confidence!r}.")
        if coverage not in ("class", "average"):
            raise ValueError(f"coverage must be 'class' or 'average'; got {coverage!r}.")
        if output not in ("mask", "labels"):
            raise ValueError(f"output must be 'mask' or 'labels'; got {output!r}.")
        held = self._p_values(X, by_class=coverage == "class") > 1.0 - confidence + _ROUNDING
        if coverage == "class":
            self._warn_of_few(confidence)
        return held if output == "mask" else [self.classes_[row].tolist() for row in held]

    def typicality(self, X: Any) -> np.ndarray:
        """Test whether samples are unlike all training samples: one p-value per sample.

        The distance of a sample to the nearest class centroid, on the features of the panels, is compared with those
        of the training samples while each was held out. The p-value is the share of them that lie as far or farther.
        Samples like the training samples have p-values that are spread evenly between 0 and 1; values in other units,
        without the logarithm, or from another platform have the smallest possible one, ``1 / (n_samples + 1)``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        array of shape (n_samples,)
            P-values; at most 5 % of ordinary samples have one of 0.05 or less.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from disjoint_centroids import DisjointPanelClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = DisjointPanelClassifier(random_state=0).fit(X, y)
        >>> model.typicality(X[[0, 100]]) > 0.05
        array([ True,  True])
        >>> model.typicality(50 * X[[0, 100]]).round(4)
        array([0.0066, 0.0066])
        """
        values = self._values_for_folds(X, "typicality")
        return distance_p_values(self.fold_models_, [fold.distances(values) for fold in self.fold_models_])

    def _conformity(self, scores: np.ndarray) -> np.ndarray:
        """Conformity of each sample to each class: the probability of the class."""
        return softmax(self.temperature_ * self._with_ties(scores), axis=1)

    def _p_values(self, X: Any, *, by_class: bool) -> np.ndarray:
        values = self._values_for_folds(X, "predict_set")
        n_classes = len(self.classes_)
        new = [
            self._conformity(widened(fold.model.scores(values), fold.knows(n_classes))) for fold in self.fold_models_
        ]
        return class_p_values(self.fold_models_, new, by_class=by_class)

    def _values_for_folds(self, X: Any, method: str) -> Any:
        """Validated samples for a method that compares them with training samples that were held out."""
        check_is_fitted(self)
        if not self.fold_models_:
            raise ValueError(
                f"{method} needs training samples that were held out, and there were none: the model was fitted "
                "with one sample per class, or from sums. Fit it to a table with more samples per class."
            )
        return read_samples(self, X, accept_sparse=True)

    def _warn_of_few(self, confidence: float) -> None:
        few = too_few_held_out(self.fold_models_, len(self.classes_), confidence)
        if few:
            names = listed(self.classes_[label] for label in few)
            needed = next(iter(few.values()))
            warnings.warn(
                f"{len(few)} of {len(self.classes_)} classes have fewer than the {needed} training samples that a "
                f"confidence of {confidence:g} needs, and are in every set: {names}. Ask for less confidence, give "
                "more samples, or give coverage='average'.",
                UserWarning,
                stacklevel=3,
            )
