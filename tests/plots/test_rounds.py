import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.panels.candidates import PENALTIES
from disjoint_centroids.panels.chosen import rounds_choice
from disjoint_centroids.plots import PathDisplay, RoundsDisplay

pytestmark = pytest.mark.filterwarnings("error")

NAMES = ["linear terms", "both kinds of terms, penalty 0.5", "both kinds of terms, penalty 0.005"]
RESULTS = pd.DataFrame(
    [
        (NAMES[0], "linear", "ridge", 2, 0.9, 0.4, False, ""),
        (NAMES[0], "linear", "ridge", 5, 0.3, 0.2, True, "chosen"),
        (NAMES[1], "both", "logistic", 2, 0.8, 0.3, False, ""),
        (NAMES[1], "both", "logistic", 5, 0.5, 0.1, False, ""),
        (NAMES[2], "both", "logistic", 2, 0.7, 0.3, False, ""),
    ],
    columns=["line", "terms", "regression", "rounds", "loss", "error", "chosen", "mark"],
)


def curves(ax):
    return {line.get_label(): line.get_xydata().tolist() for line in ax.lines if line.get_label() in NAMES}


def test_lines_and_marks_match_the_data():
    display = RoundsDisplay(RESULTS).plot()
    loss, error = display.axes_
    assert curves(loss) == {NAMES[0]: [[2, 0.9], [5, 0.3]], NAMES[1]: [[2, 0.8], [5, 0.5]], NAMES[2]: [[2, 0.7]]}
    assert curves(error) == {NAMES[0]: [[2, 0.4], [5, 0.2]], NAMES[1]: [[2, 0.3], [5, 0.1]], NAMES[2]: [[2, 0.3]]}
    for ax, height in ((loss, 0.3), (error, 0.2)):
        (star,) = (line for line in ax.lines if line.get_marker() == "*")
        assert star.get_xydata().tolist() == [[5, height]]
        (upright,) = (line for line in ax.lines if line.get_linestyle() == "--" and line.get_label() not in NAMES)
        assert set(upright.get_xdata()) == {5}
        assert [text.get_text() for text in ax.get_xticklabels()] == ["2", "5"]
    legend = [text.get_text() for text in loss.get_legend().get_texts()]
    assert legend == [*NAMES, "chosen: 5 rounds, error 0.2"]
    display.figure_.draw_without_rendering()


def test_kinds_of_fit_differ_in_colour_and_penalties_in_marker_and_dash():
    display = RoundsDisplay(RESULTS).plot()
    drawn = {line.get_label(): line for line in display.axes_[0].lines}
    linear, weak, weaker = (drawn[name] for name in NAMES)
    assert linear.get_color() != weak.get_color() == weaker.get_color()
    assert weak.get_marker() != weaker.get_marker()
    assert weak.get_linestyle() != weaker.get_linestyle()


def test_all_that_a_fit_may_try_can_be_told_apart():
    """Every kind of fit with every penalty that "auto" stands for."""
    tried = [(kind, penalty) for kind, penalties in PENALTIES.items() for penalty in penalties]
    rows = [(f"{kind}, {penalty}", *kind, 5, 0.5, 0.1, at == 0, "") for at, (kind, penalty) in enumerate(tried)]
    display = RoundsDisplay(pd.DataFrame(rows, columns=RESULTS.columns)).plot()
    lines = [line for line in display.axes_[0].lines if line.get_label() in {row[0] for row in rows}]
    assert len({(line.get_color(), line.get_marker()) for line in lines}) == len(rows) == 9


def test_it_draws_what_the_fit_has_found(panel):
    model, X, y = panel
    display = RoundsDisplay.from_estimator(model)
    pd.testing.assert_frame_equal(display.results, model.rounds_table())
    piped = make_pipeline(StandardScaler(), DisjointPanelClassifier(rounds=1, terms="linear", cv=2, random_state=0))
    display = RoundsDisplay.from_estimator(piped.fit(X, y))
    assert display.results["line"].unique().tolist() == [f"linear terms, penalty {p}" for p in ("2", "0.3", "0.05")]
    assert "as asked for: 1 round, error" in display.axes_[0].get_legend().get_texts()[-1].get_text()
    display.figure_.draw_without_rendering()


def test_the_reason_and_what_did_as_well_are_marked():
    """In the words of the sentence on the terminal."""
    y = np.arange(40) % 2
    X = np.random.default_rng(0).normal(size=(40, 120))
    X[:, :4] += 0.4 * (2 * y - 1)[:, None]
    model = DisjointPanelClassifier(terms="linear", cv=3, random_state=0).fit(X, y)
    choice = rounds_choice(model)
    assert choice.sentence == f"50 features per class, the default number; {choice.fewer} had no higher held-out loss"
    display = RoundsDisplay.from_estimator(model)
    legend = [text.get_text().split(", error")[0] for text in display.axes_[0].get_legend().get_texts()]
    lines = [f"linear terms, penalty {penalty}" for penalty in ("2", "0.3", "0.05")]
    assert legend == [*lines, "default: 50 rounds", f"as well or better: {choice.fewer} rounds"]
    for ax in display.axes_:
        (ring,) = (line for line in ax.lines if line.get_markerfacecolor() == "none")
        assert ring.get_xdata().tolist() == [choice.fewer]


def test_it_draws_where_it_is_told(panel):
    figure, axes = plt.subplots(1, 2)
    display = RoundsDisplay.from_estimator(panel[0], axes=axes)
    assert list(display.axes_) == list(axes)
    assert plt.get_fignums() == [figure.number]
    assert all("features that every class picks" in ax.get_xlabel() for ax in axes)


def test_errors_name_the_cure(panel, fitted, cv_model):
    with pytest.raises(
        ValueError, match=r"NearestDisjointCentroidCV does not draft in rounds\. .*there is PathDisplay"
    ):
        RoundsDisplay.from_estimator(cv_model)
    with pytest.raises(ValueError, match=r"DisjointPanelClassifier has no lambdas: RoundsDisplay draws"):
        PathDisplay.from_estimator(panel[0])
    with pytest.raises(NotFittedError, match="Call 'fit'"):
        RoundsDisplay.from_estimator(DisjointPanelClassifier())
    with pytest.raises(ValueError, match=r"axes must hold 2 axes, .*; got 1"):
        RoundsDisplay.from_estimator(panel[0], axes=plt.figure().add_subplot())
    alone = DisjointPanelClassifier(rounds=1).fit(np.eye(3), ["a", "b", "c"])
    with pytest.raises(ValueError, match=r"No sample was held out.*Fit with more samples"):
        RoundsDisplay.from_estimator(alone)
