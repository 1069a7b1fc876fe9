import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from disjoint_centroids import NearestDisjointCentroid
from disjoint_centroids.evaluation.class_matrix import ClassMatrix
from disjoint_centroids.plots import ClassMatrixDisplay

pytestmark = pytest.mark.filterwarnings("error")

DISTANCES = np.array([[1.0, 9.0], [3.0, 7.0], [1.0, 4.0]])
SCORES = np.array([[4.0, -1.0], [2.0, -3.0], [-3.0, 5.0], [-5.0, 3.0]])


def drawn(measured, y, classes, measure):
    return ClassMatrixDisplay(ClassMatrix.of(measured, y, classes, measure=measure)).plot()


def test_cells_of_distances_match_the_data():
    ax = drawn(DISTANCES, ["a", "a", "b"], ["a", "b"], "distance").ax_
    np.testing.assert_allclose(ax.images[0].get_array(), [[1.0, 2.0], [0.5, 1.0]])
    assert [text.get_text() for text in ax.texts] == ["1.00", "2.00", "0.50", "1.00"]
    assert [text.get_position() for text in ax.texts] == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a (2)", "b (1)"]
    assert ax.images[0].norm(1.0) == pytest.approx(0.5)  # one is the middle of the colours


def test_cells_of_scores_match_the_data():
    ax = drawn(SCORES, ["a", "a", "b", "b"], ["a", "b"], "score").ax_
    np.testing.assert_allclose(ax.images[0].get_array(), [[0.0, -6.0], [-7.0, 0.0]])
    minus = "\N{MINUS SIGN}"
    assert [text.get_text() for text in ax.texts] == ["0", f"{minus}6.0", f"{minus}7.0", "0"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a (2)", "b (2)"]
    assert ax.images[0].norm(0.0) == pytest.approx(0.5)  # naught is the middle of the colours


def test_a_cell_without_distance_is_marked_and_does_not_spoil_the_rest():
    distances = np.array([[1.0, np.nan, np.inf, 2.0], [2.0, 6.0, np.inf, 2.0], [2.0, 3.0, np.inf, 2.0]])
    display = drawn(distances, ["a", "a", "b"], ["a", "b", "c", "d"], "distance")
    assert [text.get_text() for text in display.ax_.texts].count("–") == 4 + 4 + 2 * 2  # noqa: RUF001 - a dash
    display.figure_.draw_without_rendering()


def test_a_cell_without_score_is_marked():
    scores = np.array([[1.0, -np.inf, np.nan], [3.0, 2.0, np.nan], [0.0, 4.0, np.nan]])
    display = drawn(scores, ["a", "a", "b"], ["a", "b", "c"], "score")
    assert [text.get_text() for text in display.ax_.texts].count("–") == 5  # noqa: RUF001 - a dash
    display.figure_.draw_without_rendering()


def test_the_measure_is_that_of_the_model(fitted, panel):
    model, X, y = fitted
    assert ClassMatrixDisplay.from_estimator(*fitted).ax_.get_xlabel().startswith("to the centroid of this class")
    assert ClassMatrixDisplay.from_estimator(*panel).ax_.get_xlabel().startswith("score of this class")
    scored = ClassMatrixDisplay.from_estimator(model, X, y, measure="score")
    assert scored.ax_.get_xlabel().startswith("score of this class")
    np.testing.assert_allclose(scored.matrix.measured, -(model.distances(X) ** 2))


@pytest.mark.parametrize("which", ["fitted", "panel"])
def test_it_draws_where_it_is_told(which, request):
    figure, (left, _) = plt.subplots(1, 2)
    display = ClassMatrixDisplay.from_estimator(*request.getfixturevalue(which), ax=left)
    assert display.ax_ is left
    assert display.figure_ is figure
    assert plt.get_fignums() == [figure.number]


def test_cells_hold_no_numbers_where_there_are_very_many():
    classes = np.arange(16)
    assert len(drawn(np.ones((16, 16)), classes, classes, "distance").ax_.texts) == 0


def test_errors_name_the_cure(fitted, panel):
    model, X, y = fitted
    with pytest.raises(NotFittedError, match="Call 'fit'"):
        ClassMatrixDisplay.from_estimator(NearestDisjointCentroid(), X, y)
    with pytest.raises(ValueError, match=r"not trained on: 'd'\. Drop these samples"):
        ClassMatrixDisplay.from_estimator(model, X, np.where(y == "a", "d", y))
    with pytest.raises(ValueError, match=r"has scores and no distances\. Give measure='score'"):
        ClassMatrixDisplay.from_estimator(*panel, measure="distance")
