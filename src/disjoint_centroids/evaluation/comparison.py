"""Comparison of methods on one table by repeated nested cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state

from disjoint_centroids.evaluation.held_out_predictions import JOB, PredictionsTable, predictions_path
from disjoint_centroids.evaluation.methods import method_builder
from disjoint_centroids.evaluation.results_file import ResultsFile, fingerprint
from disjoint_centroids.evaluation.resumable import remaining, run_jobs
from disjoint_centroids.evaluation.trials import Trial, fit_and_predict
from disjoint_centroids.panels.within_batches import batch_folds, read_batches, share_of_new_batches
from disjoint_centroids.rows.folds import Fold

if TYPE_CHECKING:
    import pandas as pd

PAPER_METHODS = ("NDC", "NDC-S", "NC", "NSC", "KNN", "LDA", "SVM", "Logistic")
DEFAULT_METHODS = ("Panel", *PAPER_METHODS)
"""Methods that are compared by default: our own, then the paper's eight."""


@dataclass(frozen=True, slots=True)
class _Split:
    """One outer fold of one repeat, and the seed of what is fitted on it."""

    repeat: int
    fold: int
    train: np.ndarray
    test: np.ndarray
    seed: int


@dataclass(frozen=True, slots=True)
class _Fit:
    """One method on one split."""

    method: str
    split: _Split

    @property
    def key(self) -> tuple[str, int, int]:
        return self.method, self.split.repeat, self.split.fold


def _drawn(random_state: Any) -> int:
    """Draw the seed that everything follows from."""
    return int(check_random_state(random_state).randint(2**31 - 1))


def _splits(labels: np.ndarray, cv: int, repeats: int, seed: int, batch: np.ndarray | None = None) -> Iterator[_Split]:
    """Outer folds, the same for every method; with batches, folds that hold whole batches out."""
    for repeat in range(repeats):
        splits = outer_folds(labels, cv, seed + repeat, batch)
        for fold, (train, test) in enumerate(splits):
            yield _Split(repeat, fold, train, test, seed + 1000 * repeat + fold)


def outer_folds(labels: np.ndarray, cv: int, seed: int, batch: np.ndarray | None = None) -> list[Fold]:
    """Stratified folds of samples; with batches, folds that hold whole batches out."""
    if batch is not None:
        classes, codes = np.unique(labels, return_inverse=True)
        batches = read_batches(batch, np.arange(codes.size), codes, classes)
        if batches is not None:
            return batch_folds(codes, batches, classes, seed, cv)
    _check_number_of_folds(labels, cv)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes with fewer samples than folds
        return list(StratifiedKFold(cv, shuffle=True, random_state=seed).split(labels, labels))


def _check_number_of_folds(labels: np.ndarray, cv: int) -> None:
    """Warn of a class with fewer samples than folds; raise an error if every class has fewer."""
    counts = np.unique(labels, return_counts=True)[1]
    if counts.max() < cv:
        raise ValueError(
            f"{cv} folds need a class with {cv} samples, and the largest has {counts.max()}. Ask for {counts.max()} "
            "folds or fewer."
        )
    smallest = int(counts.min())
    if smallest < cv:
        cure = f"Ask for {smallest} folds" if smallest > 1 else "Add samples of it"
        size = f"{smallest} sample{'' if smallest == 1 else 's'}"
        warnings.warn(
            f"the smallest class has {size}, fewer than the {cv} folds: some folds hold none of it out. {cure}, or "
            "leave the class out of the table.",
            UserWarning,
            stacklevel=3,
        )


class _Kept:
    """Results and predictions of a comparison, each in memory and, if asked for, in a file."""

    def __init__(self, results: ResultsFile, predictions: PredictionsTable, fits: Iterable[_Fit]) -> None:
        self.results, self.predictions = results, predictions
        self.failures: dict[str, str] = {}
        self._n_held_out = {fit.key: len(fit.split.test) for fit in fits}

    def done(self) -> set[tuple[Any, ...]]:
        """Keys of the fits with a result and the predictions of all held-out samples."""
        predicted = self.predictions.counts()
        return {key for key in self.results.done() if predicted.get(key) == self._n_held_out.get(key)}

    def add(self, found: tuple[_Fit, Trial | ValueError]) -> None:
        """Keep a fit with its trial, or with the error that it failed with."""
        fit, trial = found
        if isinstance(trial, ValueError):
            self.failures[fit.method] = str(trial)
            return
        key = dict(zip(JOB, fit.key, strict=True))
        self.predictions.add(key, fit.split.test, trial.held_out)
        self.results.add(key | asdict(trial.outcome) | {"samples": len(fit.split.test)})

    def write(self) -> None:
        self.results.write()
        self.predictions.write()


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
        Number of times that the table is split anew.
    transform : str, default="none"
        A name of :data:`disjoint_centroids.transforms.TRANSFORMS`, fitted on each training part.
    impute : {"median", "knn"} or None, default=None
        Filling in of missing values, learned from each training part.
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
        confidence interval see :func:`disjoint_centroids.evaluation.error_interval`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids.evaluation import compare
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
    new_batch_share : float or None
        Share of the held-out samples whose whole batch was held out with them; None if no batches were given.
    """

    results: pd.DataFrame
    predictions: pd.DataFrame
    failures: dict[str, str] = field(default_factory=dict)
    new_batch_share: float | None = None


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
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    batch: Any = None,
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
    parameters : mapping of str to mappings, default=None
        Parameters of our own methods, by the name of the method, as for
        :func:`disjoint_centroids.evaluation.build_method`. Features are given by position.
    batch : array-like of shape (n_samples,), default=None
        Batch of each sample: outer folds hold whole batches out, and panels are fitted within batches, as
        :meth:`disjoint_centroids.DisjointPanelClassifier.fit` does.

    Returns
    -------
    Comparison
        ``results``, ``predictions`` and ``failures``.

    Examples
    --------
    The samples that nearest centroids get wrong:

    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids.evaluation import compare_with_predictions
    >>> X, y = load_iris(return_X_y=True)
    >>> found = compare_with_predictions(X, y, methods=["NC"], repeats=2)
    >>> wrong = found.predictions.query("predicted != label")[["repeat", "sample", "label", "predicted"]]
    >>> bool(len(wrong) / 300 == found.results["error"].mean())
    True
    """
    values, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
    methods = list(methods)
    seed = _drawn(random_state)
    about: dict[str, Any] = {
        "seed": seed,
        "folds": cv,
        "inner_folds": inner_folds,
        "transform": transform,
        "impute": impute,
    }
    given = {method: dict(own) for method, own in (parameters or {}).items() if own}
    batches = None if batch is None else np.asarray(batch)
    if batches is not None:
        about["batch"] = joblib.hash(batches)
    if given:
        about["parameters"] = joblib.hash(given)
    made_of = "" if results is None else fingerprint(values, labels, **about, restarts=n_init)
    known = {method: method_builder(method) for method in methods}
    builders = {method: partial(known[method], **own) for method, own in given.items() if method in known}
    names = X.index if hasattr(X, "index") else range(len(labels))
    splits = list(_splits(labels, cv, repeats, seed, batches))
    fits = [_Fit(method, split) for split in splits for method in methods]
    kept = _Kept(
        ResultsFile(results, JOB, made_of),
        PredictionsTable(None if results is None else predictions_path(results), made_of, labels, names),
        fits,
    )

    def judge(fit: _Fit) -> tuple[_Fit, Trial | ValueError]:
        train, test = ((values[rows], labels[rows]) for rows in (fit.split.train, fit.split.test))
        try:
            return fit, fit_and_predict(
                builders.get(fit.method, fit.method),
                train,
                test,
                transform=transform,
                impute=impute,
                inner_folds=inner_folds,
                n_init=n_init,
                seed=fit.split.seed,
                batch=None if batches is None else batches[fit.split.train],
            )
        except ValueError as error:
            if not skip_failing:
                raise
            return fit, error

    run_jobs(
        remaining(fits, kept),
        judge,
        kept,
        label="comparing",
        n_jobs=n_jobs,
        verbose=verbose > 0,
        kind=lambda fit: fit.method,
    )
    done_by = [method for method in methods if method not in kept.failures]
    folds = ((split.train, split.test) for split in splits)
    return Comparison(
        _rows_of(kept.results.frame(), done_by),
        _rows_of(kept.predictions.frame(), done_by),
        kept.failures,
        None if batches is None else share_of_new_batches(folds, batches),
    )


def _rows_of(table: pd.DataFrame, methods: list[str]) -> pd.DataFrame:
    """Rows of these methods: a file may hold others."""
    return table[table["method"].isin(methods)].reset_index(drop=True)
