"""Two-way clusterings, a class at a time, against the plain loops."""

from dataclasses import replace

import numpy as np
import pytest

import awkward_tables as tables
import oracle_extensions as oracle
from disjoint_centroids.centroids.search import overlapping as overlapping
from disjoint_centroids.centroids.search.lloyd import lloyd
from disjoint_centroids.centroids.search.overlapping import (
    fit_overlapping,
    set_distances,
    smallest_lam_that_keeps,
    two_way_clusters,
)

pytestmark = pytest.mark.filterwarnings("error")

LAMS = (0.7, 0.9, 1.0, 1.3, np.inf)


def starts_for(table, n_starts, seed=0):
    """Starting owners as the engine takes them: 0 for what the class keeps, -1 for the pool."""
    owners = tables.even_owners(n_starts, table.n_features, 2, seed)
    owners[1, 1:] = 0  # nearly everything in the pool
    owners[2] = 1  # nothing in it
    return owners - np.int8(1)


#                         class 0   | the others    f0 f1 f2 f3
ON_PAPER = tables.labelled([[0, 1, 5, 5], [0, 1, 9, 9], [4, 1, 7, 7], [8, 1, 5, 9]], [0, 0, 1, 1])


def test_worked_example(form):
    # Class 0 starts with {f0, f1}: m_1 = (0.5, 0.5) on its samples; the pool {f2, f3}: m_0 = (5, 9, 7, 7) on all.
    #   d²(f, 1): f0 and f1 0.25      f2 and f3 (4.5² + 8.5²)/2 = 46.25
    #   d²(f, 0): f0 (25+81+9+1)/4 = 29   f1 (16+64+36+36)/4 = 38   f2 and f3 (0+0+0+4)/4 = 1
    problem = ON_PAPER.problem()
    (found, _) = fit_overlapping(problem, 1.0, None, tables.settings(np.array([[0, 0, -1, -1]])))
    np.testing.assert_array_equal(found.held, [True, True, False, False])
    np.testing.assert_allclose(found.distance, np.sqrt([0.25, 0.25, 46.25, 46.25]))
    np.testing.assert_allclose(found.margin, np.sqrt([29, 38, 1, 1]) - found.distance)
    assert (found.n_iter, found.n_restarts, found.converged) == (1, 1, True)
    # f1 has the larger margin.
    (found, _) = fit_overlapping(problem, 1.0, 1, tables.settings(np.array([[0, 0, -1, -1]])))
    np.testing.assert_array_equal(found.held, [False, True, False, False])


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.TABLES, ("plain", "weighted")))
def test_runs_end_where_the_oracle_does(name, variant, form):
    table = tables.table(name, variant)
    problem = table.problem()
    owners = np.repeat(starts_for(table, 4) + np.int8(1), len(LAMS), axis=0)
    lams = np.tile(LAMS, 4)
    for label in range(min(table.n_classes, 4)):
        runs = lloyd(problem.table, two_way_clusters(problem.supports, label), owners, lams, 300)
        for run, (start, lam) in enumerate(zip(owners, lams, strict=True)):
            owner, n_iter, alive = oracle.two_way(table.X, table.y, label, start, lam, table.weights)
            about = f"class {label}, run {run}, lambda {lam}"
            np.testing.assert_array_equal(runs.owner[run], owner, err_msg=about)
            assert (runs.n_iter[run], runs.alive[run]) == (n_iter, alive), about


@pytest.mark.parametrize("max_features", [None, 5])
@pytest.mark.parametrize(
    ("name", "variant"),
    tables.in_turn(
        ["few samples a class", "unbalanced", "small integers", "duplicated columns", "offset"], ("plain", "weighted")
    ),
)
def test_the_best_set_is_the_oracles(name, variant, max_features, form):
    table = tables.table(name, variant)
    starts = starts_for(table, 8)
    for lam in (0.9, 1.1):
        found = fit_overlapping(table.problem(), lam, max_features, tables.settings(starts))
        for label, one in enumerate(found):
            best = oracle.best_set(table.X, table.y, label, starts + 1, lam, max_features, table.weights)
            if best is None:
                assert one.n_restarts == 0
                continue
            np.testing.assert_array_equal(one.held, best[2], err_msg=f"class {label}, lambda {lam}")
            # Beside columns a million apart the oracle's own differences have lost some digits.
            np.testing.assert_allclose(one.margin, best[3], rtol=1e-6, atol=1e-6)


def test_the_tables_lead_to_sets_of_every_kind():
    """The comparison above would say little if all classes kept everything, or nothing in common."""
    table = tables.table("few samples a class")
    held = np.stack(
        [s.held for s in fit_overlapping(table.problem(), 0.9, None, tables.settings(starts_for(table, 8)))]
    )
    assert 0 < held.any(axis=0).sum() < table.n_features
    assert (held.sum(axis=0) > 1).any()


@pytest.mark.parametrize("init", ["k-means", "k-means++", "random", "variance"])
def test_a_class_does_not_ask_what_the_others_are(init):
    """All other classes made one: same starts, same samples against all samples, same set."""
    table = tables.table("unbalanced")
    settings = tables.settings(init, n_init=12)
    whole = fit_overlapping(table.problem(), 1.0, None, settings)
    for label in range(2):
        merged = tables.labelled(table.X, np.where(table.y == label, 0, 1))
        alone = fit_overlapping(merged.problem(), 1.0, None, settings)[0]
        np.testing.assert_array_equal(alone.held, whole[label].held)
        np.testing.assert_allclose(alone.margin, whole[label].margin, rtol=1e-9)
        assert alone.n_restarts == whole[label].n_restarts


@pytest.mark.parametrize("lam", [0.8, 1.0, np.inf])
def test_the_variance_start_is_the_classs_own(lam, form):
    table = tables.table("few samples a class")
    found = fit_overlapping(table.problem(), lam, None, tables.settings("variance"))
    for label, one in enumerate(found):
        start = oracle.variance_start(table.X, table.y, label, lam)
        best = oracle.best_set(table.X, table.y, label, [start], lam)
        np.testing.assert_array_equal(one.held, best[2])


def test_threads_change_nothing(eager_threads):
    table = tables.table("few samples a class")
    one, two = (fit_overlapping(table.problem(), 0.9, 6, tables.settings(n_init=20, n_threads=n)) for n in (1, 2))
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a.held, b.held)
        np.testing.assert_array_equal(a.margin, b.margin)


def test_an_infinite_lambda_keeps_everything_and_the_nearest_of_it():
    table = tables.table("few samples a class")
    settings = tables.settings(starts_for(table, 4))
    for one in fit_overlapping(table.problem(), np.inf, None, settings):
        assert one.held.all()
        assert np.isposinf(one.margin).all()
    for one in fit_overlapping(table.problem(), np.inf, 3, settings):
        np.testing.assert_array_equal(np.flatnonzero(one.held), np.sort(np.argsort(one.distance)[:3]))


def test_a_class_that_loses_everything_gets_its_tightest_feature():
    table = tables.table("few samples a class")
    found = fit_overlapping(table.problem(), 1e-6, None, tables.settings())
    within = np.stack([table.X[table.y == j].var(axis=0) for j in range(3)])
    tightest = np.argmin(within / table.X.var(axis=0), axis=1)
    for one, feature in zip(found, tightest, strict=True):
        assert one.n_restarts == 0
        np.testing.assert_array_equal(np.flatnonzero(one.held), [feature])
        assert one.distance[feature] == 0.0


def test_the_smallest_lambda_is_one_that_works_and_the_one_before_it_is_not():
    table = tables.table("few samples a class")
    problem, settings = table.problem(), tables.settings()
    smallest = smallest_lam_that_keeps(problem, 1e-6, settings)
    assert 0.01 < smallest < 1.0
    assert all(one.n_restarts for one in fit_overlapping(problem, smallest, None, settings))
    between = smallest_lam_that_keeps(problem, smallest * 0.7, settings)
    assert smallest * 0.7 < between <= smallest
    assert not all(one.n_restarts for one in fit_overlapping(problem, between * 0.97, None, settings))


def test_no_lambda_helps_where_all_columns_are_equal():
    problem = tables.labelled(np.ones((6, 5)), [0, 0, 0, 1, 1, 1]).problem()
    assert smallest_lam_that_keeps(problem, 0.5, tables.settings()) is None
    assert smallest_lam_that_keeps(problem, 100.0, tables.settings()) is None
    for one in fit_overlapping(problem, 0.5, None, tables.settings()):
        np.testing.assert_array_equal(one.held, [True, False, False, False, False])


def test_one_feature_serves_every_class():
    table = tables.labelled([[0.0], [1.0], [5.0], [7.0]], [0, 0, 1, 1])
    for one in fit_overlapping(table.problem(), 1.0, None, tables.settings()):
        assert one.held.all()


def test_max_iter_is_reported():
    table = tables.table("few samples a class")
    settings = replace(tables.settings(starts_for(table, 1 + 2)[:1]), max_iter=1)
    assert not all(one.converged for one in fit_overlapping(table.problem(), 0.9, None, settings))


def test_distances_of_samples():
    rng = np.random.default_rng(0)
    X, centroids, held = rng.normal(size=(5, 4)), rng.normal(size=(2, 4)), np.array([[1, 1, 0, 0], [0, 1, 1, 1]], bool)
    expected = [oracle.squared_on(X, centroids[j], held[j]) for j in range(2)]
    np.testing.assert_allclose(set_distances(X, centroids, held), np.transpose(expected))


def test_a_tie_separates_by_half():
    # Pairs of a sample of the class and another: 1 < 2, 1 < 3, then 2 = 2, 2 < 3 with weight 3.
    squared = np.array([[1.0, 2.0, 2.0, 3.0], [3.0, 3.0, 2.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
    own, others = np.array([1.0, 3.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0, 1.0])
    np.testing.assert_allclose(overlapping._separations(squared, own, others), [(1 + 1 + 1.5 + 3) / 8, 0.0, 0.5])
    y = np.array([0, 0, 1, 1])
    for row, found in zip(squared, overlapping._separations(squared, own, others), strict=True):
        assert found == pytest.approx(oracle.separation(row, y, 0, own + others))


def test_rounding_does_not_order_margins():
    rounded = overlapping._rounded(np.array([1.0, 1.0 + 1e-13, 1.001, np.inf, -2.0]))
    assert rounded[0] == rounded[1] < rounded[2] < rounded[3]
    np.testing.assert_array_equal(overlapping._rounded(np.zeros(3)), 0.0)
