"""The app in a real browser: from a table to the answer, the files, new samples, and runs side by side."""

import csv
import json
import shutil
import zipfile

import openpyxl
import pytest

from browsing import NARROW, WIDE, new_tab, serious_findings
from reported import HOSTILE_FEATURES, SCRIPT
from running_app import wait_until

PAGES = ("", "/features", "/errors", "/sample", "/alternates", "/new", "/files")
TABLES = {
    "good": [],
    "transposed": ["Rows are features"],
    "missing": ["Fill in the median"],
    "hostile": [],
    "donors": ["“donor” is the batch"],
}
"""Tables that are brought, and the buttons that mend them."""


class Visitor:
    """Somebody at the browser, who has opened the address that the server printed."""

    def __init__(self, browser, server, viewport=WIDE, scheme="light"):
        self.server, self.tab = server, new_tab(browser, viewport, scheme)
        self.tab.goto(server.address)
        self.tab.wait_for_url(server.base + "/")

    def open(self, path):
        self.tab.goto(self.server.base + path)
        self.tab.wait_for_selector("html[data-loaded]")
        if self.tab.locator("#report-data").count():
            self.tab.wait_for_selector("html[data-saveable]")
        return self.tab

    def bring(self, file):
        self.open("/").set_input_files("#table-file", file)
        self.tab.wait_for_url("**/tables/*")

    def press(self, name):
        self.tab.get_by_role("button", name=name).first.click()

    def start(self):
        """Ask for a quick run, and return the address of its page."""
        self.tab.locator("#more > summary").click()
        self.tab.fill("#repeats", "1")
        self.tab.locator("#fit").click()
        self.tab.wait_for_url("**/runs/*")
        return self.tab.url.removeprefix(self.server.base)

    def judge(self, file):
        """Bring a list for the table, have it judged, and return the address of the run."""
        self.tab.set_input_files("#list-file", file)
        self.tab.locator("#judge-list").click()
        self.tab.wait_for_url("**/runs/*")
        return self.tab.url.removeprefix(self.server.base)

    def save(self, click, folder):
        with self.tab.expect_download() as download:
            click()
        path = folder / download.value.suggested_filename
        download.value.save_as(path)
        return path

    def leave(self):
        """Close the window; nothing was complained of, and nothing was asked of anybody else."""
        outside = [url for url in self.tab.requests if not url.startswith((self.server.base, "data:", "blob:"))]
        complaints = self.tab.complaints
        self.tab.context.close()
        assert outside == []
        assert complaints == []


@pytest.fixture
def visitor(browser, server):
    found = Visitor(browser, server)
    yield found
    found.leave()


@pytest.fixture(scope="module")
def runs(browser, server, client, tables):
    """Bring every table, mend it by the buttons, start its run, close the page, and wait for the runs by themselves."""
    started = {}
    for name, buttons in TABLES.items():
        visitor = Visitor(browser, server)
        visitor.bring(tables[name])
        for button in buttons:
            assert visitor.tab.locator("#fit").count() == 0
            visitor.press(button)
        assert visitor.tab.locator("#understood").inner_text().startswith("24 samples, 9 features, 3 classes")
        if name == "donors":
            started["list"] = visitor.judge(tables["list"])
            visitor.tab.go_back()
        started[name] = visitor.start()
        assert visitor.tab.locator("#bar").count() == 1
        visitor.leave()
    # All were at work or waiting at once; each of them ends.
    wait_until(lambda: all("Waiting" not in page and 'id="running"' not in page for page in pages(client, started)))
    return started


def pages(client, started):
    return [client.ask("GET", address).text for address in started.values()]


def test_the_answer_is_there_with_its_figures_and_files(visitor, runs, tmp_path):
    tab = visitor.open(runs["good"])
    assert "misclassify" in tab.locator("#sentence").inner_text()
    assert tab.locator("#compared tbody tr").count() >= 5
    for page in PAGES[:4]:
        visitor.open(runs["good"] + page)
        assert tab.locator("figure svg, .chart svg, [id^=chart-] svg, figure img").count() >= 1
        assert tab.locator("button.save").count() >= 1
    visitor.open(runs["good"] + "/features")
    svg = visitor.save(lambda: tab.get_by_role("button", name="as SVG").first.click(), tmp_path).read_text()
    assert svg.startswith("<svg")
    assert "var(--" not in svg
    png = visitor.save(lambda: tab.get_by_role("button", name="as PNG").first.click(), tmp_path).read_bytes()
    assert png.startswith(b"\x89PNG")

    visitor.open(runs["good"] + "/files")
    links = tab.locator(".files a").all()
    saved = {path.name: path for path in (visitor.save(link.click, tmp_path) for link in links)}
    lists = ("lists.csv", "lists.xlsx", "lists.gmt", "alternates.csv", "alternates.xlsx")
    assert set(saved) == {f"good-{name}" for name in ("model.ndc", "report.html", *lists)}
    assert zipfile.is_zipfile(saved["good-model.ndc"])
    assert zipfile.is_zipfile(saved["good-lists.xlsx"])
    assert "<title>" in saved["good-report.html"].read_text()
    classes = {line.split("\t")[0] for line in saved["good-lists.gmt"].read_text().splitlines()}
    assert classes >= {"AML", "ALL", "CLL"}
    assert "ndc fit good.csv --target diagnosis -o model.ndc" in tab.locator("#command-text").inner_text()


def test_replacements_and_a_list_that_was_judged(visitor, runs, tables, tmp_path):
    tab = visitor.open(runs["donors"])
    assert "samples of batches not seen" in tab.locator("#sentence").inner_text()
    assert "donor 9 (CLL)" in tab.locator("#remarks").inner_text()
    visitor.open(runs["donors"] + "/alternates")
    shown = tab.locator("#alternates tbody th").all_inner_texts()
    with visitor.save(tab.get_by_role("link", name="Save as CSV").click, tmp_path).open(newline="") as file:
        found = [row for row in csv.DictReader(file) if row["rank"] == "0"]
    assert shown == [row["feature"] for row in found]
    command = tab.locator("#command-text").inner_text()
    assert command == "ndc alternates model.ndc donors.csv --target diagnosis --batch donor -o alternates.csv"
    tab.goto(visitor.server.base + runs["list"])
    assert tab.locator("#sentence").inner_text().startswith("The 3 features of the list tell 3 classes apart")
    assert tab.locator("#markers tbody tr").count() == 3
    assert tab.locator("#dots img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    page = visitor.save(tab.get_by_role("link", name="Save this page").click, tmp_path)
    assert page.name == "my list-list.html"
    svg = visitor.save(tab.get_by_role("link", name="as SVG").click, tmp_path)
    assert "<svg" in svg.read_text()
    command = visitor.open(runs["list"] + "/files").locator("#command-text").inner_text()
    assert command == "ndc evaluate 'my list.csv' donors.csv --target diagnosis --batch donor -o list.html"


def test_a_list_with_names_that_are_not_there_says_so(visitor, tables, tmp_path):
    visitor.bring(tables["good"])
    (tmp_path / "wrong.txt").write_text("f0\nACTB\n")
    visitor.tab.set_input_files("#list-file", tmp_path / "wrong.txt")
    visitor.tab.wait_for_selector("#judge .problem")
    assert "“wrong.txt” names features that the table does not have" in visitor.tab.locator("#judge").inner_text()
    assert visitor.tab.locator("#judge-list").count() == 0


def test_new_samples_get_labels_and_reasons(visitor, runs, tables, tmp_path):
    tab = visitor.open(runs["good"] + "/new")
    tab.set_input_files("#new-file", tables["new"])
    tab.wait_for_selector("#predictions")
    rows = tab.locator("#predictions tbody tr").all_inner_texts()
    assert len(rows) == 24
    saved = visitor.save(tab.get_by_role("link", name="Save as CSV").click, tmp_path)
    with saved.open(newline="") as file:
        found = list(csv.DictReader(file))
    assert [row["label"] for row in found] == [row.split("\t")[1] for row in rows]
    assert {"probability_AML", "set", "typicality"} <= set(found[0])
    assert zipfile.is_zipfile(visitor.save(tab.get_by_role("link", name="Save as Excel").click, tmp_path))
    assert "ndc predict model.ndc new.csv --confidence 0.9" in tab.locator("#command-text").inner_text()
    tab.select_option("#confidence", "0.8")
    tab.wait_for_selector("th:has-text('80\u00a0%')")
    assert "--confidence 0.8" in tab.locator("#command-text").inner_text()
    assert tab.evaluate("document.activeElement.id") == "confidence"  # who chose by the keyboard goes on there
    tab.get_by_role("link", name="Why s0", exact=True).click()
    tab.wait_for_selector("#why-title")
    assert tab.locator("#why-title").inner_text() == f"Why s0 is {found[0]['label']}"
    assert tab.locator("figure img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 500


def test_a_table_without_the_features_says_so(visitor, runs, tables):
    tab = visitor.open(runs["good"] + "/new")
    tab.set_input_files("#new-file", tables["transposed"])
    tab.wait_for_selector("#problems")
    tab.get_by_role("button", name="Rows are features").click()
    tab.wait_for_selector("#predictions")
    assert tab.locator("#predictions tbody tr").count() == 24
    assert "in the training table" in tab.locator(".messages").inner_text()


@pytest.mark.parametrize(("name", "option"), [("transposed", "--features-in-rows"), ("missing", "--impute median")])
def test_tables_that_were_mended_have_an_answer_too(visitor, runs, name, option):
    tab = visitor.open(runs[name])
    assert "misclassify" in tab.locator("#sentence").inner_text()
    visitor.open(runs[name] + "/files")
    assert option in tab.locator("#command-text").inner_text()


def texts_in(workbook):
    """Texts of an Excel file, none of which is a formula."""
    found = openpyxl.load_workbook(workbook)
    cells = [cell for sheet in found for row in sheet.iter_rows() for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f"]
    return {cell.value for cell in cells}


def test_hostile_names_stay_text(visitor, runs, tables, tmp_path):
    tab, run = visitor.tab, runs["hostile"]
    for page in PAGES:
        visitor.open(run + page)
        assert tab.locator("main b, main img[src=x]").count() == 0
        assert tab.evaluate("window.sentinel") is None
    assert tab.locator("h1").inner_text() == tables["hostile"].name
    visitor.open(run + "/features")
    shown = tab.locator("#owner-table").inner_text()
    assert all(name.replace("\u2028", "") in shown.replace("\u2028", "") for name in HOSTILE_FEATURES)
    saved = visitor.save(visitor.open(run + "/files").get_by_role("link", name="The lists as Excel").click, tmp_path)
    assert "=1+1" in texts_in(saved)
    tab.goto(visitor.server.base + run + "/new")
    tab.set_input_files("#new-file", tables["hostile"])
    tab.wait_for_selector("#predictions")
    assert SCRIPT in tab.locator("#predictions tbody").inner_text()
    assert "=cmd|' /C calc'!A0" in texts_in(visitor.save(tab.get_by_role("link", name="as Excel").click, tmp_path))
    for path in ("/runs", "/"):
        assert tables["hostile"].name in visitor.open(path).locator("main").inner_text()
    assert tab.evaluate("window.sentinel") is None


def test_two_runs_side_by_side_and_one_deleted(visitor, server, runs):
    tab = visitor.open("/runs")
    boxes = {name: tab.locator(f"input[value='{address.split('/')[-1]}']") for name, address in runs.items()}
    assert {name for name, box in boxes.items() if box.count() == 1} == set(TABLES)
    boxes["good"].check()
    boxes["missing"].check()
    tab.locator("#compare").click()
    tab.wait_for_selector("#side-by-side")
    assert tab.locator("#side-by-side thead a").all_inner_texts() == ["missing.csv", "good.csv"]
    assert tab.get_by_role("heading", name="AML").count() == 1
    visitor.open("/compare?run=" + runs["good"].split("/")[-1])
    assert "exactly two" in tab.locator("main").inner_text()

    copy = "20260101-000000-00000001"
    shutil.copytree(server.folder / runs["good"].split("/")[-1], server.folder / copy)
    delete = visitor.open("/runs").locator(f"button[formaction='/runs/{copy}/delete']")
    tab.once("dialog", lambda dialog: dialog.dismiss())
    delete.click()
    assert (server.folder / copy).is_dir()
    tab.once("dialog", lambda dialog: dialog.accept())
    delete.click()
    tab.wait_for_selector(f"input[value='{copy}']", state="detached")
    assert not (server.folder / copy).exists()


def test_a_model_of_a_colleague_predicts(visitor, server, runs, tables):
    tab = visitor.open("/runs")
    tab.set_input_files("#model-file", server.folder / runs["good"].split("/")[-1] / "model.ndc")
    tab.wait_for_url("**/new")
    tab.set_input_files("#new-file", tables["new"])
    tab.wait_for_selector("#predictions")
    assert tab.locator("#predictions tbody tr").count() == 24


@pytest.mark.parametrize(("viewport", "scheme"), [(WIDE, "dark"), (NARROW, "light")], ids=["1280 dark", "390 light"])
def test_every_screen_fits_and_axe_finds_nothing_serious(browser, server, runs, tables, viewport, scheme):
    visitor = Visitor(browser, server, viewport, scheme)
    tab = visitor.tab

    def looked_at(what):
        tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        assert tab.evaluate("document.documentElement.scrollWidth") <= viewport["width"], what
        assert serious_findings(tab) == [], what

    two = "&".join(f"run={runs[name].split('/')[-1]}" for name in ("good", "hostile"))
    for path in ("/", *(runs["hostile"] + page for page in PAGES), "/runs", f"/compare?{two}", runs["list"]):
        visitor.open(path)
        looked_at(path)
    visitor.bring(tables["missing"])
    looked_at("a table with a problem")
    visitor.press("Fill in the median")
    tab.wait_for_selector("#fit")
    looked_at("a table")
    visitor.open(runs["good"] + "/new").set_input_files("#new-file", tables["new"])
    tab.wait_for_selector("#predictions")
    looked_at("predictions")
    tab.locator("a[href*=why]").first.click()
    tab.wait_for_selector("#why-title")
    looked_at("why")
    visitor.leave()


def focused(tab):
    return tab.evaluate(
        """() => {
          const e = document.activeElement;
          const seen = [e, e.parentElement].some((one) => getComputedStyle(one).outlineStyle !== 'none');
          return [e.id || e.textContent.trim(), seen];
        }"""
    )


def tab_to(tab, name):
    """Press the tabulator until something has the focus, which can be seen all the way."""
    for _ in range(60):
        tab.keyboard.press("Tab")
        at, seen = focused(tab)
        assert seen, f"no focus to be seen on {at}"
        if at.startswith(name):
            return
    raise AssertionError(f"{name} is not reached")


def test_keyboard_alone_starts_a_run_and_cancels_it(visitor, server):
    tab = visitor.tab
    tab_to(tab, "Skip to the page")
    tab_to(tab, "table-file")
    tab_to(tab, "Simulated blocks")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/tables/*")
    tab_to(tab, "fit")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#running")
    wait_until(lambda: tab.evaluate("document.getElementById('bar').value") > 0)
    assert len(server.unfinished()) == 1
    job = json.loads((server.unfinished()[0] / "job.json").read_text())
    assert job["name"] == "blocks.csv"
    # Another page of the same run, opened anew, shows how far it is.
    other = visitor.tab.context.new_page()
    other.goto(tab.url)
    other.wait_for_selector("#running")
    tab_to(tab, "cancel")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#cancelled")
    other.wait_for_selector("#cancelled")
    assert server.unfinished() == []
    tab.get_by_role("link", name="Back to the question").click()
    tab.wait_for_selector("#fit")


def test_wrong_guesses_are_corrected_by_choosing_and_the_command_follows(visitor, tables, tmp_path):
    tab = visitor.tab
    visitor.bring(tables["good"])
    command = tab.locator("#command-text")
    assert "--target diagnosis" in command.inner_text()
    tab.locator("#otherwise > summary").click()
    tab.select_option("#leave_out", "f8")
    tab.wait_for_selector("text=Put “f8” back")
    assert "--drop f8" in command.inner_text()
    assert "8 features" in tab.locator("#understood").inner_text()
    prices = tmp_path / "prices.csv"
    prices.write_text("feature,cost\n" + "".join(f"f{at},1\n" for at in range(9)))
    tab.locator("#more > summary").click()
    tab.fill("#exclude", "f7")
    tab.select_option("#direction", "up")
    wait_until(lambda: "--direction up" in command.inner_text())
    assert "--exclude f7" in command.inner_text()
    tab.set_input_files("#costs-file", prices)
    tab.wait_for_selector("text=use prices.csv")
    assert tab.locator("#exclude").input_value() == "f7"
    tab.locator("#fit").click()
    tab.wait_for_selector("#form-problem:visible")
    assert "budget" in tab.locator("#form-problem").inner_text()
    assert tab.locator("#exclude").input_value() == "f7"
    tab.fill("#budget", "5")
    tab.locator("#seed").focus()
    wait_until(lambda: "--costs prices.csv --budget 5" in command.inner_text())
    visitor.tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.get_by_role("button", name="Copy").click()
    wait_until(lambda: tab.get_by_role("button", name="Copied").count() == 1)
    assert tab.evaluate("navigator.clipboard.readText()") == command.inner_text()


def test_files_that_cannot_be_taken_say_why(visitor, tmp_path):
    big = tmp_path / "big.csv"
    big.write_bytes(b"x" * (2**20 + 2))
    tab = visitor.open("/")
    tab.set_input_files("#table-file", big)
    tab.wait_for_selector(".upload.wrong")
    assert (
        "larger than 1 MB" in tab.locator(".upload.wrong").inner_text()
        or "too large" in tab.locator(".upload.wrong").inner_text()
    )
    picture = tmp_path / "picture.csv"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9)
    tab.set_input_files("#table-file", picture)
    tab.wait_for_selector("#problems")
    assert tab.locator("#fit").count() == 0
    visitor.tab.complaints[:] = [text for text in visitor.tab.complaints if "413" not in text]
