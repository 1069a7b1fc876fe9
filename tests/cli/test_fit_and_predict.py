"""From a table to a model to labels, as a user types it."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from disjoint_centroids.models.class_sets import set_from_text
from disjoint_centroids.models.model_file import load_model
from disjoint_centroids.models.prediction import needed_features


def test_fit_shows_owners_and_writes_a_model(ndc, here, files):
    result = ndc("fit", "blocks.csv", "--target", "kind", "-o", "my.ndc")
    assert result.exit_code == 0, result.output
    assert "class 0" in result.stdout
    assert "my.ndc" in result.stdout
    assert "cross-validation [####" in result.stderr  # progress
    assert files() == ["blocks.csv", "my.ndc"]
    saved = load_model(here / "my.ndc")
    assert list(saved.classes) == ["class 0", "class 1", "class 2"]
    assert list(saved.feature_names) == [f"g{c}" for c in range(13)]
    assert (saved.settings["seed"], saved.settings["method"]) == (0, "panel")


@pytest.mark.parametrize("method", [(), ("--method", "ndc-s", "--restarts", 5)])
def test_the_same_seed_is_the_same_model(ndc, here, method):
    answers = [
        json.loads(ndc("fit", "blocks.csv", "-t", "kind", *method, "-o", f"{at}.ndc", "--json").stdout) for at in (1, 2)
    ]
    assert answers[0]["features"] == answers[1]["features"]
    assert sum(map(len, answers[0]["features"].values())) + answers[0]["n_unused"] == 13


def test_an_existing_model_is_kept(ndc, here):
    (here / "model.ndc").write_text("precious")
    result = ndc("fit", "blocks.csv", "-t", "kind")
    assert result.exit_code == 2
    assert "--force" in result.stderr
    assert (here / "model.ndc").read_text() == "precious"
    assert ndc("fit", "blocks.csv", "-t", "kind", "--rounds", 2, "--force").exit_code == 0
    load_model(here / "model.ndc")


def test_a_table_with_problems_is_refused_whole(ndc, here, files, table):
    table.assign(site="Oslo", g3=np.nan, kind=["one", *["two"] * 35]).to_csv(here / "bad.csv")
    result = ndc("fit", "bad.csv", "-t", "kind")
    assert result.exit_code == 2
    for word in ("site", "--drop", "--impute", "'one'"):
        assert word in result.stderr
    assert files() == ["bad.csv", "blocks.csv"]


def test_raw_intensities_are_remarked_on_unless_a_transform_is_given(ndc, here, table):
    numbers = table.drop(columns="kind")
    (2.0 ** (numbers + 8)).assign(kind=table["kind"]).to_csv(here / "raw.csv")
    asked = ("fit", "raw.csv", "-t", "kind", "--rounds", 2, "--force")
    assert "--transform log2" in ndc(*asked).stderr
    assert "--transform log2" not in ndc(*asked, "--transform", "log2").stderr
    assert "--transform log2" not in ndc("fit", "blocks.csv", *asked[2:]).stderr


def test_predictions_are_the_models(ndc, here, model_file, table):
    result = ndc("predict", model_file, "blocks.csv")
    assert result.exit_code == 0, result.output
    answer = pd.read_csv(io.StringIO(result.stdout), index_col="sample")
    values = table.drop(columns="kind")
    pipeline = load_model(model_file).pipeline
    assert answer.index.tolist() == table.index.tolist()
    assert answer["label"].tolist() == pipeline.predict(values).tolist()
    np.testing.assert_allclose(answer.filter(like="probability_"), pipeline.predict_proba(values), rtol=5e-6)
    if hasattr(pipeline[-1], "distances"):
        np.testing.assert_allclose(answer.filter(like="distance_"), pipeline[-1].distances(values), rtol=5e-6)
    else:
        np.testing.assert_allclose(answer.filter(like="score_"), pipeline.decision_function(values), rtol=5e-6)


def test_sets_of_classes(ndc, here, panel_file, table):
    asked = ("predict", panel_file, "blocks.csv", "--target", "kind")
    result = ndc(*asked, "--confidence", 0.8)
    assert result.exit_code == 0, result.output
    answer = pd.read_csv(io.StringIO(result.stdout), index_col="sample", keep_default_na=False)
    model = load_model(panel_file).pipeline
    inside = model[-1].predict_set(table.drop(columns="kind"), 0.8)
    assert answer["set"].tolist() == [";".join(model.classes_[held]) for held in inside]
    sizes = inside.sum(axis=1)
    assert f"{(sizes == 1).sum()} of 36 samples have one class, {(sizes > 1).sum()} several, " in result.stderr
    held = inside[np.arange(36), np.searchsorted(model.classes_, table["kind"])].sum()
    assert f"holds the given label for {held} of 36" in result.stderr
    rows = json.loads(ndc(*asked, "--confidence", 0.8, "--json").stdout)
    assert [row["set"] for row in rows] == [list(model.classes_[held]) for held in inside]
    assert "set" not in json.loads(ndc(*asked, "--json").stdout)[0]


AWKWARD = ["a;b", "a", 'b"']


def test_sets_of_classes_with_awkward_names_are_told_apart_in_every_format(ndc, here, table):
    """Joined with semicolons alone, the set of 'a;b' is the text of the set of 'a' and 'b'."""
    named = table.assign(kind=table["kind"].map(dict(zip(sorted(set(table["kind"])), AWKWARD, strict=True))))
    noisy = named.assign(
        **{name: named[name] + 3 * np.sin(np.arange(36) * (7 + at)) for at, name in enumerate(named) if name != "kind"}
    )
    noisy.to_csv(here / "noisy.csv")
    assert ndc("fit", "noisy.csv", "-t", "kind", "--rounds", 1, "-o", "noisy.ndc").exit_code == 0
    model = load_model(here / "noisy.ndc").pipeline
    inside = model[-1].predict_set(noisy.drop(columns="kind"), 0.8)
    expected = [list(model.classes_[held]) for held in inside]
    assert {len(held) for held in expected} >= {1, 2}
    assert ["a;b"] in expected
    asked = ("predict", "noisy.ndc", "noisy.csv", "-t", "kind", "--confidence", 0.8)
    result = ndc(*asked)
    shown = pd.read_csv(io.StringIO(result.stdout), keep_default_na=False)["set"]
    assert [list(set_from_text(text)) for text in shown] == expected
    sizes = inside.sum(axis=1)
    assert f"{(sizes == 1).sum()} of 36 samples have one class, {(sizes > 1).sum()} several, " in result.stderr
    held = sum(label in one for label, one in zip(noisy["kind"], expected, strict=True))
    assert f"holds the given label for {held} of 36" in result.stderr
    assert [row["set"] for row in json.loads(ndc(*asked, "--json").stdout)] == expected
    assert ndc(*asked, "-o", "p.csv").exit_code == ndc(*asked, "-o", "p.parquet").exit_code == 0
    assert pd.read_csv(here / "p.csv", keep_default_na=False)["set"].tolist() == shown.tolist()
    assert [list(one) for one in pd.read_parquet(here / "p.parquet")["set"]] == expected


def test_sets_that_cannot_be_given(ndc, here, panel_file, paper_file):
    result = ndc("predict", paper_file, "blocks.csv", "--confidence", 0.9)
    assert result.exit_code == 2
    assert "gives no sets of classes" in result.stderr
    assert "--method panel" in result.stderr
    result = ndc("predict", panel_file, "blocks.csv", "--confidence", 90)
    assert result.exit_code == 2
    assert "between 0 and 1" in result.stderr


def test_where_the_confidence_holds(ndc, here, panel_file, table):
    by_class, average = (
        ndc("predict", panel_file, "blocks.csv", "--confidence", 0.95, "--coverage", kind, "--json")
        for kind in ("class", "average")
    )
    assert "3 of 3 classes have fewer than the 19 training samples" in by_class.stderr
    assert by_class.stderr.count("in every set: ") == 1
    assert all(len(row["set"]) == 3 for row in json.loads(by_class.stdout))
    assert any(len(row["set"]) < 3 for row in json.loads(average.stdout))
    result = ndc("predict", panel_file, "blocks.csv", "--coverage", "average")
    assert result.exit_code == 2
    assert "give --confidence too" in result.stderr


def test_samples_unlike_the_training_samples_are_warned_of(ndc, here, panel_file, table):
    plain = ndc("predict", panel_file, "blocks.csv")
    assert "unlike" not in plain.stderr
    assert pd.read_csv(io.StringIO(plain.stdout))["typicality"].between(0, 1).all()
    numbers = table.columns.drop("kind")
    table.assign(**{name: 1000 * table[name] for name in numbers}).to_csv(here / "other-units.csv")
    other = ndc("predict", panel_file, "other-units.csv")
    assert other.exit_code == 0
    assert "36 of 36 samples are unlike all training samples" in " ".join(other.stderr.split())
    assert "units" in other.stderr


def test_columns_are_matched_by_name_and_others_ignored(ndc, here, model_file, table, files):
    shuffled = table.assign(site="Oslo", extra=1.0)[["extra", "site", *reversed(table.columns)]]
    shuffled.to_csv(here / "new.csv")
    plain = ndc("predict", model_file, "blocks.csv").stdout
    result = ndc("predict", model_file, "new.csv", "-o", "out.csv", "--target", "kind")
    assert result.exit_code == 0, result.output
    assert (here / "out.csv").read_text() == plain
    assert "labels differ" in result.stderr
    assert files() == ["blocks.csv", "new.csv", "out.csv"]
    assert ndc("predict", model_file, "new.csv", "-o", "out.csv").exit_code == 2


def test_missing_features_are_named_or_tolerated(ndc, here, model_file, table):
    used = load_model(model_file).pipeline[-1]
    lost = used.feature_names_in_[used.feature_sets_[0]]
    table.drop(columns=lost[:1]).to_csv(here / "less.csv")
    result = ndc("predict", model_file, "less.csv")
    assert result.exit_code == 2
    assert lost[0] in result.stderr
    assert "--missing tolerate" in result.stderr
    rows = json.loads(ndc("predict", model_file, "less.csv", "--missing", "tolerate", "--json").stdout)
    assert rows[0]["present_class 0"] == pytest.approx(1 - 1 / len(lost))
    table.drop(columns=lost).to_csv(here / "none.csv")
    result = ndc("predict", model_file, "none.csv", "--missing", "tolerate")
    assert result.exit_code == 0
    assert "get no label" in result.stderr


def test_samples_of_the_training_table_are_recognised(ndc, here, model_file, table):
    def remarks(frame, *options):
        frame.to_csv(here / "given.csv")
        result = ndc("predict", model_file, "given.csv", "-t", "kind", *options)
        assert result.exit_code == 0, result.output
        return result.stderr

    shuffled = table.sample(frac=1, random_state=1)[table.columns[::-1]]
    assert "all 36 samples were in the training table: expect more errors on new samples" in remarks(shuffled)
    assert "all 5 samples were in the training table" in remarks(shuffled.head())
    used = load_model(model_file).pipeline[-1].get_feature_names_out()
    if len(used) < 13:
        by = f"(compared in the {len(used)} features that the model uses)"
        assert f"all 5 samples were in the training table {by}" in remarks(shuffled[[*used, "kind"]].head())
    others = table.head(4).assign(**{name: table[name] + 0.01 for name in table.columns[:-1]}, kind="class 2")
    mixed = remarks(pd.concat([shuffled, others.rename(index="new {}".format)]))
    assert "36 of 40 samples were in the training table; of the 4 others 4 differ (error 1.000)." in mixed
    assert "none of the 4 samples was in the training table." in remarks(others)
    assert "training table" not in ndc("predict", model_file, "given.csv").stderr


def test_a_report_says_which_samples_the_model_was_trained_on(ndc, here, panel_file, table):
    others = table.head(6).assign(**{name: table[name] + 0.01 for name in table.columns[:-1]})
    pd.concat([table[table.columns[::-1]].sample(frac=1, random_state=1), others.rename(index="new {}".format)]).to_csv(
        here / "more.csv"
    )
    result = ndc("report", panel_file, "more.csv", "-t", "kind", "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)["summary"]["answer"]
    assert answer["kind"] == "mixed"
    assert "36 of 42 samples were in the training table" in answer["sentence"]
    assert "36 of 42 samples were in the training table" in (here / "more-report.html").read_text(encoding="utf-8")


def test_a_table_with_only_the_features_in_use_is_enough(ndc, here, fitted, table):
    model = fitted("--rounds", 2)
    used = load_model(model).pipeline[-1].get_feature_names_out()
    assert len(used) == 6
    table[[*used[::-1], "kind"]].to_csv(here / "six.csv")
    plain, six = ndc("predict", model, "blocks.csv"), ndc("predict", model, "six.csv")
    assert six.exit_code == 0, six.output
    read = [pd.read_csv(io.StringIO(found.stdout), index_col="sample") for found in (plain, six)]
    pd.testing.assert_frame_equal(*(answer.drop(columns="typicality") for answer in read))
    assert read[1]["typicality"].isna().all()
    assert "like the training samples cannot be said of 36 of 36 samples: they lack features" in six.stderr
    # The models of the folds may use others.
    sets = ndc("predict", model, "six.csv", "--confidence", 0.9)
    assert sets.exit_code == 2
    assert "sets of classes need every feature that cross-validation used" in sets.stderr
    needed = needed_features(load_model(model), sets=True)
    table[needed].to_csv(here / "more.csv")
    assert ndc("predict", model, "more.csv", "--confidence", 0.9).exit_code == 0
    shown = [ndc("explain", model, name, "--sample", "s3") for name in ("blocks.csv", "six.csv")]
    assert shown[1].exit_code == 0, shown[1].output
    assert shown[0].stdout == shown[1].stdout
    assert ndc("explain", model, "six.csv", "--sample", "s3", "-o", "s3.svg").exit_code == 0
    result = ndc("report", model, "six.csv", "-t", "kind", "-o", "six.html")
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"not a model", b"\x80\x04K\x01."])
@pytest.mark.parametrize("command", ["predict", "features", "explain", "report"])
def test_a_file_that_is_no_model(ndc, here, files, command, content):
    (here / "bad.ndc").write_bytes(content)
    rest = {"features": []}.get(command, ["blocks.csv"])
    extra = ["--sample", "s1"] if command == "explain" else []
    result = ndc(command, "bad.ndc", *rest, *extra)
    assert result.exit_code == 2
    assert "bad.ndc" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert files() == ["bad.ndc", "blocks.csv"]
