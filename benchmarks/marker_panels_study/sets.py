"""The sets of the study: what is read, on which scale, and which of them designs were chosen on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from disjoint_centroids.datasets import fetch_single_cell, single_cell_sets
from real_data_study.sets import AS_DISTRIBUTED, DESIGN, LOG2, tables

OUTPUT = Path(__file__).parents[1] / "output"
BLOOD = OUTPUT / "pbmc68k_reduced.npz"
"""Cells that come with scanpy, written by ``probes/blood_cells.py``, which runs where scanpy is."""

PER_CELL = 1e4
"""Total of a cell that counts are brought to."""

CELLS = {
    "zeisel": "Zeisel, 7 types",
    "zeisel-subtypes": "Zeisel, subtypes",
    "cite-seq": "CITE-seq",
    "baron": "Baron",
    "li": "Li",
    "pollen": "Pollen",
}
COUNTS, PLAIN = ("baron", "li"), ("cite-seq", "pollen")
"""Counts that are normalised for the total of a cell, and values of which only logarithms are taken."""

LEAST_CLASS = 3
"""Classes with fewer samples are left out: every fold must have one."""

DIGITS, PBMC = "digits", "pbmc68k"
TUMOURS = ("ramaswamy-2001", "su-2001", "tomlins-2006", "bhattacharjee-2001", "yeoh-2002-v2")
"""The sets of CompCancer with five classes or more."""

TITLES = CELLS | {PBMC: "PBMC 68k, reduced", DIGITS: "digits"} | {name: name for name in TUMOURS}
ALL = ("zeisel", DIGITS, PBMC, *TUMOURS, "cite-seq", "pollen", "zeisel-subtypes", "baron", "li")
"""In the order in which they are run: those that take long last."""

APART = ("baron", "li", "pollen", "bhattacharjee-2001", "yeoh-2002-v2")
"""Sets on which nothing was chosen."""

EXPRESSION = (*CELLS, PBMC)
"""Sets whose values are zero where a gene is off, so that a share of its expression has a meaning."""

QUICK = (DIGITS,)
GROUPS = {"all": ALL, "single cells": EXPRESSION, "not used in design": APART}


@dataclass(frozen=True, slots=True)
class Table:
    """One set, on a logarithmic scale where it has one, small classes left out."""

    values: np.ndarray
    labels: np.ndarray


@cache
def table(name: str) -> Table:
    """Read a set; classes with fewer than ``LEAST_CLASS`` samples are left out."""
    if name in TUMOURS:
        there = tables(name)
        found = there.get(LOG2, there[AS_DISTRIBUTED])
        return Table(found.values, found.labels)
    values, labels = _read(name)
    kinds, counts = np.unique(labels, return_counts=True)
    kept = np.isin(labels, kinds[counts >= LEAST_CLASS])
    return Table(np.ascontiguousarray(values[kept]), labels[kept])


def _read(name: str) -> tuple[np.ndarray, np.ndarray]:
    if name == DIGITS:
        values, labels = load_digits(return_X_y=True)
        return values, labels.astype(str)
    if name == PBMC:
        with np.load(BLOOD) as file:
            return file["values"], file["labels"]
    bunch = fetch_single_cell(name, verbose=1)
    values = bunch.data
    if name in COUNTS:
        values = np.log1p(PER_CELL * values / values.sum(axis=1, keepdims=True))
    elif name in PLAIN:
        values = np.log1p(values)
    return values, np.asarray(bunch.target).astype(str)


def used_in_design(name: str) -> bool:
    """True if results on the set were looked at while the panel classifier was designed."""
    return name not in APART


def source(name: str) -> str:
    """Source of a set."""
    if name in CELLS:
        return single_cell_sets()[name].source
    return {PBMC: "scanpy", DIGITS: "scikit-learn"}.get(name, "CompCancer")


assert all(used_in_design(name) == (name in DESIGN) for name in TUMOURS)
