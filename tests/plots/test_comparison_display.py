import matplotlib.pyplot as plt
import pandas as pd
import pytest

from disjoint_centroids.evaluation import error_interval
from disjoint_centroids.plots import ComparisonDisplay

TABLE = pd.DataFrame(
    [
        {
            "method": m,
            "repeat": r,
            "fold": f,
            "error": e,
            "balanced_error": e,
            "features": n,
            "seconds": 1.0,
            "samples": 10,
        }
        for m, n, errors in (("SVM", 9, (0.1, 0.3, 0.2, 0.4)), ("NDC-S", 2, (0.0, 0.2, 0.1, 0.1)))
        for (r, f), e in zip(((0, 0), (0, 1), (1, 0), (1, 1)), errors, strict=True)
    ]
)


def test_the_summary_by_hand():
    """Each run of two folds has standard error |difference| / 2; the runs' are averaged."""
    summary = ComparisonDisplay.from_table(TABLE).summary
    plt.close("all")
    assert summary.index.tolist() == ["NDC-S", "SVM"]
    assert summary["error"].tolist() == pytest.approx([0.1, 0.25])
    assert summary["standard_error"].tolist() == pytest.approx([0.05, 0.1])
    assert summary["features"].tolist() == [2, 9]
    # Twenty samples, each counted once although there are two repeats.
    for method, error in (("NDC-S", 0.1), ("SVM", 0.25)):
        assert tuple(summary.loc[method, ["low", "high"]]) == pytest.approx(error_interval(error, 20))
    assert summary["lowest"].tolist() == pytest.approx([0.1, 0.2])
    assert summary["highest"].tolist() == pytest.approx([0.1, 0.3])


def test_larger_folds_count_for_more():
    """Every sample once: in folds of 15 and 5 the errors 0.1 and 0.3 are 3 of 20 samples."""
    uneven = TABLE.assign(samples=TABLE["fold"].map({0: 15, 1: 5}))
    svm = ComparisonDisplay.from_table(uneven).summary.loc["SVM"]
    plt.close("all")
    assert svm[["lowest", "highest", "error"]].tolist() == pytest.approx([0.15, 0.25, 0.2])
    assert svm[["low", "high"]].tolist() == pytest.approx(error_interval(0.2, 20))


def test_dots_are_where_the_errors_are():
    _, ax = plt.subplots()
    display = ComparisonDisplay.from_table(TABLE, ax=ax)
    assert display.ax_ is ax
    found = {
        name: dots.get_xdata()[0]
        for dots in (container[0] for container in ax.containers)
        for name, at in zip(display.summary.index, (1, 0), strict=True)
        if dots.get_ydata()[0] == at
    }
    plt.close("all")
    assert found == pytest.approx({"NDC-S": 0.1, "SVM": 0.25})


def test_bars_reach_from_the_lower_to_the_upper_end():
    display = ComparisonDisplay.from_table(TABLE)
    ends = [bar.get_segments()[0][:, 0].tolist() for container in display.ax_.containers for bar in container[2]]
    plt.close("all")
    expected = [display.summary.loc[method, ["low", "high"]].tolist() for method in ("NDC-S", "SVM")]
    assert sorted(ends) == [pytest.approx(pair) for pair in sorted(expected)]


def test_methods_of_the_package_have_a_colour_of_their_own():
    both = pd.concat([TABLE, TABLE.assign(method=TABLE["method"].replace({"NDC-S": "Panel", "SVM": "NC"}))])
    display = ComparisonDisplay.from_table(both)
    colours = {}
    for container in display.ax_.containers:
        for at in container[0].get_ydata():
            colours[display.summary.index[len(display.summary) - 1 - int(at)]] = container[0].get_color()
    plt.close("all")
    assert colours["Panel"] == colours["NDC-S"] != colours["NC"] == colours["SVM"]
