"""The one seam to scikit-learn's internals: every private name that this package needs comes through here."""

from sklearn.base import _fit_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_feature_names_in, _check_sample_weight

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "check_feature_names_in",
    "check_sample_weight",
    "fit_context",
]

check_feature_names_in = _check_feature_names_in
check_sample_weight = _check_sample_weight
fit_context = _fit_context
