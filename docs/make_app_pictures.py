"""Make the pictures of the page *In a browser*: ``python docs/make_app_pictures.py``.

Starts ``ndc app``, brings a gene expression set to it (alizadeh-2000-v2, which the first run fetches) in a headless
Chromium, and photographs the screens on the way into ``images/app-*.png``.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pandas as pd
from PIL import Image

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from browsing import launched_browser
from disjoint_centroids.datasets import fetch_compcancer
from running_app import RunningApp

IMAGES = Path(__file__).parent / "images"
SCREEN = {"width": 1000, "height": 760}
COLOURS = 256
GENES, NEW = 400, 8
"""Genes of the table, those that vary most; and samples that are kept to be new."""


def main() -> None:
    """Walk through the app, and photograph it."""
    with tempfile.TemporaryDirectory() as made, launched_browser() as browser:
        table, new = write_tables(Path(made))
        app = RunningApp(Path(made) / "runs")
        try:
            walk(browser.new_page(viewport=SCREEN), app, table, new)
        finally:
            app.stop()


def write_tables(folder: Path) -> tuple[Path, Path]:
    """Write the set as a table of lymphomas, and some of its samples as new ones."""
    found = fetch_compcancer("alizadeh-2000-v2")
    names = [f"patient {at}" for at in range(1, len(found.data) + 1)]
    frame = pd.DataFrame(found.data, columns=found.feature_names, index=pd.Index(names, name="patient"))
    frame = frame[frame.var().nlargest(GENES).index.unique()]
    held_out = frame.sample(NEW, random_state=1).index
    rest = frame.drop(held_out)
    rest.insert(0, "diagnosis", pd.Series(found.target, index=names)[rest.index])
    rest.to_csv(folder / "lymphomas.csv")
    frame.loc[held_out].to_csv(folder / "new patients.csv")
    return folder / "lymphomas.csv", folder / "new patients.csv"


def walk(tab, app: RunningApp, table: Path, new: Path) -> None:
    """From the first page to new samples."""
    tab.goto(app.address)
    tab.wait_for_url(app.base + "/")
    photograph(tab, "app-first")
    tab.set_input_files("#table-file", table)
    tab.wait_for_selector("#fit", timeout=120_000)
    photograph(tab, "app-table", part="body")
    tab.locator("#more > summary").click()
    tab.fill("#max_features_per_class", "10")
    tab.locator("#more").scroll_into_view_if_needed()
    photograph(tab, "app-more", part="#question")
    tab.fill("#repeats", "2")
    tab.locator("#fit").click()
    tab.wait_for_selector("#bar")
    tab.wait_for_selector("#left:has-text('left')", timeout=600_000)
    photograph(tab, "app-run")
    tab.wait_for_selector("html[data-saveable]", timeout=3_600_000)
    run = tab.url
    photograph(tab, "app-answer")
    tab.goto(f"{run}/features")
    tab.wait_for_selector("html[data-saveable]")
    photograph(tab, "app-features")
    tab.goto(f"{run}/alternates")
    photograph(tab, "app-replacements")
    judge(tab, app, table)
    tab.goto(f"{run}/new")
    tab.set_input_files("#new-file", new)
    tab.wait_for_selector("#predictions", timeout=120_000)
    photograph(tab, "app-new")


def judge(tab, app: RunningApp, table: Path) -> None:
    """Have a list judged on half of the patients: the features that stand out most in each class in the other half."""
    frame = pd.read_csv(table, index_col=0).sort_values("diagnosis", kind="stable")
    table = table.with_name("other patients.csv")
    frame.iloc[1::2].to_csv(table)
    means = frame.iloc[::2].groupby("diagnosis").mean()
    above = means.apply(lambda gene: gene - (gene.sum() - gene) / (len(gene) - 1))
    rows = [f"{gene},{label}" for label in above.index for gene in above.loc[label].nlargest(3).index]
    markers = table.with_name("markers of a colleague.csv")
    markers.write_text("\n".join(["feature,class", *rows]) + "\n")
    tab.goto(app.base)
    tab.set_input_files("#table-file", table)
    tab.wait_for_selector("#list-file", state="attached", timeout=120_000)
    tab.set_input_files("#list-file", markers)
    tab.locator("#judge-list").click()
    tab.wait_for_selector("#dots img", timeout=3_600_000)
    photograph(tab, "app-list")


def photograph(tab, name: str, part: str | None = None) -> None:
    """Save the screen, or a part of the page, in few colours."""
    path = IMAGES / f"{name}.png"
    (tab if part is None else tab.locator(part)).screenshot(path=path)
    Image.open(path).convert("RGB").quantize(COLOURS).save(path, optimize=True)


if __name__ == "__main__":
    main()
