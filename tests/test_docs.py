"""The documentation keeps up with the package: names, commands, links, figures. `make docs` builds the site itself."""

from __future__ import annotations

import importlib
import re
import tomllib
from pathlib import Path

import pytest

import disjoint_centroids
from disjoint_centroids import datasets, plots, report, tables

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
MADE_BY_THE_BUILD = re.compile(r"gallery/images/sphx_glr_(plot_\w+)_\d{3}\.png")

API_NAMES = [
    *disjoint_centroids.__all__,
    *(f"datasets.{name}" for name in datasets.__all__),
    *(f"tables.{name}" for name in tables.__all__),
    *(f"plots.{name}" for name in plots.__all__),
    *(f"report.{name}" for name in report.__all__),
    "evaluation.compare",
    "evaluation.compare_with_predictions",
    "evaluation.evaluate",
    "evaluation.error_interval",
    "markers.disjoint_markers",
    "markers.disjoint_markers_df",
    "markers.marker_alternates",
    "models.set_as_text",
    "models.set_from_text",
    "models.with_sets_as_text",
    "models.load_model",
    "models.save_model",
    "models.model_columns",
    "models.needed_features",
    "models.predict_table",
    "panels.TableSums",
    "pipeline.model_pipeline",
    "rows.dask_blocks.connect",
    "rows.dask_blocks.dask_array",
    "rows.streaming.fit_in_blocks",
    "transforms.transform_steps",
]


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """What GitHub and MyST call the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", without_code(page.read_text(encoding="utf-8")), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> list[str]:
    found = re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8")))
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def leads_nowhere(page: Path, link: str) -> bool:
    target, _, anchor = link.partition("#")
    if made := MADE_BY_THE_BUILD.fullmatch(target):
        return not (ROOT / "examples" / f"{made[1]}.py").is_file()
    path = page.parent / target if target else page
    return not path.exists() or bool(anchor and anchor not in anchors(path))


@pytest.mark.parametrize("name", API_NAMES)
def test_every_public_name_is_on_the_api_page(name):
    listed = rf"^(   |\.\. py:data:: ){re.escape(name)}$"
    assert re.search(listed, (DOCS / "api.md").read_text(encoding="utf-8"), flags=re.MULTILINE)


def python_names(text: str) -> set[str]:
    """Names of the package that a page links to, or imports in its code, as dotted paths."""
    roles = re.findall(r"\{py:\w+\}`[^`]*?~?(disjoint_centroids[\w.]*)>?`", text)
    imports = re.findall(r"^\s*from (disjoint_centroids[\w.]*) import ([\w, ]+)$", text, flags=re.MULTILINE)
    return {*roles, *(f"{module}.{name.strip()}" for module, names in imports for name in names.split(","))}


def resolves(name: str) -> bool:
    """True if a dotted path is a module, or a name in one."""
    module, _, attribute = name.rpartition(".")
    try:
        return hasattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_names_exist(page):
    assert [name for name in sorted(python_names(page.read_text(encoding="utf-8"))) if not resolves(name)] == []


def test_python_names_are_found():
    text = "{py:func}`~disjoint_centroids.no.such` {py:class}`A b <disjoint_centroids.Panel>`"
    code = "from disjoint_centroids.tables import read_table, write_table"
    assert python_names(f"{text}\n{code}\n") == {
        "disjoint_centroids.no.such",
        "disjoint_centroids.Panel",
        "disjoint_centroids.tables.read_table",
        "disjoint_centroids.tables.write_table",
    }
    assert [resolves(f"disjoint_centroids.tables.{name}") for name in ("read_table", "write_table")] == [True, False]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    assert [link for link in links(page) if leads_nowhere(page, link)] == []


@pytest.mark.parametrize(
    "link", ["guide-that-is-not-there.md", "start.md#no-such-heading", "gallery/images/sphx_glr_plot_9_001.png"]
)
def test_a_broken_link_is_seen(link):
    assert leads_nowhere(DOCS / "index.md", link)


MAKERS = {
    "app-": "docs/make_app_pictures.py",
    "panel-": "docs/make_pictures.py",
    "report": "docs/make_pictures.py",
    "paper-": "paper/run.py",
    "performance-": "benchmarks/performance_page.py",
    "real-data-": "benchmarks/real_data.py",
    "markers-": "benchmarks/marker_panels.py",
    "single-cell": "benchmarks/single_cell.py",
}


@pytest.mark.parametrize("picture", sorted((DOCS / "images").iterdir()), ids=lambda picture: picture.name)
def test_every_picture_has_a_script_and_a_page(picture):
    script = next((made_by for start, made_by in MAKERS.items() if picture.name.startswith(start)), None)
    assert script is not None and (ROOT / script).is_file()
    assert any(f"images/{picture.name})" in page.read_text(encoding="utf-8") for page in PAGES)


def listed_below(page: str) -> list[str]:
    """Pages that a page lists in its table of contents."""
    contents = re.search(r"```\{toctree\}(.*?)```", (DOCS / f"{page}.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.findall(r"<([\w\-/]+)>", contents[1]) if contents else []


def test_there_are_four_doors_and_every_page_is_behind_one():
    doors = listed_below("index")
    assert doors == ["start", "guide", "evidence", "reference"]
    behind = [page for door in doors for page in listed_below(door)]
    assert len(behind) == len(set(behind))
    assert {*doors, *behind} - {"gallery/index"} == {page.stem for page in DOCS.glob("*.md")} - {"index"}


def test_pages_without_a_side_are_those_with_nothing_to_list():
    """A page that neither lists pages nor is listed by a door would have an empty side."""
    settings = (DOCS / "conf.py").read_text(encoding="utf-8")
    bare = re.search(r"^html_sidebars = .*in \((.*)\)\}$", settings, flags=re.MULTILINE)
    doors = listed_below("index")
    alone = {"index", *(door for door in doors if not listed_below(door))}
    assert set(re.findall(r'"(\w+)"', bare[1])) == alone | {"genindex", "search"}


GLOSSARY = (DOCS / "glossary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "word",
    ["draft", "round", "owner", "margin", "panel", "pool", "support", "restart", "lambda", "typicality", "held out"],
)
def test_the_words_of_the_package_are_in_the_glossary(word):
    assert re.search(rf"^### {word}$", GLOSSARY, flags=re.MULTILINE)


@pytest.mark.parametrize("page", ["method", "when", "python", "large", "single-cell", "command-line", "uncertainty"])
def test_pages_link_to_the_glossary(page):
    assert any(link.startswith("glossary.md#") for link in links(DOCS / f"{page}.md"))


def commands():
    """Every command of ndc as (name, command), groups taken apart."""
    typer = pytest.importorskip("typer")
    from disjoint_centroids.cli import app

    for name, command in typer.main.get_command(app).commands.items():
        if hasattr(command, "commands"):
            yield from ((f"{name} {inner}", part) for inner, part in command.commands.items())
        else:
            yield name, command


def test_every_command_and_option_is_on_the_page_of_the_command_line():
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    missing = []
    for name, command in commands():
        if f"\nndc {name}" not in page:
            missing.append(f"ndc {name}")
        options = [option for parameter in command.params for option in parameter.opts if option.startswith("--")]
        missing += [f"ndc {name} {option}" for option in options if option not in page]
    assert missing == []


def test_the_pages_name_no_option_that_is_not_there():
    parameters = [parameter for _, command in commands() for parameter in command.params]
    known = {option for parameter in parameters for option in [*parameter.opts, *parameter.secondary_opts]}
    named = set()
    for page in ("start.md", "when.md", "command-line.md"):
        named |= set(re.findall(r"(?<![\w-])--[a-z][\w-]*", (DOCS / page).read_text(encoding="utf-8")))
    assert named - known <= {"--version", "--help"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_targets_are_on_no_page(page):
    """Targets are ours; a reader wants to know what was measured."""
    targets = r"to be reached|to reach:|\*\*(not )?reached\*\*|\(wanted: |\| must \||\| aim \||\| allowed"
    assert re.findall(targets, page.read_text(encoding="utf-8")) == []


def test_figures_of_the_simulations_are_those_on_the_papers_page():
    rows = re.findall(r"\| Simulation (\d), ([^|]*?) \|(.*)", (DOCS / "when.md").read_text(encoding="utf-8"))
    assert len(rows) == 5
    paper = (DOCS / "paper.md").read_text(encoding="utf-8")
    for number, setting, cells in rows:
        table = paper.split(f"## Table {number}:")[1].split("\n## ")[0]
        printed = re.search(rf"^\| {re.escape(setting)} \|(.*)$", table, flags=re.MULTILINE)[1]
        means = set(re.findall(r"(\d\.\d+) ±", printed))
        assert set(re.findall(r"\d\.\d+", cells)) <= means, f"Simulation {number}, {setting}"


def test_figures_of_the_readme_are_those_on_the_page_of_real_data():
    rows = re.findall(
        r"^\| \*?\*?([\w .-]+?)\*?\*? \|[^|]*\| \*?\*?(0\.\d{3})\*?\*? \| (\d+) \|$", README, flags=re.MULTILINE
    )
    assert len(rows) >= 8
    page = (DOCS / "real-data.md").read_text(encoding="utf-8").split("### log2, all")[1].split("###")[0]
    for method, error, features in rows:
        printed = re.search(rf"^\| \*?\*?{re.escape(method)}\*?\*? \|(.*)$", page, flags=re.MULTILINE)[1].split("|")
        assert (printed[0].strip(), printed[3].strip()) == (error, features), method


def test_the_extras_on_the_first_page_are_those_of_the_package():
    page = (DOCS / "start.md").read_text(encoding="utf-8")
    table = page[page.index("| extra |") : page.index("`pip install .` alone")]
    extras = [row.split("|")[1] for row in table.strip().splitlines()[2:]]
    named = {name for cell in extras for name in re.findall(r"`([a-z]+)`", cell)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert named | {"all"} == set(project["optional-dependencies"])


def test_docstrings_begin_with_what_a_thing_does_or_is():
    question = re.compile(r'"""(?:What|How|Whether|Who|Whose|Which|Where|Why)\b.*')
    sources = sorted((ROOT / "src").rglob("*.py"))
    assert len(sources) > 200
    found = {path.name: question.findall(path.read_text(encoding="utf-8")) for path in sources}
    assert {name: lines for name, lines in found.items() if lines} == {}
