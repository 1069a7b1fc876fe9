"""Run engine and oracle from the same starts and insist on the same ends."""

import numpy as np

import oracle
from disjoint_centroids.centroids.search.lloyd import lloyd
from disjoint_centroids.centroids.search.pruning import PRUNING
from disjoint_centroids.numerics.sizes import Sizes

LAMS = np.array([0.3, 0.7, 1.0, 1.4, 3.0, np.inf])

FORMS = {"gram": Sizes().gram_features, "columns": 0}
"""What ``gram_features`` must be for small tables to be kept in either form."""


def engine_runs(table, owners, lams=None, max_iter=300, pruning=PRUNING):
    """The engine's ends, a run for each row of ``owners`` (and each entry of ``lams``)."""
    problem = table.problem()
    clusters = problem.clusters(has_pool=lams is not None)
    return lloyd(problem.table, clusters, owners, lams, max_iter, pruning)


def every_lam(owners):
    """The same starts at every lambda, in one batch."""
    return np.repeat(owners, len(LAMS), axis=0), np.tile(LAMS, len(owners))


def assert_same_ends(table, owners, lams=None, max_iter=300, **options):
    """Partition, number of steps and fate of every run are the oracle's; returns the runs for further questions."""
    runs = engine_runs(table, owners, lams, max_iter, **options)
    for run, start in enumerate(owners):
        lam = None if lams is None else lams[run]
        few = table.n_features < table.n_classes
        owner, n_iter, alive = oracle.ndc(
            table.X, table.y, start, lam, max_iter=max_iter, may_be_empty=few, **table.options
        )
        about = f"run {run}, lambda {lam}"
        np.testing.assert_array_equal(runs.owner[run], owner, err_msg=about)
        assert (runs.n_iter[run], runs.alive[run]) == (n_iter, alive), about
    return runs


def assert_equal_runs(found, expected):
    """Two batches ended alike, run by run."""
    for name in ("owner", "n_iter", "alive", "converged"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)
