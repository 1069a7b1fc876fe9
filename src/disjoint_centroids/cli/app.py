"""The command itself; every subcommand ends with an answer, or with a sentence and exit code 2."""

from __future__ import annotations

import functools
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import typer

from disjoint_centroids.cli.output import complain, stray_warnings_as_remarks
from disjoint_centroids.cli.translation import in_options
from disjoint_centroids.compilation import compilation_shown

app = typer.Typer(
    help="Classify samples, and show why: each class gets a short list of features that no other class uses.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

P = ParamSpec("P")
R = TypeVar("R")
KERNELS = {"compare": 10, "demo": 10, "panel": 4, "ndc": 6, "ndc-s": 6, "report": 10}
"""Kernels that a method, or a command that runs several, compiles on a narrow table at the first start."""
INTERRUPTED = "interrupted; nothing half-written was left behind."


def _version(wanted: bool) -> None:
    if wanted:
        from disjoint_centroids import __version__

        typer.echo(f"disjoint-centroids {__version__}")
        raise typer.Exit


@app.callback()
def ndc(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Classify samples, and show why: each class gets a short list of features that no other class uses.

    Start with: ndc demo
    """


def refusing(command: Callable[P, R]) -> Callable[P, R]:
    """Make a command end with a sentence and exit code 2 on errors that the user can correct."""

    @functools.wraps(command)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            shown = compilation_shown(_kernels_of(command.__name__, kwargs), enabled=not kwargs.get("as_json"))
            with stray_warnings_as_remarks(), plain_interruptions(), shown:
                return command(*args, **kwargs)
        except KeyboardInterrupt:
            complain(INTERRUPTED, after_progress=True)
            raise SystemExit(130) from None
        except BrokenPipeError:  # the reader of a pipe has gone; click ends quietly
            raise
        except (ValueError, OSError, ImportError, MemoryError) as error:
            if os.environ.get("NDC_TRACEBACK"):
                raise
            complain(*_sentences(error))
            raise SystemExit(2) from None

    return guarded


def _kernels_of(command: str, settings: Mapping[str, Any]) -> int:
    """Number of kernels to be compiled at the first start of a command, for its progress bar."""
    method = getattr(settings.get("method"), "value", "panel")
    return KERNELS.get(command, KERNELS[method])


@contextmanager
def plain_interruptions() -> Iterator[None]:
    """Raise KeyboardInterrupt itself where an interruption comes out of compiled code as another error.

    While a compiled function hands over arrays, numba runs a few lines of Python for each. It does not notice an
    interruption there, and Python then raises one SystemError after the other: the function "returned a result with an
    exception set".
    """
    try:
        yield
    except SystemError as error:
        first: BaseException | None = error
        while isinstance(first, SystemError):
            first = first.__cause__
        if isinstance(first, KeyboardInterrupt):
            raise first from None
        raise


@contextmanager
def resumable(results: Path | None, cure: str) -> Iterator[None]:
    """End an interrupted command with a sentence that says how to continue from a results file, if there is one."""
    try:
        with plain_interruptions():
            yield
    except KeyboardInterrupt:
        if results is None or not results.exists():  # before the first result
            raise
        complain(f"interrupted; what was done is in {results}. {cure}", after_progress=True)
        raise SystemExit(130) from None


def _sentences(error: BaseException) -> list[str]:
    """Write an error as lines, in the words of the command line; line ends within them belong to names."""
    problems = getattr(error, "problems", [])  # of TableProblems, whose module need not be loaded for this
    if len(problems) > 1:
        return [
            f"{getattr(error, 'source', 'the table')} cannot be used:",
            *(f"  - {in_options(problem)}" for problem in problems),
        ]
    if isinstance(error, MemoryError):
        return ["not enough memory for this table. Close other programs, or give fewer features."]
    if isinstance(error, OSError) and error.strerror and error.filename:
        return [f"{error.filename}: {error.strerror}."]
    return [in_options(str(error))]


def main(arguments: list[str] | None = None) -> Any:
    """Run the command; an interruption ends with a line, not with a traceback."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # letters that a terminal has no bytes for end no command
    try:
        return app(arguments)
    except KeyboardInterrupt:  # outside of a subcommand
        complain(INTERRUPTED, after_progress=True)
        sys.exit(130)
