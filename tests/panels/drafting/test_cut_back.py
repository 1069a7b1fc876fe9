"""Backward steps: with coefficients given, and against a plain version."""

import numpy as np
import pytest

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.panels.drafting import Scores, columns_at, cut_back


def fixed(coefficients):
    """A fit that always finds the same coefficient for the same column (columns carry their number in row 0)."""

    def fit(matrices):
        return Scores(tuple(coefficients[m[0].astype(int)] for m in matrices), np.zeros(len(matrices)))

    return fit


def numbered(n_columns, seed=0):
    columns = np.random.default_rng(seed).normal(size=(30, n_columns))
    columns[0] = np.arange(n_columns)
    return columns


def test_the_weakest_go_first_and_the_order_of_picking_stays():
    coefficients = np.array([0.1, 5.0, 0.01, 2.0, 3.0, 0.001])
    matrix = numbered(6)
    weights = np.r_[0.0, np.ones(29)]  # row 0 is only a number
    found = cut_back([matrix], 1, [0], {1: [1], 3: [3], 5: [5]}, weights, fixed(coefficients))
    spread = np.abs(coefficients) * matrix[1:].std(axis=0)
    for size, (own,) in found.items():
        assert own.tolist() == sorted(np.argsort(-spread)[:size].tolist())


def test_features_that_are_forced_stay():
    coefficients = np.array([1e-9, 5.0, 4.0, 3.0])
    found = cut_back([numbered(4)], 1, [1], {1: [2]}, np.r_[0.0, np.ones(29)], fixed(coefficients))
    assert 0 in found[1][0]
    assert found[1][0].size == 2


def test_columns_of_two_terms():
    np.testing.assert_array_equal(columns_at(np.array([0, 3]), 2), [0, 1, 6, 7])
    np.testing.assert_array_equal(columns_at(np.array([0, 3]), 1), [0, 3])


def plain_cut(X, y, panels, size, penalty):
    """Cut one class after another, a fifth at a time, refitting by the normal equations of all classes at once."""
    n, k = len(y), len(panels)
    weights = np.array([n / k / np.sum(y == label) for label in y])
    centred = np.eye(k) - 1.0 / k
    target = 2.0 * np.eye(k)[y]
    while any(len(panel) > size for panel in panels):
        features = [(j, f) for j, panel in enumerate(panels) for f in panel]
        design = np.zeros((n, k, len(features)))
        for at, (j, f) in enumerate(features):
            design[:, j, at] = X[:, f]
        design = np.einsum("ab,nbc->nac", centred, design)
        left = np.einsum("n,nac,nad->cd", weights, design, design) + penalty * n * np.eye(len(features))
        right = np.einsum("n,nac,na->c", weights, design, target @ centred)
        solved = np.linalg.solve(left, right)
        strength = {
            key: c**2 * np.average(X[:, key[1]] ** 2, weights=weights) for key, c in zip(features, solved, strict=True)
        }
        new = []
        for j, panel in enumerate(panels):
            keep = max(size, len(panel) - max(1, len(panel) // 5))
            best = sorted(panel, key=lambda f: -strength[j, f])[:keep]
            new.append([f for f in panel if f in best])
        panels = new
    return panels


@pytest.mark.parametrize("seed", range(4))
def test_overdraft_is_the_plain_cut_of_a_longer_draft(seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1, 2], [20, 25, 15]))
    X = rng.normal(size=(60, 40)) + 0.5 * rng.normal(size=(3, 40))[y]
    longer = DisjointPanelClassifier(rounds=9, terms="linear", penalty=0.5, random_state=0).fit(X, y)
    short = DisjointPanelClassifier(rounds=3, overdraft=3, terms="linear", penalty=0.5, random_state=0).fit(X, y)
    z = (X - longer.center_) / longer.scale_
    expected = plain_cut(z, y, [panel.tolist() for panel in longer.feature_sets_], 3, 0.5)
    assert [panel.tolist() for panel in short.feature_sets_] == expected


@pytest.mark.parametrize("terms", ["squared", "both"])
def test_panels_of_an_overdraft_have_the_size_asked_for(terms):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 15)
    X = rng.normal(size=(45, 30)) * (1.0 + y[:, None])
    model = DisjointPanelClassifier(rounds=2, overdraft=4, terms=terms, penalty=0.5, random_state=0).fit(X, y)
    assert [panel.size for panel in model.feature_sets_] == [2, 2, 2]
    assert len(set(np.concatenate(model.feature_sets_))) == 6
