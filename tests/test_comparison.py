import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import NearestCentroid

from disjoint_centroids import comparison
from disjoint_centroids.comparison import METHODS, PAPER_METHODS, compare, evaluate, held_out_labels
from disjoint_centroids.datasets import make_blocks

pytestmark = pytest.mark.filterwarnings("error")

QUICK = {"n_init": 5, "inner_folds": 3}
COLUMNS = ["method", "repeat", "fold", "error", "balanced_error", "features", "seconds"]


@pytest.fixture(scope="module")
def blocks():
    """Training and test samples on which every method must beat chance."""
    return [make_blocks(k=3, n=40, d=4, mu=(1.5, 0.0), sigma=(1.0, 1.5), irrelevant=6, random_state=s) for s in (0, 1)]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_and_counts_its_features(method, blocks):
    outcome = evaluate(method, *blocks, **QUICK)
    assert outcome.error < 0.4  # chance is 0.67
    assert outcome.balanced_error == pytest.approx(outcome.error)  # the classes are of one size
    selects = method in {"NDC-S", "NDC-S auto", "NSC", "Logistic"}
    assert 3 <= outcome.features <= 18 if selects else outcome.features == 18
    assert outcome.seconds > 0


@pytest.mark.parametrize("method", PAPER_METHODS)
def test_labels_may_be_words_and_classes_two_and_unbalanced(method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 10))
    y = np.repeat(["case", "control"], [28, 52])
    X[y == "case", :4] += 2.5
    assert evaluate(method, (X[::2], y[::2]), (X[1::2], y[1::2]), **QUICK).error < 0.3


def test_the_paper_compares_eight():
    assert PAPER_METHODS == ("NDC", "NDC-S", "NC", "NSC", "KNN", "LDA", "SVM", "Logistic")


def test_compare_is_nested_cross_validation_on_the_same_splits(tmp_path):
    X, y = load_iris(return_X_y=True)
    table = compare(X, y, methods=["NC", "KNN"], cv=4, repeats=2, random_state=7)
    assert list(table.columns) == COLUMNS
    assert table.groupby("method").size().to_dict() == {"NC": 8, "KNN": 8}
    seed = np.random.RandomState(7).randint(2**31 - 1)
    by_hand = []
    for repeat in range(2):
        for train, test in StratifiedKFold(4, shuffle=True, random_state=seed + repeat).split(X, y):
            by_hand.append(1 - NearestCentroid().fit(X[train], y[train]).score(X[test], y[test]))
    np.testing.assert_allclose(table.loc[table["method"] == "NC", "error"], by_hand)


def test_transforms_are_part_of_the_pipeline():
    X, y = load_iris(return_X_y=True)
    scale = np.array([1.0, 1.0, 1e4, 1.0])
    plain, scaled = (
        compare(values, y, methods=["NC"], repeats=1, transform="standardize")["error"] for values in (X, X * scale)
    )
    np.testing.assert_allclose(plain, scaled)


def test_what_is_in_the_results_file_is_not_done_again(tmp_path, monkeypatch):
    X, y = load_iris(return_X_y=True)
    file = tmp_path / "results.csv"
    some = compare(X, y, methods=["NC"], repeats=1, results=file)
    asked = []

    def watched(method, *args, **kwargs):
        asked.append(method)
        return evaluate(method, *args, **kwargs)

    monkeypatch.setattr(comparison, "evaluate", watched)
    all_of_them = compare(X, y, methods=["NC", "LDA"], repeats=1, results=file)
    assert asked == ["LDA"] * 3
    np.testing.assert_allclose(all_of_them.loc[all_of_them["method"] == "NC", "error"], some["error"])


def test_an_interruption_keeps_what_is_done(tmp_path, monkeypatch):
    X, y = load_iris(return_X_y=True)
    file = tmp_path / "results.parquet"
    calls = []

    def interrupted(*args, **kwargs):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return evaluate(*args, **kwargs)

    monkeypatch.setattr(comparison, "evaluate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compare(X, y, methods=["NC", "LDA"], repeats=1, results=file)
    monkeypatch.setattr(comparison, "evaluate", evaluate)
    assert len(compare(X, y, methods=["NC", "LDA"], repeats=1, results=file)) == 6


def test_progress_goes_to_standard_error(capsys):
    X, y = load_iris(return_X_y=True)
    compare(X, y, methods=["NC"], repeats=1, verbose=1)
    out, err = capsys.readouterr()
    assert not out
    assert "3/3" in err


def test_an_unknown_method_lists_the_known():
    with pytest.raises(ValueError, match="NDC, NDC-S, NC"):
        compare([[0.0]], [0], methods=["forest"])


def test_missing_values_are_filled_in_from_the_training_samples_only():
    X, y = load_iris(return_X_y=True)
    gappy = X.copy()
    gappy[::3, 0] = np.nan
    train, test = np.arange(0, 150, 2), np.arange(1, 150, 2)
    filled = [
        np.where(np.isnan(gappy[part]), np.nanmedian(gappy[train], axis=0), gappy[part]) for part in (train, test)
    ]
    by_hand = 1 - NearestCentroid().fit(filled[0], y[train]).score(filled[1], y[test])
    outcome = evaluate("NC", (gappy[train], y[train]), (gappy[test], y[test]), impute="median")
    assert outcome.error == pytest.approx(by_hand)
    assert outcome.features == 4


@pytest.mark.parametrize("method", ["NC", "NDC-S"])
def test_held_out_labels_are_those_of_the_first_repeat(method, blocks):
    X, y = blocks[0]
    settings = {"cv": 4, "transform": "standardize", "random_state": 5, **QUICK}
    errors = compare(X, y, methods=[method], repeats=1, **settings)["error"]
    predicted = held_out_labels(X, y, method, **settings)
    assert 0 < (predicted != y).mean() == pytest.approx(errors.mean())
