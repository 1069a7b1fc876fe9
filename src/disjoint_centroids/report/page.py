"""The HTML page: a summary put into a template, with everything that it needs inside one file."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoint_centroids.report.charts import ROLES, ROW_HEIGHT, chart_names, chart_specs
from disjoint_centroids.report.formatting import percent, written

if TYPE_CHECKING:
    from jinja2 import Environment

_NEEDED = "A report needs the extra 'report': pip install 'disjoint-centroids[report]'"


def render(summary: dict[str, Any]) -> str:
    """Render the report page: one HTML file that opens offline and sends no request.

    Names of the user's are always text: the template escapes them, JSON in it has no ``<``, and the page's content
    security policy lets only the page's own scripts run.

    Parameters
    ----------
    summary : dict
        As :func:`summarize` returns it; one that went through JSON is as good.

    Returns
    -------
    str
        HTML. Write it as UTF-8.

    Examples
    --------
    >>> import pandas as pd
    >>> from disjoint_centroids.datasets import make_blocks
    >>> from disjoint_centroids.tables import LabelledTable
    >>> from disjoint_centroids.report import render, summarize
    >>> X, y = make_blocks(k=2, n=10, d=4, irrelevant=4, random_state=0)
    >>> values = pd.DataFrame(X, [f"s{i}" for i in range(20)], [f"g{f}" for f in range(12)])
    >>> table = LabelledTable(values, pd.Series(y.astype(str), values.index), "a <b> table.csv")
    >>> page = render(summarize(table, methods=["NDC-S", "NC"], repeats=1, n_init=3))
    >>> "a &lt;b&gt; table.csv" in page
    True
    """
    try:
        from markupsafe import Markup

        environment, assets = template_environment("disjoint_centroids.report"), page_assets()
    except ImportError as error:
        raise ImportError(f"{_NEEDED} ({error.name} is missing).") from error
    parts = {
        "vega": assets["vega.js"],
        "own_script": assets["report.js"],
        # As a JSON string: this script spells tags in its patterns, which a parser of HTML would take for tags.
        "tables": json.dumps(assets["tables.js"], ensure_ascii=False).replace("<", r"\u003c"),
        "tables_style": assets["tables.css"],
        "own_style": assets["report.css"],
    }
    return environment.get_template("page.html.j2").render(
        report=summary,
        data=page_data(summary),
        policy=page_policy([assets["vega.js"], assets["report.js"]]),
        **{name: Markup(_checked(name, text)) for name, text in parts.items()},
    )


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


def page_assets() -> dict[str, str]:
    """Scripts and styles of a report, by the names that the app gives their files."""
    import itables.options

    tables = Path(itables.options.dt_bundle)
    return {
        "vega.js": _vega(),
        "report.js": _template_text("page.js"),
        "report.css": _template_text("page.css"),
        "tables.js": tables.read_text(encoding="utf-8"),
        "tables.css": tables.with_suffix(".css").read_text(encoding="utf-8"),
    }


def page_data(summary: dict[str, Any]) -> dict[str, Any]:
    """Collect what the script of a report reads: the charts, and the samples to explain."""
    return {
        "specs": chart_specs(summary),
        "explanation": summary["explanation"],
        "names": chart_names(summary["explanation"]),
        "held_out": _held_out(summary),
        "roles": ROLES,
        "row_height": ROW_HEIGHT,
    }


def _held_out(summary: dict[str, Any]) -> dict[int, list[Any]]:
    """Predicted class, wrong predictions and repeats of every sample that was held out, by its row."""
    if summary["samples"] is None or summary["answer"]["kind"] != "nested":
        return {}
    repeats = summary["samples"]["repeats"]
    return {row: [predicted, wrong, repeats] for row, _, _, predicted, wrong, _ in summary["samples"]["rows"]}


def page_style() -> str:
    """Style of a page, checked to stand in it as it is."""
    return _checked("page.css", _template_text("page.css"))


@cache
def _vega() -> str:
    """Bundle the script that draws the charts, once per process: it takes longer than the rest of a page."""
    import vl_convert

    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def _template_text(name: str) -> str:
    return (files(__package__) / "templates" / name).read_text(encoding="utf-8")


def _checked(name: str, text: str) -> str:
    """Check that a script or style can stand in a page as it is."""
    if any(end in text.lower() for end in ("</script", "</style", "<!--")):
        raise RuntimeError(
            f"The installed {name} cannot be put into a page: it contains an HTML tag. Please report it."
        )
    return text


def page_policy(scripts: list[str]) -> str:
    """Make a content security policy: no request, and no script but these and that of the tables."""
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii") for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed} blob:; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
