"""Model files of earlier releases: they load, and answer as they did when they were written."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

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
]
DEFINED = {"builtins", "numpy", "numpy.random"}


def beside(kind):
    found = json.loads((FOLDER / f"{kind}.json").read_text())
    return pd.DataFrame(found["samples"], dtype=np.float64), found["answers"]


def test_every_file_that_was_ever_added_is_tested():
    assert sorted(path.stem for path in FOLDER.glob("*.ndc")) == KINDS


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
    if expected["owner"] is not None:
        assert classifier.owner_.tolist() == expected["owner"]
    if "predict_set" in expected:
        assert classifier.predict_set(seen, 0.8).tolist() == expected["predict_set"]
        np.testing.assert_allclose(classifier.typicality(seen), expected["typicality"], rtol=1e-9)


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
