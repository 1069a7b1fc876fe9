"""Cross-validation of partitions: the folds, the errors on them, and the choice between kinds of starts."""

import numpy as np
import pytest

import awkward_tables as tables
from disjoint_centroids import NearestDisjointCentroid
from disjoint_centroids.centroids import cross_validation
from disjoint_centroids.centroids.problems import problem_of
from disjoint_centroids.centroids.search import KINDS
from disjoint_centroids.rows import folds
from disjoint_centroids.rows.training import read_training_set
from labelled import table

pytestmark = pytest.mark.filterwarnings("error")

LAMS = np.array([0.8, 1.2, np.inf])


def training_set(sizes=(12, 9, 10), weights=None, seed=0, shared=None):
    X, y = table(sizes, seed=seed, noise=1.5)
    return read_training_set(NearestDisjointCentroid(), X, y, weights, shared, divided=True)


def thirds(training):
    """Three folds without any shuffling."""
    at = np.arange(len(training.codes))
    return [(at[at % 3 != i], at[at % 3 == i]) for i in range(3)]


# ---------------------------------------------------------------------------------------------------- inner folds


@pytest.mark.parametrize(
    ("sizes", "n_folds"),
    [((12, 9, 10), 5), ((5, 5), 5), ((3, 2), 3), ((2, 2, 2), 2), ((12, 1), 5), ((12, 2, 1), 5)],
    ids=str,
)
def test_as_many_inner_folds_as_the_largest_class_allows(sizes, n_folds):
    training = training_set(sizes)
    found = folds.inner_folds(training.codes, seed=0)
    assert len(found) == n_folds
    # Every sample is held out once, and trains wherever it is not held out.
    held_out = np.concatenate([test for _, test in found])
    np.testing.assert_array_equal(np.sort(held_out), np.arange(sum(sizes)))
    for train, test in found:
        np.testing.assert_array_equal(np.sort(np.r_[train, test]), np.arange(sum(sizes)))


def test_inner_folds_keep_the_shares_of_the_classes():
    training = training_set((20, 10, 10))
    for _, test in folds.inner_folds(training.codes, seed=0):
        np.testing.assert_array_equal(np.bincount(training.codes[test]), [4, 2, 2])


def test_no_inner_folds_of_single_samples():
    assert folds.inner_folds(training_set((1, 1, 1)).codes, seed=0) == []


def test_inner_folds_follow_from_the_seed():
    training = training_set()
    first, again, other = (folds.inner_folds(training.codes, seed)[0][1] for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


# ---------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(("lams", "shape"), [(None, (1, 3)), (LAMS, (3, 3)), (LAMS[:1], (1, 3))], ids=str)
def test_a_row_a_lambda_and_a_column_a_fold(lams, shape):
    training = training_set()
    (found,) = cross_validation.cross_validate(
        training, problem_of(training), thirds(training), lams, [tables.settings(n_init=3)]
    )
    assert found.shape == shape
    assert ((found >= 0) & (found <= 1)).all()


def test_one_tick_a_fold():
    training, ticks = training_set(), []
    settings = tables.settings(n_init=2)
    cross_validation.cross_validate(
        training, problem_of(training), thirds(training), None, [settings], tick=lambda: ticks.append(len(ticks))
    )
    assert ticks == [0, 1, 2]


def test_a_judge_sees_every_fold_and_gives_its_column():
    training, seen = training_set(), []

    def judge(fitted):
        seen.append(fitted)
        return np.arange(3.0) + 10 * len(seen)

    (found,) = cross_validation.cross_validate(
        training, problem_of(training), thirds(training), LAMS, [tables.settings(n_init=2)], judge
    )
    np.testing.assert_array_equal(found, [[10, 20, 30], [11, 21, 31], [12, 22, 32]])
    for fitted, (train, test) in zip(seen, thirds(training), strict=True):
        np.testing.assert_array_equal(fitted.test, test)
        np.testing.assert_array_equal(fitted.training.values, training.values[train])
        assert len(fitted.partitions) == 3


def held_out_errors(training, parts, lam, init="k-means"):
    """The same by hand, from the public estimator with the seed that the settings of the tests have."""
    found = []
    for train, test in parts:
        model = NearestDisjointCentroid(lam=lam, n_init=3, init=init, random_state=_Seed(0))
        model.fit(training.values[train], training.classes[training.codes[train]], training.weights[train])
        labels = training.classes[training.codes[test]]
        found.append(1 - model.score(training.values[test], labels, training.weights[test]))
    return found


class _Seed(np.random.RandomState):
    """A random state whose next draw is known: what an estimator draws from it is the engine's seed."""

    def __init__(self, seed):
        super().__init__(seed)
        self._seed = seed

    def randint(self, *bounds):
        return self._seed


@pytest.mark.parametrize("lam", [None, 1.2])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("sizes", [(12, 9, 10), (45, 40, 35)], ids=["few samples", "many samples"])
def test_errors_are_those_of_the_classifier(sizes, weighted, lam):
    """Many samples: then the training parts are Gram matrices of the whole, less those of the fold."""
    weights = np.random.default_rng(0).uniform(0.5, 2, size=sum(sizes)) if weighted else None
    training = training_set(sizes, weights)
    lams = None if lam is None else np.array([lam])
    (found,) = cross_validation.cross_validate(
        training, problem_of(training), thirds(training), lams, [tables.settings(n_init=3)]
    )
    np.testing.assert_allclose(found[0], held_out_errors(training, thirds(training), lam), atol=1e-12)


def test_a_class_missing_from_the_training_part_is_wrong_by_its_weight():
    training = training_set((8, 8, 8), weights=np.arange(1, 25))
    absent = training.codes == 2
    some = np.flatnonzero(~absent)[:4]
    fold = (np.setdiff1d(np.flatnonzero(~absent), some), np.r_[some, np.flatnonzero(absent)])
    ((found,),) = cross_validation.cross_validate(
        training, problem_of(training), [fold], None, [tables.settings(n_init=3)]
    )[0]
    (expected,) = held_out_errors(training, [fold], None)
    assert found == pytest.approx(expected)
    assert found >= training.weights[absent].sum() / training.weights[fold[1]].sum()


def test_a_fold_of_nothing_but_a_missing_class_is_all_wrong():
    training = training_set((8, 8, 8))
    fold = (np.flatnonzero(training.codes != 2), np.flatnonzero(training.codes == 2))
    (found,) = cross_validation.cross_validate(
        training, problem_of(training), [fold], LAMS, [tables.settings(n_init=3)]
    )
    np.testing.assert_array_equal(found, 1)


def test_the_order_of_a_training_part_changes_nothing():
    training = training_set((45, 40, 35))
    parts = thirds(training)
    backwards = [(train[::-1], test[::-1]) for train, test in parts]
    settings = tables.settings(n_init=3)
    found, expected = (
        cross_validation.cross_validate(training, problem_of(training), p, LAMS, [settings])[0]
        for p in (backwards, parts)
    )
    np.testing.assert_allclose(found, expected, atol=1e-12)


# ---------------------------------------------------------------------------------------------------- kinds of starts

HAND_MADE = {
    "the lowest": ({"k-means": 0.3, "k-means++": 0.2, "random": 0.1, "variance": 0.4}, "random"),
    "a tie goes to the paper's": ({"k-means": 0.1, "k-means++": 0.2, "random": 0.1, "variance": 0.1}, "k-means"),
    "a tie goes to the earlier": ({"k-means": 0.3, "k-means++": 0.2, "random": 0.2, "variance": 0.2}, "k-means++"),
    "a tie but for rounding": ({"k-means": 0.1 + 1e-16, "k-means++": 0.1, "random": 0.1, "variance": 0.1}, "k-means"),
}


@pytest.mark.parametrize(("errors", "expected"), HAND_MADE.values(), ids=HAND_MADE)
def test_choice_of_a_kind(errors, expected, monkeypatch):
    """Each kind is judged by its best lambda, over the folds: here the second of two."""

    def judged(training, whole, parts, lams, searches, judge=None, tick=None):
        return [np.array([[0.9, 0.9], [errors[search.init], errors[search.init]]]) for search in searches]

    monkeypatch.setattr(folds, "cross_validate", judged)
    found, all_errors = cross_validation.choose_kind(None, None, ["some folds"], None, tables.settings())
    assert found == expected
    assert list(all_errors) == list(KINDS)


@pytest.mark.parametrize("lams", [None, LAMS], ids=["Algorithm 1", "Algorithm 2"])
def test_choice_of_a_kind_on_a_table(lams):
    training = training_set(seed=3)
    problem, parts, settings = problem_of(training), thirds(training), tables.settings(n_init=3)
    ticks = []
    found, errors = cross_validation.choose_kind(training, problem, parts, lams, settings, tick=lambda: ticks.append(1))
    assert len(ticks) == 3 * len(KINDS)
    for kind in KINDS:
        (alone,) = cross_validation.cross_validate(training, problem, parts, lams, [settings.with_init(kind)])
        np.testing.assert_array_equal(errors[kind], alone)
    lowest = {kind: errors[kind].mean(axis=1).min() for kind in KINDS}
    assert lowest[found] == pytest.approx(min(lowest.values()), abs=1e-12)


def test_without_folds_the_papers_kind():
    assert cross_validation.choose_kind(None, None, [], None, tables.settings()) == ("k-means", {})
