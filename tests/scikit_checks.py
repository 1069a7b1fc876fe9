"""What the tests by scikit-learn's own checks share."""

import pytest
from sklearn.base import clone
from sklearn.utils import estimator_checks

NOT_GENERATED = (
    "check_dataframe_column_names_consistency",
    "check_get_feature_names_out_error",
    "check_global_output_transform_pandas",
    "check_global_set_output_transform_polars",
    "check_param_validation",
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_set_output_transform_polars",
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
)
"""Checks that scikit-learn runs on its own estimators only, by hand."""

OF_THE_FIT = frozenset(
    {
        "check_classifiers_classes",
        "check_classifiers_train",
        "check_decision_proba_consistency",
        "check_estimators_pickle",
        "check_fit2d_1feature",
        "check_fit2d_1sample",
        "check_fit_idempotent",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_non_transformer_estimators_n_iter",
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    }
)
"""Generated checks whose outcome depends on how an estimator fits, not only on how it validates and what it has."""


def generated_checks(estimators, others=()):
    """A mark with every generated check on some estimators, and those of the fit on further configurations of them."""
    from sklearn.utils.estimator_checks import parametrize_with_checks

    # A list: scikit-learn 1.6 hands over a generator, which pytest 9 warns about.
    names, cases = parametrize_with_checks(list(estimators)).args
    whole = list(cases)
    mark = parametrize_with_checks(list(others))
    of_the_fit = [case for case in mark.args[1] if _name(case) in OF_THE_FIT]
    return pytest.mark.parametrize(names, whole + of_the_fit, **mark.kwargs)


def run_by_hand(name, estimator):
    """Run one of ``NOT_GENERATED`` on a copy of an estimator."""
    getattr(estimator_checks, name)(type(estimator).__name__, clone(estimator))


def assert_only_the_score_is_excused(estimator):
    """A tag can switch checks off: the only one that may do so is ``poor_score``."""
    tags = estimator.__sklearn_tags__()
    assert not tags.non_deterministic
    assert not tags.no_validation
    assert not tags._skip_test
    assert tags.requires_fit
    assert tags.target_tags.required
    assert not tags.input_tags.allow_nan


def _name(case):
    _, check = getattr(case, "values", case)
    return check.func.__name__
