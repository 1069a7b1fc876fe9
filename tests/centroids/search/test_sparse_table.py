"""The parts of the sparse form: the copy in order, its supports, its exact distances."""

import numpy as np
import pytest
from scipy import sparse

import awkward_tables as tables
import sparse_tables
from disjoint_centroids.centroids.search import prepare, sparse_table
from disjoint_centroids.centroids.search.dense_table import DenseTable
from disjoint_centroids.centroids.search.supports import EVERYONE
from disjoint_centroids.numerics.sizes import sizes_context

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def as_stored():
    """No Gram matrices, however small the table: supports as stored values, and as columns."""
    with sizes_context(gram_features=0):
        yield


def made(table, matrix=None):
    matrix = table.kind(table.X) if matrix is None else matrix
    return sparse_table.sparse_table(matrix, table.y, table.weights, table.n_classes, divided=table.divided)


def dense_of(table):
    return DenseTable(table.X, table.y, table.weights, table.n_classes, table.divided)


@pytest.mark.parametrize("kind", sparse_tables.KINDS)
@pytest.mark.parametrize(
    ("dtype", "index"), tables.in_turn((np.float64, np.float32, np.int64, np.int8, bool), (np.int32, np.int64))
)
def test_the_copy_is_the_table_in_the_order_of_the_classes(kind, dtype, index):
    table = sparse_tables.table("counts")
    matrix = kind(table.X.astype(dtype))
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    with sizes_context(stored_at_once=40):  # many blocks
        found = made(table, matrix)
    np.testing.assert_array_equal(found.values.toarray(), table.X.astype(dtype)[found.order])
    assert found.values.dtype == np.float64
    assert found.values.has_canonical_format
    np.testing.assert_array_equal(found.codes, np.sort(table.y))
    np.testing.assert_array_equal(table.y[found.order], found.codes)
    for j in range(table.n_classes):
        of_class = table.X[table.y == j].astype(dtype) != 0
        np.testing.assert_array_equal(found.edges[:, j + 1] - found.edges[:, j], of_class.sum(axis=0))


def test_a_table_in_order_is_not_copied_at_all():
    table = sparse_tables.table("counts")
    order = np.argsort(table.y, kind="stable")
    matrix = sparse.csc_array(table.X[order])
    found = sparse_table.sparse_table(matrix, table.y[order], table.weights[order], 3, divided=True)
    assert np.shares_memory(found.values.data, matrix.data)
    assert np.shares_memory(found.values.indices, matrix.indices)


@pytest.mark.parametrize("kind", sparse_tables.KINDS)
def test_a_matrix_that_cannot_be_written_to_will_do(kind):
    table = sparse_tables.table("counts")
    matrix = kind(table.X)
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array.flags.writeable = False
    np.testing.assert_array_equal(made(table, matrix).values.toarray(), table.X[np.argsort(table.y, kind="stable")])


def supports_of(table, label):
    """The same support in both forms, sparse first; dense ones lose the mean of each sample, so that is taken out."""
    found, expected = made(table).supports(), dense_of(table).supports()
    return (found.everyone, expected.everyone) if label == EVERYONE else (found.classes[label], expected.classes[label])


@pytest.mark.parametrize("label", (EVERYONE, 0, 2))
@pytest.mark.parametrize("variant", tables.VARIANTS)
def test_lengths_are_those_of_the_columns(label, variant, as_stored):
    table = sparse_tables.table("counts", variant)
    support, _ = supports_of(table, label)
    at = np.ones(table.y.size, bool) if label == EVERYONE else table.y == label
    X, weights = table.X[at], table.weights[at]
    np.testing.assert_allclose(support.squares, weights @ X**2)
    assert support.divisor == pytest.approx(weights.sum() if table.divided else 1.0)


@pytest.mark.parametrize("variant", ("plain", "weighted"))
@pytest.mark.parametrize("label", (EVERYONE, 1))
def test_sums_move_as_owners_do(label, variant, as_stored):
    table = sparse_tables.table("counts", variant)
    support, _ = supports_of(table, label)
    order = np.argsort(table.y, kind="stable")
    samples = order if label == EVERYONE else order[table.y[order] == label]
    X, weights = table.X[samples], table.weights[samples]
    old, new = tables.even_owners(2, table.n_features, 3, seed=0), tables.even_owners(2, table.n_features, 3, seed=1)
    sums = np.zeros((2, 2, support.width))
    support.move(np.full_like(old, -1), old, 1, 3, sums)
    support.move(old, new, 1, 3, sums)
    expected = np.array([[X[:, new[v] == c].sum(axis=1) for v in range(2)] for c in (1, 2)])
    np.testing.assert_allclose(sums, expected, atol=1e-12)

    stale = np.array([[True, False], [False, True]])
    again = np.full_like(sums, 9.0)
    support.rebuild(new, 1, stale, again)
    np.testing.assert_array_equal(again[stale], expected[stale])
    assert (again[~stale] == 9.0).all()

    norms = np.empty((2, 2))
    support.measure(sums, new, 1, norms, np.zeros(2, bool))
    np.testing.assert_allclose(norms, (weights * expected**2).sum(axis=2))

    products = np.einsum("cvi,i,if->cvf", expected, weights, X)
    for start, stop in ((0, table.n_features), (3, 5), (10, 11)):  # more values than samples, and fewer
        found = support.cross(sums, start, stop, np.empty(4 * (stop - start)))
        np.testing.assert_allclose(found, products[:, :, start:stop], atol=1e-12)
    runs, features = np.array([0, 1, 1]), np.array([4, 0, 44])
    np.testing.assert_allclose(support.cross_at(sums, runs, features), products[:, runs, features], atol=1e-12)
    overlap = support.overlap(sums, again, new, 1)
    np.testing.assert_allclose(overlap, (weights * expected * again).sum(axis=2))


@pytest.mark.parametrize("label", (EVERYONE, 0, 1))
@pytest.mark.parametrize(("name", "variant"), tables.in_turn(sparse_tables.NAMES, ("plain", "weighted")))
def test_exact_distances_are_those_of_plain_differences(name, variant, label):
    table = sparse_tables.table(name, variant)
    rtol = 1e-9 if name == "offset" else 1e-12  # a mean of a million has ten digits after the point
    groups = [np.arange(0, table.n_features, 3), np.array([], np.intp), np.array([1])]
    for features in (None, np.array([1, 0, table.n_features - 1])):
        found = made(table).squared_gaps(label, groups, features)
        expected = dense_of(table).squared_gaps(label, groups, features)
        np.testing.assert_array_equal(found[1], np.inf)
        np.testing.assert_allclose(found[::2], expected[::2], rtol=rtol, atol=1e-28 * np.abs(table.X).max() ** 2)


def test_features_that_are_their_centre_are_at_distance_zero():
    # A million and a half additions of a tenth: without care the mean would be off, and the features not alike.
    column = np.zeros((40, 1))
    column[::3] = 0.1
    table = tables.labelled(np.tile(column, 3000), np.arange(40) % 2)
    found = sparse_table.sparse_table(sparse.csc_array(table.X), table.y, table.weights, 2, divided=True)
    gaps = found.squared_gaps(EVERYONE, [np.arange(3000)], None)
    assert gaps.max() < 1e-32


def test_a_part_is_what_would_be_made_of_its_rows():
    table = sparse_tables.table("counts", "weighted")
    rng = np.random.default_rng(0)
    keep = rng.permutation(table.y.size)[:17]
    part = sparse_table.part_of(made(table), keep)
    expected = made(table.rows(keep))
    np.testing.assert_array_equal(
        part.values.toarray(), expected.values.toarray()[np.argsort(expected.order)][part.order]
    )
    np.testing.assert_array_equal(table.y[keep][part.order], part.codes)
    np.testing.assert_array_equal(table.weights[keep][part.order], part.weights)


@pytest.mark.parametrize("n_shared", (0, 4))
def test_a_fold_of_a_problem_is_the_problem_of_the_fold(n_shared, form):
    table = sparse_tables.table("counts", "weighted")
    rng = np.random.default_rng(1)
    shuffled = rng.permutation(table.y.size)
    keep, held_out = shuffled[:18], shuffled[18:]
    matrix = sparse.csr_array(table.X)

    def problem_of(rows):
        part = matrix[rows]
        return prepare(part[:, n_shared:], table.y[rows], table.weights[rows], 3, shared_values=part[:, :n_shared])

    found = problem_of(np.arange(table.y.size)).training_part(keep, held_out)
    expected = problem_of(keep)
    owners = rng.integers(-1, 3, size=(5, table.n_features - n_shared))
    np.testing.assert_allclose(found.moments.means, expected.moments.means)
    np.testing.assert_allclose(found.risks(owners), expected.risks(owners))
    np.testing.assert_allclose(found.errors(owners, 1), expected.errors(owners, 1))
    np.testing.assert_allclose(found.supports.everyone.squares, expected.supports.everyone.squares)
