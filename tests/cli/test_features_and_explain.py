import json

import pandas as pd
import pytest

from disjoint_centroids.model_file import load_model


def test_features_as_csv_and_excel(ndc, here, model_file):
    fitted = load_model(model_file).pipeline[-1]
    for name, read in (("f.csv", pd.read_csv), ("f.xlsx", pd.read_excel)):
        result = ndc("features", model_file, "-o", name)
        assert result.exit_code == 0, result.output
        table = read(here / name)
        assert sorted(table["feature"]) == sorted(fitted.feature_names_in_)
        expected = fitted.feature_table().set_index("feature")["owner"]
        written = table.set_index("feature")["owner"]
        assert all(written[f] == expected[f] or (pd.isna(written[f]) and expected[f] is None) for f in expected.index)


def test_features_as_gene_sets(ndc, here, model_file):
    assert ndc("features", model_file, "-o", "f.gmt").exit_code == 0
    fitted = load_model(model_file).pipeline[-1]
    lines = [line.split("\t") for line in (here / "f.gmt").read_text().splitlines()]
    assert [line[0] for line in lines] == list(fitted.classes_)
    for line, own in zip(lines, fitted.feature_sets_, strict=True):
        assert sorted(line[2:]) == sorted(fitted.feature_names_in_[own])


def test_features_on_the_screen_and_for_machines(ndc, model_file):
    assert "class 2" in ndc("features", model_file).stdout
    answer = json.loads(ndc("features", model_file, "--json").stdout)
    assert set(answer["features"]) == {"class 0", "class 1", "class 2"}


def test_an_ending_nobody_writes(ndc, here, model_file, files):
    result = ndc("features", model_file, "-o", "f.docx")
    assert result.exit_code == 2
    assert ".gmt" in result.stderr
    assert files() == ["blocks.csv"]


def test_an_explanation_adds_up(ndc, here, model_file, table, files):
    result = ndc("explain", model_file, "blocks.csv", "--sample", "s13", "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    model = load_model(model_file).pipeline
    row = table.drop(columns="kind").loc[["s13"]]
    assert answer["label"] == model.predict(row)[0]
    totals = pd.DataFrame(answer["contributions"]).groupby("class")["contribution"].sum()
    assert totals.to_numpy() ** 0.5 == pytest.approx(model[-1].distances(row)[0])
    shown = ndc("explain", model_file, "blocks.csv", "--sample", "s13", "-o", "s13.png")
    assert "s13 is nearest to" in shown.stdout
    assert files() == ["blocks.csv", "s13.png"]


def test_a_sample_that_is_not_there(ndc, here, model_file):
    result = ndc("explain", model_file, "blocks.csv", "--sample", "s99")
    assert result.exit_code == 2
    assert "no sample 's99'" in result.stderr
