"""Evaluation of marker lists, whoever chose them: errors of three readings, beside a random list and ours."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.metrics import precision_recall_fscore_support, roc_auc_score

from disjoint_centroids.evaluation.comparison import outer_folds
from disjoint_centroids.evaluation.intervals import error_interval
from disjoint_centroids.evaluation.methods import TrainingPart, build_method
from disjoint_centroids.markers.estimators import by_position
from disjoint_centroids.markers.judged_input import JudgedTable, read_judged
from disjoint_centroids.markers.measures import (
    MarkerValues,
    dot_table,
    highest_class,
    marker_table,
    mean_by_class,
    thresholds,
)
from disjoint_centroids.markers.readings import READINGS, read_markers
from disjoint_centroids.panels.classifier import DisjointPanelClassifier
from disjoint_centroids.panels.within_batches import share_of_new_batches
from disjoint_centroids.pipeline import fit_within_batches
from disjoint_centroids.progress import Progress
from disjoint_centroids.tables.nearest_names import nearest_names

BETA = 0.5
"""Weight of recall in F-beta: precision counts twice as much, as in NS-Forest."""

LISTS = ("given", "ours", "random")

_SIZE = ("rounds", "max_features")
"""Parameters of our list that follow from the size of the given one."""


@dataclass(frozen=True, slots=True)
class MarkerEvaluation:
    """Tables of what a marker list is worth; see :func:`evaluate_markers`.

    Attributes
    ----------
    errors : pandas.DataFrame
        One row per list ("given", "ours", "random") and reading ("scores", "centroid", "logistic"): ``error`` with the
        limits ``low`` and ``high`` of its 95 % confidence interval, ``balanced_error``, and means over the classes of
        ``f_beta`` (beta 0.5) and ``auc``.
    classes : pandas.DataFrame
        One row per list, reading and class: ``samples``, ``recall``, ``precision``, ``f_beta``, ``auc``.
    lists : pandas.DataFrame
        One row per list: ``features``, ``on_target`` and ``on_target_median`` (means over classes of their markers'),
        ``redundancy`` (mean absolute correlation of pairs of markers within classes), all on held-out samples.
    markers : pandas.DataFrame
        One row per marker of the given list, on all samples: ``feature``, ``class``, ``mean`` in it, the ``next_class``
        with its ``next_mean``, ``on_above`` (the value above which the marker is on), ``share_on`` (of the samples of
        the class in which the marker is on), ``share_on_elsewhere`` (mean over the other classes), ``on_target``,
        ``on_target_median``, and the marker ``most_alike`` with its ``correlation`` within classes.
    dots : pandas.DataFrame
        One row per class and marker, markers class by class: ``class``, ``feature``, ``owner``, ``share_on``, ``mean``.
    setup : dict
        What was judged, and how: ``samples``, ``features`` and ``classes`` (numbers, of the table), ``folds``,
        ``repeats``, ``batches`` (their number; None without), ``new_batch_share`` (share of the held-out samples whose
        whole batch was held out with them; None without batches), ``random_state``, and ``negative`` (True if a marker
        of some list has negative values, so that on-target fractions are missing).
    """

    errors: pd.DataFrame
    classes: pd.DataFrame
    lists: pd.DataFrame
    markers: pd.DataFrame
    dots: pd.DataFrame
    setup: dict[str, Any]


def evaluate_markers(
    X: Any,
    y: Any,
    markers: Any,
    *,
    feature_names: Iterable[str] | None = None,
    layer: str | None = None,
    cv: int = 3,
    repeats: int = 1,
    on: float | None = None,
    batch: Any = None,
    transform: str = "none",
    impute: str | None = None,
    parameters: dict[str, Any] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> MarkerEvaluation:
    """Judge a marker list by nested cross-validation, beside a random list and one of ours of the same size.

    Every list is read in three ways, each fitted on the training part alone: by our scores on exactly these features,
    by the nearest centroid, and by logistic regression on standardised features. Our list is chosen within each
    training part, the random one drawn anew for each; values are filled in and transformed by what that part says.

    Parameters
    ----------
    X : data frame, array or sparse matrix of shape (n_samples, n_features), or AnnData
        Samples. An array needs ``feature_names``.
    y : array-like of shape (n_samples,), or str
        Class labels; for an AnnData the column of ``.obs`` that holds them.
    markers : list of str, mapping, data frame
        Names of the features, names by class, or a table with a column of names and, if known, one of classes, such as
        :func:`disjoint_markers_df` returns. Without classes, a marker is taken to be meant for the class in which
        its mean is highest.
    feature_names : iterable of str, default=None
        Names of the columns of an array.
    layer : str, default=None
        Layer of an AnnData; None: ``.X``.
    cv, repeats : int, default=3 and 1
        Stratified folds, and number of times that the samples are split anew.
    on : float, default=None
        Value above which a marker counts as on, for shares of samples. None: 0 if the values of the markers begin at 0;
        else the mean of the class means of each marker.
    batch : array-like of shape (n_samples,) or str, default=None
        Batches: folds hold whole batches out. For an AnnData a column of ``.obs``.
    transform : {"none", "log2", "log1p", "standardize", "log2-standardize"}, default="none"
        Change of scale, fitted to the training part.
    impute : {"median", "knn"} or None, default=None
        Filling in of missing values, fitted to the training part.
    parameters : dict, default=None
        Parameters of the :class:`~disjoint_centroids.DisjointPanelClassifier` that chooses our list, such as
        ``direction="up"``, but for its size (``rounds``, ``max_features``), which is that of the list. Features and
        classes are named as in the table.
    random_state : int, default=0
        For folds and random lists.
    n_jobs : int, default=None
        Processes, as joblib understands it.
    verbose : int, default=0
        1 shows a progress bar on standard error.

    Returns
    -------
    MarkerEvaluation
        ``errors``, ``classes``, ``lists``, ``markers``, ``dots`` and ``setup``.

    Notes
    -----
    The on-target fraction of a marker is its mean in its class over the sum of its means in all classes, as in
    NS-Forest 4.1 with ``use_mean=True``; ``on_target_median`` has medians in place of means, its default.
    A marker of no other class has 1. It is missing for a marker with negative values, and for one that is 0 throughout.

    For the AUC of a class, samples are ranked by the score of the class less the highest score of the others, with
    log-probabilities as scores (nearest centroid: minus the squared distances).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from disjoint_centroids.markers import evaluate_markers
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> found = evaluate_markers(X, y, ["proline", "hue", "flavanoids"])
    >>> found.errors[["list", "reading"]].drop_duplicates("list")["list"].tolist()
    ['given', 'ours', 'random']
    >>> bool(found.errors["error"].iloc[2] < 0.2)
    True
    """
    _check_settings(repeats, on, parameters)
    table = read_judged(X, y, markers, feature_names, layer, batch, transform=transform, impute=impute)
    rules = by_position(parameters or {}, pd.Index(table.names), "the table")
    folds = [
        (repeat, fold, train, test)
        for repeat in range(repeats)
        for fold, (train, test) in enumerate(outer_folds(table.labels, cv, random_state + repeat, table.batch))
    ]
    judged = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_judge_fold)(table, repeat, train, test, random_state + 1000 * repeat + fold, rules)
        for repeat, fold, train, test in folds
    )
    done = []
    with Progress("judging", len(folds), enabled=bool(verbose)) as bar:
        for one in judged:
            done.append(one)
            bar.tick()
    trials = [trial for fold_trials, _ in done for trial in fold_trials]
    lists = pd.DataFrame([row for _, rows in done for row in rows])
    negative = bool(lists.pop("negative").any())
    errors, classes = _tables(trials, table)
    rows = np.arange(table.codes.size)
    whole = table.prepared(rows)
    values = whole.columns(whole.markers)
    found = MarkerValues(values, table.codes, whole.owners_of(rows), table.n_classes)
    about = ([table.names[at] for at in table.markers], table.classes, thresholds(values, table.codes, on))
    return MarkerEvaluation(
        errors,
        classes,
        lists.groupby("list", sort=False).mean().reset_index(),
        marker_table(found, *about),
        dot_table(found, *about),
        {
            "samples": int(table.codes.size),
            "features": len(table.names),
            "classes": table.n_classes,
            "folds": len(folds) // repeats,
            "repeats": repeats,
            "batches": None if table.batch is None else int(np.unique(table.batch.astype(str)).size),
            "new_batch_share": _new_batch_share(table, folds),
            "random_state": random_state,
            "negative": negative,
        },
    )


def _check_settings(repeats: int, on: float | None, parameters: dict[str, Any] | None) -> None:
    """Raise an error for settings that make no sense, before anything is read."""
    if repeats < 1:
        raise ValueError(f"repeats must be 1 or more; got {repeats!r}.")
    if on is not None and math.isnan(on):
        raise ValueError("on must be a number, above which a marker counts as on; got nan.")
    known = [name for name in DisjointPanelClassifier().get_params() if name not in _SIZE]
    for name in parameters or {}:
        if name in _SIZE:
            raise TypeError(f"parameters= names {name!r}: our list is as long as the given one. Leave it out.")
        if name not in known:
            near = nearest_names(name, known)
            raise TypeError(f"parameters= names {name!r}, which DisjointPanelClassifier does not have.{near}")


def _new_batch_share(table: JudgedTable, folds: list[tuple[int, int, np.ndarray, np.ndarray]]) -> float | None:
    """Share of the held-out samples that are of batches not seen; None without batches."""
    if table.batch is None:
        return None
    return share_of_new_batches([(train, test) for _, _, train, test in folds], table.batch.astype(str))


@dataclass(frozen=True, slots=True)
class _Trial:
    """Held-out answers of one reading of one list in one fold."""

    list: str
    reading: str
    repeat: int
    test: np.ndarray
    predicted: np.ndarray
    scores: np.ndarray


def _judge_fold(
    table: JudgedTable, repeat: int, train: np.ndarray, test: np.ndarray, seed: int, parameters: dict[str, Any]
) -> tuple[list[_Trial], list[dict[str, Any]]]:
    """Choose the lists in a training part, and read each of them."""
    table = table.prepared(train)
    m = table.markers.size
    chosen = {
        "given": (table.markers, table.owners),
        "ours": _our_list(table, train, m, seed, parameters),
        "random": (_random_list(table, train, m, seed), None),
    }
    trials, measures = [], []
    for name, (features, owners) in chosen.items():
        values = table.columns(features)
        known = highest_class(values[train], table.codes[train], table.n_classes) if owners is None else owners
        held_out = MarkerValues(values[test], table.codes[test], known, table.n_classes)
        measures.append(
            {
                "list": name,
                "features": features.size,
                "on_target": mean_by_class(held_out.on_target(), known, table.n_classes),
                "on_target_median": mean_by_class(held_out.on_target(median=True), known, table.n_classes),
                "redundancy": held_out.redundancy(),
                "negative": bool((values < 0).any()),
            }
        )
        for reading in READINGS:
            predicted, scores = read_markers(
                reading,
                (values[train], table.codes[train]),
                values[test],
                owners=owners,
                n_classes=table.n_classes,
                seed=seed,
            )
            trials.append(_Trial(name, reading, repeat, test, predicted, scores))
    return trials, measures


def _random_list(table: JudgedTable, train: np.ndarray, m: int, seed: int) -> np.ndarray:
    """Features at random among those that vary in a training part; all of them if they are fewer."""
    varying = table.varying(train)
    return np.random.default_rng(seed).choice(varying, min(m, varying.size), replace=False)


def _our_list(
    table: JudgedTable, train: np.ndarray, m: int, seed: int, parameters: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Features that the classes draft in a training part, as many as the list has, and their owners."""
    size: dict[str, Any] = {"rounds": math.ceil(m / table.n_classes)}
    if m % table.n_classes:
        size["max_features"] = m  # the last round is for the most promising classes
    labels = np.array(table.classes)[table.codes[train]]
    part = TrainingPart(labels, seed=seed)
    model = build_method("Panel", part, **{"terms": "linear"} | parameters | size)
    values = table.values.tocsr()[train] if sparse.issparse(table.values) else table.values[train]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes without a feature: there are fewer features
        fit_within_batches(model, values, labels, None if table.batch is None else table.batch[train])
    features = np.concatenate(model.feature_sets_)
    owners = model.classes_[model.owner_[features]]
    return features, np.array([table.classes.index(label) for label in owners], dtype=np.intp)


def _tables(trials: list[_Trial], table: JudgedTable) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Errors of every list and reading, and the same class by class."""
    errors, classes = [], []
    for name in LISTS:
        for reading in READINGS:
            own = [trial for trial in trials if trial.list == name and trial.reading == reading]
            rows = _by_class(own, table)
            wrong = np.concatenate([trial.predicted != table.codes[trial.test] for trial in own])
            error = float(wrong.mean())
            low, high = error_interval(error, table.codes.size)
            known = {"list": name, "reading": reading}
            errors.append(
                known
                | {"error": error, "low": low, "high": high, "balanced_error": 1.0 - float(rows["recall"].mean())}
                | {measure: float(rows[measure].mean()) for measure in ("f_beta", "auc")}
            )
            classes.append(rows.assign(**known))
    leading = ["list", "reading", "class"]
    by_class = pd.concat(classes, ignore_index=True)
    return pd.DataFrame(errors), by_class[[*leading, *by_class.columns.difference(leading, sort=False)]]


def _by_class(trials: list[_Trial], table: JudgedTable) -> pd.DataFrame:
    """Recall, precision and F-beta of every class, means over repeats; AUC, means over folds."""
    labels, found = np.arange(table.n_classes), []
    for repeat in sorted({trial.repeat for trial in trials}):
        own = [trial for trial in trials if trial.repeat == repeat]
        true = table.codes[np.concatenate([trial.test for trial in own])]
        told = np.concatenate([trial.predicted for trial in own])
        precision, recall, f_beta, _ = precision_recall_fscore_support(
            true, told, beta=BETA, labels=labels, zero_division=0.0
        )
        found.append([recall, precision, f_beta])
    recall, precision, f_beta = np.mean(found, axis=0)
    return pd.DataFrame(
        {
            "class": table.classes,
            "samples": np.bincount(table.codes, minlength=table.n_classes),
            "recall": recall,
            "precision": precision,
            "f_beta": f_beta,
            "auc": [_auc(trials, table.codes, label) for label in range(table.n_classes)],
        }
    )


def _auc(trials: list[_Trial], codes: np.ndarray, label: int) -> float:
    """Mean over the folds of the area under the curve of one class against the others; NaN if no fold has both."""
    found = []
    for trial in trials:
        own = codes[trial.test] == label
        if own.any() and not own.all() and np.isfinite(trial.scores[:, label]).all():
            found.append(roc_auc_score(own, _margin(trial.scores, label)))
    return float(np.mean(found)) if found else np.nan


def _margin(scores: np.ndarray, label: int) -> np.ndarray:
    """Score of a class less the best of the others."""
    return np.asarray(scores[:, label] - np.delete(scores, label, axis=1).max(axis=1))
