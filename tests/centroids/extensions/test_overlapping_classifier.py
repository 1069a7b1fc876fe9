"""Centroids on sets that may overlap: the estimator around the engine's two-way clusterings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

import awkward_tables as tables
import labelled
import oracle
import oracle_extensions
from disjoint_centroids.centroids.extensions import OverlappingCentroidClassifier
from disjoint_centroids.datasets import make_blocks

pytestmark = pytest.mark.filterwarnings("error")


def quick(**options):
    return OverlappingCentroidClassifier(**{"n_init": 8, "random_state": 0, **options})


@pytest.mark.parametrize("max_features", [None, 4])
@pytest.mark.parametrize("variant", ["plain", "weighted"])
@pytest.mark.parametrize("name", ["few samples a class", "unbalanced", "two classes"])
def test_from_variances_everything_is_the_oracles(name, variant, max_features):
    table = tables.table(name, variant)
    model = quick(lam=0.95, init="variance", max_features_per_class=max_features)
    model.fit(table.X, table.y, sample_weight=table.weights)
    means = oracle.class_means(table.X, table.y, table.weights)
    squared = []
    for label in range(table.n_classes):
        start = oracle_extensions.variance_start(table.X, table.y, label, 0.95, table.weights)
        *_, held, margin = oracle_extensions.best_set(
            table.X, table.y, label, [start], 0.95, max_features, table.weights
        )
        np.testing.assert_array_equal(model.membership_[label], held)
        np.testing.assert_array_equal(model.feature_sets_[label], np.flatnonzero(held))
        np.testing.assert_allclose(model.margin_[label], margin, atol=1e-9)
        squared.append(oracle_extensions.squared_on(table.X, means[label], held))
    squared = np.transpose(squared)
    np.testing.assert_allclose(model.distances(table.X), np.sqrt(squared), atol=1e-7)
    expected = oracle.lowest_nearest(squared.T, np.zeros(len(squared)))
    np.testing.assert_array_equal(model.predict(table.X), expected)
    assert model.train_error_ == pytest.approx(np.average(expected != table.y, weights=table.weights))
    own = squared[np.arange(len(squared)), table.y]
    assert model.risk_ == pytest.approx(np.average(own, weights=table.weights))
    assert model.risk(table.X, table.y, table.weights) == pytest.approx(model.risk_)


def test_finds_the_blocks_and_leaves_the_rest():
    X, y = make_blocks(k=4, n=100, d=5, irrelevant=30, random_state=0)
    model = quick(lam=0.8).fit(X, y)
    np.testing.assert_array_equal(model.membership_, np.arange(50) // 5 == np.arange(4)[:, None])
    np.testing.assert_array_equal(model.get_support(), np.arange(50) < 20)


def test_a_feature_that_two_classes_share_is_kept_by_both():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 60)
    X = 3.0 * rng.normal(size=(180, 20))
    for classes, features in (((0, 1), slice(0, 4)), ((0,), slice(4, 8)), ((1,), slice(8, 12)), ((2,), slice(12, 16))):
        quiet = np.isin(y, classes)
        X[quiet, features] /= 10.0
    model = quick(lam=0.8).fit(X, y)
    np.testing.assert_array_equal(model.membership_[:, :4].all(axis=1), [True, True, False])
    assert not hasattr(model, "owner_")
    table = model.feature_table()
    np.testing.assert_array_equal(table["n_classes"][:4], 2)
    assert table["role"].tolist() == ["used"] * 16 + ["unused"] * 4


def test_the_smaller_lambda_the_fewer_features():
    X, y = make_blocks(k=3, n=60, d=5, irrelevant=40, random_state=1)
    sizes = [quick(lam=lam).fit(X, y).membership_.sum() for lam in (0.8, 1.0, 1.2, np.inf)]
    assert sizes == sorted(sizes)
    assert sizes[0] <= 20
    assert sizes[-1] == 3 * 55


@given(st.integers(1, 30), st.sampled_from([0.9, 1.0, 1.2, np.inf]), st.integers(0, 3))
def test_no_class_keeps_more_than_allowed(most, lam, seed):
    X, y = labelled.table(seed=seed)
    free = quick(lam=lam, init="variance").fit(X, y)
    bound = quick(lam=lam, init="variance", max_features_per_class=most).fit(X, y)
    for kept, before, margin in zip(bound.membership_, free.membership_, free.margin_, strict=True):
        assert kept.sum() == min(most, before.sum())
        assert (before | ~kept).all()
        if kept.sum() < before.sum():
            assert margin[kept].min() >= margin[before & ~kept].max() - 1e-7
    np.testing.assert_array_equal(bound.get_support(), bound.membership_.any(axis=0))
    np.testing.assert_array_equal(bound.transform(X), X[:, bound.get_support()])


@pytest.mark.parametrize("priors", [None, "empirical"])
@pytest.mark.parametrize("name", tables.UNTIED)
def test_one_answer_in_every_form(name, priors):
    table = tables.table(name)
    model = quick(lam=1.2, priors=priors).fit(table.X, table.y)
    probabilities, predicted = model.predict_proba(table.X), model.predict(table.X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], predicted)
    decision = model.decision_function(table.X)
    chosen = (decision > 0).astype(int) if table.n_classes == 2 else decision.argmax(axis=1)
    np.testing.assert_array_equal(model.classes_[chosen], predicted)
    assert (model.membership_.sum(axis=1) > 0).all()


@given(st.permutations(range(3)))
def test_names_of_classes_permuted_permute_the_answer(names):
    X, y = labelled.table()
    model, renamed = quick(lam=0.95).fit(X, y), quick(lam=0.95).fit(X, np.asarray(names)[y])
    np.testing.assert_array_equal(renamed.membership_[list(names)], model.membership_)
    np.testing.assert_allclose(renamed.distances(X)[:, list(names)], model.distances(X))


@given(st.integers(0, 10))
def test_samples_shuffled_give_the_same_answer(seed):
    X, y = labelled.table()
    order = np.random.default_rng(seed).permutation(len(y))
    model, mixed = quick(lam=0.95).fit(X, y), quick(lam=0.95).fit(X[order], y[order])
    np.testing.assert_array_equal(mixed.membership_, model.membership_)


def test_feature_table():
    X, y = labelled.table((12, 9))
    model = quick(lam=0.95).fit(labelled.pandas_frame(X), np.array(["AML", "ALL"])[y])
    table = model.feature_table()
    each = ("uses", "direction", "margin", "distance", "mean", "variance")
    kinds = [f"{kind}_{label}" for kind in each for label in ("ALL", "AML")]
    assert list(table) == ["feature", "role", "n_classes", *kinds]
    assert table["feature"].tolist() == labelled.names_of(X)
    np.testing.assert_array_equal(table["uses_AML"], model.membership_[1])
    np.testing.assert_allclose(table["variance_ALL"], X[y == 1].var(axis=0))
    np.testing.assert_array_equal(table["role"] == "used", model.get_support())
    is_higher = X[y == 0].mean(axis=0) > X[y == 1].mean(axis=0)
    told = np.where(table["uses_AML"], np.where(is_higher, "up", "down"), "")
    assert table["direction_AML"].tolist() == told.tolist()


def test_explanations_add_up_to_the_distances():
    X, y = labelled.table()
    model = quick(lam=0.95).fit(X, y)
    explained = model.explain(X)
    sums = explained.groupby(["sample", "class"])["contribution"].sum().unstack()
    np.testing.assert_allclose(sums, model.distances(X) ** 2)
    assert len(explained) == len(X) * model.membership_.sum()


def test_lambda_by_grid_search():
    X, y = make_blocks(k=3, n=60, d=5, irrelevant=20, random_state=1)
    search = GridSearchCV(quick(), {"lam": [0.85, 1.0, 1.3]}, cv=3).fit(X, y)
    assert search.best_params_ == {"lam": 0.85}


def test_too_small_a_lambda_names_one_that_works():
    X, y = labelled.table()
    labels = np.array(["AML", "ALL", "CLL"])[y]
    with pytest.raises(ValueError, match=r"at lam=0.001 no feature stays with classes ALL, AML, CLL\. Try lam >= "):
        quick(lam=1e-3).fit(X, labels)
    with pytest.raises(ValueError, match="Try lam >= ") as caught:
        quick(lam=0.1).fit(X, labels)
    named = float(str(caught.value).split("lam >= ")[1].split()[0])
    assert quick(lam=named).fit(X, labels).n_restarts_used_ > 0


def test_a_table_of_equal_values():
    with pytest.warns(UserWarning, match=r"In every restart classes 0, 1 lost the last feature.*drop them"):
        model = quick().fit(np.ones((6, 3)), [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(model.predict(np.ones((2, 3))), 0)
    assert model.n_restarts_used_ == 0


def test_max_iter_is_worth_a_warning():
    X, y = labelled.table(n_features=60)
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        quick(max_iter=1, init="random").fit(X, y)


def test_priors():
    X, y = labelled.table(noise=3.0)
    likely = quick(lam=1.2, priors=[0.98, 0.01, 0.01]).fit(X, y)
    plain = quick(lam=1.2).fit(X, y)
    np.testing.assert_array_equal(likely.membership_, plain.membership_)
    assert (likely.predict(X) == 0).sum() > (plain.predict(X) == 0).sum()
    with pytest.raises(ValueError, match="priors must be 3 positive numbers"):
        quick(lam=1.2, priors=[0.5, 0.5]).fit(X, y)


@pytest.mark.parametrize(
    ("name", "value"), [("lam", 0.0), ("lam", None), ("max_features_per_class", 0), ("init", "auto"), ("n_init", 0)]
)
def test_parameters_out_of_range(name, value):
    X, y = labelled.table()
    with pytest.raises(ValueError, match=f"The '{name}' parameter of OverlappingCentroidClassifier must be"):
        quick(**{name: value}).fit(X, y)
