"""Run the tests of the tools for Galaxy without a server: ``make galaxy-lint``.

Commands are made by Galaxy's own template engine from the parameters of each test, run with the ``ndc`` on the path,
and their outputs are held to the test's assertions by Galaxy's own code. Defaults are filled in as a server would.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from Cheetah.Template import Template
from galaxy.tool_util.loader import load_tool
from galaxy.tool_util.verify.asserts import verify_assertions

GALAXY = Path(__file__).parent


class Dataset(str):
    """Path of a data set, which knows its format."""

    ending: str

    def is_of_type(self, *endings: str) -> bool:
        """True if the format is one of these."""
        return self.ending in endings


def value_of(parameter: ElementTree.Element, given: ElementTree.Element | None) -> Any:
    """Value that the template sees: what the test gives, or the default."""
    kind, value = parameter.get("type"), None if given is None else given.get("value")
    if kind == "data":
        data = Dataset(GALAXY / "test-data" / value if value else "")
        data.ending = given.get("ftype", "") if given is not None else ""
        return data
    if kind == "boolean":
        return parameter.get("truevalue" if (value or parameter.get("checked")) == "true" else "falsevalue")
    if kind == "select" and value is None:
        options = parameter.findall("option")
        chosen = [one.get("value") for one in options if one.get("selected") == "true"]
        return chosen[0] if chosen else None if parameter.get("optional") == "true" else options[0].get("value")
    return parameter.get("value", "") if value is None else value


def described(assertion: ElementTree.Element) -> dict[str, Any]:
    """An assertion as Galaxy's code takes it."""
    return {
        "tag": assertion.tag,
        "attributes": dict(assertion.attrib),
        "children": [described(one) for one in assertion],
    }


def run_test(tool: ElementTree.Element, test: ElementTree.Element, folder: Path) -> None:
    """Run one test; an assertion that does not hold raises."""
    given = {one.get("name"): one for one in test.iter("param")}
    names = {one: one.get("name") or one.get("argument").lstrip("-").replace("-", "_") for one in tool.iter("param")}
    parameters = {one: name for one, name in names.items() if one.get("type")}
    assert given.keys() <= set(parameters.values()), given.keys()
    values = {name: value_of(one, given.get(name)) for one, name in parameters.items()}
    outputs = {one.get("name"): folder / one.get("name") for one in tool.findall("outputs/data")}
    command = str(Template(source=tool.find("command").text, searchList=[{**values, **outputs}]))
    command = " ".join(command.split("\n"))  # as Galaxy does
    ended = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True)
    assert (ended.returncode != 0) == (test.get("expect_failure") == "true"), ended.stderr
    for output in test.findall("output"):
        content = outputs[output.get("name")].read_bytes()
        verify_assertions(content, [described(one) for one in output.find("assert_contents")])


def main() -> None:
    """Run the tests of every tool."""
    for path in sorted(GALAXY.glob("ndc_*.xml")):
        tool = load_tool(path).getroot()
        tests = tool.findall("tests/test")
        for test in tests:
            with tempfile.TemporaryDirectory() as folder:
                run_test(tool, test, Path(folder))
        print(f"{path.name}: {len(tests)} tests passed", flush=True)


if __name__ == "__main__":
    main()
