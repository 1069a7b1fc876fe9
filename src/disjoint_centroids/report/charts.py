"""Interactive charts of a report, as Vega-Lite specifications made by Altair.

The charts of a page answer to the pointer, follow its width and turn dark with it, which pictures of ``plots`` cannot;
those draw some of the same tables for files and notebooks. The numbers of both are computed once, outside of either.
"""

from __future__ import annotations

from typing import Any

from disjoint_centroids.plots.names import told_apart

# Names of the page's colours (page.css): after Okabe and Ito, which colour-blind readers can tell apart, dark enough to
# be read on white, and others on a dark page. Marks keep the name, so that a page that turns dark turns its charts too.
BLUE, ORANGE, GREEN, PURPLE, GREY = (f"var(--{name})" for name in ("blue", "orange", "green", "purple", "grey"))
INK, PAGE, GRID, EDGE, PALE, STRONG = (f"var(--{name})" for name in ("ink", "page", "grid", "edge", "pale", "strong"))
ON_STRONG = "var(--on-strong)"
ROLES = ("first choice", "second choice", "as labelled")
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
ROW_HEIGHT = 24
_PALE_BAR = 0.25
_COLOURS = (BLUE, GREEN, PURPLE, GREY)
_SHAPES = ("circle", "square", "diamond", "triangle-up", "cross")
ON_AXIS, ROUND_CELLS = 20, 14
"""Letters of a name that there is room for."""
_ALIGNED = 42  # room for the labels of both charts of the path, so that their lambdas stand one below the other
_AXIS = {"labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal", "labelColor": INK, "titleColor": INK}
_CONFIG = {
    "font": _FONT,
    "axis": _AXIS | {"gridColor": GRID, "domainColor": EDGE, "tickColor": EDGE, "labelLimit": 170, "aria": False},
    "legend": {
        "labelFontSize": 13,
        "labelColor": INK,
        "orient": "top",
        "title": None,
        "columns": 1,
        "labelLimit": 320,
        "aria": False,
    },
    "view": {"stroke": None},
    # The page tells each chart in words and in a table: hundreds of unnamed marks would be noise to screen readers.
    "mark": {"aria": False},
}


def chart_specs(summary: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Make every chart of a report, by the id of the element that it goes into.

    Parameters
    ----------
    summary : dict
        As :func:`disjoint_centroids.report.summarize` returns it.

    Returns
    -------
    dict
        Vega-Lite specifications. Those of the explanation have no data: the page hands over the chosen sample's, and
        as many times ``ROW_HEIGHT`` as it has rows.

    Examples
    --------
    >>> from disjoint_centroids.report.charts import chart_specs
    >>> few = {"answer": {"methods": []}, "path": None, "rounds": None, "confusion": None, "roc": None}
    >>> sorted(chart_specs(few | {"explanation": {"classes": ["A", "B"], "kind": "score"}}))
    ['chart-contributions', 'chart-totals']
    """
    explanation = summary["explanation"]
    charts = {"chart-totals": _totals(explanation), "chart-contributions": _contributions(explanation)}
    if len(summary["answer"]["methods"]) > 1:
        charts["chart-errors"] = _errors(summary["answer"]["methods"])
    if summary["path"] is not None:
        charts["chart-path-error"] = _path_error(summary["path"])
        charts["chart-path-features"] = _path_features(summary["path"])
    rounds = summary["rounds"]
    if rounds is not None and rounds["error"] is not None and len(rounds["rows"]) > 1:
        charts["chart-rounds-loss"] = _along_rounds(rounds, "loss")
        charts["chart-rounds-error"] = _along_rounds(rounds, "error")
    if summary["roc"] is not None:
        charts["chart-roc"] = _roc(summary["roc"])
    if summary["confusion"] is not None:
        charts["chart-confusion"] = _confusion(summary["confusion"])
    return {name: _finished(chart) for name, chart in charts.items()}


def chart_names(explanation: dict[str, Any]) -> dict[str, list[str]]:
    """Shorten the names of classes and features for the charts of one sample; no two become alike."""
    return {
        "classes": told_apart(explanation["classes"], ON_AXIS),
        "features": told_apart(explanation["features"], ON_AXIS),
    }


def _finished(chart: Any) -> dict[str, Any]:
    """Fit a chart to the width of the text, and give it the common style."""
    return chart.properties(width="container", background="transparent").to_dict() | {"config": _CONFIG}


def _errors(methods: list[dict[str, Any]]) -> Any:
    import altair as alt

    names = [row["short"] for row in methods]
    rows = [{name: row[name] for name in ("short", "error", "low", "high", "own")} for row in methods]
    # Without errors the axis would have no length.
    scale = alt.Scale(domain=[0, max(0.02, *(row["high"] for row in rows))])
    y = alt.Y("short:N", sort=names, title=None, axis=alt.Axis(labelLimit=150, grid=False))
    colour = alt.condition("datum.own", alt.value(BLUE), alt.value(GREY))
    base = alt.Chart(alt.Data(values=rows)).encode(y=y, color=colour)
    span = base.mark_rule(strokeWidth=4, strokeCap="round", opacity=0.45).encode(
        x=alt.X("low:Q", title="held-out error", scale=scale, axis=alt.Axis(format="%", tickCount=6)),
        x2="high:Q",
    )
    point = base.mark_point(filled=True, size=110, opacity=1).encode(
        x="error:Q", tooltip=[alt.Tooltip("short:N", title="method"), alt.Tooltip("error:Q", format=".1%")]
    )
    return (span + point).properties(height=30 * len(rows))


def _log_axis(name: str, rows: list[dict[str, Any]], title: str | None, **axis: Any) -> Any:
    """Logarithmic axis from the lowest to the highest value of a column."""
    import altair as alt

    low, high = min(row[name] for row in rows), max(row[name] for row in rows)
    # One value has no range to show; Vega draws a logarithmic axis of length zero as nothing at all.
    domain = [low, high] if low < high else [low / 2, low * 2]
    scale = alt.Scale(type="log", domain=domain, nice=False)
    return alt.X(f"{name}:Q", scale=scale, title=title, axis=alt.Axis(grid=False, **axis))


def _lam_axis(path: dict[str, Any], *, title: str | None) -> Any:
    return _log_axis("lam", path["rows"], title, format="~g", tickCount=5)


def _marks(path: dict[str, Any], *, legend: bool) -> Any:
    """Draw upright lines at the lambdas that the two rules choose."""
    import altair as alt

    rows = [{"lam": path["chosen"], "rule": "chosen"}]
    if path["one_se"] != path["chosen"]:
        rows.append({"lam": path["one_se"], "rule": "within one standard error"})
    rules = [row["rule"] for row in rows]
    shown: dict[str, Any] = {} if legend else {"legend": None}
    style = alt.Color("rule:N", scale=alt.Scale(domain=rules, range=[ORANGE, GREY]), **shown)
    dash = alt.StrokeDash("rule:N", scale=alt.Scale(domain=rules, range=[[1, 0], [5, 4]]), **shown)
    return alt.Chart(alt.Data(values=rows)).mark_rule(strokeWidth=2).encode(x="lam:Q", color=style, strokeDash=dash)


def _path_error(path: dict[str, Any]) -> Any:
    import altair as alt

    rows = [row | {"low": max(0.0, row["error"] - row["se"]), "high": row["error"] + row["se"]} for row in path["rows"]]
    base = alt.Chart(alt.Data(values=rows)).encode(x=_lam_axis(path, title=None))
    band = base.mark_area(color=BLUE, opacity=0.18).encode(
        y=alt.Y("low:Q", title="error", axis=alt.Axis(format="%", tickCount=5, minExtent=_ALIGNED)), y2="high:Q"
    )
    line = base.mark_line(color=BLUE, point={"color": BLUE, "size": 24}).encode(
        y="error:Q", tooltip=[alt.Tooltip("lam:Q", title="lambda", format=".3g"), alt.Tooltip("error:Q", format=".1%")]
    )
    return (band + line + _marks(path, legend=True)).properties(height=220)


def _path_features(path: dict[str, Any]) -> Any:
    import altair as alt

    line = (
        alt.Chart(alt.Data(values=path["rows"]))
        .mark_line(color=GREEN, point={"color": GREEN, "size": 24}, interpolate="step-after")
        .encode(
            x=_lam_axis(path, title="lambda (logarithmic)"),
            y=alt.Y("features:Q", title="features", axis=alt.Axis(tickCount=4, tickMinStep=1, minExtent=_ALIGNED)),
            tooltip=[alt.Tooltip("lam:Q", title="lambda", format=".3g"), alt.Tooltip("features:Q")],
        )
    )
    return (line + _marks(path, legend=False)).properties(height=140)


def _along_rounds(rounds: dict[str, Any], measure: str) -> Any:
    """Held-out loss or error along the rounds, one line per kind of terms, and the chosen rounds."""
    import altair as alt

    is_loss = measure == "loss"
    # Between the legend and the chart there are the words above the upright lines.
    shown: dict[str, Any] = {"legend": alt.Legend(offset=30) if is_loss else None}
    # One colour per kind of terms and regression, one shape per penalty.
    colours, shapes = (
        alt.Scale(domain=rounds["lines"], range=[styles[at % len(styles)] for at in places])
        for styles, places in zip((_COLOURS, _SHAPES), rounds["styles"], strict=True)
    )
    axis = alt.Axis(tickCount=5, minExtent=_ALIGNED, format="~g" if is_loss else "%")
    ticks = {"values": sorted({row["rounds"] for row in rounds["rows"]}), "labelOverlap": "parity"}
    base = alt.Chart(alt.Data(values=rounds["rows"])).encode(
        x=_log_axis("rounds", rounds["rows"], None if is_loss else "rounds (logarithmic)", **ticks),
        y=alt.Y(f"{measure}:Q", title=measure, scale=alt.Scale(zero=False), axis=axis),
        color=alt.Color("line:N", scale=colours, **shown),
    )
    points = base.mark_point(filled=True, size=55, opacity=1).encode(
        shape=alt.Shape("line:N", scale=shapes, **shown),
        tooltip=[
            alt.Tooltip("line:N", title="fit"),
            alt.Tooltip("rounds:Q"),
            alt.Tooltip("loss:Q", format=".3f"),
            alt.Tooltip("error:Q", format=".1%"),
        ],
    )
    marked = alt.Chart(alt.Data(values=[row for row in rounds["rows"] if row["chosen"]])).encode(x="rounds:Q")
    upright = marked.mark_rule(strokeWidth=2, color=ORANGE, strokeDash=[5, 4])
    ring = marked.mark_point(size=200, color=ORANGE, strokeWidth=3, shape="circle").encode(y=f"{measure}:Q")
    # The fitted number and, if there is one, a smaller one that did as well: in the words of the sentence above.
    named = [row for row in rounds["rows"] if row["mark"]]
    told = alt.Chart(alt.Data(values=named)).encode(x="rounds:Q")
    words = told.mark_text(dy=-9, baseline="bottom", fontSize=11, color=INK).encode(
        y=alt.value(0),
        text=alt.Text("words:N"),
    )
    words = words.transform_calculate(words="datum.rounds + ': ' + datum.mark")
    layers = upright + base.mark_line() + points + ring
    if not all(row["chosen"] for row in named):  # a layer without any row has no extent, of which Vega complains
        other = told.transform_filter("!datum.chosen").mark_point(size=200, color=GREY, strokeWidth=2, shape="circle")
        layers += other.encode(y=f"{measure}:Q")
    return (layers + words if is_loss else layers).properties(height=220)


def _confusion(confusion: dict[str, Any]) -> Any:
    import altair as alt

    rows = []
    short = dict(zip(confusion["classes"], told_apart(confusion["classes"], ROUND_CELLS), strict=True))
    for true, counts in zip(confusion["classes"], confusion["counts"], strict=True):
        total = max(1, sum(counts))
        rows += [
            {"true": short[true], "taken": short[taken], "true name": true, "taken name": taken}
            | {"count": count, "share": count / total}
            for taken, count in zip(confusion["predicted"], counts, strict=True)
        ]
    plain: dict[str, Any] = {"labelLimit": 130, "domain": False, "ticks": False}
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(
            "taken:N",
            sort=[short[name] for name in confusion["predicted"]],
            title="predicted class",
            axis=alt.Axis(orient="top", labelAngle=-40, **plain),
        ),
        y=alt.Y(
            "true:N",
            sort=[short[name] for name in confusion["classes"]],
            title="true class",
            axis=alt.Axis(**plain),
        ),
        tooltip=[
            alt.Tooltip("true name:N", title="true class"),
            alt.Tooltip("taken name:N", title="predicted class"),
            alt.Tooltip("count:Q"),
        ],
    )
    # The colour is the same in all cells, and shines through the page the more, the fewer samples are in one.
    cells = base.mark_rect(stroke=PAGE, strokeWidth=2, fill=STRONG).encode(
        fillOpacity=alt.FillOpacity("share:Q", scale=alt.Scale(domain=[0, 1], range=[0.06, 1]), legend=None),
    )
    light = alt.condition("datum.share > 0.65", alt.value(ON_STRONG), alt.value(INK))
    # Naughts are left blank: what is not on the diagonal should catch the eye.
    text = base.transform_filter("datum.count > 0").mark_text(fontSize=13).encode(text="count:Q", color=light)
    # Slanting names reach beyond the last column, which Vega does not make room for.
    beyond = max(5.0, 6.0 * len(short[confusion["predicted"][-1]]) - 20.0)
    padding = {"left": 5, "top": 5, "bottom": 5, "right": beyond}
    return (cells + text).properties(height=34 * len(confusion["classes"]), padding=padding)


def _roc(roc: dict[str, Any]) -> Any:
    """One line per repeat, above the diagonal of guessing."""
    import altair as alt

    rows = [
        {"repeat": str(curve["repeat"]), "wrongly": x, "found": y, "at": at}
        for curve in roc["curves"]
        for at, (x, y) in enumerate(curve["points"])
    ]
    share = alt.Scale(domain=[0, 1], nice=False)
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("wrongly:Q", scale=share, title="1 \N{MINUS SIGN} specificity", axis=alt.Axis(format="%", tickCount=5)),
        y=alt.Y("found:Q", scale=share, title="sensitivity", axis=alt.Axis(format="%", tickCount=5)),
    )
    line = base.mark_line(color=BLUE, strokeWidth=2, opacity=1.0 if len(roc["curves"]) == 1 else 0.6).encode(
        detail="repeat:N",
        order="at:Q",
        tooltip=[
            alt.Tooltip("repeat:N"),
            alt.Tooltip("found:Q", title="sensitivity", format=".1%"),
            alt.Tooltip("wrongly:Q", title="1 \N{MINUS SIGN} specificity", format=".1%"),
        ],
    )
    guessing = alt.Chart(alt.Data(values=[{"wrongly": 0, "found": 0}, {"wrongly": 1, "found": 1}]))
    diagonal = guessing.mark_line(color=GREY, strokeDash=[5, 4], strokeWidth=1.5).encode(x="wrongly:Q", y="found:Q")
    return (diagonal + line).properties(height=320)


def _totals(explanation: dict[str, Any]) -> Any:
    import altair as alt

    colour = alt.condition("datum.first", alt.value(BLUE), alt.value(PALE))
    return (
        alt.Chart(alt.NamedData("rows"))
        .mark_bar(height={"band": 0.7})
        .encode(
            x=alt.X("total:Q", title=explanation["kind"], axis=alt.Axis(tickCount=5)),
            y=alt.Y("class:N", sort=alt.EncodingSortField("rank", order="ascending"), title=None),
            color=colour,
            tooltip=[alt.Tooltip("name:N", title="class"), alt.Tooltip("total:Q", title=explanation["kind"])],
        )
    )


def _contributions(explanation: dict[str, Any]) -> Any:
    import altair as alt

    by_score = explanation["kind"] == "score"
    told = ["feature", *(["owner"] if by_score else []), "class", "value", "centroid"]
    told += ["elsewhere", "contribution"] if by_score else ["contribution"]
    names = {"centroid": "mean in class", "elsewhere": "mean elsewhere", "contribution": "adds"}
    return (
        alt.Chart(alt.NamedData("rows"))
        .mark_bar(height={"band": 0.7})
        .encode(
            x=alt.X(
                "contribution:Q",
                title=f"adds to the {'score' if by_score else 'squared distance'}",
                axis=alt.Axis(tickCount=4),
            ),
            # A key is the role's digit, a letter and the feature's name (shortened, but no two alike): a shared feature
            # has a bar for every class, and what is left of a score might be called like a feature.
            y=alt.Y(
                "key:N",
                sort=alt.EncodingSortField("order", order="ascending"),
                title=None,
                axis=alt.Axis(labelExpr="slice(datum.label, 2)"),
            ),
            color=alt.Color(
                "role:N",
                sort=alt.EncodingSortField("order", order="ascending"),
                scale=alt.Scale(range=[BLUE, ORANGE, GREEN]),
                legend=None,  # in the page, where names have room on a telephone too
            ),
            fillOpacity=alt.when("datum.kind === 'other'")
            .then(alt.value(_PALE_BAR))
            .when("datum.kind === 'rest'")
            .then(alt.value(0.0))
            .otherwise(alt.value(1.0)),
            stroke=alt.Stroke("role:N", scale=alt.Scale(range=[BLUE, ORANGE, GREEN]), legend=None),
            tooltip=[alt.Tooltip(f"{name}:N", title=names.get(name, name)) for name in told],
        )
    )
