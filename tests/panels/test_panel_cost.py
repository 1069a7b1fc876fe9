"""What a fit costs, counted in passes over the table."""

import numpy as np
import pytest
from scipy import sparse

from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.path import Candidate, fit_candidates
from labelled import training_set

pytestmark = pytest.mark.filterwarnings("error")


class Counting:
    """Columns that count how often the whole table is gone through, and how many columns are looked at singly."""

    def __init__(self, columns):
        self.columns, self.standard, self.squared_norms = columns, columns.standard, columns.squared_norms
        self.counts = {"products": 0, "square_products": 0, "powers": 0, "taken": 0}

    def products(self, vectors):
        self.counts["products"] += 1
        return self.columns.products(vectors)

    def square_products(self, vectors):
        self.counts["square_products"] += 1
        return self.columns.square_products(vectors)

    def powers(self, weights):
        self.counts["powers"] += 1
        return self.columns.powers(weights)

    def dense(self, features):
        self.counts["taken"] += features.size
        return self.columns.dense(features)


@pytest.fixture
def counted(monkeypatch):
    """Every table that is standardised from now on."""
    made, columns_of = [], drafting.columns_of

    def counting(*arguments):
        made.append(Counting(columns_of(*arguments)))
        return made[-1]

    monkeypatch.setattr(drafting, "columns_of", counting)
    return made


def wide_table():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 25)
    X = rng.normal(size=(100, 20_000))
    X[np.arange(100)[:, None], 50 * y[:, None] + np.arange(50)] += 0.7
    return training_set(X, y)


@pytest.mark.parametrize("kind", drafting.TERMS)
def test_a_round_is_a_pass(kind, counted):
    """100 x 20 000, four classes, 50 rounds and every size on the way: one pass per round, one for the squares.

    One more orders features of equal gain.
    """
    part = wide_table()
    rules = drafting.Rules(np.ones(20_000, dtype=bool), ((),) * 4)
    wanted = [Candidate(kind, rounds, 0.5) for rounds in (1, 5, 20, 50)]
    found = fit_candidates(part, wanted, rules)
    (columns,) = counted
    assert columns.counts["products"] <= 52
    assert columns.counts["square_products"] <= (0 if kind == "linear" else 51)
    assert columns.counts["powers"] == 1
    # Every pick is looked at once while drafting and once while fitting.
    assert columns.counts["taken"] <= 2 * 4 * 50
    panels = found.models[wanted[-1]].panels
    if kind == "linear":
        assert [panel.size for panel in panels] == [50] * 4
        planted = [np.mean(panel // 50 == j) for j, panel in enumerate(panels)]
        assert min(planted) > 0.1  # by chance one in 400


def test_penalties_share_a_draft(counted):
    """Terms with squares are drafted once, whatever penalties are tried on them."""
    part = wide_table()
    part = training_set(part.values[:, :500], part.codes)
    rules = drafting.Rules(np.ones(500, dtype=bool), ((),) * 4)
    fit_candidates(part, [Candidate("both", rounds, p) for p in (0.5, 0.05, 0.005) for rounds in (2, 6)], rules)
    (columns,) = counted
    assert columns.counts["products"] <= 8


@pytest.mark.parametrize("kind", drafting.TERMS)
def test_sparse_tables_are_not_made_dense(kind):
    """Only single columns are: a table that no memory would hold as an array is fitted."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 2000)
    n_features, n_cells = 500_000, 60_000
    cells = sparse.coo_array(
        (rng.uniform(size=n_cells), (rng.integers(6000, size=n_cells), rng.integers(1000, n_features, size=n_cells))),
        shape=(6000, n_features),
    )
    signal = sparse.coo_array((np.ones(6000), (np.arange(6000), y)), shape=(6000, n_features))
    part = training_set(sparse.csc_array(cells + signal), y)
    rules = drafting.Rules(np.ones(n_features, dtype=bool), ((),) * 3)
    wanted = Candidate(kind, 1, 0.5)
    model = fit_candidates(part, [wanted], rules).models[wanted]
    assert np.mean(model.scores(part.values).argmax(axis=1) == y) > 0.6
