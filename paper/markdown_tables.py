"""Cells as Markdown tables, and paragraphs cut into lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import fill

import pandas as pd
from cells import AGREES, BETTER, DIFFERS, WORSE, paper_genes_and_below, selection_frequencies
from settings import AUTO_METHODS, PLAIN_FOLDS, REAL_SETS, SCALES

from disjoint_centroids.evaluation import PAPER_METHODS

MARKS = {AGREES: "✓", BETTER: "▲", WORSE: "✗", DIFFERS: "✗"}
COLUMNS = ("NDC", "NDC auto", "NDC-S", "NDC-S auto", *PAPER_METHODS[2:])


_WIDTH = 120
_NO_PROSE = re.compile(r"#|\||!\[|- |```")


def wrapped(text: str) -> str:
    """Markdown with its paragraphs cut into lines anew; headings, tables, lists, pictures and code stay as they are."""
    parts = text.split("\n\n")
    return "\n\n".join(
        part if _NO_PROSE.match(part) else fill(part, _WIDTH, break_long_words=False, break_on_hyphens=False)
        for part in parts
    )


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table: first column to the left, the rest to the right."""
    lines = ["| " + " | ".join(header) + " |", "|" + ":--|" + "--:|" * (len(header) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def with_tables(page: str, tables: dict[str, str]) -> str:
    """A page with each table between the comments that bear its name."""
    for name, table in tables.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, rest = page.split(begin)
        page = f"{before}{begin}\n\n{table}\n\n{end}{rest.split(end)[1]}"
    return page


def number(value: float, metric: str) -> str:
    """Errors with three decimals, numbers of features as far as they mean something."""
    if metric == "error":
        return f"{value:.3f}"
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def simulation_table(cells: pd.DataFrame, experiment: str, metric: str) -> str:
    """One row per setting; in each cell ours with its standard error, the paper's below, and the mark."""
    cells = cells[(cells["experiment"] == experiment) & (cells["metric"] == metric)]
    rows = []
    for setting, group in cells.groupby("setting", sort=False):
        by_method = group.set_index("method")
        rows.append([_short(setting), *(_beside(by_method.loc[m], metric) for m in COLUMNS if m in by_method.index)])
    present = set(cells["method"])
    return markdown(["", *(m for m in COLUMNS if m in present)], rows)


def _short(setting: str) -> str:
    return setting.split(" ", 1)[1].replace(" r=0", "").replace(" ", ", ")


def _beside(cell: pd.Series, metric: str) -> str:
    ours, se = number(cell["ours"], metric), number(cell["se"], metric)
    return f"{ours} ± {se}<br>{cell['paper']:g} {MARKS[cell['verdict']]}"


def differing_cells(cells: pd.DataFrame, verdicts: Sequence[str]) -> str:
    """The cells with these verdicts, the largest difference first."""
    chosen = cells[cells["verdict"].isin(verdicts)].sort_values("in_errors", key=abs, ascending=False)
    rows = [
        [
            _cell_name(cell),
            cell.method,
            f"{number(cell.ours, cell.metric)} ± {number(cell.se, cell.metric)}",
            f"{cell.paper:g}",
            f"{cell.in_errors:+.1f}",
        ]
        for cell in chosen.itertuples()
    ]
    return markdown(["cell", "method", "ours", "paper", "difference in standard errors"], rows)


def _cell_name(cell: object) -> str:
    what = "" if cell.metric == "error" else ", features"  # type: ignore[attr-defined]
    return f"{cell.setting.replace(' r=0', '')}{what}"  # type: ignore[attr-defined]


def real_table(real: pd.DataFrame, name: str, metric: str) -> str:
    """One row per method: the paper's figure, ours on its scale with the range over splits, ours on log2."""
    cells = real[(real["experiment"] == name) & (real["metric"] == metric)]
    rows = []
    for method in COLUMNS:
        at = cells[cells["method"] == method].set_index("scale")
        if at.empty:
            continue
        paper = at.iloc[0]
        shown = f"{paper['paper']:g} ({paper['paper_se']:g})" if method in PAPER_METHODS else ""
        rows.append([method, shown, *(_range(at, scale, metric, method) for scale in (*SCALES, PLAIN_FOLDS))])
    return markdown(
        ["", "paper (one split)", "ours, as distributed", "ours, log2", "ours, as distributed, plain folds"], rows
    )


def _range(at: pd.DataFrame, scale: str, metric: str, method: str) -> str:
    if scale not in at.index:
        return ""
    cell = at.loc[scale]
    text = f"{number(cell['ours'], metric)} [{number(cell['low'], metric)}, {number(cell['high'], metric)}]"
    if scale == "log2" or method in AUTO_METHODS:
        return text
    return text + (" ✓" if cell["inside"] else " ✗")


def gene_table(results: pd.DataFrame) -> str:
    """Table 12: the paper's five genes and those one row below, our selection frequencies and ranks."""
    rules = {"lowest error": "selected", "1-SE": "selected_1se"}
    frequencies = [selection_frequencies(results, column) for column in rules.values()]
    rows = []
    for gene in paper_genes_and_below(results).itertuples():
        row = [gene.gene, f"{gene.normalized_frequency:.2f}", *(_often(f, gene.gene) for f in frequencies)]
        rows.append([*row, gene.below, *(_often(f, gene.below) for f in frequencies)])
    ours = [f"ours, {rule} (rank)" for rule in rules]
    return markdown(["gene named in the paper", "paper", *ours, "gene one row below", *ours], rows)


def _often(frequency: pd.Series, gene: str) -> str:
    if gene not in frequency.index:
        return "never"
    return f"{frequency[gene]:.2f} ({int((frequency > frequency[gene]).sum()) + 1})"


def top_genes(results: pd.DataFrame, n: int = 10) -> str:
    """Our most frequent genes, by the 1-SE rule."""
    known = set(paper_genes_and_below(results)["below"])
    frequency = selection_frequencies(results, "selected_1se").head(n)
    rows = [[gene, f"{share:.2f}", "yes" if gene in known else ""] for gene, share in frequency.items()]
    return markdown(["gene", "selection frequency", "one row below a gene of the paper"], rows)


def ablation_table(results: pd.DataFrame) -> str:
    """Error and balanced error in both norms."""
    cells = results[results["experiment"] == "ablation"]
    rows = []
    for setting, group in cells.groupby("setting", sort=False):
        by_method = group.groupby("method")[["error", "balanced_error", "repaired"]].agg(["mean", "sem"])
        row = [setting]
        for method in ("NDC", "NDC-S"):
            for norm in ("dn", "euclidean"):
                at = by_method.loc[f"{method} {norm}"]
                row.append(
                    f"{at['error', 'mean']:.3f} ± {at['error', 'sem']:.3f}<br>({at['balanced_error', 'mean']:.3f})"
                )
        rows.append([*row, f"{by_method.loc['NDC euclidean']['repaired', 'mean']:.0%}"])
    header = ["class sizes; setting", "NDC dn", "NDC Euclidean", "NDC-S dn", "NDC-S Euclidean", "a class left empty"]
    return markdown(header, rows)


def theory_table(results: pd.DataFrame, blocks: str, column: str, form: str) -> str:
    """One quantity at every number of training samples, one column per way to fit."""
    cells = results[(results["experiment"] == "theory") & results["setting"].str.startswith(f"{blocks}, n=")]
    cells = cells.assign(n=cells["setting"].str.extract(r"n=(\d+)$")[0].astype(int))
    means = cells.pivot_table(index="n", columns="method", values=column, sort=False)
    methods = [m for m in ("NDC", "NDC risk", "NDC auto", "optimum") if m in means.columns]
    rows = [[str(n), *(format(means.loc[n, m], form) for m in methods)] for n in sorted(means.index)]
    return markdown(["samples per class", *methods], rows)


def time_table(results: pd.DataFrame) -> str:
    """Seconds of each method, in the simulations and on the real sets."""
    rows = []
    parts = {
        "simulations": results["experiment"].str.startswith("simulation"),
        "real sets": results["experiment"].isin(REAL_SETS),
    }
    for method in COLUMNS:
        row = [method]
        for chosen in parts.values():
            seconds = results.loc[chosen & (results["method"] == method), "seconds"]
            row.append(f"{seconds.sum() / 60:.1f} min ({seconds.mean():.2f} s per job)" if len(seconds) else "not run")
        rows.append(row)
    return markdown(["", *parts], rows)
