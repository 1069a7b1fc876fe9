"""Sums of sites, as a user types it: written, pooled, fitted; and refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.models.model_file import load_model
from disjoint_centroids.panels import TableSums

PANEL = ("--rounds", 2, "--reads", "all")


@pytest.fixture(scope="module")
def pooled_table():
    import pandas as pd

    X, y = make_blocks(k=3, n=40, d=3, mu=(3.0, 0.0), sigma=(0.5, 1.0), irrelevant=4, random_state=0)
    frame = pd.DataFrame(np.exp2(X), columns=[f"g{c}" for c in range(13)], index=[f"s{i}" for i in range(120)])
    mixed = frame.assign(kind=[f"class {label}" for label in y]).rename_axis("sample")
    return mixed.sample(frac=1, random_state=1)


@pytest.fixture
def sites(here, pooled_table):
    """Two tables, whose columns are in different orders, and both in one."""
    pooled_table[:50].to_csv(here / "a.csv")
    pooled_table[50:].iloc[:, ::-1].to_csv(here / "b.csv")
    pooled_table.to_csv(here / "all.csv")
    return here


@pytest.fixture
def sums(ndc, sites):
    """Their files of sums."""
    for name in ("a", "b"):
        result = ndc("sums", f"{name}.csv", "-t", "kind", "--transform", "log2", "-o", f"{name}.sums")
        assert result.exit_code == 0, result.output
    return sites


def refused(result, *words):
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr


def test_two_sites_give_the_model_of_the_pooled_table(ndc, sums):
    result = ndc("fit", "--from-sums", "a.sums", "b.sums", "-o", "pooled.ndc", *PANEL)
    assert result.exit_code == 0, result.output
    assert "errors are those of stand-ins" in result.stdout
    asked = ("-t", "kind", "--transform", "log2", "--terms", "linear", "--regression", "ridge")
    assert ndc("fit", "all.csv", *asked, "-o", "all.ndc", *PANEL).exit_code == 0
    found, expected = (load_model(sums / name).pipeline[-1] for name in ("pooled.ndc", "all.ndc"))
    np.testing.assert_array_equal(found.owner_, expected.owner_)
    np.testing.assert_allclose(found.centroids_, expected.centroids_)
    if found.penalty_ == expected.penalty_:  # chosen by stand-ins
        np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-9)
    predicted = ndc("predict", "pooled.ndc", "all.csv", "-t", "kind", "--json")
    assert predicted.exit_code == 0, predicted.output
    again = ndc("fit", "--from-sums", "a.sums", "b.sums", "-o", "pooled.ndc", "--force", "--json", *PANEL)
    told = json.loads(again.stdout)
    assert (told["train_error"], told["model"], told["method"]) == (None, "pooled.ndc", "panel")
    assert load_model(sums / "pooled.ndc").settings["transform"] == "log2"


def test_the_command_says_what_the_file_holds_and_reveals(ndc, sites):
    result = ndc("sums", "a.csv", "-t", "kind", "-o", "a.sums")
    assert "13 features over 50 samples (12 class 0, 17 class 1, 21 class 2)" in result.stdout
    assert "holds no sample and no sample name" in result.stdout
    assert "whoever knows all samples of a part but one can compute that one" in result.stdout
    assert "it has grown by a sample: that sample, which is their difference" in result.stdout
    assert "another --seed or --folds add information in the same way. Send one file of a table only" in result.stdout
    assert "up to a rotation" in result.stdout
    told = json.loads(ndc("sums", "a.csv", "-t", "kind", "-o", "a.sums", "--force", "--json").stdout)
    assert (told["sums"], told["n_samples"], told["smallest_sum"]) == ("a.sums", 50, 6)
    assert told["classes"] == {"class 0": 12, "class 1": 17, "class 2": 21}
    assert len(told["reveals"]) == 6  # values are normally distributed: no sample is alone with one
    stored = (sites / "a.sums").read_bytes()
    assert b"s17" not in stored


def test_samples_that_can_be_computed_are_counted(ndc, sites):
    """A mutation of one sample."""
    first, *lines = (sites / "a.csv").read_text().splitlines()
    mutated = [f"{line},{int(at == 3)}" for at, line in enumerate(lines)]
    (sites / "mutated.csv").write_text("\n".join([f"{first},mutated", *mutated]))
    told = json.loads(ndc("sums", "mutated.csv", "-t", "kind", "--json", "-o", "m.sums").stdout)
    (alone,) = [sentence for sentence in told["reveals"] if "the only one of its part" in sentence]
    assert alone.startswith("all values of 1 of 50 samples: ")
    assert "Such features are mutated; --drop" in alone


def test_small_classes_are_refused(ndc, sites, files):
    before = files()
    refused(ndc("sums", "a.csv", "-t", "kind", "--smallest", 8, "-o", "a.sums"), "class 0 (12)", "--smallest N")
    assert files() == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--transform", "standardize"), "learns means and scales from the samples of one site"),
        (("--impute", "median"), "Fill in missing values beforehand"),
        (("-o", "a.csv", "--force"), "would be lost"),
        (("-o", "nowhere/a.sums"), "does not exist"),
    ],
)
def test_what_a_site_cannot_do_is_refused(ndc, sites, files, options, words):
    before = files()
    refused(ndc("sums", "a.csv", "-t", "kind", *options), words)
    assert files() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("a.sums", "a.sums"), "would count twice"),
        (("a.sums", "again.sums"), "a.sums and again.sums hold sums of the same samples"),
        (("a.sums", "-t", "kind"), "--target is for tables"),
        (("a.sums", "--transform", "log2"), "--transform log2 is for tables"),
        (("a.sums", "--engine", "dask"), "--engine dask is for tables"),
        (("a.sums", "--terms", "both"), "--terms linear and --regression ridge"),
        (("a.sums", "--method", "ndc"), "NDC needs the samples"),
        (("a.sums", "--lam", 0.5), "NDC-S needs the samples"),
        (("a.sums", "c.sums"), "No such file"),
        (("a.sums", "a.csv"), "a.csv is not a file of sums"),
        (("a.sums", "-o", "a.sums", "--force"), "would be lost"),
    ],
    ids=str,
)
def test_what_sums_cannot_do_is_refused(ndc, sums, files, arguments, words):
    if "again.sums" in arguments:
        again = ("sums", "a.csv", "-t", "kind", "--transform", "log2", "--seed", 1, "--folds", 2)
        assert ndc(*again, "-o", "again.sums").exit_code == 0
    before = files()
    refused(ndc("fit", "--from-sums", *arguments), words)
    assert files() == before


def test_sites_must_agree(ndc, sums, pooled_table):
    pooled_table[50:].drop(columns=["g3"]).to_csv(sums / "c.csv")
    assert ndc("sums", "c.csv", "-t", "kind", "--transform", "log2", "-o", "c.sums").exit_code == 0
    refused(ndc("fit", "--from-sums", "a.sums", "c.sums"), "c.sums lacks 1 feature of a.sums: g3", "any order")
    assert ndc("sums", "b.csv", "-t", "kind", "--transform", "none", "-o", "d.sums").exit_code == 0
    refused(ndc("fit", "--from-sums", "a.sums", "d.sums"), "'log2'", "those of d.sums 'none'")
    TableSums.of(pooled_table.iloc[:, :-1].to_numpy(), pooled_table["kind"]).save(sums / "e.sums")
    refused(ndc("fit", "--from-sums", "e.sums"), "no names of features")
    TableSums.of(pooled_table.iloc[:, :-1], pooled_table["kind"], transform="../x").save(sums / "f.sums")
    refused(ndc("fit", "--from-sums", "f.sums"), "cannot be repeated for new samples")


def test_labels_of_sites_are_compared(ndc, sums, pooled_table):
    def site(name, **names):
        pooled_table[50:].replace({"kind": names}).to_csv(sums / f"{name}.csv")
        made = ndc("sums", f"{name}.csv", "-t", "kind", "--transform", "log2", "-o", f"{name}.sums")
        assert made.exit_code == 0, made.output

    site("c", **{"class 1": "Class 1"})
    refused(ndc("fit", "--from-sums", "a.sums", "c.sums"), "'class 1' (a.sums) and 'Class 1' (c.sums)", "one spelling")
    site("d", **{"class 1": "AML"})
    result = ndc("fit", "--from-sums", "a.sums", "d.sums", "-o", "d.ndc", *PANEL)
    assert result.exit_code == 0, result.output
    assert "note: 2 of 4 classes are of one site only: class 1 (a.sums), AML (d.sums)" in result.stderr
    told = json.loads(ndc("fit", "--from-sums", "a.sums", "d.sums", "-o", "e.ndc", "--json", *PANEL).stdout)
    assert [warning["kind"] for warning in told["warnings"]] == ["sites"]


def test_missing_values_have_a_cure_that_is_not_refused(ndc, sites, pooled_table):
    holed = pooled_table.copy()
    holed.iloc[3, 4] = np.nan
    holed.to_csv(sites / "holed.csv")
    result = ndc("sums", "holed.csv", "-t", "kind", "-o", "holed.sums")
    refused(result, "1 cell of 1560 is missing", "Fill them in, or leave columns out: --drop g4")
    assert "impute" not in result.stderr


def test_files_of_sums_are_known_where_they_are_not_wanted(ndc, sums):
    refused(ndc("fit", "a.sums", "-t", "kind"), "it is a file of sums", "ndc fit --from-sums")
    refused(ndc("predict", "a.sums", "a.csv"), "a.sums is a file of sums", "not a model file", "ndc fit --from-sums")
    assert ndc("fit", "--from-sums", "a.sums", "b.sums", "-o", "pooled.ndc", *PANEL).exit_code == 0
    refused(ndc("predict", "pooled.ndc", "a.sums"), "it is a file of sums", "needs a table")
    refused(ndc("predict", "pooled.ndc", "a.csv", "--confidence", 0.9), "no sets of classes", "Leave --confidence out")


def test_progress_is_shown(ndc, sites):
    result = ndc("sums", "a.csv", "-t", "kind", "-o", "a.sums")
    assert "sums of folds and classes [" in result.stderr
    assert "file of sums [" in result.stderr
    assert "[#" not in ndc("sums", "a.csv", "-t", "kind", "-o", "a.sums", "--force", "--json").stderr


def test_damaged_files_end_with_a_sentence(ndc, sums):
    good = (sums / "a.sums").read_bytes()
    rng = np.random.default_rng(0)
    for at in range(12):
        content = bytearray(good)
        for place in rng.integers(0, len(good), 20):
            content[place] ^= int(rng.integers(1, 256))
        (sums / "bad.sums").write_bytes(bytes(content) if at else good[: len(good) // 2])
        refused(ndc("fit", "--from-sums", "bad.sums", "--force"), "bad.sums")


def test_several_tables_are_refused(ndc, sites):
    refused(ndc("fit", "a.csv", "b.csv", "-t", "kind"), "one table is fitted at a time", "--from-sums")


def test_columns_in_different_units_are_no_reason_for_a_remark(ndc, here):
    from sklearn.datasets import load_wine

    load_wine(as_frame=True).frame.rename(columns={"target": "kind"}).to_csv(here / "wine.csv", index=False)
    result = ndc("sums", "wine.csv", "-t", "kind", "-o", "wine.sums")
    assert result.exit_code == 0, result.output
    assert "standardize" not in result.output  # which would be refused
