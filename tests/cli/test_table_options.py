"""Options of tables on the command line: every command that reads one has them, and the cures that errors name work."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
import typer.main

from disjoint_centroids.cli import app
from disjoint_centroids.tables.table_settings import cells_listed

SHARED = {
    *("--id", "--features-in-rows", "--sheet", "--skip-rows", "--na-values", "--limits", "--max-memory"),
}
OF_LABELS = {"--target", "--labels", "--unlabelled", "--merge-labels"}
OF_TRAINING = {"--drop", "--keep", "--impute"}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        *((name, SHARED | OF_LABELS | OF_TRAINING) for name in ("fit", "compare", "stability", "report")),
        ("predict", SHARED | OF_LABELS),
        ("explain", SHARED),
    ],
)
def test_every_command_that_reads_a_table_has_its_options(command, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = typer.main.get_command(app).commands[command]
    options = {name for parameter in found.params for name in [*parameter.opts, *parameter.secondary_opts]}
    assert expected <= options


def test_cells_in_a_list_with_commas():
    assert cells_listed("ND, failed,-999") == ["ND", "failed", "-999"]
    assert cells_listed("<0,5,n.d.,>100") == ["<0,5", "n.d.", ">100"]


@pytest.fixture
def untidy(here, table):
    """Sample numbers, a title, cells that state a limit, two spellings of a label, a sample without one."""
    frame = table.reset_index(drop=True).astype(object).round(6)
    frame.insert(0, "patient", range(5001, 5001 + len(frame)))
    frame.loc[[3, 5, 8], "g1"] = ["<0.5", "ND", "bad"]
    frame.loc[[0, 1, 30], "kind"] = ["Class 0", "Class 0", None]
    (here / "untidy.csv").write_text("Table S1\n" + frame.to_csv(index=False))
    return "untidy.csv"


def test_errors_name_the_options_that_cure_them(ndc, untidy, here):
    command = ["fit", untidy, "--target", "kind", "--rounds", 2]
    said = ndc(*command)
    assert said.exit_code == 2
    assert "--skip-rows 1" in said.stderr
    command += ["--skip-rows", 1]
    said = ndc(*command)
    for cure in ("--merge-labels", "--unlabelled drop", "--na-values '<0.5,ND,bad' --impute median"):
        assert cure in said.stderr
    command += [
        "--merge-labels",
        "--unlabelled",
        "drop",
        "--na-values",
        "bad",
        "--limits",
        "half",
        "--impute",
        "median",
    ]
    fitted = ndc(*command)
    assert fitted.exit_code == 0, fitted.output
    for remark in ("note: untidy.csv: the column 'patient'", "labels were merged", "1 of 36 samples have no label"):
        assert remark in fitted.stderr
    # The model knows how cells that are no numbers are read.
    answered = ndc("predict", "model.ndc", untidy, "--skip-rows", 1, "--json")
    assert answered.exit_code == 0, answered.output
    answers = json.loads(answered.stdout)
    assert [answer["sample"] for answer in answers] == [str(5001 + at) for at in range(36)]
    explained = ndc("explain", "model.ndc", untidy, "--skip-rows", 1, "--sample", 5004, "--json")
    assert explained.exit_code == 0, explained.output
    used = {row["feature"]: row["value"] for row in json.loads(explained.stdout)["contributions"]}
    assert used.get("g1", 0.25) == 0.25
    assert np.isfinite(list(used.values())).all()


def test_memory_is_bounded_by_an_option(ndc, here):
    refused = ndc("fit", "blocks.csv", "--target", "kind", "--max-memory", 1e-6)
    assert refused.exit_code == 2
    assert "more than 1 kB of memory, as --max-memory" in refused.stderr


def test_sheets_and_titles_are_not_for_blocks(ndc, here, table):
    table.to_parquet("blocks.parquet")
    refused = ndc("fit", "blocks.parquet", "--target", "kind", "--engine", "dask", "--skip-rows", 1)
    assert refused.exit_code == 2
    assert "--skip-rows is for text and Excel" in refused.stderr
