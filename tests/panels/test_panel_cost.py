"""What a fit costs, counted in passes over the table."""

import numpy as np
import pytest
from scipy import sparse

from disjoint_centroids.numerics.sizes import sizes_context
from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.candidates import Candidate
from disjoint_centroids.panels.path import Path
from disjoint_centroids.panels.training_parts import divide, parts_in_memory
from panel_parts import engine_rules, parts_of

pytestmark = pytest.mark.filterwarnings("error")

REGRESSION = {"linear": "ridge", "squared": "logistic", "both": "logistic"}


class Counting(np.ndarray):
    """A table that counts its products with other arrays, and the columns that are read one by one."""

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        if ufunc is np.matmul:
            self.counts["products"] += 1
        plain = [np.asarray(given) for given in inputs]
        return getattr(ufunc, method)(*plain, **options)

    def __getitem__(self, at):
        if isinstance(at, tuple):
            self.counts["columns"] += np.size(at[1])
        return np.asarray(self)[at]


def counting(values, counts):
    found = np.asarray(values).view(Counting)
    found.counts = counts
    return found


@pytest.fixture
def counted(monkeypatch):
    """Counts of all tables that inner products are taken from, values and squares apart."""
    counts = {"values": {"products": 0, "columns": 0}, "squares": {"products": 0, "columns": 0}}
    prepare = drafting.RowSource.__init__

    def prepare_counting(source, *given):
        prepare(source, *given)
        source._values = counting(source._values, counts["values"])
        if source._squares is not None:
            source._squares = counting(source._squares, counts["squares"])

    monkeypatch.setattr(drafting.RowSource, "__init__", prepare_counting)
    return counts


def wide_table():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 25)
    X = rng.normal(size=(100, 5_000))
    X[np.arange(100)[:, None], 50 * y[:, None] + np.arange(50)] += 0.7
    return X, y


def folds_of(y, n_folds=5):
    rows = np.arange(y.size)
    return [(rows[rows % n_folds != at], rows[rows % n_folds == at]) for at in range(n_folds)]


@pytest.mark.parametrize("kind", drafting.TERMS)
def test_a_round_is_one_product_for_all_parts(kind, counted):
    """100 x 5000, four classes, five folds and the whole, 30 rounds and every size on the way.

    One product with the values per round, one with the squares; two more per part order features of equal gain.
    """
    X, y = wide_table()
    wanted = [Candidate(kind, REGRESSION[kind], rounds, 0.5) for rounds in (1, 5, 30)]
    parts = parts_of(X, y, None, folds_of(y), with_squares=kind != "linear")
    fits = Path(parts, wanted, engine_rules(4, 5_000), own=False)
    fits.prepare(wanted)
    assert counted["values"]["products"] <= 30 + 2 * 6
    assert counted["squares"]["products"] <= (0 if kind == "linear" else 30)
    # Every pick of every part is read once per column that it adds.
    assert counted["values"]["columns"] <= 6 * 4 * 30 * (2 if kind == "both" else 1)
    models = [fits.fit(fits.whole, candidate)[0] for candidate in wanted]
    if kind == "linear":
        # Ridge regressions need nothing further.
        assert counted["values"]["products"] <= 30 + 2 * 6
        assert [panel.size for panel in models[-1].panels] == [30] * 4
        planted = [np.mean(panel // 50 == j) for j, panel in enumerate(models[-1].panels)]
        assert min(planted) > 0.1  # by chance one in 100


def test_penalties_share_a_draft(counted):
    """Terms are drafted once, whatever penalties are tried on them."""
    X, y = wide_table()
    wanted = [Candidate("both", "logistic", rounds, p) for p in (0.5, 0.05, 0.005) for rounds in (2, 6)]
    fits = Path(parts_of(X[:, :500], y), wanted, engine_rules(4, 500), own=False)
    fits.prepare(wanted)
    for candidate in wanted:
        fits.fit(0, candidate)
    assert counted["values"]["products"] <= 6 + 2


def test_the_cheaper_source_is_taken():
    """Products of all pairs of columns for long tables, rows for wide ones, and rows where memory does not suffice."""
    rng = np.random.default_rng(0)
    options = {"with_squares": True, "n_rounds": 20, "n_kinds": 3}

    def source_of(shape):
        y = np.arange(shape[0]) % 3
        division = divide(y, np.ones(y.size), 3, folds_of(y))
        return parts_in_memory(rng.normal(size=shape), division, **options).source

    assert isinstance(source_of((3000, 20)), drafting.GramSource)
    assert isinstance(source_of((60, 2000)), drafting.RowSource)
    with sizes_context(product_bytes=1000):
        assert isinstance(source_of((3000, 20)), drafting.RowSource)


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
    table = sparse.csr_array(cells + signal)
    division = divide(y, np.ones(6000), 3, [])
    parts = parts_in_memory(table, division, with_squares=kind != "linear", n_rounds=1, n_kinds=1)
    wanted = Candidate(kind, REGRESSION[kind], 1, 0.5)
    fits = Path(parts, [wanted], engine_rules(3, n_features), own=False)
    fits.prepare([wanted])
    model, _ = fits.fit(fits.whole, wanted)
    assert np.mean(model.scores(table).argmax(axis=1) == y) > 0.6
