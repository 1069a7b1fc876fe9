"""Files that commands write: checked before the work, written whole or not at all, and never one that is read."""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from disjoint_centroids._whole_file import unfinished, write_whole

_PACKAGES = {".xlsx": ("openpyxl", "excel"), ".parquet": ("pyarrow", "parquet")}
"""Packages that some formats need, and the extra that installs each."""


class Outputs:
    """The files that a command is going to write.

    ``claim`` every file before the work, ``write`` it after the work, print the answer, then ``finish``: a file that
    could not be written is reported by ``finish``, so that the answer is printed all the same.

    Parameters
    ----------
    *inputs : pathlib.Path or None
        Every file or folder that the command reads.
    force : bool
        True if files that exist may be replaced. Inputs, folders, devices and symbolic links never are.
    """

    def __init__(self, *inputs: Path | None, force: bool) -> None:
        self.force = force
        self._inputs = [path for path in inputs if path is not None]
        self._claimed: dict[Path, str] = {}
        self._replaceable: set[Path] = set()
        self._unsaved: set[Path] = set()
        self._failed: Exception | None = None

    def claim(
        self,
        path: Path,
        option: str = "--output",
        *,
        endings: Collection[str] | None = None,
        may_exist: bool = False,
    ) -> None:
        """Check that a file can be written, and that nothing of the user's is lost by it.

        Parameters
        ----------
        path : pathlib.Path
            The file.
        option : str, default="--output"
            The option that names it.
        endings : collection of str, default=None
            What its name may end in, in small letters; None: anything.
        may_exist : bool, default=False
            A file that is there is gone on with, or may be replaced.
        """
        cure = f"Give another {option}."
        there = _stat(path, cure)
        self._check_not_an_input(path, cure)
        if there is not None:
            _check_plain_file(path, there, cure)
        if endings is not None and path.suffix.lower() not in endings:
            found = f"ends in {path.suffix!r}" if path.suffix else "has no ending"
            raise ValueError(f"{path} {found}, which this command does not write. {option} takes {', '.join(endings)}.")
        _check_package(path)
        if there is not None and not (self.force or may_exist):
            raise ValueError(f"{path} exists. Give --force to overwrite it, or another {option}.")
        if not path.parent.is_dir():
            raise ValueError(f"the folder {path.parent} does not exist. Create it, or give another {option}.")
        _check_writable(path, cure, exists=there is not None)
        same = path.resolve()
        if same in self._claimed:
            raise ValueError(f"{path} is to be written twice ({self._claimed[same]} and {option}). {cure}")
        self._claimed[same] = option
        if self.force or may_exist:
            self._replaceable.add(path)

    def write(self, path: Path, write: Callable[[Path], Any]) -> bool:
        """Write a file whole; ``write`` takes the path of an unfinished one. True if it is there."""
        return self.attempt(path, lambda: write_whole(path, write, replace=path in self._replaceable))

    def attempt(self, path: Path, save: Callable[[], Any]) -> bool:
        """Save something that has a writer of its own. True if that was possible; else ``finish`` says why not."""
        try:
            save()
        except (OSError, ValueError, ImportError) as error:
            self._fail(path, error)
            return False
        return True

    def saved(self, path: Path) -> str | None:
        """Name of a file for the answer to a program; None if it could not be written, or not to its end."""
        return None if path in self._unsaved else str(path)

    def _fail(self, path: Path, error: Exception) -> None:
        self._unsaved.add(path)
        self._failed = self._failed or error

    @contextmanager
    def growing(self) -> Iterator[None]:
        """Note if a results file cannot be written while it grows; other warnings are passed on."""
        from disjoint_centroids.evaluation.results_file import UnsavedResultsWarning

        with warnings.catch_warnings(record=True) as caught:
            warnings.filterwarnings("always", category=UnsavedResultsWarning)
            yield
        for one in caught:
            if isinstance(one.message, UnsavedResultsWarning):
                self._fail(one.message.path, ValueError(str(one.message)))
            else:
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)

    def finish(self) -> None:
        """Raise what kept a file from being written; the first, if there are several."""
        error = self._failed
        if isinstance(error, OSError) and error.filename and error.strerror:
            raise ValueError(
                f"cannot write {error.filename}: {error.strerror}. Nothing of it was left behind: make room, or name "
                "a file elsewhere, and run the command again."
            ) from error
        if error is not None:
            raise error

    def _check_not_an_input(self, path: Path, cure: str) -> None:
        for given in self._inputs:
            if path.exists() and given.exists() and path.samefile(given):
                raise ValueError(f"{path} is the file {given} that this command reads, and would be lost. {cure}")
            if given.is_dir() and given.resolve() in path.resolve().parents:
                raise ValueError(f"{path} is in the folder {given} that this command reads. {cure}")


def _check_package(path: Path) -> None:
    package, extra = _PACKAGES.get(path.suffix.lower(), (None, None))
    if package is not None and find_spec(package) is None:
        raise ImportError(
            f"writing {path} needs {package}, which is not installed: pip install 'disjoint-centroids[{extra}]'"
        )


def _stat(path: Path, cure: str) -> os.stat_result | None:
    """Status of the file at a path, links not followed; None if there is none."""
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:  # a name too long, a folder that may not be entered, a null character
        raise ValueError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}. {cure}") from error


def _check_plain_file(path: Path, found: os.stat_result, cure: str) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise ValueError(f"{path} is a symbolic link (to {os.readlink(path)}), which is never written to. {cure}")
    if stat.S_ISDIR(found.st_mode):
        raise ValueError(f"{path} is a folder. Name a file in it, or give another one.")
    if not stat.S_ISREG(found.st_mode):
        raise ValueError(f"{path} is a device or a pipe, not a file. {cure}")


def _check_writable(path: Path, cure: str, *, exists: bool) -> None:
    """Check by trying: open an existing file for writing, and put a byte into an unfinished one beside it."""
    part = unfinished(path)
    try:
        if exists and not path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
            raise ValueError(f"{path} is write-protected. Remove the protection, or {cure[0].lower()}{cure[1:]}")
        if exists:
            os.close(os.open(path, os.O_WRONLY))
        part.write_bytes(b"\n")
    except OSError as error:
        reason = error.strerror or error
        raise ValueError(
            f"cannot write {path}: {reason}. Give another place, make room, or change permissions."
        ) from error
    finally:
        part.unlink(missing_ok=True)
