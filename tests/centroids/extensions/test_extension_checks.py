"""scikit-learn's own checks on the Discussion's classifiers, with no failure expected."""

import pytest

from disjoint_centroids import NearestDisjointCentroid
from disjoint_centroids.centroids.extensions import (
    DisjointKNeighborsClassifier,
    DisjointLogisticRegression,
    OverlappingCentroidClassifier,
)
from scikit_checks import NOT_GENERATED, assert_only_the_score_is_excused, generated_checks, run_by_hand

pytestmark = [
    pytest.mark.filterwarnings("error"),
    # The checks fit tables with more classes than features, few samples and constant columns: the package rightly
    # says so, and the tests of each classifier look at what it says.
    pytest.mark.filterwarnings("ignore:.*own no feature:UserWarning"),
    pytest.mark.filterwarnings("ignore:In every restart:UserWarning"),
    pytest.mark.filterwarnings("ignore:n_neighbors=.* training samples:UserWarning"),
    # The checks of set_output fit a frame and transform an array, to see both.
    pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names:UserWarning"),
]

QUICK = NearestDisjointCentroid(n_init=4)
ESTIMATORS = {
    "logistic": DisjointLogisticRegression(estimator=QUICK),
    "neighbours": DisjointKNeighborsClassifier(estimator=QUICK),
    "overlapping": OverlappingCentroidClassifier(n_init=4),
}
OTHERS = [
    DisjointLogisticRegression(C=0.1, estimator=NearestDisjointCentroid(lam=1.0, n_init=4), cv=2),
    DisjointKNeighborsClassifier(n_neighbors=3, estimator=QUICK),
    OverlappingCentroidClassifier(n_init=4, max_features_per_class=3),
]


@generated_checks(ESTIMATORS.values(), OTHERS)
def test_generated_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("name", NOT_GENERATED)
def test_check_that_is_not_generated(name, kind):
    run_by_hand(name, ESTIMATORS[kind])


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_only_the_score_of_neighbours_is_excused(kind):
    """Two features cannot be shared out among three classes, and a sample on no feature is nobody's neighbour."""
    tags = ESTIMATORS[kind].__sklearn_tags__()
    assert tags.classifier_tags.poor_score == isinstance(ESTIMATORS[kind], DisjointKNeighborsClassifier)
    assert_only_the_score_is_excused(ESTIMATORS[kind])
