"""The page in a real browser: Chromium, headless. Skipped where there is none, unless NDC_REQUIRE_BROWSER is set."""

import csv
import os
import shutil

import pytest

from disjoint_centroids.report import render, summarize
from reported import HOSTILE_FEATURES, SCRIPT, block_table

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


@pytest.fixture(scope="session")
def browser():
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


@pytest.fixture(scope="session")
def page_file(page, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def centroid_page_file(centroid_page, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "centroids.html"
    path.write_text(centroid_page, encoding="utf-8")
    return path


@pytest.fixture
def opened(browser):
    """A function that opens a file; whatever the page complains of or asks for is on the returned object."""
    contexts = []

    def open_file(path, viewport=WIDE):
        context = browser.new_context(viewport=viewport, accept_downloads=True)
        contexts.append(context)
        tab = context.new_page()
        tab.complaints, tab.requests = [], []
        tab.on("console", lambda message: tab.complaints.append(f"{message.type}: {message.text}"))
        tab.on("pageerror", lambda error: tab.complaints.append(str(error)))
        context.on("request", lambda request: tab.requests.append(request.url))
        tab.goto(path.as_uri())
        tab.wait_for_selector("html[data-ready]")
        return tab

    yield open_file
    for context in contexts:
        context.close()


@pytest.fixture
def tab(opened, page_file):
    return opened(page_file)


def column(tab, at):
    return tab.locator(f"#owner-table tbody tr td:nth-child({at})").all_inner_texts()


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["1280", "390"])
@pytest.mark.parametrize(
    ("kind", "own"),
    [("page_file", ("rounds-loss", "rounds-error")), ("centroid_page_file", ("path-error", "path-features"))],
    ids=["panel", "centroids"],
)
def test_it_opens_without_complaint_request_or_sideways_scroll(opened, request, kind, own, viewport):
    page_file = request.getfixturevalue(kind)
    tab = opened(page_file, viewport)
    for chart in ("errors", *own, "confusion", "totals", "contributions"):
        svg = tab.locator(f"#chart-{chart} svg")
        assert svg.count() == 1
        box = svg.bounding_box()
        assert box["width"] > 200
        assert box["x"] + box["width"] <= viewport["width"]
    for picture in tab.locator("figure img").all():
        picture.scroll_into_view_if_needed()
        assert picture.evaluate("image => image.naturalWidth") > 500
    assert tab.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    assert tab.complaints == []
    outside = [url for url in tab.requests if not url.startswith(("file:", "data:", "blob:"))]
    assert outside == []
    assert [url for url in tab.requests if url.startswith("file:")] == [page_file.as_uri()]


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["1280", "390"])
def test_the_answer_is_on_the_first_screen(opened, page_file, summary, viewport):
    tab = opened(page_file, viewport)
    box = tab.locator("#sentence").bounding_box()
    assert box["y"] + box["height"] < viewport["height"]
    assert tab.locator("#sentence").inner_text() == summary["answer"]["sentence"]


def test_names_that_look_like_code_stay_text(tab, summary):
    shown = [tab.locator("#chart-confusion").inner_html(), tab.locator("#chart-contributions").inner_html()]
    for at in range(len(summary["explanation"]["samples"])):
        tab.select_option("#sample", str(at))
        shown.append(tab.locator("#chart-contributions").inner_html())
    assert any("&lt;script&gt;" in html for html in shown)
    tab.locator("#owner-table_wrapper .dt-length select").select_option("-1")
    assert set(HOSTILE_FEATURES) <= set(column(tab, 1))
    tab.locator("#chart-confusion .mark-rect path").first.hover(force=True)
    tooltip = tab.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()
    assert SCRIPT in tooltip.inner_text()
    assert tab.evaluate("window.sentinel") is None
    assert tab.locator("main script, main b, img[src=x], #vg-tooltip-element script").count() == 0
    assert tab.complaints == []  # a script that the page's policy stopped would be one


def test_a_click_on_a_header_sorts(tab, summary):
    assert summary["owners"]["columns"][-1] == "Mean in C"
    means = [row[-1] for row in summary["owners"]["rows"]]
    at = 2 + len(summary["owners"]["columns"])
    header = tab.locator("#owner-table thead th").nth(at - 1)
    header.click()
    tab.wait_for_selector("th[aria-sort=ascending]")
    first = [float(text) for text in column(tab, at)]
    assert first == sorted(means)[: len(first)]
    header.click()
    tab.wait_for_selector("th[aria-sort=descending]")
    again = [float(text) for text in column(tab, at)]
    assert again == sorted(means, reverse=True)[: len(again)]
    assert first != again


def test_searching_finds_names_and_classes(tab, summary):
    box = tab.get_by_label("Search")
    box.fill("f25")
    assert column(tab, 1) == ["f25"]
    box.fill("no such thing")
    assert "No such feature or class" in tab.locator("#owner-table tbody").inner_text()
    box.fill(SCRIPT)
    rows = summary["owners"]["rows"]
    assert set(column(tab, 1)) == {name for name, owner, *_ in rows if SCRIPT in name or owner == SCRIPT}


def test_the_table_downloads_as_csv(tab, summary, tmp_path):
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Download CSV").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.suffix == ".csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["Feature", "Owner", *summary["owners"]["columns"]]
    assert header[2:4] == ["Pick", "Margin"]
    expected = [name for name, *_ in summary["owners"]["rows"]]
    # A name that a spreadsheet would calculate gets an apostrophe; all others come out as they are.
    assert [row[0] for row in rows] == ["'=1+1" if name == "=1+1" else name for name in expected]
    assert [float(row[2]) if row[2] else None for row in rows] == [row[2] for row in summary["owners"]["rows"]]


def test_choosing_a_sample_changes_charts_table_and_words(tab, summary):
    samples = summary["explanation"]["samples"]
    tab.locator("#explanation summary").click()

    def seen():
        parts = ("#verdict", "#contributions tbody", "#chart-totals", "#chart-contributions")
        return [tab.locator(part).inner_html() for part in parts]

    before = seen()
    drawn = tab.locator("#chart-contributions svg").inner_html()
    tab.select_option("#sample", str(len(samples) - 1))
    tab.wait_for_function(
        "before => document.querySelector('#chart-contributions svg').innerHTML !== before", arg=drawn
    )
    assert all(old != new for old, new in zip(before, seen(), strict=True))
    last = samples[-1]
    first, second = last["order"][:2]
    verdict = tab.locator("#verdict").inner_text()
    assert f"“{last['id']}” goes to “{summary['explanation']['classes'][first]}” (score" in verdict
    assert f"probability {100 * last['likely'][0]:.1f}\N{NO-BREAK SPACE}%)" in verdict
    names = summary["explanation"]["features"]
    largest = [names[part[0]] for part in last["parts"][first]]
    shown = tab.locator("#contributions tbody td:nth-child(2)").all_inner_texts()
    assert shown[: len(largest)] == largest
    added = [float(text) for text in tab.locator("#contributions tbody td:last-child").all_inner_texts()]
    until = next(
        at
        for at, row in enumerate(tab.locator("#contributions tbody td:first-child").all_inner_texts())
        if row == summary["explanation"]["classes"][second]
    )
    assert sum(added[:until]) == pytest.approx(last["totals"][first], abs=0.01)  # bars add up to the score
    # The first choice stands on top of the chart of all classes.
    texts = [(text.bounding_box()["y"], text.text_content()) for text in tab.locator("#chart-totals svg text").all()]
    names = [text[:5] for _, text in sorted(texts) if text[:1] in "<ABC"]
    assert names == [summary["explanation"]["classes"][j][:5] for j in last["order"]]
    heights = tab.locator("#chart-contributions svg").bounding_box()["height"]
    assert heights > 20 * len(shown)
    assert tab.complaints == []


def test_everything_is_reached_by_keyboard(tab):
    reached, links = [], 0
    for _ in range(80):
        tab.keyboard.press("Tab")
        at = tab.evaluate(
            """() => {
              const e = document.activeElement;
              const style = getComputedStyle(e);
              const seen = style.outlineStyle !== 'none' || style.boxShadow !== 'none';
              const name = e.id || e.getAttribute('aria-label') || e.textContent.trim();
              return [name, e.closest('nav') !== null, seen];
            }"""
        )
        reached.append(at[0])
        links += at[1]
        assert at[2], f"no focus to be seen on {at[0]}"
        if at[0] == "sample":
            break
    assert reached[0] == "Skip to the answer"
    assert links >= 9
    assert "dt-search-0" in reached
    assert reached[-1] == "sample"
    verdict = tab.locator("#verdict").inner_text()
    tab.keyboard.press("ArrowDown")
    assert tab.locator("#verdict").inner_text() != verdict


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["1280", "390"])
@pytest.mark.parametrize("kind", ["page_file", "centroid_page_file"], ids=["panel", "centroids"])
def test_axe_finds_nothing_serious(opened, request, kind, viewport):
    page_file = request.getfixturevalue(kind)
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        give_up("axe-playwright-python is not installed")
    tab = opened(page_file, viewport)
    for closed in tab.locator("details").all():
        closed.locator("summary").click()
    found = Axe().run(tab).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in {"serious", "critical"}] == []


def test_fourteen_classes_fit_a_telephone(opened, tmp_path):
    table = block_table(k=14, n=4, d=3, irrelevant=3)
    path = tmp_path / "many.html"
    path.write_text(render(summarize(table, methods=("NC",), repeats=1, n_init=1)), encoding="utf-8")
    tab = opened(path, NARROW)
    assert tab.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert tab.complaints == []
