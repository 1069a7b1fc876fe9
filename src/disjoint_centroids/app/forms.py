"""Reading of what browsers send: forms with a token, and files as a stream of bytes."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from starlette.exceptions import HTTPException
from starlette.requests import Request

if TYPE_CHECKING:
    from starlette.types import Message

FORM_BYTES = 8 * 2**20
"""The most bytes of a form: lists of names may be long."""
_NAME = 200
_ENDINGS = re.compile(r"(\.(?:csv|tsv|tab|txt|gct))?(\.[A-Za-z0-9]{1,8})$", re.IGNORECASE)


async def read_form(request: Request) -> dict[str, str]:
    """Read a form, and check its token: 403 without it."""
    form = await Request(request.scope, _bounded(request)).form(max_fields=200)
    fields = {name: value for name, value in form.items() if isinstance(value, str)}
    token = fields.pop("token", "")
    if not secrets.compare_digest(token.encode(), request.app.state.keys.form.encode()):
        raise HTTPException(403, "The request lacks its token. Reload the page, and try again.")
    return fields


def _bounded(request: Request):  # type: ignore[no-untyped-def]
    """Refuse a body that is longer than a form can be."""
    left = FORM_BYTES

    async def receive() -> Message:
        nonlocal left
        message = await request.receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(413, "The form is too long.")
        return message

    return receive


@dataclass(frozen=True, slots=True)
class Upload:
    """A file of the user's: where its bytes are, and the name that it had, to be shown."""

    path: Path
    name: str


async def read_upload(request: Request, folder: Path, stem: str, *, endings: Sequence[str] | None = None) -> Upload:
    """Write the body of a request to a file, piece by piece; 413 if it is longer than allowed.

    The name of the user's is shown, and its ending says what the file is; it never becomes a path.

    Parameters
    ----------
    request : Request
        Its header ``X-File-Name`` holds the name, percent-encoded.
    folder : pathlib.Path
        Where the file goes.
    stem : str
        Name of the file there, without its ending.
    endings : sequence of str, default=None
        Endings that the name may have; None: any.
    """
    limit = request.app.state.limit
    name = shown_name(unquote(request.headers.get("x-file-name", "")))
    ending = safe_ending(name)
    if endings is not None and ending not in endings:
        raise HTTPException(415, f"{name}: this place takes {', '.join(endings)}. Choose another file.")
    announced = request.headers.get("content-length", "0")
    if announced.isdigit() and int(announced) > limit:
        raise too_large(name, limit, int(announced))
    path = folder / f"{stem}{ending}"
    written = 0
    try:
        with path.open("wb") as file:
            async for piece in request.stream():
                written += len(piece)
                if written > limit:
                    raise too_large(name, limit)
                file.write(piece)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    if not written:
        path.unlink(missing_ok=True)
        raise HTTPException(400, f"{name} is empty. Choose another file.")
    return Upload(path, name)


def too_large(name: str, limit: int, size: int = 0) -> HTTPException:
    """Error for an upload over the limit; ``size`` if it is known."""
    megabytes = max(2 * max(1, limit // 2**20), -(-size // 2**20))
    return HTTPException(
        413,
        f"{name} is larger than {limit / 2**20:.0f} MB, the limit of this app. End the app and start it again with: "
        f"ndc app --max-upload {megabytes}",
    )


def shown_name(name: str) -> str:
    """Last part of a file name, as one line; "table" if there is none."""
    last = re.split(r"[/\\]", name)[-1]
    plain = "".join(letter for letter in last if letter.isprintable()).strip()
    return plain[-_NAME:] or "table"


def safe_ending(name: str) -> str:
    """Ending of a file name in small letters, such as ".csv.gz"; only letters, digits and dots.

    Examples
    --------
    >>> from disjoint_centroids.app.forms import safe_ending
    >>> safe_ending("my.data.CSV.gz"), safe_ending("../../etc/passwd"), safe_ending("a.b/c")
    ('.csv.gz', '', '')
    """
    found = _ENDINGS.search(name)
    if found is None:
        return ""
    inner, outer = (found[1] or "").lower(), found[2].lower()
    return inner + outer if outer == ".gz" else outer
