"""Start the server, and end it with everything that it has started."""

from __future__ import annotations

import contextlib
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

from disjoint_centroids.app.guard import Keys, is_local
from disjoint_centroids.app.runs import RunFolder

PORT, _TRIED = 8321, 50
"""Port that is tried first, and how many after it before the system chooses."""
MEGABYTE = 2**20


def serve(
    *,
    folder: Path,
    host: str = "127.0.0.1",
    port: int | None = None,
    max_upload: int = 500,
    open_browser: bool = True,
    allow_network: bool = False,
    say: Callable[[str], None] = lambda text: None,
) -> None:
    """Serve the app until it is interrupted.

    Parameters
    ----------
    folder : pathlib.Path
        Where runs are kept; is made if it is not there.
    host : str, default="127.0.0.1"
        Address to listen on; other machines cannot reach the default.
    port : int, default=None
        Port to listen on. None: the first that is free.
    max_upload : int, default=500
        The most megabytes of an upload.
    open_browser : bool, default=True
        Open the first page.
    allow_network : bool, default=False
        Needed for an address that other machines can reach.
    say : callable
        Is told what the user should know.
    """
    import uvicorn

    from disjoint_centroids.app.web import Shared, make_app

    check_host(host, allow_network=allow_network)
    bound = bind(host, port)
    at, keys = bound.getsockname()[1], Keys()
    shown = f"[{host}]" if ":" in host else "127.0.0.1" if host == "0.0.0.0" else host
    address = f"http://{shown}:{at}/?token={keys.first}"

    def ready() -> None:
        say(f"The app is at {address}")
        say(f"Runs are kept in {shared.runs.folder}  (Ctrl-C ends the app)")
        if open_browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    shared = Shared(keys, max_upload * MEGABYTE, RunFolder(folder), at, host, ready)
    app = make_app(shared)

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            app.state.jobs.end_following()
            await super().shutdown(sockets)

    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,  # the first address holds the key
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    # uvicorn ends by raising the interruption once more.
    with bound, contextlib.suppress(KeyboardInterrupt):
        Server(config).run(sockets=[bound])


def check_host(host: str, *, allow_network: bool) -> None:
    """Refuse an address that other machines can reach, unless that was asked for."""
    if not is_local(host) and not allow_network:
        raise ValueError(
            f"--host {host} would let other machines use this app: read your tables, and run work here. Leave it out; "
            "or, if that is what you want, give --allow-network as well."
        )


def bind(host: str, port: int | None) -> socket.socket:
    """Bind a socket: to the port asked for, else to the first free one."""
    if port is not None:
        try:
            return _bound(host, port)
        except OSError as error:
            raise ValueError(
                f"--port {port} cannot be used ({error.strerror or error}). Leave --port out, and a free one is found."
            ) from error
    for tried in (*range(PORT, PORT + _TRIED), 0):
        with contextlib.suppress(OSError):
            return _bound(host, tried)
    raise ValueError(f"no port is free on {host}. Give another --host.")


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        if socket.SO_REUSEADDR and hasattr(socket, "AF_UNIX"):  # elsewhere it would let two servers share a port
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(128)
    except OSError:
        found.close()
        raise
    return found
