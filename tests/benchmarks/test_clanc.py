"""The rival with class-specific genes: by hand, by a plain version, by what must always hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.model_selection import StratifiedKFold

from real_data_study.clanc import ClassSpecificCentroidCV, take_turns


def test_turns_by_hand():
    strength = np.array([[5.0, 4.0, 3.0, 0.0], [6.0, 1.0, 2.0, 0.5]])
    # a takes 0, which b would have liked best; b takes 2; a takes 1; b has only 3 left
    np.testing.assert_array_equal(take_turns(strength, 2), [[0, 1], [2, 3]])


@given(
    arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(4, 12)), elements=st.integers(0, 5)),
    st.integers(1, 3),
)
def test_nobody_could_have_taken_a_better_gene(strength, rounds):
    rounds = min(rounds, strength.shape[1] // len(strength))
    taken = take_turns(strength, rounds)
    assert len(set(taken.ravel())) == taken.size
    free = set(range(strength.shape[1]))
    for turn in range(rounds):
        for j in range(len(strength)):
            assert strength[j, taken[j, turn]] == max(strength[j, f] for f in free)
            free.remove(taken[j, turn])


def plain_labels(X, y, new, size):
    """The rule in plain loops."""
    classes, n = sorted(set(y)), len(y)
    means = {c: X[y == c].mean(axis=0) for c in classes}
    overall = X.mean(axis=0)
    within = sum(((X[y == c] - means[c]) ** 2).sum(axis=0) for c in classes) / (n - len(classes))
    units = np.sqrt(within) + np.median(np.sqrt(within))
    free, own = set(range(X.shape[1])), {c: [] for c in classes}
    for _ in range(size):
        for c in classes:
            m = np.sqrt(1 / np.sum(y == c) - 1 / n)
            best = max(sorted(free), key=lambda f: abs(means[c][f] - overall[f]) / (m * units[f]))
            own[c].append(best)
            free.remove(best)
    union = [f for c in classes for f in own[c]]
    labels = []
    for x in new:
        distance = {
            c: sum(((x[f] - (means[c][f] if f in own[c] else overall[f])) / units[f]) ** 2 for f in union)
            for c in classes
        }
        labels.append(min(classes, key=distance.__getitem__))
    return np.array(labels), {f: c for c in classes for f in own[c]}


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_plain_rule(seed):
    rng = np.random.default_rng(seed)
    y = np.repeat(["a", "b", "c"], [9, 14, 7])
    X = rng.normal(size=(30, 25)) * rng.uniform(0.5, 2.0, 25)
    X[y == "a", :5] += 1.0
    X[y == "c", 5:9] -= 1.5
    new = rng.normal(size=(40, 25))
    sizes = (1, 3, 5, 50)  # 50 are more than there are
    model = ClassSpecificCentroidCV(sizes=sizes, cv=4, random_state=seed).fit(X, y)
    errors = {}
    for size in (1, 3, 5, 8):
        folds = StratifiedKFold(4, shuffle=True, random_state=seed).split(X, y)
        errors[size] = sum(np.mean(plain_labels(X[a], y[a], X[b], size)[0] != y[b]) for a, b in folds)
    lowest = min(errors.values())
    assert model.size_ == min(size for size, error in errors.items() if error < lowest + 1e-9)
    expected, owners = plain_labels(X, y, new, model.size_)
    np.testing.assert_array_equal(model.predict(new), expected)
    assert {f: model.classes_[j] for f, j in enumerate(model.owner_) if j >= 0} == owners
    assert model.n_features_used_ == 3 * model.size_


def test_two_classes_share_the_genes_and_a_constant_gene_does_no_harm():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10)
    X = rng.normal(size=(20, 6)) + 3.0 * y[:, None]
    X[:, 5] = 1.0
    model = ClassSpecificCentroidCV(sizes=(2,)).fit(X, y)
    assert sorted(np.bincount(model.owner_[model.owner_ >= 0])) == [2, 2]
    assert model.owner_[5] == -1
    assert model.score(X, y) == 1.0
