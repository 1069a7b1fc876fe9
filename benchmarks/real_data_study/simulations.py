"""The panel classifier on the paper's simulations: the same draws on which ``paper/run.py`` ran the paper's methods."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import job as paper
import numpy as np
import pandas as pd
from scipy import stats

from disjoint_centroids.datasets import SIMULATIONS
from disjoint_centroids.datasets.simulations import Simulation
from disjoint_centroids.evaluation import evaluate
from real_data_study.methods import INNER_FOLDS, METHODS, N_INIT, PANELS

KEY = paper.KEY
METHOD = PANELS[0]
PAPERS = ("NDC", "NDC-S", "NC")
REPETITIONS = 20
PUBLISHED = Path(paper.__file__).parent / "published" / "results.parquet"
"""Results of the paper's methods on the same draws."""


def jobs() -> Iterator[paper.Job]:
    """Repetition by repetition."""
    for repetition in range(REPETITIONS):
        for setting in SIMULATIONS:
            yield paper.Job(f"simulation-{setting.number}", setting.name, METHOD, repetition)


def do(job: paper.Job) -> dict[str, Any]:
    """Fit on one draw, judge on another, and judge the best rule there is on the same."""
    setting = next(s for s in SIMULATIONS if s.name == job.setting)
    train, test = setting.draw(job.seed("train")), setting.draw(job.seed("test"))
    row = asdict(job) | {"bayes": bayes_error(setting, *test)}
    outcome = evaluate(METHODS[METHOD].build, train, test, inner_folds=INNER_FOLDS, n_init=N_INIT, seed=job.seed("fit"))
    return row | asdict(outcome) | {"finished": time.time()}


def bayes_error(setting: Simulation, X: np.ndarray, y: np.ndarray) -> float:
    """Error of the rule that knows the distribution: the class whose own group looks most like its own."""
    mean = 0.0 if setting.number == 2 else setting.value
    spread = 1.0 if setting.number == 1 else 1.0 + setting.value
    k = len(np.unique(y))
    relevant = X[:, : k * setting.d].reshape(len(X), k, setting.d)
    evidence = stats.norm.logpdf(relevant, mean, 1.0) - stats.norm.logpdf(relevant, 0.0, spread)
    return float(np.mean(np.argmax(evidence.sum(axis=2), axis=1) != y))


def cells(ours: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """One row per setting: our mean error, the best of the paper's three on the same draws, the Bayes rule's."""
    theirs = published[published["method"].isin(PAPERS) & published["setting"].isin(set(ours["setting"]))]
    theirs = theirs[theirs["repetition"].isin(set(ours["repetition"]))]
    errors = theirs.pivot_table(index=["setting", "repetition"], columns="method", values="error")
    rows = []
    for setting in (s.name for s in SIMULATIONS):
        panel = ours[ours["setting"] == setting].set_index("repetition").sort_index()
        if panel.empty:
            continue
        of_setting = errors.loc[setting].loc[panel.index]
        best = str(of_setting.mean().idxmin())
        gaps = panel["error"] - of_setting[best]
        rows.append(
            {
                "setting": setting,
                "panel": panel["error"].mean(),
                "features": panel["features"].mean(),
                "best": best,
                "theirs": of_setting[best].mean(),
                "bayes": panel["bayes"].mean(),
                "difference": gaps.mean(),
                "se": gaps.sem(),
            }
        )
    return pd.DataFrame(rows)
