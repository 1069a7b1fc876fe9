"""``ndc explain``: contributions of the features to the label of one sample."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from disjoint_centroids.cli import options
from disjoint_centroids.cli.app import refusing
from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.cli.option_groups import with_options
from disjoint_centroids.cli.output import Grid, say, show, show_json, shown_name, warnings_as_remarks
from disjoint_centroids.cli.owners import WHO_READS
from disjoint_centroids.cli.pictures import ENDINGS, displays, save
from disjoint_centroids.cli.table_options import TableOptions

if TYPE_CHECKING:
    import pandas as pd

_ROUNDING = 1e-9


@refusing
@with_options(
    without=("target", "labels", "unlabelled", "merge_labels", "drop", "impute", "keep"), reading=TableOptions
)
def explain(
    model: options.ModelFile,
    table: options.TableFile,
    sample: Annotated[str, typer.Option(help="The name of the sample.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The picture to write (.png, .svg, .pdf).")
    ] = None,
    *,
    reading: TableOptions,
    top: Annotated[int, typer.Option(min=1, help="Features to show for each class.")] = 8,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Show why one sample got its label: the contribution of each feature to its scores, as a table and a picture.

    Example: ndc explain golub.ndc golub.csv --sample 17 -o sample-17.png
    """
    from disjoint_centroids.models.model_file import load_model
    from disjoint_centroids.models.prediction import model_columns, predict_table
    from disjoint_centroids.pipeline import as_seen

    outputs = Outputs(model, table, reading.labels, force=force)
    if output is not None:
        outputs.claim(output, endings=ENDINGS)
    saved = load_model(model)
    reading = replace(reading.for_model(saved.settings), impute=options.Impute.median)
    read = reading.read(table, need_labels=False, only=list(saved.feature_names))
    if sample not in read.values.index:
        raise ValueError(_unknown_sample(sample, list(read.values.index)))
    row = model_columns(saved, read.values.loc[[sample]])  # names the features that are missing
    prediction = predict_table(saved, row).iloc[0]
    contributions = saved.pipeline[-1].explain(as_seen(saved.pipeline, row))
    if output is not None:
        with warnings_as_remarks():
            save(displays().ExplanationDisplay.from_estimator(saved.pipeline, row, sample=sample), output, outputs)
    if as_json:
        rest = {name: value for name, value in prediction.items() if name != "label"}
        answer = {"sample": sample, "label": prediction["label"]} | rest
        show_json(answer | {"contributions": contributions.to_dict("records")})
    else:
        _show(sample, prediction, contributions, saved.pipeline[-1], top)
    outputs.finish()
    if output is not None and not as_json:
        say(f"The picture: {output}")


def _unknown_sample(sample: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(sample, known, n=3) or known[:3]
    return f"there is no sample {sample!r} in the table. Samples are named like {', '.join(map(repr, near))}."


def _show(sample: str, prediction: pd.Series, contributions: pd.DataFrame, model: Any, top: int) -> None:
    """Classes from the likeliest on, each with the features that add most, for or against it."""
    from disjoint_centroids.panels.tables import reads_all_panels

    label = prediction["label"]
    say(f"{shown_name(sample)}: {shown_name(label)}, with a probability of {prediction[f'probability_{label}']:.2f}")
    has_scores = f"score_{label}" in prediction
    measure, sign = ("score", -1) if has_scores else ("distance", 1)
    what = "score of each class (negative: against this class)" if has_scores else "squared distance to its class"
    table = Grid(title=f"What each feature adds to the {what}, the most first")
    for column in ("class", "feature", *(["owner"] if has_scores else [])):
        table.add_column(column)
    for column in ("value", "class mean", "adds", *([] if has_scores else ["share"])):
        table.add_column(column, justify="right")
    for name in sorted(model.classes_, key=lambda name: sign * prediction[f"{measure}_{name}"]):
        own = contributions[contributions["class"] == name]
        own = own.sort_values("contribution", ascending=False, key=abs, kind="stable")
        total = own["contribution"].sum()
        rows = [_row(row, None if has_scores else total) for row in own.head(top).itertuples()]
        if len(own) > top:
            rest = own["contribution"].iloc[top:].sum()
            more = [f"{len(own) - top} more", *([""] if has_scores else []), "", "", f"{rest:.3g}"]
            rows.append([*more, *([] if has_scores else [_share(rest, total)])])
        if has_scores:
            start = prediction[f"score_{name}"] - total
            rows += [["start", "", "", "", f"{start:.3g}"]] if abs(start) > _ROUNDING else []
        for at, row in enumerate(rows):
            table.add_row(
                f"{shown_name(name)} ({measure} {prediction[f'{measure}_{name}']:.3g})" if at == 0 else "", *row
            )
        table.add_section()
    show(table)
    if has_scores:
        say("start: the score of a class before any feature is counted")
        say(WHO_READS["all" if reads_all_panels(model) else "own"])


def _row(row: Any, total: float | None) -> list[str]:
    figures = [f"{row.value:.4g}", f"{row.centroid:.4g}", f"{row.contribution:.3g}"]
    if total is None:
        return [shown_name(row.feature), shown_name(row.owner), *figures]
    return [shown_name(row.feature), *figures, _share(row.contribution, total)]


def _share(part: float, total: float) -> str:
    return f"{part / total if total > 0 else 0.0:.0%}"
