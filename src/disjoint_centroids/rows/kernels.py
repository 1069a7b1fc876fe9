"""Sums over a block of rows in one pass, compiled by numba."""

from __future__ import annotations

import numpy as np

from disjoint_centroids.numerics.compiled import compiled

_ROWS_IN_A_LOT = 256  # with some hundred stored values each, they stay in the second-level cache


@compiled
def row_means(values, columns):
    """Mean of some columns in every row.

    values : (n_rows, n_columns) the rows
    columns : (n_chosen,) the columns

    Returns (n_rows,). Four running sums keep the additions from waiting for each other.
    """
    n_rows, n_columns = values.shape[0], columns.size
    means = np.empty(n_rows)
    whole = n_columns == values.shape[1]
    for i in range(n_rows):
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        if whole:
            quarter = n_columns // 4
            for f in range(quarter):
                a += values[i, 4 * f]
                b += values[i, 4 * f + 1]
                c += values[i, 4 * f + 2]
                d += values[i, 4 * f + 3]
            for f in range(4 * quarter, n_columns):
                a += values[i, f]
        else:
            for at in range(n_columns):
                a += values[i, columns[at]]
        means[i] = (a + b + c + d) / n_columns
    return means


@compiled
def add_up(values, group, weights, totals, means, scatters):
    """Weight, mean and scatter of every column in each group, in one pass over the rows.

    values : (n_rows, n_columns) the rows
    group : (n_rows,) group of each row; rows of a negative one do not count
    weights : (n_rows,) weights of the rows
    totals : (n_groups,) written: weight of each group
    means, scatters : (n_groups, n_columns) written: means, and sums of squared differences from them

    Differences are taken from the group's first row: a row of the group itself, so that the squares to be subtracted
    in the end are no larger than what that row alone adds to the scatter, times the number of rows.
    """
    n_rows, n_columns = values.shape
    first = np.full(totals.size, -1, np.int64)
    for i in range(n_rows):
        g = group[i]
        if g < 0:
            continue
        if first[g] < 0:
            first[g] = i
        w = weights[i]
        totals[g] += w
        reference = values[first[g]]
        row = values[i]
        for f in range(n_columns):
            gap = row[f] - reference[f]
            means[g, f] += w * gap
            scatters[g, f] += w * gap * gap
    for g in range(totals.size):
        if first[g] < 0:
            continue
        for f in range(n_columns):
            step = means[g, f] / totals[g]
            scatters[g, f] = max(scatters[g, f] - step * means[g, f], 0.0)
            means[g, f] = values[first[g], f] + step


@compiled
def sort_out(values, group, weights, shift, columns, place, sorted_rows):
    """Write the rows, less their shift and times the root of their weight, group by group.

    values, group, weights
        As for :func:`add_up`.
    shift : (n_rows,) what is taken from every entry of a row
    columns : (n_chosen,) the columns that are written
    place : (n_rows,) place of each row among ``sorted_rows``
    sorted_rows : (n_counted_rows, n_chosen) written
    """
    whole = columns.size == values.shape[1]
    for i in range(values.shape[0]):
        if group[i] < 0:
            continue
        root = np.sqrt(weights[i])
        target = sorted_rows[place[i]]
        if whole:
            for f in range(columns.size):
                target[f] = (values[i, f] - shift[i]) * root
        else:
            for at in range(columns.size):
                target[at] = (values[i, columns[at]] - shift[i]) * root


@compiled
def scatter_rows(values, group, weights, shift, columns, lots, sketch):
    """Add every row, less its shift and times the root of its weight, to one row of a sketch.

    values, group, weights, shift, columns
        As for :func:`sort_out`.
    lots : (n_rows,) row of the sketch; complemented (~) for rows to be subtracted
    sketch : (n_sketch_rows, n_chosen) read and written
    """
    for i in range(values.shape[0]):
        if group[i] < 0:
            continue
        added = lots[i] >= 0
        factor = np.sqrt(weights[i]) if added else -np.sqrt(weights[i])
        target = sketch[lots[i] if added else ~lots[i]]
        for at in range(columns.size):
            target[at] += (values[i, columns[at]] - shift[i]) * factor


@compiled
def add_sparse_powers(
    data, indices, indptr, codes, cells, weights, balanced, totals, first, second, third, fourth
):  # fmt: skip
    """Add the powers of the stored values of sparse rows to the sums of their class and cell.

    data, indices, indptr : the rows in CSR form
    codes, cells : (n_rows,) class and cell of each row; rows with a negative cell do not count
    weights, balanced : (n_rows,) sample weights, and the same with classes balanced
    totals : (n_cells, n_classes) changed: sums of the weights
    first, second : (n_cells, n_classes, n_features) changed: weighted sums of values and squares
    third, fourth : (n_cells, n_features) changed: sums of third and fourth powers with balanced weights
    """
    for i in range(codes.size):
        cell, label = cells[i], codes[i]
        if cell < 0:
            continue
        totals[cell, label] += weights[i]
        for at in range(indptr[i], indptr[i + 1]):
            f, x = indices[at], data[at]
            first[cell, label, f] += weights[i] * x
            second[cell, label, f] += weights[i] * x * x
            third[cell, f] += balanced[i] * x * x * x
            fourth[cell, f] += balanced[i] * x * x * x * x


@compiled
def add_dense_rows(
    values, shift, codes, cells, weights, balanced, with_powers, places, lines, totals, first, second, third, fourth
):
    """Add the powers of dense rows to the sums of their class and cell, and write the rows out cell by cell.

    values : (n_rows, n_features) the rows
    shift : (n_features,) subtracted from every row
    with_powers : True if third and fourth powers are added up
    places : (n_cells,) changed: the next line of each cell
    lines : (n_counted, n_columns) written: rows less the shift, followed by their squares if there are columns for
        them, times the root of their balanced weight; without columns, nothing is written

    The others are those of ``add_sparse_powers``.
    """
    n_features, n_columns = values.shape[1], lines.shape[1]
    x = np.empty(n_features)  # stays in cache, where loops over a row and several sums would each read the table
    for i in range(codes.size):
        cell, label = cells[i], codes[i]
        if cell < 0:
            continue
        for f in range(n_features):
            x[f] = values[i, f] - shift[f]
        totals[cell, label] += weights[i]
        sums, squares = first[cell, label], second[cell, label]
        for f in range(n_features):
            sums[f] += weights[i] * x[f]
            squares[f] += weights[i] * x[f] * x[f]
        if with_powers:
            cubes, fourths = third[cell], fourth[cell]
            for f in range(n_features):
                square = x[f] * x[f]
                cubes[f] += balanced[i] * square * x[f]
                fourths[f] += balanced[i] * square * square
        if n_columns == 0:
            continue
        line, root = lines[places[cell]], np.sqrt(balanced[i])
        places[cell] += 1
        for f in range(n_features):
            line[f] = x[f] * root
        for f in range(n_columns - n_features):
            line[n_features + f] = x[f] * x[f] * root


@compiled
def by_feature(indices, indptr, lot, n_features):
    """Order the stored values of some rows by their features.

    indices, indptr : the rows in CSR form
    lot : (n_lot,) positions of the rows

    Returns the end of each feature in the order (n_features + 1,), and of each stored value its place and its row.
    """
    ends = np.zeros(n_features + 1, np.int64)
    for i in lot:
        for a in range(indptr[i], indptr[i + 1]):
            ends[indices[a] + 1] += 1
    for f in range(n_features):
        ends[f + 1] += ends[f]
    places, rows = np.empty(ends[n_features], np.int64), np.empty(ends[n_features], np.int64)
    for i in lot:
        for a in range(indptr[i], indptr[i + 1]):
            at = ends[indices[a]]
            places[at], rows[at] = a, i
            ends[indices[a]] = at + 1
    return ends, places, rows


@compiled
def add_lot(data, indices, indptr, lot, balanced, with_squares, out):
    """Add the products of some rows to the upper triangle of a dense matrix, feature by feature.

    data, indices, indptr, balanced, with_squares
        As for :func:`add_sparse_products`.
    lot : (n_lot,) positions of the rows
    out : (n_columns, n_columns) changed
    """
    half = out.shape[0] // 2 if with_squares else out.shape[0]
    ends, places, rows = by_feature(indices, indptr, lot, half)
    begin = 0
    for f in range(half):
        line = out[f]
        for at in range(begin, ends[f]):
            a, i = places[at], rows[at]
            x = balanced[i] * data[a]
            for b in range(a, indptr[i + 1]):
                line[indices[b]] += x * data[b]
            if with_squares:
                # x with all squares, and x² with the squares from its own column on: these lie above the diagonal.
                for b in range(indptr[i], indptr[i + 1]):
                    line[half + indices[b]] += x * data[b] * data[b]
                square, below = x * data[a], out[half + f]
                for b in range(a, indptr[i + 1]):
                    below[half + indices[b]] += square * data[b] * data[b]
        begin = ends[f]


@compiled
def add_sparse_products(data, indices, indptr, cells, balanced, with_squares, products):
    """Add the products of the stored values of sparse rows to the upper triangle of a dense matrix per cell.

    data, indices, indptr : the rows in CSR form, indices increasing within a row
    cells : (n_rows,) cell of each row; rows with a negative cell do not count
    balanced : (n_rows,) weights
    with_squares : True if the squares of the features are columns too, after the features
    products : (n_cells, n_columns, n_columns) changed

    A row with m stored values costs m² / 2 multiplications, however many columns there are. Rows of a cell are taken
    in lots that stay in cache, and within a lot feature by feature, so that one line of a matrix is written at a time.
    """
    lot = np.empty(_ROWS_IN_A_LOT, np.int64)
    for cell in range(products.shape[0]):
        n_rows = 0
        for i in range(cells.size):
            if cells[i] == cell:
                lot[n_rows] = i
                n_rows += 1
            if n_rows == lot.size or (i == cells.size - 1 and n_rows > 0):
                add_lot(data, indices, indptr, lot[:n_rows], balanced, with_squares, products[cell])
                n_rows = 0
