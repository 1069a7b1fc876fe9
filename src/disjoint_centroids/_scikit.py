"""The one seam to scikit-learn's internals: every private name that this package needs comes through here."""

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.base import _fit_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils._param_validation import validate_params as _validate_params
from sklearn.utils.validation import _check_feature_names_in, _check_sample_weight

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "check_feature_names_in",
    "check_sample_weight",
    "fit_context",
    "validate_params",
]

_F = TypeVar("_F", bound=Callable[..., Any])

check_feature_names_in = _check_feature_names_in
check_sample_weight = _check_sample_weight


# scikit-learn has no types, and what its decorators return would be Any to a type checker: these keep the signature.
def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[_F], _F]:
    """Validate the parameters of an estimator before its ``fit``."""
    decorate: Callable[[_F], _F] = _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)
    return decorate


def validate_params(constraints: dict[str, Any]) -> Callable[[_F], _F]:
    """Validate the parameters of a function before it runs."""
    decorate: Callable[[_F], _F] = _validate_params(constraints, prefer_skip_nested_validation=True)
    return decorate
