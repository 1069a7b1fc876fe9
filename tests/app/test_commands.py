"""The commands that the app shows do what the app does."""

import json
import shlex
import shutil

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from disjoint_centroids.app.drafts import Drafts
from disjoint_centroids.app.preview import preview_of
from disjoint_centroids.app.question import DEFAULTS
from disjoint_centroids.app.runs import write_json
from disjoint_centroids.app.work import WORK
from disjoint_centroids.cli import main  # noqa: F401  the commands are registered when it is imported
from disjoint_centroids.cli.app import app
from disjoint_centroids.models.model_file import load_model
from reported import block_table

QUICK = DEFAULTS | {"repeats": "1", "max_features_per_class": "3"}


def donors():
    """36 cells of three types from three donors, two of whose values are missing; one donor has one type only."""
    found = block_table(n=12, d=3, irrelevant=6, seed=2)
    values = found.values.copy()
    values.iloc[[0, 20], [1, 2]] = np.nan
    donor = [f"donor {at % 3}" for at in range(34)] + ["donor 9"] * 2
    return values.assign(type=found.labels, donor=donor).rename_axis("cell").reset_index()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder in which a user would type, with the files of the user's."""
    place = tmp_path / "typed"
    place.mkdir()
    donors().to_csv(place / "my cells.csv", index=False)
    (place / "a list.csv").write_text("feature,class\nf0,A\nf4,B\n")
    (place / "stock.txt").write_text("".join(f"f{at}\n" for at in range(12)))
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def drafts():
    found = Drafts()
    yield found
    found.close()


def brought(drafts, folder, **files):
    """Bring a table and further files as the pages do: under names of the server's."""
    own = drafts.new_folder()
    draft = drafts.add(own, own / "table.csv", "my cells.csv")
    shutil.copy(folder / "my cells.csv", draft.file)
    for kind, name in files.items():
        path = own / f"{kind}.{name.split('.')[-1]}"
        shutil.copy(folder / name, path)
        draft.keep_file(kind, path, name)
    draft.preview = preview_of(draft)
    return draft


def worked(job, folder):
    """Do a run as its process does, with everything as JSON in between."""
    files, facts = job
    folder.mkdir()
    for name, path in files.items():
        shutil.copy(path, folder / name)
    write_json(folder / "job.json", facts)
    facts = json.loads((folder / "job.json").read_text())
    stages = []
    WORK[facts["kind"]](folder, facts, stages.append)
    return stages


def typed(command, *more):
    """Type a command, and return what it prints on standard output."""
    told = CliRunner().invoke(app, [*shlex.split(command)[1:], *more], catch_exceptions=False)
    assert told.exit_code == 0, told.output
    return told.stdout


def without_times(rows):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def test_a_fit_its_report_and_replacements(drafts, folder, tmp_path):
    draft = brought(drafts, folder, extend="a list.csv", allow_file="stock.txt")
    assert draft.reading.target == "type"
    cures = [cure for problem in draft.preview["problems"] for cure in problem["cures"]]
    draft.apply(next(cure["changes"] for cure in cures if cure["label"] == "“donor” is the batch"))
    draft.apply({"impute": "median"})
    draft.preview = preview_of(draft)
    assert draft.preview["usable"]
    assert [n for _, n in draft.preview["batches"]] == [12, 11, 11, 2]
    draft.ask(
        QUICK
        | {"to": "6", "direction": "up", "keep_extend": "yes", "keep_allow_file": "yes", "max_features_per_class": ""}
    )
    fit, report = draft.commands()
    for option in ("--batch donor", "--extend 'a list.csv' --to 6", "--allow-file stock.txt", "--direction up"):
        assert option in fit
        assert option in report
    run = tmp_path / "run"
    stages = worked(draft.job(), run)
    assert "Finding replacements" in stages
    facts, summary = (json.loads((run / name).read_text()) for name in ("run.json", "summary.json"))

    typed(fit)
    saved, here = load_model(folder / "model.ndc"), load_model(run / "model.ndc")
    assert saved.settings == here.settings
    assert saved.settings["extend"] == "a list.csv"
    typed("ndc features model.ndc -o lists.csv")
    assert (folder / "lists.csv").read_bytes() == (run / "lists.csv").read_bytes()
    lists = pd.read_csv(run / "lists.csv").set_index("feature")["owner"].dropna()
    assert len(lists) == 6
    assert lists[["f0", "f4"]].tolist() == ["A", "B"]
    told = json.loads(typed(report, "--json"))["summary"]
    assert without_times(told["answer"]["methods"]) == without_times(summary["answer"]["methods"])
    assert "batches not seen" in summary["answer"]["sentence"]
    assert told["owners"] == summary["owners"]
    typed(facts["alternates_command"])
    assert (folder / "alternates.csv").read_bytes() == (run / "alternates.csv").read_bytes()
    assert len(summary["alternates"]["rows"]) == len(pd.read_csv(run / "alternates.csv")) >= 6
    assert dict(facts["shown"])["Batches"] == "donor"
    assert str(run) not in (run / "run.json").read_text() + (run / "summary.json").read_text()


def test_a_list_that_is_judged(drafts, folder, tmp_path):
    draft = brought(drafts, folder, markers="a list.csv")
    draft.apply({"batch": "donor", "impute": "median"})
    draft.preview = preview_of(draft)
    assert draft.list_problem() == ""
    draft.ask(QUICK | {"seed": "3", "transform": "standardize"})
    run = tmp_path / "run"
    worked(draft.list_job(), run)
    facts, summary = (json.loads((run / name).read_text()) for name in ("run.json", "summary.json"))
    told = json.loads(typed(facts["commands"][0], "--json"))
    for part in ("sentences", "errors", "lists", "classes", "markers", "source", "table"):
        assert told[part] == summary[part]
    assert facts["error"] == min(row["error"] for row in told["errors"] if row["list"] == "given")
    assert facts["table"] == "a list.csv on my cells.csv"
    assert summary["picture"] in (run / "list.html").read_text()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("f0\nf0\n", "“my list.csv” names features more than once"),
        ("f0\nactb\n", "“my list.csv” names features that the table does not have"),
        ("feature,class\nf0,Z\n", "“my list.csv” names classes that the table does not have"),
        ("a,b\n1,2\n", "none is called feature or gene"),
        ("\n", "“my list.csv” is empty"),
    ],
)
def test_a_list_that_cannot_be_judged_says_why(drafts, folder, text, words):
    draft = brought(drafts, folder)
    (draft.folder / "markers.csv").write_text(text)
    draft.keep_file("markers", draft.folder / "markers.csv", "my list.csv")
    draft.apply({"batch": "donor", "impute": "median"})
    draft.preview = preview_of(draft)
    assert words in draft.list_problem()
    assert str(draft.folder) not in draft.list_problem()


def test_a_file_that_comes_after_the_page_is_kept(drafts, folder):
    draft = brought(drafts, folder, extend="a list.csv")
    draft.ask(QUICK | {"to": "6"})  # from a page that was shown before the file came
    assert "--extend 'a list.csv'" in draft.commands()[0]
    draft.ask(QUICK | {"known_files": "extend"})  # the box is not ticked
    assert "--extend" not in draft.commands()[0]


def test_batches_are_for_panels(drafts, folder):
    draft = brought(drafts, folder)
    draft.apply({"batch": "donor"})
    with pytest.raises(ValueError, match="Batches are for disjoint panels"):
        draft.ask(QUICK | {"method": "ndc-s"})
    draft.apply({"batch": "type"})
    assert "is the column of the labels" in preview_of(draft)["problems"][0]["text"]
    draft.apply({"batch": None})
    assert "--batch" not in draft.commands()[0]
