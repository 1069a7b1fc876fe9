"""refine=True: single-feature moves after the restarts, in the estimators."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

import oracle
from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV, disjoint_centroid_path
from disjoint_centroids.datasets import simulation
from labelled import QUICK, assert_same_model, table

pytestmark = pytest.mark.filterwarnings("error")

REFINED = {**QUICK, "refine": True}
VARIANTS = {
    "plain": {"criterion": "risk"},
    "selection": {"lam": 1.0},
    "moves alone select": {"lam": np.inf},
    "euclidean": {"norm": "euclidean", "lam": np.inf},
    "shared": {"shared_features": [3, 5], "lam": np.inf},
    "priors": {"priors": [0.2, 0.3, 0.5], "criterion": "risk"},
}


def noisy():
    """A table in which restarts leave something to gain."""
    return table(sizes=(40, 30, 35), noise=3.0)


@pytest.mark.parametrize("variant", VARIANTS)
def test_moves_start_from_the_partition_without_them(variant):
    X, y = noisy()
    before = NearestDisjointCentroid(**{**QUICK, **VARIANTS[variant]}).fit(X, y)
    after = NearestDisjointCentroid(**{**REFINED, **VARIANTS[variant]}).fit(X, y)
    seed = int(np.random.RandomState(0).randint(2**31 - 1))
    expected = oracle.refine(
        X, y, before.owner_, has_pool="lam" in VARIANTS[variant], divided=after.norm == "dn", seed=seed
    )
    np.testing.assert_array_equal(after.owner_, expected.owner)
    assert after.n_moves_ == expected.n_moves > 0
    assert before.n_moves_ == 0
    assert (after.n_iter_, after.n_restarts_used_) == (before.n_iter_, before.n_restarts_used_)


@pytest.mark.parametrize("variant", VARIANTS)
def test_attributes_describe_the_refined_partition(variant):
    X, y = noisy()
    model = NearestDisjointCentroid(**{**REFINED, **VARIANTS[variant]}).fit(X, y)
    assert model.risk_ == pytest.approx(model.risk(X, y))
    assert model.train_error_ == pytest.approx(1 - model.score(X, y))
    assert [set(own) for own in model.feature_sets_] == [set(np.flatnonzero(model.owner_ == j)) for j in range(3)]
    assert all(own.size for own in model.feature_sets_)
    distances = model.feature_table().filter(like="distance_").to_numpy()
    if model.lam is None:
        nearest = np.sort(distances, axis=1)
        np.testing.assert_allclose(model.margin_, nearest[:, 1] - nearest[:, 0])
    assert ((model.owner_ == -1).any() and model.lam is not None) or (model.owner_ >= 0).all()
    np.testing.assert_array_equal(model.get_support(), model.owner_ != -1)


def test_small_signal_that_restarts_miss():
    """Simulation 2 with d=3, b=0.3: variances differ a little. The moves find the planted partition."""
    X, y = simulation(2, d=3, value=0.3).draw(random_state=0)
    planted = np.repeat(np.arange(4), 3)
    assert (NearestDisjointCentroid(**QUICK).fit(X, y).owner_ != planted).any()
    np.testing.assert_array_equal(NearestDisjointCentroid(**REFINED).fit(X, y).owner_, planted)


def test_selection_without_any_lambda():
    """Simulation 4 with r=20, c=0.6, from a partition in which nothing is dropped: what is left is what was planted."""
    X, y = simulation(4, d=5, value=0.6, irrelevant=20).draw(random_state=1)
    model = NearestDisjointCentroid(lam=np.inf, **REFINED).fit(X, y)
    np.testing.assert_array_equal(model.owner_, np.r_[np.repeat(np.arange(4), 5), np.full(20, -1)])


def test_nobody_is_dropped_without_lambda():
    X, y = noisy()
    assert (NearestDisjointCentroid(**REFINED).fit(X, y).owner_ >= 0).all()


@pytest.mark.parametrize("lam", [None, 1.0])
def test_weights_are_removal_and_repetition(lam):
    X, y = noisy()
    times = np.arange(y.size) % 3
    weighted = NearestDisjointCentroid(lam=lam, **REFINED).fit(X, y, sample_weight=times)
    again = np.repeat(np.arange(y.size), times)
    repeated = NearestDisjointCentroid(lam=lam, **REFINED).fit(X[again], y[again])
    assert_same_model(weighted, repeated, exactly=False)
    assert weighted.n_moves_ == repeated.n_moves_ > 0


@pytest.mark.parametrize("lam", [None, 1.0])
def test_threads_and_calls_give_one_answer(lam):
    X, y = noisy()
    one, two, again = (NearestDisjointCentroid(lam=lam, n_jobs=n, **REFINED).fit(X, y) for n in (1, 2, 1))
    assert_same_model(one, two)
    assert_same_model(one, again)


def test_kinds_of_start_are_compared_refined():
    X, y = noisy()
    model = NearestDisjointCentroid(init="auto", **REFINED).fit(X, y)
    assert_same_model(model, NearestDisjointCentroid(**{**REFINED, "init": model.init_}).fit(X, y))


def test_sweeps_that_ran_out_are_told():
    X, y = noisy()
    with pytest.warns(ConvergenceWarning, match="max_iter=1 steps"):
        NearestDisjointCentroid(lam=np.inf, init="variance", max_iter=1, refine=True).fit(X, y)


@pytest.mark.parametrize("estimator", [NearestDisjointCentroid, NearestDisjointCentroidCV])
def test_refine_is_true_or_false(estimator):
    X, y = noisy()
    with pytest.raises(ValueError, match=r"'refine' parameter .* Got 'yes' instead"):
        estimator(refine="yes").fit(X, y)


LAMS = np.array([0.8, 0.95, 1.1, np.inf])
FOLDS = KFold(4, shuffle=True, random_state=0)


def held_out_errors(X, y, refine):
    """Errors (n_lams, n_folds) of paths fitted fold by fold."""
    errors = []
    for train, test in FOLDS.split(X):
        path = disjoint_centroid_path(X[train], y[train], lams=LAMS, **{**QUICK, "refine": refine})
        means = oracle.class_means(X[train], y[train])
        errors.append([np.mean(oracle.classify(X[test], means, owner) != y[test]) for owner in path.owners])
    return np.array(errors).T


def test_folds_judge_refined_partitions():
    """On this table they are better in cross-validation, and taken."""
    X, y = simulation(3, d=3, value=0.3).draw(random_state=0)
    model = NearestDisjointCentroidCV(lams=LAMS, cv=FOLDS, **REFINED).fit(X, y)
    refined, plain = held_out_errors(X, y, True), held_out_errors(X, y, False)
    assert refined.mean(axis=1).min() < plain.mean(axis=1).min()
    np.testing.assert_allclose(model.cv_errors_, refined)
    path = disjoint_centroid_path(X, y, lams=LAMS, **REFINED)
    np.testing.assert_array_equal(model.path_.owners, path.owners)
    np.testing.assert_array_equal(model.n_selected_, path.n_selected)
    assert_same_model(model, NearestDisjointCentroid(lam=model.lam_, **REFINED).fit(X, y), probabilities=False)
    assert model.n_moves_ > 0


def more_moves(model, X, y):
    return model.n_moves_


def fewer_moves(model, X, y):
    return -model.n_moves_


def no_preference(model, X, y):
    return 0.5


@pytest.mark.parametrize(
    ("scoring", "taken", "init"),
    [
        (more_moves, True, "k-means"),
        (fewer_moves, False, "k-means"),
        (fewer_moves, False, "auto"),
        (no_preference, True, "k-means"),
    ],
)
def test_folds_decide_whether_to_refine_at_all(scoring, taken, init):
    X, y = noisy()
    search = {"lams": LAMS, "cv": FOLDS, "scoring": scoring, **QUICK, "init": init}
    model = NearestDisjointCentroidCV(refine=True, **search).fit(X, y)
    plain = NearestDisjointCentroidCV(**search).fit(X, y)
    assert (model.path_.owners != plain.path_.owners).any() == taken
    if not taken:
        assert_same_model(model, plain)
        np.testing.assert_array_equal(model.cv_errors_, plain.cv_errors_)
        assert model.n_moves_ == 0


def test_progress_counts_both_searches(capsys):
    X, y = noisy()
    NearestDisjointCentroidCV(lams=[1.0], cv=3, verbose=1, **REFINED).fit(X, y)
    assert "6/6" in capsys.readouterr().err


def test_clones_keep_the_choice():
    assert clone(NearestDisjointCentroid(refine=True)).refine is True
