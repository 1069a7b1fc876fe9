"""One sentence says why a panel has as many features per class as it has."""

import copy

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.panels.chosen import rounds_choice


def table(n=40, p=120, informative=4, shift=0.4):
    y = np.arange(n) % 2
    X = np.random.default_rng(0).normal(size=(n, p))
    X[:, :informative] += shift * (2 * y - 1)[:, None]
    return X, y


def fitted(given=None, **parameters):
    return DisjointPanelClassifier(**{"terms": "linear", "cv": 3, "random_state": 0} | parameters).fit(
        *table(**given or {})
    )


@pytest.fixture(scope="module")
def default():
    return fitted()


def losses(model):
    """Held-out loss by rounds, of the candidates with the chosen penalty."""
    columns = [model.cv_results_[name].tolist() for name in ("rounds", "penalty", "loss")]
    return {rounds: loss for rounds, penalty, loss in zip(*columns, strict=True) if penalty == model.penalty_}


def test_the_default_is_kept_and_what_did_as_well_is_named(default):
    loss = losses(default)
    assert default.rounds_ == 50
    fewest = min(rounds for rounds in loss if loss[rounds] <= loss[50])
    assert fewest < 50
    choice = rounds_choice(default)
    assert choice.sentence == f"50 features per class, the default number; {fewest} had no higher held-out loss"
    assert (choice.fewer, choice.mark, choice.by_folds) == (fewest, "default", False)
    # The advice leads to what it promises: no more features than those that did as well.
    frugal = fitted(rule="1se")
    assert frugal.rounds_ <= fewest
    words = "the fewest that do as well within one standard error (rule='1se')"
    assert rounds_choice(frugal).sentence == f"{frugal.rounds_} features per class, {words}"
    assert rounds_choice(frugal).by_folds


def test_the_default_is_kept_and_more_rounds_had_a_lower_loss(default):
    longer = copy.deepcopy(default)  # none is tried by itself
    results = longer.cv_results_
    results["loss"][results["rounds"] < 50] = 2.0
    results["loss"][results["rounds"] == 30], results["rounds"][results["rounds"] == 30] = 0.0, 60
    assert (longer.rounds_, rounds_choice(longer).lowest) == (50, 60)
    assert rounds_choice(longer).sentence == (
        "50 features per class, the default number; 60 had a lower held-out loss, but not by four standard errors"
    )
    lowest = copy.deepcopy(default)
    lowest.cv_results_["loss"][lowest.cv_results_["rounds"] == 50] = 0.0
    assert rounds_choice(lowest).sentence == (
        "50 features per class, the default number, and no other had a lower held-out loss"
    )


def test_another_number_that_is_better_by_four_standard_errors():
    model = fitted({"shift": 0.8, "n": 80, "p": 300})
    choice = rounds_choice(model)
    assert model.rounds_ < 50
    assert choice.sentence.endswith("features per class, better than the default of 50 by four standard errors")
    assert choice.by_folds


def test_the_least_loss_in_a_narrow_table():
    model = fitted({"p": 30})
    loss = losses(model)
    assert model.rounds_ == min(loss, key=loss.get)
    assert rounds_choice(model).sentence == (
        f"{model.rounds_} features per class, the number with the least held-out loss"
    )


def test_numbers_that_nothing_was_chosen_for():
    assert rounds_choice(fitted(rounds=3)).sentence == "3 features per class, as asked for"
    assert not rounds_choice(fitted(rounds=3)).by_folds
    bound = fitted(rounds=2, max_features=3)
    assert rounds_choice(bound).sentence == "up to 2 features per class, as asked for"
    long = fitted({"p": 6}, rounds=500)
    assert rounds_choice(long).sentence == "3 features per class, as many as there are to pick; 500 were asked for"
    assert rounds_choice(fitted({"p": 2, "informative": 2})).sentence == (
        "1 feature per class, the only number that the table leaves room for"
    )
    alone = DisjointPanelClassifier(random_state=0).fit(*table(n=2))
    assert rounds_choice(alone).sentence == (
        "50 features per class; no sample could be held out to compare other numbers by"
    )


@pytest.mark.parametrize("bound", [{"max_features_per_class": 4}, {"max_features": 8}], ids=str)
def test_a_bound_that_is_reached(bound):
    model = fitted({"informative": 120, "shift": 0.3}, **bound)
    assert model.rounds_ == 4
    choice = rounds_choice(model)
    assert choice.sentence.startswith("4 features per class, the most allowed")
    assert (choice.mark, choice.by_folds) == ("the most allowed", False)


@pytest.mark.parametrize("bound", [{"max_features_per_class": 20}, {"max_features": 40}], ids=str)
def test_a_bound_is_kept_though_fewer_did_as_well(bound):
    model = fitted(**bound)
    loss = losses(model)
    fewest = min(rounds for rounds in loss if loss[rounds] <= loss[20])
    assert fewest < model.rounds_ == 20
    assert rounds_choice(model).sentence == (
        f"20 features per class, the most allowed; {fewest} had no higher held-out loss"
    )


def test_fewer_than_a_bound_allows_are_better_by_four_standard_errors():
    model = fitted({"n": 60, "informative": 3, "shift": 0.8}, max_features=80)
    assert model.rounds_ < 40
    choice = rounds_choice(model)
    assert choice.sentence.endswith("features per class, better than the most allowed by four standard errors")
    assert choice.by_folds


@pytest.mark.parametrize("bound", [{"max_features_per_class": 1}, {"max_features": 2}], ids=str)
def test_a_bound_that_leaves_one_number_compares_nothing(bound):
    assert rounds_choice(fitted(**bound)).sentence == "1 feature per class, the most allowed"


def test_a_narrow_table_takes_the_least_loss_within_a_bound():
    model = fitted({"p": 30}, max_features_per_class=5)
    loss = losses(model)
    assert model.rounds_ == min(loss, key=loss.get)
    assert rounds_choice(model).sentence.endswith(", the number with the least held-out loss")
    assert rounds_choice(model).by_folds


def test_a_budget_ends_the_draft_before_the_default_number():
    model = fitted(feature_costs=np.ones(120), budget=24)
    loss = losses(model)
    assert ([len(panel) for panel in model.feature_sets_], model.rounds_) == ([12, 12], 50)
    fewest = min(rounds for rounds in loss if loss[rounds] <= loss[50])
    assert fewest < 12
    choice = rounds_choice(model)
    assert choice.sentence == (
        f"12 features per class, as many as the budget allows; {fewest} had no higher held-out loss"
    )
    assert choice.mark == "as many as the budget allows"
    dear = copy.deepcopy(model)  # fewer rounds that the budget makes no smaller panels of are no advice
    dear.cv_results_["loss"] = np.where(dear.cv_results_["rounds"] < 12, 1.0, 0.5)
    assert rounds_choice(dear).sentence == (
        "12 features per class, as many as the budget allows, and no other had a lower held-out loss"
    )
    dear.cv_results_["loss"][dear.cv_results_["rounds"] == 14] = 0.4
    assert rounds_choice(dear).sentence == "12 features per class, as many as the budget allows"


def test_kinds_of_terms(default):
    assert rounds_choice(default).terms == "linear terms, as asked for"
    X, y = table(p=6)
    assert rounds_choice(DisjointPanelClassifier(cv=3, random_state=0).fit(X, y)).terms == "linear terms, the default"
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 6)) * np.where(y, 1.0, 0.2)[:, None]  # one class is tighter, and lies nowhere else
    model = DisjointPanelClassifier(cv=3, random_state=0).fit(X, y)
    assert model.terms_ != "linear"
    choice = rounds_choice(model)
    assert choice.terms.endswith("terms, better than linear ones by four standard errors")
    assert choice.by_folds


def test_with_many_samples_the_other_rule_compares_other_rounds_of_logistic_regression():
    """With rule="min" it is tried at one number only, and nothing is said of the other rule."""
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2
    X = (rng.normal(size=(600, 24)) + 2.0 * y[:, None] * (np.arange(24) < 8)) * np.exp(rng.normal(size=(600, 1)))
    least, few = (
        DisjointPanelClassifier(terms="linear", reads="all", cv=3, random_state=0, rule=rule).fit(X, y)
        for rule in ("min", "1se")
    )
    assert least.regression_ == few.regression_ == "logistic"
    assert few.rounds_ < least.rounds_
    assert rounds_choice(least).other is None
    other = rounds_choice(few).other
    assert (other.rule, other.rounds) == ("min", least.rounds_)


def test_the_table_of_rounds_has_one_line_per_kind_of_terms_and_penalty():
    X, y = load_breast_cancer(return_X_y=True)
    model = DisjointPanelClassifier(rounds=5, terms="linear", penalty=0.5, random_state=0).fit(X, y)
    rows = [
        ("linear", "ridge", 2, 0.5, 0.2, 0.4),
        ("linear", "ridge", 5, 0.5, 0.3, 0.2),
        ("linear", "logistic", 5, 0.5, 0.4, 0.2),
        ("both", "logistic", 5, 0.5, 0.5, 0.1),
        ("both", "logistic", 2, 0.5, 0.8, 0.3),
        ("both", "logistic", 2, 0.005, 0.7, 0.3),
    ]
    names = ("terms", "regression", "rounds", "penalty", "loss", "error")
    columns = zip(names, zip(*rows, strict=True), strict=True)
    model.cv_results_ = {name: np.array(column) for name, column in columns}
    model.rounds_, model.regression_ = 5, "ridge"
    table = model.rounds_table()
    assert table[["line", "rounds", "loss", "mark"]].to_numpy().tolist() == [
        ["linear terms", 2, 0.2, "as well or better"],
        ["linear terms", 5, 0.3, "as asked for"],
        ["linear terms, logistic", 5, 0.4, ""],
        ["both kinds of terms, penalty 0.5", 2, 0.8, ""],
        ["both kinds of terms, penalty 0.5", 5, 0.5, ""],
        ["both kinds of terms, penalty 0.005", 2, 0.7, ""],
    ]
    assert table["chosen"].tolist() == [False, True, False, False, False, False]
