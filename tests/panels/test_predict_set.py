"""Sets of classes that hold the true one as often as was asked for, and probabilities that mean what they say."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit

import oracle_panel as oracle
from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.panels.conformal import FoldModel, class_p_values
from labelled import table

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = st.integers(0, 10**6)
FEW = hypothesis_settings(max_examples=8)


def fitted(X, y, sample_weight=None, **options):
    options = {"rounds": 3, "terms": "linear", "cv": 3, "random_state": 0, **options}
    return DisjointPanelClassifier(**options).fit(X, y, sample_weight=sample_weight)


def fold_of(own, weights=None, codes=None, n_classes=3):
    """A fold of which only the counting matters."""
    own = np.asarray(own, dtype=float)
    codes = np.zeros(own.size, dtype=int) if codes is None else np.asarray(codes)
    weights = np.ones(own.size) if weights is None else np.asarray(weights, dtype=float)
    return FoldModel(None, np.arange(n_classes), np.empty((n_classes, 0)), codes, own, np.zeros(own.size), weights)


class Blobs:
    """Gaussian classes that overlap: six features differ, the rest are noise."""

    def __init__(self, seed, n_classes=3, n_features=30, size=0.8):
        self.rng = np.random.default_rng(seed)
        self.means = np.zeros((n_classes, n_features))
        self.means[:, :6] = size * self.rng.normal(size=(n_classes, 6))

    def draw(self, n_samples):
        y = self.rng.permutation(np.arange(n_samples) % len(self.means))
        return self.means[y] + self.rng.normal(size=(n_samples, self.means.shape[1])), y


# How often the true class is in the set


@pytest.mark.parametrize("terms", ["linear", "both"])
def test_coverage(terms):
    """Six training sets of 150, 2000 new samples each.

    Given one training set, coverage varies with a standard deviation of sqrt(c (1 - c) / 150), so the mean of six by
    0.010 at 0.9 and by 0.017 at 0.5. Models of folds see fewer samples than there are, which errs on the safe side.
    Three standard deviations below and five above are allowed.
    """
    coverage = {0.9: [], 0.5: []}
    for seed in range(6):
        blobs = Blobs(seed)
        model = fitted(*blobs.draw(150), rounds=5, terms=terms, cv=5)
        new, truth = blobs.draw(2000)
        assert model.score(new, truth) < 0.9  # or everything would be covered anyway
        for confidence, found in coverage.items():
            found.append(model.predict_set(new, confidence)[np.arange(2000), truth].mean())
    assert -0.03 <= np.mean(coverage[0.9]) - 0.9 <= 0.05
    assert -0.05 <= np.mean(coverage[0.5]) - 0.5 <= 0.085


def test_samples_that_were_fitted_would_not_do():
    """The same counting on what the final model says of its training samples promises more than it keeps."""
    covered = []
    for seed in range(4):
        blobs = Blobs(seed, n_features=400)
        X, y = blobs.draw(60)
        model = fitted(X, y, rounds=20, cv=5)
        new, truth = blobs.draw(2000)
        own = model.predict_proba(X)[np.arange(60), y]
        naive = class_p_values([fold_of(own, codes=y)], [model.predict_proba(new)], by_class=True)
        honest = model.predict_set(new, 0.8)[np.arange(2000), truth].mean()
        covered.append([(naive > 0.2)[np.arange(2000), truth].mean(), honest])
    naive, honest = np.mean(covered, axis=0)
    assert naive < 0.6
    assert honest > 0.75


def test_sets_of_a_sample_unlike_any_class_are_empty():
    """Half way between classes that are far apart nobody is sure, and training samples always were."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 9))
    X[np.arange(60), y] += 8.0
    model = fitted(X, y, rounds=1)
    np.testing.assert_array_equal(model.predict_set(X, 0.99, coverage="average")[np.arange(60), y], True)
    between = X.mean(axis=0, keepdims=True)
    assert not model.predict_set(between, 0.9).any()
    assert model.predict_set(X, 0.9).sum(axis=1).max() == 1


@FEW
@given(seed=SEEDS)
def test_sets_shrink_with_confidence(seed):
    X, y = table(seed=seed, noise=2.0)
    model = fitted(X, y)
    new = table(seed=seed + 1, noise=3.0)[0]
    sets = [model.predict_set(new, confidence, coverage="average") for confidence in (0.99, 0.9, 0.6, 0.3, 0.05)]
    for larger, smaller in pairwise(sets):
        assert not (smaller & ~larger).any()
    assert sets[0].sum() > sets[-1].sum()


def test_few_samples_exclude_nobody():
    """With six samples a p-value is at least 1/7: at 0.9 nothing can be excluded, at 0.8 something can."""
    X, y = table(sizes=(2, 2, 2), noise=0.1)
    model = fitted(X, y, cv=2)
    assert model.predict_set(X, 0.9, coverage="average").all()
    assert model.predict_set(X, 0.85, coverage="average").mean() < 1.0


def test_a_class_with_too_few_samples_is_named():
    """At 0.9 a class needs nine samples, or it is in every set; at 0.5 one."""
    X, y = table(sizes=(12, 9, 8), noise=0.1)
    model = fitted(X, y)
    with pytest.warns(UserWarning, match=r"1 of 3 classes have fewer than the 9 .* in every set: 2\. Ask for less"):
        held = model.predict_set(X, 0.9)
    assert held[:, 2].all()
    assert not held[:, 0].all()
    assert not held[:, 1].all()
    assert model.predict_set(X, 0.5).sum() < len(y) * 3 / 2
    assert model.predict_set(X, 0.9, coverage="average").shape == (29, 3)


@pytest.mark.parametrize(("share", "size"), [(0.15, 1.0), (0.05, 0.8)])
def test_coverage_holds_in_every_class(share, size):
    """On average over classes only, a rare class would be missed more often than not."""
    found = {"class": [], "average": []}
    for seed in range(6):
        rng = np.random.default_rng(seed)

        def draw(n_samples, rng=rng):
            y = (np.arange(n_samples) < share * n_samples).astype(int)
            X = rng.normal(size=(n_samples, 300))
            X[:, :10] += size * y[:, None]
            return X, y

        model = fitted(*draw(400), rounds=10, cv=5)
        new, truth = draw(2000)
        for coverage, rows in found.items():
            held = model.predict_set(new, 0.8, coverage=coverage)[np.arange(2000), truth]
            rows.append([held[truth == j].mean() for j in range(2)])
    by_class, average = (np.mean(found[name], axis=0) for name in ("class", "average"))
    assert by_class.min() > 0.75
    assert by_class[1] < 0.95
    assert average[1] < average[0]


def test_sets_as_labels():
    X, y = table()
    names = np.array(["a", "b", "c"])[y]
    model = fitted(X, names)
    mask = model.predict_set(X, 0.7)
    assert model.predict_set(X, 0.7, output="labels") == [
        [n for n, m in zip("abc", row, strict=True) if m] for row in mask
    ]
    for wrong in ({"output": "list"}, {"coverage": "all"}):
        with pytest.raises(ValueError, match=r"must be '.*' or '.*'; got"):
            model.predict_set(X, 0.7, **wrong)


# Samples unlike all training samples


def test_typicality_of_ordinary_samples_is_spread_evenly():
    """At most 5 % of ordinary samples have a p-value of 0.05 or less, but for chance: six training sets of 150."""
    shares = []
    for seed in range(6):
        blobs = Blobs(seed)
        model = fitted(*blobs.draw(150), rounds=5, cv=5)
        p_values = model.typicality(blobs.draw(2000)[0])
        assert p_values.min() >= 1 / 151 - 1e-12
        shares.append([(p_values <= level).mean() for level in (0.05, 0.2, 0.5)])
    low, middle, half = np.mean(shares, axis=0)
    assert 0.01 < low < 0.08
    assert 0.12 < middle < 0.25
    assert 0.4 < half < 0.56


@pytest.mark.parametrize("change", [lambda X: 50 * X, lambda X: X + 30, lambda X: 2.0 ** (X + 8)])
def test_other_units_are_found_out(change):
    """Every such sample has a class of probability one and the smallest p-value that there is."""
    blobs = Blobs(0)
    X, y = blobs.draw(150)
    model = fitted(X, y, rounds=5, cv=5)
    new = change(blobs.draw(50)[0])
    assert np.median(model.predict_proba(new).max(axis=1)) > 0.99
    np.testing.assert_allclose(model.typicality(new), 1 / 151)


def test_typicality_needs_folds():
    X, y = table(sizes=(1, 1, 1))
    with pytest.raises(ValueError, match="typicality needs training samples that were held out"):
        fitted(X, y).typicality(X)


@pytest.mark.parametrize("unit", [1 / 60, 100.5])
def test_weights_that_are_not_counts_have_no_unit(unit):
    X, y = table(sizes=(20, 20, 20), noise=2.0)
    plain, weighted = fitted(X, y), fitted(X, y, sample_weight=np.full(60, unit))
    assert weighted.temperature_ == pytest.approx(plain.temperature_)
    np.testing.assert_allclose(weighted.intercept_, plain.intercept_, atol=1e-9)
    np.testing.assert_array_equal(weighted.predict_set(X, 0.7), plain.predict_set(X, 0.7))
    np.testing.assert_allclose(weighted.typicality(X), plain.typicality(X))


def test_one_sample_a_class_is_not_enough():
    X, y = table(sizes=(1, 1, 1))
    model = fitted(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.temperature_ == 1.0
    assert np.isnan(model.cv_results_["loss"]).all()
    with pytest.raises(
        ValueError, match=r"predict_set needs training samples that were held out, .* Fit it to a table with more samp"
    ):
        model.predict_set(X)


@pytest.mark.parametrize("confidence", [0.0, 1.0, -0.5, 90, np.nan])
def test_confidence_is_a_share(confidence):
    model = fitted(*table())
    with pytest.raises(ValueError, match="confidence must lie between 0 and 1, both excluded; got"):
        model.predict_set(table()[0], confidence)


# Counting


def test_p_values_by_hand():
    """Own fits 0.2, 0.5, 0.9 in one fold and 0.4 (counted twice) in the other; the new sample counts as one."""
    folds = [fold_of([0.5, 0.2, 0.9], codes=[0, 0, 1]), fold_of([0.4], [2.0], [1])]
    new = [np.array([[0.5, 0.1], [0.95, 0.05]]), np.array([[0.6, 0.39], [0.4, 0.6]])]
    expected = [[(2 + 2 + 1) / 6, (0 + 0 + 1) / 6], [(3 + 2 + 1) / 6, (0 + 2 + 1) / 6]]
    np.testing.assert_allclose(class_p_values(folds, new, by_class=False), expected)
    # Of the first class 0.5 and 0.2, of the second 0.9 and twice 0.4.
    by_class = [[(2 + 1) / 3, (0 + 0 + 1) / 4], [(2 + 1) / 3, (0 + 2 + 1) / 4]]
    np.testing.assert_allclose(class_p_values(folds, new, by_class=True), by_class)


def test_rounding_does_not_tell_a_sample_from_itself():
    own = np.array([0.3, 0.7])
    found = class_p_values([fold_of(own)], [own[:, None] * (1 - 1e-14)], by_class=True)
    np.testing.assert_allclose(found, [[2 / 3], [1.0]])


@pytest.mark.parametrize("by_class", [True, False])
@FEW
@given(seed=SEEDS)
def test_p_values_are_the_oracles(seed, by_class):
    rng = np.random.default_rng(seed)
    folds, new = [], []
    for size in (4, 1, 6):
        own = rng.integers(0, 5, size=size) / 4  # ties are frequent
        folds.append(fold_of(own, rng.uniform(0.5, 2.0, size=size), rng.integers(3, size=size)))
        new.append(rng.integers(0, 5, size=(7, 3)) / 4)
    held_out = [list(zip(fold.own, fold.weights, fold.codes, strict=True)) for fold in folds]
    found = class_p_values(folds, new, by_class=by_class)
    np.testing.assert_allclose(found, oracle.p_values(held_out, new, by_class))


def counted(model, X, y, folds, new):
    """P-values from what each fold's model says, classes it does not know having probability zero."""
    held_out, said = [], []

    def probabilities(fold, values):
        wide = np.zeros((len(values), 3))
        wide[:, fold.known] = oracle.probabilities(fold.model.scores(values)[:, fold.known], model.temperature_)
        return wide

    for (_, test), fold in zip(folds, model.fold_models_, strict=True):
        own = probabilities(fold, X[test])[np.arange(len(test)), y[test]]
        held_out.append([(fit, 1.0, label) for fit, label in zip(own, y[test], strict=True)])
        said.append(probabilities(fold, new))
    return oracle.p_values(held_out, said)


SPLITTERS = {
    "repeated": RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
    "some samples never held out": ShuffleSplit(2, test_size=0.3, random_state=0),
}


@pytest.mark.parametrize("name", SPLITTERS)
def test_samples_held_out_twice_or_never(name):
    """Numbers of different models are never compared."""
    X, y = table(noise=2.0)
    folds = list(SPLITTERS[name].split(X, y))
    model = fitted(X, y, cv=SPLITTERS[name])
    new = table(seed=5, noise=2.0)[0]
    p_values = counted(model, X, y, folds, new)
    for confidence in (0.3, 0.5):
        np.testing.assert_array_equal(model.predict_set(new, confidence), p_values > 1 - confidence)
    never = np.setdiff1d(np.arange(len(y)), np.concatenate([test for _, test in folds]))
    assert np.isnan(model.held_out_scores_[never]).all()
    assert np.isfinite(np.delete(model.held_out_scores_, never, axis=0)).all()


def test_a_class_that_a_fold_does_not_know():
    X, y = table(sizes=(9, 8, 1))
    folds = [(np.setdiff1d(np.arange(18), test), test) for test in np.array_split(np.arange(18), 3)]
    model = fitted(X, y, cv=folds)
    assert sorted(fold.known.size for fold in model.fold_models_) == [2, 3, 3]
    p_values = counted(model, X, y, folds, X)
    with pytest.warns(UserWarning, match="1 of 3 classes have fewer than the 4"):
        np.testing.assert_array_equal(model.predict_set(X, 0.8), p_values > 1 - 0.8 + 1e-12)
    (alone,) = np.flatnonzero(y == 2)
    assert model.held_out_scores_[alone, 2] == -np.inf


# Probabilities


def expected_calibration_error(probability, truth):
    """Mean gap between how sure and how often right, over ten bins."""
    sure, right = probability.max(axis=1), probability.argmax(axis=1) == truth
    bins = np.minimum((sure * 10).astype(int), 9)
    return sum(abs(sure[bins == b].sum() - right[bins == b].sum()) for b in range(10)) / len(truth)


def log_loss(probability, truth):
    return -np.log(probability[np.arange(len(truth)), truth]).mean()


@pytest.mark.parametrize("terms", ["linear", "both"])
@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_probabilities_are_calibrated(n_classes, terms):
    """Over five training sets of 150, on new samples: better than the raw scores, near the best factor there is."""
    found = []
    for seed in range(5):
        blobs = Blobs(seed, n_classes)
        X, y = blobs.draw(150)
        model = fitted(X, y, rounds=5, terms=terms, cv=5)
        new, truth = blobs.draw(2000)
        scores = model.predict_log_proba(new) / model.temperature_
        assert np.bincount(model.predict(new)).max() < 2000
        at = [log_loss(oracle.probabilities(scores, t), truth) for t in np.geomspace(0.5, 30.0, 60)]
        probability = model.predict_proba(new)
        own = log_loss(probability, truth)
        assert own <= log_loss(oracle.probabilities(scores, 1.0), truth)
        found.append([own, min(at), expected_calibration_error(probability, truth)])
    own, best, error = np.mean(found, axis=0)
    assert own <= best + 0.03
    assert error <= 0.08


def test_perfect_separation_does_not_make_certain():
    """Everybody was right while held out: as if one had been wrong."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 9))
    X[np.arange(60), y] += 12.0
    model = fitted(X, y, rounds=1)
    assert model.cv_results_["error"][0] == 0.0
    own = model.predict_proba(X)[np.arange(60), y]
    assert 0.9 < own.mean() < 1 - 1e-4
