"""Skipping features that cannot have changed hands changes nothing but the work."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import awkward_tables as tables
from agreement import LAMS, assert_equal_runs, engine_runs, every_lam
from disjoint_centroids.centroids.search import lloyd as lloyd_module
from disjoint_centroids.centroids.search.lloyd import Sums, lloyd
from disjoint_centroids.centroids.search.pruning import Bounds, Pruning
from disjoint_centroids.centroids.search.supports import k_means_clusters
from disjoint_centroids.numerics.sizes import sizes_context
from disjoint_centroids.numerics.types import owner_dtype

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(autouse=True)
def in_columns():
    """Runs on nothing but Gram matrices have a loop of their own, and nothing to skip."""
    with sizes_context(gram_features=0):
        yield


@pytest.fixture(
    params=[Pruning(), Pruning(calm=1.0), Pruning(calm=1.0, few=1.0)], ids=["usual", "always", "one by one"]
)
def eagerness(request):
    """Margins kept as usual, or from the first step on; single features wherever there are margins."""
    return request.param


def k_means(table, n_clusters, seeds, pruning):
    problem = table.problem()
    return lloyd(problem.table, k_means_clusters(problem.supports, n_clusters), seeds, None, 300, pruning)


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.TABLES))
def test_both_algorithms_end_alike(name, variant, eagerness):
    table = tables.table(name, variant)
    for given_runs in (
        (tables.starting_owners(table, 6, has_pool=False), None),
        every_lam(tables.starting_owners(table, 4, has_pool=True)),
    ):
        expected = engine_runs(table, *given_runs, pruning=None)
        assert_equal_runs(engine_runs(table, *given_runs, pruning=eagerness), expected)


@pytest.mark.parametrize(("name", "variant"), tables.in_turn(tables.TABLES, ("plain", "weighted")))
def test_k_means_ends_alike(name, variant, eagerness):
    table = tables.table(name, variant)
    seeds = tables.seed_features(5, table.n_features, 4, seed=3)
    assert_equal_runs(k_means(table, 4, seeds, eagerness), k_means(table, 4, seeds, None))


def wide(kind, n_features, seed, n_samples=24):
    """More features than samples: noise, or levels that differ by feature and a few factors."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(n_samples, n_features))
    if kind == "structured":
        factors = rng.normal(size=(n_samples, 3)) @ rng.normal(size=(3, n_features))
        noise = 0.5 * noise + 0.3 * factors + rng.normal(8, 2, size=n_features)
    return tables.labelled(noise, np.arange(n_samples) % 2)


@given(
    kind=st.sampled_from(["noise", "structured"]),
    n_features=st.integers(30, 400),
    seed=st.integers(0, 10**6),
    shift=st.sampled_from([0.0, 1e5]),
    whole_numbers=st.booleans(),
)
def test_wide_tables_end_alike(kind, n_features, seed, shift, whole_numbers):
    table = wide(kind, n_features, seed)
    table = tables.labelled(shift + (np.round(table.X) if whole_numbers else table.X), table.y)
    seeds = tables.seed_features(4, n_features, 3, seed)
    runs = k_means(table, 3, seeds, Pruning())
    assert_equal_runs(runs, k_means(table, 3, seeds, None))
    ends = runs.owner[runs.alive]
    owners = np.repeat(ends, len(LAMS), axis=0).astype(owner_dtype(3))
    lams = np.tile(LAMS, len(ends))
    if lams.size:
        assert_equal_runs(engine_runs(table, owners, lams), engine_runs(table, owners, lams, pruning=None))


def test_gram_and_column_supports_side_by_side(eagerness):
    # More samples than features in all, fewer in each class: I_0 looks at a Gram matrix, the classes at columns.
    table = wide("structured", 60, seed=4, n_samples=80)
    problem = table.problem()
    clusters = problem.clusters(has_pool=True)
    assert [support.is_gram for support in clusters.supports] == [True, False, False]
    starts = every_lam(tables.starting_owners(table, 4, has_pool=True))
    assert_equal_runs(engine_runs(table, *starts, pruning=eagerness), engine_runs(table, *starts, pruning=None))


class Work:
    """Counts the pairs (run, feature) whose distances are computed, step by step."""

    def __init__(self, monkeypatch, module):
        self.steps = [0]
        whole, single = module.cross_products, module.products_at

        def counted_whole(support, sums, start, stop, room):
            self.steps[-1] += sums.shape[1] * (stop - start)
            return whole(support, sums, start, stop, room)

        def counted_single(support, sums, pairs):
            self.steps[-1] += pairs.runs.size
            return single(support, sums, pairs)

        monkeypatch.setattr(module, "cross_products", counted_whole)
        monkeypatch.setattr(module, "products_at", counted_single)

    def next_step(self):
        self.steps.append(0)


@pytest.mark.parametrize("kind", ["noise", "structured"])
def test_late_in_a_run_most_features_are_skipped(kind, monkeypatch):
    table = wide(kind, 2000, seed=1)
    problem = table.problem()
    work = Work(monkeypatch, lloyd_module)
    move = Sums.move

    def counted_move(self, old, new):
        work.next_step()
        return move(self, old, new)

    monkeypatch.setattr(Sums, "move", counted_move)
    seeds = tables.seed_features(1, 2000, 3, seed=2)
    runs = lloyd(problem.table, k_means_clusters(problem.supports, 3), seeds, None, 300)
    steps = work.steps[1:-1]  # the first move is the start's, and nothing is computed after the last
    assert len(steps) == runs.n_iter[0] >= 12
    assert steps[0] == 2000
    assert sum(steps[-5:]) < 0.3 * 5 * 2000
    assert sum(steps) < 0.8 * len(steps) * 2000


def test_worked_example_of_the_drift():
    # One sample a class; centres on a line. Cluster 0 = {0, 2}: from 1 to 0; cluster 1 = {6, 8, 10}: from 8 to 6.5.
    table = tables.labelled([[0.0, 2.0, 6.0, 8.0, 10.0, 4.0], [0.0] * 6], [0, 1])
    clusters = k_means_clusters(table.problem().supports, 2)
    old, new = np.array([[0, 0, 1, 1, 1, -1]], np.int8), np.array([[0, 1, 1, 1, 1, -1]], np.int8)
    sums, bounds = Sums(clusters, old), Bounds(clusters, 1, 6, Pruning())
    before = sums.copied(old)
    sums.move(old, new)
    bounds.follow(before, sums.state(new), np.ones((1, 2)))
    # Of two samples, which the dn norm divides by. Never less than the movement, and hardly more.
    moved = (1.0 + 1.5) / np.sqrt(2.0)
    assert moved <= bounds.drift[0] < moved + 1e-5
