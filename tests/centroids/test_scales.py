"""A table means the same in any unit: the oracle's partition at every scale that is accepted, and a refusal beyond."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import awkward_tables as tables
from agreement import FORMS, LAMS, assert_equal_runs, assert_same_ends, engine_runs, every_lam
from disjoint_centroids import (
    DisjointPanelClassifier,
    NearestDisjointCentroid,
    NearestDisjointCentroidCV,
)
from disjoint_centroids.centroids.search import prepare, problem_of_sums
from disjoint_centroids.centroids.search.pruning import Pruning
from disjoint_centroids.numerics.sizes import sizes_context
from disjoint_centroids.rows.sums import RowBlock, sums_of_block
from disjoint_centroids.rows.training import LARGEST, SMALLEST

EAGER = Pruning(calm=1.0)
"""Margins are kept from the first step on."""

POWERS = (-462, -300, -150, -131, -126, 122, 127, 140, 300, 450)
"""Powers of two: multiplying by them is exact, so that the answer must not change in a single digit."""

SPREADS = (4, 8, 20, 40, 80, 135)
"""Tables whose columns lie between 10 to minus this and 10 to this."""


class SparseTable(tables.Labelled):
    def problem(self):
        return prepare(sparse.csc_array(self.X), self.y, self.weights, self.n_classes, divided=self.divided)


class SummedTable(tables.Labelled):
    def problem(self):
        shared = np.zeros(self.n_features, bool)
        sums = sums_of_block(RowBlock(self.X, self.y, self.weights), shared, self.n_classes, 0)
        return problem_of_sums(sums, shared, divided=self.divided)


KINDS = {"dense": tables.Labelled, "sparse": SparseTable, "sums": SummedTable}


@pytest.fixture(params=FORMS)
def form(request):
    """Small tables kept as Gram matrices, or as columns."""
    with sizes_context(gram_features=FORMS[request.param]):
        yield


def of_kind(kind, table):
    return KINDS[kind](table.X, table.y, table.weights, table.divided)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["few samples a class", "one sample a class", "zeros and ones", "unbalanced"])
def test_every_unit_ends_as_the_oracle_does(name, kind, form):
    table = of_kind(kind, tables.table(name, "weighted"))
    starts = every_lam(tables.starting_owners(table, 3, has_pool=True))
    expected = assert_same_ends(table, *starts, pruning=EAGER)
    for power in POWERS:
        assert_equal_runs(engine_runs(replace(table, X=table.X * 2.0**power), *starts, pruning=EAGER), expected)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("spread", SPREADS)
def test_tables_of_mixed_scales_end_as_the_oracle_does(spread, kind, form):
    for seed in range(3):
        table = tables.blocks((7, 5, 6), 36, seed=seed)
        rng = np.random.default_rng(seed)
        for scales in (
            10.0 ** rng.uniform(-spread, spread, 36),
            np.where(rng.random(36) < 0.5, 10.0**-spread, 10.0**spread),
            10.0 ** rng.uniform(-spread, spread, (18, 1)),
        ):
            mixed = of_kind(kind, replace(table, X=table.X * scales))
            assert_same_ends(mixed, tables.starting_owners(mixed, 2, has_pool=False), pruning=EAGER)
            owners = tables.starting_owners(mixed, 2, has_pool=True)
            assert_same_ends(mixed, np.repeat(owners, 2, axis=0), np.tile(LAMS[1:3], len(owners)), pruning=EAGER)


# ------------------------------------------------------------------------------------------------ estimators

X, Y = tables.blocks((12, 10, 9), 40, seed=3).X, tables.blocks((12, 10, 9), 40, seed=3).y
MAKES = {
    "ndc": lambda: NearestDisjointCentroid(n_init=4, refine=True, random_state=0),
    "ndc-s": lambda: NearestDisjointCentroidCV(n_init=2, n_lams=3, cv=2, random_state=0),
    "panel": lambda: DisjointPanelClassifier(rounds=3, terms="both", cv=2, random_state=0),
}
every_estimator = pytest.mark.parametrize("make", MAKES.values(), ids=MAKES.keys())


@every_estimator
@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_every_unit_has_the_same_model(make, stored):
    expected = make().fit(stored(X), Y)
    for power in (-462, 450):
        scaled = X * 2.0**power
        model = make().fit(stored(scaled), Y)
        np.testing.assert_array_equal(model.owner_, expected.owner_)
        np.testing.assert_array_equal(model.predict(stored(scaled)), expected.predict(stored(X)))
        np.testing.assert_allclose(
            model.predict_proba(stored(scaled)), expected.predict_proba(stored(X)), rtol=1e-9, atol=1e-12
        )


def in_batches(X):
    model = NearestDisjointCentroid(n_init=4, random_state=0)
    for part in np.array_split(np.arange(len(X)), 3):
        model.partial_fit(X[part], Y[part], classes=np.unique(Y))
    return model


def in_blocks(X):
    from_array = pytest.importorskip("dask.array").from_array
    return NearestDisjointCentroid(n_init=4, random_state=0).fit(from_array(X, chunks=(10, -1)), Y)


@pytest.mark.parametrize("fit", [in_batches, in_blocks])
def test_batches_and_blocks_in_every_unit(fit):
    expected = fit(X).owner_
    for power in (-462, 450):
        np.testing.assert_array_equal(fit(X * 2.0**power).owner_, expected)


def with_column(value, at=5):
    changed = X.copy()
    changed[:, at] *= value
    return changed


@every_estimator
@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_features_beyond_the_accepted_scales_are_refused(make, stored):
    with pytest.raises(ValueError, match=r"no value larger than .*e-20\d in 1 feature\(s\) \(column 5\).*multiply X"):
        make().fit(stored(with_column(1e-200)), Y)
    with pytest.raises(ValueError, match=r"as large as .*e\+200.*Divide X"):
        make().fit(stored(with_column(1e200)), Y)


@pytest.mark.parametrize("fit", [in_batches, in_blocks])
@pytest.mark.parametrize(
    ("factor", "message"),
    [
        (1e-200, r"no value larger than .*column 5"),
        (1e145, r"too large to be squared, in 1 feature\(s\) \(column 5\)|as large as"),
        (1e9, r"about .*e\+09 in 1 feature\(s\) \(column 5\).*standardize X"),
    ],
)
def test_batches_and_blocks_refuse_what_their_sums_cannot_hold(fit, factor, message):
    with pytest.raises(ValueError, match=message):
        fit(with_column(factor))


def test_a_feature_that_is_zero_everywhere_is_not_too_small():
    model = NearestDisjointCentroid(n_init=4, random_state=0).fit(with_column(0.0), Y)
    assert model.owner_.size == 40


def test_the_accepted_scales_are_accepted():
    for scale in (1.01 * SMALLEST, LARGEST):
        unit = scale / np.abs(X).max(axis=0)
        NearestDisjointCentroid(n_init=2, random_state=0).fit(np.clip(X * unit, -scale, scale), Y)
