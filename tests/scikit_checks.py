"""What the tests by scikit-learn's own checks share."""

import pytest

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


def as_a_list(mark):
    """The same parametrization from a list: scikit-learn 1.6 hands over a generator, which pytest 9 warns about."""
    names, cases = mark.args
    return pytest.mark.parametrize(names, list(cases), **mark.kwargs)
