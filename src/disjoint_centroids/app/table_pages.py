"""Pages of the first two steps: the table, and the question."""

from __future__ import annotations

import asyncio
import json
import shutil
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from disjoint_centroids.app.examples import fetched_examples, own_examples, write_example
from disjoint_centroids.app.forms import read_form, read_upload
from disjoint_centroids.app.pages import go, not_found, show
from disjoint_centroids.tables.table_settings import listed_name

_RECENT = 5
_TEXT = (".csv", ".tsv", ".txt")
_FILES = {
    "labels": (*_TEXT, ".cls"),
    **dict.fromkeys(("costs", "exclude_file", "allow_file", "extend", "markers"), (*_TEXT, ".xlsx")),
}
"""Files that belong to a table, and their endings."""
_PLACES = {"labels": "", "markers": "#judge"}
"""Places of the page that show them, if not the further choices."""
_CHOICES = ("target", "batch", "sample_id", "impute")


def table_routes() -> list[Route]:
    """Routes of tables that are not fitted yet."""
    return [
        Route("/", home, methods=["GET"]),
        Route("/tables", add_table, methods=["PUT"]),
        Route("/examples", fetched, methods=["GET"]),
        Route("/examples", add_example, methods=["POST"]),
        Route("/tables/{id}", table_page, methods=["GET"]),
        Route("/tables/{id}", change_table, methods=["POST"]),
        Route("/tables/{id}/files/{kind}", add_file, methods=["PUT"]),
        Route("/tables/{id}/command", command, methods=["POST"]),
        Route("/tables/{id}/fit", fit, methods=["POST"]),
        Route("/tables/{id}/judge", judge, methods=["POST"]),
    ]


async def home(request: Request) -> Response:
    """Show the first page: drop a table, or pick an example."""
    runs = await asyncio.to_thread(request.app.state.runs.all)
    jobs = [job for job in request.app.state.jobs.known.values() if not job.ended]
    limit = request.app.state.limit // 2**20
    examples = own_examples()
    return show(request, "home.html.j2", section="new", runs=runs[:_RECENT], jobs=jobs, examples=examples, limit=limit)


async def fetched(request: Request) -> Response:
    """Show the sets in the cache: a part of the first page, which does not wait for the libraries that list them."""
    examples = await asyncio.to_thread(fetched_examples)
    return show(request, "fetched.html.j2", section="new", examples=examples)


async def add_table(request: Request) -> Response:
    """Take a table as a stream of bytes."""
    drafts = request.app.state.drafts
    folder = drafts.new_folder()
    try:
        upload = await read_upload(request, folder, "table")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    draft = drafts.add(folder, upload.path, upload.name)
    return JSONResponse({"location": f"/tables/{draft.id}"})


async def add_example(request: Request) -> Response:
    """Write an example as a table."""
    form = await read_form(request)
    drafts = request.app.state.drafts
    folder = drafts.new_folder()
    try:
        path, name = await asyncio.to_thread(write_example, form.get("example", ""), folder)
    except (ValueError, OSError) as error:
        raise HTTPException(404, str(error)) from error
    draft = drafts.add(folder, path, name)
    draft.change(target="label")
    return go(f"/tables/{draft.id}")


async def table_page(request: Request) -> Response:
    """Show what was understood of a table, and the question."""
    from disjoint_centroids.app import question
    from disjoint_centroids.app.preview import preview_of

    draft = _draft(request)
    if draft.preview is None:
        draft.preview = await asyncio.to_thread(_safely, preview_of, draft)
    return show(
        request,
        "table.html.j2",
        section="new",
        draft=draft,
        found=draft.preview,
        question=draft.question,
        commands=draft.commands(),
        list_command=draft.list_command(),
        list_problem=draft.list_problem(),
        choices=question,
    )


def _safely(preview_of: Any, draft: Any) -> dict[str, Any]:
    """Describe a table; one that cannot be read at all has a sentence instead."""
    from disjoint_centroids.app.words import error_in_words

    try:
        found: dict[str, Any] = preview_of(draft)
    except (ValueError, OSError, ImportError, MemoryError) as error:
        problems = error_in_words(error, {str(draft.file): draft.name})
        choices = ("label_choices", "batch_choices", "id_choices", "feature_choices")
        return {
            "problems": [{"text": text, "cures": []} for text in problems],
            **{name: [] for name in ("warnings", "left_out", *choices)},
            **{"ids": None, "labels_inside": False, "usable": False, "readable": False},
        }
    return found


async def change_table(request: Request) -> Response:
    """Read the table in another way: a button of a message, or a choice."""
    draft, form = _draft(request), await read_form(request)
    if "cure" in form:
        draft.apply(_parsed(form["cure"]))
    elif "put_back" in form:
        left = [name for name in draft.reading.drop or [] if name != listed_name(form["put_back"])]
        draft.change(drop=left or None)
    else:
        draft.guessed = draft.corrected = True
        in_rows = form.get("features_in_rows", "yes" if draft.reading.features_in_rows else "no") == "yes"
        if in_rows != draft.reading.features_in_rows:
            draft.apply({"features_in_rows": in_rows})
        elif form.get("leave_out"):
            draft.apply({"drop": [form["leave_out"]]})
        else:
            draft.apply({name: form[name] or None for name in _CHOICES if name in form})
    return go(f"/tables/{draft.id}")


def _parsed(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {}


async def add_file(request: Request) -> Response:
    """Take a file that belongs to the table, such as its labels, prices of features, or a list."""
    draft, kind = _draft(request), request.path_params["kind"]
    if kind not in _FILES:
        raise not_found("file")
    upload = await read_upload(request, draft.folder, kind, endings=_FILES[kind])
    draft.keep_file(kind, upload.path, upload.name)
    return JSONResponse({"location": f"/tables/{draft.id}{_PLACES.get(kind, '#more')}", "name": upload.name})


async def command(request: Request) -> Response:
    """Return the command that the form stands for now."""
    draft, form = _draft(request), await read_form(request)
    try:
        draft.ask(form)
    except ValueError as error:
        return JSONResponse({"error": str(error), **_commands(draft)})
    return JSONResponse({"error": "", **_commands(draft)})


def _commands(draft: Any) -> dict[str, Any]:
    return {"commands": draft.commands(), "list_command": draft.list_command()}


async def fit(request: Request) -> Response:
    """Start a run."""
    draft, form = _draft(request), await read_form(request)
    try:
        draft.ask(form)
        if draft.preview is not None and not draft.preview["usable"]:
            raise ValueError("The table cannot be used yet: see above what is wrong with it.")
    except ValueError as error:
        draft.problem = str(error)
        return go(f"/tables/{draft.id}#question")
    job = request.app.state.jobs.start(*draft.job())
    job.facts["draft"] = draft.id
    return go(f"/runs/{job.id}")


async def judge(request: Request) -> Response:
    """Start a run that judges the list that was brought."""
    draft = _draft(request)
    await read_form(request)
    if "markers" not in draft.files or draft.list_problem() or not (draft.preview or {}).get("usable"):
        return go(f"/tables/{draft.id}#judge")
    job = request.app.state.jobs.start(*draft.list_job())
    job.facts["draft"] = draft.id
    return go(f"/runs/{job.id}")


def _draft(request: Request) -> Any:
    draft = request.app.state.drafts.get(request.path_params["id"])
    if draft is None:
        raise not_found("table")
    return draft
