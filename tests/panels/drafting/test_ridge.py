"""Ridge regression of the class indicators on the columns of a draft, read by all classes or by their owners."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle_panel as oracle
from disjoint_centroids.panels.drafting import GrowingRidge, RidgeSolver

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = st.integers(0, 10**6)
READS = ("all", "own")


class Problem:
    """Columns of mean zero under balanced weights, their owners, and their products."""

    def __init__(self, seed, n_classes=3, n_columns=6, lacks=None, unit=1.0):
        rng = np.random.default_rng(seed)
        y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=27)])
        rows = np.flatnonzero(y != lacks)
        self.part = oracle.Part(np.empty((y.size, 0)), y, unit * rng.uniform(0.2, 2.0, size=y.size), rows)
        self.owners = rng.choice(self.part.known, size=n_columns)
        columns = rng.normal(size=(rows.size, n_columns)) + (self.part.y[:, None] == self.owners)
        weights = self.part.balanced
        self.columns = columns - np.average(columns, axis=0, weights=weights)
        self.gram = self.columns.T @ (weights[:, None] * self.columns)
        self.right = self.columns.T @ (weights[:, None] * 2.0 * (self.part.y[:, None] == np.arange(n_classes)))
        self.known = np.isin(np.arange(n_classes), self.part.known)
        self.total = weights.sum()

    def growing(self, penalty, reads, steps=(2, 1, 3)):
        """The regression on columns that come in lots."""
        ridge = GrowingRidge(self.known, penalty, self.total, len(self.gram), own=reads == "own")
        ends = np.cumsum(steps)
        for end, step in zip(ends, steps, strict=True):
            new = slice(end - step, end)
            ridge.add(self.gram[:end, new], self.right[new], self.owners[new])
        return ridge

    def solver(self, penalty, reads):
        return RidgeSolver(self.gram, self.right, self.owners, self.known, penalty, self.total, own=reads == "own")

    def plain(self, penalty, reads, n_columns=None):
        return oracle.fit_ridge(self.columns[:, :n_columns], self.owners[:n_columns], self.part, penalty, reads)


def test_by_hand():
    """The draft's example: 170 a + 46 b = 108 and 46 a + 89 b = 54, so a = 7128/13014 and b = 4212/13014."""
    gram, right = np.array([[232.0, -92.0], [-92.0, 70.0]]) / 9, np.array([[12.0, -12.0], [-6.0, 6.0]])
    known, owners = np.ones(2, dtype=bool), np.array([0, 1])
    found = RidgeSolver(gram, right, owners, known, 1.0, 6.0, own=True).coefficients()
    np.testing.assert_allclose(found, [[7128 / 13014, 0], [0, 4212 / 13014]])
    # Read by both: (232 + 54) a - 92 b = 108 and -92 a + (70 + 54) b = -54, and the same with the signs turned.
    found = RidgeSolver(gram, right, owners, known, 1.0, 6.0, own=False).coefficients()
    a, b = (108 * 124 - 92 * 54) / (286 * 124 - 92**2), (92 * 108 - 286 * 54) / (286 * 124 - 92**2)
    np.testing.assert_allclose(found, [[a, -a], [b, -b]])


@pytest.mark.parametrize("reads", READS)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@given(seed=SEEDS, penalty=st.sampled_from([0.01, 0.3, 2.0]), lacks=st.sampled_from([None, 1]))
def test_the_solution_of_all_equations_at_once(n_classes, reads, seed, penalty, lacks):
    """By the system of all classes together, from columns that are all there and from columns that come in lots."""
    problem = Problem(seed, n_classes, lacks=None if n_classes == 2 else lacks)
    growing, solver = problem.growing(penalty, reads), problem.solver(penalty, reads)
    for n_columns in (None, 0, 2, 3):
        expected = problem.plain(penalty, reads, n_columns)
        np.testing.assert_allclose(growing.coefficients(n_columns), expected, atol=1e-9)
        np.testing.assert_allclose(solver.coefficients(n_columns), expected, atol=1e-9)


@pytest.mark.parametrize("reads", READS)
@given(seed=SEEDS, lacks=st.sampled_from([None, 2]))
def test_centred_coefficients_leave_the_centred_residuals(reads, seed, lacks):
    """What is left has products with the columns that the penalty alone accounts for."""
    problem = Problem(seed, lacks=lacks)
    found = problem.growing(0.5, reads).centred_coefficients()
    scores = problem.columns @ problem.plain(0.5, reads)
    expected = oracle.residuals(problem.part, scores)
    targets = oracle.residuals(problem.part, np.zeros_like(scores))
    np.testing.assert_allclose(targets - problem.columns @ found, expected, atol=1e-9)
    np.testing.assert_allclose(problem.part.balanced @ expected, targets.T @ problem.part.balanced, atol=1e-8)


@pytest.mark.parametrize("reads", READS)
@given(seed=SEEDS)
def test_weights_have_no_unit(reads, seed):
    light, heavy = (Problem(seed, unit=unit).growing(0.3, reads).coefficients() for unit in (1e-6, 1e6))
    np.testing.assert_allclose(light, heavy, atol=1e-9)


@given(seed=SEEDS)
def test_two_classes_that_read_all_are_two_signs_of_one_regression(seed):
    """And with own panels the difference of the scores is a ridge regression with twice the penalty."""
    problem = Problem(seed, n_classes=2)
    both = problem.plain(0.3, "all")
    np.testing.assert_allclose(both[:, 0], -both[:, 1], atol=1e-9)
    own, twice = problem.plain(0.3, "own"), problem.plain(0.6, "all")
    np.testing.assert_allclose(own[:, 0] - own[:, 1], twice[:, 0] - twice[:, 1], atol=1e-9)


def test_without_columns():
    ridge = GrowingRidge(np.ones(2, dtype=bool), 1.0, 4.0, 3, own=True)
    assert ridge.coefficients().shape == ridge.centred_coefficients().shape == (0, 2)


@pytest.mark.parametrize("reads", READS)
def test_a_penalty_that_is_no_number_beside_the_columns(reads):
    problem = Problem(0)
    problem.gram, problem.right = np.ones((6, 6)), np.ones((6, 3))
    problem.owners = np.zeros(6, dtype=int)
    for fit in (problem.solver, problem.growing):
        with pytest.raises(ValueError, match=r"a penalty of 1e-30 is too small: some features are copies .* Raise it"):
            fit(1e-30, reads)
