"""How commands print and write: answers to standard output, remarks to standard error, files whole or not at all."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table


def say(text: str) -> None:
    """A line of the answer."""
    typer.echo(text)


def remark(text: str) -> None:
    """Something to know beside the answer, on standard error."""
    typer.echo(f"note: {text}", err=True)


def show(table: Table) -> None:
    """A table, as wide as the terminal; a file or pipe gets it unshortened."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=max(console.measure(table).maximum, 80))
    console.print(table)


def show_json(answer: Any) -> None:
    """The answer for machines."""
    typer.echo(json.dumps(answer, indent=2, allow_nan=True, default=_plain))


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)


def refuse_existing(path: Path, force: bool) -> None:
    """Before any work is done: an existing file is not overwritten unasked, and its folder must be there."""
    if path.exists() and not force:
        raise ValueError(f"{path} exists. Give --force to overwrite it, or another --output.")
    if path.is_dir():
        raise ValueError(f"{path} is a folder. Name a file in it with --output.")
    if not path.parent.is_dir():
        raise ValueError(f"the folder {path.parent} does not exist. Create it, or give another --output.")


def write_whole(path: Path, write: Callable[[Path], Any]) -> None:
    """Write into a file beside the target, then put it in its place; nothing is left behind if that fails."""
    part = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        write(part)
        part.replace(path)
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror or error}.") from error
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def warnings_as_remarks() -> Iterator[None]:
    """What the library warns of is said once each, without file names and line numbers."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        remark(message)
