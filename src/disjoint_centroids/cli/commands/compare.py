"""``ndc compare``: errors of methods on one table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from disjoint_centroids.cli import options
from disjoint_centroids.cli.app import refusing, resumable
from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.cli.option_groups import with_options
from disjoint_centroids.cli.output import Grid, remark, say, show, show_json, warnings_as_remarks
from disjoint_centroids.cli.pictures import displays, save
from disjoint_centroids.cli.table_options import TableOptions, chosen_transform

if TYPE_CHECKING:
    import pandas as pd

    from disjoint_centroids.tables import LabelledTable

FOLDS_OF_LOGISTIC = 3
"""glmnet's cross-validation has no fewer."""


@refusing
@with_options(reading=TableOptions)
def compare(
    table: options.TableFile,
    *,
    reading: TableOptions,
    transform: options.TransformOption = None,
    methods: Annotated[
        str | None,
        typer.Option(help="Names with commas, such as 'Panel,NC,SVM'. Default: Panel and the paper's eight."),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation that measures the error.")] = 3,
    repeats: Annotated[
        int, typer.Option(min=1, help="How often the cross-validation is repeated with new splits.")
    ] = 5,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Results, one row per method and fold (.csv, .parquet). Default: TABLE-compare.csv. The held-out "
            "prediction of every sample goes into a file beside it, such as TABLE-compare-predictions.csv.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an interrupted run from its results file.")
    ] = False,
    restarts: options.Restarts = 100,
    jobs: options.Jobs = 1,
    seed: options.Seed = 0,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Compare methods by repeated nested cross-validation: error, features used, time; a table, a plot, two files.

    Example: ndc compare golub.csv --target label --transform log2 --jobs -1
    """
    results = output if output is not None else Path(f"{plain_stem(table)}-compare.csv")
    picture = results.with_suffix(".png")
    if resume and not results.exists():
        raise ValueError(f"there is no {results} to go on with. Leave --resume out, or name the file with --output.")
    predictions = _predictions_beside(results)
    outputs = Outputs(table, reading.labels, force=force)
    outputs.claim(results, endings=(".csv", ".parquet"), may_exist=resume)
    outputs.claim(predictions, may_exist=resume)
    outputs.claim(picture, may_exist=resume)
    read = reading.read(table)
    scale = chosen_transform(transform, read.values)
    _check_number_of_folds(read, folds)
    names = chosen_methods(methods)
    if methods is None and _smallest_training_class(read, folds) < FOLDS_OF_LOGISTIC and "Logistic" in names:
        remark(f"Logistic is left out: it is tuned in {FOLDS_OF_LOGISTIC} folds, and some class has fewer samples.")
        names.remove("Logistic")

    from disjoint_centroids.evaluation import compare as run

    if force and not resume:
        results.unlink(missing_ok=True)
        predictions.unlink(missing_ok=True)
    with resumable(results, "Go on with --resume."), outputs.growing():
        rows = run(
            read.values,
            read.labels,
            methods=names,
            cv=folds,
            repeats=repeats,
            transform=scale,
            impute=reading.imputation,
            n_init=restarts,
            random_state=seed,
            n_jobs=jobs,
            results=results,
            verbose=0 if as_json else 1,
        )

    display = displays().ComparisonDisplay.from_table(rows)
    display.ax_.set_title(f"{table.name}: {len(read.values)} samples, {read.values.shape[1]} features")
    with warnings_as_remarks():
        save(display, picture, outputs)
    if as_json:
        answer = display.summary.reset_index().to_dict("records")
        files = {"results": results, "predictions": predictions, "picture": picture}
        show_json({what: outputs.saved(path) for what, path in files.items()} | {"methods": answer})
    else:
        _show(display.summary)
    outputs.finish()
    if not as_json:
        say(f"All results: {results}  Every sample's held-out predictions: {predictions}  The picture: {picture}")


def _predictions_beside(results: Path) -> Path:
    from disjoint_centroids.evaluation.held_out_predictions import predictions_path

    return predictions_path(results)


def plain_stem(path: Path) -> str:
    """The name of a table without its endings."""
    return path.name.split(".")[0] or "table"


def chosen_methods(names: str | None) -> list[str]:
    """The methods asked for; by default ours and the paper's."""
    from disjoint_centroids.evaluation import DEFAULT_METHODS, METHODS

    if names is None:
        return list(DEFAULT_METHODS)
    known = {name.lower(): name for name in METHODS}
    asked = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in asked if name.lower() not in known]
    if unknown or not asked:
        raise ValueError(
            f"there is no method {', '.join(map(repr, unknown)) or repr(names)}; there are {', '.join(METHODS)}."
        )
    return [known[name.lower()] for name in asked]


def _check_number_of_folds(table: LabelledTable, folds: int) -> None:
    import pandas as pd

    counts = pd.Series(table.labels).value_counts()
    if counts.min() < folds:
        raise ValueError(
            f"class {counts.idxmin()!r} has {counts.min()} samples, fewer than the {folds} folds. "
            f"Give --folds {max(int(counts.min()), 2)}, or leave the class out of the table."
        )


def _smallest_training_class(table: LabelledTable, folds: int) -> int:
    import pandas as pd

    smallest = int(pd.Series(table.labels).value_counts().min())
    return smallest - -(-smallest // folds)


def _show(summary: pd.DataFrame) -> None:
    table = Grid("method", title="Held-out error, the lowest first")
    for column in ("error", "95 % interval", "range", "balanced error", "features", "seconds"):
        table.add_column(column, justify="right", no_wrap=column in {"95 % interval", "range"})
    for method, row in summary.iterrows():
        table.add_row(
            str(method),
            f"{row['error']:.3f}",
            f"{row['low']:.3f}-{row['high']:.3f}",
            f"{row['lowest']:.3f}-{row['highest']:.3f}",
            f"{row['balanced_error']:.3f}",
            f"{row['features']:.0f}",
            f"{row['seconds']:.2f}",
        )
    show(table)
    say("Interval: 95 % confidence, every sample counted once. Range: lowest and highest error of the repeats.")
