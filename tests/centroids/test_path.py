"""The path over lambdas, and the classifier that chooses among them by cross-validation."""

import dataclasses

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, log_loss, make_scorer
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, StratifiedGroupKFold, StratifiedKFold

from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV, disjoint_centroid_path
from disjoint_centroids.centroids.path import DisjointCentroidPath, choose_lam
from disjoint_centroids.centroids.search import KINDS
from disjoint_centroids.rows.folds import inner_folds
from labelled import QUICK, assert_same_model, pandas_frame, polars_frame, table

pytestmark = pytest.mark.filterwarnings("error")

LAMS = [0.7, 1.0, 1.5, np.inf]
"""Lambdas at which every class of every training part keeps a feature: nothing is repaired on the way."""


def path(X, y, **parameters):
    return disjoint_centroid_path(X, y, **(QUICK | parameters))


def cross_validated(X, y, fit_parameters=None, **parameters):
    model = NearestDisjointCentroidCV(**(QUICK | {"lams": LAMS, "cv": StratifiedKFold(3)} | parameters))
    return model.fit(X, y, **(fit_parameters or {}))


def at(lam, X, y, sample_weight=None, **parameters):
    return NearestDisjointCentroid(**(QUICK | {"lam": lam} | parameters)).fit(X, y, sample_weight)


# ---------------------------------------------------------------------------------------------------- the path


def test_one_named_result():
    X, y = table()
    found = path(X, y, lams=LAMS)
    assert isinstance(found, DisjointCentroidPath)
    names = [field.name for field in dataclasses.fields(found)]
    assert names == ["lams", "owners", "n_selected", "train_error", "risk", "n_restarts"]
    assert found.owners.shape == (4, 24)
    for name in ("lams", "n_selected", "train_error", "risk", "n_restarts"):
        assert getattr(found, name).shape == (4,), name
    np.testing.assert_array_equal(found.n_selected, (found.owners != -1).sum(axis=1))
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.lams = None


def test_lambdas_are_sorted_and_counted_once():
    X, y = table()
    found = path(X, y, lams=[np.inf, 1.0, 1.5, 0.7, 1.0])
    np.testing.assert_array_equal(found.lams, LAMS)
    np.testing.assert_array_equal(found.owners, path(X, y, lams=LAMS).owners)


@pytest.mark.parametrize("lams", [tuple(LAMS), np.array(LAMS), [1], [np.float32(0.7)]], ids=str)
def test_lambdas_in_any_container(lams):
    X, y = table()
    np.testing.assert_allclose(path(X, y, lams=lams).lams, lams)


@pytest.mark.parametrize("lams", [LAMS, "auto"], ids=["given", "auto"])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"init": "random"},
        {"init": "k-means++"},
        {"init": "variance"},
        {"init": (np.arange(96).reshape(4, 24) * 7 % 4) - 1},
        {"criterion": "risk"},
        {"norm": "euclidean"},
        {"shared_features": [2, 5]},
        {"n_jobs": 2},
    ],
    ids=lambda p: ", ".join(p) or "default",
)
def test_path_is_the_classifier_at_every_lambda(parameters, lams):
    X, y = table(seed=4)
    found = path(X, y, lams=lams, n_lams=4, **parameters)
    for i, lam in enumerate(found.lams):
        if found.n_restarts[i] == 0:  # the classifier refuses such a lambda
            continue
        model = at(lam, X, y, **parameters)
        np.testing.assert_array_equal(found.owners[i], model.owner_, err_msg=f"lambda {lam}")
        assert found.n_restarts[i] == model.n_restarts_used_
        assert found.risk[i] == pytest.approx(model.risk_)
        assert found.train_error[i] == pytest.approx(model.train_error_)
    assert (found.n_restarts > 0).sum() >= 3


def test_weights_on_a_path():
    X, y = table()
    weights = np.random.default_rng(0).integers(0, 3, size=y.size)
    again = np.repeat(np.arange(y.size), weights)
    found = path(X, y, lams=LAMS, sample_weight=weights)
    expected = path(X[again], y[again], lams=LAMS)
    np.testing.assert_array_equal(found.owners, expected.owners)
    np.testing.assert_allclose(found.risk, expected.risk)
    np.testing.assert_allclose(found.train_error, expected.train_error)


TABLES = {
    "three classes": lambda: table(),
    "two classes": lambda: table((9, 8), 40, seed=1),
    "five classes": lambda: table((6, 5, 7, 6, 8), 50, seed=2),
    "unbalanced": lambda: table((25, 5, 3), 40, seed=3),
    "more samples than features": lambda: table((40, 50), 15, seed=4),
    "large numbers": lambda: (1e4 * table(seed=5)[0] + 1e6, table(seed=5)[1]),
}


@pytest.mark.parametrize("init", ["k-means", "k-means++"])
@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_automatic_grid_spans_what_matters(make, init):
    X, y = make()
    found = path(X, y, n_lams=7, n_init=12, init=init)
    n_classes, n_features = np.unique(y).size, X.shape[1]
    assert found.lams.shape == (7,)
    steps = np.diff(np.log(found.lams))
    np.testing.assert_allclose(steps, steps[0])  # log-spaced
    assert steps[0] > 0
    # The small end: every class keeps a feature, and few more are kept.
    assert found.n_restarts[0] > 0
    assert np.isin(np.arange(n_classes), found.owners[0]).all()
    assert found.n_selected[0] < n_features / 2
    # The large end: everything, or nearly. A start whose I_0 is one feature keeps it there at every finite lambda (it
    # is its own centre), so the best restart may still drop a few.
    assert found.n_selected[-1] >= n_features - n_classes
    # And in between there is something to choose from.
    assert np.unique(found.n_selected).size >= 4


def test_automatic_grid_does_not_depend_on_the_unit_of_measurement():
    X, y = table()
    np.testing.assert_allclose(path(1000 * X, y, n_lams=5).lams, path(X, y, n_lams=5).lams)


@pytest.mark.parametrize("n_lams", [1, 2, 9])
def test_length_of_the_automatic_grid(n_lams):
    X, y = table()
    assert path(X, y, n_lams=n_lams).lams.shape == (n_lams,)


def test_lambda_too_small_is_told_by_its_restarts():
    """On a path a lambda at which no restart counts is repaired, and says so; the others are not disturbed."""
    X, y = table()
    found = path(X, y, lams=[1e-3, *LAMS])
    assert found.n_restarts[0] == 0
    assert (found.n_restarts[1:] > 0).all()
    np.testing.assert_array_equal(found.owners[1:], path(X, y, lams=LAMS).owners)


@pytest.mark.parametrize("frame", [pandas_frame, polars_frame, np.ndarray.tolist])
def test_path_of_any_table(frame):
    X, y = table()
    found = path(frame(X), y, lams=LAMS)
    np.testing.assert_array_equal(found.owners, path(X, y, lams=LAMS).owners)


def test_path_with_names_and_strings():
    X, y = table()
    found = path(pandas_frame(X), np.array(["p", "q", "r"])[y], lams=LAMS, shared_features=["gene 24"])
    assert (found.owners[:, 0] == -2).all()


# ---------------------------------------------------------------------------------------------------- the rules

#                 fold errors      features
HAND_MADE = {
    "the lowest error": ([[0.2, 0.2], [0.1, 0.1], [0.3, 0.3]], [3, 6, 9], "min", 1),
    "a tie goes to the fewest features": ([[0.1, 0.1], [0.1, 0.1], [0.3, 0.3]], [6, 3, 9], "min", 1),
    "a tie of means, not of folds": ([[0.0, 0.2], [0.2, 0.0], [0.3, 0.3]], [6, 3, 9], "min", 1),
    "a tie but for rounding": ([[0.1, 0.2], [0.3 - 1e-17, 0.0], [0.15 + 1e-16, 0.15]], [6, 5, 4], "min", 2),
    "a tie in features too: the smaller lambda": ([[0.1, 0.1], [0.1, 0.1]], [3, 3], "min", 0),
    "more features do not matter if the error is lower": ([[0.2, 0.2], [0.1, 0.1]], [1, 99], "min", 1),
    # Mean 0.2, standard deviation 0.1 * sqrt(2), standard error 0.1: up to 0.3 is as good.
    "within one standard error": ([[0.3, 0.3], [0.1, 0.3], [0.2, 0.9]], [2, 6, 9], "1se", 0),
    "just outside one standard error": ([[0.3, 0.301], [0.1, 0.3], [0.2, 0.9]], [2, 6, 9], "1se", 1),
    "the standard error is that of the lowest": ([[0.0, 0.8], [0.2, 0.2]], [2, 6], "1se", 1),
    "the fewest features, wherever they are": ([[0.1, 0.3], [0.25, 0.25], [0.21, 0.21]], [6, 5, 4], "1se", 2),
    "as few features: the lower error": ([[0.29, 0.29], [0.1, 0.3], [0.22, 0.22]], [4, 6, 4], "1se", 2),
    "one fold has no standard error": ([[0.2], [0.1]], [1, 2], "1se", 1),
    "one fold, a tie": ([[0.1], [0.1]], [2, 1], "1se", 1),
    "min is not 1se": ([[0.3, 0.3], [0.1, 0.3], [0.2, 0.9]], [2, 6, 9], "min", 1),
    "negative, as one minus a score can be": ([[-3.0, -3.0], [-4.0, -4.0]], [1, 2], "min", 1),
}


@pytest.mark.parametrize(("errors", "n_selected", "rule", "expected"), HAND_MADE.values(), ids=HAND_MADE)
def test_choice_of_lambda(errors, n_selected, rule, expected):
    assert choose_lam(np.array(errors), np.array(n_selected), rule) == expected


@pytest.mark.parametrize("rule", ["min", "1se"])
def test_the_rule_is_applied(rule):
    X, y = table(noise=2.0, seed=2)
    model = cross_validated(X, y, lams="auto", n_lams=8, rule=rule, n_init=4)
    assert model.lam_ == model.lams_[choose_lam(model.cv_errors_, model.n_selected_, rule)]


def test_one_standard_error_never_takes_more_features():
    fewer = 0
    for seed in range(4):
        X, y = table(noise=2.0, seed=seed)
        lowest, sparse = (cross_validated(X, y, lams="auto", n_lams=8, n_init=4, rule=r) for r in ("min", "1se"))
        np.testing.assert_array_equal(lowest.cv_errors_, sparse.cv_errors_)
        assert sparse.get_support().sum() <= lowest.get_support().sum()
        fewer += sparse.get_support().sum() < lowest.get_support().sum()
    assert fewer > 0


# ---------------------------------------------------------------------------------------------------- the estimator


def test_attributes():
    X, y = table()
    model = cross_validated(X, y, lams="auto", n_lams=5, cv=4)
    assert model.lams_.shape == model.n_selected_.shape == (5,)
    assert model.cv_errors_.shape == (5, 4)
    assert isinstance(model.lam_, float)
    assert model.lam_ in model.lams_
    assert isinstance(model.path_, DisjointCentroidPath)
    np.testing.assert_array_equal(model.path_.lams, model.lams_)
    np.testing.assert_array_equal(model.path_.n_selected, model.n_selected_)
    assert ((model.cv_errors_ >= 0) & (model.cv_errors_ <= 1)).all()


def test_fitted_model_is_the_classifier_at_the_chosen_lambda():
    X, y = table()
    model = cross_validated(X, y)
    # Probabilities are more cautious: lambda was chosen by the samples that they are fitted to.
    assert_same_model(model, at(model.lam_, X, y), probabilities=False)
    np.testing.assert_array_equal(model.owner_, model.path_.owners[list(model.lams_).index(model.lam_)])
    np.testing.assert_array_equal(model.decision_function(X), at(model.lam_, X, y).decision_function(X))
    assert model.train_error_ == pytest.approx(1 - model.score(X, y))
    assert model.risk(X, y) == pytest.approx(model.risk_)


def test_automatic_grid_and_path_are_the_functions():
    X, y = table()
    model = cross_validated(X, y, lams="auto", n_lams=5)
    expected = path(X, y, n_lams=5)
    for field in dataclasses.fields(expected):
        np.testing.assert_array_equal(getattr(model.path_, field.name), getattr(expected, field.name))


def by_hand(X, y, folds, lams, score=None, sample_weight=None, **parameters):
    """Held-out errors from the public classifier, fitted anew at every lambda on every training part."""
    weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, float)
    errors = np.empty((len(lams), len(folds)))
    for column, (train, test) in enumerate(folds):
        for row, lam in enumerate(lams):
            model = at(lam, X[train], y[train], None if sample_weight is None else weights[train], **parameters)
            if score is None:
                errors[row, column] = 1 - model.score(X[test], y[test], weights[test])
            else:
                errors[row, column] = 1 - score(model, X[test], y[test])
    return errors


HELD_OUT = {
    "default": {},
    "random starts": {"init": "random"},
    "spread starts": {"init": "k-means++"},
    "variance starts": {"init": "variance"},
    "given starts": {"init": np.random.default_rng(0).integers(-1, 3, size=(5, 24))},
    "by risk": {"criterion": "risk"},
    "euclidean": {"norm": "euclidean"},
    "shared features": {"shared_features": [2, 5]},
    "priors": {"priors": [8, 1, 1]},
    "two threads": {"n_jobs": 2},
}


@pytest.mark.parametrize("shape", [((12, 9, 10), 24), ((40, 30, 35), 24)], ids=["few samples", "many samples"])
@pytest.mark.parametrize("parameters", HELD_OUT.values(), ids=HELD_OUT)
def test_held_out_errors_are_those_of_the_classifier_on_each_training_part(parameters, shape):
    """Folds share the Gram matrices of the whole table: what comes out must be as if they did not."""
    X, y = table(*shape, seed=6, noise=1.5)
    model = cross_validated(X, y, **parameters)
    folds = list(StratifiedKFold(3).split(X, y))
    np.testing.assert_allclose(model.cv_errors_, by_hand(X, y, folds, LAMS, **parameters), atol=1e-12)


def test_shared_features_from_the_whole_table_also_judge_the_folds():
    """What is shared does not change from fold to fold, as it would if every fold selected for itself."""
    X, y = table(noise=1.5)
    by_index = cross_validated(X, y, shared_features=[2, 5])
    by_mask = cross_validated(X, y, shared_features=np.isin(np.arange(24), [2, 5]))
    np.testing.assert_array_equal(by_index.cv_errors_, by_mask.cv_errors_)


# ---------------------------------------------------------------------------------------------------- scoring


@pytest.mark.parametrize("parameters", HELD_OUT.values(), ids=HELD_OUT)
def test_accuracy_is_the_default(parameters):
    X, y = table(noise=1.5, seed=6)
    model = cross_validated(X, y, scoring="accuracy", **parameters)
    expected = cross_validated(X, y, **parameters)
    np.testing.assert_allclose(model.cv_errors_, expected.cv_errors_, atol=1e-12)
    assert model.lam_ == expected.lam_


SCORES = {
    "balanced_accuracy": lambda m, X, y: balanced_accuracy_score(y, m.predict(X)),
    "neg_log_loss": lambda m, X, y: -log_loss(y, m.predict_proba(X)),
}


@pytest.mark.parametrize("scoring", SCORES)
@pytest.mark.parametrize("names", [True, False], ids=["named classes", "numbered classes"])
def test_other_scores(scoring, names):
    X, y = table(noise=1.5, seed=6)
    y = np.array(["p", "q", "r"])[y] if names else y
    model = cross_validated(X, y, scoring=scoring)
    folds = list(StratifiedKFold(3).split(X, y))
    np.testing.assert_allclose(model.cv_errors_, by_hand(X, y, folds, LAMS, SCORES[scoring]), rtol=1e-6)
    best = model.cv_errors_.mean(axis=1).min()
    assert model.cv_errors_[list(model.lams_).index(model.lam_)].mean() == pytest.approx(best)


def test_a_score_of_the_users_own():
    X, y = table()
    found = cross_validated(X, y, scoring=make_scorer(lambda y_true, y_pred: 1 - np.mean(y_true != y_pred)))
    np.testing.assert_allclose(found.cv_errors_, cross_validated(X, y).cv_errors_, atol=1e-12)


def test_scores_work_on_a_frame():
    X, y = table()
    found = cross_validated(pandas_frame(X), y, scoring="balanced_accuracy", shared_features=["gene 24"])
    expected = cross_validated(X, y, scoring="balanced_accuracy", shared_features=[0])
    np.testing.assert_array_equal(found.cv_errors_, expected.cv_errors_)


# ---------------------------------------------------------------------------------------------------- splitters


def mixed_groups(y, n_groups=6):
    """Groups that contain samples of several classes each."""
    return np.random.default_rng(1).permutation(np.arange(y.size) % n_groups)


SPLITTERS = {
    "GroupKFold": GroupKFold(3),
    "StratifiedGroupKFold": StratifiedGroupKFold(3),
    "ShuffleSplit": ShuffleSplit(4, test_size=0.3, random_state=0),
    "mostly held out": ShuffleSplit(2, test_size=0.6, random_state=0),
    "shuffled folds": StratifiedKFold(3, shuffle=True, random_state=1),
}


@pytest.mark.parametrize("kind", SPLITTERS)
def test_any_splitter(kind):
    X, y = table(seed=6, noise=1.5)
    splitter = SPLITTERS[kind]
    groups = mixed_groups(y) if "Group" in kind else None  # others warn that they ignore them
    model = cross_validated(X, y, {"groups": groups}, cv=splitter)
    folds = list(splitter.split(X, y, groups))
    np.testing.assert_allclose(model.cv_errors_, by_hand(X, y, folds, LAMS), atol=1e-12)


@pytest.mark.parametrize(("sizes", "n_folds"), [((12, 9, 10), 4), ((12, 3), 4), ((12, 9, 1), 4), ((3, 2), 3)], ids=str)
def test_a_whole_number_means_shuffled_folds_as_many_as_the_largest_class_allows(sizes, n_folds):
    """The rule of every estimator that tunes itself; a small class is held out in some of the folds only."""
    X, y = table(sizes, seed=6, noise=1.5)
    model = cross_validated(X, y, cv=4, lams=LAMS[-2:])
    seed = np.random.RandomState(QUICK["random_state"]).randint(2**31 - 1)
    expected = cross_validated(X, y, cv=inner_folds(y, seed, 4), lams=LAMS[-2:])
    assert model.cv_errors_.shape[1] == n_folds
    np.testing.assert_array_equal(model.cv_errors_, expected.cv_errors_)


def test_a_whole_number_and_nothing_to_hold_out_or_groups_to_keep_together():
    X, y = table((1, 1, 1))
    with pytest.raises(ValueError, match=r"one sample per class.*NearestDisjointCentroid\(lam="):
        cross_validated(X, y, cv=4)
    X, y = table()
    with pytest.warns(UserWarning, match="ignores groups.*StratifiedGroupKFold"):
        cross_validated(X, y, {"groups": mixed_groups(y)}, cv=3)


@pytest.mark.parametrize("as_masks", [False, True], ids=["indices", "masks"])
def test_a_list_of_splits(as_masks):
    X, y = table(seed=6, noise=1.5)
    folds = list(StratifiedKFold(3).split(X, y))
    given = [tuple(np.isin(np.arange(y.size), part) for part in fold) for fold in folds] if as_masks else folds
    np.testing.assert_array_equal(cross_validated(X, y, cv=given).cv_errors_, cross_validated(X, y).cv_errors_)


def test_splits_as_lists_and_generators():
    X, y = table()
    folds = [(train.tolist(), test.tolist()) for train, test in StratifiedKFold(3).split(X, y)]
    expected = cross_validated(X, y).cv_errors_
    np.testing.assert_array_equal(cross_validated(X, y, cv=folds).cv_errors_, expected)
    np.testing.assert_array_equal(cross_validated(X, y, cv=(fold for fold in folds)).cv_errors_, expected)


def test_samples_that_are_in_no_fold_or_in_one_twice():
    """A bootstrap, say: a training part may repeat samples, and neither part need cover the table."""
    X, y = table(seed=6, noise=1.5)
    rng = np.random.default_rng(0)
    folds = [(rng.integers(0, 25, size=30), np.arange(25, 31)) for _ in range(3)]
    model = cross_validated(X, y, cv=folds)
    np.testing.assert_allclose(model.cv_errors_, by_hand(X, y, folds, LAMS), atol=1e-12)


@pytest.mark.parametrize("container", [np.asarray, list, pandas_frame, polars_frame])
def test_groups_and_tables_in_any_container(container):
    X, y = table()
    groups = mixed_groups(y)
    given = X.tolist() if container is list else container(X)
    model = cross_validated(given, y.tolist(), {"groups": groups.tolist()}, cv=GroupKFold(3))
    expected = cross_validated(X, y, {"groups": groups}, cv=GroupKFold(3))
    np.testing.assert_array_equal(model.cv_errors_, expected.cv_errors_)
    assert_same_model(model, expected)


def test_missing_groups():
    X, y = table()
    with pytest.raises(ValueError, match="'groups' parameter should not be None"):
        cross_validated(X, y, cv=GroupKFold(3))


def folds_without_a_class():
    """Samples by class: each of the folds holds out one class wholly."""
    X, y = table(seed=6, noise=1.5)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    return X, y, [(np.flatnonzero(y != j), np.flatnonzero(y == j)) for j in range(3)]


@pytest.mark.parametrize("scoring", [None, "accuracy"])
def test_a_class_that_is_missing_from_a_training_part_is_never_right(scoring):
    X, y, folds = folds_without_a_class()
    model = cross_validated(X, y, cv=folds, scoring=scoring)
    np.testing.assert_array_equal(model.cv_errors_, 1)
    assert list(model.classes_) == [0, 1, 2]


@pytest.mark.parametrize("scoring", [None, "accuracy"])
def test_other_classes_are_judged_as_ever_where_one_is_missing(scoring):
    X, y, folds = folds_without_a_class()
    moved = [(train[3:], np.r_[train[:3], test]) for train, test in folds]
    model = cross_validated(X, y, cv=moved, scoring=scoring)
    np.testing.assert_allclose(model.cv_errors_, by_hand(X, y, moved, LAMS), atol=1e-12)
    assert (model.cv_errors_ < 1).any()


@pytest.mark.parametrize("scoring", [None, "accuracy"])
def test_priors_where_a_training_part_misses_a_class(scoring):
    """The priors are for all classes; a training part takes those of the classes that it has."""
    X, y, folds = folds_without_a_class()
    moved = [(train[3:], np.r_[train[:3], test]) for train, test in folds]
    model = cross_validated(X, y, cv=moved, scoring=scoring, priors=[4, 2, 1])
    expected = np.empty_like(model.cv_errors_)
    for absent, fold in enumerate(moved):
        priors = np.delete([4, 2, 1], absent)
        expected[:, [absent]] = by_hand(X, y, [fold], LAMS, priors=priors)
    np.testing.assert_allclose(model.cv_errors_, expected, atol=1e-12)


def test_neg_log_loss_where_a_training_part_misses_a_class_is_a_clear_error():
    """There is no probability for a class never seen; scikit-learn says so."""
    X, y, folds = folds_without_a_class()
    with pytest.raises(ValueError, match=r"y_true|classes|labels"):
        cross_validated(X, y, cv=folds, scoring="neg_log_loss")


def test_sorted_labels_in_plain_folds():
    """The classic mistake: plain folds over sorted labels. It runs, and the errors show it."""
    X, y, _ = folds_without_a_class()
    model = cross_validated(X, y, cv=KFold(3))
    assert model.cv_errors_.mean() > 0.5


# ---------------------------------------------------------------------------------------------------- starts


@pytest.mark.parametrize("rule", ["min", "1se"])
def test_auto_chooses_kind_and_lambda_together(rule):
    X, y = table(noise=2.0, seed=1)
    model = cross_validated(X, y, init="auto", rule=rule)
    each = {kind: cross_validated(X, y, init=kind, rule=rule) for kind in KINDS}
    lowest = [round(each[kind].cv_errors_.mean(axis=1).min(), 12) for kind in KINDS]
    assert model.init_ == KINDS[int(np.argmin(lowest))]
    expected = each[model.init_]
    np.testing.assert_array_equal(model.cv_errors_, expected.cv_errors_)
    assert model.lam_ == expected.lam_
    assert_same_model(model, expected)


@pytest.mark.parametrize("init", KINDS)
def test_kind_of_start_is_kept(init):
    X, y = table()
    assert cross_validated(X, y, init=init).init_ == init


# ---------------------------------------------------------------------------------------------------- weights


def test_weight_zero_is_removal_from_every_fold():
    X, y = table(seed=6, noise=1.5)
    weights = np.ones(y.size)
    weights[::5] = 0
    kept = np.flatnonzero(weights)
    place = np.cumsum(weights > 0) - 1
    folds = list(StratifiedKFold(3).split(X, y))
    among_kept = [tuple(place[part[weights[part] > 0]] for part in fold) for fold in folds]
    model = cross_validated(X, y, {"sample_weight": weights}, cv=folds)
    expected = cross_validated(X[kept], y[kept], cv=among_kept)
    np.testing.assert_array_equal(model.cv_errors_, expected.cv_errors_)
    assert_same_model(model, expected)


def test_a_fold_in_which_every_held_out_sample_weighs_nothing():
    """It says nothing about any lambda, however lambdas are judged."""
    X, y = table(seed=6, noise=1.5)
    groups = mixed_groups(y, 4)
    given = {"sample_weight": np.where(groups == 1, 0.0, 1.0), "groups": groups}
    plain, scored = (cross_validated(X, y, given, cv=GroupKFold(4), scoring=s) for s in (None, "accuracy"))
    assert plain.lam_ == scored.lam_
    assert_same_model(plain, scored)


@pytest.mark.parametrize("scoring", [None, "accuracy"])
def test_weights_count_in_training_and_in_held_out_errors(scoring):
    X, y = table(seed=6, noise=1.5)
    weights = np.random.default_rng(0).choice([0.5, 1.0, 2.0, 3.0], size=y.size)
    model = cross_validated(X, y, {"sample_weight": weights}, scoring=scoring)
    folds = list(StratifiedKFold(3).split(X, y))
    np.testing.assert_allclose(model.cv_errors_, by_hand(X, y, folds, LAMS, sample_weight=weights), atol=1e-12)
    assert_same_model(model, at(model.lam_, X, y, weights), probabilities=False)


# ---------------------------------------------------------------------------------------------------- the rest


def test_reproducible_and_independent_of_threads():
    X, y = table(noise=2.0)
    models = [cross_validated(X, y, lams="auto", n_lams=4, n_jobs=n_jobs) for n_jobs in (None, 1, 2)]
    for model in models[1:]:
        np.testing.assert_array_equal(model.cv_errors_, models[0].cv_errors_)
        assert_same_model(model, models[0])


def test_progress_goes_to_standard_error_only(capsys):
    X, y = table()
    cross_validated(X, y)
    assert capsys.readouterr() == ("", "")
    cross_validated(X, y, verbose=1)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert [f"{i}/3" in line for i, line in enumerate(shown.err.splitlines())] == [True] * 4


def test_progress_of_auto_counts_every_kind(capsys):
    X, y = table()
    cross_validated(X, y, init="auto", verbose=1)
    assert f"{3 * len(KINDS)}/{3 * len(KINDS)}" in capsys.readouterr().err


def test_a_lambda_that_is_chosen_can_be_used():
    """Too small a lambda wins ties by its few features only if the classifier itself would take it."""
    X, y = table((15, 15), 30, noise=0.05)
    model = cross_validated(X, y, lams=[1e-3, 1.0, 2.0])
    assert (model.cv_errors_ == 0).all()
    assert_same_model(model, at(model.lam_, X, y), probabilities=False)


def test_parameters_are_left_alone():
    X, y = table()
    lams = [2.0, 0.7, 1.0]
    model = NearestDisjointCentroidCV(**QUICK, lams=lams, cv=3, init="auto")
    before = dict(model.get_params())
    model.fit(X, y)
    assert model.get_params() == before
    assert lams == [2.0, 0.7, 1.0]
