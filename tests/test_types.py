"""What a type checker knows in a user's program."""

import importlib
import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import disjoint_centroids

PROGRAM = """
from typing import assert_type

from disjoint_centroids import (
    DisjointKNeighborsClassifier,
    DisjointLogisticRegression,
    DisjointPanelClassifier,
    NearestDisjointCentroid,
    NearestDisjointCentroidCV,
    OverlappingCentroidClassifier,
    OwnershipStability,
)

X, y = [[1.0, 2.0], [3.0, 4.0]], [0, 1]
assert_type(DisjointKNeighborsClassifier().fit(X, y), DisjointKNeighborsClassifier)
assert_type(DisjointLogisticRegression().fit(X, y), DisjointLogisticRegression)
assert_type(DisjointPanelClassifier().fit(X, y), DisjointPanelClassifier)
assert_type(NearestDisjointCentroid().fit(X, y), NearestDisjointCentroid)
assert_type(NearestDisjointCentroid().partial_fit(X, y), NearestDisjointCentroid)
assert_type(NearestDisjointCentroidCV().fit(X, y), NearestDisjointCentroidCV)
assert_type(OverlappingCentroidClassifier().fit(X, y), OverlappingCentroidClassifier)
assert_type(OwnershipStability(NearestDisjointCentroid()).fit(X, y), OwnershipStability)


class Mine(DisjointPanelClassifier):
    pass


assert_type(Mine().fit(X, y), Mine)
Mine().fit(X, y, sample_wieght=None)  # misspelt: the only error
"""


PUBLIC_ROOMS = ["datasets", "evaluation", "markers", "models", "panels", "pipeline", "plots", "report", "tables"]
PUBLIC = {room: importlib.import_module(f"disjoint_centroids.{room}".rstrip(".")) for room in ("", *PUBLIC_ROOMS)}
MISSPELT = [".NearestDisjointCentriod", ".evaluation.comparee", ".models.load_modle", ".tables.read_tabel"]


def names_of(package):
    own = (name for name, value in vars(package).items() if getattr(value, "__module__", "") == package.__name__)
    return getattr(package, "__all__", None) or sorted(name for name in own if not name.startswith("_"))


def every_name():
    """A program with every public name, and at its end names that do not exist: the only errors."""
    lines = [
        f"from {package.__name__} import {name} as name_{n}_{at}"
        for n, package in enumerate(PUBLIC.values())
        for at, name in enumerate(names_of(package))
    ]
    wrong = [name.rpartition(".") for name in MISSPELT]
    return "\n".join([*lines, *(f"from disjoint_centroids{room} import {name}" for room, _, name in wrong)])


def mypy(program, folder):
    """Lines that mypy prints of a program; without the types of numpy and pandas it is a matter of seconds."""
    file = folder / "program.py"
    file.write_text(program)
    options = ["--no-site-packages", "--ignore-missing-imports", "--follow-imports=silent", "--python-version=3.11"]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "--cache-dir", folder / "cache", file],
        cwd=folder,
        env={"MYPYPATH": str(Path(disjoint_centroids.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout, run.stderr
    return run.stdout.splitlines()


def test_what_mypy_knows_in_a_users_program(tmp_path):
    pytest.importorskip("mypy")
    errors = [line for line in mypy(f"{PROGRAM}\n{every_name()}", tmp_path) if " error: " in line]
    assert len(errors) == 1 + len(MISSPELT), "\n".join(errors)
    assert "sample_wieght" in errors[0]
    for name, error in zip(MISSPELT, errors[1:], strict=True):
        assert f'has no attribute "{name.rpartition(".")[2]}"' in error


def test_what_pyright_knows_in_a_users_program(tmp_path):
    pytest.importorskip("pyright")  # `make release-checks` installs it
    (tmp_path / "program.py").write_text(f"{PROGRAM}\n{every_name()}")
    source = str(Path(disjoint_centroids.__file__).parents[1])
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [source]}))
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--project", tmp_path]
    run = subprocess.run([*command, "--outputjson"], capture_output=True, text=True, check=False)
    errors = [
        found["message"] for found in json.loads(run.stdout)["generalDiagnostics"] if found["severity"] == "error"
    ]
    assert len(errors) == 1 + len(MISSPELT), errors
    assert "sample_wieght" in errors[0]
    for name, error in zip(MISSPELT, errors[1:], strict=True):
        assert name.rpartition(".")[2] in error


def returned():
    """Annotations of what public functions and methods return."""
    for package in PUBLIC.values():
        for name in names_of(package):
            public = getattr(package, name)
            if inspect.isfunction(public):
                yield name, inspect.signature(public).return_annotation
            elif inspect.isclass(public):
                for method, function in inspect.getmembers(public, inspect.isfunction):
                    if not method.startswith("_") and function.__module__.startswith("disjoint_centroids."):
                        yield f"{name}.{method}", inspect.signature(function).return_annotation


def test_public_functions_say_what_they_return():
    vague = {name for name, annotation in returned() if annotation in (inspect.Signature.empty, "Any", Any)}
    # An array, a frame of pandas or polars, a sparse matrix or a dask table: the user's input and set_output decide.
    assert {name for name in vague if not name.endswith(".transform")} == {"as_seen"}
