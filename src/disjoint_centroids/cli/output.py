"""Printing of all commands: answers to standard output, remarks and errors to standard error.

Everything that commands print passes through this module, and with it everything that comes from a user's file: names
are data, never markup, and control characters are made visible (see ``_literal.py``).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from disjoint_centroids._literal import literal
from disjoint_centroids.cli.translation import in_options
from disjoint_centroids.exports.plain_values import json_text

NAME_LENGTH = 100
"""The most characters of a name on the screen; files have all."""
_LINE_LENGTH = 2000
_WIDEST = 100_000


def shown_name(name: Any) -> str:
    """Write a name of the user's for a sentence or a cell."""
    return literal(name, NAME_LENGTH)


def say(text: str) -> None:
    """Print a line of the answer."""
    typer.echo(_line(text))


def remark(text: str) -> None:
    """Print a remark on standard error."""
    typer.echo(_line(f"note: {text}"), err=True)


def complain(*lines: str, after_progress: bool = False) -> None:
    """Print why a command ends without its answer, on standard error."""
    before = "\n" if after_progress else ""
    typer.echo(f"{before}ndc: " + "\n".join(map(_line, lines)), err=True)


def _line(text: str) -> str:
    return literal(text, _LINE_LENGTH)


class Grid(Table):
    """A table for the screen; cells are never read as markup, and what does not fit goes on in the next line."""

    def add_column(self, *header: Any, **settings: Any) -> None:
        """Add a column; long names are not cut, because their ends may be what tells them apart."""
        super().add_column(*header, **({"overflow": "fold"} | settings))

    def add_row(self, *cells: Any, **style: Any) -> None:
        """Add a row of texts."""
        super().add_row(*map(_line, cells), **style)


def show(table: Grid) -> None:
    """Print a table, as wide as the terminal; a file or pipe gets it unshortened."""
    literally: dict[str, Any] = {"markup": False, "emoji": False, "highlight": False}
    console = Console(**literally)
    if not console.is_terminal:
        wanted = Console(width=_WIDEST, **literally).measure(table).maximum  # a narrow console measures no wider
        console = Console(width=max(wanted, 80), **literally)
    console.print(table)


def show_json(answer: Any) -> None:
    """Print the answer as JSON: exact, in ASCII, null for NaN and infinity."""
    print_data(json_text(answer))


def print_data(text: str) -> None:
    """Print data for programs byte by byte: ``typer.echo`` would remove escape sequences."""
    sys.stdout.write(text)
    sys.stdout.flush()  # a reader that has gone away is noticed here, not when the command has ended


@contextmanager
def warnings_as_remarks() -> Iterator[None]:
    """Print every warning of the library once, as a remark."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        remark(in_options(message))


@contextmanager
def stray_warnings_as_remarks() -> Iterator[None]:
    """Print warnings as remarks that are not recorded elsewhere."""
    before = warnings.showwarning
    warnings.showwarning = lambda message, *where, **more: remark(in_options(str(message)))
    try:
        yield
    finally:
        warnings.showwarning = before
