"""Sums over rows by class and cell: dense and sparse, block by block, and of the parts that cells make up."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from disjoint_centroids.numerics.sizes import sizes_context
from disjoint_centroids.rows.column_sums import ColumnSums, Grouping, add_up, count_zeros, shift_of_block

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = st.integers(0, 10**6)


class Case:
    """A table with many zeros, its classes, cells (-1: does not count) and weights."""

    def __init__(self, seed, n_rows=30, n_features=6, n_classes=3, n_cells=4):
        rng = np.random.default_rng(seed)
        self.X = rng.normal(size=(n_rows, n_features)) * rng.integers(0, 2, size=(n_rows, n_features))
        self.codes, self.cells = rng.integers(n_classes, size=n_rows), rng.integers(-1, n_cells, size=n_rows)
        self.weights, self.balanced = rng.uniform(0.2, 2.0, size=(2, n_rows))
        self.n_classes, self.n_cells = n_classes, n_cells

    def grouping(self, rows=slice(None), *, with_squares=True, with_products=True):
        return Grouping(
            self.codes[rows],
            self.cells[rows],
            self.weights[rows],
            self.balanced[rows],
            self.n_classes,
            self.n_cells,
            with_squares,
            with_products,
        )

    def plain(self, shift=0.0, *, with_squares=True):
        """The same in loops over cells and classes."""
        x = self.X - shift
        cells, classes = range(self.n_cells), range(self.n_classes)
        own = [[(self.cells == cell) & (self.codes == j) for j in classes] for cell in cells]
        sums = [[[self.weights[rows] @ x[rows] ** power for rows in row] for row in own] for power in (1, 2)]
        in_cell = [self.cells == cell for cell in cells]
        powers = [[self.balanced[rows] @ x[rows] ** power for rows in in_cell] for power in (3, 4)]
        columns = np.hstack([x, x**2]) if with_squares else x
        products = [columns[rows].T @ np.diag(self.balanced[rows]) @ columns[rows] for rows in in_cell]
        totals = [[self.weights[rows].sum() for rows in row] for row in own]
        return ColumnSums(*map(np.array, (totals, *sums, *powers, products)))


def assert_same(found, expected, rtol=1e-12):
    for field in fields(ColumnSums):
        a, b = getattr(found, field.name), getattr(expected, field.name)
        assert (a is None) == (b is None), field.name
        if b is not None:
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * max(np.abs(b).max(initial=0.0), 1.0))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
@given(seed=SEEDS)
def test_sums_by_class_and_cell(form, seed):
    case = Case(seed)
    assert_same(add_up(form(case.X), np.zeros(6), case.grouping()), case.plain())


@given(seed=SEEDS)
def test_a_dense_block_is_taken_less_its_shift(seed):
    case = Case(seed)
    shift = np.random.default_rng(seed).normal(size=6)
    assert_same(add_up(case.X, shift, case.grouping()), case.plain(shift))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_only_what_is_wanted(form):
    case = Case(0)
    plain = case.plain(with_squares=False)
    without_squares = ColumnSums(plain.weights, plain.first, plain.second, None, None, plain.products)
    found = add_up(form(case.X), np.zeros(6), case.grouping(with_squares=False))
    assert_same(found, without_squares)
    alone = add_up(form(case.X), np.zeros(6), case.grouping(with_squares=False, with_products=False))
    assert_same(alone, ColumnSums(plain.weights, plain.first, plain.second))
    powers = case.plain()
    found = add_up(form(case.X), np.zeros(6), case.grouping(with_products=False))
    assert_same(found, ColumnSums(powers.weights, powers.first, powers.second, powers.third, powers.fourth))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@given(seed=SEEDS, n_blocks=st.integers(1, 7))
def test_blocks_add_up_to_the_whole(form, seed, n_blocks):
    """Blocks may lack a class or a cell, or be empty."""
    case = Case(seed)
    ends = np.sort(np.random.default_rng(seed).integers(0, 31, size=n_blocks - 1))
    found = None
    for rows in np.split(np.arange(30), ends):
        part = add_up(form(case.X)[rows], np.zeros(6), case.grouping(rows))
        found = part if found is None else found + part
    assert_same(found, case.plain())


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
@given(seed=SEEDS)
def test_zeros_are_counted_by_class_and_cell(form, seed):
    """Stored zeros of a sparse table count too, and rows of no cell do not."""
    case = Case(seed)
    X = form(case.X)
    zero = np.random.default_rng(seed).random(case.X.shape) < 0.2
    values = X.toarray() if sparse.issparse(X) else X.copy()
    values[zero] = 0.0
    given = values
    if sparse.issparse(X):
        given = form(case.X + 1e9)
        given.data[:] = values.T.ravel() if given.format == "csc" else values.ravel()
    grouping = case.grouping()
    expected = [
        [
            case.weights[(grouping.cells == cell) & (grouping.codes == label)]
            @ (values == 0)[(grouping.cells == cell) & (grouping.codes == label)]
            for label in range(grouping.n_classes)
        ]
        for cell in range(grouping.n_cells)
    ]
    with sizes_context(dense_at_once=20):
        np.testing.assert_allclose(count_zeros(given, grouping), expected, atol=1e-12)


@given(seed=SEEDS)
def test_how_many_rows_are_added_up_at_a_time_does_not_matter(seed):
    case = Case(seed)
    for dense_at_once in (1, 20, 10**6):
        with sizes_context(dense_at_once=dense_at_once):
            assert_same(add_up(case.X, np.zeros(6), case.grouping()), case.plain())


@given(seed=SEEDS)
def test_parts_are_cells_counted(seed):
    """Each cell as many times as is said, rows of it repeated: as one cell of all these rows."""
    case = Case(seed)
    times = np.random.default_rng(seed).integers(0, 3, size=4)
    rows = np.concatenate([np.repeat(np.flatnonzero(case.cells == cell), n) for cell, n in enumerate(times)])
    joined = Case(seed)
    for name in ("X", "codes", "weights", "balanced"):
        setattr(joined, name, getattr(case, name)[rows])
    joined.cells, joined.n_cells = np.zeros(rows.size, dtype=int), 1
    assert_same(case.plain().of(times.astype(float)), joined.plain())


def test_what_one_of_two_sums_lacks_their_sum_lacks():
    case = Case(1)
    whole, first = case.plain(), ColumnSums(*(getattr(case.plain(), name) for name in ("weights", "first", "second")))
    assert (whole + first).products is None
    assert first.of(np.ones(4)).third is None


def test_sparse_blocks_less_a_shift():
    """Columns that are far from zero in the first block are shifted, and may have zeros in another."""
    case = Case(0, n_rows=60)
    case.X[:, [1, 4]] += 1000.0
    shift = shift_of_block(sparse.csr_array(case.X[:40]))
    assert np.flatnonzero(shift).tolist() == [1, 4]
    np.testing.assert_allclose(shift[[1, 4]], case.X[:40, [1, 4]].mean(axis=0))
    assert not shift_of_block(sparse.csr_array(case.X[:10])).any()  # too few to say that there are no zeros
    case.X[50, 4] = 0.0
    expected = add_up(case.X, shift, case.grouping())
    found = add_up(sparse.csr_array(case.X), shift, case.grouping())
    for field in fields(ColumnSums):
        if field.name != "zeros":
            np.testing.assert_allclose(getattr(found, field.name), getattr(expected, field.name), rtol=1e-9, atol=1e-9)
