"""One fit of a method on training samples, judged on samples that were held out."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import Pipeline

from disjoint_centroids.evaluation.held_out_predictions import HeldOutPredictions
from disjoint_centroids.evaluation.methods import Builder, TrainingPart, method_builder
from disjoint_centroids.pipeline import fit_within_batches, model_pipeline


@dataclass(frozen=True, slots=True)
class Outcome:
    """Error of a method on held-out samples, and what it took.

    Attributes
    ----------
    error : float
        Share of the held-out samples that were misclassified.
    balanced_error : float
        Mean over the classes of that share.
    features : int
        Number of features that the fitted method uses.
    seconds : float
        Time of fitting and predicting.
    """

    error: float
    balanced_error: float
    features: int
    seconds: float


def evaluate(
    method: str | Builder,
    train: tuple[np.ndarray, np.ndarray],
    test: tuple[np.ndarray, np.ndarray],
    *,
    transform: str = "none",
    impute: str | None = None,
    inner_folds: int = 5,
    n_init: int = 100,
    seed: int = 0,
) -> Outcome:
    """Tune and fit one method on training samples, and judge it on others.

    Parameters
    ----------
    method : str or callable
        A name of ``METHODS``, or a function of your own that takes a ``TrainingPart`` and returns an unfitted
        classifier. A pipeline uses as many features as its last step does.
    train, test : pairs (X, y)
        Samples and labels.
    transform : str, default="none"
        A name of :data:`disjoint_centroids.transforms.TRANSFORMS`, fitted on the training samples.
    impute : {"median", "knn"} or None, default=None
        Filling in of missing values, learned from the training samples.
    inner_folds : int, default=5
        Folds for tuning.
    n_init : int, default=100
        Restarts of NDC and NDC-S.
    seed : int, default=0
        For everything random.

    Returns
    -------
    Outcome
        Error, balanced error, number of features used, seconds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids.evaluation import evaluate
    >>> X, y = load_iris(return_X_y=True)
    >>> evaluate("NC", (X[::2], y[::2]), (X[1::2], y[1::2])).features
    4

    A classifier of your own, on the same samples:

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = lambda part: DecisionTreeClassifier(random_state=part.seed)
    >>> evaluate(tree, (X[::2], y[::2]), (X[1::2], y[1::2])).error < 0.1
    True
    """
    return fit_and_predict(
        method, train, test, transform=transform, impute=impute, inner_folds=inner_folds, n_init=n_init, seed=seed
    ).outcome


@dataclass(frozen=True, slots=True)
class Trial:
    """Measures of one fit on held-out samples, and its prediction of each of them."""

    outcome: Outcome
    held_out: HeldOutPredictions


def fit_and_predict(
    method: str | Builder,
    train: tuple[np.ndarray, np.ndarray],
    test: tuple[np.ndarray, np.ndarray],
    *,
    transform: str = "none",
    impute: str | None = None,
    inner_folds: int = 5,
    n_init: int = 100,
    seed: int = 0,
    batch: np.ndarray | None = None,
) -> Trial:
    """Fit and judge as :func:`evaluate` does, and keep the prediction of every held-out sample.

    Parameters
    ----------
    method, train, test, transform, impute, inner_folds, n_init, seed
        As for :func:`evaluate`.
    batch : array of shape (n_training_samples,), default=None
        Batches of the training samples, for panels.

    Returns
    -------
    Trial
        ``outcome``, and ``held_out`` with labels, and probabilities and sets of classes where the method has them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids.evaluation import fit_and_predict
    >>> X, y = load_iris(return_X_y=True)
    >>> trial = fit_and_predict("KNN", (X[::2], y[::2]), (X[1::2], y[1::2]))
    >>> trial.held_out.probabilities.shape
    (75, 3)
    """
    began = time.perf_counter()
    model = _pipeline(method, TrainingPart(train[1], inner_folds, seed, n_init), transform, impute)
    with warnings.catch_warnings():
        # Peers warn of collinear columns, unconverged paths, constant genes: true, expected, and not the user's doing.
        warnings.simplefilter("ignore")
        fit_within_batches(model, *train, batch)
        predicted = model.predict(test[0])
        seconds = time.perf_counter() - began
        balanced = 1.0 - balanced_accuracy_score(test[1], predicted)
        answer = HeldOutPredictions.of(model, test[0], predicted)
    error = float(np.mean(predicted != test[1]))
    outcome = Outcome(error, float(balanced), features_used(model, train[0].shape[1]), seconds)
    return Trial(outcome, answer)


def _pipeline(method: str | Builder, part: TrainingPart, transform: str, impute: str | None) -> Pipeline:
    build = method_builder(method) if isinstance(method, str) else method
    return model_pipeline(build(part), transform=transform, impute=impute)


def features_used(model: BaseEstimator, n_features: int) -> int:
    """Number of features that a fitted method uses: all, unless it (or the last step of a pipeline) selects some."""
    if isinstance(model, Pipeline):
        return features_used(model[-1], n_features)
    # Methods of others are asked for what they have: there is no class that all of them derive from.
    if hasattr(model, "n_features_used_"):
        return int(model.n_features_used_)
    if hasattr(model, "get_support"):
        return int(model.get_support().sum())
    return n_features
