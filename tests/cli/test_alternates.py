"""`ndc alternates`: the table of the estimator, on the screen and in files."""

import json

import numpy as np
import pandas as pd

from disjoint_centroids.models.model_file import load_model


def test_alternates_of_a_model(ndc, here, table, fitted):
    model = fitted("--rounds", 2, "--terms", "linear", "--transform", "standardize")
    result = ndc("alternates", model, "blocks.csv", "-t", "kind", "-n", 2, "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    pipeline = load_model(model).pipeline
    values = pipeline[:-1].transform(table.drop(columns="kind"))
    same = pipeline[-1].alternates(values, table["kind"].to_numpy(), n_alternates=2)
    found = pd.DataFrame(answer["alternates"])
    figures = ["rank", "error", "error_change", "loss", "loss_change"]
    pd.testing.assert_frame_equal(found[figures], same[figures], check_dtype=False)
    assert [row["alternate"] for row in answer["alternates"]] == same["alternate"].tolist()
    assert found.groupby("feature").size().unique().tolist() == [3]
    shown = ndc("alternates", model, "blocks.csv", "-t", "kind")
    first = found.iloc[1]
    change = f"{first['error_change']:+.3f}; {first['loss_change']:+.4f}"
    assert f"{first['alternate']} ({change})" in shown.stdout
    assert "replacements [" in shown.stderr
    assert "replacements [" not in result.stderr
    assert f"as it is, with scores fitted by ridge regression: {answer['error']:.3f}" in shown.stdout
    written = ndc("alternates", model, "blocks.csv", "-t", "kind", "-n", 2, "-o", "a.csv")
    assert "a.csv: replacements for 6 features, up to 2 for each" in written.stdout
    assert pd.read_csv(here / "a.csv")["alternate"].dropna().tolist() == same["alternate"].dropna().tolist()


def test_a_table_without_other_features_has_no_replacements(ndc, here, table, panel_file):
    used = load_model(panel_file).pipeline[-1].get_support()
    values = table.drop(columns="kind")
    values.loc[:, used].assign(kind=table["kind"]).to_csv(here / "only.csv")
    result = ndc("alternates", panel_file, "only.csv", "-t", "kind")
    assert result.exit_code == 0, result.output
    n_idle = int((~used).sum())
    told = f"the table lacks {n_idle} of the {n_idle} features that the panel does not use, so that there is no"
    assert told in " ".join(result.stderr.split())
    assert result.stdout.count("none is left") == used.sum()
    whole = ndc("alternates", panel_file, "blocks.csv", "-t", "kind")
    assert "lacks" not in whole.stderr


def test_labels_of_another_column_are_told_from_those_of_the_model(ndc, here, table, panel_file):
    table.assign(donor=np.array(["d1", "d2"])[np.arange(len(table)) % 2]).to_csv(here / "both.csv")
    result = ndc("alternates", panel_file, "both.csv", "-t", "donor")
    assert result.exit_code == 2
    told = " ".join(result.stderr.split())
    assert "the column 'donor' has labels that are no classes of the model: d1, d2." in told
    assert told.endswith("another column of the table: --target kind.")


def test_batches_are_those_of_the_model(ndc, here, table):
    donors = table.assign(donor=np.array(["d1", "d2", "d3"])[np.arange(len(table)) % 3])
    donors.to_csv(here / "donors.csv")
    fitted = ndc("fit", "donors.csv", "-t", "kind", "--batch", "donor", "--rounds", 1, "--terms", "linear")
    assert fitted.exit_code == 0, fitted.output
    named = ndc("alternates", "model.ndc", "donors.csv", "-t", "kind", "--batch", "donor", "--json")
    assert "note" not in named.stderr
    found = ndc("alternates", "model.ndc", "donors.csv", "-t", "kind", "--json")
    assert json.loads(found.stdout) == json.loads(named.stdout)
    assert "batches are those of the column 'donor', as in the fit of the model" in found.stderr
    other = ndc("alternates", "model.ndc", "donors.csv", "-t", "donor")
    assert "the column 'donor' has labels that are no classes of the model" in " ".join(other.stderr.split())
    without = ndc("alternates", "model.ndc", "blocks.csv", "-t", "kind")
    assert "within batches, of the column 'donor', which the table does not have" in without.stderr


def test_alternates_are_for_panels(ndc, here, paper_file):
    result = ndc("alternates", paper_file, "blocks.csv", "-t", "kind")
    assert result.exit_code == 2
    assert "alternates are for panels" in result.stderr
