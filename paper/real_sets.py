"""Tables 6 to 12: the three gene expression sets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from cells import paper_genes
from job import Job
from settings import (
    AUTO_METHODS,
    INNER_FOLDS,
    LAMBDAS,
    N_INIT,
    OUTER_FOLDS,
    PLAIN_FOLDS,
    REAL_SETS,
    SCALES,
    SELECTION_SET,
    Study,
)
from sklearn.model_selection import KFold, StratifiedKFold
from tuning import paper_method

from disjoint_centroids import NearestDisjointCentroidCV
from disjoint_centroids.centroids.path import choose_lam
from disjoint_centroids.datasets import fetch_compcancer
from disjoint_centroids.evaluation import PAPER_METHODS, evaluate
from disjoint_centroids.evaluation.peers.classifiers import inner_splitter

SELECTION, CURVE = "selection", "lambda"
EXPERIMENTS = (*REAL_SETS, SELECTION, CURVE)


def jobs(study: Study) -> Iterator[Job]:
    """The paper's methods first; init="auto" takes longest, comes last, and is run on the paper's scale only."""
    for split in range(study.splits):
        for name in REAL_SETS:
            for setting in (*SCALES, PLAIN_FOLDS):
                for method in PAPER_METHODS:
                    yield Job(name, setting, method, split)
            yield Job(CURVE, name, "NDC-S", split)
    for run in range(study.selection_runs):
        yield Job(SELECTION, "as distributed", "NDC-S", run)
    for split in range(study.auto_splits):
        for name in REAL_SETS:
            for method in AUTO_METHODS:
                yield Job(name, "as distributed", method, split)


def do(job: Job) -> dict[str, Any]:
    """One split of one set."""
    if job.experiment == SELECTION:
        return _selection(job)
    return _curve(job) if job.experiment == CURVE else _errors(job)


@cache
def _table(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    bunch = fetch_compcancer(name)
    return bunch.data, bunch.target, bunch.feature_names


def _splitter(job: Job) -> KFold | StratifiedKFold:
    kind = KFold if job.setting == PLAIN_FOLDS else StratifiedKFold
    return kind(OUTER_FOLDS, shuffle=True, random_state=job.seed("split"))


def _errors(job: Job) -> dict[str, Any]:
    """Mean over the folds of one split: the paper's figure is of one such split."""
    X, y, _ = _table(job.experiment)
    outcomes = [
        asdict(
            evaluate(
                paper_method(job.method),
                (X[train], y[train]),
                (X[test], y[test]),
                transform=SCALES.get(job.setting, "none"),
                inner_folds=INNER_FOLDS,
                n_init=N_INIT,
                seed=job.seed(f"fit {fold}"),
            )
        )
        for fold, (train, test) in enumerate(_splitter(job).split(X, y))
    ]
    mean = {name: float(np.mean([o[name] for o in outcomes])) for name in ("error", "balanced_error", "features")}
    return mean | {"seconds": sum(o["seconds"] for o in outcomes)}


def _selection(job: Job) -> dict[str, Any]:
    """Genes that NDC-S selects on the training parts of one split, with lambda chosen by each of the two rules."""
    X, y, genes = _table(SELECTION_SET)
    chosen: dict[str, list[str]] = {"selected": [], "selected_1se": []}
    for fold, (train, _) in enumerate(_splitter(job).split(X, y)):
        seed = job.seed(f"fit {fold}")
        inner = inner_splitter(y[train], INNER_FOLDS, seed)
        model = NearestDisjointCentroidCV(n_init=N_INIT, cv=inner, random_state=seed).fit(X[train], y[train])
        for column, rule in (("selected", "min"), ("selected_1se", "1se")):
            at = choose_lam(model.cv_errors_, model.n_selected_, rule, model.path_.n_restarts > 0)
            chosen[column].append(" ".join(genes[model.path_.owners[at] >= 0]))
    below = dict(pairwise(genes))
    return {column: "|".join(lists) for column, lists in chosen.items()} | {
        "row_below": json.dumps({gene: below[gene] for gene in paper_genes()["gene"]})
    }


def _curve(job: Job) -> dict[str, Any]:
    """Held-out error and number of features along lambda, on the values as distributed."""
    X, y, _ = _table(job.setting)
    lams = np.geomspace(*LAMBDAS)
    model = NearestDisjointCentroidCV(lams=lams, n_init=N_INIT, cv=_splitter(job), random_state=job.seed("fit"))
    model.fit(X, y)
    return {
        "curve": json.dumps(
            {"error": model.cv_errors_.mean(axis=1).round(4).tolist(), "features": model.n_selected_.tolist()}
        )
    }
