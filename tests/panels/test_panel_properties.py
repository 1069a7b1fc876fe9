"""What must hold of the panel classifier on any table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import LeaveOneGroupOut

import awkward_tables as tables
from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.panels.drafting import TERMS

pytestmark = [
    pytest.mark.filterwarnings("error"),
    pytest.mark.filterwarnings("ignore:.*own no feature:UserWarning"),
]

SEEDS = st.integers(0, 10**6)
KINDS = st.sampled_from(TERMS)
READS = st.sampled_from(("all", "own"))
FEW = hypothesis_settings(max_examples=10)


def fitted(X, y, sample_weight=None, **options):
    options = {"rounds": 3, "terms": "both", "penalty": 0.2, "cv": 3, "random_state": 0, **options}
    return DisjointPanelClassifier(**options).fit(X, y, sample_weight=sample_weight)


def lists(model):
    return [panel.tolist() for panel in model.feature_sets_]


def assert_same_answer(found, expected, X, atol=1e-8):
    """The same panels, the same scores, the same sets."""
    assert lists(found) == lists(expected)
    for name in ("terms_", "regression_", "rounds_", "penalty_"):
        assert getattr(found, name) == getattr(expected, name)
    np.testing.assert_allclose(found.decision_function(X), expected.decision_function(X), atol=atol)
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=atol)
    np.testing.assert_allclose(found.train_error_, expected.train_error_)


@FEW
@given(
    seed=SEEDS,
    kind=KINDS,
    reads=READS,
    n_classes=st.integers(2, 5),
    rounds=st.integers(1, 6),
    n_features=st.integers(1, 40),
)
def test_panels_are_disjoint_and_no_longer_than_the_rounds(seed, kind, reads, n_classes, rounds, n_features):
    table = tables.blocks((5,) * n_classes, n_features, seed)
    model = fitted(table.X, table.y, rounds=rounds, terms=kind, reads=reads)
    picked = np.concatenate(model.feature_sets_)
    assert np.unique(picked).size == picked.size
    sizes = np.array([panel.size for panel in model.feature_sets_])
    assert sizes.max() <= rounds
    assert (sizes >= 1).sum() == min(n_classes, n_features)
    if kind == "linear" and n_features >= rounds * n_classes:
        assert (sizes == rounds).all()
    for j, panel in enumerate(model.feature_sets_):
        np.testing.assert_array_equal(np.sort(panel), np.flatnonzero(model.owner_ == j))
    np.testing.assert_array_equal(model.get_support(), model.owner_ != -1)
    assert model.coef_.shape == model.curvature_.shape == (n_classes, n_features)
    assert (model.coef_[:, model.owner_ == -1] == 0).all()
    not_own = model.owner_ != np.arange(n_classes)[:, None]
    assert (model.curvature_[not_own] == 0).all()
    if reads == "own":
        assert (model.coef_[not_own] == 0).all()
    np.testing.assert_array_equal(np.isnan(model.margin_), model.owner_ == -1)


@FEW
@given(seed=SEEDS, kind=KINDS, reads=READS)
def test_panels_are_nested_in_the_rounds(seed, kind, reads):
    table = tables.blocks((7, 6, 8), 40, seed)
    short, long = (fitted(table.X, table.y, rounds=rounds, terms=kind, reads=reads, overdraft=1) for rounds in (3, 5))
    for a, b in zip(lists(short), lists(long), strict=True):
        assert b[: len(a)] == a


@FEW
@given(seed=SEEDS, kind=KINDS, reads=READS)
def test_columns_in_another_order(seed, kind, reads):
    table = tables.blocks((7, 6, 8), 30, seed)
    order = np.random.default_rng(seed).permutation(30)
    expected = fitted(table.X, table.y, terms=kind, reads=reads)
    found = fitted(table.X[:, order], table.y, terms=kind, reads=reads)
    assert [order[panel].tolist() for panel in found.feature_sets_] == lists(expected)
    np.testing.assert_allclose(
        found.decision_function(table.X[:, order]), expected.decision_function(table.X), atol=1e-8
    )
    for name in ("coef_", "curvature_", "margin_"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name)[..., order], atol=1e-8)


@FEW
@given(seed=SEEDS, kind=KINDS, reads=READS)
def test_classes_under_other_names(seed, kind, reads):
    """The classes change places, and everything of theirs with them."""
    table = tables.blocks((7, 6, 8), 30, seed)
    options = {"terms": kind, "reads": reads, "cv": [(np.arange(0, 21, 2), np.arange(1, 21, 2))]}
    expected, turned = (fitted(table.X, y, **options) for y in (table.y, 2 - table.y))
    assert lists(turned)[::-1] == lists(expected)
    np.testing.assert_allclose(
        turned.decision_function(table.X)[:, ::-1], expected.decision_function(table.X), atol=1e-5
    )


@FEW
@given(seed=SEEDS, kind=KINDS, reads=READS)
def test_samples_in_another_order(seed, kind, reads):
    """Samples are dealt to folds by what is in them."""
    table = tables.blocks((7, 6, 8), 30, seed)
    order = np.random.default_rng(seed).permutation(21)
    expected = fitted(table.X, table.y, terms=kind, reads=reads)
    found = fitted(table.X[order], table.y[order], terms=kind, reads=reads)
    assert_same_answer(found, expected, table.X, atol=1e-5)
    np.testing.assert_allclose(found.held_out_scores_, expected.held_out_scores_[order], atol=1e-3)


@FEW
@given(
    seed=SEEDS,
    kind=KINDS,
    factor=st.sampled_from([1e-6, 3.0, 1e5]),
    shift=st.sampled_from([0.0, -7.0, 1e4]),
)
def test_units_do_not_matter(seed, kind, factor, shift):
    table = tables.blocks((7, 6, 8), 30, seed)
    expected = fitted(table.X, table.y, terms=kind)
    other = factor * table.X + shift * factor
    found = fitted(other, table.y, terms=kind)
    assert lists(found) == lists(expected)
    np.testing.assert_allclose(found.decision_function(other), expected.decision_function(table.X), atol=1e-6)


@FEW
@given(seed=SEEDS, kind=KINDS, reads=READS)
def test_sparse_tables_are_dense_ones(seed, kind, reads):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1, 2], 8))
    X = rng.poisson(rng.uniform(0.1, 2.0, size=(3, 25))[y]) * rng.uniform(size=(24, 25))
    expected = fitted(X, y, terms=kind, reads=reads)
    for form in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        found = fitted(form(X), y, terms=kind, reads=reads)
        assert_same_answer(found, expected, X)
        assert_same_answer(found, expected, form(X))
        np.testing.assert_array_equal(found.predict_set(form(X), 0.8), expected.predict_set(X, 0.8))
        np.testing.assert_allclose(found.centroids_, expected.centroids_, atol=1e-12)
        np.testing.assert_allclose(found.variances_, expected.variances_, atol=1e-12)


def test_cells_that_a_sparse_table_lists_twice_are_added_up():
    table = tables.blocks((7, 6, 8), 12, seed=3)
    half = sparse.csr_array(table.X / 2)
    twice = sparse.csr_array(
        (np.repeat(half.data, 2), np.repeat(half.indices, 2), 2 * half.indptr), shape=table.X.shape
    )
    assert not twice.has_canonical_format
    stored = twice.nnz
    assert_same_answer(fitted(twice, table.y), fitted(table.X, table.y), table.X)
    assert twice.nnz == stored


def sampled(seed, n_samples=24):
    """A table in three groups of samples, each with all classes; weights in the first group only."""
    table = tables.blocks((n_samples,) * 3, 20, seed)
    groups = np.empty(table.y.size, dtype=int)
    for j in range(3):
        groups[table.y == j] = np.arange(n_samples) % 3
    times = np.where(groups == 0, np.random.default_rng(seed).integers(0, 4, size=groups.size), 1)
    return table.X, table.y, groups, times


@FEW
@given(seed=SEEDS, kind=st.sampled_from(("auto", *TERMS)), reads=READS)
def test_weights_are_removal_and_repetition(seed, kind, reads):
    X, y, groups, times = sampled(seed, 12)
    again = np.repeat(np.arange(y.size), times)
    options = {"terms": kind, "reads": reads, "rounds": "auto", "max_features_per_class": 4}
    by_group = LeaveOneGroupOut()
    weighted = fitted(X, y, times, cv=list(by_group.split(X, y, groups)), **options)
    repeated = fitted(X[again], y[again], cv=list(by_group.split(X[again], y[again], groups[again])), **options)
    assert_same_answer(weighted, repeated, X, atol=1e-7)
    np.testing.assert_allclose(weighted.temperature_, repeated.temperature_, rtol=1e-7)
    for column in ("loss", "error"):
        np.testing.assert_allclose(weighted.cv_results_[column], repeated.cv_results_[column], atol=1e-7)
    for confidence in (0.3, 0.8):
        np.testing.assert_array_equal(weighted.predict_set(X, confidence), repeated.predict_set(X, confidence))


def test_processes_change_nothing():
    table = tables.blocks((12, 9, 10), 40, seed=0)
    one, two = (fitted(table.X, table.y, rounds="auto", terms="auto", n_jobs=n) for n in (1, 2))
    assert_same_answer(one, two, table.X, atol=1e-12)
    np.testing.assert_allclose(one.held_out_scores_, two.held_out_scores_, atol=1e-12)


def test_the_seed_decides_the_folds_and_nothing_else():
    table = tables.blocks((12, 9, 10), 40, seed=0)
    one, again, other = (fitted(table.X, table.y, reads="all", random_state=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.held_out_scores_, again.held_out_scores_)
    assert (one.held_out_scores_ != other.held_out_scores_).any()
    # Where a fit starts, and so its last digits, may depend on the folds.
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-9)


@FEW
@given(seed=SEEDS, kind=KINDS, reads=READS)
def test_contributions_add_up_to_scores(seed, kind, reads):
    table = tables.blocks((7, 6, 8), 20, seed)
    model = fitted(table.X, table.y, terms=kind, reads=reads)
    explained = model.explain(table.X)
    sums = explained.groupby(["sample", "class"])["contribution"].sum().unstack()
    np.testing.assert_allclose(sums.to_numpy(), model.decision_function(table.X) - model.intercept_, atol=1e-10)


@FEW
@given(seed=SEEDS, kind=KINDS, reads=READS, priors=st.sampled_from([None, "empirical", (0.7, 0.2, 0.1)]))
def test_all_predictions_agree(seed, kind, reads, priors):
    table = tables.blocks((9, 4, 8), 20, seed, noise=2.0)
    model = fitted(table.X, table.y, terms=kind, reads=reads, priors=priors)
    new = 3.0 * np.random.default_rng(seed).normal(size=(50, 20))
    predicted = model.predict(new)
    np.testing.assert_array_equal(model.classes_[model.predict_proba(new).argmax(axis=1)], predicted)
    np.testing.assert_array_equal(model.classes_[model.decision_function(new).argmax(axis=1)], predicted)
    np.testing.assert_allclose(np.log(model.predict_proba(new)), model.predict_log_proba(new), atol=1e-8)
    assert model.train_error_ == pytest.approx(1 - model.score(table.X, table.y))
    if priors is not None:
        np.testing.assert_allclose(model.class_prior_, np.bincount(table.y) / 21 if priors == "empirical" else priors)
