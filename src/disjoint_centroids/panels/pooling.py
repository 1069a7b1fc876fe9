"""Sums of the pooled table, from those of several sites."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from disjoint_centroids._listed import listed
from disjoint_centroids.panels.sums_file import check_room
from disjoint_centroids.panels.table_sums import TableSums


def pooled(tables: Sequence[TableSums], sources: Sequence[str] | None = None) -> TableSums:
    """Sums of the pooled table: features are matched by name, and classes that a site lacks have no samples there.

    Parameters
    ----------
    tables : sequence of TableSums
        One per site.
    sources : sequence of str, default=None
        What errors call each of them, such as the name of its file; None: by numbers.

    Returns
    -------
    TableSums
        As if the samples had been in one table.
    """
    first = tables[0]
    called = [f"site {at}" for at in range(1, len(tables) + 1)] if sources is None else list(sources)
    for table, name in zip(tables[1:], called[1:], strict=True):
        _check_alike(first, table, called[0], name)
    classes = np.unique(np.concatenate([table.classes for table in tables]))
    n_folds = max(len(table.counts) for table in tables)
    p = first.n_features
    if len(tables) > 1:
        what = "The pooled sums hold the products of all pairs of features for every fold and class"
        check_room(n_folds, classes.size, p, what, "Select features first, the same at all sites.")
    counts = np.zeros((n_folds, classes.size))
    means, scatters = np.zeros((n_folds, classes.size, p)), np.zeros((n_folds, classes.size, p, p))
    for table in tables:
        order = order_of(first, table)
        places = np.searchsorted(classes, table.classes).tolist()
        for fold in range(len(table.counts)):
            for j, label in enumerate(places):
                new, mean = table.counts[fold, j], table.means[fold, j, order]
                total = counts[fold, label] + new
                if new == 0:
                    continue
                gap = mean - means[fold, label]
                scatters[fold, label] += table.scatters[fold, j][np.ix_(order, order)]
                scatters[fold, label] += counts[fold, label] * new / total * np.outer(gap, gap)
                means[fold, label] += new / total * gap
                counts[fold, label] = total
    return TableSums(classes, first.feature_names, counts, means, scatters, first.transform)


def order_of(first: TableSums, table: TableSums) -> np.ndarray:
    """Positions in a table of the features of the first one."""
    if first.feature_names is None or table.feature_names is None:
        return np.arange(first.n_features)
    place = {name: at for at, name in enumerate(table.feature_names)}
    return np.array([place[name] for name in first.feature_names], dtype=np.intp)


def _check_alike(first: TableSums, table: TableSums, first_name: str, name: str) -> None:
    """Raise an error if two tables do not have the same features, scale, and kind of labels."""
    if first.transform != table.transform:
        raise ValueError(
            f"the values of {first_name} had the transform {first.transform!r} before they were added up, those of "
            f"{name} {table.transform!r}. Add up the same scale at all sites."
        )
    texts = [of for of, one in ((first_name, first), (name, table)) if one.classes.dtype.kind not in "biuf"]
    if len(texts) == 1:
        raise ValueError(
            f"the class labels are text in {texts[0]} and numbers in the other of {first_name} and {name}: "
            f"{listed(first.classes, 5)}; {listed(table.classes, 5)}. Add up again, with the same labels at all sites."
        )
    if first.feature_names is not None and table.feature_names is not None:
        for one, other, of, lacks in (
            (first, table, first_name, name),
            (table, first, name, first_name),
        ):
            missing = sorted(set(one.feature_names or ()) - set(other.feature_names or ()))
            if missing:
                features = f"{len(missing)} feature{'' if len(missing) == 1 else 's'}"
                raise ValueError(
                    f"{lacks} lacks {features} of {of}: {listed(missing, 5)}. All sites must add up the "
                    "same columns, in any order."
                )
    elif (first.feature_names is None) != (table.feature_names is None) or first.n_features != table.n_features:
        raise ValueError(
            f"{first_name} and {name} do not have the same features ({first.n_features} and {table.n_features}, with "
            "names or without). All sites must add up the same columns."
        )
