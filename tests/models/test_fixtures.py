"""Model files of earlier releases: they load, and answer as they did when they were written."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.models import load_model, predict_table
from disjoint_centroids.models.archive import PUBLIC
from model_bytes import members

FOLDER = Path(__file__).parent / "fixtures"
KINDS = [
    "centroids",
    "centroids-cv",
    "centroids-random-state",
    "logistic",
    "neighbours",
    "overlapping",
    "panels",
    "panels-both-terms",
    "panels-rare-class",
    "panels-reads-all",
    "panels-reads-own",
    "panels-squared",
]
FORMAT_1 = {"panels": "linear", "panels-both-terms": "both", "panels-rare-class": "linear"}
"""Panels written before a class could read the panels of others, with their terms."""
DEFINED = {"builtins", "numpy", "numpy.random"}


def beside(kind):
    found = json.loads((FOLDER / f"{kind}.json").read_text())
    return pd.DataFrame(found["samples"], dtype=np.float64), found["answers"]


def test_every_file_that_was_ever_added_is_tested():
    assert sorted(path.stem for path in FOLDER.glob("*.ndc")) == KINDS


@pytest.mark.filterwarnings("ignore:1 of 3 classes have fewer:UserWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_a_model_file_loads_for_ever_and_answers_as_it_did(kind):
    samples, expected = beside(kind)
    saved = load_model(FOLDER / f"{kind}.ndc")
    classifier = saved.pipeline[-1]
    seen = saved.pipeline[:-1].transform(samples) if len(saved.pipeline) > 1 else samples
    assert saved.classes == ["ALL", "AML", "MLL"]
    assert saved.settings == {"kind": kind}
    assert saved.left_out == {}
    assert not saved.in_training(samples).any()
    assert saved.pipeline.predict(samples).tolist() == expected["predict"]
    assert predict_table(saved, samples)["label"].tolist() == expected["predict"]
    for name in ("predict_proba", "decision_function"):
        found = getattr(saved.pipeline, name)(samples)
        np.testing.assert_allclose(found, expected[name], rtol=1e-7, atol=1e-9, err_msg=name)
    assert [features.tolist() for features in classifier.feature_sets_] == expected["feature_sets"]
    if kind.startswith("panels"):
        assert (classifier.batches_, classifier.new_batch_share_) == (None, None)
    if expected["owner"] is not None:
        assert classifier.owner_.tolist() == expected["owner"]
    if "predict_set" in expected:
        assert classifier.predict_set(seen, 0.8).tolist() == expected["predict_set"]
        np.testing.assert_allclose(classifier.typicality(seen), expected["typicality"], rtol=1e-9)


def metadata(kind):
    return json.loads(members((FOLDER / f"{kind}.ndc").read_bytes())["model.json"])


@pytest.mark.parametrize("kind", FORMAT_1)
def test_panels_of_format_1_read_their_own_and_can_do_what_new_ones_can(kind):
    """What they were fitted with is said in today's words, and explanations add up to the scores of the file."""
    assert metadata(kind)["format"] == 1
    samples, expected = beside(kind)
    pipeline = load_model(FOLDER / f"{kind}.ndc").pipeline
    model, terms = pipeline[-1], FORMAT_1[kind]
    assert (model.reads, model.regression, model.terms_) == ("own", "ridge", terms)
    assert model.regression_ == ("ridge" if terms == "linear" else "logistic")
    owned = model.owner_ == np.arange(3)[:, None]
    assert model.coef_.shape == model.curvature_.shape == (3, 12)
    assert not model.coef_[~owned].any()
    assert not model.curvature_[~owned].any()
    assert model.coef_[owned].all()
    assert (model.curvature_[owned] != 0).all() == (terms == "both")
    seen = pipeline[:-1].transform(samples) if len(pipeline) > 1 else samples
    parts = model.explain(seen)
    assert (parts["class"] == parts["owner"]).all()
    added = parts.groupby(["sample", "class"])["contribution"].sum().unstack()
    np.testing.assert_allclose(added + model.intercept_, expected["decision_function"], rtol=1e-7, atol=1e-9)
    table = model.rounds_table()
    assert table.loc[table["chosen"], "regression"].tolist() == [model.regression_]
    assert ((table["regression"] == "ridge") == (table["terms"] == "linear")).all()
    assert set(model.get_params()) == set(DisjointPanelClassifier().get_params())


def test_a_fold_of_format_1_that_did_not_know_a_class_has_room_for_it():
    model = load_model(FOLDER / "panels-rare-class.ndc").pipeline[-1]
    partial = [fold for fold in model.fold_models_ if len(fold.known) < 3]
    assert len(partial) == 1
    for fold in model.fold_models_:
        unknown = np.setdiff1d(np.arange(3), fold.known)
        assert fold.model.weight.shape == (3, fold.model.features.size)
        assert not fold.model.weight[unknown].any()
        assert [len(panel) > 0 for panel in fold.model.panels] == np.isin(np.arange(3), fold.known).tolist()


@pytest.mark.parametrize("kind", ["panels-reads-all", "panels-reads-own", "panels-squared"])
def test_panels_of_format_2_keep_who_reads(kind):
    assert metadata(kind)["format"] == 2
    model = load_model(FOLDER / f"{kind}.ndc").pipeline[-1]
    elsewhere = (model.owner_ >= 0) & (model.owner_ != np.arange(3)[:, None])
    assert model.reads == model.reads_ == ("own" if kind == "panels-reads-own" else "all")
    assert model.coef_[elsewhere].any() == (kind == "panels-reads-all")


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_file_names_public_modules_only(kind):
    """Where a class is defined is nowhere in the file, so that moving it cannot break one."""
    found = set()

    def walk(part):
        if isinstance(part, dict) and "__module__" in part:
            found.add(part["__module__"])
        for child in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            walk(child)

    schema = members((FOLDER / f"{kind}.ndc").read_bytes())["schema.json"]
    walk(json.loads(schema))
    assert found <= PUBLIC.keys() | DEFINED
    assert b"disjoint_centroids." not in schema
