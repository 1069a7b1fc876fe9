"""The application: routes, templates, and what all pages share."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from disjoint_centroids.app.guard import Guard, Keys
from disjoint_centroids.app.jobs import Jobs
from disjoint_centroids.app.run_pages import run_routes
from disjoint_centroids.app.runs import RunFolder
from disjoint_centroids.app.sample_pages import sample_routes
from disjoint_centroids.app.table_pages import table_routes
from disjoint_centroids.report.assets import ASSETS, page_asset, template_environment

if TYPE_CHECKING:
    from jinja2 import Environment

_OWN = ("app.js", "app.css", "pages.js")
_TYPES = {"js": "text/javascript", "css": "text/css"}
_TITLES = {403: "Not allowed", 404: "Not found", 413: "Too large", 415: "Another kind of file"}


@dataclass(slots=True)
class Shared:
    """Settings and state that the pages of one server share.

    Attributes
    ----------
    keys : Keys
        Secrets.
    limit : int
        The most bytes of an upload.
    runs : RunFolder
        Finished runs.
    port, host : int and str
        Where the server is.
    on_ready : callable
        Is called when the server answers.
    """

    keys: Keys
    limit: int
    runs: RunFolder
    port: int
    host: str
    on_ready: Callable[[], None] = field(default=lambda: None)


def make_app(shared: Shared) -> Starlette:
    """Make the application."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        from disjoint_centroids.app.drafts import Drafts

        app.state.jobs, app.state.drafts, app.state.samples = Jobs(shared.runs), Drafts(), {}
        threading.Thread(target=_warm_up, daemon=True).start()
        shared.on_ready()
        try:
            yield
        finally:
            await app.state.jobs.close()
            app.state.drafts.close()

    app = Starlette(
        routes=[*table_routes(), *run_routes(), *sample_routes(), Route("/static/{name}", static_file)],
        middleware=[Middleware(Guard, keys=shared.keys, port=shared.port, host=shared.host)],
        exception_handlers={HTTPException: _explain, Exception: _unexpected},
        lifespan=lifespan,
    )
    app.state.keys, app.state.limit, app.state.runs = shared.keys, shared.limit, shared.runs
    app.state.environment = _environment()
    return app


def _warm_up() -> None:
    """Load the libraries while the user looks at the first page."""
    from disjoint_centroids.app import preview, samples  # noqa: F401

    for name in ASSETS:
        page_asset(name)


@cache
def _environment() -> Environment:
    environment = template_environment("disjoint_centroids.app", "disjoint_centroids.report")
    environment.filters["local_time"] = local_time
    return environment


def local_time(moment: str) -> str:
    """Write a moment as the user's clock shows it; one that cannot be read stays as it is."""
    try:
        return f"{datetime.fromisoformat(moment).astimezone():%Y-%m-%d %H:%M}"
    except ValueError:
        return moment


async def static_file(request: Request) -> Response:
    """Serve a script or style: our own, or one that the report has."""
    name = request.path_params["name"]
    if name in _OWN:
        text = (files(__package__) / "static" / name).read_text(encoding="utf-8")
    elif name in ASSETS:
        text = await asyncio.to_thread(page_asset, name)
    else:
        raise HTTPException(404, "There is no such file.")
    return Response(text, media_type=_TYPES[name.rsplit(".")[-1]], headers={"cache-control": "private, max-age=3600"})


def _wants_page(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")


async def _explain(request: Request, error: Exception) -> Response:
    """Answer a request that cannot be met with a sentence: as a page, or for scripts as JSON."""
    assert isinstance(error, HTTPException)
    if not _wants_page(request):
        return JSONResponse({"error": error.detail}, status_code=error.status_code)
    text = "There is no such page." if error.detail == HTTPStatus.NOT_FOUND.phrase else error.detail
    return _error_page(request, error.status_code, _TITLES.get(error.status_code, "This did not work"), text)


async def _unexpected(request: Request, error: Exception) -> Response:
    text = f"Something went wrong in the app ({type(error).__name__}: {error}). Your runs are safe. Please report this."
    if not _wants_page(request):
        return JSONResponse({"error": text}, status_code=500)
    return _error_page(request, 500, "This did not work", text)


def _error_page(request: Request, status: int, title: str, text: str) -> HTMLResponse:
    context: dict[str, Any] = {"request": request, "token": request.app.state.keys.form, "section": ""}
    page = request.app.state.environment.get_template("error.html.j2").render(title=title, text=text, **context)
    return HTMLResponse(page, status_code=status)
