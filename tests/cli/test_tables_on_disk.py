"""Tables that stay on disk, as a user types it."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest

from disjoint_centroids.models.model_file import load_model
from labelled import assert_same_model

pytest.importorskip("dask")

DASK = ("--engine", "dask")


@pytest.fixture
def on_disk(here, table):
    """The table as a folder of Parquet parts, its classes mixed."""
    folder = here / "parts"
    folder.mkdir()
    mixed = table.sample(frac=1, random_state=0)
    for at in range(4):
        mixed.iloc[9 * at : 9 * (at + 1)].to_parquet(folder / f"part-{at}.parquet")
    mixed.to_parquet(here / "whole.parquet")
    return folder


@pytest.mark.parametrize(
    "options",
    [
        ("--method", "ndc-s"),
        ("--method", "ndc"),
        ("--lam", "0.8"),
        ("--method", "ndc-s", "--rule", "1se", "--transform", "standardize"),
    ],
)
@pytest.mark.parametrize("name", ["parts", "whole.parquet"])
def test_the_model_is_that_of_the_table_in_memory(ndc, here, on_disk, options, name):
    asked = ("-t", "kind", "--restarts", 5, *options)
    assert ndc("fit", "whole.parquet", *asked, "-o", "memory.ndc").exit_code == 0
    result = ndc("fit", name, *asked, *DASK, "--chunk-rows", 10, "-o", "disk.ndc")
    assert result.exit_code == 0, result.output
    assert "class 0" in result.stdout
    assert ("one more pass over the table" in result.stderr) == ("standardize" in options)
    memory, disk = load_model(here / "memory.ndc"), load_model(here / "disk.ndc")
    assert_same_model(disk.pipeline[-1], memory.pipeline[-1], exactly=False)
    assert disk.feature_names == memory.feature_names
    assert (disk.settings["engine"], memory.settings["engine"]) == ("dask", "memory")
    # The other commands see no difference.
    lists = [json.loads(ndc("features", model, "--json").stdout) for model in ("memory.ndc", "disk.ndc")]
    assert lists[0]["features"] == lists[1]["features"]
    sample = pd.read_parquet(here / "whole.parquet").index[0]
    assert ndc("explain", "disk.ndc", "whole.parquet", "--sample", sample).exit_code == 0


def test_without_a_method_panels_are_fitted(ndc, here, on_disk):
    """The lists of the table in memory, all terms being tried; rules name features as they do there."""
    asked = ("-t", "kind", "--rounds", 2, "--require", "g3:class 1", "--exclude", "g1")
    assert ndc("fit", "whole.parquet", *asked, "-o", "memory.ndc").exit_code == 0
    result = ndc("fit", "parts", *asked, *DASK, "--chunk-rows", 10, "-o", "disk.ndc")
    assert result.exit_code == 0, result.output
    memory, disk = (load_model(here / name).pipeline[-1] for name in ("memory.ndc", "disk.ndc"))
    np.testing.assert_array_equal(disk.owner_, memory.owner_)
    assert load_model(here / "disk.ndc").settings["method"] == "panel"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--require", "h1"), "--require"),
        (("--refine",), "--refine needs the table in memory"),
        (("--impute", "median"), "--impute median needs the table in memory"),
        (("--features-in-rows",), "must be in rows"),
        (("--target", "kin"), "Did you mean 'kind'"),
    ],
)
def test_what_needs_the_table_in_memory_is_refused(ndc, on_disk, files, options, words):
    before = files()
    result = ndc("fit", "parts", "-t", "kind", *DASK, *options, "-o", "disk.ndc")
    assert result.exit_code == 2
    assert words in result.stderr
    assert files() == before


@pytest.mark.parametrize("option", [("--chunk-rows", 10), ("--scheduler", "tcp://127.0.0.1:1")])
def test_options_that_would_change_nothing_are_refused(ndc, on_disk, option):
    result = ndc("fit", "whole.parquet", "-t", "kind", *option)
    assert result.exit_code == 2
    assert f"{option[0]} is for tables that are read a block at a time" in result.stderr


def test_a_folder_in_memory_names_the_option(ndc, on_disk):
    result = ndc("fit", "parts", "-t", "kind")
    assert result.exit_code == 2
    assert "--engine dask" in result.stderr


def test_raw_intensities_are_remarked_on_from_the_first_block(ndc, here, table):
    table.assign(**{name: np.exp(3 * table[name]) for name in table.columns[:-1]}).to_parquet(here / "raw.parquet")
    asked = ("fit", "raw.parquet", "-t", "kind", *DASK, "--method", "ndc", "--restarts", 2, "--force")
    assert "--transform log2" in ndc(*asked).stderr
    assert "--transform log2" not in ndc(*asked, "--transform", "log2").stderr


def test_a_bad_cell_is_named_with_its_part(ndc, on_disk):
    part = on_disk / "part-2.parquet"
    pd.read_parquet(part).assign(g3=np.nan).to_parquet(part)
    result = ndc("fit", "parts", "-t", "kind", *DASK, "--method", "ndc", "--chunk-rows", 9)
    assert result.exit_code == 2
    assert "block 3 of 4 (rows 1 to 9 of part-2.parquet)" in result.stderr
    assert "'g3' (9)" in result.stderr


def test_a_scheduler_that_is_running(ndc, here, on_disk):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        asked = ("-t", "kind", "--method", "ndc-s", "--restarts", 5)
        result = ndc("fit", "parts", *asked, *DASK, "--scheduler", cluster.scheduler_address, "-o", "cluster.ndc")
        assert result.exit_code == 0, result.output
    ndc("fit", "whole.parquet", *asked, "-o", "memory.ndc")
    models = [load_model(here / f"{name}.ndc").pipeline[-1] for name in ("cluster", "memory")]
    assert_same_model(*models, exactly=False)


@pytest.mark.parametrize("chunk", [1, 10, 100])
def test_answers_are_those_of_the_table_in_memory(ndc, here, on_disk, model_file, chunk):
    asked = ("--target", "kind", "-o")
    memory = ndc("predict", model_file, "whole.parquet", *asked, "memory.csv")
    disk = ndc("predict", model_file, "parts", *asked, "disk.csv", *DASK, "--chunk-rows", chunk)
    assert disk.exit_code == 0, disk.output
    expected, found = (pd.read_csv(here / f"{name}.csv", index_col="sample") for name in ("memory", "disk"))
    # A product of fewer rows may be added up in another order, and a last digit of six may be rounded otherwise.
    pd.testing.assert_frame_equal(found, expected, rtol=2e-5)
    assert memory.stderr.splitlines()[-1] == disk.stderr.splitlines()[-1]
    assert "labels differ from the given ones" in disk.stderr
    assert disk.stdout == "disk.csv: 36 samples\n"


def test_a_model_fitted_on_disk_does_not_know_its_training_samples_and_says_so(ndc, here, on_disk, paper_file):
    asked = ("-t", "kind", "--method", "ndc", "--restarts", 2, *DASK, "-o", "disk.ndc")
    assert ndc("fit", "parts", *asked).exit_code == 0
    unknown = ndc("predict", "disk.ndc", "whole.parquet", "-t", "kind").stderr
    assert "whether these samples were in the training table is not known" in unknown
    # The other way round they are recognised block by block.
    known = ndc("predict", paper_file, "parts", "-t", "kind", *DASK, "--chunk-rows", 10).stderr
    assert "all 36 samples were in the training table" in known


def test_answers_as_parquet_and_on_the_screen(ndc, here, on_disk, paper_file):
    ndc("predict", paper_file, "parts", *DASK, "--chunk-rows", 10, "-o", "disk.csv")
    ndc("predict", paper_file, "parts", *DASK, "--chunk-rows", 10, "-o", "disk.parquet")
    expected = pd.read_csv(here / "disk.csv")
    pd.testing.assert_frame_equal(pd.read_parquet(here / "disk.parquet"), expected)
    shown = ndc("predict", paper_file, "parts", *DASK, "--chunk-rows", 10)
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(shown.stdout)), expected)
    result = ndc("predict", paper_file, "parts", *DASK, "--json")
    assert result.exit_code == 2
    assert "--json holds all answers in memory" in result.stderr


def test_sets_of_classes_are_counted_over_blocks(ndc, on_disk, panel_file):
    asked = ("--target", "kind", "--confidence", 0.8)
    memory = ndc("predict", panel_file, "whole.parquet", *asked)
    disk = ndc("predict", panel_file, "parts", *asked, *DASK, "--chunk-rows", 7)
    assert disk.stderr == memory.stderr
    assert "samples have one class" in disk.stderr


def test_absent_columns_are_named_or_tolerated(ndc, here, on_disk, paper_file):
    used = load_model(paper_file).pipeline[-1]
    lost = used.feature_names_in_[used.feature_sets_[0]][0]
    for part in on_disk.iterdir():
        pd.read_parquet(part).drop(columns=lost).to_parquet(part)
    result = ndc("predict", paper_file, "parts", *DASK, "-o", "disk.csv")
    assert result.exit_code == 2
    assert lost in result.stderr
    assert not (here / "disk.csv").exists()
    result = ndc("predict", paper_file, "parts", *DASK, "--missing", "tolerate", "-o", "disk.csv", "--chunk-rows", 9)
    assert result.exit_code == 0, result.output
    assert "present_class 0" in pd.read_csv(here / "disk.csv").columns


@pytest.mark.parametrize("suffix", ["csv", "parquet", "xlsx", "json"])
def test_a_block_that_fails_leaves_nothing(ndc, on_disk, paper_file, files, suffix):
    before = files()
    part = on_disk / "part-3.parquet"
    pd.read_parquet(part).assign(g0=np.inf, g4=np.inf).to_parquet(part)
    result = ndc("predict", paper_file, "parts", *DASK, "--chunk-rows", 9, "-o", f"out.{suffix}")
    assert result.exit_code == 2
    assert "block 4 of 4" in result.stderr
    assert files() == before


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_an_interruption_leaves_nothing(here, table, paper_file, files, interrupted, suffix):
    many = pd.concat([table.reset_index(drop=True)] * 100, ignore_index=True)
    many.to_parquet(here / "many.parquet", row_group_size=1)
    before = files()
    asked = ("predict", paper_file, "many.parquet", *DASK, "--chunk-rows", 1, "-o", f"out.{suffix}")
    said = interrupted(*asked, until=f".out.*.part.{suffix}")
    assert "nothing half-written was left behind" in said
    assert files() == before
