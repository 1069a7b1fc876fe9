import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import binom

from disjoint_centroids.evaluation.false_selections import false_selection_bounds, largest_tail, runs_needed

pytestmark = pytest.mark.filterwarnings("error")


def test_by_hand():
    # q²/p = 2.5; 50 pairs, so that 1/(2B) = 0.01.
    found = false_selection_bounds(q=50, p=1000, n_pairs=50, cutoff=0.6)
    assert found.meinshausen_buhlmann == pytest.approx(2.5 / 0.2)
    assert found.unimodal == pytest.approx(2.5 / (2 * 0.19))
    found = false_selection_bounds(q=50, p=1000, n_pairs=50, cutoff=0.9)
    assert found.meinshausen_buhlmann == pytest.approx(2.5 / 0.8)
    assert found.unimodal == pytest.approx(2.5 * 4 * 0.11 / 1.02)
    # One pair, in both halves of it: a feature of probability 1/4 is there with probability 1/16, and there are 20.
    found = false_selection_bounds(q=5, p=20, n_pairs=1, cutoff=1.0)
    assert found.meinshausen_buhlmann == pytest.approx(20 / 16)
    assert found.r_concave == pytest.approx(20 / 16)


def test_a_cut_off_between_two_frequencies_is_the_next_one():
    assert [runs_needed(cutoff, 10) for cutoff in (0.51, 0.6, 0.61, 1.0)] == [6, 6, 7, 10]
    assert runs_needed(0.7, 100) == 70  # 0.7 * 100 is a little more in floating point
    assert false_selection_bounds(3, 40, 5, 0.61) == false_selection_bounds(3, 40, 5, 0.7)


def test_where_nothing_can_be_said_the_bound_is_all_features():
    found = false_selection_bounds(q=40, p=40, n_pairs=50, cutoff=0.9)
    assert (found.meinshausen_buhlmann, found.unimodal, found.r_concave) == (40, 40, 40)
    found = false_selection_bounds(q=0, p=40, n_pairs=50, cutoff=0.9)
    assert (found.meinshausen_buhlmann, found.unimodal, found.r_concave) == (0, 0, 0)
    # A third of the features at 0.6: the unimodal formula does not apply, so that the plain one stands.
    found = false_selection_bounds(q=24.3, p=76, n_pairs=20, cutoff=0.6)
    assert found.unimodal == found.meinshausen_buhlmann < 76


@pytest.mark.parametrize("cutoff", [0.5, 0.2, 1.01, float("nan")])
def test_a_cut_off_out_of_range(cutoff):
    with pytest.raises(ValueError, match=r"above 0\.5 and at most 1"):
        false_selection_bounds(5, 20, 10, cutoff)


@settings(max_examples=40, deadline=None)
@given(
    q=st.floats(0.01, 60),
    more=st.floats(0.5, 500),
    n_pairs=st.integers(1, 40),
    cutoffs=st.lists(st.floats(0.501, 1.0), min_size=2, max_size=2),
)
def test_stronger_assumptions_and_higher_cut_offs_never_raise_a_bound(q, more, n_pairs, cutoffs):
    p = int(np.ceil(q + more))
    low, high = (false_selection_bounds(q, p, n_pairs, cutoff) for cutoff in sorted(cutoffs))
    for found in (low, high):
        assert 0 <= found.r_concave <= found.unimodal <= found.meinshausen_buhlmann <= p
    assert high.meinshausen_buhlmann <= low.meinshausen_buhlmann
    assert high.r_concave <= low.r_concave + 1e-9


@pytest.mark.parametrize("theta", [0.01, 0.1, 0.3, 0.45])
@pytest.mark.parametrize("cutoff", [0.6, 0.75, 0.9])
def test_features_drawn_by_lot_stay_below_the_bounds(theta, cutoff):
    """Frequencies of independent draws are binomial, which is r-concave: the expected number is known exactly."""
    p, n_pairs = 1000, 25
    reached = p * binom.sf(runs_needed(cutoff, 2 * n_pairs) - 1, 2 * n_pairs, theta)
    found = false_selection_bounds(theta * p, p, n_pairs, cutoff)
    assert reached <= found.r_concave


def brute_tail(mean, at, n, r, rng):
    """The largest tail by a general optimiser over all r-concave distributions on 0 … top, mode wherever it likes."""
    largest = 0.0
    for top in range(at, n + 1):
        places = np.arange(top + 1)

        def masses(logs):
            found = np.exp(logs - logs.max())
            return found / found.sum()

        limits = [{"type": "ineq", "fun": lambda logs, places=places: mean * n - places @ masses(logs)}]
        if top > 1:  # r-concave with r < 0: masses to the power r are convex
            limits.append({"type": "ineq", "fun": lambda logs: np.diff(np.exp(r * (logs - logs[0])), 2)})
        for _ in range(5):
            start = -rng.uniform(0.2, 4) * places + rng.normal(size=top + 1) * 0.1
            goal = {"fun": lambda logs: -masses(logs)[at:].sum(), "x0": start, "constraints": limits}
            with np.errstate(all="ignore"):  # some of the optimiser's steps are wild
                found = minimize(**goal, method="SLSQP", options={"maxiter": 300, "ftol": 1e-12})
                allowed = all(np.min(limit["fun"](found.x)) > -1e-7 for limit in limits)
            if allowed:
                largest = max(largest, -found.fun)
    return largest


@pytest.mark.parametrize("r", [-0.5, -0.25])
@pytest.mark.parametrize(("mean", "at", "n"), [(0.1, 1, 3), (0.1, 2, 3), (0.2, 3, 3), (0.05, 3, 5), (0.2, 4, 5)])
def test_the_largest_tail_is_that_of_a_plain_search(mean, at, n, r):
    found = largest_tail(mean, at, n, r)
    assert 0 < found < 1
    assert found == pytest.approx(brute_tail(mean, at, n, r, np.random.default_rng(0)), abs=1e-4)


def test_tails_at_the_edges():
    assert largest_tail(0.3, 1, 1, -0.5) == pytest.approx(0.3)  # on {0, 1} the tail is the mean
    assert largest_tail(0.3, 2, 10, -0.5) == 1.0  # not above twice the mean: nothing is claimed
    assert largest_tail(0.0, 1, 10, -0.5) == 0.0
    assert 0 < largest_tail(1e-10, 60, 100, -0.25) < 1e-6
