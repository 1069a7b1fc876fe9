"""Bad input: every row of the table has a defined answer, and every error and warning names the cure."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

import awkward_tables as tables
from disjoint_centroids import (
    DisjointKNeighborsClassifier,
    DisjointLogisticRegression,
    DisjointPanelClassifier,
    NearestDisjointCentroid,
    NearestDisjointCentroidCV,
    OverlappingCentroidClassifier,
    OwnershipStability,
    disjoint_centroid_path,
)
from disjoint_centroids.centroids.search import KINDS
from disjoint_centroids.pipeline import model_pipeline
from disjoint_centroids.rows.training import check_no_missing
from labelled import QUICK, pandas_frame, table

pytestmark = pytest.mark.filterwarnings("error")

SMALL = {"n_lams": 3, "cv": 3}
"""What keeps the cross-validated estimator quick."""

ESTIMATORS = {
    "Algorithm 1": lambda **p: NearestDisjointCentroid(**(QUICK | p)),
    "Algorithm 2": lambda **p: NearestDisjointCentroid(**(QUICK | {"lam": 1.0} | p)),
    "cross-validated": lambda **p: NearestDisjointCentroidCV(**(QUICK | SMALL | p)),
}
every_estimator = pytest.mark.parametrize("make", ESTIMATORS.values(), ids=ESTIMATORS)


def fit(X, y, **parameters):
    return NearestDisjointCentroid(**(QUICK | parameters)).fit(X, y)


def ignoring_advice(make, X, y):
    """Fit where the package has something to say; numpy still has not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("error", RuntimeWarning)
        return make().fit(X, y)


def assert_finite(model, X):
    """Every number that a user can read off the model is one."""
    for name in ("centroids_", "variances_", "risk_", "train_error_", "margin_", "feature_distances_", "temperature_"):
        assert np.isfinite(getattr(model, name)).all(), name
    probability = model.predict_proba(X)
    assert np.isfinite(probability).all()
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    assert np.isfinite(model.decision_function(X)).all()
    assert np.isfinite(model.distances(X)).all()
    assert np.isfinite(model.explain(X)["contribution"]).all()


# ---------------------------------------------------------------------------------------------------- NaN and infinity

MISSING = {"NaN": ([np.nan], "NaN"), "infinity": ([np.inf], "infinity"), "minus infinity": ([-np.inf], "infinity")}
# Their sum is not a number either: a shortcut by sums must not warn on the way.
MISSING["both infinities"] = ([np.inf, -np.inf], "infinity")
MISSING["NaN before infinity"] = ([np.nan, np.inf], "NaN")


def with_missing(values):
    X, y = table()
    X[np.arange(len(values)) + 5, 3] = values
    return X, y


@every_estimator
@pytest.mark.parametrize(("values", "name"), MISSING.values(), ids=MISSING)
def test_missing_values(make, values, name):
    X, y = with_missing(values)
    with pytest.raises(
        ValueError, match=rf"Input X contains {name}: \d+ value\(s\) in 1 feature.*column 3.*impute.*drop"
    ):
        make().fit(X, y)


@every_estimator
def test_missing_values_in_a_frame_are_named(make):
    X, y = with_missing([np.nan])
    frame = pandas_frame(X)
    with pytest.raises(ValueError, match=rf"\({frame.columns[3]}\).*SimpleImputer"):
        make().fit(frame, y)


@pytest.mark.parametrize(
    ("kind", "method"),
    tables.in_turn(MISSING, ["predict", "predict_proba", "decision_function", "distances", "explain"]),
)
def test_missing_values_in_new_samples(kind, method):
    values, name = MISSING[kind]
    X, y = table()
    model = fit(X, y)
    with pytest.raises(ValueError, match=rf"Input X contains {name}.*column 3.*impute"):
        getattr(model, method)(with_missing(values)[0])


def test_many_columns_with_missing_values_are_counted():
    X, y = table()
    X[2, :8] = np.nan
    with pytest.raises(ValueError, match=r"8 value\(s\) in 8 feature\(s\) \(column 0, .*column 4 and 3 more\)"):
        fit(X, y)


def test_the_cure_cures():
    X, y = with_missing([np.nan])
    assert make_pipeline(SimpleImputer(), NearestDisjointCentroid(**QUICK)).fit(X, y).predict(X).shape == y.shape


def test_path_refuses_missing_values():
    X, y = with_missing([np.nan])
    with pytest.raises(ValueError, match="Input X contains NaN"):
        disjoint_centroid_path(X, y, n_lams=2, **QUICK)


def test_numbers_whose_sum_overflows_are_not_infinity():
    """Finite numbers, too large for another reason, and no warning about a sum that nobody asked for."""
    with pytest.raises(ValueError, match=r"as large as 1e\+307.*Divide X"):
        check_no_missing(NearestDisjointCentroid(), np.full((30, 30), 1e307))


# ---------------------------------------------------------------------------------------------------- text

EVERY_ESTIMATOR = ESTIMATORS | {
    "panel": lambda: DisjointPanelClassifier(rounds=1, cv=2, random_state=0),
    "logistic": lambda: DisjointLogisticRegression(estimator=NearestDisjointCentroid(**QUICK), random_state=0),
    "neighbours": lambda: DisjointKNeighborsClassifier(estimator=NearestDisjointCentroid(**QUICK), random_state=0),
    "overlapping": lambda: OverlappingCentroidClassifier(n_init=2, random_state=0),
    "after log2": lambda: model_pipeline(NearestDisjointCentroid(**QUICK), transform="log2"),
}


def with_text(kind="pandas"):
    """A column of text, and one of numbers with a word in it."""
    X, y = table()
    frame = pandas_frame(np.exp2(X)).astype({"gene 7": object}).assign(site="Oslo")
    frame.loc[3, "gene 7"] = "ND"
    if kind == "polars":
        return pytest.importorskip("polars").from_pandas(frame.astype({"gene 7": str})), y
    return frame, y


@pytest.mark.parametrize("make", EVERY_ESTIMATOR.values(), ids=EVERY_ESTIMATOR)
def test_columns_of_text_are_named(make):
    X, y = with_text()
    expected = (
        rf"text in 2 feature.*gene 7 \(such as 'ND', in 1 of {len(y)} cells\), site \(such as 'Oslo'\).*to_numeric"
    )
    with pytest.raises(ValueError, match=expected):
        make().fit(X, y)
    with pytest.raises(ValueError, match=r"text in 1 feature.*site \(such as 'Oslo'\).*leave these columns out"):
        make().fit(X.drop(columns="gene 7"), y)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "distances", "explain"])
def test_columns_of_text_in_new_samples_are_named(method):
    X, y = with_text()
    model = fit(X.assign(site=1.0, **{"gene 7": 2.0}), y)
    with pytest.raises(ValueError, match=r"text in 2 feature.*gene 7 \(such as 'ND'.*NearestDisjointCentroid needs"):
        getattr(model, method)(X)
    # Of columns that are not the model's it does not matter what they hold.
    with pytest.raises(ValueError, match=r"Feature names unseen at fit time:\n- another"):
        getattr(model, method)(X.assign(another="text"))


def test_columns_of_text_are_named_before_stability_is_counted():
    X, y = with_text()
    stability = OwnershipStability(NearestDisjointCentroid(**QUICK), n_resamples=2, random_state=0)
    with pytest.raises(ValueError, match=r"site \(such as 'Oslo'\).*leave these columns out"):
        stability.fit(X, y)


def test_text_in_batches_other_frames_arrays_and_dates():
    X, y = with_text()
    with pytest.raises(ValueError, match=r"text in 2 feature.*gene 7 .*site"):
        NearestDisjointCentroid(**QUICK).partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match=r"text in 2 feature.*gene 7 .*site"):
        fit(with_text("polars")[0], y)
    with pytest.raises(ValueError, match=r"text in 2 feature.*column 17 .*column 24 \(such as 'Oslo'\)"):
        fit(X.to_numpy(), y)
    with pytest.raises(ValueError, match=r"text in 1 feature.*seen \(such as '2026-02-03"):
        fit(X.drop(columns=["gene 7", "site"]).assign(seen=pd.Timestamp("2026-02-03")), y)


def test_text_that_spells_numbers_is_numbers():
    X, y = table()
    frame = pandas_frame(X)
    np.testing.assert_array_equal(fit(frame.astype({"gene 7": str}), y).owner_, fit(frame, y).owner_)


# ---------------------------------------------------------------------------------------------------- labels


@every_estimator
def test_one_class(make):
    X, _ = table()
    with pytest.raises(ValueError, match=r"at least 2 classes; the data contains only one class, 7.*Check the label"):
        make().fit(X, np.full(len(X), 7))


def test_one_class_left_by_the_weights():
    X, y = table()
    with pytest.raises(ValueError, match=r"only one class, 1.*sample weights"):
        NearestDisjointCentroid(**QUICK).fit(X, y, (y == 1).astype(float))
    # scikit-learn 1.9 sees this one before we do.
    with pytest.raises(ValueError, match=r"no sample of positive weight.*sample weights|at least one non-zero number"):
        NearestDisjointCentroid(**QUICK).fit(X, y, np.zeros(y.size))


@every_estimator
def test_continuous_labels(make):
    X, y = table()
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        make().fit(X, y + 0.5)


@every_estimator
def test_labels_with_missing_values(make):
    X, y = table()
    y = y.astype(float)
    y[3] = np.nan
    with pytest.raises(ValueError, match="Input y contains NaN"):
        make().fit(X, y)


@every_estimator
def test_lengths_that_differ(make):
    X, y = table()
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        make().fit(X, y[:-1])


def test_lengths_of_weights_and_groups_that_differ():
    X, y = table()
    with pytest.raises(ValueError, match="sample_weight"):
        NearestDisjointCentroid(**QUICK).fit(X, y, np.ones(3))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        NearestDisjointCentroidCV(**QUICK, **SMALL).fit(X, y, groups=np.ones(3))


def test_negative_weights():
    X, y = table()
    with pytest.raises(ValueError, match=r"[Nn]egative values in data passed to .*sample_weight"):
        NearestDisjointCentroid(**QUICK).fit(X, y, -np.ones(y.size))


def test_risk_of_labels_never_seen():
    X, y = table()
    with pytest.raises(ValueError, match=r"labels that were not in training: .*9.*Drop these samples"):
        fit(X, y).risk(X, np.full(y.size, 9))


def test_risk_of_lengths_that_differ():
    X, y = table()
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        fit(X, y).risk(X, y[1:])


# ---------------------------------------------------------------------------------------------------- too few features


@every_estimator
@pytest.mark.parametrize(
    ("sizes", "n_features", "names"),
    [((8, 7, 6), 2, True), ((8, 7, 6), 1, False), ((7, 6), 1, True), ((6, 6, 6, 6, 6), 3, False)],
)
def test_fewer_features_than_classes(make, sizes, n_features, names):
    X, y = table(sizes, n_features)
    y = np.array([f"kind {j}" for j in y]) if names else y
    with pytest.warns(
        UserWarning, match=rf"{n_features} feature\(s\).*among {len(sizes)} classes.*never predicted"
    ) as said:
        model = make().fit(X, y)
    assert len(said) == 1
    empty = [str(c) for c, own in zip(model.classes_, model.feature_sets_, strict=True) if own.size == 0]
    assert len(empty) >= len(sizes) - n_features
    assert str(said[0].message).endswith(": " + ", ".join(empty))
    assert not np.isin(model.predict(X).astype(str), empty).any()
    # Far out, too: a class without features is never the nearest.
    assert not np.isin(model.predict(1e6 * X).astype(str), empty).any()
    probability = model.predict_proba(X)
    assert np.isfinite(probability).all()
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    assert (probability[:, np.isin(model.classes_.astype(str), empty)] == 0).all()
    assert np.isfinite(model.risk_)
    assert np.isfinite(model.temperature_)
    assert model.feature_table().shape[0] == n_features


@every_estimator
def test_with_fewer_features_than_classes_risk_still_agrees_with_the_training_data(make):
    """A class without features adds nothing, whoever asks."""
    X, y = table((8, 7, 6), 2)
    model = ignoring_advice(make, X, y)
    assert model.risk(X, y) == pytest.approx(model.risk_)


@pytest.mark.parametrize("init", [*KINDS, "auto"])
def test_fewer_features_than_classes_from_any_start(init):
    X, y = table((8, 7, 6), 2)
    with pytest.warns(UserWarning, match="own no feature"):
        model = fit(X, y, init=init)
    assert np.isfinite(model.predict_proba(X)).all()


def test_as_many_features_as_classes():
    X, y = table((8, 7, 6), 3)
    model = fit(X, y, init=[[0, 1, 2], [2, 0, 1]])
    assert sorted(model.owner_) == [0, 1, 2]


def test_a_class_without_own_features_still_has_the_shared_ones():
    """So it can be predicted, and the warning does not say otherwise."""
    X, y = table((8, 7, 6), 3)
    X[:, 0] = 10.0 * y
    with pytest.warns(UserWarning, match="own no feature") as said:
        model = fit(X, y, shared_features=[0])
    assert "never predicted" not in str(said[0].message)
    assert model.score(X, y) == 1


# ---------------------------------------------------------------------------------------------------- parameters

PARAMETERS = {
    "lam zero": ({"lam": 0}, r"'lam' parameter .* float in the range \(0(\.0)?, inf\] or None\. Got 0 instead"),
    "lam negative": ({"lam": -0.5}, r"'lam' parameter .* range \(0(\.0)?, inf\] or None\. Got -0\.5 instead"),
    "lam not a number": ({"lam": np.nan}, r"'lam' parameter .* Got nan instead"),
    "lam text": ({"lam": "auto"}, r"'lam' parameter .* Got 'auto' instead"),
    "n_init zero": ({"n_init": 0}, r"'n_init' parameter .* int in the range \[1, inf\)\. Got 0 instead"),
    "n_init a fraction": ({"n_init": 1.5}, r"'n_init' parameter .* Got 1\.5 instead"),
    # In any order: scikit-learn lists what is allowed as a set.
    "init unknown": (
        {"init": "kmeans"},
        r"'init' parameter (?=.*'k-means\+\+')(?=.*'auto').*array-like\. Got 'kmeans' instead",
    ),
    "init a number": ({"init": 3}, r"'init' parameter .*array-like\. Got 3 instead"),
    "criterion": ({"criterion": "loss"}, r"'criterion' parameter .*'error'.* Got 'loss' instead"),
    "norm": ({"norm": "l1"}, r"'norm' parameter .*'dn'.* Got 'l1' instead"),
    "max_iter": ({"max_iter": 0}, r"'max_iter' parameter .* \[1, inf\)\. Got 0 instead"),
    "priors": ({"priors": "uniform"}, r"'priors' parameter .*'empirical'.* Got 'uniform' instead"),
    "shared_features": ({"shared_features": 3}, r"'shared_features' parameter .* Got 3 instead"),
    "n_jobs": ({"n_jobs": "two"}, r"'n_jobs' parameter .* Got 'two' instead"),
}


@pytest.mark.parametrize(("parameters", "message"), PARAMETERS.values(), ids=PARAMETERS)
def test_parameters_out_of_range(parameters, message):
    X, y = table()
    with pytest.raises(ValueError, match=message):
        fit(X, y, **parameters)


CV_PARAMETERS = {
    "n_lams": ({"n_lams": 0}, r"'n_lams' parameter .* \[1, inf\)\. Got 0 instead"),
    "rule": ({"rule": "2se"}, r"'rule' parameter .*'1se'.* Got '2se' instead"),
    "cv": ({"cv": "five"}, r"'cv' parameter .* Got 'five' instead"),
    "scoring": ({"scoring": "no such score"}, r"no such score"),
    "lams unknown": ({"lams": "all"}, r"'lams' parameter .*'auto'.* Got 'all' instead"),
    "lams a number": ({"lams": 1.0}, r"'lams' parameter .* Got 1\.0 instead"),
    "lams zero": ({"lams": [0.0, 1.0]}, r"lams must be 'auto' or a list of positive numbers; got \[0\.0, 1\.0\]"),
    "lams negative": ({"lams": [1, -1]}, r"lams must be .*positive numbers; got \[1, -1\]"),
    "lams not a number": ({"lams": [1, np.nan]}, r"lams must be .*positive numbers; got \[1, nan\]"),
    "lams empty": ({"lams": []}, r"lams must be .*positive numbers; got \[\]"),
    "lams in two dimensions": ({"lams": [[1, 2]]}, r"lams must be .*positive numbers; got \[\[1, 2\]\]"),
}


@pytest.mark.parametrize(("parameters", "message"), CV_PARAMETERS.values(), ids=CV_PARAMETERS)
def test_parameters_of_cross_validation_out_of_range(parameters, message):
    X, y = table()
    with pytest.raises(ValueError, match=message):
        NearestDisjointCentroidCV(**(QUICK | SMALL | parameters)).fit(X, y)


@pytest.mark.parametrize("name", ["lams zero", "n_lams", "lams unknown"])
def test_parameters_of_a_path_out_of_range(name):
    X, y = table()
    parameters, message = CV_PARAMETERS[name]
    with pytest.raises(ValueError, match=message):
        disjoint_centroid_path(X, y, **QUICK, **parameters)


def test_a_path_does_not_choose_between_kinds():
    X, y = table()
    with pytest.raises(ValueError, match=r"init='auto' chooses by cross-validation.*Name a kind"):
        disjoint_centroid_path(X, y, init="auto", random_state=0)


EVEN = np.arange(24) % 3
STARTS = {
    "one dimension": (EVEN, None, r"init .*shape \(n_init, n_features\) = \(any, 24\); got shape \(24,\)"),
    "too narrow": ([EVEN[:23]], None, r"init .*\(any, 24\); got shape \(1, 23\)"),
    "no rows": (np.empty((0, 24), int), None, r"init .*\(any, 24\); got shape \(0, 24\)"),
    "class too large": ([EVEN + 1], None, r"init holds owners from 1 to 3; allowed are 0 to 2 .*only if lam is given"),
    "I_0 without lambda": (
        [EVEN - 1],
        None,
        r"init holds owners from -1 to 1; allowed are 0 to 2 \(and -1 for I_0 only",
    ),
    "class too large with lambda": ([EVEN + 1], 1.0, r"init holds owners from 1 to 3; allowed are -1 for I_0, 0 to 2"),
    "below I_0": ([EVEN - 2], 1.0, r"init holds owners from -2 to 0; allowed are -1 for I_0, 0 to 2"),
    "fractions": ([EVEN + 0.5], None, r"init as an array must hold whole numbers"),
    "not numbers": ([["a"] * 24], None, r"init as an array must hold whole numbers"),
    "NaN": ([np.full(24, np.nan)], None, r"init as an array must hold whole numbers"),
    "infinity": ([np.where(EVEN == 0, np.inf, 1)], None, r"init "),
}


@pytest.mark.parametrize(("init", "lam", "message"), STARTS.values(), ids=STARTS)
def test_starts_that_cannot_be(init, lam, message):
    X, y = table()
    with pytest.raises(ValueError, match=message):
        fit(X, y, init=init, lam=lam)


@pytest.mark.parametrize("starts", [[EVEN.tolist()], EVEN[None].astype(float), EVEN[None].astype(np.int8)], ids=type)
def test_starts_as_lists_and_other_numbers(starts):
    X, y = table()
    np.testing.assert_array_equal(fit(X, y, init=starts).owner_, fit(X, y, init=EVEN[None]).owner_)


# ---------------------------------------------------------------------------------------------------- lambda too small

SUGGESTION = re.compile(r"at lam=(\S+) some of the (\d+) classes keep no feature\. Try lam >= (\S+) ")


def suggested(X, y, lam=1e-3, **parameters):
    with pytest.raises(ValueError, match=SUGGESTION) as raised:
        fit(X, y, lam=lam, **parameters)
    assert "NearestDisjointCentroidCV" in str(raised.value)
    given, n_classes, smallest = SUGGESTION.search(str(raised.value)).groups()
    assert float(given) == pytest.approx(lam, rel=1e-5)
    assert int(n_classes) == np.unique(y).size
    return float(smallest)


@pytest.mark.parametrize("init", KINDS)
@pytest.mark.parametrize(("sizes", "random_state"), [((12, 9, 10), 0), ((20, 4), 1), ((6, 5, 4, 5), 2)], ids=str)
def test_suggested_lambda_fits(sizes, init, random_state):
    # Many columns: among few, a class may sit on one that is its own centre, and then no lambda is too small.
    X, y = table(sizes, n_features=80, seed=random_state)
    lam = suggested(X, y, init=init, random_state=random_state)
    model = fit(X, y, lam=lam, init=init, random_state=random_state)
    assert all(own.size for own in model.feature_sets_)
    assert model.n_restarts_used_ > 0


@pytest.mark.parametrize("parameters", [{"norm": "euclidean"}, {"shared_features": [0, 1]}, {"n_init": 40}], ids=str)
def test_suggested_lambda_fits_with(parameters):
    X, y = table(seed=3)
    assert fit(X, y, lam=suggested(X, y, **parameters), **parameters).n_restarts_used_ > 0


def test_suggested_lambda_fits_from_given_starts():
    X, y = table(seed=3)
    starts = (np.arange(96).reshape(4, 24) * 7 % 4) - 1
    assert fit(X, y, lam=suggested(X, y, init=starts), init=starts).n_restarts_used_ > 0


@pytest.mark.parametrize("seed", [0, 3])
def test_suggested_lambda_is_the_smallest(seed):
    """The search looks at lambdas a few per cent apart: ten below, nothing works."""
    X, y = table(seed=seed)
    smallest = suggested(X, y, n_init=50)
    assert suggested(X, y, lam=0.9 * smallest, n_init=50) == smallest


def test_a_grid_of_lambdas_that_are_all_too_small():
    """As for one lambda: the cure is a larger one, and the message says how large."""
    X, y = table(seed=3)
    with pytest.raises(ValueError, match=r"keep no feature.*Try .*>= (\S+)") as raised:
        NearestDisjointCentroidCV(lams=[1e-3, 2e-3], cv=3, **QUICK).fit(X, y)
    lam = float(re.search(r">= (\S+)", str(raised.value))[1])
    assert lam == suggested(X, y)
    assert NearestDisjointCentroidCV(lams=[1e-3, lam], cv=3, **QUICK).fit(X, y).lam_ == lam


# ---------------------------------------------------------------------------------------------------- degenerate tables


@every_estimator
@pytest.mark.parametrize("sizes", [(12, 9, 1), (12, 1), (5, 1, 1)], ids=str)
@pytest.mark.filterwarnings("ignore:The least populated class in y has only 1 member:UserWarning")
def test_a_class_with_one_sample(make, sizes):
    X, y = table(sizes)
    model = ignoring_advice(make, X, y)
    assert_finite(model, X)
    np.testing.assert_allclose(model.centroids_[-1], X[y == y.max()][0], atol=1e-12)
    assert (model.variances_[-1] == 0).all()


@pytest.mark.parametrize(("init", "sizes"), tables.in_turn([*KINDS, "auto"], [(12, 9, 1), (12, 1), (1, 1, 1)]), ids=str)
def test_a_class_with_one_sample_from_any_start(init, sizes):
    """Also where the kind of start is chosen on folds that the user did not ask for."""
    X, y = table(sizes)
    assert_finite(ignoring_advice(lambda: NearestDisjointCentroid(init=init, **QUICK), X, y), X)


@pytest.mark.parametrize("make", [ESTIMATORS["Algorithm 1"], ESTIMATORS["cross-validated"]], ids=["plain", "cv"])
@pytest.mark.filterwarnings("ignore:The least populated class in y has only 1 member:UserWarning")
def test_a_class_with_one_sample_and_priors(make):
    """In the fold that holds it out there is no such class, and the user's priors are not wrong for that."""
    X, y = table((12, 9, 1))
    assert_finite(ignoring_advice(lambda: make(init="auto", priors=[0.5, 0.3, 0.2]), X, y), X)


def constant_columns(n_constant):
    X, y = table()
    X[:, :n_constant] = [0.1, -0.7, 0.0, 1e3, 0.1, 1 / 3, 1e-9, 5e6, 2][:n_constant]
    return X, y


@every_estimator
@pytest.mark.parametrize("n_constant", [1, 9])
def test_constant_columns(make, n_constant):
    X, y = constant_columns(n_constant)
    model = ignoring_advice(make, X, y)
    assert_finite(model, X)
    assert (model.variances_[:, :n_constant] == 0).all()


COLUMNS_ALIKE = {
    "zeros": lambda: np.zeros((21, 6)),
    "ones": lambda: np.ones((21, 6)),
    "a number that rounds": lambda: np.full((21, 6), 0.1),
    "large": lambda: np.full((21, 6), 1e6 + 0.1),
    "constant columns only": lambda: np.tile([0.1, 3.0, -2.0, 0.1, 7.0, 1e6], (21, 1)),
    "one column six times": lambda: np.repeat(table((8, 7, 6), 1)[0], 6, axis=1),
}


@every_estimator
@pytest.mark.parametrize(("kind", "init"), tables.in_turn(COLUMNS_ALIKE, [*KINDS, "auto"]))
def test_columns_that_are_all_alike(make, kind, init):
    X, y = COLUMNS_ALIKE[kind](), table((8, 7, 6), 1)[1]
    model = ignoring_advice(lambda: make(init=init), X, y)
    assert_finite(model, X)
    assert all(own.size for own in model.feature_sets_)


@pytest.mark.parametrize("kind", ["ones", "one column six times"])
def test_columns_that_are_all_alike_are_worth_a_word(kind):
    X, y = COLUMNS_ALIKE[kind](), table((8, 7, 6), 1)[1]
    with pytest.warns(UserWarning, match=r"[Ee]qual or constant.*drop them") as said:
        model = fit(X, y)
    assert len(said) == 1
    assert model.n_restarts_used_ == 0


@every_estimator
def test_classes_that_are_all_alike(make):
    """Nothing to learn: the same samples in every class."""
    X, _ = table((6,), 10)
    X, y = np.tile(X, (3, 1)), np.repeat([0, 1, 2], 6)
    model = ignoring_advice(make, X, y)
    assert_finite(model, X)


# ---------------------------------------------------------------------------------------------------- other columns

METHODS = ["predict", "predict_proba", "decision_function", "distances", "explain", "transform"]


@pytest.mark.parametrize("method", METHODS)
def test_other_names(method):
    X, y = table()
    frame = pandas_frame(X)
    model = fit(frame, y)
    with pytest.raises(ValueError, match=r"feature names should match those that were passed during fit"):
        getattr(model, method)(frame.rename(columns={frame.columns[0]: "another gene"}))
    with pytest.raises(ValueError, match=r"must be in the same order"):
        getattr(model, method)(frame[frame.columns[::-1]])
    with pytest.raises(ValueError, match=r"Feature names seen at fit time, yet now missing"):
        getattr(model, method)(frame.iloc[:, 1:])


@pytest.mark.parametrize("method", METHODS)
def test_other_number_of_columns(method):
    X, y = table()
    with pytest.raises(ValueError, match=r"X has 23 features, but NearestDisjointCentroid is expecting 24 features"):
        getattr(fit(X, y), method)(X[:, 1:])


@every_estimator
def test_values_whose_squares_overflow(make):
    X, y = table()
    with pytest.raises(ValueError, match=r"as large as .*e\+200.*Divide X"):
        make().fit(X * 1e200, y)
    model = make().fit(X, y)
    with pytest.raises(ValueError, match="Divide X"):
        model.predict_proba(X * 1e200)


def test_scorers_that_take_no_weights_are_called_without():
    X, y = table()
    model = NearestDisjointCentroidCV(scoring=lambda model, X, y: model.score(X, y), cv=3, **QUICK)
    assert model.fit(X, y, np.full(len(y), 2.0)).cv_errors_.shape[1] == 3


@pytest.mark.parametrize("value", [1e200, -1e200])
@every_estimator
def test_values_too_large_to_square_are_refused_whatever_their_sign(make, value):
    X, y = table()
    X[3, 2] = value
    with pytest.raises(ValueError, match=r"as large as 1e\+200"):
        make().fit(X, y)
