"""The steps of a run, by the functions that ``ndc fit``, ``ndc report`` and ``ndc features`` call."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from disjoint_centroids.app.runs import FILES, write_json
from disjoint_centroids.app.words import in_words, summary_in_words
from disjoint_centroids.evaluation.method_settings import MethodSettings
from disjoint_centroids.evaluation.methods import OURS
from disjoint_centroids.exports.feature_lists import write_features
from disjoint_centroids.exports.plain_values import plain_values
from disjoint_centroids.models.model_file import save_model
from disjoint_centroids.pipeline import model_pipeline
from disjoint_centroids.report import render, summarize
from disjoint_centroids.report.page import page_data
from disjoint_centroids.tables import LabelledTable
from disjoint_centroids.tables.table_settings import TableSettings


def do_run(folder: Path, job: dict[str, Any], stage: Callable[[str], None]) -> None:
    """Do a run in its folder.

    Parameters
    ----------
    folder : pathlib.Path
        Holds the files that the job names; gets model, report, lists and facts.
    job : dict
        ``file``, ``name`` (the user's, to be shown), ``reading``, ``method``, ``transform``, ``seed``, ``stability``,
        ``commands``.
    stage : callable
        Is told the name of every stage.
    """
    reading, wanted = table_settings(job["reading"], folder), method_settings(job["method"], folder)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        table = replace(reading.read(folder / job["file"]), source=job["name"])
        stage("Fitting")
        model = model_pipeline(
            wanted.build(table, seed=job["seed"], verbose=True), transform=job["transform"], impute=reading.imputation
        ).fit(table.values, table.labels)
        save_model(model, folder / "model.ndc", table=table, settings=_settings(job, reading, wanted))
        stage("Comparing with other methods")
        summary = _summary(table, job, reading, wanted)
    stage("Writing the report")
    page = render(summary)
    (folder / "report.html").write_text(page, encoding="utf-8")
    for name in FILES:
        if name.startswith("lists."):
            write_features(model[-1], folder / name)
    write_json(folder / "summary.json", summary)
    write_json(folder / "page.json", plain_values(page_data(summary)))
    remarks = list(dict.fromkeys(in_words(str(one.message).removeprefix(f"{folder / job['file']}: ")) for one in said))
    write_json(folder / "run.json", _facts(job, summary, remarks))


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
        command=job["commands"][-1],
        verbose=1,
    )
    return plain_values(summary_in_words(found))


def _settings(job: dict[str, Any], reading: TableSettings, wanted: MethodSettings) -> dict[str, Any]:
    """Settings that a model file keeps, as ``ndc fit`` writes them."""
    return {
        "table": job["name"],
        "target": reading.target,
        "transform": job["transform"],
        "impute": reading.imputation,
        **reading.cell_rules(),
        "engine": "memory",
        "seed": job["seed"],
        **wanted.settings(),
    }


def _facts(job: dict[str, Any], summary: dict[str, Any], remarks: list[str]) -> dict[str, Any]:
    """Facts for the list of runs."""
    own = next((row for row in summary["answer"]["methods"] if row["own"]), None)
    return {
        "kind": "fit",
        "table": job["name"],
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "n_samples": summary["n_samples"],
        "n_features": summary["n_features"],
        "classes": [{"class": row["class"], "features": row["features"]} for row in summary["classes"]],
        "method": job["method"].get("method") or "panel",
        "error": None if own is None else own["error"],
        "low": None if own is None else own["low"],
        "high": None if own is None else own["high"],
        "n_used": summary["owners"]["n_used"],
        "shown": job["shown"],
        "commands": job["commands"],
        "remarks": remarks,
        "reading": job["reading"],
    }


def table_settings(values: dict[str, Any], folder: Path) -> TableSettings:
    """Make settings for reading from JSON; files are in the folder."""
    return TableSettings(**_with_files(TableSettings, values, folder, ("labels",)))


def method_settings(values: dict[str, Any], folder: Path) -> MethodSettings:
    """Make settings of a method from JSON; files are in the folder."""
    return MethodSettings(
        **_with_files(MethodSettings, values, folder, ("costs", "exclude_file", "allow_file", "extend"))
    )


def _with_files(kind: type, values: dict[str, Any], folder: Path, files: tuple[str, ...]) -> dict[str, Any]:
    known = {field.name for field in fields(kind)}
    return {
        name: folder / value if name in files and value is not None else value
        for name, value in values.items()
        if name in known
    }
