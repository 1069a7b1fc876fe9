"""Write one small model file of each kind into ``fixtures/``, and beside it what the model answers.

Files in ``fixtures/`` must load for ever, so a file that is there is never written again: a new kind of model, or a new
format, adds files under new names. ``python tests/models/make_fixtures.py`` writes those that are missing.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from disjoint_centroids import (
    DisjointKNeighborsClassifier,
    DisjointLogisticRegression,
    DisjointPanelClassifier,
    NearestDisjointCentroid,
    NearestDisjointCentroidCV,
    OverlappingCentroidClassifier,
)
from disjoint_centroids.models import save_model
from disjoint_centroids.pipeline import model_pipeline
from disjoint_centroids.tables import LabelledTable

FOLDER = Path(__file__).parent / "fixtures"
QUICK = {"n_init": 5, "random_state": 0}
STEPS = {"transform": "log2-standardize", "impute": "median"}

MODELS = {
    "centroids": (NearestDisjointCentroid(**QUICK, shared_features=["g2"]), STEPS),
    "centroids-random-state": (
        NearestDisjointCentroid(lam=1.1, n_init=5, random_state=np.random.RandomState(0)),
        {"transform": "log1p", "impute": "knn"},
    ),
    "centroids-cv": (NearestDisjointCentroidCV(n_lams=4, cv=StratifiedKFold(3), **QUICK), STEPS),
    "panels": (DisjointPanelClassifier(rounds=2, cv=2, random_state=0), STEPS),
    "panels-both-terms": (DisjointPanelClassifier(rounds=2, terms="both", cv=3, random_state=0), {}),
    "panels-rare-class": (DisjointPanelClassifier(rounds=2, cv=3, random_state=0), {}),
    "panels-reads-all": (DisjointPanelClassifier(rounds=2, terms="linear", reads="all", cv=3, random_state=0), STEPS),
    "panels-reads-own": (DisjointPanelClassifier(rounds=2, reads="own", cv=3, random_state=0), STEPS),
    "panels-squared": (DisjointPanelClassifier(rounds=2, terms="squared", reads="all", cv=3, random_state=0), {}),
    "logistic": (DisjointLogisticRegression(estimator=NearestDisjointCentroid(**QUICK), cv=3, random_state=0), STEPS),
    "neighbours": (
        DisjointKNeighborsClassifier(
            n_neighbors=5, estimator=NearestDisjointCentroidCV(n_lams=4, cv=3, **QUICK), random_state=0
        ),
        STEPS,
    ),
    "overlapping": (OverlappingCentroidClassifier(max_features_per_class=3, **QUICK), STEPS),
}

SIZES = {"panels-rare-class": (12, 10, 1)}
"""Samples per class where they are others: the model of one fold does not know the third class."""


def table(seed, sizes=(12, 10, 9), n_features=12):
    """Positive values, four features higher in each class; some cells empty."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    shift = 1.5 * (np.arange(n_features) % len(sizes) == codes[:, None])
    values = pd.DataFrame(np.exp2(rng.normal(6.0 + shift)), columns=[f"g{f}" for f in range(n_features)])
    return values, pd.Series(np.array(["ALL", "AML", "MLL"])[codes], values.index)


def with_gaps(values, seed=2):
    return values.mask(np.random.default_rng(seed).uniform(size=values.shape) < 0.05)


def answers(pipeline, values):
    """Everything that predictions consist of, in terms of JSON."""
    found = {
        "predict": pipeline.predict(values).tolist(),
        "predict_proba": pipeline.predict_proba(values).tolist(),
        "decision_function": pipeline.decision_function(values).tolist(),
        "owner": pipeline[-1].owner_.tolist() if hasattr(pipeline[-1], "owner_") else None,
        "feature_sets": [features.tolist() for features in pipeline[-1].feature_sets_],
    }
    if hasattr(pipeline[-1], "predict_set"):
        seen = pipeline[:-1].transform(values) if len(pipeline) > 1 else values
        found["predict_set"] = pipeline[-1].predict_set(seen, 0.8).tolist()
        found["typicality"] = pipeline[-1].typicality(seen).tolist()
    return found


def write(name):
    classifier, steps = MODELS[name]
    values, labels = table(0, **({"sizes": SIZES[name]} if name in SIZES else {}))
    new, _ = table(1, sizes=(2, 2, 2))
    if "impute" in steps:
        values, new = with_gaps(values), with_gaps(new)
    model = model_pipeline(classifier, **steps).fit(values, labels)
    save_model(model, FOLDER / f"{name}.ndc", table=LabelledTable(values, labels, "fixture"), settings={"kind": name})
    samples = new.astype(object).where(new.notna(), None)
    beside = {"samples": samples.to_dict(orient="list"), "answers": answers(model, new)}
    (FOLDER / f"{name}.json").write_text(json.dumps(beside, indent=1) + "\n")


if __name__ == "__main__":
    for name in MODELS:
        if not (FOLDER / f"{name}.ndc").exists():
            write(name)
