import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disjoint_centroids import NearestDisjointCentroid
from disjoint_centroids.plots import CentroidDisplay

pytestmark = pytest.mark.filterwarnings("error")

# Class means: u 1, 5, 9, deviation within classes sqrt(6 / 3); v 2, 2, 8, deviation 1; w 0, 6, 3, deviation 2.
TABLE = pd.DataFrame(
    {
        "u": [0.0, 2.0, 4.0, 6.0, 8.0, 10.0],
        "v": [2.0, 2.0, 1.0, 3.0, 7.5, 8.5],
        "w": [-2.0, 2.0, 6.0, 6.0, 5.0, 1.0],
    }
)
LABELS = ["a", "a", "b", "b", "c", "c"]
ROOT = 2**0.5
BY_HAND = {  # every class's mean from the average of the other classes' means
    ("a", "u"): ([-6 / ROOT, -2 / ROOT, 2 / ROOT]),
    ("b", "u"): ([-4 / ROOT, 0.0, 4 / ROOT]),
    ("c", "u"): ([-2 / ROOT, 2 / ROOT, 6 / ROOT]),
}


def test_bars_by_hand():
    spread = {"u": ROOT, "v": ((0 + 2 + 0.5) / 3) ** 0.5, "w": ((8 + 0 + 8) / 3) ** 0.5}
    means = {"u": [1, 5, 9], "v": [2, 2, 8], "w": [0, 6, 3]}
    model = NearestDisjointCentroid(n_init=3, random_state=0).fit(TABLE, LABELS)
    display = CentroidDisplay.from_estimator(model, TABLE, LABELS)
    assert len(display.bars) == 3
    assert display.feature_counts.tolist() == [1, 1, 1]
    for row in display.bars.itertuples(index=False):
        own = "abc".index(row[0])
        mean = np.array(means[row.feature])
        others = np.delete(mean, own).mean()
        expected = (mean - others) / spread[row.feature]
        np.testing.assert_allclose([row.mean_a, row.mean_b, row.mean_c], expected)
        assert row.stands_out == (row.mean_a, row.mean_b, row.mean_c)[own]
        if (row[0], row.feature) in BY_HAND:
            np.testing.assert_allclose(expected, BY_HAND[row[0], row.feature])


def test_the_features_that_stand_out_most_are_drawn(fitted):
    model, X, y = fitted
    whole = CentroidDisplay.from_estimator(model, X, y, n_features=1000).bars
    display = CentroidDisplay.from_estimator(model, X, y, n_features=2)
    for j, (label, ax) in enumerate(zip("abc", display.axes_, strict=True)):
        own = whole[whole["class"] == label]
        assert set(own["feature"]) == {f"x{f}" for f in model.feature_sets_[j]}  # shared ones are nobody's own
        best = own.sort_values("stands_out", key=np.abs, ascending=False).head(2)
        drawn = display.bars[display.bars["class"] == label]
        assert drawn["feature"].tolist() == best["feature"].tolist()
        assert [text.get_text() for text in ax.get_yticklabels()] == drawn["feature"].tolist()
        np.testing.assert_allclose([bar.get_width() for bar in ax.patches], drawn["stands_out"])
        assert ax.get_title() == f"{label}\ntop 2 of {len(own)}"
        strokes = np.array([stroke[0, 0] for stroke in ax.collections[0].get_segments()])
        others = drawn[[f"mean_{other}" for other in "abc" if other != label]].to_numpy()
        np.testing.assert_allclose(strokes, others.ravel())


def test_all_panels_have_one_scale(fitted):
    limits = {ax.get_xlim() for ax in CentroidDisplay.from_estimator(*fitted).axes_}
    assert len(limits) == 1


def test_features_without_spread_within_classes_are_measured_by_the_whole_spread():
    X = np.array([[0.0, 5.0, 1.0], [0.0, 5.0, 3.0], [4.0, 5.0, 2.0], [4.0, 5.0, 6.0]])
    model = NearestDisjointCentroid(n_init=5, random_state=0).fit(X, [0, 0, 1, 1])
    bars = CentroidDisplay.from_estimator(model, X, [0, 0, 1, 1]).bars.set_index("feature")["stands_out"].abs()
    assert bars["x0"] == pytest.approx(4 / 2)
    assert bars["x1"] == 0.0


def test_a_pipeline_names_features_although_its_classifier_saw_arrays(named):
    _, table, labels = named
    pipe = make_pipeline(StandardScaler(), NearestDisjointCentroid(n_init=2, random_state=0)).fit(table, labels)
    assert not hasattr(pipe[-1], "feature_names_in_")
    display = CentroidDisplay.from_estimator(pipe, table, labels, n_features=1)
    assert set(display.bars["feature"]) <= set(table.columns)


def test_fourteen_classes_have_a_panel_each_and_more_than_colour(named):
    display = CentroidDisplay.from_estimator(*named)
    assert len(display.axes_) == len(display.figure_.axes) == 14
    styles = {(ax.patches[0].get_facecolor(), ax.patches[0].get_hatch()) for ax in display.axes_}
    assert len(styles) == 14


def test_a_class_without_samples_and_one_without_features_say_so(fitted):
    model, X, y = fitted
    display = CentroidDisplay.from_estimator(model, X[y != "b"], y[y != "b"])
    assert "no samples of this class" in [text.get_text() for text in display.axes_[1].texts]
    assert display.bars.loc[display.bars["class"] == "a", "stands_out"].notna().all()
    with pytest.warns(UserWarning, match="own no feature"):
        narrow = NearestDisjointCentroid(n_init=2, random_state=0).fit(X[:, :2], y)
    empty = [len(own) for own in narrow.feature_sets_].index(0)
    display = CentroidDisplay.from_estimator(narrow, X[:, :2], y)
    assert [text.get_text() for text in display.axes_[empty].texts] == ["owns no feature"]
    display.figure_.draw_without_rendering()


def test_it_draws_where_it_is_told(fitted):
    figure, axes = plt.subplots(2, 2)
    display = CentroidDisplay.from_estimator(*fitted, axes=axes)
    assert list(display.axes_) == list(axes.ravel()[:3])
    assert display.figure_ is figure
    assert plt.get_fignums() == [figure.number]


def test_errors_name_the_cure(fitted):
    model, X, y = fitted
    with pytest.raises(NotFittedError, match="Call 'fit'"):
        CentroidDisplay.from_estimator(NearestDisjointCentroid(), X, y)
    with pytest.raises(ValueError, match=r"n_features must be at least 1, .*; got 0"):
        CentroidDisplay.from_estimator(model, X, y, n_features=0)
    with pytest.raises(ValueError, match="axes must hold 3 axes, one per class; got 2"):
        CentroidDisplay.from_estimator(model, X, y, axes=plt.subplots(1, 2)[1])
