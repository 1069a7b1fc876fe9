"""The tables as pictures: ours beside the paper's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from cells import paper_genes_and_below, selection_frequencies
from markdown_tables import COLUMNS
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, ScalarFormatter
from settings import LAMBDAS, REAL_SETS, THEORY_BLOCKS

COLOURS = dict(
    zip(
        ("NDC", "NDC-S", "NC", "NSC", "KNN", "LDA", "SVM", "Logistic"),
        ("#0072b2", "#d55e00", "#009e73", "#56b4e9", "#cc79a7", "#8c6d31", "#7f7f7f", "#e6ab02"),
        strict=True,
    )
)
THEORY_COLOURS = {"NDC": "#0072b2", "NDC risk": "#009e73", "NDC auto": "#d55e00", "optimum": "#000000"}
THEORY_NAMES = {
    "NDC": "NDC as published",
    "NDC risk": 'NDC, criterion="risk"',
    "NDC auto": 'NDC, init="auto"',
    "optimum": "optimal_partition",
}
STYLE = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "paper"}


def draw_all(results: pd.DataFrame, cells: pd.DataFrame, real: pd.DataFrame, folder: Path) -> None:
    """Every figure of the page, as PNG files."""
    folder.mkdir(parents=True, exist_ok=True)
    figures: dict[str, Callable[[], Figure]] = {
        "agreement": lambda: agreement(cells),
        "theory": lambda: theory(results),
        "ablation": lambda: ablation(results),
        "real": lambda: real_sets(real),
        "lambda": lambda: lambda_curves(results, real),
        "genes": lambda: genes(results),
    }
    for number in (1, 2, 3, 4):
        figures[f"simulation-{number}"] = lambda number=number: simulation(cells, f"simulation-{number}")  # type: ignore[misc]
    for name, draw in figures.items():
        with mpl.rc_context(STYLE):
            draw().savefig(folder / f"paper-{name}.png", dpi=110, metadata={"Software": None})


def _figure(width: float, height: float, columns: int, **grid: object) -> tuple[Figure, np.ndarray]:
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, np.atleast_1d(figure.subplots(1, columns, **grid))


def agreement(cells: pd.DataFrame) -> Figure:
    """All error cells of Tables 1 to 4 against the paper's."""
    figure, axes = _figure(9.5, 4.6, 2, sharex=True, sharey=True)
    errors = cells[cells["metric"] == "error"]
    for ax, ours, title in (
        (axes[0], False, "the paper's eight methods, as published"),
        (axes[1], True, 'our classifiers with init="auto"'),
    ):
        ax.plot([0, 0.8], [0, 0.8], color="0.7", lw=1, zorder=0)
        for method, colour in COLOURS.items():
            chosen = errors[errors["method"] == (f"{method} auto" if ours else method)]
            if len(chosen):
                ax.errorbar(
                    chosen["paper"], chosen["ours"], chosen["se"], fmt="o", ms=4, color=colour, label=method, lw=1
                )
        ax.set(title=title, xlabel="misclassification in the paper", ylabel="ours")
        ax.legend(frameon=False, loc="upper left")
    return figure


def simulation(cells: pd.DataFrame, experiment: str) -> Figure:
    """Lines: ours with standard errors. Hollow circles: the paper's. Dashed: init="auto"."""
    errors = cells[(cells["experiment"] == experiment) & (cells["metric"] == "error")]
    by = "r" if experiment == "simulation-4" else "d"
    figure, axes = _figure(10, 3.9, errors[by].nunique(), sharey=True)
    for ax, (size, panel) in zip(axes, errors.groupby(by), strict=True):
        for method, colour in COLOURS.items():
            for name, line in ((method, "-"), (f"{method} auto", "--")):
                rows = panel[panel["method"] == name].sort_values("value")
                if rows.empty:
                    continue
                shown = name if line == "-" else f'{method}, init="auto"'
                ax.errorbar(rows["value"], rows["ours"], rows["se"], color=colour, ls=line, lw=1.4, label=shown)
                if line == "-":
                    ax.plot(rows["value"], rows["paper"], "o", mfc="none", color=colour, ms=6)
        ax.set(title=f"{by} = {size:.0f}", xlabel=panel["parameter"].iloc[0], xticks=sorted(panel["value"].unique()))
    axes[0].set_ylabel("misclassification")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center", frameon=False)
    figure.suptitle(f"{experiment.replace('simulation-', 'Simulation ')}: lines ours, circles the paper's")
    return figure


def real_sets(real: pd.DataFrame) -> Figure:
    """Mean and 5-95 % range over splits on both scales, the paper's single split as a diamond."""
    figure, axes = _figure(10, 4.2, len(REAL_SETS), sharey=True)
    errors = real[real["metric"] == "error"]
    for ax, name in zip(axes, REAL_SETS, strict=True):
        for row, method in enumerate(reversed(COLUMNS)):
            for scale, colour, shift in (("as distributed", "#0072b2", 0.15), ("log2", "#009e73", -0.15)):
                at = errors[(errors["experiment"] == name) & (errors["method"] == method) & (errors["scale"] == scale)]
                if at.empty:
                    continue
                cell = at.iloc[0]
                ax.plot([cell["low"], cell["high"]], [row + shift] * 2, color=colour, lw=3, alpha=0.4)
                ax.plot(cell["ours"], row + shift, "o", color=colour, ms=4, label=scale if row == 0 else None)
                if scale == "as distributed" and not method.endswith("auto"):
                    label = "paper, one split" if method == "Logistic" else None
                    ax.plot(cell["paper"], row + shift, "D", mfc="none", color="black", ms=6, label=label)
        ax.set(title=name, xlabel="misclassification", yticks=range(len(COLUMNS)), yticklabels=COLUMNS[::-1])
        ax.set_xlim(left=0)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    return figure


def lambda_curves(results: pd.DataFrame, real: pd.DataFrame) -> Figure:
    """Error against the number of features along lambda, with the paper's point."""
    figure, axes = _figure(10, 3.6, len(REAL_SETS))
    curves = results[results["experiment"] == "lambda"]
    lams = np.geomspace(*LAMBDAS)
    for ax, name in zip(axes, REAL_SETS, strict=True):
        loaded = [json.loads(curve) for curve in curves.loc[curves["setting"] == name, "curve"]]
        error = np.mean([curve["error"] for curve in loaded], axis=0)
        features = np.median([curve["features"] for curve in loaded], axis=0)
        dots = ax.scatter(features, error, c=np.log10(lams), cmap="viridis", s=26)
        of_set = real[(real["experiment"] == name) & (real["method"] == "NDC-S") & (real["scale"] == "as distributed")]
        paper = of_set.set_index("metric")["paper"]
        ax.plot(paper["features"], paper["error"], "D", mfc="none", color="black", ms=9, label="paper")
        ax.set(title=name, xlabel="features in use", ylabel="error, held out", xscale="log", ylim=(0, 0.4))
        ax.xaxis.set_major_formatter(ScalarFormatter())
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.legend(frameon=False, loc="upper right")
    colours = figure.colorbar(dots, ax=axes[-1], ticks=np.log10([0.05, 0.2, 1.0]))
    colours.set_ticklabels(["0.05", "0.2", "1"])
    colours.set_label("λ")
    return figure


def genes(results: pd.DataFrame, n: int = 25) -> Figure:
    """The genes that NDC-S selects most often on west-2001; in colour those one row below the paper's five."""
    figure, axes = _figure(10, 5, 2)
    known = paper_genes_and_below(results).set_index("below")["normalized_frequency"]
    for ax, column, title in (
        (axes[0], "selected", "lambda with the lowest error"),
        (axes[1], "selected_1se", "lambda by the 1-SE rule"),
    ):
        frequency = selection_frequencies(results, column).head(n)[::-1]
        ax.barh(frequency.index, frequency, color=["#d55e00" if g in known.index else "0.75" for g in frequency.index])
        shown = [gene for gene in known.index if gene in frequency.index]
        ax.plot(
            known[shown], shown, "D", mfc="none", color="black", label="the paper's frequency of the gene one row above"
        )
        ax.set(title=title, xlabel="selected in a share of the fits", xlim=(0, 1.02))
        ax.tick_params(axis="y", labelsize=7)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", frameon=False)
    return figure


def ablation(results: pd.DataFrame) -> Figure:
    """Both norms, balanced and unbalanced classes: balanced error."""
    cells = results[results["experiment"] == "ablation"]
    settings = list(dict.fromkeys(cells["setting"]))
    figure, axes = _figure(9, 3.4, 2, sharey=True)
    for ax, method in zip(axes, ("NDC", "NDC-S"), strict=True):
        for shift, norm, colour in ((-0.2, "dn", "#0072b2"), (0.2, "euclidean", "#d55e00")):
            grouped = cells[cells["method"] == f"{method} {norm}"].groupby("setting")["balanced_error"]
            mean, error = grouped.mean()[settings], grouped.sem()[settings]
            ax.bar(np.arange(len(settings)) + shift, mean, 0.38, yerr=error, color=colour, label=f"{norm} norm")
        ax.axhline(0.75, color="0.6", lw=1, ls=":")
        ax.set(title=method, xticks=range(len(settings)))
        ax.set_xticklabels([s.replace("; ", "\n").replace(", ", " ") for s in settings], fontsize=7)
    axes[0].set_ylabel("balanced error (dotted: guessing)")
    axes[0].legend(frameon=False)
    return figure


def theory(results: pd.DataFrame) -> Figure:
    """Rows of panels: recovery, excess risk, gap to the minimiser and test error; one column per setting."""
    cells = results[results["experiment"] == "theory"]
    cells = cells.assign(
        blocks=cells["setting"].str.replace(r", n=\d+$", "", regex=True),
        n=cells["setting"].str.extract(r"n=(\d+)$")[0].astype(int),
    )
    panels = (
        ("recovered", "true blocks found exactly", "linear"),
        ("excess_risk", "W − W*", "log"),
        ("gap", "δ: empirical risk − optimum", "symlog"),
        ("error", "test error", "linear"),
    )
    figure = Figure(figsize=(12, 10.5), layout="constrained")
    grid = figure.subplots(len(panels), len(THEORY_BLOCKS), sharex=True, sharey="row")
    for column, blocks in enumerate(THEORY_BLOCKS):
        of_blocks = cells[cells["blocks"] == blocks.name]
        for row, (quantity, label, scale) in enumerate(panels):
            ax = grid[row, column]
            _theory_panel(ax, of_blocks, quantity)
            ax.set(xscale="log", yscale=scale)
            if scale == "symlog":
                ax.set_yscale("symlog", linthresh=1e-3)
            if column == 0:
                ax.set_ylabel(label)
        grid[0, column].set_title(blocks.name.replace(", ", "\n"))
        grid[-1, column].set_xlabel("training samples of each class")
    grid[0, -1].legend(frameon=False, loc="lower right")
    return figure


def _theory_panel(ax: Axes, cells: pd.DataFrame, quantity: str) -> None:
    for method, colour in THEORY_COLOURS.items():
        rows = cells[cells["method"] == method]
        means = rows.groupby("n")[quantity].mean()
        if means.notna().any():
            ax.plot(means.index, means, "o-", ms=3.5, lw=1.3, color=colour, label=THEORY_NAMES[method])
    if quantity == "gap" and cells["gap"].isna().all():
        ax.text(
            0.5, 0.5, "the minimiser is known\nfor two classes only", ha="center", transform=ax.transAxes, color="0.5"
        )
