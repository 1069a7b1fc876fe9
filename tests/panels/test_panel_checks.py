"""scikit-learn's own checks on the panel classifier, with no failure expected."""

import pytest

from disjoint_centroids import DisjointPanelClassifier
from scikit_checks import NOT_GENERATED, assert_only_the_score_is_excused, generated_checks, run_by_hand

pytestmark = [
    pytest.mark.filterwarnings("error"),
    # The checks fit tables with more classes than features: the package rightly says so, and test_panel_classifier.py
    # looks at what it says.
    pytest.mark.filterwarnings("ignore:.*own no feature:UserWarning"),
    # The checks of set_output fit a frame and transform an array, to see both.
    pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names:UserWarning"),
]

ESTIMATORS = {
    "linear, bounded": DisjointPanelClassifier(max_features_per_class=2, terms="linear", rule="1se", cv=2),
}
OTHERS = [
    DisjointPanelClassifier(cv=2),
    DisjointPanelClassifier(rounds=2, terms="both", penalty=0.05, priors="empirical", cv=2),
]


@generated_checks(ESTIMATORS.values(), OTHERS)
def test_generated_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("name", NOT_GENERATED)
def test_check_that_is_not_generated(name, kind):
    run_by_hand(name, ESTIMATORS[kind])


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_only_the_score_is_excused(kind):
    """Two features cannot be shared out among three classes. Sparse tables are taken."""
    tags = ESTIMATORS[kind].__sklearn_tags__()
    assert tags.classifier_tags.poor_score
    assert tags.input_tags.sparse
    assert_only_the_score_is_excused(ESTIMATORS[kind])
