"""A real browser for tests: Chromium, headless. Skipped where there is none, unless NDC_REQUIRE_BROWSER is set."""

import os
import shutil
from contextlib import contextmanager

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


def give_up(reason):
    """Skip, or fail where a browser was promised."""
    if os.environ.get("NDC_REQUIRE_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def launched_browser():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        give_up("playwright is not installed")
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        give_up(f"no browser: none of {', '.join(BROWSERS)} is on the PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


def new_tab(browser, viewport=WIDE, scheme="light"):
    """Open a tab in a window of its own; whatever its pages complain of or ask for is on the returned object."""
    context = browser.new_context(viewport=viewport, accept_downloads=True, color_scheme=scheme)
    context.set_default_timeout(120_000)  # a machine that is busy is no failure
    tab = context.new_page()
    tab.complaints, tab.requests = [], []
    tab.on("console", lambda said: tab.complaints.append(f"{said.type}: {said.text} ({said.location})"))
    tab.on("pageerror", lambda error: tab.complaints.append(str(error)))
    context.on("request", lambda request: tab.requests.append(request.url))
    return tab


def serious_findings(tab):
    """Find what axe calls serious or critical."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        give_up("axe-playwright-python is not installed")
    found = Axe().run(tab).response["violations"]
    return [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in {"serious", "critical"}]
