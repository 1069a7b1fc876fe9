"""Complementary halves of a table, the fit of a model on one half, and the owners of features in every fit."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass
from numbers import Number
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from disjoint_centroids._listed import listed
from disjoint_centroids.evaluation import results_file
from disjoint_centroids.evaluation.results_file import ResultsFile
from disjoint_centroids.rows.training import SHARED, UNUSED

_KEY = ("resample",)
_NAMED = 5
_NOT_OF_COLUMNS = {"priors", "cv", "scoring"}  # parameters whose sequences are about classes or samples
_OF_ANY_ORDER = {"disjoint_centroids", "numpy", "sklearn", "scipy"}  # functions that treat every column alike
_FEWEST = 4  # samples of a class: with one in a half every feature has the same spread there, none


@dataclass(frozen=True, slots=True)
class Resample:
    """One half: the number of the fit, its samples, and the seed of what is fitted on it."""

    position: int
    rows: np.ndarray
    seed: int

    @property
    def key(self) -> tuple[int]:
        """Key of the fit in a results file."""
        return (self.position,)


@dataclass(frozen=True, slots=True)
class HalfFit:
    """Owners of all features in the fit on one half, and the warnings of that fit."""

    position: int
    owner: np.ndarray
    warnings: list[str]


def complementary_halves(labels: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two halves without a common sample, both with half of the samples of every class.

    Parameters
    ----------
    labels : array of shape (n_samples,)
        Class labels. The halves do not depend on how classes are called.
    rng : numpy.random.Generator
        What to draw with.

    Returns
    -------
    pair of arrays of shape (about n_samples / 2,)
        Positions, increasing. Of a class with an odd number of samples one is in neither half.

    Examples
    --------
    >>> import numpy as np
    >>> from disjoint_centroids.evaluation.resampling import complementary_halves
    >>> first, second = complementary_halves(np.array(list("aaaabbbb")), np.random.default_rng(0))
    >>> len(first), len(second), len({*first, *second})
    (4, 4, 8)
    """
    classes, counts = np.unique(labels, return_counts=True)
    if counts.min() < _FEWEST:
        few = [f"{str(label)!r} has {count}" for label, count in zip(classes, counts, strict=True) if count < _FEWEST]
        shown = listed(few, _NAMED, more=f"more have fewer than {_FEWEST}")
        raise ValueError(
            f"Both halves need two samples of every class, so that a class needs {_FEWEST}: {shown}. One sample "
            "does not show how a class varies. Give more samples, or leave such classes out."
        )
    order = rng.permutation(len(labels))
    first, second = [], []
    for label, count in zip(classes, counts, strict=True):
        members = order[labels[order] == label]
        first.append(members[: count // 2])
        second.append(members[count // 2 : 2 * (count // 2)])
    return np.sort(np.concatenate(first)), np.sort(np.concatenate(second))


def draw_resamples(labels: np.ndarray, n_resamples: int, seed: int) -> list[Resample]:
    """Pairs of halves one after the other: with the same seed, the first of many are those of a few."""
    rng = np.random.default_rng(seed)
    drawn: list[Resample] = []
    for _ in range(n_resamples // 2):
        halves = complementary_halves(labels, rng)
        drawn += [Resample(len(drawn) + at, rows, int(rng.integers(2**31 - 1))) for at, rows in enumerate(halves)]
    return drawn


def fit_half(
    estimator: BaseEstimator, table: Any, labels: np.ndarray, names: np.ndarray, resample: Resample
) -> HalfFit:
    """Fit a clone with its own seed on one half, with the columns in random order.

    Features that tie in a half then get their owner, or none, at random. The order of the user's columns would decide
    alike in every half, and make such features seem stable.
    """
    rng = np.random.default_rng(resample.seed)
    model = _quiet(clone(estimator), rng)
    order = np.arange(names.size) if refers_to_positions(model) else rng.permutation(names.size)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        try:
            model.fit(_part(table, resample.rows, order), labels[resample.rows])
        except ValueError as error:
            raise ValueError(
                f"The fit on half {resample.position}, with {len(resample.rows)} of the {len(labels)} samples, "
                f"failed: {error} (Choose settings that work on half of the samples of every class.)"
            ) from error
    owner = np.empty(names.size, dtype=np.intp)
    owner[order] = _owner(model, names[order], labels)
    return HalfFit(resample.position, owner, [str(warning.message) for warning in caught])


def _quiet(model: BaseEstimator, rng: np.random.Generator) -> BaseEstimator:
    """Draw every seed within a model anew, and turn its progress bars off, as there is one for all fits."""
    found = model.get_params(deep=True)
    seeds = [name for name in sorted(found) if name.split("__")[-1] == "random_state"]
    silent = {name: False for name in found if name.split("__")[-1] == "verbose"}
    return model.set_params(**{name: int(rng.integers(2**31 - 1)) for name in seeds}, **silent)


def _part(table: Any, rows: np.ndarray, columns: np.ndarray) -> Any:
    return table.iloc[rows, columns] if hasattr(table, "iloc") else table[rows][:, columns]


def refers_to_positions(model: BaseEstimator) -> bool:
    """True if some parameter of a model may refer to columns by position, or hold one value per column.

    Sequences of numbers (indices, masks, costs, starting owners) may do so, and so may the user's functions; names of
    columns do not.

    Examples
    --------
    >>> from disjoint_centroids import NearestDisjointCentroid
    >>> from disjoint_centroids.evaluation.resampling import refers_to_positions
    >>> [refers_to_positions(NearestDisjointCentroid(shared_features=chosen)) for chosen in (None, ["age"], [0, 3])]
    [False, False, True]
    """
    found = model.get_params(deep=True)
    return any(_is_positional(value) for name, value in found.items() if name.split("__")[-1] not in _NOT_OF_COLUMNS)


def _is_positional(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_is_positional(part) or isinstance(part, Number) for part in value)
    if isinstance(value, dict):
        return any(isinstance(key, Number) for key in value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biufc" or (value.dtype.kind == "O" and _is_positional(value.tolist()))
    if isinstance(value, slice):
        return True
    own = callable(value) and not isinstance(value, type | np.ufunc | BaseEstimator)
    return own and str(getattr(value, "__module__", "")).split(".")[0] not in _OF_ANY_ORDER


def _owner(model: Any, names: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Owner of every feature of the user's table: features that steps before the classifier drop have none."""
    classifier = model[-1] if isinstance(model, Pipeline) else model
    if not hasattr(classifier, "owner_"):  # any classifier will do that says who owns what
        raise ValueError(
            f"{type(classifier).__name__} says of no feature who owns it: it has no owner_ once it is fitted. Give a "
            "disjoint centroid classifier, or a Pipeline that ends in one."
        )
    owner = np.asarray(classifier.owner_)
    places = _places(model, names, owner.size)
    whole = np.full(names.size, UNUSED, dtype=np.intp)
    whole[places] = owner
    if list(classifier.classes_) != list(np.unique(labels)):
        raise ValueError(f"{type(classifier).__name__} was fitted on other classes than it was given.")
    return whole


def _places(model: Any, names: np.ndarray, n_seen: int) -> np.ndarray:
    """Positions in the user's table of the features that the classifier sees."""
    unnamed = not isinstance(model, Pipeline) or len(model) == 1
    if not unnamed:
        try:
            seen = model[:-1].get_feature_names_out(names)
        except AttributeError:  # some step cannot name what it returns
            unnamed = True
    if unnamed:
        if n_seen != names.size:
            raise ValueError(
                f"The classifier sees {n_seen} features of {names.size}, and the steps before it do not say which. "
                "Use steps that have get_feature_names_out."
            )
        return np.arange(names.size)
    known = {name: place for place, name in enumerate(names)}
    made = [str(name) for name in seen if name not in known]
    if made:
        raise ValueError(
            f"Steps before the classifier make features of their own ({listed(made, _NAMED)}), which differ from "
            "half to half. Use steps that keep, rescale or drop columns."
        )
    return np.array([known[name] for name in seen], dtype=np.intp)


def fingerprint(estimator: BaseEstimator, table: Any, labels: np.ndarray, seed: int) -> str:
    """Fingerprint of everything that the owners in a results file depend on."""
    model = _quiet(clone(estimator), np.random.default_rng(0))
    found = model.get_params(deep=True)
    model.set_params(**{name: None for name in found if name.split("__")[-1] == "n_jobs"})  # changes no answer
    return results_file.fingerprint(table, labels, estimator=joblib.hash(model), seed=seed)


class KeptOwners:
    """Owners of every fit, in memory and in a results file: one row per fit, owners as numbers between spaces.

    Attributes
    ----------
    owners : dict of int to array of shape (n_features,)
        Owners by the number of the fit.
    warnings : Counter of str
        Number of the fits that gave each warning; fits read from the file gave none.
    """

    def __init__(self, path: str | Path | None, made_of: str, n_features: int, n_classes: int) -> None:
        self.n_features = n_features
        self.n_classes = n_classes
        self._file = ResultsFile(path, _KEY, made_of)
        rows = self._file.frame().to_dict("records")
        self.owners = {int(row["resample"]): self._decoded(row.get("owner")) for row in rows}
        self.warnings: Counter[str] = Counter()

    def done(self) -> set[tuple[Any, ...]]:
        """Keys of the fits whose owners are known."""
        return self._file.done()

    def add(self, fitted: HalfFit) -> None:
        """Keep the owners of one fit."""
        self.owners[fitted.position] = fitted.owner
        self.warnings.update(set(fitted.warnings))
        self._file.add({"resample": fitted.position, "owner": " ".join(map(str, fitted.owner.tolist()))})

    def write(self) -> None:
        """Write the owners of all fits, if there is a file."""
        self._file.write()

    def _decoded(self, text: Any) -> np.ndarray:
        try:
            owner = np.array(str(text).split(), dtype=np.intp)
        except ValueError:
            owner = np.empty(0, dtype=np.intp)
        if owner.size != self.n_features or owner.min() < SHARED or owner.max() >= self.n_classes:
            raise ValueError(f"{self._file.path} is damaged: a row does not hold {self.n_features} owners. Remove it.")
        return owner
