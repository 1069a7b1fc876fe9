import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV
from disjoint_centroids.centroids.path_table import path_table
from disjoint_centroids.plots import PathDisplay
from disjoint_centroids.plots.axes import log_ticks

pytestmark = pytest.mark.filterwarnings("error")

ERRORS = np.array([[0.5, 0.3], [0.1, 0.3], [0.2, 0.0]])


def by_hand(last=0.8):
    lams = np.array([0.2, 0.4, last])
    return PathDisplay(path_table(lams, ERRORS, np.array([3, 30, 300]), lam=float(last), lam_1se=0.4))


def marks(ax):
    return [line for line in ax.lines if len(line.get_xdata()) == 2]  # curves have a point a lambda, here three


def test_means_and_standard_errors_by_hand():
    path = by_hand().path
    np.testing.assert_allclose(path["error"], [0.4, 0.2, 0.1])
    np.testing.assert_allclose(path["standard_error"], [0.1, 0.1, 0.1])  # half the difference of two folds
    assert path["lam"][path["chosen"]].tolist() == [0.8]
    assert path["lam"][path["one_se"]].tolist() == [0.4]


def test_curves_band_and_marks_match_the_data():
    display = by_hand().plot()
    errors, counts = display.axes_
    np.testing.assert_allclose(errors.lines[0].get_xydata(), [[0.2, 0.4], [0.4, 0.2], [0.8, 0.1]])
    np.testing.assert_allclose(counts.lines[0].get_xydata(), [[0.2, 3], [0.4, 30], [0.8, 300]])
    band = errors.collections[0].get_paths()[0].vertices
    for lam, low, high in [(0.2, 0.3, 0.5), (0.4, 0.1, 0.3), (0.8, 0.0, 0.2)]:
        heights = band[np.isclose(band[:, 0], lam), 1]
        assert np.isclose([heights.min(), heights.max()], [low, high]).all()
    for ax in display.axes_:
        assert [line.get_xdata()[0] for line in marks(ax)] == [0.8, 0.4]
        assert ax.get_xscale() == "log"
    assert counts.get_yscale() == "log"
    names = [text.get_text() for text in errors.get_legend().get_texts()]
    assert names[-2:] == [
        r"chosen: $\lambda$ = 0.8, 300 features, error 0.1",
        r"1-SE rule: $\lambda$ = 0.4, 30 features, error 0.2",
    ]


def test_infinity_has_a_place_and_a_name():
    display = by_hand(np.inf).plot()
    places = display.axes_[0].lines[0].get_xdata()
    assert np.isfinite(places).all()
    assert (np.diff(places) > 0).all()
    ticks = dict(
        zip([t.get_text() for t in display.axes_[1].get_xticklabels()], display.axes_[1].get_xticks(), strict=True)
    )
    assert ticks["∞"] == places[-1]
    assert ticks["0.2"] == 0.2
    assert "= ∞, 300 features" in display.axes_[0].get_legend().get_texts()[-2].get_text()
    display.figure_.draw_without_rendering()


def test_one_mark_if_both_rules_agree():
    path = path_table(np.array([0.2, 0.4, 0.8]), ERRORS, np.array([3, 4, 5]), lam=0.8, lam_1se=0.8)
    display = PathDisplay(path).plot()
    assert len(marks(display.axes_[0])) == 1
    assert display.axes_[1].get_yscale() == "linear"


@pytest.mark.parametrize("lam", [0.5, np.inf])
def test_one_lambda_and_one_fold(lam):
    path = path_table(np.array([lam]), np.array([[0.25]]), np.array([7]), lam=lam, lam_1se=lam)
    display = PathDisplay(path).plot()
    assert np.isnan(path["standard_error"]).all()
    assert display.axes_[0].lines[0].get_ydata().tolist() == [0.25]
    assert len(display.axes_[0].collections) == 0
    display.figure_.draw_without_rendering()


def test_the_1se_lambda_is_the_one_that_the_rule_chooses(blocks):
    cv_model = NearestDisjointCentroidCV(n_lams=8, n_init=10, cv=StratifiedKFold(5), random_state=0).fit(*blocks)
    display = PathDisplay.from_estimator(cv_model)
    (chosen,), (one_se,) = (display.path.loc[display.path[rule], "lam"] for rule in ("chosen", "one_se"))
    assert chosen == cv_model.lam_
    assert one_se < chosen  # on this table the rules differ
    assert one_se == NearestDisjointCentroidCV(**{**cv_model.get_params(), "rule": "1se"}).fit(*blocks).lam_
    np.testing.assert_array_equal(display.path["lam"], cv_model.lams_)
    np.testing.assert_array_equal(display.path["error"], cv_model.cv_errors_.mean(axis=1))
    np.testing.assert_array_equal(display.path["n_features"], cv_model.n_selected_)
    assert display.axes_[0].get_ylabel() == "cross-validated error"


def test_a_score_is_named(blocks):
    model = NearestDisjointCentroidCV(n_lams=2, n_init=2, cv=2, scoring="balanced_accuracy", random_state=0)
    pipe = make_pipeline(StandardScaler(), model).fit(*blocks)
    assert PathDisplay.from_estimator(pipe).axes_[0].get_ylabel().endswith("balanced_accuracy")


def test_it_draws_where_it_is_told(cv_model):
    figure, axes = plt.subplots(1, 2)
    display = PathDisplay.from_estimator(cv_model, axes=axes)
    assert list(display.axes_) == list(axes)
    assert display.figure_ is figure
    assert plt.get_fignums() == [figure.number]


def test_errors_name_the_cure(fitted, cv_model):
    with pytest.raises(
        ValueError, match=r"no path to draw: it did not choose lambda\. Fit a NearestDisjointCentroidCV"
    ):
        PathDisplay.from_estimator(fitted[0])
    with pytest.raises(NotFittedError, match="Call 'fit'"):
        PathDisplay.from_estimator(NearestDisjointCentroidCV())
    with pytest.raises(NotFittedError, match="Call 'fit'"):
        PathDisplay.from_estimator(make_pipeline(StandardScaler(), NearestDisjointCentroid()))
    with pytest.raises(ValueError, match=r"axes must hold 2 axes, .*; got 1"):
        PathDisplay.from_estimator(cv_model, axes=plt.figure().add_subplot())


@pytest.mark.parametrize(("low", "high"), [(0.566, 1.7), (0.45, 0.88), (14, 20_000), (1e-6, 1e6), (1.0, 1.001)])
def test_ticks_are_few_apart_and_within(low, high):
    ticks = log_ticks(low, high)
    assert 4 <= ticks.size <= 7
    assert low <= ticks[0]
    assert ticks[-1] <= high
    steps = np.diff(np.log(ticks)) / np.log(high / low)
    assert steps.min() > 0.05


def test_ticks_are_round_numbers():
    assert log_ticks(1.0, 1e6).tolist() == [1, 10, 100, 1e3, 1e4, 1e5, 1e6]
    assert log_ticks(3.0, 3.0).tolist() == [3.0]
