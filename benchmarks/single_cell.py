"""Disjoint markers of blood cells beside scanpy's: agreement, errors of classifiers, expression in the types.

Needs scanpy, which ships the cells. ``python benchmarks/single_cell.py`` prints the tables (a quarter of an hour); with
``--publish`` it also puts them, and a picture, into docs/single-cell.md. ``--repeats 1`` is quick.
"""

from __future__ import annotations

import argparse
import sys
import warnings
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scanpy as sc
from anndata import AnnData
from joblib import Parallel, delayed, parallel_config
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disjoint_centroids import DisjointPanelClassifier, NearestDisjointCentroid, NearestDisjointCentroidCV
from disjoint_centroids.markers import disjoint_markers

sys.path.append(str(Path(__file__).parents[1] / "paper"))
from markdown_tables import markdown, with_tables

GROUPBY = "bulk_labels"
SCANPY = ("t-test", "wilcoxon", "logreg")
GENES, FOLDS, REPEATS = 5, 5, 5
SEARCH: dict[str, Any] = {
    "n_init": 20,
    "n_lams": 15,
}  # of NDC-S: a fifth of the restarts and half the lambdas, for time
PAGE = Path(__file__).parents[1] / "docs" / "single-cell.md"
PICTURE = PAGE.parent / "images" / "single-cell.png"
IN_THE_PICTURE = ("Panel", "t-test", "NDC")

Lists = dict[str, list[str]]
"""Markers of each group, the best first."""


def main() -> None:
    """Print every table; put them into the documentation if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--publish", action="store_true", help="put tables and picture into docs/single-cell.md")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # scanpy on fragmented frames and small groups, logistic regression on its solver
    cells = log_normalised()
    found = {name: select(cells, 2 * GENES) for name, select in SELECTORS.items()}
    wrong = held_out(cells, asked.repeats)
    tables = {
        "agreement of 5": agreement_table(found, GENES),
        "agreement of 10": agreement_table(found, 2 * GENES),
        "expression": expression_table(cells, found),
        "ownership": ownership_table(cells),
        "errors": error_table(wrong, plain_mean),
        "balanced errors": error_table(wrong, by_type(cells)),
        "own predictions": own_table(wrong, cells),
    }
    for name, table in tables.items():
        print(f"\n{name}\n\n{table}")
    if asked.publish:
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")
        draw(cells, found).savefig(PICTURE, dpi=110)


def log_normalised() -> AnnData:
    """The cells on the scale that markers are looked for on; ``.X`` of the set is scaled, ``.raw`` is not."""
    cells = sc.datasets.pbmc68k_reduced().raw.to_adata()
    cells.X = cells.X.toarray().astype(np.float64)
    return cells


def of_scanpy(method: str) -> Callable[[AnnData, int], Lists]:
    """The best genes of every group by scanpy's ranking."""

    def select(cells: AnnData, n_genes: int) -> Lists:
        sc.tl.rank_genes_groups(cells, GROUPBY, method=method, n_genes=n_genes, key_added=method)
        return as_lists(cells.uns[method]["names"])

    return select


def of_ours(method: Any, *, scaled: bool = False, **parameters: Any) -> Callable[[AnnData, int], Lists]:
    """The best genes of every group by one of our rules."""

    def select(cells: AnnData, n_genes: int) -> Lists:
        cells = cells.copy()
        if scaled:
            cells.X = StandardScaler().fit_transform(cells.X)
        disjoint_markers(cells, GROUPBY, method=method, n_genes=n_genes, key_added="ours", **parameters)
        return as_lists(cells.uns["ours"]["names"])

    return select


def by_chance(cells: AnnData, n_genes: int) -> Lists:
    """Genes assigned to the types at random, for comparison."""
    groups = list(cells.obs[GROUPBY].cat.categories)
    seed = zlib.crc32("".join(cells.obs_names).encode())  # other genes for every training part, the same in every run
    drawn = np.random.default_rng(seed).permutation(cells.var_names)[: n_genes * len(groups)]
    return dict(zip(groups, map(list, drawn.reshape(len(groups), n_genes)), strict=True))


def as_lists(names: np.ndarray) -> Lists:
    """Record arrays as lists, without what fills them up."""
    return {group: [name for name in names[group] if name] for group in names.dtype.names}


SELECTORS: dict[str, Callable[[AnnData, int], Lists]] = {
    **{method: of_scanpy(method) for method in SCANPY},
    "Panel": of_ours("panel"),
    "Panel, not cut back": of_ours("panel", overdraft=1),
    "NDC": of_ours("ndc"),
    "NDC, genes scaled": of_ours("ndc", scaled=True),
    "NDC-S": of_ours("ndc-s", **SEARCH),
    "genes by chance": by_chance,
}
CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "Panel, 5 genes per type": lambda: DisjointPanelClassifier(rounds=5, random_state=0),
    "Panel, 10 genes per type": lambda: DisjointPanelClassifier(rounds=10, random_state=0),
    "Panel, default settings": lambda: DisjointPanelClassifier(random_state=0),
    "NDC": lambda: NearestDisjointCentroid(random_state=0),
    "NDC-S": lambda: NearestDisjointCentroidCV(random_state=0, **SEARCH),
}
READERS: dict[str, Callable[[], Any]] = {
    "logistic regression": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
    "5 nearest neighbours": lambda: make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
    "nearest centroid": lambda: make_pipeline(StandardScaler(), NearestCentroid()),
}


def agreement_table(found: dict[str, Lists], n_genes: int) -> str:
    """Mean number of a type's first markers that are also among scanpy's, by method; and the number of genes in all."""
    rows = []
    for name, lists in found.items():
        shared = [
            np.mean([len(set(lists[group][:n_genes]) & set(found[other][group][:n_genes])) for group in lists])
            for other in SCANPY
        ]
        distinct = len({gene for genes in lists.values() for gene in genes[:n_genes]})
        rows.append([name, *(f"{count:.1f}" for count in shared), str(distinct)])
    return markdown(["", *SCANPY, "different genes"], rows)


def expressing(cells: AnnData, group: str, genes: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
    """Share of the cells that express each gene, in the group and in all others."""
    is_on = cells[:, list(genes)].X > 0
    inside = (cells.obs[GROUPBY] == group).to_numpy()
    return is_on[inside].mean(axis=0), is_on[~inside].mean(axis=0)


def expression_table(cells: AnnData, found: dict[str, Lists]) -> str:
    """Shares of cells that express the markers, in their type and elsewhere."""
    rows = []
    for name, lists in found.items():
        shares = [expressing(cells, group, genes[:GENES]) for group, genes in lists.items()]
        own, rest = (np.concatenate([pair[side] for pair in shares]) for side in (0, 1))
        rows.append([name, f"{np.median(own):.2f}", f"{np.median(rest):.2f}", *silent_and_lower(own, rest)])
    header = ["", "cells of the type that express it (median)", "other cells (median)"]
    return markdown([*header, "in under 10 % of its type", "in fewer cells of its type than elsewhere"], rows)


def silent_and_lower(own: np.ndarray, rest: np.ndarray) -> list[str]:
    """Share of genes that hardly any cell of the owner expresses, and of those that more of the others do."""
    return [f"{(own < 0.1).mean():.0%}", f"{(own < rest).mean():.0%}"]


def ownership_table(cells: AnnData) -> str:
    """The same of all genes with an owner, and where the owner ranks among the types by mean and by variance."""
    rows = []
    for method, parameters in (("panel", {}), ("ndc", {}), ("ndc-s", SEARCH)):
        cells = cells.copy()
        disjoint_markers(cells, GROUPBY, method=method, n_genes=None, **parameters)
        owner = cells.var["disjoint_markers_owner"]
        blocks = [cells.X[(cells.obs[GROUPBY] == group).to_numpy()] for group in owner.cat.categories]
        owned = np.flatnonzero(owner.notna())
        codes = owner.cat.codes.to_numpy()[owned]
        means, variances = (np.array([getattr(block, what)(axis=0) for block in blocks]) for what in ("mean", "var"))
        shares = [
            expressing(cells, group, cells.var_names[owner == group])
            for group in owner.cat.categories
            if (owner == group).any()
        ]
        own, rest = (np.concatenate([pair[side] for pair in shares]) for side in (0, 1))
        is_highest = means[codes, owned] == means[:, owned].max(axis=0)
        is_tightest = variances[codes, owned] == variances[:, owned].min(axis=0)
        rows.append(
            [
                method,
                str(owned.size),
                *silent_and_lower(own, rest),
                f"{is_highest.mean():.0%}",
                f"{is_tightest.mean():.0%}",
            ]
        )
    header = ["", "genes with an owner", "in under 10 % of its type", "in fewer cells of its type than elsewhere"]
    return markdown([*header, "highest mean in its type", "smallest variance in its type"], rows)


def held_out(cells: AnnData, repeats: int) -> pd.DataFrame:
    """Share of repeats in which each held-out cell (rows) was wrong, by markers and classifier (columns)."""
    labels = cells.obs[GROUPBY].to_numpy().astype(str)
    splits = [
        split
        for repeat in range(repeats)
        for split in StratifiedKFold(FOLDS, shuffle=True, random_state=repeat).split(cells.X, labels)
    ]
    with parallel_config(backend="loky", inner_max_num_threads=1):
        parts = Parallel(n_jobs=-1)(delayed(one_split)(cells, train, test) for train, test in splits)
    return pd.concat(parts).groupby(level=0).mean()


def one_split(cells: AnnData, train: np.ndarray, test: np.ndarray) -> pd.DataFrame:
    """Mistakes on the cells held out; markers are chosen on the others."""
    warnings.simplefilter("ignore")
    learn, judge = cells[train].copy(), cells[test]
    labels, truth = (part.obs[GROUPBY].to_numpy().astype(str) for part in (learn, judge))
    wrong = {}
    for name, select in SELECTORS.items():
        genes = sorted({gene for genes in select(learn, GENES).values() for gene in genes})
        for reader, make in READERS.items():
            fitted = make().fit(learn[:, genes].X, labels)
            wrong[name, reader] = fitted.predict(judge[:, genes].X) != truth
    for reader, make in READERS.items():
        wrong["all genes", reader] = make().fit(learn.X, labels).predict(judge.X) != truth
    for name, make in CLASSIFIERS.items():
        wrong["itself", name] = make().fit(learn.X, labels).predict(judge.X) != truth
    return pd.DataFrame(wrong, index=test).astype(float)


Mean = Callable[[np.ndarray], tuple[float, float]]
"""Function from one value per cell to their mean and its standard error over the cells."""


def plain_mean(values: np.ndarray) -> tuple[float, float]:
    """Every cell counts alike."""
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(values.size))


def by_type(cells: AnnData) -> Mean:
    """Every type counts alike, whatever its number of cells."""
    labels = cells.obs[GROUPBY].to_numpy().astype(str)

    def mean(values: np.ndarray) -> tuple[float, float]:
        parts = [values[labels == label] for label in np.unique(labels)]
        error = np.sqrt(sum(part.var(ddof=1) / part.size for part in parts)) / len(parts)
        return float(np.mean([part.mean() for part in parts])), float(error)

    return mean


def beside(wrong: pd.DataFrame, column: tuple[str, str], rival: tuple[str, str], mean: Mean) -> str:
    """The error of a column, and how much higher it is than a rival's."""
    error, _ = mean(wrong[column].to_numpy())
    if column == rival:
        return f"{error:.3f}"
    gap, spread = mean((wrong[column] - wrong[rival]).to_numpy())
    return f"{error:.3f} ({gap:+.3f} ± {spread:.3f})"


def error_table(wrong: pd.DataFrame, mean: Mean) -> str:
    """A row a choice of markers, a column a reader, each beside the panel's."""
    rows = [
        [name, *(beside(wrong, (name, reader), ("Panel", reader), mean) for reader in READERS)]
        for name in (*SELECTORS, "all genes")
    ]
    return markdown(["markers by", *READERS], rows)


def own_table(wrong: pd.DataFrame, cells: AnnData) -> str:
    """Errors of our classifiers themselves, beside the shortest panel."""
    rival = ("itself", next(iter(CLASSIFIERS)))
    means = (plain_mean, by_type(cells))
    rows = [[name, *(beside(wrong, ("itself", name), rival, mean) for mean in means)] for name in CLASSIFIERS]
    return markdown(["", "error", "balanced error"], rows)


def draw(cells: AnnData, found: dict[str, Lists]) -> Any:
    """Each marker by how many cells of its type, and of the others, express it."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 3.1), layout="constrained")
    axes = figure.subplots(1, len(IN_THE_PICTURE), sharex=True, sharey=True)
    for ax, name in zip(axes, IN_THE_PICTURE, strict=True):
        ax.plot([0, 1], [0, 1], color="#999999", lw=0.8, zorder=0)
        for group, genes in found[name].items():
            own, rest = expressing(cells, group, genes[:GENES])
            ax.plot(rest, own, "o", color="#0072B2" if name != "NDC" else "#D55E00", ms=5, alpha=0.6, mec="none")
        ax.set(title=name, xlabel="other cells that express it", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("cells of its type that do")
    return figure


if __name__ == "__main__":
    main()
