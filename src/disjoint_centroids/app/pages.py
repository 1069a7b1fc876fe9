"""Parts that the routes of all pages use."""

from __future__ import annotations

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse


def show(request: Request, template: str, *, section: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a page; ``section`` is the part of the app that it belongs to."""
    page = request.app.state.environment.get_template(template)
    return HTMLResponse(
        page.render(request=request, token=request.app.state.keys.form, section=section, **values), status_code=status
    )


def go(address: str) -> RedirectResponse:
    """Send the browser to another page after a form."""
    return RedirectResponse(address, status_code=303)


def not_found(what: str) -> HTTPException:
    """Error for something that is not there (any more)."""
    return HTTPException(404, f"There is no such {what}. It may have been deleted, or the app was started anew.")
