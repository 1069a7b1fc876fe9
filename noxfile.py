"""The tests on every promised Python, and with the oldest promised versions: ``nox``, or ``make pythons``.

Interpreters that are not installed are reported as skipped, not as passed. ``nox -s tests-3.12 -- tests/tables`` runs
some of the tests on one of them.
"""

import re
from pathlib import Path

import nox

PYTHONS = ["3.11", "3.12", "3.13"]
FLOOR_PYTHONS = ["3.11", "3.12"]  # the oldest versions have wheels for these
FLOOR_TESTS = re.search(r"^FLOOR_TESTS := (.*)$", Path("Makefile").read_text(encoding="utf-8"), re.MULTILINE)[1].split()

nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["tests"]


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    session.install("--upgrade", "pip>=25.1")
    session.install("--editable", ".[all]")
    session.install("--group", "dev")
    session.run("python", "-m", "pytest", "-q", "-n", "auto", "--dist", "loadfile", *session.posargs)


@nox.session(python=FLOOR_PYTHONS)
def oldest(session: nox.Session) -> None:
    session.install(
        "--editable", ".[all,anndata]", "--constraint", "tests/floor.txt", "pytest", "hypothesis", "polars>=1.20"
    )
    session.run("python", "-m", "pytest", "-q", *(session.posargs or FLOOR_TESTS))
