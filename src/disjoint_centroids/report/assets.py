"""Templates, scripts and styles of a report: everything that its page is made of but the figures."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from disjoint_centroids.report.formatting import percent, written

if TYPE_CHECKING:
    from jinja2 import Environment

ASSETS = ("vega.js", "report.js", "report.css", "tables.js", "tables.css")
"""Scripts and styles of a report, by the names that the app gives their files."""


def template_environment(*packages: str) -> Environment:
    """Make a Jinja environment for templates of these packages, the first one's first; everything is escaped."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "written": written}
    return environment


@cache
def page_asset(name: str) -> str:
    """Text of one of the :data:`ASSETS`, made once per process: bundling vega takes longer than the rest of a page."""
    if name == "vega.js":
        import vl_convert

        return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
    if name.startswith("tables."):
        import itables.options

        return Path(itables.options.dt_bundle).with_suffix(Path(name).suffix).read_text(encoding="utf-8")
    return (files(__package__) / "templates" / name.replace("report.", "page.")).read_text(encoding="utf-8")
