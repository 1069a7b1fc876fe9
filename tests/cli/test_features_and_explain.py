import json
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from disjoint_centroids import DisjointPanelClassifier, OverlappingCentroidClassifier
from disjoint_centroids.cli.owners import show_owners
from disjoint_centroids.directions import ARROWS, owner_directions
from disjoint_centroids.exports.feature_lists import higher_elsewhere_sentence
from disjoint_centroids.models.model_file import load_model, save_model


def test_features_as_csv_and_excel(ndc, here, model_file):
    fitted = load_model(model_file).pipeline[-1]
    for name, read in (("f.csv", pd.read_csv), ("f.xlsx", pd.read_excel)):
        result = ndc("features", model_file, "-o", name)
        assert result.exit_code == 0, result.output
        table = read(here / name)
        assert sorted(table["feature"]) == sorted(fitted.feature_names_in_)
        expected = fitted.feature_table().set_index("feature")["owner"]
        written = table.set_index("feature")["owner"]
        used = table[table["role"] != "unused"]
        assert used.index.tolist() == list(range(len(used)))  # the owned ones first
        assert all(written[f] == expected[f] or (pd.isna(written[f]) and expected[f] is None) for f in expected.index)


def test_features_as_gene_sets(ndc, here, model_file):
    assert ndc("features", model_file, "-o", "f.gmt").exit_code == 0
    fitted = load_model(model_file).pipeline[-1]
    lines = [line.split("\t") for line in (here / "f.gmt").read_text().splitlines()]
    sets = {line[0]: line[2:] for line in lines}
    assert len(sets) == len(lines)
    whole = [name for name in sets if not name.endswith(("_UP", "_DN"))]
    assert whole == list(fitted.classes_)
    for j, (label, own) in enumerate(zip(fitted.classes_, fitted.feature_sets_, strict=True)):
        assert sorted(sets[label]) == sorted(fitted.feature_names_in_[own])
        others = np.delete(fitted.centroids_, j, axis=0).mean(axis=0)
        is_higher = dict(zip(fitted.feature_names_in_, fitted.centroids_[j] > others, strict=True))
        assert sets.get(f"{label}_UP", []) == [name for name in sets[label] if is_higher[name]]
        assert sets.get(f"{label}_DN", []) == [name for name in sets[label] if not is_higher[name]]


def test_gene_sets_have_different_names_whatever_classes_are_called(ndc, here, table):
    labels = table["kind"].map({"class 0": "AML", "class 1": "AML_UP", "class 2": "AML_UP_UP"})
    model = DisjointPanelClassifier(rounds=2, random_state=0).fit(table.drop(columns="kind"), labels)
    save_model(model, here / "odd.ndc")
    assert ndc("features", "odd.ndc", "-o", "f.gmt").exit_code == 0
    names = [line.split("\t")[0] for line in (here / "f.gmt").read_text().splitlines()]
    assert len(names) == len(set(names)) > 3
    assert {"AML", "AML_UP", "AML_UP_UP"} <= set(names)


def test_every_feature_has_an_arrow_on_the_screen_and_a_word_in_files(ndc, here, model_file):
    fitted = load_model(model_file).pipeline[-1]
    expected = dict(zip(fitted.feature_names_in_, owner_directions(fitted), strict=True))
    shown = ndc("features", model_file).stdout
    for name, word in expected.items():
        if word:
            assert re.search(rf"\b{name} {ARROWS[word]}", shown)
    assert "↑ higher in this class than in the other classes on average, ↓ lower" in shown
    answer = json.loads(ndc("features", model_file, "--json").stdout)
    for label, names in answer["features"].items():
        assert answer["directions"][label] == [expected[name] for name in names]
    for file, read in (("f.csv", pd.read_csv), ("f.xlsx", pd.read_excel)):
        assert ndc("features", model_file, "-o", file).exit_code == 0
        written = read(here / file).set_index("feature")["direction"].fillna("")
        assert written.to_dict() == expected


def test_a_terminal_without_arrows_gets_words(panel_file):
    code = "from disjoint_centroids.cli import main; main()"
    environment = os.environ | {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    command = [sys.executable, "-c", code, "features", str(panel_file)]
    found = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert found.returncode == 0, found.stderr
    assert "up higher in this class than in the other classes on average, down lower" in found.stdout.decode("cp1252")


def test_panels_are_listed_in_the_order_of_picking(ndc, here, panel_file):
    fitted = load_model(panel_file).pipeline[-1]
    names = [list(fitted.feature_names_in_[own]) for own in fitted.feature_sets_]
    picked = dict(zip(map(str, fitted.classes_), names, strict=True))
    answer = json.loads(ndc("features", panel_file, "--json").stdout)
    assert answer["features"] == picked
    assert answer["margins"]["class 1"] == pytest.approx(fitted.margin_[fitted.feature_sets_[1]])
    assert ndc("features", panel_file, "-o", "f.gmt").exit_code == 0
    lines = [line.split("\t") for line in (here / "f.gmt").read_text().splitlines()]
    assert {line[0]: line[2:] for line in lines if line[0] in picked} == picked
    assert ndc("features", panel_file, "-o", "f.csv").exit_code == 0
    table = pd.read_csv(here / "f.csv").dropna(subset="pick")
    assert table["feature"].tolist() == [name for names in picked.values() for name in names]


def test_features_of_sets_that_overlap(ndc, here, table):
    model = OverlappingCentroidClassifier(n_init=5, random_state=0).fit(table.drop(columns="kind"), table["kind"])
    save_model(model, here / "over.ndc")
    answer = json.loads(ndc("features", "over.ndc", "--json").stdout)
    for own, names in zip(model.feature_sets_, answer["features"].values(), strict=True):
        assert sorted(names) == sorted(model.feature_names_in_[own])
    assert answer["n_unused"] == (~model.get_support()).sum()
    assert ndc("features", "over.ndc").exit_code == 0
    assert ndc("features", "over.ndc", "-o", "f.csv").exit_code == 0
    assert pd.read_csv(here / "f.csv")["n_classes"].is_monotonic_decreasing


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
    totals = pd.DataFrame(answer["contributions"]).groupby("class")["contribution"].sum().to_numpy()
    if hasattr(model[-1], "distances"):
        assert totals**0.5 == pytest.approx(model[-1].distances(row)[0])
        assert answer["distance_class 1"] == pytest.approx(totals[1] ** 0.5)
    else:
        assert totals + model[-1].intercept_ == pytest.approx(model.decision_function(row)[0])
        assert answer["score_class 1"] == pytest.approx(totals[1] + model[-1].intercept_[1])
    shown = ndc("explain", model_file, "blocks.csv", "--sample", "s13", "-o", "s13.png")
    assert f"s13: {answer['label']}, with a probability of" in shown.stdout
    assert files() == ["blocks.csv", "s13.png"]


@pytest.mark.parametrize("reads", ["all", "own"])
@pytest.mark.parametrize("top", [1, 2])
def test_an_explanation_on_the_screen_adds_up(ndc, here, fitted, table, top, reads):
    """What is shown of a class, the rest in a line and what every sample begins with make the score."""
    model_file = fitted("--rounds", 3, "--terms", "both", "--reads", reads)
    shown = ndc("explain", model_file, "blocks.csv", "--sample", "s2", "--top", top).stdout
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in shown.splitlines() if line.startswith("│")]
    model = load_model(model_file).pipeline[-1]
    owners = dict(zip(model.feature_names_in_, model.owner_, strict=True))
    totals, label = {}, None
    for name, feature, owner, *_, added in rows:
        label = re.fullmatch(r"(.+) \(score (.+)\)", name).groups() if name else label
        totals[label] = totals.get(label, 0.0) + float(added)
        assert owner == (model.classes_[owners[feature]] if feature in owners else "")
        assert reads == "all" or owner in ("", label[0])
    assert len(totals) == 3
    for (_, score), total in totals.items():
        assert total == pytest.approx(float(score), abs=0.03)
    scores = [float(score) for _, score in totals]
    assert scores == sorted(scores, reverse=True)
    assert f"{(9 if reads == 'all' else 3) - top} more" in shown
    assert {"all": "the features of all classes", "own": "its own features only"}[reads] in " ".join(shown.split())
    assert "│ start" in shown


def test_a_sample_that_is_not_there(ndc, here, model_file):
    result = ndc("explain", model_file, "blocks.csv", "--sample", "s99")
    assert result.exit_code == 2
    assert "no sample 's99'" in result.stderr


def test_what_is_higher_still_in_another_class_is_said(capsys):
    """By hand: g0 is 9 in class b and 5 in class a, which may own no other feature that is higher than on average."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 20)
    means = {"a": [5, 0, 0], "b": [9, 6, 0], "c": [0, 0, 6]}
    X = pd.DataFrame([means[label] for label in y] + 0.1 * rng.normal(size=(60, 3)), columns=["g0", "g1", "g2"])
    model = DisjointPanelClassifier(rounds=1, terms="linear", direction="up", random_state=0).fit(X, y)
    assert higher_elsewhere_sentence(model) == (
        "1 feature is higher than in the other classes on average, but higher still in one: g0 of a (in b)"
    )
    show_owners(model)
    assert "higher still in one: g0 of a (in b)" in " ".join(capsys.readouterr().out.split())
    model.direction = "any"
    assert higher_elsewhere_sentence(model) == ""
