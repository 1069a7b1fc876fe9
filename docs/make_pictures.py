"""Make the pictures of README and of the page *Start here*: ``python docs/make_pictures.py``.

Runs the commands of the page on the set khan-2001, which the first run fetches. Draws the fitted model into
``images/panel-*.png`` and writes what ``ndc fit`` prints into ``start.md``. Then opens the report of ``ndc demo`` in a
browser (Chromium, on the PATH) and saves its first screen as ``images/report.png``.
"""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from matplotlib.figure import Figure

from disjoint_centroids.models.model_file import load_model
from disjoint_centroids.plots import CentroidDisplay, PartitionDisplay
from disjoint_centroids.tables import read_table

DOCS = Path(__file__).parent
IMAGES = DOCS / "images"
WIDTH = "96"
"""Characters in a line of the terminal."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SCREEN = {"width": 1280, "height": 950}

STYLE = re.compile(r"\x1b\[[0-9;]*m")
PRINTED = re.compile(r"(<!-- printed by ndc fit -->\n).*?(<!-- end -->)", flags=re.DOTALL)


def main() -> None:
    """Run the commands in a temporary folder, then draw."""
    with tempfile.TemporaryDirectory() as made:
        draw_panels(Path(made))
        ndc(Path(made), "demo", "--output", "demo")
        photograph(Path(made) / "demo" / "report.html", "report.png")


def draw_panels(folder: Path) -> None:
    """Fit panels to khan-2001 and draw them."""
    ndc(folder, "data", "get", "khan-2001", "-o", "khan.csv")
    fit = ("--target", "label", "--transform", "log1p", "--max-features-per-class", "10", "-o", "khan.ndc")
    show_printed(ndc(folder, "fit", "khan.csv", *fit))
    ndc(folder, "explain", "khan.ndc", "khan.csv", "--sample", "17", "-o", "why.png")
    (IMAGES / "panel-sample.png").write_bytes((folder / "why.png").read_bytes())
    table, model = read_table(folder / "khan.csv", target="label"), load_model(folder / "khan.ndc").pipeline
    for name, display in (("heat-map", PartitionDisplay), ("features", CentroidDisplay)):
        save(display.from_estimator(model, table.values, table.labels).figure_, f"panel-{name}.png")


def ndc(folder: Path, *arguments: str) -> str:
    """Output of a command that runs in a folder, as a terminal shows it."""
    command = [str(Path(sys.executable).with_name("ndc")), *arguments]
    ours, theirs = pty.openpty()  # what goes to a file is not cut to the width of a terminal
    with subprocess.Popen(command, cwd=folder, env=os.environ | {"COLUMNS": WIDTH}, stdout=theirs) as running:
        os.close(theirs)
        text = b"".join(iter(lambda: _read(ours), b"")).decode()
    os.close(ours)
    if running.returncode:
        raise subprocess.CalledProcessError(running.returncode, command)
    return STYLE.sub("", text).replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux says so when the other end is closed
        return b""


def show_printed(text: str) -> None:
    """Put the output of ``ndc fit`` into the page."""
    page = DOCS / "start.md"
    lines = "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
    block = f"```\n{lines}\n```\n"
    page.write_text(
        PRINTED.sub(lambda found: found[1] + block + found[2], page.read_text(encoding="utf-8")), encoding="utf-8"
    )


def photograph(page: Path, name: str) -> None:
    """Save the first screen of a page."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise OSError(f"{name} needs a browser, and none of {', '.join(BROWSERS)} is on the PATH: install one.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport=SCREEN)
        tab.goto(page.as_uri(), wait_until="networkidle")
        tab.screenshot(path=IMAGES / name)
        browser.close()


def save(figure: Figure, name: str) -> None:
    """Save a figure without facts that differ from run to run."""
    figure.savefig(IMAGES / name, dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main()
