"""Multinomial logistic regression on the columns of panels, against its definition and scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import oracle_panel as oracle
from disjoint_centroids.panels.drafting import EXACT, ROUGH, Coefficients, Columns, Observations, fit_logistic

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = st.integers(0, 10**6)
KINDS = ("linear all", "linear own", "squared", "both all", "both own")


class Problem:
    """Columns of picks as the kind says, class codes and weights; the last class may have no samples."""

    def __init__(self, seed, kind, owners=(0, 0, 1, 2, 2, 2), n_samples=40, n_classes=3, lacks=False):
        rng = np.random.default_rng(seed)
        self.owners, self.kind, self.own = np.array(owners), kind, kind.endswith("own")
        codes = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n_samples - n_classes)])
        self.known = np.arange(n_classes + lacks) < n_classes
        z = rng.normal(size=(n_samples, self.owners.size)) + (codes[:, None] == self.owners)
        gaps = rng.normal(size=z.shape) - (codes[:, None] == self.owners)
        distances = rng.gamma(2.0, size=(n_samples, self.known.size)) * (codes[:, None] != np.arange(self.known.size))
        self.y, self.weights = codes, rng.uniform(0.2, 2.0, size=n_samples)
        self.z, self.gaps, self.distances = {
            "linear": (z, None, None),
            "squared": (None, gaps, distances),
            "both": (z, gaps, None),
        }[kind.split()[0]]

    @property
    def columns(self):
        return Columns(self.z, self.gaps, self.distances, self.owners)

    def fit(self, penalty, weights=None, **options):
        weights = self.weights if weights is None else weights
        observed = Observations(self.columns, self.y, weights)
        return fit_logistic(observed, self.known, penalty=penalty, own=self.own, **options)

    def plain(self):
        reads = "own" if self.own else "all"
        known = np.flatnonzero(self.known).tolist()
        return oracle.Logistic(self.z, self.gaps, self.distances, self.owners.tolist(), known, self.known.size, reads)

    def parameters(self, found):
        """Coefficients as the oracle's vector."""
        parts = [[found.linear[at, j] for at, j in self.plain().pairs]]
        parts += [] if self.gaps is None else [found.squared]
        parts += [] if self.distances is None else [[found.distance]]
        return np.concatenate([*parts, found.intercepts[self.known]])

    def scores(self, found):
        return self.plain().scores(self.parameters(found))


def assert_same(found, expected, atol):
    for name in ("linear", "squared", "distance", "intercepts"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=atol, err_msg=name)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=SEEDS, penalty=st.sampled_from([0.003, 0.1, 2.0]), lacks=st.booleans())
def test_nothing_slopes_at_the_answer(kind, seed, penalty, lacks):
    """Derivatives of the oracle's loss by every parameter, by central differences."""
    problem = Problem(seed, kind, lacks=lacks)
    plain, found = problem.plain(), problem.fit(penalty)
    at = problem.parameters(found)
    steps = 1e-5 * np.eye(at.size)
    samples = problem.y, problem.weights, penalty
    slopes = [(plain.loss(at + step, *samples) - plain.loss(at - step, *samples)) / 2e-5 for step in steps]
    # Slopes are bounded in whitened columns; back in the columns themselves they are of the same order.
    np.testing.assert_allclose(slopes, 0.0, atol=10 * EXACT)
    if problem.distances is None:
        assert found.intercepts.sum() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_oracles_coefficients(kind):
    problem = Problem(0, kind, n_samples=25, lacks=True)
    found = problem.fit(0.2)
    assert_same(found, Coefficients(*problem.plain().fit(problem.y, problem.weights, 0.2)), 1e-5)
    assert (found.linear[:, 3] == 0).all()
    assert found.intercepts[3] == 0.0


@pytest.mark.parametrize("kind", ["linear own", "both own"])
def test_a_class_does_not_read_the_panels_of_others(kind):
    found = Problem(1, kind).fit(0.1)
    is_own = np.array([0, 0, 1, 2, 2, 2])[:, None] == np.arange(3)
    assert (found.linear[~is_own] == 0).all()
    assert (found.linear[is_own] != 0).all()


@given(seed=SEEDS)
def test_all_panels_are_scikit_learns_regression(seed):
    """Its penalty is one over C, on the sum of the losses."""
    problem = Problem(seed, "linear all")
    found = problem.fit(0.1)
    shares = problem.weights / problem.weights.sum()
    peer = LogisticRegression(C=10.0, tol=1e-10, solver="newton-cg", max_iter=1000)
    peer.fit(problem.z, problem.y, sample_weight=shares)
    np.testing.assert_allclose(found.linear, peer.coef_.T, atol=1e-5)
    np.testing.assert_allclose(found.intercepts, peer.intercept_, atol=1e-5)


@given(seed=SEEDS)
def test_two_classes_with_own_panels_are_binary_logistic_regression(seed):
    """Each class on columns of its own: one regression on the columns of both, signs turned."""
    problem = Problem(seed, "linear own", owners=(0, 0, 1, 1, 1), n_classes=2)
    found = problem.fit(0.1)
    signs = np.where(problem.owners == 1, 1.0, -1.0)
    shares = problem.weights / problem.weights.sum()
    peer = LogisticRegression(C=10.0, tol=1e-10, solver="newton-cg", max_iter=1000)
    peer.fit(signs * problem.z, problem.y, sample_weight=shares)
    np.testing.assert_allclose(found.linear[np.arange(5), problem.owners], peer.coef_[0], atol=1e-5)
    assert found.intercepts[1] - found.intercepts[0] == pytest.approx(peer.intercept_[0], abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=SEEDS)
def test_where_it_starts_does_not_matter(kind, seed):
    """From an answer for fewer columns, from something wild, from nothing."""
    problem = Problem(seed, kind)
    expected = problem.fit(0.1)
    fewer = Problem(seed, kind)
    fewer.owners = fewer.owners[:4]
    fewer.z, fewer.gaps = (None if all_of is None else all_of[:, :4] for all_of in (fewer.z, fewer.gaps))
    wild = Coefficients(np.full((6, 3), 5.0), np.full(6, -4.0), 3.0, np.array([3.0, -8.0, 5.0]))
    for start in (fewer.fit(0.1, slope=ROUGH), wild):
        assert_same(problem.fit(0.1, start=start), expected, 1e-4)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=SEEDS)
def test_weights_are_repetition_and_have_no_unit(kind, seed):
    problem = Problem(seed, kind)
    times = np.random.default_rng(seed).integers(1, 4, size=problem.y.size)
    again = np.repeat(np.arange(problem.y.size), times)
    repeated = Problem(seed, kind)
    repeated.y = problem.y[again]
    for name in ("z", "gaps", "distances"):
        if getattr(problem, name) is not None:
            setattr(repeated, name, getattr(problem, name)[again])
    expected = repeated.fit(0.3, np.ones(again.size))
    for unit in (1.0, 1e-6, 1e6):
        assert_same(problem.fit(0.3, unit * times), expected, 1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_the_loss_is_flat_where_line_searches_give_up(kind):
    """A strong penalty: the values of the loss say nothing below slopes of 1e-8, its derivatives do."""
    for seed in range(10):
        problem = Problem(seed, kind, n_samples=30)
        found, plain = problem.fit(0.5), problem.plain()
        at = problem.parameters(found)
        shares = problem.weights / problem.weights.sum()
        gaps = shares[:, None] * (oracle.probabilities(plain.scores(at), 1.0) - (problem.y[:, None] == np.arange(3)))
        slopes = np.einsum("ij,ijq->q", gaps, plain.slopes) + plain.penalties(0.5) * at
        assert np.abs(slopes).max() <= 10 * EXACT


def test_a_large_penalty_gives_the_nearest_disjoint_centroid():
    """Squared gaps and intercepts are drawn to zero; what stays is a factor on the mean squared gaps."""
    problem = Problem(2, "squared")
    found = problem.fit(1e8)
    assert np.abs(found.squared).max() < 1e-7
    assert np.abs(found.intercepts).max() < 1e-7
    assert found.distance > 0.1
    np.testing.assert_allclose(problem.scores(found), -found.distance * problem.distances, atol=1e-6)


def test_copies_of_a_column():
    """They share the coefficient, and nothing is singular, however weak the penalty."""
    problem = Problem(3, "linear all")
    problem.z = problem.z[:, [0, 0, 1, 1, 2, 3]]
    for penalty in (1e-12, 0.1):
        found = problem.fit(penalty, slope=ROUGH if penalty < 1e-9 else EXACT)
        assert np.isfinite(found.linear).all()
    np.testing.assert_allclose(found.linear[0], found.linear[1], atol=1e-5)


def test_without_columns_there_are_intercepts():
    """Nothing is known of anybody: the intercepts are the logarithms of the shares, centred."""
    y, owners = np.array([0, 0, 0, 1, 1, 2]), np.empty(0, dtype=int)
    logs = np.log([3.0, 2.0, 1.0])
    for own in (False, True):
        columns = Columns(np.empty((6, 0)), None, None, owners)
        found = fit_logistic(Observations(columns, y, np.ones(6)), np.ones(3, dtype=bool), penalty=1.0, own=own)
        np.testing.assert_allclose(found.intercepts, logs - logs.mean(), atol=1e-6)


def test_separable_samples_with_hardly_any_penalty():
    """Coefficients want to be infinite; the answer is finite, and everybody is right."""
    y = np.repeat([0, 1, 2], 10)
    z = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    columns = Columns(z, None, None, np.arange(3))
    for own in (False, True):
        found = fit_logistic(Observations(columns, y, np.ones(30)), np.ones(3, dtype=bool), penalty=1e-9, own=own)
        scores = z @ found.linear + found.intercepts
        assert np.isfinite(scores).all()
        np.testing.assert_array_equal(scores.argmax(axis=1), y)


@pytest.mark.parametrize("own", [False, True])
def test_a_fit_changes_nothing_for_the_next_one_on_the_same_samples(own):
    problem = Problem(3, "linear own" if own else "linear all")
    observed = Observations(problem.columns, problem.y, problem.weights)
    found = [fit_logistic(observed, problem.known, penalty=penalty, own=own) for penalty in (1.0, 0.01, 1.0)]
    assert_same(found[0], found[2], atol=0.0)
    assert_same(found[1], problem.fit(0.01), atol=0.0)
    assert np.abs(found[0].linear - found[1].linear).max() > 0.01
