import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disjoint_centroids import NearestDisjointCentroid
from disjoint_centroids.plots import ExplanationDisplay

pytestmark = pytest.mark.filterwarnings("error")


def test_contributions_by_hand(fitted):
    """What a feature adds: squared gap between value and class mean, divided by the number of the class's features."""
    model, X, y = fitted
    display = ExplanationDisplay.from_estimator(model, X, sample=7)
    assert display.sample == 7
    for j, label in enumerate("abc"):
        used = [*np.flatnonzero(model.owner_ == j), 0]  # feature 0 is shared
        gaps = {f"x{f}": (X[7, f] - X[y == label, f].mean()) ** 2 / len(used) for f in used}
        rows = display.contributions[display.contributions["class"] == label]
        assert rows["contribution"].is_monotonic_decreasing
        assert dict(zip(rows["feature"], rows["contribution"], strict=True)) == pytest.approx(gaps)
        assert display.totals[label] == pytest.approx(sum(gaps.values()))


def test_the_predicted_class_is_first_then_by_distance(fitted):
    model, X, _ = fitted
    for sample in (0, 20, 40):
        display = ExplanationDisplay.from_estimator(model, X, sample=sample)
        assert display.predicted == display.totals.index[0] == model.predict(X[[sample]])[0]
        assert display.totals.is_monotonic_increasing
        plt.close(display.figure_)


def test_with_priors_the_predicted_class_is_first_though_not_the_nearest(blocks):
    X, y = blocks
    model = NearestDisjointCentroid(n_init=5, priors=[1e-12, 1e-12, 1.0], random_state=0).fit(X, y)
    sample = int(np.flatnonzero((model.predict(X) == "c") & (model.distances(X).argmin(axis=1) != 2))[0])
    display = ExplanationDisplay.from_estimator(model, X, sample=sample)
    assert display.predicted == "c"
    assert display.totals.iloc[0] > display.totals.iloc[1]
    assert display.totals.iloc[1:].is_monotonic_increasing


def test_bars_and_numbers_match_the_data(fitted):
    model, X, _ = fitted
    display = ExplanationDisplay.from_estimator(model, X, sample=7, n_features=3, n_classes=2)
    totals, *panels = display.axes_
    assert len(panels) == 2
    np.testing.assert_allclose([bar.get_width() for bar in totals.patches], display.totals)
    assert [text.get_text() for text in totals.get_yticklabels()] == display.totals.index.tolist()
    assert [float(text.get_text()) for text in totals.texts] == pytest.approx(display.totals.tolist(), abs=0.006)
    assert totals.get_title() == f"sample 7:\npredicted {display.predicted}"
    for label, ax in zip(display.totals.index, panels, strict=False):
        rows = display.contributions[display.contributions["class"] == label]
        np.testing.assert_allclose([bar.get_width() for bar in ax.patches], rows["contribution"].head(3))
        assert [text.get_text() for text in ax.get_yticklabels()] == rows["feature"].head(3).tolist()
        shown = [float(text.get_text().split(" vs ")[0]) for text in ax.texts]
        assert shown == pytest.approx(rows["value"].head(3).tolist(), abs=0.006)
        assert f"3 of {len(rows)} features: {rows['contribution'].head(3).sum():.2f} of" in ax.get_title()
    assert "(predicted)" in panels[0].get_title()
    assert "(predicted)" not in panels[1].get_title()


def test_a_sample_of_a_frame_goes_by_its_name_also_through_a_pipeline(blocks):
    X, y = blocks
    names = [f"gene {f}" for f in range(X.shape[1])]
    table = pd.DataFrame(X, columns=names, index=[f"s{i}" for i in range(len(X))])
    pipe = make_pipeline(StandardScaler(), NearestDisjointCentroid(n_init=5, random_state=0)).fit(table, y)
    display = ExplanationDisplay.from_estimator(pipe, table.iloc[::-1], sample="s4")
    scaled = StandardScaler().fit_transform(X)
    squared = dict(zip("abc", pipe[-1].distances(scaled[[4]])[0] ** 2, strict=True))
    assert display.totals.to_dict() == pytest.approx(squared)
    assert display.sample == "s4"
    values = display.contributions.drop_duplicates("feature").set_index("feature")["value"]
    assert values.to_dict() == pytest.approx(dict(zip(names, scaled[4], strict=True)))
    alone = ExplanationDisplay.from_estimator(pipe, table.loc[["s4"]])
    pd.testing.assert_series_equal(alone.totals, display.totals)


def test_many_classes_share_few_panels(named):
    model, table, _ = named
    display = ExplanationDisplay.from_estimator(model, table, sample="$s_3$")
    assert len(display.axes_) == 5
    assert len(display.axes_[0].patches) == 14


def test_a_class_without_features_is_last_and_says_so(blocks):
    X, y = blocks
    with pytest.warns(UserWarning, match="own no feature"):
        model = NearestDisjointCentroid(n_init=2, random_state=0).fit(X[:, :2], y)
    display = ExplanationDisplay.from_estimator(model, X[:, :2], sample=0)
    assert np.isinf(display.totals.iloc[-1])
    assert display.axes_[0].texts[-1].get_text() == " owns no feature"
    assert "owns no feature" in display.axes_[-1].get_title()
    display.figure_.draw_without_rendering()


def test_it_draws_where_it_is_told(fitted):
    figure, axes = plt.subplots(2, 2)
    display = ExplanationDisplay.from_estimator(*fitted[:2], sample=0, axes=axes)
    assert list(display.axes_) == list(axes.ravel())
    assert display.figure_ is figure
    assert plt.get_fignums() == [figure.number]


def test_errors_name_the_cure(fitted, named):
    model, X, _ = fitted
    with pytest.raises(ValueError, match=r"no sample 45 in X. It has 45 samples: give sample=a position from 0 to 44"):
        ExplanationDisplay.from_estimator(model, X, sample=45)
    with pytest.raises(ValueError, match="X has 45 samples: say which"):
        ExplanationDisplay.from_estimator(model, X)
    model, table, _ = named
    with pytest.raises(ValueError, match=r"no sample 'x' in X\. .* give sample='\$s_0\$', .* or another"):
        ExplanationDisplay.from_estimator(model, table, sample="x")
    with pytest.raises(ValueError, match=r"'twin' stands 2 times in X. Give every sample a name of its own"):
        ExplanationDisplay.from_estimator(model, table.head(2).set_axis(["twin"] * 2), sample="twin")
    with pytest.raises(ValueError, match="must be at least 1; got 0 and 4"):
        ExplanationDisplay.from_estimator(model, table, sample="$s_0$", n_features=0)
    with pytest.raises(ValueError, match=r"axes must hold 5 axes, .*; got 1"):
        ExplanationDisplay.from_estimator(model, table, sample="$s_0$", axes=plt.figure().add_subplot())
    with pytest.raises(NotFittedError, match="Call 'fit'"):
        ExplanationDisplay.from_estimator(NearestDisjointCentroid(), X, sample=0)
