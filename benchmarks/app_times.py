"""Times of ``ndc app`` that a user waits for: ``python benchmarks/app_times.py``.

Starts the app and a headless Chromium, and prints, in seconds on the clock: from the command to the server's first
answer; from that to a first page that can be used; and from pressing Fit to a bar that has moved. ``--repeats N`` does
it N times and prints the medians. The machine should have nothing else to do.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from browsing import launched_browser
from running_app import RunningApp, wait_until

TIMES = ("server answers after", "first page ready after", "bar moves after pressing Fit")


def measured(browser, folder: Path) -> list[float]:
    """Start the app once, and take the three times."""
    began = time.perf_counter()
    app = RunningApp(folder)
    answers = time.perf_counter()
    tab = browser.new_page()
    tab.goto(app.address)
    tab.wait_for_url(app.base + "/")
    tab.wait_for_selector("html[data-loaded]")
    ready = time.perf_counter()
    tab.get_by_role("button", name="Simulated blocks").click()
    tab.wait_for_selector("#fit")
    pressed = time.perf_counter()
    tab.locator("#fit").click()
    tab.wait_for_selector("#bar")
    wait_until(lambda: tab.evaluate("document.getElementById('bar').value") > 0)
    moved = time.perf_counter()
    tab.close()
    app.stop()
    return [answers - began, ready - answers, moved - pressed]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as folder, launched_browser() as browser:
        rows = [measured(browser, Path(folder) / str(at)) for at in range(repeats)]
    for name, seconds in zip(TIMES, zip(*rows, strict=True), strict=True):
        print(f"{name:32} {statistics.median(seconds):5.2f} s   ({', '.join(f'{one:.2f}' for one in seconds)})")


if __name__ == "__main__":
    main()
