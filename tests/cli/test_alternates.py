"""`ndc alternates`: the table of the estimator, on the screen and in files."""

import json

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
    assert f"{first['alternate']} ({first['error_change']:+.3f})" in shown.stdout
    assert f"as it is, with scores fitted by ridge regression: {answer['error']:.3f}" in shown.stdout
    written = ndc("alternates", model, "blocks.csv", "-t", "kind", "-n", 2, "-o", "a.csv")
    assert "a.csv: 2 replacements for each of 6 features" in written.stdout
    assert pd.read_csv(here / "a.csv")["alternate"].dropna().tolist() == same["alternate"].dropna().tolist()


def test_alternates_are_for_panels(ndc, here, paper_file):
    result = ndc("alternates", paper_file, "blocks.csv", "-t", "kind")
    assert result.exit_code == 2
    assert "alternates are for panels" in result.stderr
