"""The steps of a run, by the functions that the commands ``fit``, ``report``, ``features`` and so on call."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from disjoint_centroids._spoken import spoken_in_summary
from disjoint_centroids.app.runs import FILES, write_json
from disjoint_centroids.app.words import in_words
from disjoint_centroids.evaluation.feature_lists import FeatureList
from disjoint_centroids.evaluation.method_settings import MethodSettings
from disjoint_centroids.evaluation.methods import OURS
from disjoint_centroids.exports.feature_lists import write_features
from disjoint_centroids.exports.plain_values import plain_values
from disjoint_centroids.exports.tables import write_table
from disjoint_centroids.markers.evaluation import evaluate_markers
from disjoint_centroids.models.model_file import save_model
from disjoint_centroids.pipeline import as_seen, fit_within_batches, model_pipeline
from disjoint_centroids.plots import MarkerDotDisplay
from disjoint_centroids.plots.embedded import as_data_uri
from disjoint_centroids.report import summarize
from disjoint_centroids.report.markers import render_markers, summarize_markers
from disjoint_centroids.report.methods import default_jobs
from disjoint_centroids.report.page import page_data, render_with
from disjoint_centroids.tables import LabelledTable
from disjoint_centroids.tables.table_settings import TableSettings


def do_fit(folder: Path, job: dict[str, Any], stage: Callable[[str], None]) -> None:
    """Fit a table in the folder of the run.

    Parameters
    ----------
    folder : pathlib.Path
        Holds the files that the job names; gets model, report, lists and facts.
    job : dict
        ``file``, ``name`` (the user's, to be shown), ``reading``, ``batch``, ``method``, ``transform``, ``seed``,
        ``stability``, ``commands``.
    stage : callable
        Is told the name of every stage.
    """
    reading, wanted = table_settings(job["reading"], folder), method_settings(job["method"], folder)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        table = _read(folder, job, reading)
        stage("Fitting")
        model = model_pipeline(
            wanted.build(table, seed=job["seed"], verbose=True), transform=job["transform"], impute=reading.imputation
        )
        with wanted.as_named():
            fit_within_batches(model, table.values, table.labels, table.batch)
            wanted.warn_if_short(model[-1])
        save_model(model, folder / "model.ndc", table=table, settings=_settings(job, reading, wanted))
        stage("Comparing with other methods")
        summary = _summary(table, job, reading, wanted)
        if wanted.chosen == "panel":
            stage("Finding replacements")
            summary["alternates"] = _alternates(model, table, folder)
    stage("Writing the report")
    data = plain_values(page_data(summary))
    (folder / "report.html").write_text(render_with(summary, data), encoding="utf-8")
    for name in FILES:
        if name.startswith("lists."):
            write_features(model[-1], folder / name)
    write_json(folder / "summary.json", summary)
    write_json(folder / "page.json", data)
    remarks = list(dict.fromkeys(in_words(str(one.message).removeprefix(f"{folder / job['file']}: ")) for one in said))
    write_json(folder / "run.json", _facts(job, summary, remarks))


def do_list(folder: Path, job: dict[str, Any], stage: Callable[[str], None]) -> None:
    """Judge a list of features on a table in the folder of the run; ``job`` as for :func:`do_fit`, without a method."""
    import matplotlib as mpl

    mpl.use("Agg")
    reading = table_settings(job["reading"], folder)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        table = _read(folder, job, reading)
        listed = replace(FeatureList.read(folder / job["markers"], table.names), source=job["list_name"])
        stage("Judging the list")
        found = evaluate_markers(
            table.values,
            table.labels,
            listed,
            batch=table.batch,
            transform=job["transform"],
            impute=reading.imputation,
            parameters={} if job["direction"] is None else {"direction": job["direction"]},
            random_state=job["seed"],
            verbose=1,
        )
    stage("Writing the report")
    summary = summarize_markers(found, source=job["list_name"], table=job["name"], command=job["commands"][0])
    picture = as_data_uri(MarkerDotDisplay.from_table(found.dots))
    (folder / "list.html").write_text(render_markers(summary, picture), encoding="utf-8")
    write_json(folder / "summary.json", summary | {"picture": picture})
    own = min((row for row in summary["errors"] if row["list"] == "given"), key=lambda row: float(row["error"]))
    facts = {
        "table": job["title"],
        "n_samples": len(table.values),
        "n_features": table.values.shape[1],
        "classes": [{"class": label} for label in dict.fromkeys(row["class"] for row in summary["classes"])],
        **{name: own[name] for name in ("error", "low", "high")},
        "n_used": len(summary["markers"]),
        "remarks": list(dict.fromkeys(in_words(str(one.message)) for one in said)),
    }
    write_json(folder / "run.json", _common_facts(job) | facts)


WORK = {"fit": do_fit, "list": do_list}
"""Work of each kind of run."""


def _read(folder: Path, job: dict[str, Any], reading: TableSettings) -> LabelledTable:
    return replace(reading.read(folder / job["file"], batch=job["batch"]), source=job["name"])


def _alternates(model: Pipeline, table: LabelledTable, folder: Path) -> dict[str, Any]:
    """Find replacements and write them as ``ndc alternates`` does; a panel that has none gets the reason."""
    assert table.labels is not None
    try:
        seen = as_seen(model, table.values)
        found = model[-1].alternates(seen, table.labels.to_numpy(), batch=table.batch, verbose=1)
    except ValueError as error:
        return {"rows": [], "reason": in_words(str(error))}
    for name in ("alternates.csv", "alternates.xlsx"):
        write_table(folder / name, [found])
    rows: list[dict[str, Any]] = plain_values(found.to_dict("records"))
    return {"rows": rows, "reason": ""}


def _summary(table: LabelledTable, job: dict[str, Any], reading: TableSettings, wanted: MethodSettings) -> Any:
    found = summarize(
        table,
        method=OURS[wanted.chosen],
        parameters=wanted.parameters(table, by_position=True),
        transform=job["transform"],
        impute=reading.imputation,
        stability=job["stability"],
        random_state=job["seed"],
        repeats=job["repeats"],
        n_jobs=default_jobs(table.values.size),
        command=job["commands"][-1],
        verbose=1,
    )
    return plain_values(spoken_in_summary(found, lambda text: in_words(wanted.named(text))))


def _settings(job: dict[str, Any], reading: TableSettings, wanted: MethodSettings) -> dict[str, Any]:
    """Settings that a model file keeps, as ``ndc fit`` writes them."""
    return {
        "table": job["name"],
        "target": reading.target,
        **({} if job["batch"] is None else {"batch": job["batch"]}),
        "transform": job["transform"],
        "impute": reading.imputation,
        **reading.cell_rules(),
        "engine": "memory",
        "seed": job["seed"],
        **{name: _shown_file(getattr(wanted, name), job) or value for name, value in wanted.settings().items()},
    }


def _shown_file(value: Any, job: dict[str, Any]) -> str | None:
    """Name that a file had; None if this is none."""
    return str(job["names"].get(value.name, value.name)) if isinstance(value, Path) else None


def _facts(job: dict[str, Any], summary: dict[str, Any], remarks: list[str]) -> dict[str, Any]:
    """Facts for the list of runs."""
    own = next((row for row in summary["answer"]["methods"] if row["own"]), None)
    return _common_facts(job) | {
        "table": job["name"],
        "n_samples": summary["n_samples"],
        "n_features": summary["n_features"],
        "classes": [{"class": row["class"], "features": row["features"]} for row in summary["classes"]],
        "method": job["method"].get("method") or "panel",
        "error": None if own is None else own["error"],
        "low": None if own is None else own["low"],
        "high": None if own is None else own["high"],
        "n_used": summary["owners"]["n_used"],
        "alternates_command": job["alternates_command"],
        "remarks": remarks,
    }


def _common_facts(job: dict[str, Any]) -> dict[str, Any]:
    """Facts that runs of all kinds have."""
    made = datetime.now(UTC).isoformat(timespec="seconds")
    return {"kind": job["kind"], "created": made} | {name: job[name] for name in ("shown", "commands", "reading")}


def table_settings(values: dict[str, Any], folder: Path) -> TableSettings:
    """Make settings for reading from JSON; files are in the folder."""
    return TableSettings(**_with_files(TableSettings, values, folder, ("labels",)))


def method_settings(values: dict[str, Any], folder: Path) -> MethodSettings:
    """Make settings of a method from JSON; files are in the folder."""
    found = _with_files(MethodSettings, values, folder, ("costs", "exclude_file", "allow_file", "extend"))
    if found.get("detection") is not None:
        found["detection"] = tuple(float(bound) for bound in found["detection"])
    return MethodSettings(**found)


def _with_files(kind: type, values: dict[str, Any], folder: Path, files: tuple[str, ...]) -> dict[str, Any]:
    known = {field.name for field in fields(kind)}
    return {
        name: folder / value if name in files and value is not None else value
        for name, value in values.items()
        if name in known
    }
