"""Cross-validation of partitions: the folds, the errors on them, and the choice between kinds of starts."""

import numpy as np
import pytest

import awkward_tables as tables
from disjoint_centroids import NearestDisjointCentroid
from disjoint_centroids.centroids.cross_fit import cross_fit
from disjoint_centroids.centroids.in_memory import RowsInMemory
from disjoint_centroids.centroids.search import KINDS
from disjoint_centroids.centroids.training import JudgedSearch
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


def held_out(training, parts, lams, settings, *others, **named):
    """Held-out errors of one way to search, (n_lams, n_folds)."""
    return cross_fit(RowsInMemory(training, parts), lams, [settings], *others, **named).errors[0]


@pytest.mark.parametrize(("lams", "shape"), [(None, (1, 3)), (LAMS, (3, 3)), (LAMS[:1], (1, 3))], ids=str)
def test_a_row_a_lambda_and_a_column_a_fold(lams, shape):
    training = training_set()
    found = held_out(training, thirds(training), lams, tables.settings(n_init=3))
    assert found.shape == shape
    assert ((found >= 0) & (found <= 1)).all()


def test_one_tick_a_fold():
    training, ticks = training_set(), []
    held_out(training, thirds(training), None, tables.settings(n_init=2), tick=lambda: ticks.append(len(ticks)))
    assert ticks == [0, 1, 2]


def test_a_score_sees_every_fold_and_gives_its_column():
    training, seen = training_set(), []

    def score(part, partitions):
        seen.append((part, partitions))
        return np.arange(3.0) + 10 * len(seen)

    found = held_out(training, thirds(training), LAMS, tables.settings(n_init=2), score)
    np.testing.assert_array_equal(found, [[10, 20, 30], [11, 21, 31], [12, 22, 32]])
    for fold, ((part, partitions), (train, _)) in enumerate(zip(seen, thirds(training), strict=True)):
        assert part.fold == fold
        np.testing.assert_array_equal(part.rows.table.values, training.values[train])
        assert len(partitions) == 3


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
    found = held_out(training, thirds(training), lams, tables.settings(n_init=3))
    np.testing.assert_allclose(found[0], held_out_errors(training, thirds(training), lam), atol=1e-12)


def test_a_class_missing_from_the_training_part_is_wrong_by_its_weight():
    training = training_set((8, 8, 8), weights=np.arange(1, 25))
    absent = training.codes == 2
    some = np.flatnonzero(~absent)[:4]
    fold = (np.setdiff1d(np.flatnonzero(~absent), some), np.r_[some, np.flatnonzero(absent)])
    ((found,),) = held_out(training, [fold], None, tables.settings(n_init=3))
    (expected,) = held_out_errors(training, [fold], None)
    assert found == pytest.approx(expected)
    assert found >= training.weights[absent].sum() / training.weights[fold[1]].sum()


def test_a_fold_of_nothing_but_a_missing_class_is_all_wrong():
    training = training_set((8, 8, 8))
    fold = (np.flatnonzero(training.codes != 2), np.flatnonzero(training.codes == 2))
    found = held_out(training, [fold], LAMS, tables.settings(n_init=3))
    np.testing.assert_array_equal(found, 1)


def test_the_order_of_a_training_part_changes_nothing():
    training = training_set((45, 40, 35))
    parts = thirds(training)
    backwards = [(train[::-1], test[::-1]) for train, test in parts]
    settings = tables.settings(n_init=3)
    found, expected = (held_out(training, p, LAMS, settings) for p in (backwards, parts))
    np.testing.assert_allclose(found, expected, atol=1e-12)


# ---------------------------------------------------------------------------------------------------- kinds of starts

HAND_MADE = {
    "the lowest": ({"k-means": 0.3, "k-means++": 0.2, "random": 0.1, "variance": 0.4}, "random"),
    "a tie goes to the paper's": ({"k-means": 0.1, "k-means++": 0.2, "random": 0.1, "variance": 0.1}, "k-means"),
    "a tie goes to the earlier": ({"k-means": 0.3, "k-means++": 0.2, "random": 0.2, "variance": 0.2}, "k-means++"),
    "a tie but for rounding": ({"k-means": 0.1 + 1e-16, "k-means++": 0.1, "random": 0.1, "variance": 0.1}, "k-means"),
}


class HandMade(RowsInMemory):
    """Rows whose searches have the held-out errors that they are given, by kind of start."""

    def __init__(self, table, folds, errors):
        super().__init__(table, folds)
        self._errors = errors

    def judge(self, searches):
        for judged in super().judge(searches):
            errors = np.array([0.9, self._errors[judged.searched.settings.init]])
            fold = judged.searched.part.fold
            yield JudgedSearch(judged.searched, judged.train_errors, None if fold is None else lambda _, e=errors: e)


@pytest.mark.parametrize(("errors", "expected"), HAND_MADE.values(), ids=HAND_MADE)
def test_choice_of_a_kind(errors, expected):
    """Each kind is judged by its best lambda, over the folds: here the second of two."""
    training, settings = training_set(), tables.settings(n_init=2)
    rows = HandMade(training, thirds(training), errors)
    found = cross_fit(rows, LAMS[:2], [settings.with_init(kind) for kind in KINDS])
    assert KINDS[found.best] == expected
    alone = cross_fit(RowsInMemory(training), LAMS[:2], [settings.with_init(expected)]).partitions
    for one, other in zip(found.partitions, alone, strict=True):
        np.testing.assert_array_equal(one.owner, other.owner)


@pytest.mark.parametrize("lams", [None, LAMS], ids=["Algorithm 1", "Algorithm 2"])
def test_choice_of_a_kind_on_a_table(lams):
    training = training_set(seed=3)
    parts, settings = thirds(training), tables.settings(n_init=3)
    searches = [settings.with_init(kind) for kind in KINDS]
    ticks = []
    found = cross_fit(RowsInMemory(training, parts), lams, searches, tick=lambda: ticks.append(1))
    assert len(ticks) == 3 * len(KINDS)
    for of_kind, one in zip(found.errors, searches, strict=True):
        np.testing.assert_array_equal(of_kind, held_out(training, parts, lams, one))
    lowest = [of_kind.mean(axis=1).min() for of_kind in found.errors]
    assert lowest[found.best] == pytest.approx(min(lowest), abs=1e-12)


def test_without_folds_the_first_way_to_search():
    training, settings = training_set(), tables.settings(n_init=2)
    found = cross_fit(RowsInMemory(training), None, [settings.with_init(kind) for kind in KINDS])
    assert (found.best, found.errors) == (0, [])
