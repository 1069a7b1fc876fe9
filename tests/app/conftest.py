"""One server for all tests of the app, and the tables that are brought to it."""

import numpy as np
import pytest

from reported import HOSTILE_FEATURES, IMAGE, SCRIPT, block_table
from running_app import Client, RunningApp

NAMES = {"A": "AML", "B": "ALL", "C": "CLL"}


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    running = RunningApp(tmp_path_factory.mktemp("app") / "runs", "--max-upload", "1")
    yield running
    running.stop()


@pytest.fixture(scope="session")
def client(server):
    return Client(server)


def labelled_frame(seed=0):
    """24 patients, 9 features, 3 diagnoses."""
    found = block_table(n=8, d=2, irrelevant=3, seed=seed)
    return found.values.assign(diagnosis=found.labels.map(NAMES)).rename_axis("patient").reset_index()


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """Files to bring, by what is special about them."""
    folder = tmp_path_factory.mktemp("tables")
    files = {name: folder / f"{name}.csv" for name in ("good", "transposed", "missing", "new")}
    files["hostile"] = folder / "hostile <b>&[x].csv"
    frame = labelled_frame()
    frame.to_csv(files["good"], index=False)
    labelled_frame(seed=1).drop(columns="diagnosis").to_csv(files["new"], index=False)
    frame.set_index("patient").T.rename_axis("gene").to_csv(files["transposed"])
    files["donors"] = folder / "donors.csv"
    donors = [f"donor {at % 4}" for at in range(23)] + ["donor 9"]  # of whom there is one sample, and so one class
    frame.assign(donor=donors).to_csv(files["donors"], index=False)
    files["list"] = folder / "my list.csv"
    files["list"].write_text("feature,class\nf0,AML\nf2,ALL\nf4,CLL\n")
    holes = frame.copy()
    holes.loc[[1, 9], "f1"] = np.nan
    holes.to_csv(files["missing"], index=False)
    hostile = frame.rename(columns=dict(zip(["f0", "f1", "f2", "f3", "f4", "f5"], HOSTILE_FEATURES, strict=True)))
    hostile["diagnosis"] = hostile["diagnosis"].replace("AML", SCRIPT)
    hostile.loc[:3, "patient"] = [SCRIPT, IMAGE, "[bold]x[/]", "=cmd|' /C calc'!A0"]
    hostile.to_csv(files["hostile"], index=False)
    return files
