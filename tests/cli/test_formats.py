"""Tables that commands write: the format is the one that the name says, and names are what they are in each."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

from disjoint_centroids.models.model_file import load_model

READERS = {
    ".csv": lambda path: pd.read_csv(path, keep_default_na=False),
    ".tsv": lambda path: pd.read_csv(path, sep="\t", keep_default_na=False),
    ".xlsx": lambda path: pd.read_excel(path, keep_default_na=False),
    ".json": lambda path: pd.DataFrame(json.loads(path.read_text())),
    ".parquet": pd.read_parquet,
}
FORMULAS = ["=1+1", "+2", "-3", "@sum", '=HYPERLINK("http://x","y")', "#N/A", "12", "TRUE"]


@pytest.fixture(scope="module")
def spreadsheet(ndc, table, tmp_path_factory):
    """A model of features, classes and samples whose names a spreadsheet would take for formulas; and its table."""
    folder = tmp_path_factory.mktemp("formulas")
    names = {old: new for old, new in zip(table.columns, FORMULAS, strict=False) if old != "kind"}
    renamed = table.rename(columns=names).assign(kind=table["kind"].str.replace("class ", "=class "))
    renamed.index = [f"{sign}{at}" for at, sign in enumerate(("=", "+", "-", "@") * 9)]
    renamed.rename_axis("sample").to_csv(folder / "f.csv")
    asked = ("fit", folder / "f.csv", "-t", "kind", "--id", "sample", "--rounds", 3)
    result = ndc(*asked, "-o", folder / "f.ndc")
    assert result.exit_code == 0, result.output
    return folder


@pytest.mark.parametrize("ending", READERS)
def test_predictions_in_every_format(ndc, here, panel_file, table, ending):
    path = here / f"p{ending}"
    result = ndc("predict", panel_file, "blocks.csv", "--confidence", 0.9, "-o", path)
    assert result.exit_code == 0, result.output
    found = READERS[ending](path)
    model, values = load_model(panel_file).pipeline, table.drop(columns="kind")
    assert found["sample"].tolist() == table.index.tolist()
    assert found["label"].tolist() == model.predict(values).tolist()
    exact = ending not in {".csv", ".tsv"}
    np.testing.assert_allclose(
        found.filter(like="probability_"), model.predict_proba(values), rtol=1e-12 if exact else 5e-6
    )
    np.testing.assert_allclose(
        found.filter(like="score_"), model.decision_function(values), rtol=1e-12 if exact else 5e-6
    )
    inside = [list(model.classes_[held]) for held in model[-1].predict_set(values, 0.9)]
    whole = ending in {".json", ".parquet"}
    assert [list(held) if whole else held for held in found["set"]] == [
        held if whole else ";".join(held) for held in inside
    ]


def test_text_has_six_digits(ndc, here, panel_file):
    shown = ndc("predict", panel_file, "blocks.csv").stdout
    assert ndc("predict", panel_file, "blocks.csv", "-o", "p.csv").exit_code == 0
    assert (here / "p.csv").read_text() == shown
    numbers = pd.read_csv(io.StringIO(shown), dtype=str).filter(regex="probability_|score_").to_numpy().ravel()
    digits = [text.lower().split("e")[0].lstrip("-0.").replace(".", "") for text in numbers]
    assert max(map(len, digits)) == 6


@pytest.mark.parametrize("name", ["p.docx", "p.csv.gz", "p.txt", "p"])
def test_other_formats_are_refused_before_the_work(ndc, here, files, name):
    result = ndc("predict", "nowhere.ndc", "nowhere.csv", "-o", name)
    assert result.exit_code == 2
    assert "--output takes .csv, .tsv, .xlsx, .json, .parquet." in result.stderr
    assert files() == ["blocks.csv"]


def test_no_cell_of_a_spreadsheet_is_a_formula(ndc, spreadsheet, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    for name, asked in {
        "p.xlsx": ("predict", spreadsheet / "f.ndc", spreadsheet / "f.csv", "--id", "sample", "--confidence", 0.9),
        "x.xlsx": ("features", spreadsheet / "f.ndc"),
    }.items():
        result = ndc(*asked, "-o", tmp_path / name)
        assert result.exit_code == 0, result.output
        cells = [cell for row in openpyxl.load_workbook(tmp_path / name).active.iter_rows() for cell in row]
        assert {cell.data_type for cell in cells} <= {"s", "n", "b"}
        begun = [cell for cell in cells if cell.data_type == "s" and cell.value.startswith(("=", "+", "-", "@"))]
        assert begun
        assert all(cell.quotePrefix for cell in begun)
        texts = {cell.value for cell in cells if cell.data_type == "s"}
        assert texts >= ({"=0", "+1", "-2", "@3"} if name == "p.xlsx" else set(FORMULAS))


def test_features_in_every_format(ndc, spreadsheet, tmp_path):
    fitted = load_model(spreadsheet / "f.ndc").pipeline[-1]
    expected = fitted.feature_table().set_index("feature")
    for ending, read in READERS.items():
        path = tmp_path / f"x{ending}"
        assert ndc("features", spreadsheet / "f.ndc", "-o", path).exit_code == 0
        found = read(path)
        found["feature"] = found["feature"].astype(str)
        assert list(found.columns) == ["feature", *expected.columns]
        assert set(found["feature"]) == set(fitted.feature_names_in_)
        margins = pd.to_numeric(found.set_index("feature")["margin"], errors="coerce")[expected.index]
        np.testing.assert_allclose(margins.astype(float), expected["margin"].astype(float), rtol=5e-6)


def test_stability_in_every_format(ndc, here):
    outputs = [word for ending in READERS for word in ("-o", f"s{ending}")]
    result = ndc("stability", "blocks.csv", "-t", "kind", "--rounds", 1, "--resamples", 2, *outputs)
    assert result.exit_code == 0, result.output
    tables = [read(here / f"s{ending}") for ending, read in READERS.items() if ending != ".json"]
    for found in tables:
        assert found["feature"].tolist() == tables[0]["feature"].tolist()
        np.testing.assert_allclose(found["probability"], tables[0]["probability"], rtol=5e-6)
    assert json.loads((here / "s.json").read_text())["n_resamples"] == 2


def test_names_that_excel_cannot_hold(ndc, here, table):
    long = table.rename(columns={"g0": "x" * 40_000, "g1": "a\x1bb\nc"})
    long.to_csv(here / "long.csv")
    fitted = ndc("fit", "long.csv", "-t", "kind", "--rounds", 1, "--terms", "linear", "-o", "long.ndc")
    assert fitted.exit_code == 0, fitted.output
    result = ndc("features", "long.ndc", "-o", "x.xlsx")
    assert result.exit_code == 2
    assert "an Excel cell holds 32767 characters" in result.stderr
    assert "What each class owns" in result.stdout
    assert not list(here.glob(".*"))
    assert not (here / "x.xlsx").exists()
    long.rename(columns={"x" * 40_000: "x" * 30_000}).to_csv(here / "long.csv")
    ndc("fit", "long.csv", "-t", "kind", "--rounds", 1, "--terms", "linear", "-o", "long.ndc", "--force")
    assert ndc("features", "long.ndc", "-o", "x.xlsx").exit_code == 0
    assert {"x" * 30_000, "a\\x1bb\nc"} <= set(pd.read_excel(here / "x.xlsx")["feature"])


@pytest.mark.parametrize("ending", READERS)
def test_carriage_returns_divide_no_row(ndc, here, table, ending):
    """The writer of CSV sees no need of quotes there, before Python 3.13."""
    classes = [f"{label}\r\N{BULLET}" for label in table["kind"]]
    odd = table.rename(columns={"g0": "a\rb", "g1": "a\r\nb", "g2": "a\nb"}).assign(kind=classes)
    odd.index = [f"{name}\rx" for name in odd.index]
    odd.to_csv(here / "odd.csv", quoting=csv.QUOTE_ALL)
    fitted = ndc("fit", "odd.csv", "-t", "kind", "--rounds", 1, "--terms", "linear", "-o", "odd.ndc")
    assert fitted.exit_code == 0, fitted.output
    for asked in (("predict", "odd.ndc", "odd.csv", "-o", f"p{ending}"), ("features", "odd.ndc", "-o", f"f{ending}")):
        assert ndc(*asked).exit_code == 0
    predicted, features = (READERS[ending](here / f"{name}{ending}") for name in "pf")

    def held(name):
        return name.replace("\r", "\\r") if ending == ".xlsx" else name

    assert predicted["sample"].tolist() == [held(name) for name in odd.index]
    assert set(predicted["label"]) <= {held(name) for name in classes}
    assert set(features["feature"]) == {held(name) for name in odd.columns} - {"kind"}


def test_json_holds_no_number_that_is_none(ndc, here, panel_file, table):
    table.drop(columns=[f"g{at}" for at in range(9)]).to_csv(here / "less.csv")
    asked = ("predict", panel_file, "less.csv", "--missing", "tolerate")
    assert ndc(*asked, "-o", "p.json").exit_code == 0
    for text in (ndc(*asked, "--json").stdout, (here / "p.json").read_text()):
        rows = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
        assert {row["probability_class 0"] for row in rows} == {None}
