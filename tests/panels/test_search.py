"""How terms, rounds and penalty are chosen: by samples that were held out."""

from itertools import groupby, pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold, LeaveOneOut, RepeatedStratifiedKFold, StratifiedKFold

import oracle_panel as oracle
from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.panels import candidates
from disjoint_centroids.panels.calibration import Calibration, fit_calibration
from disjoint_centroids.panels.candidates import Candidate
from disjoint_centroids.panels.chosen import reading_by_folds, rounds_choice
from disjoint_centroids.panels.drafting import TERMS
from disjoint_centroids.panels.held_out import HeldOut, Samples, last_scores
from disjoint_centroids.panels.judged import Judged, calibrated
from disjoint_centroids.panels.path import Path
from disjoint_centroids.panels.search import choose
from labelled import table
from panel_parts import FORMS, engine_rules, parts_of

pytestmark = pytest.mark.filterwarnings("error")

RIDGE, LOGISTIC = ("linear", "ridge"), ("linear", "logistic")
FAMILIES = tuple(candidates.PENALTIES)


def options_of(**given):
    """What the parameters leave open: nothing given, room for 40 rounds in a table that is not wide."""
    free = {"terms": TERMS, "regression": None, "rounds": None, "penalty": None, "most_rounds": 40, "wide": False}
    return candidates.Options(**{**free, "overdraft": None, **given})


def all_candidates(n_samples=60, **given):
    return candidates.list_candidates(options_of(**given), n_samples)


def fitted(X, y, **options):
    return DisjointPanelClassifier(**{"cv": 3, "random_state": 0, **options}).fit(X, y)


# What is tried


@given(most=st.integers(1, 10**6), wide=st.booleans())
def test_numbers_of_rounds(most, wide):
    """Growing, within what there is room for, and with linear terms as far as that (or the grid) goes."""
    found = all_candidates(1000, most_rounds=most, wide=wide)
    assert [name for name, _ in groupby(found, key=lambda c: c.family)] == list(FAMILIES)
    for name in FAMILIES:
        rounds = [c.rounds for c in found if c.family == name and c.penalty == candidates.PENALTIES[name][0]]
        assert all(a < b for a, b in pairwise(rounds))
        assert rounds[0] >= 1
        longest = candidates.SHORT if wide and name[0] != "linear" else candidates.DEFAULT_ROUNDS
        assert rounds[-1] == min(most, longest)
        assert set(rounds[:-1]) <= set(candidates.ROUNDS if wide else candidates.FINE_ROUNDS)
        assert most < 10 or rounds[0] >= 5  # with room for ten, fewer than five are not tried


def test_what_the_user_gave_is_not_varied():
    found = all_candidates(1000)
    assert {c.family for c in found} == set(FAMILIES)
    for name in FAMILIES:
        assert {c.penalty for c in found if c.family == name} == set(candidates.PENALTIES[name])
    alone = all_candidates(terms=["squared"], rounds=7, penalty=0.3)
    assert alone == [Candidate("squared", "logistic", 7, 0.3)]
    assert {c.penalty for c in all_candidates(penalty=0.3)} == {0.3}
    assert {c.overdraft for c in all_candidates(overdraft=3)} == {3}


def test_logistic_regression_on_linear_terms_needs_many_samples():
    """Unless it is asked for; squared terms have no other."""
    assert LOGISTIC not in {c.family for c in all_candidates(candidates.MANY_SAMPLES - 1)}
    assert LOGISTIC in {c.family for c in all_candidates(candidates.MANY_SAMPLES)}
    for n_samples in (60, 1000):
        for name in ("ridge", "logistic"):
            found = {c.family for c in all_candidates(n_samples, regression=name)}
            assert found == {("linear", name), ("squared", "logistic"), ("both", "logistic")}


def test_short_linear_panels_are_drafted_twice_as_long():
    for given_rounds, factor in ((20, 2), (21, 1)):
        for options in ({"rounds": given_rounds}, {"most_rounds": given_rounds}):
            found = all_candidates(1000, **options)
            assert {c.overdraft for c in found if c.terms == "linear"} == {factor}
            assert {c.overdraft for c in found if c.terms != "linear"} == {1}


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [({}, 8), ({"per_class": 3}, 3), ({"in_all": 10}, 4), ({"in_all": 2}, 1), ({"per_class": 99, "in_all": 99}, 8)],
    ids=str,
)
def test_most_rounds(bounds, expected):
    assert candidates.most_rounds(engine_rules(3, 24, **bounds)) == expected


@pytest.mark.parametrize(("n_features", "expected"), [(150, False), (151, True)])
def test_wide_tables_have_more_than_fifty_features_per_class(n_features, expected):
    assert candidates.is_wide(engine_rules(3, n_features)) == expected
    assert candidates.is_wide(engine_rules(3, n_features, per_class=2)) == expected
    assert not candidates.is_wide(engine_rules(3, 200, allowed=np.arange(200) < 150))


# What the folds say


def path_over(X, y, weights, folds, wanted, *, reads="all", form="rows"):
    return Path(parts_of(X, y, weights, folds, form=form), wanted, engine_rules(3, X.shape[1]), own=reads == "own")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("reads", ["all", "own"])
def test_folds_are_fits_of_their_training_parts(reads, form):
    """One candidate by itself: neither the others' rounds nor their penalties may show, but for rough fits."""
    X, y = table()
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=y.size)
    folds = list(StratifiedKFold(3).split(X, y))
    wanted = [Candidate(*name, rounds, penalty) for name in FAMILIES for penalty in (0.5, 0.1) for rounds in (1, 3)]
    held_out = HeldOut(path_over(X, y, weights, folds, wanted, reads=reads, form=form))
    held_out.add(wanted[:3])
    held_out.add(wanted[3:])
    assert list(held_out.scores) == wanted
    for candidate in wanted:
        alone = path_over(X, y, weights, folds, [candidate], reads=reads)
        alone.prepare([candidate])
        for at, (_, test) in enumerate(folds):
            model, _ = alone.fit(at, candidate)
            found = held_out.models[candidate][at]
            assert [p.tolist() for p in found.panels] == [p.tolist() for p in model.panels]
            scores = model.scores(X[test])
            np.testing.assert_allclose(held_out.scores[candidate][0, test], found.scores(X[test]), atol=1e-10)
            np.testing.assert_allclose(found.scores(X[test]), scores, atol=0.05 * max(1.0, np.ptp(scores)))


def test_repeated_folds_judge_by_the_mean_over_the_repeats():
    """Each repeat alone has its own scores; loss and error of a sample are means over the times it was held out."""
    X, y = table(noise=2.0)
    repeated = list(RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0).split(X, y))
    uneven = [*repeated, (repeated[0][0], repeated[0][1][:5])]
    wanted = [Candidate("linear", "ridge", rounds, 0.5) for rounds in (1, 4)]
    samples = Samples(y, np.ones(y.size), 3)
    held_out = HeldOut(path_over(X, y, None, uneven, wanted))
    held_out.add(wanted)
    alone = [HeldOut(path_over(X, y, None, folds, wanted)) for folds in (repeated[:3], repeated[3:])]
    for candidate in wanted:
        scores = held_out.scores[candidate]
        assert scores.shape == (3, y.size, 3)
        assert np.isfinite(scores[2]).all(axis=1).sum() == 5
        for one, part in zip(alone, scores, strict=False):
            one.add([candidate])
            np.testing.assert_allclose(part, one.scores[candidate][0], atol=1e-12)
        last = last_scores(scores)
        again = repeated[0][1][:5]
        np.testing.assert_array_equal(last[again], scores[2, again])
        np.testing.assert_array_equal(np.delete(last, again, axis=0), np.delete(scores[1], again, axis=0))
    results = Judged(samples, held_out).results()
    for at, candidate in enumerate(wanted):
        scores = held_out.scores[candidate]
        there = np.isfinite(scores).all(axis=2)
        shifted = scores + calibrated(samples, scores).offsets
        wrong = np.where(there, shifted.argmax(axis=2) != y, 0).sum(axis=0) / there.sum(axis=0)
        assert results["error"][at] == pytest.approx(wrong.mean())


def test_samples_that_no_fold_holds_out_and_classes_that_no_fold_knows():
    X, y = table()
    folds = [(np.flatnonzero(y != 1), np.flatnonzero(y == 1)[:4])]
    wanted = [Candidate("linear", "ridge", 2, 0.5)]
    held_out = HeldOut(path_over(X, y, None, folds, wanted))
    held_out.add(wanted)
    held_out.add([])  # nothing that was not fitted before
    assert list(held_out.scores) == wanted
    (scores,) = held_out.scores[wanted[0]]
    assert (scores[folds[0][1], 1] == -np.inf).all()
    assert np.isfinite(scores[folds[0][1]][:, [0, 2]]).all()
    assert np.isnan(np.delete(scores, folds[0][1], axis=0)).all()


def test_table_of_results():
    X, y = table(noise=2.0)
    model = fitted(X, y, rounds=2, terms="linear", penalty=0.5, reads="all")
    scores = model.held_out_scores_
    results = model.cv_results_
    assert list(results) == ["reads", "terms", "regression", "rounds", "penalty", "loss", "error", "gap_error"]
    chosen = tuple(results[name].tolist() for name in ("terms", "regression", "rounds", "penalty"))
    assert chosen == (["linear"], ["ridge"], [2], [0.5])
    assert results["error"] == pytest.approx(np.mean(scores.argmax(axis=1) != y))
    own = oracle.probabilities(scores, model.temperature_)[np.arange(y.size), y]
    assert results["loss"] == pytest.approx(np.mean([-np.log(own[y == j]).mean() for j in range(3)]))


def test_every_candidate_is_in_the_table_and_the_choice_among_them():
    X, y = table()
    for rule in ("min", "1se"):
        model = fitted(X, y, rule=rule)
        told = ("reads", "terms", "regression", "rounds", "penalty")
        rows = list(zip(*(model.cv_results_[name].tolist() for name in told), strict=True))
        assert len(rows) == len(set(rows)) == 2 * len(all_candidates(most_rounds=8)) > 6
        assert (model.reads_, model.terms_, model.regression_, model.rounds_, model.penalty_) in rows


@pytest.mark.parametrize("seed", range(2))
def test_one_standard_error_means_no_more_rounds(seed):
    X, y = table(sizes=(20, 20, 20), n_features=60, seed=seed, noise=2.0)
    least, few = (fitted(X, y, terms="linear", rule=rule) for rule in ("min", "1se"))
    assert few.rounds_ <= least.rounds_
    losses = dict(zip(few.cv_results_["rounds"], few.cv_results_["loss"], strict=True))
    assert losses[few.rounds_] <= losses[least.rounds_] + 0.1


class Told:
    """Scores of candidates as if they had been held out: noise, and the truth as loud as is said for each.

    Those of which something is said have noise of their own, all the same. It notes what it is asked for.
    ``n_samples`` is the number by which fits count as long.
    """

    def __init__(self, y, right=None, fill=None, n_samples=None):
        rng = np.random.default_rng(0)
        self.noise, self.other_noise = rng.normal(size=(2, y.size, 3))
        self.truth = (y[:, None] == np.arange(3)).astype(float)
        self.right, self.fill = {} if right is None else right, fill
        self.scores, self.asked = {}, []
        division = SimpleNamespace(balance=np.ones(3), codes=np.empty(n_samples or y.size))
        self.path = SimpleNamespace(parts=SimpleNamespace(division=division))

    def add(self, wanted, tick=None):
        self.asked.append(list(wanted))
        for candidate in wanted:
            told = self.noise + self.truth
            if candidate in self.right:
                told = self.other_noise + self.right[candidate] * self.truth
            self.scores[candidate] = (told if self.fill is None else np.full_like(told, self.fill))[None]


def chosen(y, wanted, told, rule="min", *, wide=False):
    samples = Samples(y, np.ones(y.size), 3)
    return choose(Judged(samples, told), told, wanted, rule, wide=wide)


@pytest.mark.parametrize("rule", ["min", "1se"])
@pytest.mark.parametrize("wide", [False, True])
def test_clear_evidence_decides(rule, wide):
    """Whatever the default is: a candidate that is right nearly always is chosen among those that often are not."""
    y = np.arange(90) % 3
    wanted = all_candidates(wide=wide, most_rounds=20)
    for best in wanted[:: 3 if wide else 11]:
        assert chosen(y, wanted, Told(y, {best: 20.0}), rule, wide=wide) == best


def test_logistic_regression_is_tried_at_the_rounds_of_the_best_so_far():
    y = np.arange(90) % 3
    wanted = all_candidates(1000, most_rounds=20)
    best = next(c for c in wanted if c.family == RIDGE and c.rounds == 8)
    told = Told(y, {best: 20.0})
    assert chosen(y, wanted, told) == best
    tried = [c for c in told.scores if c.family == LOGISTIC]
    assert [(c.rounds, c.penalty) for c in tried] == [(8, penalty) for penalty in candidates.PENALTIES[LOGISTIC]]
    right = {best: 4.0, tried[1]: 20.0}
    assert chosen(y, wanted, Told(y, right)) == tried[1]


def test_one_standard_error_compares_other_rounds_of_a_family_that_was_tried_at_one_number_only():
    y = np.arange(90) % 3
    wanted = all_candidates(1000, most_rounds=20)
    line = [c for c in wanted if c.family == LOGISTIC and c.penalty == candidates.PENALTIES[LOGISTIC][0]]
    best = next(c for c in line if c.rounds == 17)
    right = {c: 20.5 if c.rounds >= 8 else 1.0 for c in line} | {best: 20.0}
    right[next(c for c in wanted if c.family == RIDGE and c.rounds == 17)] = 4.0
    for rule, rounds in (("min", 17), ("1se", 8)):
        assert chosen(y, wanted, Told(y, right), rule) == next(c for c in line if c.rounds == rounds)


@pytest.mark.parametrize("fill", [None, np.nan, -np.inf])
@pytest.mark.parametrize("rule", ["min", "1se"])
def test_without_evidence_terms_are_linear_and_fitted_by_ridge_regression(rule, fill):
    """All candidates alike, or nothing held out at all."""
    y = np.arange(30) % 3
    found = chosen(y, all_candidates(1000), Told(y, fill=fill), rule)
    assert found.family == RIDGE
    if fill is not None:
        assert (found.rounds, found.penalty) == (40, candidates.PENALTIES[RIDGE][0])


def test_in_a_wide_table_the_default_is_kept_unless_it_is_beaten_by_four_standard_errors():
    y = np.arange(90) % 3
    wanted = all_candidates(most_rounds=50, wide=True)
    default = wanted[[c.rounds for c in wanted].index(50)]
    better = next(c for c in wanted if c.family == RIDGE and c.rounds == 10)
    for right, expected in ((1.1, default), (20.0, better)):
        assert chosen(y, wanted, Told(y, {better: right}), wide=True) == expected
        assert chosen(y, wanted, Told(y, {better: right}), wide=False) == better


def test_logistic_regression_needs_the_lower_loss_and_other_terms_need_it_by_four_standard_errors():
    """Families are tried one after another."""
    y = np.arange(90) % 3
    wanted = all_candidates(1000, most_rounds=20)
    for name, expected in ((LOGISTIC, LOGISTIC), (("squared", "logistic"), RIDGE), (("both", "logistic"), RIDGE)):
        told = Told(y, {c: 1.1 for c in wanted if c.family == name})
        assert chosen(y, wanted, told).family == expected
        assert [{c.family for c in asked} for asked in told.asked] == [{one} for one in FAMILIES]
        samples = Samples(y, np.ones(90), 3)
        better = next(c for c in told.scores if c.family == name)
        judged = Judged(samples, told)
        assert judged.gap(better, wanted[0]) < 0
        assert not judged.beats(better, wanted[0])


def test_where_fits_take_long_squared_terms_are_tried_in_short_panels_first():
    """Beside linear ones of the same length; and not at all in long ones if they are not better there."""
    y = np.arange(90) % 3
    wanted, much = all_candidates(10**6), 10**6
    told = Told(y, n_samples=much)
    assert chosen(y, wanted, told).terms == "linear"
    squared = {c.rounds for c in told.scores if c.terms != "linear"}
    assert squared == {5}
    assert {c.rounds for c in told.scores if c.family == LOGISTIC} >= {5}
    # Better in short panels: they are tried at the rounds of the best so far, too.
    right = {c: 20.0 for c in wanted if c.terms == "both"}
    told = Told(y, right, n_samples=much)
    best = chosen(y, wanted, told)
    assert best.terms == "both"
    linear = max(c.rounds for c in told.scores if c.family == RIDGE)
    assert {c.rounds for c in told.scores if c.terms == "both"} <= {5, best.rounds}
    assert best.rounds <= linear


def test_losses_are_computed_when_they_are_asked_for():
    """A candidate that comes later is judged beside those before."""
    y = np.arange(90) % 3
    one, other = all_candidates()[:2]
    told = Told(y, {other: 20.0})
    judged = Judged(Samples(y, np.ones(90), 3), told)
    told.add([one])
    assert judged.results()["rounds"].tolist() == [one.rounds]
    told.add([other])
    assert judged.results()["rounds"].tolist() == [one.rounds, other.rounds]
    assert judged.beats(other, one)
    assert not judged.beats(one, other)
    assert judged.gap(one, other) == -judged.gap(other, one)
    assert judged.best([one, other]) == other


def test_standard_error_of_a_gap():
    """By its definition, with weights, every class counting alike."""
    y = np.repeat([0, 1, 2], [40, 30, 20])
    weights = np.random.default_rng(1).integers(1, 4, size=90).astype(float)
    one, other = all_candidates()[:2]
    told = Told(y, {other: 1.5})
    told.add([one, other])
    judged = Judged(Samples(y, weights, 3), told)
    losses = []
    for candidate in (one, other):
        (scores,) = told.scores[candidate]
        factor, offsets = oracle.calibration(scores, y, weights)
        losses.append(-np.log(oracle.probabilities(scores + offsets, factor)[np.arange(90), y]))
    gaps = losses[0] - losses[1]
    shares = weights / np.array([weights[y == j].sum() for j in range(3)])[y] / 3
    assert judged.gap(one, other) == pytest.approx(shares @ gaps, rel=1e-4)
    error = np.sqrt(np.sum(shares**2 / weights * (gaps - shares @ gaps) ** 2))
    assert judged.uncertainty(one, other) == pytest.approx(error, rel=1e-4)


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


def test_folds_decide_who_reads():
    """Classes that differ on features of their own only: reading these alone has fewer coefficients, and less noise."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 4
    X = rng.normal(size=(300, 40))
    for j in range(4):
        X[y == j, 10 * j : 10 * j + 10] += 0.3
    both = {reads: fitted(X, y, terms="linear", reads=reads) for reads in ("all", "own")}
    losses = {reads: model.cv_results_["loss"].min() for reads, model in both.items()}
    model = fitted(X, y, terms="linear")
    assert model.reads_ == min(losses, key=losses.get) == "own"
    # Both ways are among the results, each as it is found by itself; the table of rounds has the chosen one.
    results = pd.DataFrame(model.cv_results_)
    for reads, alone in both.items():
        found = results[results["reads"] == reads]
        np.testing.assert_array_equal(found["loss"], alone.cv_results_["loss"])
        assert found["gap_error"].isna().all() == (reads == "all")
    assert len(model.rounds_table()) == (results["reads"] == "own").sum() < len(results)
    assert reading_by_folds(model) and rounds_choice(model).by_folds and not reading_by_folds(both["own"])
    # With many classes, and in wide tables, all panels are read, and nothing else is tried.
    wide = np.hstack([X, rng.normal(size=(300, 200))])
    only = fitted(wide, y, terms="linear")
    assert only.reads_ == "all" and set(only.cv_results_["reads"]) == {"all"} and not reading_by_folds(only)


@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1e-3, 1.0, 1e3]))
def test_calibration_is_the_same_wherever_the_search_begins(seed, scale):
    rng = np.random.default_rng(seed)
    codes = np.repeat([0, 1, 2], [20, 8, 5])
    scores = scale * (rng.normal(size=(33, 3)) + 2.0 * (codes[:, None] == np.arange(3)))
    args = scores, codes, np.ones(33), None
    plain = fit_calibration(*args)
    for start in (
        Calibration(1e-4 / scale, np.zeros(3)),
        Calibration(50.0 / scale, scale * np.array([3.0, -2.0, -1.0])),
    ):
        found = fit_calibration(*args, start)
        assert found.temperature == pytest.approx(plain.temperature, rel=1e-7)
        np.testing.assert_allclose(found.offsets, plain.offsets, atol=1e-6 * scale)
