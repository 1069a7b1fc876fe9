"""Fits of candidates on training parts, in every form that a table is kept in, against the oracle."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import awkward_tables as tables
import oracle_panel as oracle
from disjoint_centroids.panels import path
from disjoint_centroids.panels.candidates import Candidate
from disjoint_centroids.panels.drafting import EXACT
from disjoint_centroids.panels.path import Path, as_counts
from panel_parts import FORMS, engine_rules, parts_of

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = st.integers(0, 10**6)
READS = ("all", "own")
FAMILIES = [("linear", "ridge"), ("linear", "logistic"), ("squared", "logistic"), ("both", "logistic")]


def random_table(seed, n_features=8, n_classes=3):
    rng = np.random.default_rng(seed)
    table = tables.blocks(tuple(rng.integers(6, 10, size=n_classes)), n_features, seed)
    X = np.where(rng.uniform(size=table.X.shape) < 0.7, table.X, 0.0)
    return X, table.y, rng.uniform(0.5, 2.0, size=table.y.size)


def folds_of(y):
    """Every other row; one class less; the whole comes last by itself."""
    rows = np.arange(y.size)
    return [(rows[::2], rows[1::2]), (np.flatnonzero(y != 2), np.flatnonzero(y == 2))]


def path_of(X, y, weights, candidates, *, form="rows", reads="all", priors=None, **rules):
    parts = parts_of(X, y, weights, folds_of(y), form=form)
    found = Path(
        parts, candidates, engine_rules(y.max() + 1, X.shape[1], **rules), own=reads == "own", class_weights=priors
    )
    found.prepare(candidates)
    return found


def assert_is_the_oracles(model, expected, X, atol=1e-4):
    assert [panel.tolist() for panel in model.panels] == expected.panels
    known = expected.part.known
    found, scores = model.scores(X)[:, known], expected.scores(X)[:, known]
    np.testing.assert_allclose(found, scores, atol=atol * max(1.0, np.abs(scores).max()))


@pytest.mark.parametrize(("kind", "regression"), FAMILIES)
@pytest.mark.parametrize("reads", READS)
@hypothesis_settings(max_examples=4)
@given(seed=SEEDS, form=st.sampled_from(FORMS), priors=st.sampled_from([None, (0.2, 0.5, 0.3)]))
def test_all_parts_are_the_oracles(reads, kind, regression, seed, form, priors):
    """Folds, also without a class, and the whole, intercepts included."""
    X, y, weights = random_table(seed)
    candidate = Candidate(kind, regression, 2, 0.3)
    priors = None if priors is None else np.array(priors)
    fits = path_of(X, y, weights, [candidate], form=form, reads=reads, priors=priors)
    for part, rows in enumerate([train for train, _ in folds_of(y)] + [np.arange(y.size)]):
        model, _ = fits.fit(part, candidate, slope=EXACT)
        expected = oracle.Model(
            X, y, kind, 2, penalty=0.3, reads=reads, regression=regression, weights=weights, rows=rows, priors=priors
        )
        assert_is_the_oracles(model, expected, X)
        assert np.flatnonzero(fits.standard(part).known).tolist() == expected.part.known


@pytest.mark.parametrize("reads", READS)
@pytest.mark.parametrize("overdraft", [1, 2])
def test_candidates_do_not_show_each_other(overdraft, reads):
    """Many rounds, penalties and regressions from one draft: each as if it had been asked for alone."""
    X, y, weights = random_table(3, n_features=14)
    wanted = [
        Candidate("linear", regression, rounds, penalty, overdraft)
        for regression in ("ridge", "logistic")
        for penalty in (path.DRAFT_PENALTY, 0.1)
        for rounds in (1, 3)
    ]
    together = path_of(X, y, weights, wanted, reads=reads)
    for candidate in wanted:
        alone = path_of(X, y, weights, [candidate], reads=reads, form="products")
        for part in range(3):
            found, expected = (fits.fit(part, candidate, slope=EXACT)[0] for fits in (together, alone))
            assert [panel.tolist() for panel in found.panels] == [panel.tolist() for panel in expected.panels]
            np.testing.assert_allclose(found.scores(X), expected.scores(X), atol=1e-5)


def test_a_draft_that_is_long_enough_is_kept():
    X, y, weights = random_table(4, n_features=14)
    wanted = [Candidate("linear", "ridge", rounds, 0.3) for rounds in (1, 2, 4)]
    ticks = []
    fits = Path(
        parts_of(X, y, weights, folds_of(y)), wanted, engine_rules(3, 14), own=False, tick=lambda: ticks.append(1)
    )
    fits.prepare(wanted[:2])
    assert len(ticks) == 2
    fits.prepare(wanted[:1])
    assert len(ticks) == 2
    fits.fit(2, wanted[1])
    fits.prepare(wanted)
    assert len(ticks) == 2 + 4
    # What was fitted along the shorter draft is forgotten.
    alone, _ = path_of(X, y, weights, wanted[2:]).fit(2, wanted[2])
    np.testing.assert_allclose(fits.fit(2, wanted[2])[0].scores(X), alone.scores(X), atol=1e-9)


def test_picks_do_not_depend_on_the_penalty_of_the_fit():
    X, y, weights = random_table(5, n_features=14)
    wanted = [Candidate("linear", "ridge", 3, penalty) for penalty in (2.0, 0.01)]
    strong, weak = (path_of(X, y, weights, wanted).fit(2, candidate)[0] for candidate in wanted)
    assert [panel.tolist() for panel in strong.panels] == [panel.tolist() for panel in weak.panels]
    assert np.abs(weak.weight).max() > 2 * np.abs(strong.weight).max()


@pytest.mark.parametrize(
    ("weights", "expected"),
    [([1.0, 2.0, 0.0], [1.0, 2.0, 0.0]), ([0.5, 1.0, 1.5], [0.5, 1.0, 1.5]), ([0.1, 0.2, 0.3], [0.5, 1.0, 1.5])],
)
def test_weights_as_counts(weights, expected):
    np.testing.assert_allclose(as_counts(np.array(weights)), expected)
