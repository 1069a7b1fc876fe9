"""Checks that a request comes from the user's own browser, from the server's own pages."""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from starlette.responses import HTMLResponse, PlainTextResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = b"x-ndc-token"
_SAFE = ("GET", "HEAD")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    b"content-security-policy": _POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), geolocation=(), microphone=()",
}
# With a redirect, a cookie that belongs to one site only would not be sent if a page of another site held the link.
_WELCOME = (
    '<!DOCTYPE html><title>disjoint-centroids</title><link rel="icon" href="data:,">'
    '<meta http-equiv="refresh" content="0; url=/">'
)
_STRANGER = (
    "This page belongs to a program on this computer, and this browser has not been introduced to it. Open the address "
    "that `ndc app` printed in the terminal; it holds the key."
)


@dataclass(frozen=True, slots=True)
class Keys:
    """Secrets of one server.

    Attributes
    ----------
    first : str
        Stands in the first address, and becomes the cookie.
    cookie : str
        Value of the cookie.
    form : str
        Goes with every request that changes something.
    """

    first: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    form: str = field(default_factory=lambda: secrets.token_urlsafe(24))


class Guard:
    """Refuse requests of strangers with 403: foreign Host or Origin, no cookie, no token where something is changed.

    Forms carry the token in a field, which only the route can read: :func:`disjoint_centroids.app.forms.read_form`
    checks it there. All other requests that change something carry it in a header.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    keys : Keys
        Secrets.
    port : int
        Port of the server.
    host : str
        Address that the server is bound to.
    """

    def __init__(self, app: ASGIApp, *, keys: Keys, port: int, host: str) -> None:
        self.app, self.keys, self.port, self.host = app, keys, port, host
        self.cookie = f"ndc-{port}"  # cookies do not tell ports apart

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        answer = self._refusal(scope, headers)
        await (answer or self.app)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope, headers: dict[bytes, bytes]) -> PlainTextResponse | HTMLResponse | None:
        """Response for a stranger, or for the first request of a friend; None for those who may pass."""
        if not self._is_own_host(_text(headers.get(b"host"))) or not self._is_own_origin(headers):
            return _forbidden("The request comes from another site, or is meant for one.")
        if self._has_first_key(scope):
            return self._introduction()
        if not self._has_cookie(headers):
            return _forbidden(_STRANGER)
        if scope["method"] in _SAFE or _is_form(headers):
            return None
        if not secrets.compare_digest(headers.get(TOKEN_HEADER, b""), self.keys.form.encode()):
            return _forbidden("The request lacks its token. Reload the page, and try again.")
        return None

    def _is_own_host(self, host: str) -> bool:
        """Check the Host header: a name that somebody else's DNS leads here is not ours."""
        try:
            found = urlsplit(f"//{host}")
            name, port = found.hostname or "", found.port or 80
        except ValueError:
            return False
        if port != self.port:
            return False
        if name in ("127.0.0.1", "localhost", "::1", self.host):
            return True
        return not is_local(self.host) and _is_address(name)

    def _is_own_origin(self, headers: dict[bytes, bytes]) -> bool:
        origin = headers.get(b"origin")
        if origin is not None and _text(origin) != f"http://{_text(headers.get(b'host'))}":
            return False
        return _text(headers.get(b"sec-fetch-site", b"none")) in ("none", "same-origin") or self._may_be_linked(headers)

    def _may_be_linked(self, headers: dict[bytes, bytes]) -> bool:
        """Let links from other pages open the app, which the cookie then refuses unless the key is in the address."""
        return _text(headers.get(b"sec-fetch-mode")) == "navigate" and b"origin" not in headers

    def _has_first_key(self, scope: Scope) -> bool:
        given = parse_qs(_text(scope["query_string"])).get("token", [""])[0]
        return scope["path"] == "/" and scope["method"] == "GET" and _same(given, self.keys.first)

    def _introduction(self) -> HTMLResponse:
        answer = HTMLResponse(_WELCOME)
        answer.set_cookie(self.cookie, self.keys.cookie, httponly=True, samesite="strict")
        return answer

    def _has_cookie(self, headers: dict[bytes, bytes]) -> bool:
        try:
            found = SimpleCookie(_text(headers.get(b"cookie"))).get(self.cookie)
        except CookieError:
            return False
        return found is not None and _same(found.value, self.keys.cookie)


def is_local(host: str) -> bool:
    """True for an address that other machines cannot reach."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_form(headers: dict[bytes, bytes]) -> bool:
    return _text(headers.get(b"content-type")).split(";")[0].strip() == "application/x-www-form-urlencoded"


def _same(given: str, known: str) -> bool:
    return secrets.compare_digest(given.encode(), known.encode())


def _text(value: bytes | None) -> str:
    return (value or b"").decode("latin-1")


def _forbidden(why: str) -> PlainTextResponse:
    return PlainTextResponse(f"403 Forbidden. {why}\n", status_code=403)


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = dict(message["headers"])
            more = _HEADERS | ({} if b"cache-control" in given else {b"cache-control": b"no-store"})
            message = {**message, "headers": [*message["headers"], *more.items()]}
        await send(message)

    return send_with_headers
