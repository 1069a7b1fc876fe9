"""What a type checker knows in a user's program."""

import subprocess
import sys
from pathlib import Path

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


def test_fit_returns_the_estimators_own_type(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    # Without the types of numpy and pandas it is a matter of seconds.
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--no-site-packages",
        "--ignore-missing-imports",
        "--follow-imports=silent",
    ]
    run = subprocess.run(
        [*command, "--python-version=3.11", "--cache-dir", tmp_path / "cache", program],
        cwd=tmp_path,
        env={"MYPYPATH": str(Path(disjoint_centroids.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    *errors, last = run.stdout.splitlines()
    assert "sample_wieght" in errors[0], run.stdout + run.stderr
    assert last.startswith("Found 1 error")
