"""The tools for Galaxy call commands and options that exist. `make galaxy-lint` checks their form."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import typer

from disjoint_centroids.cli import app, options

GALAXY = Path(__file__).parents[1] / "galaxy"
TOOLS = sorted(GALAXY.glob("ndc_*.xml"))
TOKENS = {token.get("name"): token.text for token in ElementTree.parse(GALAXY / "macros.xml").iter("token")}
CHOICES = {
    "--impute": options.Impute,
    "--method": options.Method,
    "--missing": options.Missing,
    "--transform": options.Transform,
}
COMMANDS = typer.main.get_command(app).commands


def command_of(tool):
    text = ElementTree.parse(tool).find("command").text
    for name, value in TOKENS.items():
        text = text.replace(name, value or "")
    return text


def test_there_is_a_tool_for_each_task():
    assert [tool.stem for tool in TOOLS] == ["ndc_evaluate", "ndc_fit", "ndc_predict", "ndc_report"]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda path: path.stem)
def test_options_exist(tool):
    calls = re.findall(r"^(?:&& )?ndc (\w+)((?:.*\n)(?:(?!&& |>).*\n)*)", command_of(tool), re.MULTILINE)
    assert calls[0][0] == tool.stem.removeprefix("ndc_")
    for name, words in calls:
        if name == "evaluate" and name not in COMMANDS:
            pytest.skip("this version has no command evaluate")
        known = {option for parameter in COMMANDS[name].params for option in parameter.opts}
        assert set(re.findall(r"(?<![\w'])--[a-z-]+", words)) <= known
        switches = re.findall(r'truevalue="(--[a-z-]+)"', (GALAXY / "macros.xml").read_text() + tool.read_text())
        assert set(switches) <= known or name == "features"


@pytest.mark.parametrize("tool", [*TOOLS, GALAXY / "macros.xml"], ids=lambda path: path.stem)
def test_choices_are_those_of_the_command(tool):
    for parameter in ElementTree.parse(tool).iter("param"):
        if parameter.get("type") == "select":
            offered = {option.get("value") for option in parameter.iter("option")}
            assert offered <= set(CHOICES[parameter.get("argument")])


@pytest.mark.parametrize("tool", TOOLS, ids=lambda path: path.stem)
def test_every_tool_has_tests_with_data_that_is_there(tool):
    tests = ElementTree.parse(tool).findall("tests/test")
    assert tests
    for parameter in ElementTree.parse(tool).findall("tests/test/param"):
        if parameter.get("ftype"):
            assert (GALAXY / "test-data" / parameter.get("value")).is_file()
