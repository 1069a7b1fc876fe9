"""What a type checker knows in a user's program."""

import importlib
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import disjoint_centroids
from public_names import public_names

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


PUBLIC = public_names()
MISSPELT = [".NearestDisjointCentriod", ".evaluation.comparee", ".models.load_modle", ".tables.read_tabel"]


def every_name():
    """A program with every public name, and at its end names that do not exist: the only errors."""
    lines = [f"from {module} import {name} as name_{at}" for at, (module, name) in enumerate(PUBLIC)]
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


def test_pyright_knows_what_public_functions_take_and_return(tmp_path):
    pytest.importorskip("pyright")
    functions = {name for name, _ in returned()}
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--verifytypes", "disjoint_centroids"]
    source = {"PYTHONPATH": str(Path(disjoint_centroids.__file__).parents[1])}
    run = subprocess.run(
        [*command, "--ignoreexternal", "--outputjson"],
        cwd=tmp_path,
        env=os.environ | source,
        capture_output=True,
        text=True,
        check=False,
    )
    symbols = {symbol["name"]: symbol for symbol in json.loads(run.stdout)["typeCompleteness"]["symbols"]}
    assert len(functions & symbols.keys()) > 60
    unknown = {name for name in functions & symbols.keys() if not symbols[name]["isTypeKnown"]}
    assert unknown <= {"disjoint_centroids.markers.anndata.disjoint_markers"}  # an AnnData, which may not be installed


def returned():
    """Public functions and methods by the names of their modules, and annotations of what they return."""
    for module, name in PUBLIC:
        public = getattr(importlib.import_module(module), name)
        members = inspect.getmembers(public) if inspect.isclass(public) else [(name, public)]
        for member, value in members:
            function = value.fget if isinstance(value, property) else value
            own = inspect.isfunction(function) and function.__module__.startswith("disjoint_centroids.")
            if own and not member.startswith("_") and function.__name__ != "<lambda>":
                annotation = inspect.signature(function).return_annotation
                yield f"{function.__module__}.{function.__qualname__}", annotation


def test_public_functions_say_what_they_return():
    vague = {name.rpartition(".")[2]: said for name, said in returned() if re.search(r"\bAny\b|_empty", str(said))}
    assert vague == {
        "transform": "Any",  # an array, a frame of pandas or polars, a sparse matrix, a dask table: set_output decides
        "predict_set": "np.ndarray | list[list[Any]]",  # labels are what the user has
        "summarize": "dict[str, Any]",  # a page in JSON's types
    }
