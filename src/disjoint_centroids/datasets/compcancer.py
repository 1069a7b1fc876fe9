"""The 35 gene expression sets of de Souto et al. (2008), inside the package biclustlib."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

from disjoint_centroids.datasets.known_set import KnownSet, SetContents, as_bunch, fetch_known, find_set
from disjoint_centroids.datasets.packages import DataPackage
from disjoint_centroids.tables import read_table

_FILE = "{}_database.txt"
_HEADER = b"GENES\t"

_ABOUT = """One of the 35 cancer gene expression sets that de Souto et al. collected and filtered. Affymetrix sets hold
raw intensities (10 to 16000): take their logarithm before anything that measures distances.

M. C. P. de Souto, I. G. Costa, D. S. A. de Araujo, T. B. Ludermir and A. Schliep, "Clustering cancer gene expression
data: a comparative study", BMC Bioinformatics 9:497, 2008.
"""


@cache
def compcancer_sets() -> dict[str, KnownSet]:
    """List the sets that :func:`fetch_compcancer` can get.

    Returns
    -------
    dict of str to KnownSet
        By name; ``name``, ``n_samples``, ``n_features``, ``n_classes`` and ``source`` of each.

    Examples
    --------
    >>> from disjoint_centroids.datasets import compcancer_sets
    >>> len(compcancer_sets()), compcancer_sets()["west-2001"].n_samples
    (35, 49)
    """
    with files("disjoint_centroids.datasets").joinpath("compcancer.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    package = DataPackage(
        name="biclustlib",
        version="0.0.13",
        sha256="862795ccf30338336b9f6e95c205ef20e0381f1c3c592977eed6be11e3c79dc6",
        megabytes=19,
        inside="biclustlib/datasets/data/cancer_benchmark",
        files={_FILE.format(row["name"]): row["sha256"] for row in rows},
        kept_in="compcancer",
        alternative="; or give a folder with the sets' text files: folder=FOLDER",
    )
    return {row["name"]: _known_set(row, package) for row in rows}


def _known_set(row: dict[str, str], package: DataPackage) -> KnownSet:
    return KnownSet(
        name=row["name"],
        n_samples=int(row["n_samples"]),
        n_features=int(row["n_features"]),
        n_classes=int(row["n_classes"]),
        package=package,
        files=(_FILE.format(row["name"]),),
        read=_read,
        about=_ABOUT,
    )


def fetch_compcancer(
    name: str,
    *,
    folder: str | Path | None = None,
    wheel: str | Path | None = None,
    download_if_missing: bool = True,
    verbose: int = 0,
) -> Bunch:
    """Get one of the 35 CompCancer sets; the first call fetches all of them with the user's own pip.

    Parameters
    ----------
    name : str
        A name of :func:`compcancer_sets`, such as "golub-1999-v1".
    folder : path, default=None
        A folder with the user's own copies (``<name>_database.txt`` or ``<name>.txt``), instead of the cache.
    wheel : path, default=None
        The package that holds the sets, fetched by hand on a machine with a network.
    download_if_missing : bool, default=True
        If True, fetch a set that is not in the cache; if False, raise an error.
    verbose : int, default=0
        1 shows progress on standard error.

    Returns
    -------
    Bunch
        ``data`` (n_samples, n_features), ``target`` (labels), ``feature_names``, ``target_names``, ``DESCR``.

    Examples
    --------
    >>> from disjoint_centroids.datasets import fetch_compcancer
    >>> bunch = fetch_compcancer("chowdary-2006")  # doctest: +SKIP
    >>> bunch.data.shape  # doctest: +SKIP
    (104, 182)
    """
    known = find_set(compcancer_sets(), name, "CompCancer")
    if folder is not None:
        return as_bunch(known, _read(_own_copy(Path(folder), name)))
    return fetch_known(known, wheel=wheel, download_if_missing=download_if_missing, verbose=verbose)


def _own_copy(folder: Path, name: str) -> Path:
    candidates = [folder / _FILE.format(name), folder / f"{name}.txt"]
    for path in candidates:
        if path.is_file():
            return path
    raise FileNotFoundError(f"neither {candidates[0].name} nor {candidates[1].name} is in {folder}.")


def _read(path: Path) -> SetContents:
    table = read_table(path, need_labels=False)
    with path.open("rb") as file:
        if file.read(len(_HEADER)).upper() != _HEADER:
            raise ValueError(f"{path} does not start with 'GENES<TAB>label<TAB>label…'.")
    # Labels that are all different are taken for sample ids.
    labels = np.asarray((table.values.index if table.labels is None else table.labels).tolist())
    return SetContents(table.values.to_numpy(), labels, table.values.columns.to_numpy())
