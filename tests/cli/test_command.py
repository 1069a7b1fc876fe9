"""The command as a whole: help, start-up, interruption, the demo."""

import json
import os
import subprocess
import sys

import pandas as pd
import pytest

from disjoint_centroids.cli.commands.demo import is_of_demo

COMMANDS = [
    "demo",
    "compare",
    "fit",
    "sums",
    "predict",
    "features",
    "explain",
    "stability",
    "report",
    "data list",
    "data get",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_json(ndc, command):
    result = ndc(*command.split(), "--help")
    assert result.exit_code == 0
    assert f"Example: ndc {command}" in result.stdout
    assert "--json" in result.stdout


def test_starting_up_loads_nothing_heavy():
    heavy = ("numpy", "sklearn", "pandas", "matplotlib", "numba")
    code = f"import sys, disjoint_centroids.cli; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
def test_an_interruption_ends_with_a_line_and_can_be_taken_up(here, interrupted, files):
    asked = ("compare", "blocks.csv", "-t", "kind", "--methods", "NC,KNN", "--repeats", 3000)
    assert interrupted(*asked, until="blocks-compare.csv").endswith("--resume.")
    assert files() == ["blocks-compare-predictions.csv", "blocks-compare.csv", "blocks.csv"]
    assert 0 < len(pd.read_csv(here / "blocks-compare.csv")) < 18000


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
def test_a_reader_that_has_seen_enough_is_no_problem_to_report(panel_file):
    code = "from disjoint_centroids.cli import main; main()"
    command = [sys.executable, "-c", code, "features", str(panel_file), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        said = process.stderr.read()
    assert said == ""
    assert process.returncode == 1


def test_the_demo_leaves_a_report(ndc, here, files):
    result = ndc("demo", "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert (here / answer["report"]).stat().st_size < 3_000_000
    assert sorted(p.name for p in (here / "demo-output").iterdir()) == [
        "blocks.csv",
        "blocks.ndc",
        "blocks.png",
        "report.html",
    ]
    assert is_of_demo(here / answer["model"])  # such files a further demo replaces
    assert not is_of_demo(here / answer["table"])
    predicted = ndc("predict", answer["model"], answer["table"], "--target", "label")
    assert predicted.exit_code == 0, predicted.output
