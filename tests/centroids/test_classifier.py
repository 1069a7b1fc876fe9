"""NearestDisjointCentroid: its fitted attributes, its methods, and what each parameter does."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import StratifiedKFold

import awkward_tables as tables
import oracle
from disjoint_centroids import NearestDisjointCentroid
from disjoint_centroids.centroids.search import KINDS
from disjoint_centroids.numerics.sizes import sizes_context
from labelled import QUICK, assert_same_model, names_of, pandas_frame, polars_frame, table

pytestmark = pytest.mark.filterwarnings("error")


def fitted(X, y, sample_weight=None, **parameters):
    return NearestDisjointCentroid(**(QUICK | parameters)).fit(X, y, sample_weight)


# ---------------------------------------------------------------------------------------------------- on paper

# Within class "a" the first two columns run side by side, within "b" the next two; the last is far from everything.
PAPER_X = np.array(
    [
        [0, 2, 9, 0, 50],
        [2, 4, 0, 9, 50],
        [7, -7, 1, 3, 50],
        [-7, 7, 3, 5, 50],
    ]
)
PAPER_Y = ["a", "a", "b", "b"]


def on_paper(**parameters):
    start = [[0, 0, 1, 1, -1]]
    return NearestDisjointCentroid(**({"lam": 1.0, "init": start} | parameters)).fit(PAPER_X, PAPER_Y)


def test_worked_example_attributes():
    model = on_paper()
    assert list(model.classes_) == ["a", "b"]
    assert list(model.owner_) == [0, 0, 1, 1, -1]
    assert [list(own) for own in model.feature_sets_] == [[0, 1], [2, 3]]
    assert model.centroids_.tolist() == [[1, 3, 4.5, 4.5, 50], [0, 0, 2, 4, 50]]
    assert model.variances_.tolist() == [[1, 1, 20.25, 20.25, 0], [49, 49, 1, 1, 0]]
    # Every sample is one away, in each of its class's two columns, from its class's mean.
    assert model.risk_ == 1
    assert model.train_error_ == 0
    # The start is where it ends: one step sees that.
    assert (model.n_iter_, model.n_restarts_used_) == (1, 1)


def test_worked_example_feature_distances():
    """Centre of a's columns on a's samples: (1, 3); of b's columns on b's samples: (2, 4); of I_0: 50 everywhere."""
    model = on_paper()
    to_a = [1, 1, 36.5, 18.5, (49**2 + 47**2) / 2]
    to_b = [73, 45, 1, 1, (48**2 + 46**2) / 2]
    np.testing.assert_allclose(model.feature_distances_**2, [to_a, to_b])
    margins = [np.sqrt(73) - 1, np.sqrt(45) - 1, np.sqrt(36.5) - 1, np.sqrt(18.5) - 1, np.sqrt(to_b[4])]
    np.testing.assert_allclose(model.margin_, margins)


@pytest.mark.parametrize(("norm", "factor"), [("dn", 1), ("euclidean", 2)])
def test_worked_example_distances_of_samples(norm, factor):
    """Both classes own two features: without the division every square is twice as large."""
    model = on_paper(norm=norm)
    squares = factor * np.array([[1, 32.5], [1, 14.5], [68, 1], [40, 1]])
    np.testing.assert_allclose(model.distances(PAPER_X) ** 2, squares)
    np.testing.assert_allclose(model.decision_function(PAPER_X), squares[:, 0] - squares[:, 1])
    assert model.risk_ == factor
    assert list(model.predict(PAPER_X)) == PAPER_Y


def test_worked_example_explained():
    rows = on_paper().explain(PAPER_X[:1])
    assert rows["class"].tolist() == ["a", "a", "b", "b"]
    assert rows["feature"].tolist() == ["x0", "x1", "x2", "x3"]
    assert rows["value"].tolist() == [0, 2, 9, 0]
    assert rows["centroid"].tolist() == [1, 3, 2, 4]
    assert rows["contribution"].tolist() == [0.5, 0.5, 24.5, 8]


def test_small_lambda_drops_what_infinity_keeps():
    """I_0's distance is multiplied by lambda: at infinity nothing goes there, not even a feature at its centre."""
    assert list(on_paper(lam=np.inf).owner_ >= 0) == [True] * 5
    assert on_paper(lam=1.0).owner_[4] == -1


# ---------------------------------------------------------------------------------------------------- the oracle


def starts_for(found, lam, n_starts=8):
    """Starting owners in class numbers, as a user gives them: -1 is I_0."""
    has_pool = lam is not None
    return tables.starting_owners(found, n_starts, has_pool=has_pool).astype(int) - has_pool


@pytest.mark.parametrize(
    ("lam", "criterion"), [(None, "error"), (0.8, "risk"), (1.0, "error"), (1.5, "risk"), (np.inf, "error")]
)
@pytest.mark.parametrize(
    ("name", "variant"),
    [
        ("few samples a class", "plain"),
        ("few samples a class", "euclidean"),
        ("more samples than features", "plain"),
        ("unbalanced", "plain"),
        ("two classes", "weighted"),
        ("small integers", "plain"),
    ],
)
def test_agrees_with_the_oracle_from_the_same_starts(name, variant, lam, criterion):
    found = tables.table(name, variant)
    starts = starts_for(found, lam)
    expected = oracle.best_restart(
        found.X, found.y, starts + (lam is not None), lam, by_error=criterion == "error", **found.options
    )
    assert expected is not None  # some restart keeps a feature for every class: there is something to compare
    model = NearestDisjointCentroid(
        lam=lam, init=starts, criterion=criterion, norm="dn" if found.divided else "euclidean"
    ).fit(found.X, found.y, found.weights)
    np.testing.assert_array_equal(model.owner_, expected.owner)
    assert (model.n_iter_, model.n_restarts_used_) == (expected.n_iter, expected.n_alive)
    assert model.train_error_ == pytest.approx(expected.error)
    assert model.risk_ == pytest.approx(expected.risk)


def test_predictions_on_new_samples_are_the_oracles():
    X, y = table()
    model = fitted(X[::2], y[::2], lam=1.0)
    assert (model.owner_ == -1).any()
    expected = oracle.classify(X[1::2], oracle.class_means(X[::2], y[::2]), model.owner_)
    np.testing.assert_array_equal(model.predict(X[1::2]), expected)


# ---------------------------------------------------------------------------------------------------- attributes

SETTINGS = {
    "Algorithm 1": {},
    "Algorithm 2": {"lam": 0.9},
    "euclidean": {"norm": "euclidean"},
    "shared": {"shared_features": [3, 7]},
    "priors": {"priors": "empirical"},
    "risk": {"criterion": "risk"},
    "all at once": {"lam": 1.0, "norm": "euclidean", "shared_features": [0], "priors": [5, 1, 1]},
}


@pytest.fixture(scope="module", params=SETTINGS)
def case(request):
    """A fitted model and its training data, in each way of fitting."""
    X, y = table(seed=1)
    X = pandas_frame(X)
    return fitted(X, y, **SETTINGS[request.param]), X, y


def test_shapes(case):
    model, X, _ = case
    n_classes, n_features = 3, X.shape[1]
    assert list(model.classes_) == [0, 1, 2]
    assert model.owner_.shape == model.margin_.shape == (n_features,)
    assert model.centroids_.shape == model.variances_.shape == model.feature_distances_.shape == (3, n_features)
    assert len(model.feature_sets_) == n_classes
    assert model.n_features_in_ == n_features
    assert list(model.feature_names_in_) == names_of(X)
    assert isinstance(model.risk_, float)
    assert isinstance(model.train_error_, float)
    assert isinstance(model.temperature_, float)
    assert model.temperature_ > 0
    assert model.n_iter_ >= 1
    assert model.n_restarts_used_ == QUICK["n_init"]


def test_feature_sets_are_disjoint_and_agree_with_owner(case):
    model, X, _ = case
    together = np.concatenate(model.feature_sets_)
    assert np.unique(together).size == together.size
    for j, own in enumerate(model.feature_sets_):
        assert own.size > 0
        np.testing.assert_array_equal(own, np.flatnonzero(model.owner_ == j))
    assert together.size + np.isin(model.owner_, [-1, -2]).sum() == X.shape[1]


def test_centroids_are_class_means(case):
    model, X, y = case
    np.testing.assert_allclose(model.centroids_, X.groupby(y).mean())
    np.testing.assert_allclose(model.variances_, X.groupby(y).var(ddof=0))


def test_distances_are_on_own_and_shared_features(case):
    model, X, _ = case
    expected = oracle.sample_distances(X.to_numpy(), model.centroids_, model.owner_, model.norm == "dn")
    np.testing.assert_allclose(model.distances(X), np.sqrt(expected))


def test_risk_is_that_of_the_training_data(case):
    model, X, y = case
    assert model.risk(X, y) == pytest.approx(model.risk_, rel=1e-12)
    assert model.risk_ == pytest.approx(oracle.risk(X.to_numpy(), y, model.owner_, divided=model.norm == "dn"))


def test_risk_on_some_samples_is_their_mean_squared_distance(case):
    model, X, y = case
    some = [4, 0, 9]
    own = model.distances(X.iloc[some])[np.arange(3), y[some]] ** 2
    assert model.risk(X.iloc[some], y[some]) == pytest.approx(own.mean())
    assert model.risk(X.iloc[some], y[some], sample_weight=[2, 0, 1]) == pytest.approx((2 * own[0] + own[2]) / 3)


def test_train_error_is_one_minus_score(case):
    model, X, y = case
    assert model.train_error_ == pytest.approx(1 - model.score(X, y))


def test_margin_is_second_best_minus_best(case):
    """Among the distances that compete: with lambda, I_0's times lambda is one of them."""
    model, X, y = case
    has_pool, split = model.lam is not None, model.owner_ != -2
    supports = oracle.supports_of(y, has_pool)
    squared = oracle.distances(
        X.to_numpy()[:, split], supports, model.owner_[split] + has_pool, divided=model.norm == "dn"
    )
    distances = np.sqrt(squared)
    np.testing.assert_allclose(model.feature_distances_[:, split], distances[int(has_pool) :], atol=1e-12)
    if has_pool:
        distances[0] *= model.lam
    nearest = np.sort(distances, axis=0)
    np.testing.assert_allclose(model.margin_[split], nearest[1] - nearest[0], atol=1e-12)
    assert np.isnan(model.margin_[~split]).all()
    assert np.isnan(model.feature_distances_[:, ~split]).all()


def test_owners_are_nearest_among_the_classes(case):
    model, _, _ = case
    owned = model.owner_ >= 0
    np.testing.assert_array_equal(np.argmin(model.feature_distances_[:, owned], axis=0), model.owner_[owned])


def test_feature_table(case):
    model, X, _ = case
    found = model.feature_table()
    per_class = [f"{what}_{label}" for what in ("distance", "mean", "variance") for label in (0, 1, 2)]
    assert list(found.columns) == ["feature", "role", "owner", "direction", "margin", *per_class]
    assert list(found["feature"]) == names_of(X)
    for role, code in (("unused", -1), ("shared", -2)):
        np.testing.assert_array_equal(found["role"] == role, model.owner_ == code)
    owned = model.owner_ >= 0
    np.testing.assert_array_equal(found["role"] == "owned", owned)
    assert list(found["owner"][owned]) == list(model.classes_[model.owner_[owned]])
    assert found["owner"][~owned].isna().all()
    np.testing.assert_array_equal(found["margin"], model.margin_)
    for j in range(3):
        np.testing.assert_array_equal(found[f"distance_{j}"], model.feature_distances_[j])
        np.testing.assert_array_equal(found[f"mean_{j}"], model.centroids_[j])
        np.testing.assert_array_equal(found[f"variance_{j}"], model.variances_[j])


def test_feature_table_names_features_that_have_no_name():
    X, y = table()
    assert list(fitted(X, y).feature_table()["feature"][:3]) == ["x0", "x1", "x2"]


def test_explanations_add_up_to_squared_distances(case):
    model, X, _ = case
    rows = model.explain(X.iloc[:5])
    assert list(rows.columns) == ["sample", "class", "feature", "value", "centroid", "contribution"]
    sums = rows.groupby(["sample", "class"])["contribution"].sum().unstack()
    np.testing.assert_allclose(sums.to_numpy(), model.distances(X.iloc[:5]) ** 2)
    for label in model.classes_:
        used = set(rows.loc[rows["class"] == label, "feature"])
        assert used == set(np.array(names_of(X))[np.isin(model.owner_, [label, -2])])
    looked_up = [X.loc[row.sample, row.feature] for row in rows.itertuples()]
    np.testing.assert_array_equal(rows["value"], looked_up)


def test_explanations_name_samples_as_the_frame_does():
    X, y = table()
    frame = pandas_frame(X).set_axis([f"patient {i}" for i in range(len(X))])
    model = fitted(frame, y)
    assert set(model.explain(frame.iloc[3:5])["sample"]) == {"patient 3", "patient 4"}
    plain = fitted(X, y)
    assert set(plain.explain(X[3:5])["sample"]) == {0, 1}
    assert set(plain.explain(X[3:5].tolist())["sample"]) == {0, 1}  # a list has an index too: a method


# ---------------------------------------------------------------------------------------------------- classification


def assert_one_decision(model, X):
    """Whichever way a user asks for the class, the answer is the same."""
    chosen = model.predict(X)
    probability = model.predict_proba(X)
    np.testing.assert_array_equal(model.classes_[np.argmax(probability, axis=1)], chosen)
    np.testing.assert_array_equal(model.classes_[np.argmax(model.predict_log_proba(X), axis=1)], chosen)
    decision = model.decision_function(X)
    second = (decision > 0).astype(int) if len(model.classes_) == 2 else np.argmax(decision, axis=1)
    np.testing.assert_array_equal(model.classes_[second], chosen)
    assert np.isfinite(probability).all()
    np.testing.assert_allclose(probability.sum(axis=1), 1)


def test_one_decision(case):
    model, X, _ = case
    assert_one_decision(model, X)


def test_decision_function_is_minus_squared_distance_plus_scaled_log_prior(case):
    model, X, _ = case
    expected = -(model.distances(X) ** 2)
    if model.class_prior_ is not None:
        expected += np.log(model.class_prior_) / model.temperature_
    np.testing.assert_allclose(model.decision_function(X), expected)


def test_probabilities_are_the_softmax_of_the_decision_times_the_temperature(case):
    model, X, _ = case
    weight = np.exp(model.temperature_ * model.decision_function(X))
    np.testing.assert_allclose(model.predict_proba(X), weight / weight.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))


def test_two_classes_have_one_column_of_decisions():
    X, y = table(sizes=(9, 8))
    model = fitted(X, y)
    decision = model.decision_function(X)
    assert decision.shape == (17,)
    squared = model.distances(X) ** 2
    np.testing.assert_allclose(decision, squared[:, 0] - squared[:, 1])
    np.testing.assert_array_equal(model.predict(X), (decision > 0).astype(int))
    assert model.predict_proba(X).shape == (17, 2)


@st.composite
def tied_tables(draw):
    """Small integers: exact ties between classes, between features and between columns are everywhere."""
    n_classes = draw(st.integers(2, 4))
    n_features = draw(st.integers(2, 6))
    n_samples = draw(st.integers(n_classes, 10))
    cells = st.lists(st.integers(-1, 2), min_size=n_features, max_size=n_features)
    X = draw(st.lists(cells, min_size=n_samples, max_size=n_samples))
    new = draw(st.lists(cells, min_size=1, max_size=6))
    y = list(range(n_classes)) + draw(
        st.lists(st.integers(0, n_classes - 1), min_size=n_samples - n_classes, max_size=n_samples - n_classes)
    )
    return np.array(X), np.array(y), np.array(new)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    tied_tables(),
    st.sampled_from([None, 1.0, np.inf]),
    st.sampled_from([None, "empirical", "uniform"]),
    st.sampled_from(["dn", "euclidean"]),
    st.sampled_from([1, 1 / 3, 1e-6, 1e6]),
)
def test_one_decision_also_on_ties(drawn, lam, priors, norm, scale):
    X, y, new = drawn
    priors = np.ones(len(np.unique(y))) if isinstance(priors, str) and priors == "uniform" else priors
    model = NearestDisjointCentroid(lam=lam, norm=norm, priors=priors, n_init=2, init="random", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # too few features, equal columns: not what is asked here
        try:
            model.fit(scale * X, y)
        except ValueError as error:
            assert "Try lam >=" in str(error)
            return
    for samples in (X, new):
        assert_one_decision(model, scale * samples)


def test_exact_ties_go_to_the_class_that_comes_first():
    """A sample in the middle between two centroids on columns that mirror each other."""
    X = np.array([[1.0, 5.0], [3.0, -5.0], [5.0, 1.0], [-5.0, 3.0]])
    model = NearestDisjointCentroid(init=[[0, 1]]).fit(X, ["b", "b", "a", "a"])
    assert list(model.classes_) == ["a", "b"]
    np.testing.assert_array_equal(model.centroids_, [[0, 2], [2, 0]])
    own = [model.centroids_[j, own] for j, own in enumerate(model.feature_sets_)]
    tie = np.empty((1, 2))
    for own_features, mean in zip(model.feature_sets_, own, strict=True):
        tie[0, own_features] = mean + 0.1
    assert model.decision_function(tie) == [0]
    assert model.predict(tie) == ["a"]
    np.testing.assert_array_equal(model.predict_proba(tie), [[0.5, 0.5]])


@pytest.mark.parametrize("scale", [1.0, 1e-5, 1e7])
def test_rounding_does_not_break_a_tie(scale):
    """Three columns at a gap of g are, divided by three, as far as one column at g; in the last bit often not."""
    X = scale * np.array([[1.0, 1, 1, 5], [-1, -1, -1, -5], [7, -7, 9, 1], [-7, 7, -9, -1]])
    model = NearestDisjointCentroid(init=[[0, 0, 0, 1]]).fit(X, ["a", "a", "b", "b"])
    assert list(model.owner_) == [0, 0, 0, 1]
    assert (model.centroids_ == 0).all()
    ties = scale * np.repeat(np.random.default_rng(0).normal(size=(200, 1)), 4, axis=1)
    squared = model.distances(ties) ** 2
    assert (squared[:, 0] > squared[:, 1]).any()  # as told apart by rounding alone
    assert (model.decision_function(ties) == 0).all()
    assert (model.predict(ties) == "a").all()
    np.testing.assert_array_equal(model.predict_proba(ties), 0.5)


# ---------------------------------------------------------------------------------------------------- selection


def test_transform_gives_the_selected_columns():
    X, y = table()
    frame = pandas_frame(X)
    model = fitted(frame, y, lam=0.9, shared_features=[2])
    used = np.flatnonzero(model.owner_ != -1)
    assert 0 < used.size < X.shape[1]
    assert 2 in used
    np.testing.assert_array_equal(model.get_support(), model.owner_ != -1)
    np.testing.assert_array_equal(model.get_support(indices=True), used)
    np.testing.assert_array_equal(model.transform(frame), X[:, used])
    assert list(model.get_feature_names_out()) == [names_of(X)[f] for f in used]
    np.testing.assert_array_equal(fitted(X, y, lam=0.9, shared_features=[2]).transform(X), X[:, used])


def test_algorithm_1_selects_everything():
    X, y = table()
    model = fitted(X, y)
    assert model.get_support().all()
    np.testing.assert_array_equal(model.transform(X), X)
    assert list(model.get_feature_names_out(["n" + str(f) for f in range(24)])) == ["n" + str(f) for f in range(24)]


# ---------------------------------------------------------------------------------------------------- labels and tables

LABELS = {
    "strings": ["healthy", "AML", "a third thing"],
    "objects": np.array(["healthy", "AML", "a third thing"], dtype=object),
    "integers": [30, -1, 7],
    "floats": [2.0, 1.0, 0.0],
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_kind(kind):
    """Renaming classes changes the order of classes, and with it which start is drawn for whom: so fix the start."""
    X, y = table()
    labels = np.asarray(LABELS[kind])
    classes, place = np.unique(labels, return_inverse=True)
    start = np.arange(24) % 3
    plain = NearestDisjointCentroid(init=[start]).fit(X, y)
    model = NearestDisjointCentroid(init=[place[start]]).fit(X, labels[y])
    np.testing.assert_array_equal(model.classes_, classes)
    np.testing.assert_array_equal(model.owner_, place[plain.owner_])
    np.testing.assert_array_equal(model.predict(X), labels[plain.predict(X)])
    assert model.score(X, labels[y]) == plain.score(X, y)
    assert model.risk(X, labels[y]) == pytest.approx(plain.risk_)
    assert set(model.feature_table()["owner"]) == set(classes)
    assert set(model.explain(X[:2])["class"]) == set(classes)


def test_boolean_labels():
    X, y = table(sizes=(9, 8))
    model = fitted(X, y == 1)
    assert model.classes_.dtype == bool
    assert model.predict(X).dtype == bool
    np.testing.assert_array_equal(model.predict(X), fitted(X, y).predict(X) == 1)
    assert {"mean_False", "mean_True"} <= set(model.feature_table().columns)


@pytest.mark.parametrize("column", [list, pd.Series, pl.Series, pd.Categorical], ids=lambda c: f"{c.__module__}")
def test_labels_in_any_container(column):
    X, y = table()
    names = np.array(["p", "q", "r"])[y].tolist()
    assert_same_model(fitted(X, column(names)), fitted(X, names))


@pytest.mark.parametrize("frame", [pandas_frame, polars_frame, np.asfortranarray, np.ndarray.tolist])
@pytest.mark.parametrize("lam", [None, 0.9])
def test_tables_in_any_container(frame, lam):
    X, y = table()
    expected = fitted(X, y, lam=lam)
    model = fitted(frame(X), y, lam=lam)
    assert_same_model(model, expected)
    np.testing.assert_array_equal(model.predict_proba(frame(X)), expected.predict_proba(X))
    np.testing.assert_array_equal(model.distances(frame(X)), expected.distances(X))
    np.testing.assert_array_equal(model.explain(frame(X))["contribution"], expected.explain(X)["contribution"])


def memory_mapped(X, folder):
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


def read_only(X, folder):
    X = X.copy()
    X.flags.writeable = False
    return X


NUMBERS = {
    "float32": lambda X, folder: X.astype(np.float32),
    "float16": lambda X, folder: X.astype(np.float16),
    "integers": lambda X, folder: X.astype(np.int64),
    "small integers": lambda X, folder: X.astype(np.int8),
    "objects": lambda X, folder: X.astype(object),
    "objects in a frame": lambda X, folder: pandas_frame(X).astype(object),
    "Fortran order": lambda X, folder: np.asfortranarray(X),
    "every other column of a wider table": lambda X, folder: np.repeat(X, 2, axis=1)[:, ::2],
    "rows backwards, twice": lambda X, folder: X[::-1].copy()[::-1],
    "read-only": read_only,
    "memory-mapped": memory_mapped,
}


@pytest.mark.parametrize(("kind", "lam"), tables.in_turn(NUMBERS, (None, 1.0)))
def test_numbers_of_any_kind_are_read_and_not_written(kind, lam, tmp_path):
    """Whole numbers, so that every kind holds the same values."""
    X, y = table()
    X = np.round(4 * X)
    given_X = NUMBERS[kind](X, tmp_path)
    before = np.array(given_X, copy=True)
    model = fitted(given_X, y, lam=lam)
    expected = fitted(X, y, lam=lam)
    assert_same_model(model, expected)
    np.testing.assert_array_equal(model.predict_proba(given_X), expected.predict_proba(X))
    model.distances(given_X), model.explain(given_X), model.risk(given_X, y), model.transform(given_X)
    np.testing.assert_array_equal(np.asarray(given_X), before)


def test_booleans_are_zeros_and_ones():
    X, y = table()
    assert_same_model(fitted(X > 0, y), fitted((X > 0).astype(float), y))


def test_float64_in_c_order_is_not_written_to():
    """The one kind that is taken as it is, without a copy."""
    X, y = table()
    before, weights = X.copy(), np.ones(len(X))
    fitted(X, y, weights, lam=0.9, shared_features=[1]).predict(X)
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(weights, 1)


def test_an_array_of_starts_is_not_written_to():
    X, y = table()
    starts = np.arange(48).reshape(2, 24) % 3
    before = starts.copy()
    NearestDisjointCentroid(init=starts).fit(X, y)
    np.testing.assert_array_equal(starts, before)


# ---------------------------------------------------------------------------------------------------- the search


@pytest.mark.parametrize(("init", "lam"), tables.in_turn((*KINDS, "auto"), (None, 1.0)))
def test_same_random_state_same_answer(init, lam):
    X, y = table()
    assert_same_model(fitted(X, y, init=init, lam=lam), fitted(X, y, init=init, lam=lam))


def test_random_state_instances_and_refits():
    X, y = table(noise=2.0)
    seeds = [np.random.RandomState(3) for _ in range(2)]
    assert_same_model(*(fitted(X, y, random_state=seed, init="auto") for seed in seeds))
    model = NearestDisjointCentroid(**QUICK)
    assert_same_model(model.fit(X, y), fitted(X, y))
    assert_same_model(model.fit(X, y), fitted(X, y))


def test_different_random_states_look_elsewhere():
    X, y = table(noise=2.0, seed=3)
    ends = {fitted(X, y, n_init=1, random_state=seed).owner_.tobytes() for seed in range(6)}
    assert len(ends) > 1


@pytest.mark.parametrize("lam", [None, 1.0])
def test_number_of_threads_changes_nothing(lam):
    X, y = table(n_features=300)
    with sizes_context(thread_operations=1.0):  # small tables are not worth a thread: let them be
        one, two, many = (fitted(X, y, lam=lam, n_init=12, n_jobs=n_jobs) for n_jobs in (1, 2, -1))
    assert_same_model(one, two)
    assert_same_model(one, many)


def test_best_restart_by_error_or_by_risk():
    """The same restarts: each criterion is at least as good as the other at what it asks for."""
    differ = []
    for seed in range(4):
        X, y = table(seed=seed, noise=2.0)
        by_error, by_risk = (fitted(X, y, criterion=criterion, n_init=20) for criterion in ("error", "risk"))
        assert by_error.train_error_ <= by_risk.train_error_
        assert by_risk.risk_ <= by_error.risk_ * (1 + 1e-9)
        differ.append((by_error.owner_ != by_risk.owner_).any())
    assert any(differ)


def test_restarts_that_counted():
    X, y = table()
    assert fitted(X, y, n_init=9).n_restarts_used_ == 9
    assert fitted(X, y, init="variance", n_init=9).n_restarts_used_ == 1  # there is only one such start
    rows = np.arange(72).reshape(3, 24) % 3
    assert fitted(X, y, init=rows, n_init=9).n_restarts_used_ == 3  # its rows are the restarts


def test_restarts_in_which_a_class_starts_with_nothing_do_not_count():
    X, y = table()
    rows = np.arange(72).reshape(3, 24) % 3
    rows[1] = np.minimum(rows[1], 1)
    assert fitted(X, y, init=rows).n_restarts_used_ == 2


def test_if_no_restart_counts_the_best_is_repaired_with_a_warning():
    X, y = table()
    with pytest.warns(UserWarning, match=r"every restart some class lost its last feature.*try another init"):
        model = NearestDisjointCentroid(init=[np.arange(24) % 2]).fit(X, y)
    assert model.n_restarts_used_ == 0
    assert [own.size > 0 for own in model.feature_sets_] == [True] * 3
    # The class that had nothing gets the one feature whose move costs least: no other raises the risk less.
    start, taken = np.arange(24) % 2, model.feature_sets_[2]
    assert taken.size == 1
    risks = [oracle.risk(X, y, np.where(np.arange(24) == f, 2, start)) for f in range(24)]
    assert int(np.argmin(risks)) == taken[0]


def test_a_repaired_start_is_not_said_to_need_more_steps():
    """It was abandoned, not cut short: raising max_iter would not help."""
    X, y = table()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        NearestDisjointCentroid(init=[np.arange(24) % 2]).fit(X, y)
    assert [w.category for w in caught] == [UserWarning]


def test_warnings_point_at_the_users_line():
    X, y = table()
    with pytest.warns(UserWarning, match="In every restart") as caught:
        NearestDisjointCentroid(init=[np.arange(24) % 2]).fit(X, y)
    assert caught[0].filename == __file__


def test_too_few_steps_are_reported():
    X, y = table(n_features=60, noise=2.0)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1 .*Raise max_iter"):
        fitted(X, y, max_iter=1, init="random", n_init=1)


@pytest.mark.parametrize("init", KINDS)
@pytest.mark.parametrize("lam", [None, 1.0])
def test_kinds_of_starts(init, lam):
    X, y = table()
    model = fitted(X, y, init=init, lam=lam)
    assert model.init_ == init
    assert all(own.size for own in model.feature_sets_)
    assert (model.owner_ >= (0 if lam is None else -1)).all()


def test_variance_start_is_the_oracles():
    X, y = table()
    for lam in (None, 0.9):
        start = oracle.variance_start(X, y, lam)
        expected, n_iter, alive = oracle.ndc(X, y, start, lam)
        assert alive
        model = fitted(X, y, init="variance", lam=lam)
        np.testing.assert_array_equal(model.owner_, expected - (lam is not None))
        assert model.n_iter_ == n_iter


def held_out_error(X, y, init, lam, folds):
    """Cross-validated error of one kind of start, by fitting the public estimator on every fold."""
    errors = [1 - fitted(X[train], y[train], init=init, lam=lam).score(X[test], y[test]) for train, test in folds]
    return np.mean(errors)


@pytest.mark.parametrize(("seed", "lam"), tables.in_turn(range(4), (None, 1.0)))
def test_auto_is_the_kind_with_the_lowest_held_out_error(seed, lam):
    X, y = table(seed=seed, noise=1.5)
    model = fitted(X, y, init="auto", lam=lam)
    folds = StratifiedKFold(5, shuffle=True, random_state=first_draw(QUICK["random_state"])).split(X, y)
    folds = list(folds)
    errors = [held_out_error(X, y, init, lam, folds) for init in KINDS]
    assert model.init_ == KINDS[int(np.argmin(np.round(errors, 12)))]
    assert_same_model(model, fitted(X, y, init=model.init_, lam=lam))


def first_draw(random_state):
    """The seed that every kind of start, and the folds that judge them, follow from."""
    return np.random.RandomState(random_state).randint(2**31 - 1)


def test_auto_does_not_follow_the_training_error():
    """Somewhere the kind that fits the training samples best is not the one that is chosen."""
    overruled = 0
    for seed in range(5):
        X, y = table(seed=seed, noise=1.5)
        best = min(fitted(X, y, init=init).train_error_ for init in KINDS)
        overruled += fitted(X, y, init="auto").train_error_ > best
    assert overruled > 0


# ---------------------------------------------------------------------------------------------------- priors


def test_equal_priors_decide_as_none():
    X, y = table()
    plain = fitted(X, y)
    model = fitted(X, y, priors=[2, 2, 2])
    np.testing.assert_allclose(model.class_prior_, 1 / 3)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X))
    assert plain.class_prior_ is None


def test_empirical_priors_are_the_shares_of_the_classes():
    X, y = table()
    np.testing.assert_allclose(fitted(X, y, priors="empirical").class_prior_, np.bincount(y) / y.size)
    weights = np.where(y == 0, 3.0, 1.0)
    shares = np.bincount(y, weights) / weights.sum()
    np.testing.assert_allclose(fitted(X, y, weights, priors="empirical").class_prior_, shares)


@pytest.mark.parametrize("favoured", [0, 1, 2])
def test_a_strong_prior_moves_decisions_and_nothing_else(favoured):
    X, y = table()
    plain = fitted(X, y)
    priors = np.full(3, 1e-3)
    priors[favoured] = 1
    model = fitted(X, y, priors=priors)
    np.testing.assert_array_equal(model.owner_, plain.owner_)
    np.testing.assert_array_equal(model.distances(X), plain.distances(X))
    gained, lost = (model.predict(X) == favoured), (plain.predict(X) == favoured)
    assert gained.sum() > lost.sum()
    assert (gained | ~lost).all()
    assert model.train_error_ == pytest.approx(1 - model.score(X, y))
    assert_one_decision(model, X)


@pytest.mark.parametrize(
    "priors", [[0.5, 0.5], [0.2, -0.2, 1.0], [0.0, 0.5, 0.5], [np.nan, 1, 1], [np.inf, 1, 1], [[1, 1, 1]]], ids=str
)
def test_priors_that_are_none(priors):
    X, y = table()
    with pytest.raises(ValueError, match=r"priors must be 3 positive numbers, one per class in the order of classes_"):
        fitted(X, y, priors=priors)


# ---------------------------------------------------------------------------------------------------- shared features

SHARED = {
    "names": ["gene 20", "gene 3"],
    "array of names": np.array(["gene 3", "gene 20"]),
    "pandas index": pd.Index(["gene 3", "gene 20"]),
    "indices": [4, 21],
    "negative indices": [-20, -3],
    "mask": np.isin(np.arange(24), [4, 21]),
    "mask as a list": [f in (4, 21) for f in range(24)],
}


@pytest.mark.parametrize(("kind", "lam"), tables.in_turn(SHARED, (None, 0.9)))
def test_shared_features_by(kind, lam):
    X, y = table()
    model = fitted(pandas_frame(X), y, shared_features=SHARED[kind], lam=lam)
    np.testing.assert_array_equal(np.flatnonzero(model.owner_ == -2), [4, 21])
    assert not np.isin([4, 21], np.concatenate(model.feature_sets_)).any()
    assert model.get_support()[[4, 21]].all()


def test_shared_features_from_a_selector():
    X, y = table()
    selector = SelectKBest(k=3)
    model = fitted(pandas_frame(X), y, shared_features=selector)
    expected = SelectKBest(k=3).fit(X, y).get_support()
    np.testing.assert_array_equal(model.owner_ == -2, expected)
    assert not hasattr(selector, "scores_")  # the user's selector stays as it was


def test_no_shared_features():
    X, y = table()
    for nothing in ([], np.zeros(24, bool)):
        assert_same_model(fitted(X, y, shared_features=nothing), fitted(X, y))


@pytest.mark.parametrize("lam", [None, 1.0])
def test_shared_features_do_not_change_how_the_others_are_split(lam):
    """Only which restart is best: from one start the others end where they would end alone."""
    X, y = table()
    start = np.arange(24) % 3
    others = np.setdiff1d(np.arange(24), [4, 21])
    alone = NearestDisjointCentroid(init=[start[others]], lam=lam).fit(X[:, others], y)
    model = NearestDisjointCentroid(init=[start], lam=lam, shared_features=[4, 21]).fit(X, y)
    np.testing.assert_array_equal(model.owner_[others], alone.owner_)


def test_shared_features_count_in_the_training_error_that_chooses():
    """A column that gives every class away: each restart is perfect with it, so the risk decides."""
    X, y = table(noise=2.0)
    X = np.column_stack([100.0 * y, X])
    model = fitted(X, y, shared_features=[0])
    assert model.train_error_ == 0
    assert model.score(X, y) == 1


@pytest.mark.parametrize(
    ("shared", "message"),
    [
        (["gene 3", "no such gene"], r"shared_features not among the columns of X: no such gene"),
        ([24], r"shared_features as indices .*24.*; got 24"),
        ([-25, 3], r"shared_features as indices.*-25"),
        ([True, False], r"shared_features as a mask needs 24 entries, one per feature; got 2"),
        ([[1, 2]], r"shared_features must be one-dimensional; got an array of shape \(1, 2\)"),
        (range(24), r"shared_features names all 24 features.*Name fewer"),
        (SelectKBest(k="all"), r"shared_features names all 24 features.*Name fewer"),
    ],
    ids=["unknown name", "index too large", "index too small", "short mask", "two dimensions", "all", "all selected"],
)
def test_shared_features_that_are_none(shared, message):
    X, y = table()
    with pytest.raises(ValueError, match=message):
        fitted(pandas_frame(X), y, shared_features=shared)


def test_names_need_a_frame():
    X, y = table()
    with pytest.raises(
        ValueError, match=r"names, but X has no column names.*data frame, or shared_features as indices"
    ):
        fitted(X, y, shared_features=["gene 3"])


# ---------------------------------------------------------------------------------------------------- sample weights


@pytest.mark.parametrize("parameters", SETTINGS.values(), ids=SETTINGS)
def test_weight_zero_is_removal(parameters):
    X, y = table(seed=2)
    weights = np.ones(y.size)
    weights[[0, 5, 11, 20]] = 0
    kept = weights > 0
    assert_same_model(fitted(X, y, weights, **parameters), fitted(X[kept], y[kept], **parameters))


def test_weight_zero_on_a_whole_class_removes_the_class():
    X, y = table(seed=2)
    weights = np.where(y == 1, 0.0, 1.0)
    model = fitted(X, y, weights, lam=1.0)
    assert list(model.classes_) == [0, 2]
    assert_same_model(model, fitted(X[y != 1], y[y != 1], lam=1.0))
    assert model.decision_function(X).ndim == 1


@pytest.mark.parametrize(("name", "init"), tables.in_turn(SETTINGS, KINDS))
def test_whole_weights_are_repetition(name, init):
    parameters = SETTINGS[name]
    X, y = table(seed=2)
    weights = np.random.default_rng(0).integers(0, 4, size=y.size)
    again = np.repeat(np.arange(y.size), weights)
    weighted = fitted(X, y, weights, init=init, **parameters)
    repeated = fitted(X[again], y[again], init=init, **parameters)
    assert_same_model(weighted, repeated, exactly=False)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-7)
    assert weighted.train_error_ == pytest.approx(1 - weighted.score(X, y, sample_weight=weights))
    assert weighted.risk(X, y, weights) == pytest.approx(weighted.risk_)


def test_weights_matter():
    X, y = table(seed=2)
    weights = np.random.default_rng(0).uniform(0.1, 5, size=y.size)
    assert np.abs(fitted(X, y, weights).centroids_ - fitted(X, y).centroids_).max() > 0.1
    np.testing.assert_allclose(fitted(X, y, weights).centroids_, oracle.class_means(X, y, weights))


@pytest.mark.parametrize("factor", [0.01, 7.0])
def test_only_the_proportions_of_weights_choose_features(factor):
    X, y = table(seed=2)
    model, plain = fitted(X, y, np.full(y.size, factor), lam=1.0), fitted(X, y, lam=1.0)
    np.testing.assert_array_equal(model.owner_, plain.owner_)
    assert model.risk_ == pytest.approx(plain.risk_)
    assert model.train_error_ == pytest.approx(plain.train_error_)
