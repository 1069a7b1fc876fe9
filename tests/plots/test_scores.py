import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disjoint_centroids import DisjointPanelClassifier, NearestDisjointCentroid
from disjoint_centroids.plots import DistanceDisplay, ScoreDisplay

pytestmark = pytest.mark.filterwarnings("error")

SCORES = np.array([[4.0, -1.0], [2.0, -3.0], [-3.0, 5.0], [-5.0, 3.0]])


def test_separation_by_hand():
    """Both scores lie 1 from their class's mean: the standard deviation within classes is 1."""
    display = ScoreDisplay(SCORES, ["a", "a", "b", "b"], ["a", "b"])
    assert display.mean_scores.tolist() == [[3.0, -2.0], [-4.0, 4.0]]
    assert display.separation.tolist() == [[0.0, -6.0], [-7.0, 0.0]]
    assert ScoreDisplay(3 * SCORES, ["a", "a", "b", "b"], ["a", "b"]).separation.tolist() == [[0.0, -6.0], [-7.0, 0.0]]


def test_cells_match_the_data():
    ax = ScoreDisplay(SCORES, ["a", "a", "b", "b"], ["a", "b"]).plot().ax_
    np.testing.assert_allclose(ax.images[0].get_array(), [[0.0, -6.0], [-7.0, 0.0]])
    minus = "\N{MINUS SIGN}"
    assert [text.get_text() for text in ax.texts] == ["0", f"{minus}6.0", f"{minus}7.0", "0"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a (2)", "b (2)"]
    assert ax.images[0].norm(0.0) == pytest.approx(0.5)  # naught is the middle of the colours


def test_what_was_not_scored_is_left_out():
    scores = np.array([[1.0, -np.inf, np.nan], [3.0, 2.0, np.nan], [0.0, 4.0, np.nan]])
    display = ScoreDisplay(scores, ["a", "a", "b"], ["a", "b", "c"]).plot()
    np.testing.assert_array_equal(display.mean_scores, [[2.0, 2.0, np.nan], [0.0, 4.0, np.nan], [np.nan] * 3])
    assert [text.get_text() for text in display.ax_.texts].count("–") == 5  # noqa: RUF001 - a dash
    display.figure_.draw_without_rendering()


def test_a_score_that_never_varies_separates_nothing():
    display = ScoreDisplay(np.ones((4, 2)), ["a", "a", "b", "b"], ["a", "b"])
    assert (display.separation == 0).all()


def test_both_scores_of_two_classes_are_drawn(two_classes):
    X, y, model = two_classes
    display = ScoreDisplay.from_estimator(model, X, y)
    assert display.scores.shape == (len(y), 2)
    np.testing.assert_allclose(display.scores[:, 1] - display.scores[:, 0], model.decision_function(X))
    parts = model.explain(X)
    own = parts[parts["class"] == "b"].groupby("sample")["contribution"].sum()
    np.testing.assert_allclose(display.scores[:, 1], own + model.intercept_[1])


def test_held_out_scores_are_those_of_models_that_did_not_see_the_samples(blocks):
    X, y = blocks
    pipe = make_pipeline(StandardScaler(), DisjointPanelClassifier(rounds=2, terms="linear", cv=2, random_state=0))
    display = ScoreDisplay.from_estimator(pipe, X, y, cv=2)  # need not be fitted
    expected = []
    for train, test in StratifiedKFold(2).split(X, y):
        scaler = StandardScaler().fit(X[train])
        model = DisjointPanelClassifier(rounds=2, terms="linear", cv=2, random_state=0)
        expected.append(model.fit(scaler.transform(X[train]), y[train]).decision_function(scaler.transform(X[test])))
    np.testing.assert_allclose(display.scores, np.concatenate(expected))
    assert not hasattr(pipe, "classes_")


def test_a_centroid_model_scores_by_minus_the_squared_distance(fitted):
    model, X, _ = fitted
    np.testing.assert_allclose(ScoreDisplay.from_estimator(*fitted).scores, -(model.distances(X) ** 2))


def test_it_draws_where_it_is_told(panel):
    figure, (left, _) = plt.subplots(1, 2)
    display = ScoreDisplay.from_estimator(*panel, ax=left)
    assert display.ax_ is left
    assert display.figure_ is figure
    assert plt.get_fignums() == [figure.number]


def test_errors_name_the_cure(panel):
    model, X, y = panel
    with pytest.raises(NotFittedError, match="Call 'fit'"):
        ScoreDisplay.from_estimator(NearestDisjointCentroid(), X, y)
    with pytest.raises(ValueError, match=r"has scores and no distances\. ScoreDisplay draws"):
        DistanceDisplay.from_estimator(model, X, y)
    with pytest.raises(ValueError, match=r"has scores and no distances\. ScoreDisplay draws"):
        DistanceDisplay.from_estimator(DisjointPanelClassifier(rounds=1, cv=2), X, y, cv=2)
