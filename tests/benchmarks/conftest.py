"""Results of a run that nobody ran: every figure is known."""

import numpy as np
import pandas as pd
import pytest

from disjoint_centroids.datasets import SIMULATIONS
from real_data_study import jobs, run
from real_data_study.methods import METHODS
from real_data_study.sets import ALL, Table

ERRORS = {name: 0.2 for name in METHODS} | {
    "Panel": 0.10,
    "Panel 10": 0.12,
    "NSC": 0.14,
    "L1 logistic": 0.16,
    "Linear SVM": 0.11,
}
FEATURES = {name: 1000 for name in METHODS} | {"Panel": 40, "Panel 10": 30, "NSC": 600, "L1 logistic": 20}


def make_results(errors=None, features=None, sets=ALL, repeats=1):
    """Errors of each method, a little different from set to set; every second set is the same on both scales."""
    errors, features = ERRORS | (errors or {}), FEATURES | (features or {})
    rows = []
    for at, name in enumerate(sets):
        has_log2 = at % 2 == 0
        for scale in ("log2", "as distributed")[0 if has_log2 else 1 :]:
            worse = 0.05 if has_log2 and scale == "as distributed" else 0.0
            for method, error in errors.items():
                for repeat in range(repeats):
                    for fold in range(3):
                        rows.append(
                            {
                                "set": name,
                                "scale": scale,
                                "method": method,
                                "repeat": repeat,
                                "fold": fold,
                                "error": error + worse + 0.001 * (at % 3) + 0.01 * (fold - 1),
                                "balanced_error": error + worse,
                                "features": float(features[method]),
                                "seconds": 0.5,
                                "has_log2": has_log2,
                                "samples": 40,
                                "genes": 1000,
                                "classes": 2,
                                "failure": "",
                                "finished": float(len(rows)),
                            }
                        )
    return pd.DataFrame(rows)


def make_cells(difference=-0.02, theirs=0.3, bayes=0.2):
    """Every simulated setting alike."""
    return pd.DataFrame(
        {
            "setting": [s.name for s in SIMULATIONS],
            "panel": theirs + difference,
            "features": 12.0,
            "best": "NDC",
            "theirs": theirs,
            "bayes": bayes,
            "difference": difference,
            "se": 0.002,
        }
    )


@pytest.fixture
def results():
    return make_results


@pytest.fixture
def cells():
    return make_cells


@pytest.fixture
def small_table():
    """A set that every method can learn from in no time: 36 samples, 40 genes, the first 12 speak for a class each."""
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b", "c"], 12)
    values = rng.normal(size=(36, 40))
    for j, label in enumerate("abc"):
        values[labels == label, 4 * j : 4 * j + 4] += 3.0
    return values, labels


@pytest.fixture
def study_output(monkeypatch, tmp_path, small_table):
    """A place for results, and one small set without logarithms that stands for all; nothing is fetched."""
    there = {"as distributed": Table(*small_table)}
    monkeypatch.setattr(jobs, "tables", lambda name: there)
    monkeypatch.setattr(run, "fetch_compcancer", lambda name, verbose: None)
    monkeypatch.setattr(run, "OUTPUT", tmp_path / "output")
    return tmp_path / "output"
