"""What a release is made of: one version, a wheel with the package alone, actions that cannot change. `make
release-checks` does the rest."""

import itertools
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION = PROJECT["version"]
PYTHONS = ["3.11", "3.12", "3.13"]
RECIPE = yaml.safe_load((ROOT / "conda/recipe.yaml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version_everywhere():
    assert re.search(r"^## \[(\d.*?)\] - \d{4}-\d\d-\d\d$", text_of("CHANGELOG.md"), re.MULTILINE)[1] == VERSION
    assert yaml.safe_load(text_of("CITATION.cff"))["version"] == VERSION
    assert RECIPE["context"] == {"version": VERSION, "python_min": PYTHONS[0]}
    assert f'<token name="@TOOL_VERSION@">{VERSION}</token>' in text_of("galaxy/macros.xml")


def test_pythons_are_the_same_everywhere():
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    promised = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", name)]
    assert promised == PYTHONS
    assert f"PYTHONS = {PYTHONS}".replace("'", '"') in text_of("noxfile.py")
    matrix = yaml.safe_load(text_of(".github/workflows/tests.yml"))["jobs"]["pythons"]["strategy"]["matrix"]
    assert matrix["python"] == PYTHONS
    assert [system.partition("-")[0] for system in matrix["system"]] == ["ubuntu", "macos", "windows"]
    for python in PYTHONS:
        assert python in text_of("docs/releases.md")


def lowest(requirements):
    return dict(re.fullmatch(r"([\w-]+)(?:\[.*\])?>=([\d.]+)", one).groups() for one in requirements)


def test_the_oldest_versions_that_are_tested_are_those_that_are_promised():
    tested = dict(line.split("==") for line in text_of("tests/floor.txt").splitlines() if "==" in line)
    optional = [one for extra in PROJECT["optional-dependencies"].values() for one in extra]
    promised = lowest(
        [*PROJECT["dependencies"], *(one for one in optional if not one.startswith("disjoint-centroids["))]
    )
    assert promised.keys() == tested.keys() - {"click", "pyparsing"}
    for name, version in promised.items():
        assert f"{tested[name]}.0.0".startswith(f"{version}."), name


def test_the_conda_recipe_asks_for_the_same_versions():
    optional = PROJECT["optional-dependencies"]
    parts = ("app", "cli", "excel", "models", "parquet", "report")
    others = [one for part in parts for one in optional[part] if not one.startswith("disjoint-centroids[")]
    promised = lowest([*PROJECT["dependencies"], *others])
    promised["matplotlib-base"] = promised.pop("matplotlib")
    python, *others = RECIPE["requirements"]["run"]
    assert python == "python >=${{ python_min }}"
    assert sorted(others) == sorted(f"{name} >={version}" for name, version in promised.items())


def test_rattler_build_understands_the_conda_recipe():
    rattler_build = pytest.importorskip("rattler_build")  # `make release-checks` installs it
    (variant,) = rattler_build.Stage0Recipe.from_file(ROOT / "conda/recipe.yaml").render(rattler_build.VariantConfig())
    package = variant.recipe.package
    assert (str(package.name), str(package.version)) == (PROJECT["name"], VERSION)
    asked = {one.split()[0] for one in map(str, variant.recipe.requirements.run)}
    assert asked >= {"numba", "scikit-learn", "starlette"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    with zipfile.ZipFile(found) as archive:
        yield archive


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    package = ROOT / "src/disjoint_centroids"
    source = {
        str(path.relative_to(package.parent).as_posix())
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    found = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert found == source
    endings = {name.rpartition(".")[2] for name in found}
    assert endings == {"py", "typed", "csv", "css", "js", "j2"}


def test_the_metadata_of_the_wheel(wheel):
    metadata = wheel.read(f"disjoint_centroids-{VERSION}.dist-info/METADATA").decode()
    assert f"\nVersion: {VERSION}\n" in metadata
    assert "\nLicense-Expression: BSD-3-Clause\n" in metadata
    assert (
        "ndc = disjoint_centroids.cli:main"
        in wheel.read(f"disjoint_centroids-{VERSION}.dist-info/entry_points.txt").decode()
    )


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_use_actions_by_hash_and_have_no_rights_but_those_they_name(path):
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: (\S+)(.*)", text)
    assert used
    for action, comment in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert "write" not in job["permissions"].values() or job["permissions"] == {"id-token": "write"}


def similar(one, other):
    """Share of the words of the shorter of two texts that the other has too."""
    words = [set(re.findall(r"[\w`.-]+", text.lower())) for text in (one, other)]
    return len(words[0] & words[1]) / min(map(len, words))


def test_the_changelog_keeps_its_form():
    kinds = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
    for version in text_of("CHANGELOG.md").split("\n## ")[1:]:
        headings = re.findall(r"^### (.*)$", version, re.MULTILINE)
        assert len(headings) == len(set(headings))
        assert set(headings) <= set(kinds)
        entries = re.findall(r"^- (.*?)(?=^- |^#|\Z)", version, re.MULTILINE | re.DOTALL)
        twice = [pair for pair in itertools.combinations(entries, 2) if similar(*pair) > 0.7]
        assert twice == []


def test_workflows_call_targets_that_exist():
    called = {target for path in WORKFLOWS for target in re.findall(r"run: make ([\w-]+)", path.read_text("utf-8"))}
    assert called >= {"audit", "docs", "release-checks", "test"}
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    assert called <= targets


def test_pre_commit_runs_what_make_lint_runs():
    (local,) = yaml.safe_load(text_of(".pre-commit-config.yaml"))["repos"]
    commands = {hook["entry"].removeprefix(".venv/bin/").removesuffix(" --force-exclude") for hook in local["hooks"]}
    linted = re.search(r"^lint:.*\n((?:\t.*\n)+)", text_of("Makefile"), re.MULTILINE)[1]
    assert commands == {" ".join(line.split("/", 1)[1].split()[:2]) for line in linted.splitlines()}


def test_the_article_has_the_sections_and_the_length_that_the_journal_asks_for():
    article = text_of("joss/paper.md")
    assert re.findall(r"^# (.*)$", article, re.MULTILINE) == [
        "Summary",
        "Statement of need",
        "State of the field",
        "Software design",
        "Research impact statement",
        "AI usage disclosure",
        "Acknowledgements",
        "References",
    ]
    assert 750 <= len(article.split("---")[2].split()) <= 1750


def test_the_article_cites_what_is_in_its_bibliography_and_figures_that_are_on_our_pages():
    article, pages = text_of("joss/paper.md"), [text_of(f"docs/{page}.md") for page in ("real-data", "performance")]
    known = set(re.findall(r"^@\w+\{(\w+),", text_of("joss/paper.bib"), re.MULTILINE))
    assert set(re.findall(r"@([a-z]+\d{4})", article)) == known
    figures = re.findall(r"\b0\.\d{3}\b", article)
    assert len(figures) >= 8
    for figure in figures:
        assert any(figure in page for page in pages), figure
    ratio = re.search(r"\| Algorithm 1 \|.*?\| plain loop \|.*?\| (\d+) \(", pages[1])[1]
    assert f"about 1/{ratio} of the time of a plain loop" in article.replace("\n", " ")
