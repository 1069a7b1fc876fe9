"""The displays of centroid models, on panels and on the paper's further classifiers."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from disjoint_centroids import (
    DisjointKNeighborsClassifier,
    DisjointLogisticRegression,
    DisjointPanelClassifier,
    NearestDisjointCentroid,
    OverlappingCentroidClassifier,
)
from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.plots import CentroidDisplay, ClassMatrixDisplay, ExplanationDisplay, PartitionDisplay

pytestmark = pytest.mark.filterwarnings("error")


def test_blocks_hold_the_panels_high_ones_first(panel):
    model, X, y = panel
    display = PartitionDisplay.from_estimator(model, X, y)
    sizes = [len(own) for own in model.feature_sets_]
    assert display.column_counts.tolist()[:4] == [*sizes, 0]
    at = 0
    whole = (X - X.mean(axis=0)) / X.std(axis=0)
    for coef, own in zip(model.coef_, model.feature_sets_, strict=True):
        high = [f for f in own if coef[f] >= 0]
        low = [f for f in own if coef[f] < 0]
        drawn = display.values[:, at : at + len(own)]
        np.testing.assert_allclose(drawn, whole[np.argsort(y, kind="stable")][:, [*high, *low]])
        at += len(own)
    assert any((coef[own] < 0).any() for coef, own in zip(model.coef_, model.feature_sets_, strict=True))
    assert display.n_unused == (model.owner_ == -1).sum()


def test_centroids_are_those_of_the_panels(panel):
    model, X, y = panel
    display = CentroidDisplay.from_estimator(model, X, y, n_features=100)
    for label, own in zip(model.classes_, model.feature_sets_, strict=True):
        rows = display.bars[display.bars["class"] == label]
        assert set(rows["feature"]) == {f"x{f}" for f in own}
        for name, stands_out in zip(rows["feature"], rows["stands_out"], strict=True):
            column = X[:, int(name[1:])]
            means = {c: column[y == c].mean() for c in "abc"}
            others = np.mean([mean for c, mean in means.items() if c != label])
            within = np.sqrt(sum(((column[y == c] - means[c]) ** 2).sum() for c in "abc") / (len(y) - 3))
            assert stands_out == pytest.approx((means[label] - others) / within)


@pytest.mark.parametrize("reads", ["all", "own"])
def test_a_score_is_explained_by_hand(two_classes, reads):
    X, y, model = two_classes
    if reads == "own":
        model = clone(model).set_params(reads="own").fit(X, y)
    display = ExplanationDisplay.from_estimator(model, X, sample=3, n_features=2)
    assert display.kind == "score"
    z = (X[3] - model.center_) / model.scale_
    for j, label in enumerate(model.classes_):
        rows = display.contributions[display.contributions["class"] == label]
        used = np.concatenate(model.feature_sets_) if reads == "all" else model.feature_sets_[j]
        gaps = z - (model.centroids_[j] - model.center_) / model.scale_
        adds = np.where(model.owner_ == j, model.curvature_[j] * gaps**2, 0.0) + model.coef_[j] * z
        found = rows.set_index("feature")["contribution"].to_dict()
        assert found == pytest.approx({f"x{f}": adds[f] for f in used})
        assert rows["contribution"].abs().is_monotonic_decreasing
        assert display.totals[label] == pytest.approx(model.intercept_[j] + adds[used].sum())
        assert rows["owner"].tolist() == [model.classes_[model.owner_[int(name[1:])]] for name in rows["feature"]]
        means = X[y == label].mean(axis=0), X[y != label].mean(axis=0)
        for name, expected in zip(("centroid", "others"), means, strict=True):
            assert rows[name].tolist() == pytest.approx([expected[int(name[1:])] for name in rows["feature"]])
    assert display.totals.is_monotonic_decreasing
    assert display.predicted == model.predict(X[[3]])[0]


@pytest.mark.parametrize("reads", ["all", "own"])
def test_bars_and_words_of_a_score_match_the_data(panel, reads):
    model, X, y = panel
    if reads == "own":
        model = clone(model).set_params(reads="own").fit(X, y)
    mixed = (model.decision_function(X) < 0).any(axis=1) & (model.decision_function(X) > 0).any(axis=1)
    display = ExplanationDisplay.from_estimator(model, X, sample=int(np.flatnonzero(mixed)[0]), n_features=3)
    totals, *panels = display.axes_
    np.testing.assert_allclose([bar.get_width() for bar in totals.patches], display.totals)
    low, high = totals.get_xlim()
    assert low <= display.totals.min() < 0 < display.totals.max() <= high
    assert ("a feature has the colour of its owner" in totals.get_xlabel()) == (reads == "all")
    colours = dict(zip(display.totals.index, (bar.get_facecolor() for bar in totals.patches), strict=True))
    for label, ax in zip(display.totals.index, panels, strict=True):
        rows = display.contributions[display.contributions["class"] == label]
        assert len(rows) == (15 if reads == "all" else 5)
        np.testing.assert_allclose([bar.get_width() for bar in ax.patches], rows["contribution"].head(3))
        assert [bar.get_facecolor() for bar in ax.patches] == [colours[owner] for owner in rows["owner"].head(3)]
        start = round(model.intercept_[list(model.classes_).index(label)], 2) + 0.0  # zero is positive
        if reads == "all":
            own = rows["owner"] == label
            parts = [rows.loc[part, "contribution"].sum() for part in (own, ~own)]
            sentence = f"start {start:+.2f}, own 5: {parts[0]:+.2f},\n10 of other classes: {parts[1]:+.2f}"
            assert ax.get_title().endswith(f"{sentence}\ndrawn: the largest 3 of 15")
        else:
            parts = [rows["contribution"].head(3).sum(), rows["contribution"].iloc[3:].sum()]
            sentence = f"start {start:+.2f}, these 3: {parts[0]:+.2f}, 2 others: {parts[1]:+.2f}"
            assert ax.get_title().endswith(sentence)
        shown = [[float(number) for number in text.get_text().split(" | ")] for text in ax.texts]
        expected = rows[["value", "centroid", "others"]].head(3)
        np.testing.assert_allclose(shown, expected, atol=0.006)
        left, right = ax.get_xlim()
        assert left <= rows["contribution"].min()
        assert rows["contribution"].max() <= right


@pytest.mark.parametrize("reads", ["all", "own"])
def test_owners_are_named_where_there_are_more_classes_than_colours(reads):
    X, y = make_blocks(k=9, n=8, d=2, mu=(3.0, 0.0), random_state=0)
    settings = {"rounds": 1, "terms": "linear", "penalty": 2.0, "overdraft": 1, "cv": 2, "random_state": 0}
    display = ExplanationDisplay.from_estimator(DisjointPanelClassifier(reads=reads, **settings).fit(X, y), X, sample=0)
    for label, ax in zip(display.totals.index, display.axes_[1:], strict=False):
        rows = display.contributions[display.contributions["class"] == label].head(8)
        expected = [
            str(row.feature) if row.owner == label else f"{row.feature}\n({row.owner})" for row in rows.itertuples()
        ]
        assert [text.get_text() for text in ax.get_yticklabels()] == expected
        assert any("(" in name for name in expected) == (reads == "all")


@pytest.mark.parametrize("reads", ["all", "own"])
def test_the_matrix_of_classes_says_which_features_were_read(panel, reads):
    model, X, y = panel
    model = clone(model).set_params(reads=reads, rounds=1)
    said = {"all": "from the features of all panels", "own": "from the features it owns"}[reads]
    assert said in ClassMatrixDisplay.from_estimator(model, X, y, cv=2).ax_.get_xlabel()
    assert said in ClassMatrixDisplay.from_estimator(model.fit(X, y), X, y).ax_.get_xlabel()


@pytest.mark.parametrize("reads", ["all", "own"])
def test_a_panel_without_features_says_so(blocks, reads):
    X, y = blocks
    settings = {"rounds": 1, "max_features": 2, "terms": "linear", "reads": reads, "cv": 2, "random_state": 0}
    with pytest.warns(UserWarning, match="own no feature"):
        model = DisjointPanelClassifier(**settings).fit(X, y)
    display = ExplanationDisplay.from_estimator(model, X, sample=0)
    assert sum("owns no feature" in ax.get_title() for ax in display.axes_[1:]) == 1
    centroids = CentroidDisplay.from_estimator(model, X, y)
    assert sum("owns no feature" in [text.get_text() for text in ax.texts] for ax in centroids.axes_) == 1
    PartitionDisplay.from_estimator(model, X, y).figure_.draw_without_rendering()


def test_a_pipeline_names_features_although_its_panel_saw_arrays(blocks):
    X, y = blocks
    table = pd.DataFrame(X, columns=[f"gene {f}" for f in range(X.shape[1])])
    pipe = make_pipeline(StandardScaler(), DisjointPanelClassifier(rounds=2, terms="linear", cv=2, random_state=0))
    pipe.fit(table, y)
    assert set(ExplanationDisplay.from_estimator(pipe, table, sample=3).contributions["feature"]) <= set(table.columns)
    assert set(CentroidDisplay.from_estimator(pipe, table, y).bars["feature"]) <= set(table.columns)
    bare = PartitionDisplay.from_estimator(pipe[-1], StandardScaler().fit_transform(X), y)
    np.testing.assert_allclose(PartitionDisplay.from_estimator(pipe, table, y).values, bare.values)


def test_sparse_tables_are_drawn_like_dense_ones(blocks):
    X, y = blocks
    X = np.where(np.abs(X) > 1, X, 0.0)
    pipe = make_pipeline(MaxAbsScaler(), DisjointPanelClassifier(rounds=3, terms="linear", cv=2, random_state=0))
    pipe.fit(X, y)
    thin = sparse.csr_array(X)
    for display in (PartitionDisplay, CentroidDisplay):
        dense, again = (display.from_estimator(pipe, table, y) for table in (X, thin))
        if display is PartitionDisplay:
            np.testing.assert_allclose(dense.values, again.values)
        else:
            pd.testing.assert_frame_equal(dense.bars, again.bars)
    dense, again = (ExplanationDisplay.from_estimator(pipe, table, sample=2) for table in (X, thin))
    pd.testing.assert_frame_equal(dense.contributions, again.contributions)


@pytest.mark.parametrize("kind", [DisjointKNeighborsClassifier, DisjointLogisticRegression])
def test_classifiers_on_a_partition_are_drawn_like_the_partition(blocks, kind):
    X, y = blocks
    partition = NearestDisjointCentroid(lam=1.0, n_init=5, random_state=0)
    model = kind(estimator=partition, random_state=0).fit(X, y)
    np.testing.assert_allclose(
        PartitionDisplay.from_estimator(model, X, y).values,
        PartitionDisplay.from_estimator(model.estimator_, X, y).values,
    )
    assert CentroidDisplay.from_estimator(model, X, y).feature_counts.sum() == (model.owner_ >= 0).sum()
    np.testing.assert_array_equal(ClassMatrixDisplay.from_estimator(model, X, y).matrix.measured, model.distances(X))
    display = ExplanationDisplay.from_estimator(model, X, sample=0)
    assert display.predicted == model.predict(X[:1])[0]
    assert display.totals.sort_index().tolist() == pytest.approx((model.distances(X[:1])[0] ** 2).tolist())


def test_overlapping_sets_have_no_blocks_but_all_the_rest(blocks):
    X, y = blocks
    model = OverlappingCentroidClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"lets classes share features.*CentroidDisplay draws.*ClassMatrixDisplay"):
        PartitionDisplay.from_estimator(model, X, y)
    assert plt.get_fignums() == []
    bars = CentroidDisplay.from_estimator(model, X, y, n_features=100).bars
    assert [set(bars.loc[bars["class"] == c, "feature"]) for c in "abc"] == [
        {f"x{f}" for f in own} for own in model.feature_sets_
    ]
    np.testing.assert_array_equal(ClassMatrixDisplay.from_estimator(model, X, y).matrix.measured, model.distances(X))
    assert ExplanationDisplay.from_estimator(model, X, sample=0).predicted == model.predict(X[:1])[0]
