"""Votes of the nearest training samples, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier

import awkward_tables as tables
import labelled
import oracle_extensions as oracle
from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV
from disjoint_centroids.centroids.extensions import DisjointKNeighborsClassifier
from disjoint_centroids.numerics.sizes import sizes_context


def quick(n_neighbors=5, **options):
    return DisjointKNeighborsClassifier(
        n_neighbors=n_neighbors, estimator=NearestDisjointCentroid(n_init=6, **options), random_state=0
    )


#  Class 0 owns f0, class 1 owns f1: distances are |x0 - s0| to samples of class 0 and |x1 - s1| to those of class 1.
X_PAPER = np.array([[0.0, 9.0], [1.0, 3.0], [2.0, 6.0], [8.0, 5.0], [2.0, 5.5], [5.0, 6.0]])
Y_PAPER = np.array([0, 0, 0, 1, 1, 1])
ON_PAPER = {"init": [[0, 1]]}


@pytest.mark.parametrize(
    ("n_neighbors", "votes", "label"),
    [
        # x = (1.2, 5.1): class 0 at 1.2, 0.2, 0.8; class 1 at 0.1, 0.4, 0.9. In order: 1 0 1 0 1 0.
        (1, [0, 1], 1),
        (2, [1, 1 + 1e-9], 1),
        (3, [1, 2], 1),
        (6, [3, 3 + 3e-9], 1),
    ],
)
def test_worked_example(n_neighbors, votes, label):
    model = quick(n_neighbors, **ON_PAPER).fit(X_PAPER, Y_PAPER)
    np.testing.assert_array_equal(model.owner_, [0, 1])
    x = [[1.2, 5.1]]
    np.testing.assert_allclose(model._scores(x), [votes], rtol=1e-14)
    np.testing.assert_allclose(model.predict_proba(x), [np.array(votes) / np.sum(votes)], rtol=1e-14)
    assert model.predict(x) == label


def test_voters_of_the_worked_example():
    model = quick(3, **ON_PAPER).fit(X_PAPER, Y_PAPER)
    found = model.voters([[1.2, 5.1], [0.0, 0.0]])
    np.testing.assert_array_equal(found["sample"], [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(found["neighbour"], [3, 1, 4, 0, 1, 2])
    np.testing.assert_array_equal(found["class"], [1, 0, 1, 0, 0, 0])
    np.testing.assert_allclose(found["distance"], [0.1, 0.2, 0.4, 0.0, 1.0, 2.0])
    np.testing.assert_array_equal(found["vote"], 1.0)


def test_samples_that_tie_share_the_last_votes():
    # x = (1, 5): class 0 at 1, 0, 1; class 1 at 0, 0.5, 1. Two at 0, one at 0.5, three at 1 for what is left.
    model = quick(4, **ON_PAPER).fit(X_PAPER, Y_PAPER)
    np.testing.assert_allclose(model.decision_function([[1.0, 5.0]]), (2 + 1 / 3) - (1 + 2 / 3))
    np.testing.assert_allclose(model.voters([[1.0, 5.0]])["vote"], [1, 1, 1, 1 / 3, 1 / 3, 1 / 3])
    # With two votes it is one all, and both nearest samples are at 0: the first class wins.
    model = quick(2, **ON_PAPER).fit(X_PAPER, Y_PAPER)
    assert model.predict([[1.0, 5.0]]) == 0
    assert model.predict_proba([[1.0, 5.0]]).argmax() == 0


@pytest.mark.parametrize("options", [{}, {"lam": 1.0}, {"norm": "euclidean"}, {"shared_features": [0, 5]}], ids=str)
@pytest.mark.parametrize("name", ["few samples a class", "unbalanced", "two classes", "small integers"])
@pytest.mark.parametrize("variant", ["plain", "weighted"])
@pytest.mark.filterwarnings("ignore:In every restart:UserWarning")
def test_votes_are_the_oracles(name, variant, options):
    table = tables.table(name, variant)
    rng = np.random.default_rng(0)
    new = np.vstack([table.X, np.round(table.X[::2] + rng.normal(size=table.X[::2].shape))])
    for n_neighbors in (1, 4, 7):
        model = quick(n_neighbors, **options).fit(table.X, table.y, sample_weight=table.weights)
        scores, predicted = model._scores(new), model.predict(new)
        for at, x in enumerate(new):
            votes, winner = oracle.votes(
                x, table.X, table.y, model.owner_, n_neighbors, table.weights, options.get("norm") != "euclidean"
            )
            np.testing.assert_allclose(scores[at], votes, rtol=1e-8)
            assert predicted[at] == winner, (n_neighbors, at)


@pytest.mark.filterwarnings("ignore:In every restart:UserWarning")
@pytest.mark.parametrize("name", tables.TIED)
@given(n_neighbors=st.integers(1, 9))
def test_one_answer_in_every_form(name, n_neighbors):
    table = tables.table(name)
    model = quick(n_neighbors).fit(table.X, table.y)
    predicted, probabilities = model.predict(table.X), model.predict_proba(table.X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], predicted)
    np.testing.assert_array_equal(model.classes_[model.decision_function(table.X).argmax(axis=1)], predicted)
    np.testing.assert_array_equal(np.exp(model.predict_log_proba(table.X)).argmax(axis=1), probabilities.argmax(axis=1))
    assert model.train_error_ == pytest.approx(np.mean(predicted != table.y))


@pytest.mark.parametrize("name", [*tables.TIED, "unbalanced"])
@pytest.mark.filterwarnings("ignore:In every restart:UserWarning")
def test_the_order_of_the_table_changes_nothing(name):
    table = tables.table(name)
    order = np.random.default_rng(0).permutation(len(table.y))
    for n_neighbors in (1, 2, 5, 8):
        model = quick(n_neighbors).fit(table.X, table.y)
        mixed = quick(n_neighbors).fit(table.X[order], table.y[order])
        np.testing.assert_array_equal(model.owner_, mixed.owner_)
        np.testing.assert_allclose(mixed.predict_proba(table.X), model.predict_proba(table.X), atol=1e-12)
        np.testing.assert_array_equal(mixed.predict(table.X), model.predict(table.X))


def test_a_weight_is_that_many_samples():
    table = tables.table("unbalanced")
    weights = np.random.default_rng(1).integers(0, 4, size=len(table.y))
    weights[[np.flatnonzero(table.y == j)[0] for j in range(table.n_classes)]] = 1
    start = quick().fit(table.X, table.y).owner_[None]
    weighted = quick(4, init=start).fit(table.X, table.y, sample_weight=weights)
    repeated = quick(4, init=start).fit(np.repeat(table.X, weights, axis=0), np.repeat(table.y, weights))
    np.testing.assert_allclose(weighted.predict_proba(table.X), repeated.predict_proba(table.X), atol=1e-12)
    assert not np.isin(weighted.sample_rows_, np.flatnonzero(weights == 0)).any()


def test_where_all_features_but_a_constant_one_are_shared_it_is_the_ordinary_vote():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 15)
    levels = np.tile([0.0, 5.0, 9.0], (45, 1))
    X = np.hstack([rng.normal(size=(45, 6)) + y[:, None], levels])
    model = quick(5, shared_features=np.arange(6), init=[[0] * 6 + [0, 1, 2]]).fit(X, y)
    np.testing.assert_array_equal(model.owner_[6:], [0, 1, 2])
    new = np.hstack([rng.normal(size=(200, 6)) + 1.0, np.tile(levels[:1], (200, 1))])
    # All squared distances are a seventh of the usual ones: the same neighbours.
    ordinary = KNeighborsClassifier(5).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(new), ordinary.predict_proba(new), atol=1e-8)


def test_blocks_of_samples_change_nothing():
    table = tables.table("few samples a class")
    model = quick(4).fit(table.X, table.y)
    expected, voters = model.predict_proba(table.X), model.voters(table.X)
    with sizes_context(neighbour_distances=3 * len(table.y)):
        np.testing.assert_array_equal(model.predict_proba(table.X), expected)
        assert model.voters(table.X).equals(voters)


def test_voters_name_the_samples_of_a_frame():
    X, y = labelled.table()
    frame = labelled.pandas_frame(X)
    frame.index = [f"patient {i}" for i in range(len(y))]
    labels = np.array(["AML", "ALL", "CLL"])[y]
    found = quick(3).fit(frame, labels).voters(frame.iloc[:2])
    assert found["sample"].tolist() == ["patient 0"] * 3 + ["patient 1"] * 3
    np.testing.assert_array_equal(found["class"], labels[found["neighbour"]])
    assert found["neighbour"].iloc[0] == 0  # itself
    assert found["distance"].iloc[0] == 0.0


def test_more_neighbours_than_samples():
    X, y = labelled.table((7, 4, 3))
    with pytest.warns(UserWarning, match=r"n_neighbors=15, but there are 14 training samples.*Lower n_neighbors"):
        model = quick(15).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), 0)
    np.testing.assert_allclose(model.predict_proba(X), np.tile([7 / 14, 4 / 14, 3 / 14], (14, 1)))
    quick(14).fit(X, y)


def test_a_class_without_features_has_no_say():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 10)
    X = rng.normal(size=(30, 2)) + y[:, None]
    with pytest.warns(UserWarning, match="own no feature; they are never predicted"):
        model = quick(30).fit(X, y)
    (mute,) = [j for j in range(3) if model.feature_sets_[j].size == 0]
    probabilities = model.predict_proba(X)
    assert (probabilities[:, mute] == 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert np.isneginf(model.predict_log_proba(X)[:, mute]).all()
    assert mute not in model.voters(X)["class"].to_numpy()


def test_lambda_by_cross_validation():
    X, y = labelled.table(noise=0.7)
    inner = NearestDisjointCentroidCV(n_lams=4, cv=3, n_init=6)
    model = DisjointKNeighborsClassifier(n_neighbors=5, estimator=inner, random_state=0).fit(X, y)
    assert model.get_support().sum() == (model.owner_ != -1).sum()
    assert model.score(X, y) > 0.8


def test_the_training_table_may_change_afterwards():
    X, y = labelled.table()
    model = quick().fit(X, y)
    expected, new = model.predict_proba(X), X.copy()
    X[:] = 0.0
    np.testing.assert_array_equal(model.predict_proba(new), expected)


def test_distances_to_centroids_do_not_make_a_vote():
    X, y = labelled.table()
    with pytest.raises(TypeError, match="cannot classify by distances to centroids"):
        quick().fit(X, y)._scores_of(np.ones((1, 3)))
