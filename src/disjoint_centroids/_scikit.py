"""The one seam to scikit-learn's internals: every private name that this package needs comes through here."""

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.base import _fit_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metaestimators import available_if as _available_if
from sklearn.utils.validation import _check_feature_names_in, _check_sample_weight

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "available_if",
    "check_feature_names_in",
    "check_sample_weight",
    "fit_context",
]

_F = TypeVar("_F", bound=Callable[..., Any])

check_feature_names_in = _check_feature_names_in
check_sample_weight = _check_sample_weight


# scikit-learn has no types, and what its decorators return would be Any to a type checker: these keep the signature.
def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[_F], _F]:
    """Validate the parameters of an estimator before its ``fit``."""
    decorate: Callable[[_F], _F] = _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)
    return decorate


def available_if(check: Callable[[Any], bool]) -> Callable[[_F], _F]:
    """Make a method one that is there only if ``check`` says so of the object."""
    decorate: Callable[[_F], _F] = _available_if(check)
    return decorate
