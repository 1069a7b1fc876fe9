"""scikit-learn's own checks: what its generator runs, and what it leaves to the projects that use it."""

import pytest

from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV
from scikit_checks import NOT_GENERATED, assert_only_the_score_is_excused, generated_checks, run_by_hand

pytestmark = [
    pytest.mark.filterwarnings("error"),
    # The checks fit tables with more classes than features, classes of one sample and constant columns: the package
    # rightly says so, and tests/rows/test_bad_input.py looks at what it says.
    pytest.mark.filterwarnings("ignore:.*own no feature:UserWarning"),
    pytest.mark.filterwarnings("ignore:In every restart some class lost its last feature:UserWarning"),
    # The checks of set_output fit a frame and transform an array, to see both.
    pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names:UserWarning"),
]

ESTIMATORS = {
    "Algorithm 2": NearestDisjointCentroid(lam=1.0, n_init=4),
    "cross-validated": NearestDisjointCentroidCV(n_lams=3, n_init=4, cv=2),
}
OTHERS = [
    NearestDisjointCentroid(n_init=4),
    NearestDisjointCentroid(init="variance"),
    NearestDisjointCentroid(norm="euclidean", n_init=4),
    NearestDisjointCentroid(lam=1.0, n_init=4, refine=True),
    NearestDisjointCentroidCV(n_lams=3, n_init=4, cv=2, refine=True),
]


@generated_checks(ESTIMATORS.values(), OTHERS)
def test_generated_check(estimator, check):
    # No expected failures: what is generated must pass.
    check(estimator)


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("name", NOT_GENERATED)
def test_check_that_is_not_generated(name, kind):
    run_by_hand(name, ESTIMATORS[kind])


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_only_the_score_is_excused(kind):
    """Two features cannot be shared out among three classes."""
    assert ESTIMATORS[kind].__sklearn_tags__().classifier_tags.poor_score
    assert_only_the_score_is_excused(ESTIMATORS[kind])
