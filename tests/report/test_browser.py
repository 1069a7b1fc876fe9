"""The page in a real browser."""

import csv
import re
from itertools import pairwise
from urllib.parse import quote

import pytest

from browsing import NARROW, WIDE, new_tab, serious_findings
from disjoint_centroids.report import render, summarize
from disjoint_centroids.tables import LabelledTable
from reported import HOSTILE_FEATURES, SCRIPT, block_table


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


PREFIX = "diffuse large B-cell lymphoma of the activated kind, subtype "


@pytest.fixture(scope="session")
def two_classes():
    """Two classes whose long names begin and end alike, samples and features too."""
    found = block_table(k=2, n=9, d=5, irrelevant=6)
    values = found.values.rename(columns=lambda name: f"a rather long common beginning {name} and a common end")
    values = values.rename(index=lambda name: f"{name}/50 % & ünlabelled")
    labels = found.labels.set_axis(values.index).map(lambda label: f"{PREFIX}{label} as in 2001")
    return summarize(LabelledTable(values, labels, "two.csv"), methods=("NC",), cv=3, repeats=2, random_state=1)


@pytest.fixture(scope="session")
def two_classes_file(two_classes, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "two.html"
    path.write_text(render(two_classes), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser):
    """A function that opens a file; whatever the page complains of or asks for is on the returned object."""
    contexts = []

    def open_file(path, viewport=WIDE, scheme="light", at=""):
        tab = new_tab(browser, viewport, scheme)
        contexts.append(tab.context)
        tab.goto(path.as_uri() + at)
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
    at = 3 + len(summary["owners"]["columns"])
    header = tab.locator("#owner-table thead th").nth(at - 1)
    header.click()
    tab.wait_for_selector("#owner-table th[aria-sort=ascending]")
    first = [float(text) for text in column(tab, at)]
    assert first == sorted(means)[: len(first)]
    header.click()
    tab.wait_for_selector("#owner-table th[aria-sort=descending]")
    again = [float(text) for text in column(tab, at)]
    assert again == sorted(means, reverse=True)[: len(again)]
    assert first != again


def test_searching_finds_names_and_classes(tab, summary):
    box = tab.locator("#owners").get_by_label("Search")
    box.fill("f25")
    assert column(tab, 1) == ["f25"]
    box.fill("no such thing")
    assert "No such feature or class" in tab.locator("#owner-table tbody").inner_text()
    box.fill(SCRIPT)
    rows = summary["owners"]["rows"]
    assert set(column(tab, 1)) == {name for name, owner, *_ in rows if SCRIPT in name or owner == SCRIPT}


def test_the_table_downloads_as_csv(tab, summary, tmp_path):
    with tab.expect_download() as download:
        tab.locator("#owners").get_by_role("button", name="Download CSV").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.suffix == ".csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["Feature", "Owner", "Direction", *summary["owners"]["columns"]]
    assert header[3:5] == ["Pick", "Margin"]
    expected = [name for name, *_ in summary["owners"]["rows"]]
    # A name that a spreadsheet would calculate gets an apostrophe; all others come out as they are.
    assert [row[0] for row in rows] == ["'=1+1" if name == "=1+1" else name for name in expected]
    assert [float(row[3]) if row[3] else None for row in rows] == [row[2] for row in summary["owners"]["rows"]]
    assert [row[2][:1] for row in rows] == summary["owners"]["arrows"]


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
    owners = tab.locator("#contributions tbody td:nth-child(3)").all_inner_texts()
    assert owners[: len(largest)] == [summary["explanation"]["classes"][part[5]] for part in last["parts"][first]]
    assert len(set(owners) - {""}) > 1
    bars = tab.locator("#chart-contributions svg .mark-rect.role-mark path").all()
    filled = [float(bar.get_attribute("fill-opacity") or 1) for bar in bars]
    of_class = tab.locator("#contributions tbody td:first-child").all_inner_texts()
    expected = [
        0.0 if owner == "" else 1.0 if owner == row else 0.25 for owner, row in zip(owners, of_class, strict=True)
    ]
    assert filled == expected
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
    for _ in range(150):
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


@pytest.mark.parametrize(
    ("kind", "viewport", "scheme"),
    [
        ("page_file", WIDE, "light"),
        ("page_file", NARROW, "dark"),
        ("centroid_page_file", WIDE, "dark"),
        ("centroid_page_file", NARROW, "light"),
        ("two_classes_file", WIDE, "dark"),
    ],
)
def test_axe_finds_nothing_serious(opened, request, kind, viewport, scheme):
    page_file = request.getfixturevalue(kind)
    tab = opened(page_file, viewport, scheme)
    for closed in tab.locator("details").all():
        closed.locator("summary").click()
    assert serious_findings(tab) == []


def test_fourteen_classes_fit_a_telephone(opened, tmp_path):
    table = block_table(k=14, n=4, d=3, irrelevant=3)
    path = tmp_path / "many.html"
    path.write_text(render(summarize(table, methods=("NC",), repeats=1, n_init=1)), encoding="utf-8")
    tab = opened(path, NARROW)
    assert tab.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert tab.complaints == []
    # The matrix is wider than the telephone, and says so: names above it do not run into each other.
    assert tab.locator("#confusion .hint").first.is_visible()
    names = tab.locator("#chart-confusion svg .role-axis-label").first.locator("text").all()
    left = sorted(name.bounding_box()["x"] for name in names)
    assert len(left) == 14
    assert min(after - before for before, after in pairwise(left)) > 20
    tab.emulate_media(media="print")
    tab.set_viewport_size(A4)
    assert tab.locator("#chart-confusion svg").bounding_box()["width"] <= A4["width"]


def test_legends_are_whole_on_a_telephone(opened, two_classes_file, two_classes):
    tab = opened(two_classes_file, NARROW)
    first = two_classes["explanation"]["samples"][0]
    classes = [two_classes["explanation"]["classes"][j] for j in first["order"]]
    lines = tab.locator("#roles li")
    assert lines.all_inner_texts() == [f"first choice: {classes[0]}", f"second choice: {classes[1]}"]
    assert all(line.evaluate("e => e.scrollWidth <= e.clientWidth") for line in lines.all())
    bars = tab.locator("#chart-contributions svg .mark-rect path")
    for at, bar in enumerate((bars.first, bars.last)):
        colour = lines.nth(at).evaluate("e => getComputedStyle(e, '::before').backgroundColor")
        assert bar.evaluate("e => getComputedStyle(e).fill") == colour
    box = tab.locator("#chart-rounds-loss").bounding_box()
    legend = [text.bounding_box() for text in tab.locator("#chart-rounds-loss svg .role-legend-label text").all()]
    assert len(legend) >= 2
    assert all(label["x"] + label["width"] <= box["x"] + box["width"] for label in legend)
    below = max(label["y"] + label["height"] for label in legend)
    words = tab.locator("#chart-rounds-loss svg .mark-text.role-mark text").all()
    assert words
    assert all(word.bounding_box()["y"] >= below for word in words)


def test_classes_and_features_with_a_common_prefix_are_told_apart_in_every_chart(opened, two_classes_file):
    tab = opened(two_classes_file)
    classes = [f"…{letter} as in 2001" for letter in "AB"]
    for chart, shown in (("confusion", ["…A as in 2001", "…B as in 2001"]), ("totals", classes)):
        texts = tab.locator(f"#chart-{chart} svg text").all_text_contents()
        assert set(shown) <= set(texts), chart
    texts = tab.locator("#chart-contributions svg text").all_text_contents()
    legend = tab.locator("#roles li").all_inner_texts()
    assert len(set(legend)) == 2
    assert all(re.search("[AB] as in 2001$", text) for text in legend)
    features = [text for text in texts if re.fullmatch(r"…\d+ and a common end", text)]
    assert len(features) >= 4
    # Both classes read the same features: each has its bar in either half, and no two of a half are alike.
    for half in (features[: len(features) // 2], features[len(features) // 2 :]):
        assert len(set(half)) == len(half)
    # Slanting names above the matrix are inside their chart.
    box = tab.locator("#chart-confusion").bounding_box()
    for text in tab.locator("#chart-confusion svg text").all():
        inner = text.bounding_box()
        assert inner["x"] >= box["x"] - 1
        assert inner["x"] + inner["width"] <= box["x"] + box["width"] + 1


def test_the_roc_curve_is_drawn_for_every_repeat(opened, two_classes_file, two_classes):
    tab = opened(two_classes_file)
    lines = tab.locator("#chart-roc svg .mark-line path").all()
    assert len(lines) == 1 + len(two_classes["roc"]["curves"])  # and the diagonal
    assert f"{two_classes['roc']['auc']:.3f}" in tab.locator("#roc-sentence").inner_text()


def test_the_page_and_its_charts_turn_dark_and_light_again(opened, page_file):
    tab = opened(page_file, scheme="dark")
    measure = """() => {
      const light = (colour) => colour.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 765;
      const of = (what, property) => light(getComputedStyle(document.querySelector(what))[property]);
      return {
        page: of('body', 'backgroundColor'),
        text: of('p', 'color'),
        table: of('#owner-table td', 'color'),
        axis: of('#chart-errors svg text', 'fill'),
        matrix: of('#chart-confusion svg .role-axis-label text', 'fill'),
      };
    }"""
    dark = tab.evaluate(measure)
    assert dark.pop("page") < 0.15
    assert min(dark.values()) > 0.6
    tab.emulate_media(color_scheme="light")
    light = tab.evaluate(measure)
    assert light.pop("page") == 1.0
    assert max(light.values()) < 0.4
    tab.emulate_media(color_scheme="dark", media="print")
    paper = tab.evaluate(measure)
    assert max(value for name, value in paper.items() if name != "page") < 0.4
    assert tab.complaints == []


A4 = {"width": 718, "height": 1000}
"""What a sheet with margins of a centimetre has room for."""
ROWS = "n => document.querySelectorAll('#owner-table tbody tr').length === n"


@pytest.mark.parametrize("kind", ["page_file", "centroid_page_file", "two_classes_file"])
def test_nothing_is_cut_on_paper(opened, request, kind):
    tab = opened(request.getfixturevalue(kind))
    rows = tab.locator("#owner-table tbody tr").count()
    in_all = int(re.search(r"of (\d+) features", tab.locator("#owners .dt-info").inner_text())[1])
    tab.emulate_media(media="print")
    tab.set_viewport_size(A4)
    tab.wait_for_function(ROWS, arg=in_all)
    cut = tab.evaluate(
        """() => [...document.querySelectorAll('main *, header *')].filter((e) => {
          const box = e.getBoundingClientRect(), style = getComputedStyle(e);
          if (!box.width || !box.height || e.closest('svg') !== null && e.tagName !== 'svg') return false;
          const hides = style.overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1;
          return box.right > innerWidth + 1 || box.left < -1 || hides;
        }).map((e) => e.tagName + '#' + e.id + '.' + e.className + ': ' + e.textContent.slice(0, 60))"""
    )
    assert cut == []
    broken = tab.evaluate(
        """() => [...document.querySelectorAll('td.number, td.dt-type-numeric, thead th')].filter((e) => {
          const text = document.createRange(), written = (e.querySelector('.dt-column-title') ?? e).firstChild;
          if (!written || e.closest('.many') || e.matches('.named') || /\\s/.test(e.textContent.trim())) return false;
          text.selectNodeContents(written);
          return new Set([...text.getClientRects()].map((line) => Math.round(line.top))).size > 1;
        }).map((e) => e.textContent)"""
    )
    assert broken == []
    assert tab.locator("details:not([open])").count() == 0
    assert in_all > rows
    assert tab.locator("#sample-table tbody tr").count() == tab.locator("#sample option").count()
    tab.emulate_media(media="screen")
    tab.wait_for_function(ROWS, arg=rows)
    assert tab.locator("details[open]").count() == 0


def test_printing_opens_all_and_puts_it_back(opened, page_file, summary, tmp_path):
    tab = opened(page_file)
    tab.evaluate(
        """() => {
          const rows = () => document.querySelectorAll('#owner-table tbody tr').length;
          addEventListener('beforeprint', () => (window.printed = rows()));
        }"""
    )
    tab.pdf(path=tmp_path / "report.pdf", format="A4")
    assert tab.evaluate("window.printed") == len(summary["owners"]["rows"])
    assert tab.locator("#owner-table tbody tr").count() == 15
    assert (tmp_path / "report.pdf").read_bytes().count(b"/Type /Page\n") > 5


def test_a_link_opens_one_sample(opened, two_classes_file, two_classes):
    samples = two_classes["explanation"]["samples"]
    wanted = samples[-1]["id"]
    assert "/" in wanted
    tab = opened(two_classes_file, at=f"#sample-{quote(wanted, safe='')}")
    assert f"“{wanted}” goes to" in tab.locator("#verdict").inner_text()
    assert tab.locator("#explanation").bounding_box()["y"] < WIDE["height"] / 2
    other = samples[1]["id"]
    tab.locator("#sample-table_wrapper .dt-length select").select_option("-1")
    tab.get_by_role("link", name=other, exact=True).click()
    tab.wait_for_function("id => document.getElementById('verdict').textContent.startsWith('“' + id)", arg=other)
    assert tab.locator("#sample").input_value() == "1"
    tab.select_option("#sample", "2")
    address = f"#sample-{quote(samples[2]['id'], safe='')}"
    assert tab.evaluate("decodeURIComponent(location.hash)") == f"#sample-{samples[2]['id']}"
    assert tab.locator("#sample-link").get_attribute("href").lower() == address.lower()
    assert tab.complaints == []
    for odd in ("#sample-nobody", "#sample-%E0%A4%A"):
        assert f"“{samples[0]['id']}” goes to" in opened(two_classes_file, at=odd).locator("#verdict").inner_text()


def test_samples_are_listed_filtered_and_downloaded(tab, summary, tmp_path):
    rows = summary["samples"]["rows"]
    first = tab.locator("#sample-table tbody tr").first.locator("td").all_inner_texts()
    repeats, wrong = summary["samples"]["repeats"], rows[0][4]
    assert first[:3] == rows[0][1:4]
    assert first[3] == f"wrong in {wrong} of {repeats}"
    tab.locator("#sample-table_wrapper .dt-length select").select_option("-1")
    assert tab.locator("#sample-table tbody tr").count() == len(rows)
    tab.get_by_label("Only samples that were predicted wrongly").check()
    shown = tab.locator("#sample-table tbody td:nth-child(1)").all_inner_texts()
    assert shown == [row[1] for row in rows if row[4]]
    assert 0 < len(shown) < len(rows)
    with tab.expect_download() as download:
        tab.locator("#samples").get_by_role("button", name="Download CSV").click()
    download.value.save_as(tmp_path / "samples.csv")
    with (tmp_path / "samples.csv").open(encoding="utf-8-sig", newline="") as file:
        header, *written = csv.reader(file)
    assert header == ["Sample", "True class", "Predicted most often", "Result", "Probability of the true class"]
    assert len(written) == len(shown)
    assert tab.evaluate("window.sentinel") is None


def test_a_table_shows_that_it_goes_on_sideways(opened, page_file):
    tab = opened(page_file, NARROW)
    box = tab.locator("#owners .dt-layout-table > .dt-layout-cell")
    hint = tab.locator("#owners .hint")
    assert hint.is_visible()
    assert "scroll sideways" in hint.inner_text()
    above, table, section = (part.bounding_box() for part in (hint, box, tab.locator("#owners")))
    assert above["y"] + above["height"] <= table["y"]
    assert table["width"] == pytest.approx(section["width"], abs=2)
    assert "more-right" in box.get_attribute("class")
    assert box.evaluate("e => getComputedStyle(e).maskImage") != "none"
    box.evaluate("e => e.scrollTo({ left: e.scrollWidth, behavior: 'instant' })")
    tab.wait_for_selector("#owners .more-left:not(.more-right)")
    box.focus()
    tab.keyboard.press("ArrowLeft")
    tab.wait_for_selector("#owners .more-right")
    wide = opened(page_file, {"width": 1600, "height": 900})
    assert not wide.locator("#compared .hint").is_visible()
