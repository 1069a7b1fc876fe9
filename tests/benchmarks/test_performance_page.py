"""The documentation's page is what the command makes of the committed measurements."""

import json
import re

from performance.page import MACHINE, page_text, read_results
from performance.run import DOCS, PAGE, PUBLISHED
from performance.sections import SECTIONS

TEXT = (DOCS / PAGE).read_text(encoding="utf-8")


def test_nobody_edited_the_page():
    assert page_text(PUBLISHED) == TEXT


def test_a_whole_run_is_published():
    found = read_results(PUBLISHED)
    assert list(found) == list(SECTIONS)
    assert not any(record["quick"] for record in found.values())
    assert json.loads((PUBLISHED / MACHINE).read_text(encoding="utf-8"))["cores"]


def test_every_picture_is_there_and_shown():
    shown = re.findall(r"\]\(images/(performance-[^)]+)\)", TEXT)
    assert sorted(shown) == sorted(path.name for path in (DOCS / "images").glob("performance-*.png"))


def test_dask_is_measured_up_to_a_million_rows():
    rows = read_results(PUBLISHED)["dask"]["results"]["rows"]
    assert [row["n"] for row in rows] == [125_000, 250_000, 500_000, 1_000_000]
    assert all(row["p"] == 200 for row in rows)
