"""How commands print: answers to standard output, remarks to standard error."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def warnings_as_remarks() -> Iterator[None]:
    """What the library warns of is said once each, without file names and line numbers."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        remark(message)
