"""Ours and the eight methods of the paper on one table, by repeated nested cross-validation."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from disjoint_centroids.evaluation.held_out_predictions import JOB, HeldOut, PredictionsTable, predictions_path
from disjoint_centroids.evaluation.methods import METHODS, Builder, TrainingPart, method_builder
from disjoint_centroids.evaluation.results_file import ResultsFile, fingerprint
from disjoint_centroids.pipeline import model_pipeline
from disjoint_centroids.progress import Progress

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "DEFAULT_METHODS",
    "METHODS",
    "PAPER_METHODS",
    "Builder",
    "Comparison",
    "Outcome",
    "TrainingPart",
    "Trial",
    "compare",
    "compare_with_predictions",
    "evaluate",
    "features_used",
    "fit_and_predict",
]


PAPER_METHODS = ("NDC", "NDC-S", "NC", "NSC", "KNN", "LDA", "SVM", "Logistic")
DEFAULT_METHODS = ("Panel", *PAPER_METHODS)
"""What is compared unless told otherwise: our own, then the paper's eight."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a method did on held-out samples."""

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
        How missing values are filled in, from the training samples.
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
    >>> from disjoint_centroids.evaluation.comparison import evaluate
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
    """One fit of a method, judged on held-out samples: the measures, and the answer for each sample."""

    outcome: Outcome
    held_out: HeldOut


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
) -> Trial:
    """Fit and judge as :func:`evaluate` does, and keep what the method says of every held-out sample.

    Parameters
    ----------
    method, train, test, transform, impute, inner_folds, n_init, seed
        As for :func:`evaluate`.

    Returns
    -------
    Trial
        ``outcome``, and ``held_out`` with labels, and probabilities and sets of classes where the method has them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids.evaluation.comparison import fit_and_predict
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
        model.fit(*train)
        predicted = model.predict(test[0])
        seconds = time.perf_counter() - began
        balanced = 1.0 - balanced_accuracy_score(test[1], predicted)
        answer = HeldOut.of(model, test[0], predicted)
    error = float(np.mean(predicted != test[1]))
    outcome = Outcome(error, float(balanced), features_used(model, train[0].shape[1]), seconds)
    return Trial(outcome, answer)


def _pipeline(method: str | Builder, part: TrainingPart, transform: str, impute: str | None) -> Pipeline:
    build = method_builder(method) if isinstance(method, str) else method
    return model_pipeline(build(part), transform=transform, impute=impute)


def features_used(model: BaseEstimator, n_features: int) -> int:
    """How many features a fitted method looks at: all, unless it (a pipeline: its last step) selects."""
    if isinstance(model, Pipeline):
        return features_used(model[-1], n_features)
    if hasattr(model, "n_features_used_"):
        return int(model.n_features_used_)
    if hasattr(model, "get_support"):
        return int(model.get_support().sum())
    return n_features


@dataclass(frozen=True, slots=True)
class _Split:
    """One outer fold of one repeat, and the seed of what is fitted on it."""

    repeat: int
    fold: int
    train: np.ndarray
    test: np.ndarray
    seed: int


def _drawn(random_state: Any) -> int:
    """The seed that everything follows from."""
    return int(check_random_state(random_state).randint(2**31 - 1))


def _splits(labels: np.ndarray, cv: int, repeats: int, seed: int) -> Iterator[_Split]:
    """The outer folds: the same for every method."""
    for repeat in range(repeats):
        splitter = StratifiedKFold(cv, shuffle=True, random_state=seed + repeat)
        for fold, (train, test) in enumerate(splitter.split(labels, labels)):
            yield _Split(repeat, fold, train, test, seed + 1000 * repeat + fold)


def compare(
    X: Any,
    y: Any,
    *,
    methods: Iterable[str] = DEFAULT_METHODS,
    cv: int = 3,
    repeats: int = 5,
    transform: str = "none",
    impute: str | None = None,
    inner_folds: int = 5,
    n_init: int = 100,
    random_state: Any = 0,
    n_jobs: int | None = None,
    results: str | Path | None = None,
    verbose: int = 0,
) -> pd.DataFrame:
    """Compare methods on a table by repeated nested cross-validation; every method sees the same splits.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The table.
    y : array-like of shape (n_samples,)
        Class labels.
    methods : iterable of str, default=Panel and the paper's eight
        Names of ``METHODS``.
    cv : int, default=3
        Stratified outer folds.
    repeats : int, default=5
        How often to split anew.
    transform : str, default="none"
        A name of :data:`disjoint_centroids.transforms.TRANSFORMS`, fitted on each training part.
    impute : {"median", "knn"} or None, default=None
        How missing values are filled in, from each training part.
    inner_folds : int, default=5
        Folds for tuning, within each training part.
    n_init : int, default=100
        Restarts of NDC and NDC-S.
    random_state : int, RandomState instance or None, default=0
        For splits and methods.
    n_jobs : int, default=None
        Processes, as joblib understands it.
    results : path, default=None
        A .csv or .parquet file that gets every result as it comes. If it exists, what is in it is not done again; a
        file of another table, seed, scale or other folds is refused. More methods and more repeats may be asked for.
        The prediction of every held-out sample (see :class:`Comparison`) is kept in a second file beside it, whose
        name ends in ``-predictions``: for ``my.csv``, ``my-predictions.csv``.
    verbose : int, default=0
        1 shows a progress bar on standard error.

    Returns
    -------
    pandas.DataFrame
        One row per method, repeat and fold: ``method``, ``repeat``, ``fold``, ``error``, ``balanced_error``,
        ``features``, ``seconds``, ``samples`` (how many were held out). Repeats predict the same samples again: for a
        confidence interval see :func:`disjoint_centroids.evaluation.error_interval.error_interval`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids.evaluation.comparison import compare
    >>> X, y = load_iris(return_X_y=True)
    >>> table = compare(X, y, methods=["NDC", "NC"], repeats=1, n_init=5)
    >>> table.groupby("method")["error"].size().to_dict()
    {'NC': 3, 'NDC': 3}
    """
    return compare_with_predictions(
        X,
        y,
        methods=methods,
        cv=cv,
        repeats=repeats,
        transform=transform,
        impute=impute,
        inner_folds=inner_folds,
        n_init=n_init,
        random_state=random_state,
        n_jobs=n_jobs,
        results=results,
        verbose=verbose,
    ).results


@dataclass(frozen=True, slots=True)
class Comparison:
    """Errors of methods on one table, and their answers for every held-out sample.

    Attributes
    ----------
    results : pandas.DataFrame
        As :func:`compare` returns it: one row per method, repeat and fold.
    predictions : pandas.DataFrame
        One row per method, repeat and sample: ``method``, ``repeat``, ``fold``, ``row`` (position of the sample in the
        table, from 0), ``sample`` (its name in the index of the table, else its position), ``label`` (the true one),
        ``predicted``, ``probability_<class>`` for each class (NaN if the method has no probabilities), and
        ``in_set_<class>`` for each class: true if the class is in the sample's set at a confidence of 0.9 (missing if
        the method has no sets; see :meth:`disjoint_centroids.DisjointPanelClassifier.predict_set`).
    failures : dict
        Methods that could not be fitted on parts of the table, and why; they are in neither table.
    """

    results: pd.DataFrame
    predictions: pd.DataFrame
    failures: dict[str, str] = field(default_factory=dict)


def compare_with_predictions(
    X: Any,
    y: Any,
    *,
    methods: Iterable[str] = DEFAULT_METHODS,
    cv: int = 3,
    repeats: int = 5,
    transform: str = "none",
    impute: str | None = None,
    inner_folds: int = 5,
    n_init: int = 100,
    random_state: Any = 0,
    n_jobs: int | None = None,
    results: str | Path | None = None,
    skip_failing: bool = False,
    verbose: int = 0,
) -> Comparison:
    """Compare methods as :func:`compare` does, and return the held-out prediction of every sample too.

    Parameters
    ----------
    X, y, methods, cv, repeats, transform, impute, inner_folds, n_init, random_state, n_jobs, results, verbose
        As for :func:`compare`.
    skip_failing : bool, default=False
        True: a method that cannot be fitted on a part of the table is left out, and ``failures`` says why. False: its
        error is raised.

    Returns
    -------
    Comparison
        ``results``, ``predictions`` and ``failures``.

    Examples
    --------
    The samples that nearest centroids get wrong:

    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids.evaluation.comparison import compare_with_predictions
    >>> X, y = load_iris(return_X_y=True)
    >>> found = compare_with_predictions(X, y, methods=["NC"], repeats=2)
    >>> wrong = found.predictions.query("predicted != label")[["repeat", "sample", "label", "predicted"]]
    >>> bool(len(wrong) / 300 == found.results["error"].mean())
    True
    """
    values, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
    methods = list(methods)
    for method in methods:
        method_builder(method)
    seed = _drawn(random_state)
    about = {"seed": seed, "folds": cv, "inner_folds": inner_folds, "transform": transform, "impute": impute}
    made_of = "" if results is None else fingerprint(values, labels, **about, restarts=n_init)
    kept = ResultsFile(results, JOB, made_of)
    names = X.index if hasattr(X, "index") else range(len(labels))
    said = PredictionsTable(None if results is None else predictions_path(results), made_of, labels, names)
    splits = list(_splits(labels, cv, repeats, seed))
    done, predicted = kept.done(), said.counts()
    jobs = [
        (m, split)
        for split in splits
        for m in methods
        if not ((job := (m, split.repeat, split.fold)) in done and predicted.get(job) == len(split.test))
    ]

    def run(method: str, split: _Split) -> tuple[str, _Split, Trial | ValueError]:
        try:
            trial: Trial | ValueError = fit_and_predict(
                method,
                (values[split.train], labels[split.train]),
                (values[split.test], labels[split.test]),
                transform=transform,
                impute=impute,
                inner_folds=inner_folds,
                n_init=n_init,
                seed=split.seed,
            )
        except ValueError as error:
            if not skip_failing:
                raise
            trial = error
        return method, split, trial

    pool = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    failures: dict[str, str] = {}
    with Progress("comparing", Counter(method for method, _ in jobs), enabled=verbose > 0) as bar:
        try:
            for method, split, trial in pool(delayed(run)(*job) for job in jobs):
                if isinstance(trial, ValueError):
                    failures[method] = str(trial)
                    bar.tick(method)
                    continue
                fit = {"method": method, "repeat": split.repeat, "fold": split.fold}
                said.add(fit, split.test, trial.held_out)
                kept.add(fit | asdict(trial.outcome) | {"samples": len(split.test)})
                bar.tick(method, trial.outcome.seconds)
        finally:
            kept.write()
            said.write()
    done_by = [method for method in methods if method not in failures]
    return Comparison(_rows_of(kept.frame(), done_by), _rows_of(said.frame(), done_by), failures)


def _rows_of(table: pd.DataFrame, methods: list[str]) -> pd.DataFrame:
    """Rows of these methods: a file may hold others."""
    return table[table["method"].isin(methods)].reset_index(drop=True)
