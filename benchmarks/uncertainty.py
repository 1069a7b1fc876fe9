"""Uncertainty of panels, checked on simulated tables: ``python benchmarks/uncertainty.py [--draws N]``.

Rare classes (errors and mean probabilities with and without priors), coverage of prediction sets by class, and
p-values of samples like and unlike the training samples. The tables go to standard output and into
docs/uncertainty.md, between its marks.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import is_float_dtype

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.progress import Progress

sys.path.append(str(Path(__file__).parents[1] / "paper"))
from markdown_tables import with_tables

PAGE = Path(__file__).parents[1] / "docs" / "uncertainty.md"
N_TEST = 2000
OWN_FEATURES, SHIFT = 20, 0.8
"""Features per class that are higher in it, and by how many standard deviations."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Number of samples and features, and the shares of the classes."""

    n: int
    p: int
    shares: tuple[float, ...]

    @property
    def name(self) -> str:
        """Such as "100 x 1000, 85:15"."""
        return f"{self.n} x {self.p}, {':'.join(f'{100 * share:.0f}' for share in self.shares)}"

    def draw(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Samples whose classes have exactly these shares."""
        y = np.repeat(np.arange(len(self.shares)), np.round(np.array(self.shares) * n).astype(int))
        X = rng.normal(size=(y.size, self.p))
        for label in range(len(self.shares)):
            X[np.ix_(y == label, OWN_FEATURES * label + np.arange(OWN_FEATURES))] += SHIFT
        return X, y


RARE = (
    Setting(100, 1000, (0.85, 0.15)),
    Setting(200, 1000, (0.8, 0.2)),
    Setting(200, 500, (0.95, 0.05)),
    Setting(120, 800, (0.7, 0.2, 0.1)),
)
COVERAGE = (Setting(200, 500, (0.85, 0.15)), Setting(200, 500, (0.95, 0.05)), Setting(240, 500, (0.6, 0.25, 0.15)))
CONFIDENCES = (0.8, 0.9)
ALIKE = Setting(100, 500, (0.5, 0.5))


def draws(setting: Setting, n_draws: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Training and test samples, draw after draw."""
    for seed in range(n_draws):
        rng = np.random.default_rng(seed)
        yield *setting.draw(setting.n, rng), *setting.draw(N_TEST, rng)


def balanced_error(predicted: np.ndarray, truth: np.ndarray) -> float:
    """Mean over the classes of the share of their samples that are classified wrongly."""
    return float(np.mean([np.mean(predicted[truth == label] != label) for label in np.unique(truth)]))


def rare_classes(n_draws: int, bar: Progress) -> pd.DataFrame:
    """Errors with no priors, equal priors and empirical ones, and how far mean probabilities are from the shares."""
    rows = []
    for setting in RARE:
        alike = np.full(len(setting.shares), 1.0 / len(setting.shares))
        for X, y, new, truth in draws(setting, n_draws):
            plain, equal, empirical = (
                DisjointPanelClassifier(priors=priors, random_state=0).fit(X, y)
                for priors in (None, alike, "empirical")
            )
            gaps = np.abs(empirical.predict_proba(new).mean(axis=0) - np.bincount(truth) / truth.size)
            rows.append(
                {
                    "table": setting.name,
                    "balanced error": balanced_error(plain.predict(new), truth),
                    "balanced error, equal priors given": balanced_error(equal.predict(new), truth),
                    "error": float(np.mean(plain.predict(new) != truth)),
                    'error, `priors="empirical"`': float(np.mean(empirical.predict(new) != truth)),
                    "largest difference between mean probability and share": float(gaps.max()),
                }
            )
            bar.tick()
    return pd.DataFrame(rows).groupby("table", sort=False).mean().reset_index()


def coverage(n_draws: int, bar: Progress) -> pd.DataFrame:
    """Share of new samples of each class whose set holds it, by class and on average."""
    rows = []
    for setting in COVERAGE:
        for X, y, new, truth in draws(setting, n_draws):
            model = DisjointPanelClassifier(random_state=0).fit(X, y)
            for confidence in CONFIDENCES:
                for kind in ("class", "average"):
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore", UserWarning)  # ten samples of a class are just enough
                        held = model.predict_set(new, confidence, coverage=kind)
                    own = held[np.arange(truth.size), truth]
                    rows += [
                        {
                            "table": setting.name,
                            "confidence": f"{confidence:g}",
                            "coverage": f'`"{kind}"`',
                            "class": f"{100 * share:.0f} %",
                            "held": float(own[truth == label].mean()),
                        }
                        for label, share in enumerate(setting.shares)
                    ]
            bar.tick()
    found = pd.DataFrame(rows).groupby(["table", "confidence", "coverage", "class"], sort=False)["held"].mean()
    wide = found.groupby(level=[0, 1, 2], sort=False).agg(lambda held: " / ".join(f"{share:.3f}" for share in held))
    return wide.rename("share of sets with the true class, frequent class first").reset_index()


def unlike(n_draws: int, bar: Progress) -> pd.DataFrame:
    """Share of new samples with a p-value of 0.05 or less, and of empty sets at 0.9, ordinary and not."""
    changes = {
        "like the training samples": lambda X: X,
        "multiplied by 50": lambda X: 50 * X,
        "3 added": lambda X: X + 3,
        "without the logarithm (2 to the power of the value)": lambda X: 2.0**X,
    }
    rows = []
    for X, y, new, _ in draws(ALIKE, n_draws):
        model = DisjointPanelClassifier(random_state=0).fit(X, y)
        for name, change in changes.items():
            samples = change(new)
            rows.append(
                {
                    "new samples": name,
                    "share with typicality 0.05 or less": float(np.mean(model.typicality(samples) <= 0.05)),
                    "share with an empty set at 0.9": float(np.mean(~model.predict_set(samples, 0.9).any(axis=1))),
                    "mean of the largest probability": float(model.predict_proba(samples).max(axis=1).mean()),
                }
            )
        bar.tick()
    return pd.DataFrame(rows).groupby("new samples", sort=False).mean().reset_index()


def markdown(table: pd.DataFrame) -> str:
    """A table with three digits after the point."""
    shown = table.map(lambda cell: f"{cell:.3f}" if isinstance(cell, float) else str(cell))
    lines = ["| " + " | ".join(shown.columns) + " |"]
    lines.append("|" + "|".join("--:" if is_float_dtype(kind) else "---" for kind in table.dtypes) + "|")
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in shown.to_numpy().tolist())])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=None, help="draws of each table (default: 8, and 40 for coverage)")
    asked = parser.parse_args()
    sections = {
        "rare classes": (rare_classes, 8, len(RARE)),
        "coverage": (coverage, 40, len(COVERAGE)),
        "unlike": (unlike, 8, 1),
    }
    page = PAGE.read_text(encoding="utf-8")
    for name, (section, usual, n_settings) in sections.items():
        n_draws = asked.draws or usual
        with Progress(name, n_draws * n_settings, enabled=True) as bar:
            text = markdown(section(n_draws, bar))
        print(f"\n{name}, {n_draws} draws\n\n{text}")
        page = with_tables(page, {name: text})
    if asked.draws is None:
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
