"""Parts of ``partial_fit`` for both methods: announced classes, and fits that run when the model is next used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MethodType
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.exceptions import NotFittedError

_F = TypeVar("_F", bound=Callable[..., Any])


class Learnt:
    """Fitted attribute: after ``partial_fit``, reading the first of them runs the fit on all batches so far.

    Once the model is fitted, the instance has a value of its own, which Python reads instead. The model has the
    batches as ``_stream`` and a method ``_fit_batches``, which sets ``owner_`` last.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self
        if "_stream" in vars(model) and "owner_" not in vars(model):
            model._fit_batches()
        if self._name not in vars(model):
            raise AttributeError(f"{type(model).__name__!r} object has no attribute {self._name!r}")
        return vars(model)[self._name]


def forget_learnt(model: Any) -> None:
    """Remove the fitted attributes of a model, so that the next one read runs the fit."""
    for kind in type(model).__mro__:
        for name, value in vars(kind).items():
            if isinstance(value, Learnt):
                model.__dict__.pop(name, None)


class _WithoutAllSamples:
    """Method that is available only if the parameters ask for nothing that needs all samples at once.

    Otherwise asking for it raises an ``AttributeError`` that names the parameter.
    """

    def __init__(self, method: Callable[..., Any], reasons: Callable[[Any], Iterator[str]]) -> None:
        self._method, self._reasons = method, reasons
        self.__name__, self.__doc__ = method.__name__, method.__doc__

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self._method
        for reason in self._reasons(model):
            raise AttributeError(f"There is no {self._method.__name__} where {reason}: it keeps no samples. Use fit.")
        return MethodType(self._method, model)


def without_all_samples(reasons: Callable[[Any], Iterator[str]]) -> Callable[[_F], _F]:
    """Make a method one that is available only if the parameters ask for nothing that needs all samples at once.

    ``reasons`` gives, for a model, the parameters that do.
    """

    def decorate(method: _F) -> _F:
        return cast(_F, _WithoutAllSamples(method, reasons))

    return decorate


def announced_classes(classes: Any) -> np.ndarray:
    """The classes given to the first call of ``partial_fit``."""
    if classes is None:
        raise ValueError(
            "The first call of partial_fit needs classes: all labels that will ever come, for example "
            "classes=np.unique(all_labels)."
        )
    found: np.ndarray = np.unique(np.asarray(classes))
    if found.size < 2:
        raise ValueError(f"classes must name at least 2 classes; got {classes!r}.")
    return found


def codes_among(known: np.ndarray, classes: Any, y: np.ndarray) -> np.ndarray:
    """Positions of labels among the known classes; ``classes``, if given again, must be the same."""
    if classes is not None and not np.array_equal(np.unique(np.asarray(classes)), known):
        raise ValueError(f"classes={classes!r} is not what the first call of partial_fit was given: {list(known)}.")
    unknown = np.setdiff1d(y, known)
    if unknown.size:
        raise ValueError(
            f"y has labels that were not announced: {list(unknown[:5])}. Name all classes in the first call of "
            "partial_fit."
        )
    return np.searchsorted(known, y)


def check_all_came(classes: np.ndarray, weights: np.ndarray) -> None:
    """Raise an error if no sample of positive weight came yet of some class; ``weights`` (n_classes,) are sums."""
    if (weights <= 0).any():
        missing = ", ".join(str(name) for name in classes[weights <= 0])
        raise NotFittedError(
            f"No sample of positive weight came yet of the class(es) {missing}, announced to partial_fit. "
            "Give it samples of every class before you ask for the model."
        )
