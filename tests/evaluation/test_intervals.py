"""The confidence interval of an error: by hand, at the ends, and over tables drawn anew."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.model_selection import StratifiedKFold

from disjoint_centroids.evaluation import error_interval
from disjoint_centroids.evaluation.intervals import repeat_errors

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize(("wrong", "n"), [(0, 12), (3, 12), (7, 40), (12, 12)])
def test_the_ends_are_where_as_many_errors_would_be_too_rare(wrong, n):
    low, high = error_interval(wrong / n, n)
    assert low <= wrong / n <= high
    if wrong:
        assert binom.sf(wrong - 1, n, low) == pytest.approx(0.025)
    else:
        assert low == 0.0
    if wrong < n:
        assert binom.cdf(wrong, n, high) == pytest.approx(0.025)
    else:
        assert high == 1.0


def test_more_samples_and_less_confidence_make_it_narrower():
    widths = [np.diff(error_interval(0.2, n))[0] for n in (10, 11, 20, 100, 1000)]
    assert widths == sorted(widths, reverse=True)
    assert np.diff(error_interval(0.2, 20, confidence=0.5))[0] < widths[2]
    # Errors of repeats need not be whole numbers of samples.
    assert error_interval(0.20, 20)[0] < error_interval(0.21, 20)[0] < error_interval(0.25, 20)[0]


def wrong_and_true_error(rng, n, p, shift, repeats=5, folds=3):
    """Errors of nearest centroids by repeated cross-validation (repeats, samples), and on 2000 new samples."""
    y, y_new = np.arange(n) % 2, np.arange(2000) % 2
    X, new = rng.normal(size=(n, p)), rng.normal(size=(2000, p))
    X[y == 1, :3] += shift
    new[y_new == 1, :3] += shift
    wrong, true = np.zeros((repeats, n)), []
    for repeat in range(repeats):
        splitter = StratifiedKFold(folds, shuffle=True, random_state=int(rng.integers(2**31)))
        for train, test in splitter.split(X, y):
            a, b = (X[train][y[train] == label].mean(axis=0) for label in (0, 1))
            weights, threshold = b - a, (b @ b - a @ a) / 2
            wrong[repeat, test] = (X[test] @ weights > threshold) != y[test]
            true.append(np.mean((new @ weights > threshold) != y_new))
    return wrong, np.mean(true)


@pytest.mark.parametrize(("n", "p", "shift"), [(20, 10, 1.0), (30, 50, 1.0), (30, 50, 0.0)])
def test_it_holds_the_error_on_new_samples_and_the_range_over_repeats_does_not(n, p, shift):
    rng = np.random.default_rng(0)
    drawn = [wrong_and_true_error(rng, n, p, shift) for _ in range(200)]
    ends = np.array([error_interval(wrong.mean(), n) for wrong, _ in drawn])
    true = np.array([error for _, error in drawn])
    ranges = np.array([(wrong.mean(axis=1).min(), wrong.mean(axis=1).max()) for wrong, _ in drawn])
    covered = np.mean((ends[:, 0] <= true) & (true <= ends[:, 1]))
    in_range = np.mean((ranges[:, 0] <= true) & (true <= ranges[:, 1]))
    assert covered >= 0.93  # 0.95, less what 200 draws may miss
    assert in_range < 0.8


def test_folds_weigh_by_their_samples():
    """A fold whose method failed counts for nothing; the others as much as they have samples."""
    table = pd.DataFrame(
        {"method": "NC", "repeat": [0, 0, 0, 1], "error": [0.5, 0.0, np.nan, 0.25], "samples": [4, 6, 90, 8]}
    )
    np.testing.assert_allclose(repeat_errors(table), [0.2, 0.25])
