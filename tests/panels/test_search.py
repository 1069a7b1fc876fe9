"""How terms, rounds and penalty are chosen: by samples that were held out."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold, LeaveOneOut, StratifiedKFold

import oracle_panel as oracle
from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.panels import search
from disjoint_centroids.panels.drafting import TERMS, Rules
from disjoint_centroids.panels.path import Candidate, fit_candidates
from labelled import table, training_set

pytestmark = pytest.mark.filterwarnings("error")


def rules_for(n_features, n_classes, **bounds):
    return Rules(np.ones(n_features, dtype=bool), ((),) * n_classes, **bounds)


def fitted(X, y, **options):
    return DisjointPanelClassifier(**{"cv": 3, "random_state": 0, **options}).fit(X, y)


# What is tried


@given(most=st.integers(1, 10**6))
def test_numbers_of_rounds(most):
    """Growing, within what there is room for, and with linear terms as far as that (or the grid) goes."""
    found = search.candidates(TERMS, None, None, most)
    for kind in TERMS:
        rounds = [c.rounds for c in found if c.terms == kind and c.penalty == search.PENALTIES[kind][0]]
        assert all(a < b for a, b in pairwise(rounds))
        assert rounds[0] >= 1
        assert rounds[-1] <= most
        if kind == "linear":
            assert rounds[-1] == min(most, max(search.ROUNDS))


def test_what_the_user_gave_is_not_varied():
    found = search.candidates(TERMS, None, None, 30)
    assert {c.terms for c in found} == set(TERMS)
    for kind in TERMS:
        assert {c.penalty for c in found if c.terms == kind} == set(search.PENALTIES[kind])
    assert search.candidates(["squared"], 7, 0.3, 30) == [Candidate("squared", 7, 0.3)]
    assert {c.penalty for c in search.candidates(TERMS, None, 0.3, 30)} == {0.3}


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [({}, 8), ({"per_class": 3}, 3), ({"in_all": 10}, 4), ({"in_all": 2}, 1), ({"per_class": 99, "in_all": 99}, 8)],
    ids=str,
)
def test_most_rounds(bounds, expected):
    assert search.most_rounds(rules_for(24, 3, **bounds)) == expected


# What the folds say


def test_folds_are_fits_of_their_training_parts():
    X, y = table()
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=y.size)
    part = training_set(X, y, weights)
    folds = list(StratifiedKFold(3).split(X, y))
    wanted = [Candidate(kind, rounds, penalty) for kind in TERMS for penalty in (0.5, 0.01) for rounds in (1, 3)]
    held_out = search.hold_out(part, folds, wanted, rules_for(24, 3))
    for candidate in wanted:
        for at, (train, test) in enumerate(folds):
            alone = training_set(X[train], y[train], weights[train])
            # One candidate by itself: neither the others' rounds nor their penalties may show, but for rough fits.
            model = fit_candidates(alone, [candidate], rules_for(24, 3)).models[candidate]
            assert [p.tolist() for p in held_out.models[candidate][at][0].panels] == [p.tolist() for p in model.panels]
            np.testing.assert_allclose(held_out.scores[candidate][test], model.scores(X[test]), atol=0.05)


def test_table_of_results():
    X, y = table(noise=2.0)
    model = fitted(X, y, rounds=2, terms="linear", penalty=0.5)
    scores = model.held_out_scores_
    results = model.cv_results_
    assert (results["terms"], results["rounds"], results["penalty"]) == (["linear"], [2], [0.5])
    assert results["error"] == pytest.approx(np.mean(scores.argmax(axis=1) != y))
    own = oracle.probabilities(scores, model.temperature_)[np.arange(y.size), y]
    assert results["loss"] == pytest.approx(np.mean([-np.log(own[y == j]).mean() for j in range(3)]))


def test_every_candidate_is_in_the_table_and_the_choice_among_them():
    X, y = table()
    for rule in ("min", "1se"):
        model = fitted(X, y, rule=rule)
        rows = list(zip(*(model.cv_results_[name] for name in ("terms", "rounds", "penalty")), strict=True))
        assert len(rows) == len(set(rows)) == len(search.candidates(TERMS, None, None, 8)) > 3
        assert (model.terms_, model.rounds_, model.penalty_) in rows


@pytest.mark.parametrize("seed", range(4))
def test_one_standard_error_means_no_more_rounds(seed):
    X, y = table(sizes=(20, 20, 20), n_features=60, seed=seed, noise=2.0)
    least, few = (fitted(X, y, terms="linear", rule=rule) for rule in ("min", "1se"))
    assert few.rounds_ <= least.rounds_
    losses = dict(zip(few.cv_results_["rounds"], few.cv_results_["loss"], strict=True))
    assert losses[few.rounds_] <= losses[least.rounds_] + 0.1


def held_out_scores(wanted, y, right):
    """Scores of candidates as if they had been held out: noise, and the truth as loud as is said for each."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(y.size, 3))
    truth = (y[:, None] == np.arange(3)).astype(float)
    return {c: noise + right.get(c, 1.0) * truth for c in wanted}


def judged(part, scores):
    return search.Judged(part, search.HeldOutScores([], scores, {}, []))


@pytest.mark.parametrize("rule", ["min", "1se"])
def test_clear_evidence_decides(rule):
    """Whatever the default is: a candidate that is right nearly always is chosen among those that often are not."""
    y = np.arange(90) % 3
    part = training_set(np.zeros((90, 1)), y)
    wanted = search.candidates(TERMS, None, None, 40)
    for best in wanted:
        scores = held_out_scores(wanted, y, {best: 20.0})
        assert search.choose(judged(part, scores), wanted, rule, wide=False) == best


def test_without_evidence_terms_are_linear():
    """All candidates alike, or nothing held out at all."""
    y = np.arange(30) % 3
    part = training_set(np.zeros((30, 1)), y)
    wanted = search.candidates(TERMS, None, None, 40)
    alike = held_out_scores(wanted, y, {})
    nothing = {c: np.full((30, 3), np.nan) for c in wanted}
    unknown = {c: np.full((30, 3), -np.inf) for c in wanted}
    for scores in (alike, nothing, unknown):
        for rule in ("min", "1se"):
            assert search.choose(judged(part, scores), wanted, rule, wide=False).terms == "linear"


def test_data_choose_the_kind_of_terms():
    """Classes that differ in spread only need squared gaps; classes that differ in level do not."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 60)
    noise = rng.normal(size=(180, 12))
    spread = np.ones((3, 12))
    for j in range(3):
        spread[j, 4 * j : 4 * j + 4] = 0.25
    assert fitted(noise * spread[y], y).terms_ in ("squared", "both")
    level = np.zeros((3, 12))
    level[np.arange(3), np.arange(3)] = 1.5
    model = fitted(noise + level[y], y)
    assert model.terms_ == "linear"
    assert [panel[0] for panel in model.feature_sets_] == [0, 1, 2]


# Folds


def test_groups_reach_the_splitter():
    X, y = table()
    groups = np.arange(y.size) % 5
    grouped = DisjointPanelClassifier(rounds=2, cv=GroupKFold(3)).fit(X, y, groups=groups)
    by_hand = fitted(X, y, rounds=2, cv=list(GroupKFold(3).split(X, y, groups)))
    np.testing.assert_array_equal(grouped.held_out_scores_, by_hand.held_out_scores_)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        DisjointPanelClassifier(rounds=2, cv=GroupKFold(3)).fit(X, y, groups=groups[:-1])


def test_groups_that_a_whole_number_of_folds_ignores_are_warned_of():
    X, y = table()
    with pytest.warns(UserWarning, match="cv=3 makes stratified folds and ignores groups") as caught:
        DisjointPanelClassifier(rounds=2, cv=3).fit(X, y, groups=np.arange(y.size) % 5)
    assert caught[0].filename == __file__


def test_every_sample_alone():
    X, y = table(sizes=(4, 5))
    model = fitted(X, y, rounds=1, terms="linear", cv=LeaveOneOut())
    assert len(model.fold_models_) == 9
    assert np.isfinite(model.held_out_scores_).all()


def test_training_parts_with_one_class_only():
    """Nothing can be learned from the folds: linear terms, and scores as they are."""
    X, y = table(sizes=(6, 7))
    folds = [(np.flatnonzero(y == j), np.flatnonzero(y != j)) for j in range(2)]
    model = fitted(X, y, rounds=2, cv=folds)
    assert model.temperature_ == 1.0
    assert model.terms_ == "linear"
    assert [fold.known.tolist() for fold in model.fold_models_] == [[0], [1]]
    assert model.predict_set(X, 0.5).shape == (13, 2)


def test_no_more_folds_than_the_largest_class_has_samples():
    X, y = table(sizes=(3, 2, 1))
    model = fitted(X, y, rounds=1, cv=10)
    assert len(model.fold_models_) == 3


def test_samples_of_no_weight_are_in_no_fold():
    X, y = table()
    weights = np.ones(y.size)
    weights[::4] = 0.0
    folds = list(StratifiedKFold(3).split(X, y))
    there = np.flatnonzero(weights)
    positions = np.cumsum(weights > 0) - 1
    kept = [tuple(positions[part[weights[part] > 0]] for part in fold) for fold in folds]
    weighted = DisjointPanelClassifier(rounds=2, cv=folds).fit(X, y, sample_weight=weights)
    removed = DisjointPanelClassifier(rounds=2, cv=kept).fit(X[there], y[there])
    np.testing.assert_allclose(weighted.held_out_scores_, removed.held_out_scores_)
    np.testing.assert_allclose(weighted.coef_, removed.coef_)
