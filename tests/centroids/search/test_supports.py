"""The two forms of a support, and what they are made from."""

import numpy as np
import pytest

import awkward_tables as tables
from agreement import assert_equal_runs, engine_runs, every_lam
from disjoint_centroids.centroids.search.lloyd import lloyd
from disjoint_centroids.centroids.search.supports import EVERYONE
from disjoint_centroids.numerics.sizes import sizes_context

pytestmark = pytest.mark.filterwarnings("error")


def all_supports(problem):
    return (problem.supports.everyone, *problem.supports.classes)


def inner_products(support):
    """The Gram matrix of a support, whichever form it is kept in."""
    if support.is_gram:
        return support.matrix
    columns = support.window(0, support.squares.size)
    return columns @ columns.T


def direct_products(table, label):
    """The Gram matrix of a support from its definition: every sample's mean taken out, squares weighted."""
    samples = np.arange(table.y.size) if label == EVERYONE else np.flatnonzero(table.y == label)
    centred = table.X[samples] - table.X[samples].mean(axis=1, keepdims=True)
    return np.einsum("i,if,ig->fg", table.weights[samples], centred, centred)


@pytest.mark.parametrize(
    ("name", "of_classes"),
    [
        ("few samples a class", [False, False, False]),
        ("more samples than features", [True, True, True]),
        ("some classes with more samples than features", [True, False, False]),
    ],
)
def test_past_the_cache_the_smaller_form_is_kept(name, of_classes):
    table = tables.table(name)
    with sizes_context(gram_features=0):
        problem = table.problem()
    assert [support.is_gram for support in problem.supports.classes] == of_classes
    assert problem.supports.everyone.is_gram == (table.y.size >= table.n_features)
    assert (problem.supports.grams is not None) == all(of_classes)


@pytest.mark.parametrize("name", tables.TABLES)
def test_small_tables_are_gram_matrices(name):
    problem = tables.table(name).problem()
    assert all(support.is_gram for support in all_supports(problem))
    assert problem.clusters(has_pool=True).grams is not None


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.TABLES))
def test_supports_hold_the_inner_products_of_their_samples(name, variant, form):
    table = tables.table(name, variant)
    for support in all_supports(table.problem()):
        expected = direct_products(table, support.label)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(inner_products(support), expected, rtol=1e-9, atol=1e-12 * scale)
        np.testing.assert_allclose(support.squares, np.diagonal(expected), rtol=1e-9, atol=1e-12 * scale)
        samples = slice(None) if support.label == EVERYONE else table.y == support.label
        assert support.divisor == pytest.approx(table.weights[samples].sum() if table.divided else 1.0)


def test_clusters_of_the_two_algorithms(form):
    problem = tables.table("few samples a class").problem()
    labels = [support.label for support in problem.clusters(has_pool=False).supports]
    with_pool = [support.label for support in problem.clusters(has_pool=True).supports]
    assert labels == [0, 1, 2]
    assert with_pool == [EVERYONE, 0, 1, 2]
    assert problem.clusters(has_pool=True).n_clusters == 4
    assert not problem.clusters(has_pool=True).may_be_empty


def test_many_samples_are_added_up_in_chunks():
    table = tables.table("more samples than features", "weighted")
    expected = [inner_products(support) for support in all_supports(table.problem())]
    with sizes_context(samples_at_once=7):
        found = [inner_products(support) for support in all_supports(table.problem())]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", ["few samples a class", "unbalanced", "zeros and ones"])
def test_integer_weights_are_repetitions(name, form):
    table = tables.table(name)
    times = np.random.default_rng(1).integers(1, 4, size=table.y.size)
    weighted = tables.labelled(table.X, table.y, times)
    repeated = table.rows(np.repeat(np.arange(table.y.size), times))
    for one, other in zip(all_supports(weighted.problem()), all_supports(repeated.problem()), strict=True):
        np.testing.assert_allclose(inner_products(one), inner_products(other), rtol=1e-10, atol=1e-10)
        assert one.divisor == pytest.approx(other.divisor)
    starts = every_lam(tables.starting_owners(table, 4, has_pool=True))
    assert_equal_runs(engine_runs(weighted, *starts), engine_runs(repeated, *starts))


def fold_of(table, seed=0):
    """A third of the samples to hold out, and the others; every class keeps a sample."""
    order = np.random.default_rng(seed).permutation(table.y.size)
    first_of_class = [np.flatnonzero(table.y[order] == j)[0] for j in range(table.n_classes)]
    held_out = np.setdiff1d(np.arange(table.y.size), first_of_class)[: table.y.size // 3]
    return np.delete(order, held_out), order[held_out]


FOLDED = [name for name in tables.TABLES if name != "one sample a class"]


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(FOLDED))
def test_the_training_part_is_the_problem_of_its_samples(name, variant, form):
    table = tables.table(name, variant)
    keep, held_out = fold_of(table)
    part, direct = table.problem().training_part(keep, held_out), table.rows(keep).problem()
    for one, other in zip(all_supports(part), all_supports(direct), strict=True):
        scale = np.abs(inner_products(other)).max()
        np.testing.assert_allclose(inner_products(one), inner_products(other), rtol=1e-9, atol=1e-11 * scale)
        assert one.divisor == pytest.approx(other.divisor)
    np.testing.assert_allclose(part.moments.variances, direct.moments.variances)


@pytest.mark.parametrize("name", FOLDED)
def test_runs_on_the_training_part_end_alike(name, form):
    table = tables.table(name)
    keep, held_out = fold_of(table)
    part = table.problem().training_part(keep, held_out)
    owners, lams = every_lam(tables.starting_owners(table, 3, has_pool=True))
    found = lloyd(part.table, part.clusters(has_pool=True), owners, lams, 300)
    assert_equal_runs(found, engine_runs(table.rows(keep), owners, lams))


@pytest.mark.parametrize("outlier", [1e2, 1e4, 1e6, 1e9])
def test_an_outlier_that_is_held_out_leaves_no_trace(outlier, form):
    table = tables.table("more samples than features")
    X = table.X.copy()
    X[3] *= outlier
    table = tables.labelled(X, table.y)
    held_out = np.array([3, 5, 8])
    keep = np.setdiff1d(np.arange(table.y.size), held_out)
    part = table.problem().training_part(keep, held_out)
    for support in all_supports(part):
        expected = direct_products(table.rows(keep), support.label)
        np.testing.assert_allclose(inner_products(support), expected, rtol=0, atol=1e-10 * np.abs(expected).max())
