"""Fit NDC-S and drafted panels to three embedded tables, print the lists and the errors, save one picture."""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter

import matplotlib
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disjoint_centroids import DisjointPanelClassifier, NearestDisjointCentroidCV
from disjoint_centroids.datasets import make_blocks

matplotlib.use("Agg")
from disjoint_centroids.plots import PartitionDisplay

SEED = 0
NAMES_SHOWN = 6


def block_table() -> tuple[pd.DataFrame, pd.Series]:
    X, y = make_blocks(k=4, n=60, d=8, mu=(1.2, 0.0), sigma=(1.0, 2.2), irrelevant=60, random_state=SEED)
    columns = [f"block {c // 8}.{c % 8}" if c < 32 else f"noise {c - 32}" for c in range(X.shape[1])]
    return pd.DataFrame(X, columns=columns), pd.Series(y).map("class {}".format)


def sklearn_table(load) -> tuple[pd.DataFrame, pd.Series]:
    data = load(as_frame=True)
    return data.data, data.target.map(lambda code: str(data.target_names[code]))


def scaler() -> StandardScaler:
    return StandardScaler().set_output(transform="pandas")


def cross_validated_error(model, X, y) -> str:
    folds = StratifiedKFold(5, shuffle=True, random_state=SEED)
    errors = 1 - cross_val_score(make_pipeline(scaler(), model), X, y, cv=folds)
    return f"{errors.mean():.3f} ± {errors.std(ddof=1) / np.sqrt(len(errors)):.3f}"


def show_owners(model: NearestDisjointCentroidCV) -> None:
    table = model.feature_table()
    for label in model.classes_:
        own = table[table["owner"] == label].sort_values(f"distance_{label}")["feature"].tolist()
        more = f", … ({len(own) - NAMES_SHOWN} more)" if len(own) > NAMES_SHOWN else ""
        print(f"    {label} owns {len(own)}: {', '.join(own[:NAMES_SHOWN])}{more}")
    print(f"    nobody uses {(table['role'] == 'unused').sum()} of {len(table)}")


def run(name: str, X: pd.DataFrame, y: pd.Series) -> NearestDisjointCentroidCV:
    began = perf_counter()
    print(f"\n{name}: {len(X)} samples, {X.shape[1]} features, {y.nunique()} classes")
    model = make_pipeline(scaler(), NearestDisjointCentroidCV(random_state=SEED)).fit(X, y)[-1]
    show_owners(model)
    ours = cross_validated_error(NearestDisjointCentroidCV(random_state=SEED), X, y)
    print(f"    error by 5-fold cross-validation: NDC-S {ours} with {model.get_support().sum()} features,")
    panel = make_pipeline(scaler(), DisjointPanelClassifier(random_state=SEED)).fit(X, y)[-1]
    panels = cross_validated_error(DisjointPanelClassifier(random_state=SEED), X, y)
    print(f"    drafted panels {panels} with {panel.get_support().sum()} features ({panel.terms_} terms),")
    print(f"    nearest centroid {cross_validated_error(NearestCentroid(), X, y)} with all {X.shape[1]}")
    print(f"    lambda {model.lam_:.3g}, {perf_counter() - began:.1f} s")
    return model


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    print("Fitting three tables; the very first fit compiles the engine, some ten seconds, once.", flush=True)
    X, y = block_table()
    model = run("simulated blocks", X, y)
    run("wine", *sklearn_table(load_wine))
    run("breast cancer", *sklearn_table(load_breast_cancer))
    display = PartitionDisplay.from_estimator(model, scaler().fit_transform(X), y)
    display.ax_.set_title("Simulated blocks: every class stands out on the features it owns")
    picture = folder / "blocks.png"
    display.figure_.savefig(picture, dpi=130)
    print(f"\nThe picture of the simulated blocks: {picture}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output"))
