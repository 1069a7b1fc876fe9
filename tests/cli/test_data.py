import hashlib
import json

import pandas as pd
import pytest

pytest.importorskip("typer")
from typer.testing import CliRunner

from disjoint_centroids.cli import app
from disjoint_centroids.datasets import compcancer

run = CliRunner().invoke


@pytest.fixture
def sets(tmp_path, monkeypatch):
    """A cache that already holds one small set under a known name, and an empty folder to work in."""
    content = b"GENES\tA\tB\ng1\t1\t2\ng2\t3\t4\n"
    known = {"tiny-2000": compcancer.CompCancerSet("tiny-2000", 2, 2, 2, hashlib.sha256(content).hexdigest())}
    monkeypatch.setattr(compcancer, "compcancer_sets", lambda: known)
    monkeypatch.setenv(compcancer.CACHE_VARIABLE, str(tmp_path / "cache"))
    folder = tmp_path / "cache" / "compcancer"
    folder.mkdir(parents=True)
    (folder / "tiny-2000_database.txt").write_bytes(content)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def test_list_names_all_sets():
    result = run(app, ["data", "list"])
    assert result.exit_code == 0
    assert "golub-1999-v1" in result.output
    rows = json.loads(run(app, ["data", "list", "--json"]).output)
    assert len(rows) == 35
    assert rows[0] == {"name": "alizadeh-2000-v1", "n_samples": 42, "n_features": 1095, "n_classes": 2}


def test_get_writes_a_csv_and_says_so(sets):
    result = run(app, ["data", "get", "tiny-2000"])
    assert result.exit_code == 0, result.output
    assert "tiny-2000.csv: 2 samples, 2 genes" in result.output
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
        (["nope"], "no CompCancer set"),
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
