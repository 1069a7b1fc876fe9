"""The answer with which the page opens: how far the paper's results are reproduced, counted from the cells."""

from __future__ import annotations

import pandas as pd
from cells import AGREES, BETTER, DIFFERS, WORSE, r_runs
from markdown_tables import markdown
from settings import AUTO_METHODS, PAPER, REAL_SETS

from disjoint_centroids.evaluation import PAPER_METHODS

OURS = ("NDC", "NDC-S")
PEERS = tuple(method for method in PAPER_METHODS if method not in OURS)
SAID = {AGREES: "agree", BETTER: "better", WORSE: "worse", DIFFERS: "differ"}
GROUPS = {"NDC and NDC-S": OURS, f"the {len(PEERS)} other methods": PEERS, '`init="auto"`': AUTO_METHODS}


def share(some: int, of: int) -> str:
    """A count as a sentence has it: "all 72", or "70 of 72"."""
    return f"all {of}" if some == of else f"{some} of {of}"


def opening(cells: pd.DataFrame, real: pd.DataFrame) -> str:
    """The answer in a few sentences."""
    errors = cells[cells["metric"] == "error"]
    ours, peers = (errors.loc[errors["method"].isin(methods), "verdict"] for methods in (OURS, PEERS))
    good, lower = int(ours.isin([AGREES, BETTER]).sum()), int((ours == BETTER).sum())
    outside = _outside(real)
    inside = _real_errors(real)["inside"]
    agreeing = share(int((peers == AGREES).sum()), len(peers))
    within = share(int(inside.sum()), len(inside))
    return f"""On the simulations of the [paper]({PAPER}) by Fraiman and Li {share(good, len(ours))} errors of NDC
and NDC-S agree with the paper's or are better ({lower} are better), and {agreeing} errors of the {len(PEERS)} other
methods agree. On its three gene expression sets {within} errors lie within the range of ours over repeated
splits{_by_r(outside)}.

How good a method is depends on the scale of the values: {_scales(real)} [Real data](real-data.md) compares the methods
on 35 sets."""


def _real_errors(real: pd.DataFrame) -> pd.DataFrame:
    return real[(real["metric"] == "error") & (real["scale"] == "as distributed") & real["method"].isin(PAPER_METHODS)]


def _outside(real: pd.DataFrame) -> list[tuple[str, str]]:
    cells = _real_errors(real)
    return [(cell.experiment, cell.method) for cell in cells[~cells["inside"]].itertuples()]


def _by_r(outside: list[tuple[str, str]]) -> str:
    if not outside:
        return ""
    known = set(r_runs()[["experiment", "method"]].itertuples(index=False, name=None))
    explained = sum(cell in known for cell in outside)
    others = f"the other {len(outside)}"
    whose = others if explained == len(outside) else f"{explained} of {others}"
    return f"; [runs of R](#where-we-differ-and-why) show the reason for {whose}"


def _scales(real: pd.DataFrame) -> str:
    """NDC-S beside the nearest centroid on both scales."""
    errors = real[real["metric"] == "error"]
    means = errors[errors["method"].isin(["NDC-S", "NC"])].pivot_table(index="scale", columns="method", values="ours")
    said = {scale: f"{means['NDC-S'][scale]:.3f} and {means['NC'][scale]:.3f}" for scale in ("as distributed", "log2")}
    return (
        "over these three sets NDC-S and nearest centroid have mean errors of "
        f"{said['as distributed']} on the raw values that the paper used, and of {said['log2']} on log2 values."
    )


def counts_table(cells: pd.DataFrame, real: pd.DataFrame) -> str:
    """One row per table of the paper, counting the cells that agree with it."""
    rows = [
        [str(number), f"Simulation {number}, error", *_verdicts(cells, f"simulation-{number}", "error")]
        for number in (1, 2, 3, 4)
    ]
    rows.append(["5", "Simulation 4, number of features", *_verdicts(cells, "simulation-4", "features")])
    for at, name in enumerate(REAL_SETS):
        for table, metric in ((6 + 2 * at, "error"), (7 + 2 * at, "features")):
            what = "error" if metric == "error" else "number of features"
            rows.append([str(table), f"{name}, {what}", *_insides(real, name, metric)])
    text = markdown(["the paper's table", "what it shows", *GROUPS], rows)
    return text.replace("--:|", ":--|")  # words, not figures


def _verdicts(cells: pd.DataFrame, experiment: str, metric: str) -> list[str]:
    at = cells[(cells["experiment"] == experiment) & (cells["metric"] == metric)]
    found = []
    for methods in GROUPS.values():
        verdicts = list(at.loc[at["method"].isin(methods), "verdict"])
        counted = [f"{verdicts.count(verdict)} {said}" for verdict, said in SAID.items() if verdict in verdicts]
        found.append(", ".join(counted))
    return found


def _insides(real: pd.DataFrame, name: str, metric: str) -> list[str]:
    at = real[(real["experiment"] == name) & (real["metric"] == metric) & (real["scale"] == "as distributed")]
    counted = []
    for methods in (OURS, PEERS):
        inside = at.loc[at["method"].isin(methods), "inside"]
        counted.append(f"{int(inside.sum())} of {len(inside)} within our range")
    return [*counted, ""]


def auto(cells: pd.DataFrame) -> str:
    """Results of init="auto" beside the paper's figures, as a paragraph."""
    errors = cells[(cells["metric"] == "error") & cells["method"].isin(AUTO_METHODS)]
    worst = errors.loc[errors["difference"].idxmax()]
    few = errors[errors["experiment"].isin(["simulation-2", "simulation-3"]) & (errors["d"] == 3)]
    better, worse = (int((errors["verdict"] == verdict).sum()) for verdict in (BETTER, WORSE))
    clearly = int((few["verdict"] == BETTER).sum())
    return f"""**`init="auto"`** lets cross-validation choose the kind of start. Of {len(errors)} errors {better} are
better than the paper's and {worse} worse; the least favourable difference is {worst["difference"]:+.3f} ±
{worst["se"]:.3f} ({worst["method"]} on {worst["setting"].replace(" r=0", "")}). It helps most where spreads differ and
features are few (Simulations 2 and 3, d = 3): {clearly} of {len(few)} errors are better, and the mean difference from
the paper's is {few["difference"].mean():+.3f}."""
