"""Searches on the sums, then all that they found judged in one pass: the second over the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.compressed import CompressedTraining


@dataclass(frozen=True, slots=True)
class CrossFit:
    """What a table taught each way to search.

    Attributes
    ----------
    errors : list of arrays of shape (n_lams, n_folds)
        Held-out errors, one array a search.
    partitions : list of lists of search.Partition
        The best partitions of the whole table at every lambda, one list a search.
    """

    errors: list[np.ndarray]
    partitions: list[list[search.Partition]]


def cross_fit(
    training: CompressedTraining, whole: search.Problem, lams: np.ndarray | None, searches: list[search.Settings]
) -> CrossFit:
    """Search the whole table and the training part of every fold, then judge all that was found in one pass."""
    parts: list[tuple[search.Problem | None, np.ndarray]] = [(whole, np.arange(len(training.classes)))]
    parts += [training.fold_problem(fold) for fold in range(len(training.cells.train))]
    found = [
        [None if problem is None else search.search_partitions(problem, lams, settings) for settings in searches]
        for problem, _ in parts
    ]
    candidates = [
        search.Candidates.of(problem, ends.owners, codes)
        for (problem, codes), of_part in zip(parts, found, strict=True)
        for ends in of_part
        if problem is not None and ends is not None
    ]
    wrong = iter(training.wrong(candidates))
    weights = training.cell_weights().sum(axis=1)
    partitions: list[list[search.Partition]] = []
    errors: list[list[np.ndarray]] = [[] for _ in searches]
    for at, of_part in enumerate(found):
        for s, ends in enumerate(of_part):
            if ends is None:
                errors[s].append(_constant_errors(training, at - 1, 1 if lams is None else len(lams)))
                continue
            by_cell = next(wrong)
            train = np.ones(weights.size, bool) if at == 0 else training.cells.train[at - 1]
            best = ends.partitions(by_cell[:, train].sum(axis=1) / weights[train].sum())
            if at == 0:
                partitions.append(best)
            else:
                test = training.cells.test[at - 1]
                held_out = by_cell[:, test].sum(axis=1) / weights[test].sum()
                errors[s].append(held_out[_positions(ends.owners, best)])
    return CrossFit([np.column_stack(found) if found else np.empty((0, 0)) for found in errors], partitions)


def _positions(owners: np.ndarray, partitions: list[search.Partition]) -> list[int]:
    """Where the chosen partitions stand among all that were judged."""
    index = {owner.tobytes(): at for at, owner in enumerate(owners.astype(np.intp))}
    return [index[partition.owner.tobytes()] for partition in partitions]


def _constant_errors(training: CompressedTraining, fold: int, n_lams: int) -> np.ndarray:
    """Where one class is all that a training part has, it is all that can be predicted, whatever lambda is."""
    by_class = training.cell_weights()
    only = int(np.argmax(by_class[training.cells.train[fold]].sum(axis=0)))
    held_out = by_class[training.cells.test[fold]].sum(axis=0)
    return np.full(n_lams, 1.0 - held_out[only] / held_out.sum())
