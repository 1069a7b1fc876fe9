"""Pages of new samples: their labels, and why."""

from __future__ import annotations

import asyncio
import json
import secrets
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from disjoint_centroids.app.forms import read_form, read_upload
from disjoint_centroids.app.pages import go, not_found, show
from disjoint_centroids.app.run_pages import pages_of
from disjoint_centroids.app.runs import FILES, Run

_ENDINGS = {"predicted.csv": FILES["lists.csv"], "predicted.xlsx": FILES["lists.xlsx"]}
_ADDRESS = "/runs/{id}/new/{samples}"


def sample_routes() -> list[Route]:
    """Routes of new samples."""
    return [
        Route("/runs/{id}/new", add_samples, methods=["PUT"]),
        Route(_ADDRESS, samples_page, methods=["GET"]),
        Route(_ADDRESS, change_samples, methods=["POST"]),
        Route(_ADDRESS + "/files/{name}", samples_file, methods=["GET"]),
        Route(_ADDRESS + "/why/{at:int}", why_page, methods=["GET"]),
        Route(_ADDRESS + "/why/{at:int}/picture.png", why_picture, methods=["GET"]),
    ]


async def add_samples(request: Request) -> Response:
    """Take a table of new samples."""
    from disjoint_centroids.app.samples import NewSamples
    from disjoint_centroids.tables.table_settings import TableSettings

    run = _run(request)
    upload = await read_upload(request, request.app.state.drafts.new_folder(), "table")
    # What was true of the training table is the best guess for a table of the same hands.
    in_rows = bool(run.facts.get("reading", {}).get("features_in_rows", False))
    reading = TableSettings(features_in_rows=in_rows)
    samples = NewSamples(secrets.token_hex(8), run.id, upload.path, upload.name, reading)
    request.app.state.samples[samples.id] = samples
    return JSONResponse({"location": f"/runs/{run.id}/new/{samples.id}"})


async def samples_page(request: Request) -> Response:
    """Show the labels of new samples, or what is wrong with their table."""
    run, samples = _run(request), _samples(request)
    found = await _found(samples, run)
    return _show(request, "samples.html.j2", run, samples=samples, found=found, rows=found.rows())


async def change_samples(request: Request) -> Response:
    """Read the table in another way."""
    samples, form = _samples(request), await read_form(request)
    if "cure" in form:
        try:
            changes = json.loads(form["cure"])
        except ValueError:
            changes = {}
        samples.apply(changes if isinstance(changes, dict) else {})
    elif "confidence" in form:
        samples.apply({"confidence": form["confidence"]})
    elif "features_in_rows" in form:
        samples.apply({"features_in_rows": form["features_in_rows"] == "yes"})
    return go(f"/runs/{samples.run}/new/{samples.id}")


async def samples_file(request: Request) -> Response:
    """Send the predictions, to be saved."""
    from disjoint_centroids.app.samples import write_predictions

    run, samples, name = _run(request), _samples(request), request.path_params["name"]
    found = await _found(samples, run)
    if name not in _ENDINGS or found.answer is None:
        raise not_found("file")
    path = samples.file.with_name(name)
    await asyncio.to_thread(write_predictions, found, path)
    stem = Path(samples.name).name.split(".")[0] or "table"
    return FileResponse(path, media_type=_ENDINGS[name], filename=f"{stem}-{name}")


async def why_page(request: Request) -> Response:
    """Show why a sample got its label."""
    from disjoint_centroids.app.samples import explained

    run, samples, at = _run(request), _samples(request), request.path_params["at"]
    found = await _found(samples, run)
    try:
        why = await asyncio.to_thread(explained, found, run.folder / "model.ndc", at)
    except ValueError as error:
        raise not_found("sample") from error
    return _show(request, "why.html.j2", run, samples=samples, why=why, row=found.rows()[at], at=at)


async def why_picture(request: Request) -> Response:
    """Draw why a sample got its label."""
    from disjoint_centroids.app.samples import picture

    run, samples = _run(request), _samples(request)
    found = await _found(samples, run)
    try:
        drawn = await asyncio.to_thread(picture, found, run.folder / "model.ndc", request.path_params["at"])
    except ValueError as error:
        raise not_found("sample") from error
    return Response(drawn, media_type="image/png")


async def _found(samples: Any, run: Run) -> Any:
    from disjoint_centroids.app.samples import predict

    if samples.found is None:
        samples.found = await asyncio.to_thread(predict, samples, run.folder / "model.ndc")
    return samples.found


def _show(request: Request, template: str, run: Run, **values: Any) -> Response:
    return show(request, template, section="runs", run=run, page="new", pages=pages_of(run), data=None, **values)


def _samples(request: Request) -> Any:
    samples = request.app.state.samples.get(request.path_params["samples"])
    if samples is None or samples.run != request.path_params["id"]:
        raise not_found("table of new samples")
    return samples


def _run(request: Request) -> Run:
    run: Run | None = request.app.state.runs.get(request.path_params["id"])
    if run is None:
        raise not_found("run")
    return run
