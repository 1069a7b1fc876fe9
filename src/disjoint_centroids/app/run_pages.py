"""Pages of runs: the progress of one, its answer, the list of all, two side by side."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from disjoint_centroids.app.forms import read_form, read_upload
from disjoint_centroids.app.pages import go, not_found, show
from disjoint_centroids.app.runs import FILES, Run, new_id, write_json

ANSWER_PAGES = {
    "": "Answer",
    "features": "Who owns what",
    "errors": "Errors",
    "sample": "One sample",
    "alternates": "Replacements",
    "new": "New samples",
    "files": "Files",
}
"""Pages of an answer, by the last part of their addresses."""
SHOWN = 500
"""Rows of a long table that a page shows; files have all."""
_KINDS = {"list": ("", "files"), "model": ("new", "files")}
"""Pages of runs that are no fits."""


def pages_of(run: Run) -> dict[str, str]:
    """List the pages of an answer, with their titles; earlier versions found no replacements."""
    names = _KINDS.get(run.facts["kind"], ANSWER_PAGES)
    without = () if run.facts.get("alternates_command") and run.facts["method"] == "panel" else ("alternates",)
    return {name: ANSWER_PAGES[name] for name in names if name not in without}


def run_routes() -> list[Route]:
    """Routes of runs."""
    return [
        Route("/runs", all_runs, methods=["GET"]),
        Route("/compare", compare_page, methods=["GET"]),
        Route("/models", add_model, methods=["PUT"]),
        Route("/runs/{id}", run_page, methods=["GET"]),
        Route("/runs/{id}/events", events, methods=["GET"]),
        Route("/runs/{id}/cancel", cancel, methods=["POST"]),
        Route("/runs/{id}/delete", delete, methods=["POST"]),
        Route("/runs/{id}/files/{name}", run_file, methods=["GET"]),
        Route("/runs/{id}/{page}", run_page, methods=["GET"]),
    ]


async def all_runs(request: Request) -> Response:
    """List the runs."""
    runs = await asyncio.to_thread(request.app.state.runs.all)
    jobs = [job for job in request.app.state.jobs.known.values() if not job.ended]
    return show(
        request, "runs.html.j2", section="runs", runs=runs, jobs=jobs, folder=str(request.app.state.runs.folder)
    )


async def run_page(request: Request) -> Response:
    """Show the answer of a run, or its progress."""
    run_id, page = request.path_params["id"], request.path_params.get("page", "")
    run = request.app.state.runs.get(run_id)
    job = request.app.state.jobs.known.get(run_id)
    if run is None and job is None:
        raise not_found("run")
    if run is None:
        assert job is not None
        return show(request, "progress.html.j2", section="runs", job=job)
    if run.facts["kind"] == "model" and page == "":
        return go(f"/runs/{run_id}/new")
    if page not in pages_of(run):
        raise not_found("page")
    return await _answer_page(request, run, page)


async def _answer_page(request: Request, run: Run, page: str) -> Response:
    from disjoint_centroids.report.markers import LISTS, READINGS

    charted = run.facts["kind"] == "fit" and page in ("", "features", "errors", "sample")
    data = await asyncio.to_thread(run.page_data) if charted else None
    report = await asyncio.to_thread(run.summary)
    return show(
        request,
        "answer_list.html.j2" if run.facts["kind"] == "list" and not page else f"answer_{page or 'overview'}.html.j2",
        section="runs",
        run=run,
        page=page,
        pages=pages_of(run),
        lists=LISTS,
        replaced=_replaced(report["alternates"]["rows"]) if report and page == "alternates" else None,
        readings=READINGS,
        report=report,
        data=None if data is None else data | {"table_code": "/static/tables.js"},
        sample_page=f"/runs/{run.id}/sample",
        warnings_page="",
    )


def _replaced(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Replacements of each feature in one row, for the page."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        change = f"{100 * row['error_change']:+.1f}; {row['loss_change']:+.4f}".replace("-", "\u2212")
        if row["rank"] == 0:
            found[row["feature"]] = {"feature": row["feature"], "class": row["class"], "lost": change, "others": []}
        else:
            found[row["feature"]]["others"].append(f"{row['alternate']} ({change})")
    error = rows[0]["error"] - rows[0]["error_change"] if rows else None
    return {"rows": list(found.values())[:SHOWN], "n": len(found), "error": error}


async def events(request: Request) -> Response:
    """Send the progress of a run as server-sent events."""
    jobs, run_id = request.app.state.jobs, request.path_params["id"]
    job = jobs.known.get(run_id)
    if job is None and request.app.state.runs.get(run_id) is None:
        raise not_found("run")

    async def stream() -> AsyncIterator[str]:
        if job is None:  # of another server, or of one before
            yield _event({"state": "done", "share": 1.0})
            return
        async for told in jobs.follow(job):
            yield _event(told)

    return StreamingResponse(stream(), media_type="text/event-stream", headers={"x-accel-buffering": "no"})


def _event(values: dict[str, Any]) -> str:
    return f"data: {json.dumps(values)}\n\n"


async def cancel(request: Request) -> Response:
    """Stop a run at once."""
    await read_form(request)
    job = request.app.state.jobs.known.get(request.path_params["id"])
    if job is None:
        raise not_found("run")
    await request.app.state.jobs.cancel(job)
    return go(f"/runs/{job.id}")


async def delete(request: Request) -> Response:
    """Delete a finished run."""
    await read_form(request)
    run_id = request.path_params["id"]
    if not await asyncio.to_thread(request.app.state.runs.delete, run_id):
        raise not_found("run")
    request.app.state.jobs.known.pop(run_id, None)
    return go("/runs")


async def run_file(request: Request) -> Response:
    """Send a file of a run, to be saved."""
    run, name = _run(request), request.path_params["name"]
    if name not in run.files():
        raise not_found("file")
    stem = Path(run.facts["table"]).name.split(".")[0] or "table"
    return FileResponse(run.folder / name, media_type=FILES[name], filename=f"{stem}-{name}")


async def compare_page(request: Request) -> Response:
    """Show two runs side by side."""
    asked = request.query_params.getlist("run")[:2]
    found = [run for name in asked if (run := request.app.state.runs.get(name)) is not None]
    runs = [run for run in found if run.facts["kind"] == "fit"]
    if len(runs) < 2:
        return show(request, "choose_two.html.j2", section="runs")
    summaries = [await asyncio.to_thread(run.summary) for run in runs]
    shared = _shared_features([summary for summary in summaries if summary is not None])
    return show(request, "compare.html.j2", section="runs", runs=runs, reports=summaries, shared=shared)


def _shared_features(summaries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Features of each class that both runs have, and that only one has."""
    lists = []
    for summary in summaries:
        own: dict[str, list[str]] = {}
        for name, owner, *_ in summary["owners"]["rows"]:
            if owner:
                own.setdefault(owner, []).append(name)
        lists.append(own)
    if len(lists) < 2:
        return []
    labels = dict.fromkeys([*lists[0], *lists[1]])
    return [_shared_of(label, lists[0].get(label, []), lists[1].get(label, [])) for label in labels]


def _shared_of(label: str, first: list[str], second: list[str]) -> dict[str, Any]:
    there, other = set(first), set(second)
    return {
        "class": label,
        "both": [name for name in first if name in other],
        "first": [name for name in first if name not in other],
        "second": [name for name in second if name not in there],
    }


async def add_model(request: Request) -> Response:
    """Take a model file that somebody else may have written; the safe loader decides whether it is one."""
    from starlette.exceptions import HTTPException

    runs, run_id = request.app.state.runs, new_id()
    folder = runs.begin(run_id)
    try:
        upload = await read_upload(request, folder, "model", endings=(".ndc",))
        facts = await asyncio.to_thread(_model_facts, upload.path, upload.name)
        write_json(folder / "run.json", facts)
        runs.finish(run_id)
    except BaseException as error:
        runs.discard(run_id)
        if isinstance(error, ValueError | OSError):
            text = str(error).replace(str(folder / "model.ndc"), "This file")
            raise HTTPException(415, text) from error
        raise
    return JSONResponse({"location": f"/runs/{run_id}/new"})


def _model_facts(path: Path, name: str) -> dict[str, Any]:
    from disjoint_centroids.models.model_file import load_model

    saved = load_model(path)
    fitted = saved.pipeline[-1]
    sets = zip(saved.classes, fitted.feature_sets_, strict=True) if hasattr(fitted, "feature_sets_") else []
    return {
        "kind": "model",
        "table": name,
        "created": saved.created,
        "n_samples": None,
        "n_features": len(saved.feature_names),
        "classes": [{"class": str(label), "features": int(own.size)} for label, own in sets],
        "method": type(fitted).__name__,
        "error": None,
        "n_used": int(fitted.get_support().sum()),
        "shown": [["Model", type(fitted).__name__], ["Trained on", str(saved.settings.get("table", "not known"))]],
        "commands": [],
        "remarks": [],
    }


def _run(request: Request) -> Run:
    run: Run | None = request.app.state.runs.get(request.path_params["id"])
    if run is None:
        raise not_found("run")
    return run
