"""Rules that choose the number of rounds of panels, compared on the design sets.

The default number of 50 features per class stands beside what cross-validation would choose: the number of least
held-out loss, and the fewest within one standard error of it, by 1 x 5 and by 3 x 5 folds. Terms are linear.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from markdown_tables import markdown
from sklearn.model_selection import RepeatedStratifiedKFold

from disjoint_centroids import DisjointPanelClassifier
from real_data_study.answer import gap_cell
from real_data_study.jobs import Job, Samples, result_row, splits
from real_data_study.methods import INNER_FOLDS
from real_data_study.sets import LOG2
from real_data_study.summaries import CLEAR, Difference

REPEATS = 2
METHOD = "rules"
ALWAYS = "always 50"
LEAST, FEWEST, DEFAULT = "least loss", "one standard error", "50 unless beaten"
FOLDS = {f"{repeats} x {INNER_FOLDS} folds": repeats for repeats in (1, 3)}
RULES = (ALWAYS, *(f"{rule}, {folds}" for folds in FOLDS for rule in (LEAST, FEWEST, DEFAULT)))
MEASURES = ("error", "features")
OUTCOMES = tuple(f"{measure} {rule}" for rule in RULES for measure in MEASURES)


def jobs(sets: Iterable[str], repeats: int) -> Iterator[Job]:
    """Jobs on the splits of the main study, on log2 values."""
    for name, scale, repeat, fold in splits(sets, (LOG2,), repeats):
        yield Job(name, scale, METHOD, repeat, fold)


def do(job: Job) -> dict[str, Any]:
    """Run a job: one row with the figures of all rules."""
    return result_row(job, _judged, OUTCOMES)


def _judged(job: Job, train: Samples, test: Samples) -> dict[str, Any]:
    row: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes with fewer samples than folds
        for rule, model in _fits(train, job.fit_seed()):
            row[f"error {rule}"] = float(np.mean(model.predict(test[0]) != test[1]))
            row[f"features {rule}"] = int((model.owner_ >= 0).sum())
    return row


def _fits(train: Samples, seed: int) -> Iterator[tuple[str, DisjointPanelClassifier]]:
    yield ALWAYS, _fit(train, seed, rounds=50, penalty=2.0)
    for folds, repeats in FOLDS.items():
        cv = RepeatedStratifiedKFold(n_splits=INNER_FOLDS, n_repeats=repeats, random_state=seed)
        searched = _fit(train, seed, cv=cv)
        least = pd.DataFrame(searched.cv_results_).sort_values(["loss", "rounds"]).iloc[0]
        found = {"rounds": int(least["rounds"]), "penalty": float(least["penalty"])}
        yield f"{LEAST}, {folds}", _fit(train, seed, **found)
        yield f"{FEWEST}, {folds}", _fit(train, seed, cv=cv, rule="1se")
        yield f"{DEFAULT}, {folds}", searched


def _fit(train: Samples, seed: int, **settings: Any) -> DisjointPanelClassifier:
    return DisjointPanelClassifier(terms="linear", reads="all", random_state=seed, **settings).fit(*train)


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean error and number of features of every rule over the sets, and the paired difference from always 50."""
    means = rows.groupby("set")[list(OUTCOMES)].mean()
    found = []
    for rule in RULES:
        gaps = means[f"error {rule}"] - means[f"error {ALWAYS}"]
        found.append(
            {
                "rule": rule,
                "error": means[f"error {rule}"].mean(),
                "features": means[f"features {rule}"].mean(),
                "difference": gaps.mean(),
                "standard error": gaps.std() / np.sqrt(len(gaps)),
            }
        )
    return pd.DataFrame(found).set_index("rule")


def section(rows: pd.DataFrame) -> list[str]:
    """Parts of the page's section on the number of features per class."""
    found = summary(rows)
    lines = [
        [
            rule,
            f"{row['error']:.3f}",
            f"{row['features']:.0f}",
            "" if rule == ALWAYS else gap_cell(Difference(row["difference"], row["standard error"])),
        ]
        for rule, row in found.iterrows()
    ]
    once, often = (f"{LEAST}, {folds}" for folds in FOLDS)
    return [
        "## Rules for the number of features",
        f"""May cross-validation choose how many features every class gets? The rules were compared on the
{rows["set"].nunique()} sets used in design, in {rows["repeat"].nunique()} repeats, with linear terms: always 50
features per class; the number of *{LEAST}* on held-out samples; the fewest within *{FEWEST}* of it (`rule="1se"`); and
the default of `ndc fit`, 50 unless another number is better by four standard errors. The folds were dealt once or
three times. *Compared*: the mean difference of the errors to those of *{ALWAYS}* ± its standard error over the sets,
called *better* or *worse* if it is larger than {CLEAR:g} standard errors.""",
        markdown(["rule", "error", "genes used", "compared"], lines),
        f"""The lowest mean error is that of *{found["error"].idxmin()}*. Repeated folds change the error of the rule of
least loss from {found.loc[once, "error"]:.3f} to {found.loc[often, "error"]:.3f}. Where short lists are worth some
errors, `rule="1se"` gives them.""",
    ]
