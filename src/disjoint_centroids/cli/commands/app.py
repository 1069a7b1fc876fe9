"""``ndc app``: the tool in a browser."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from disjoint_centroids.cli.app import refusing
from disjoint_centroids.cli.output import remark, say

_NEEDED = ("starlette", "uvicorn", "python_multipart", "jinja2", "altair")


@refusing
def app(
    folder: Annotated[
        Path | None, typer.Option(help="The folder that keeps the runs. Default: a folder for data of the user's.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="The port. Default: the first free one from 8321 on.")
    ] = None,
    max_upload: Annotated[int, typer.Option(min=1, metavar="MB", help="The largest file that can be uploaded.")] = 500,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the first page in a browser.")] = True,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    allow_network: Annotated[
        bool,
        typer.Option(
            "--allow-network",
            help="Needed for a --host that other machines can reach: whoever knows the address can then use the app.",
        ),
    ] = False,
) -> None:
    """Open the tool in a browser: from a table to a report, a model and predictions, without typing commands.

    The pages are served by this machine to its own browser only; nothing is sent anywhere else.

    Example: ndc app

    Example: ndc app --folder my-runs --no-browser
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ImportError(
            f"the app needs the extra 'app' ({missing[0]} is missing): pip install 'disjoint-centroids[app]'"
        )
    from disjoint_centroids.app.runs import default_folder
    from disjoint_centroids.app.server import serve

    if allow_network:
        remark("other machines may reach this app. Whoever has its address can read your tables and run work here.")
    serve(
        folder=default_folder() if folder is None else folder,
        host=host,
        port=port,
        max_upload=max_upload,
        open_browser=browser,
        allow_network=allow_network,
        say=say,
    )
    say("The app has ended. Finished runs are kept.")
