"""`--batch`: a column that is neither label nor feature."""

import json

import numpy as np
import pandas as pd
import pytest

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.models.model_file import load_model

QUICK = ("--rounds", 1, "--terms", "linear")


@pytest.fixture
def donors(here, table):
    """The table with a column of donors, which move all features."""
    donor = np.arange(len(table)) % 3
    moved = table.copy()
    moved[[f"g{c}" for c in range(13)]] += np.random.default_rng(0).normal(0, 5, (3, 13))[donor]
    moved = moved.assign(donor=np.array(["d1", "d2", "d3"])[donor])
    moved.to_csv(here / "donors.csv")
    return moved


def test_fit_within_batches(ndc, here, donors):
    result = ndc("fit", "donors.csv", "-t", "kind", "--batch", "donor", "--json", *QUICK)
    assert result.exit_code == 0, result.output
    answer, saved = json.loads(result.stdout), load_model(here / "model.ndc")
    values = donors.drop(columns=["kind", "donor"])
    same = DisjointPanelClassifier(rounds=1, terms="linear", random_state=0)
    same.fit(values, donors["kind"], batch=donors["donor"])
    np.testing.assert_allclose(saved.pipeline[-1].coef_, same.coef_)
    assert answer["batches"] == saved.pipeline[-1].batches_.tolist() == ["d1", "d2", "d3"]
    assert saved.settings["batch"] == "donor"
    assert "donor" not in saved.feature_names
    shown = ndc("fit", "donors.csv", "-t", "kind", "--batch", "donor", "--force", *QUICK)
    assert answer["new_batch_share"] == 1.0
    assert f"held-out error {answer['cv_error']:.3f} on samples of batches not seen" in " ".join(shown.stdout.split())
    assert ndc("predict", "model.ndc", "donors.csv").exit_code == 0


def test_a_report_is_about_batches_not_seen(ndc, here, donors):
    asked = ("report", "donors.csv", "-t", "kind", "--batch", "donor", *QUICK)
    result = ndc(*asked, "--methods", "NC", "--repeats", 1, "--json")
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)["summary"]
    assert "of samples of batches not seen" in summary["answer"]["sentence"]
    assert [row["method"] for row in summary["answer"]["methods"]] == ["Panel", "NC"]


def test_errors_are_not_called_those_on_batches_not_seen_where_no_batch_can_be_held_out(ndc, here, table):
    twins = pd.concat([table, table.assign(kind=table["kind"] + "b").set_axis([f"t{i}" for i in range(len(table))])])
    plate = np.where(twins["kind"].isin(["class 0", "class 1", "class 2"]), "p1", "p2")
    twins.assign(plate=plate).rename_axis("sample").to_csv(here / "plates.csv")
    shown = ndc("fit", "plates.csv", "-t", "kind", "--batch", "plate", *QUICK)
    assert shown.exit_code == 0, shown.output
    assert "on samples of batches seen in training" in " ".join(shown.stdout.split())
    assert load_model(here / "model.ndc").pipeline[-1].new_batch_share_ == 0.0
    asked = ("report", "plates.csv", "-t", "kind", "--batch", "plate", *QUICK, "--methods", "NC", "--repeats", 1)
    sentence = json.loads(ndc(*asked, "--json").stdout)["summary"]["answer"]["sentence"]
    assert "of samples of batches seen in training" in sentence
    assert "not seen" not in sentence


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--batch", "kind"), "--batch kind is the column of the labels. Name another column, or leave it out."),
        (("--batch", "doner"), "there is nothing called 'doner', which --batch names. Did you mean 'donor'?"),
        (("--batch", "same"), "batch and class are the same: nothing can be compared within a batch. Name another"),
        (("--batch", "holes"), "1 of 36 samples have no batch in the column 'holes'. Fill it in, or leave --batch"),
        (("--batch", "donor", "--method", "ndc"), "--batch is for panels, and this is NDC: leave one of them out."),
        (("--batch", "donor", "--engine", "dask"), "--batch donor needs the table in memory"),
    ],
)
def test_what_is_refused(ndc, here, donors, arguments, message):
    holes = donors["donor"].where(np.arange(len(donors)) != 4, "")
    donors.assign(same=donors["kind"] + "!", holes=holes).to_csv(here / "donors.csv")
    others = [name for name in ("donor", "same", "holes") if name != arguments[1]]
    drops = [word for name in others for word in ("--drop", name)]
    result = ndc("fit", "donors.csv", "-t", "kind", *drops, *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
