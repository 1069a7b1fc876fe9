"""The rival that ranks features one by one: it shares everything with the panel classifier but the picks."""

import numpy as np
from sklearn.datasets import load_iris

from disjoint_centroids import DisjointPanelClassifier
from real_data_study.rank_panels import RankPanelCV, ranked_models


def test_one_feature_a_class_is_a_draft_of_one_round():
    X, y = load_iris(return_X_y=True)
    X = X + 1e-6 * np.random.default_rng(0).normal(size=X.shape)
    (model,) = ranked_models(X, y, [1])
    drafted = DisjointPanelClassifier(rounds=1, terms="linear", penalty=0.5, random_state=0).fit(X, y)
    # The draft matches for the largest sum, the rival takes turns: the first to pick gets its best in both.
    assert model.panels[0].tolist() == [int(np.argmax(np.abs(np.corrcoef(X.T, y == 0)[:4, 4])))]
    assert len(drafted.feature_sets_[0]) == 1


def test_copies_of_the_best_feature_are_all_taken():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    signal = 2.0 * y + rng.normal(size=80)
    other = 1.5 * y + rng.normal(size=80)
    X = np.column_stack([signal, signal + 1e-3 * rng.normal(size=80), other, rng.normal(size=(80, 5))])
    (model,) = ranked_models(X, y, [1])
    assert sorted(model.features.tolist()) == [0, 1]  # rank sees the copy; a residual would not


def test_size_by_cross_validation_and_labels():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["a", "b", "c"])[y]
    model = RankPanelCV(sizes=(1,), random_state=0).fit(X, labels)
    assert model.size_ == 1
    assert model.n_features_used_ == 3
    assert model.score(X, labels) > 0.85
