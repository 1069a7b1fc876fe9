"""``ndc report``: the report page."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from disjoint_centroids._spoken import spoken_in_summary
from disjoint_centroids.cli import options
from disjoint_centroids.cli.app import refusing, resumable
from disjoint_centroids.cli.commands.compare import chosen_methods, plain_stem
from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.cli.method_options import MethodOptions
from disjoint_centroids.cli.option_groups import with_options
from disjoint_centroids.cli.output import remark, say, show_json, warnings_as_remarks
from disjoint_centroids.cli.table_options import TableOptions, chosen_transform
from disjoint_centroids.cli.translation import in_options

if TYPE_CHECKING:
    import pandas as pd

    from disjoint_centroids.models.model_file import SavedModel
    from disjoint_centroids.tables import LabelledTable

MODEL_SUFFIX = ".ndc"


@refusing
@with_options(without=("method", "restarts"), reading=TableOptions, wanted=MethodOptions)
def report(
    files: Annotated[list[Path], typer.Argument(metavar="[MODEL] TABLE", help="A table, or a model and a table.")],
    *,
    reading: TableOptions,
    batch: options.Batch = None,
    transform: options.TransformOption = None,
    method: Annotated[
        options.Method | None,
        typer.Option(help="Which classifier the report is about: disjoint panels, or the paper's. Default: panel."),
    ] = None,
    wanted: MethodOptions,
    methods: Annotated[
        str | None,
        typer.Option(
            help="Methods to put beside it, names with commas, such as 'NC,NDC-S'. Default: Panel, NDC-S, NC, NSC, "
            "Logistic; on a wide table without NDC-S, which would take most of the time."
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation that measures the error.")] = 3,
    repeats: Annotated[
        int, typer.Option(min=1, help="How often the cross-validation is repeated with new splits.")
    ] = 5,
    stability: Annotated[
        int,
        typer.Option(
            min=0,
            help="Also measure how stable the lists are, by this many fits on halves of the samples, such as 100.",
        ),
    ] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The page to write. Default: TABLE-report.html")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a report that was interrupted.")] = False,
    restarts: options.Restarts = 100,
    jobs: Annotated[
        int | None,
        typer.Option(help="Processes; -1 for one per core. Default: two on a table of a million values, else one."),
    ] = None,
    seed: options.Seed = 0,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Write a report as one HTML page that opens offline: errors, features of each class, every sample, explanations.

    Example: ndc report golub.csv --target label --transform log2

    Example: ndc report golub.csv --target label --method ndc-s --stability 100

    Example: ndc report golub.csv --target label --max-features-per-class 5 --exclude ACTB

    Example: ndc report golub.ndc golub.csv --target label
    """
    of_table = {"--batch": batch, "--method": method, "--methods": methods, "--resume": resume or None}
    of_table |= {in_options(f"{name}="): value for name, value in wanted.given().items()}
    model_file, table = _checked_files(files, of_table)
    wanted = replace(wanted, method=method)
    wanted.check_fits_batches(batch)
    beside = None if methods is None else tuple(chosen_methods(methods))
    path = output if output is not None else Path(f"{plain_stem(table)}-report.html")
    outputs = Outputs(*files, reading.labels, *wanted.files, force=force)
    outputs.claim(path)
    kept = None if model_file is not None else _Unfinished.of(path, outputs, resume=resume, force=force)
    saved = None if model_file is None else _loaded(model_file)
    if saved is None:
        read = reading.read(table, batch=batch)
    else:
        reading = reading.for_model(saved.settings)
        read = reading.read(table, only=list(saved.feature_names))

    from disjoint_centroids.report import render, summarize
    from disjoint_centroids.report.methods import default_jobs

    if saved is not None:
        given = _of_model(saved, read.values)
    else:
        given = _of_table(read, wanted, beside, restarts)
        given |= {"transform": chosen_transform(transform, read.values), "impute": reading.imputation}
    if kept is not None:
        given["results"] = kept.begin(resume=resume)
    unfinished = None if kept is None else kept.results
    with resumable(unfinished, "Go on with --resume."), warnings_as_remarks(), wanted.as_named():
        summary = summarize(
            read,
            cv=folds,
            repeats=repeats,
            n_init=restarts,
            stability=stability,
            random_state=seed,
            n_jobs=jobs if jobs is not None else default_jobs(read.values.size),
            command=shlex.join(["ndc", *sys.argv[1:]]),
            verbose=0 if as_json else 1,
            **given,
        )
    page = render(spoken_in_summary(summary, lambda text: in_options(wanted.named(text))))
    written = outputs.write(path, lambda part: part.write_text(page, encoding="utf-8"))
    if written and kept is not None:
        kept.remove()
    if as_json:
        show_json({"page": outputs.saved(path), "summary": summary})
    elif not written:
        say(summary["answer"]["sentence"])
    outputs.finish()
    if not as_json:
        say(f"The report: {path}  ({len(page.encode()) / 1e6:.1f} MB, opens in any browser, offline)")


def _checked_files(files: list[Path], for_tables: dict[str, Any]) -> tuple[Path | None, Path]:
    """Model, if there is one, and table; ``for_tables`` are options that a model has no use for."""
    if len(files) > 2:
        raise ValueError(f"report takes a table, or a model and a table; got {len(files)} files.")
    model_file, table = (files[0], files[1]) if len(files) == 2 else (None, files[0])
    if model_file is None and table.suffix == MODEL_SUFFIX:
        raise ValueError(f"{table} is a model; name the table after it: ndc report {table} TABLE --target COLUMN")
    given = [name for name, value in for_tables.items() if value is not None]
    if model_file is not None and given:
        raise ValueError(f"{given[0]} is for a report from a table alone; here it is about {model_file}. Leave it out.")
    return model_file, table


def _loaded(path: Path) -> SavedModel:
    from disjoint_centroids.models.model_file import load_model

    return load_model(path)


def _of_table(
    read: LabelledTable, wanted: MethodOptions, beside: tuple[str, ...] | None, restarts: int
) -> dict[str, Any]:
    """Arguments of a summary from a table alone; says before the work which methods are left out."""
    from disjoint_centroids.evaluation.methods import OURS
    from disjoint_centroids.report.methods import default_methods

    method = OURS[wanted.chosen]
    note = default_methods(method, *read.values.shape, restarts).note
    if beside is None and note is not None:
        remark(in_options(note))
    with warnings_as_remarks():
        parameters = wanted.parameters(read, by_position=True)
    return {"method": method, "methods": beside, "parameters": parameters}


def _of_model(saved: SavedModel, values: pd.DataFrame) -> dict[str, Any]:
    """Arguments of a summary that is about a saved model."""
    rows = saved.training_rows
    return {
        "model": saved.pipeline,
        "training_checksum": saved.checksum,
        "in_training": saved.in_training(values),
        "n_compared": None if rows is None else rows.n_compared(values),
    }


@dataclass(frozen=True, slots=True)
class _Unfinished:
    """Files beside the page that hold the fits of the comparison until the page is there."""

    results: Path
    predictions: Path

    @classmethod
    def of(cls, page: Path, outputs: Outputs, *, resume: bool, force: bool) -> _Unfinished:
        """Name and check the files; refuse to begin anew where an interrupted report could go on."""
        from disjoint_centroids.evaluation.held_out_predictions import predictions_path

        results = page.with_name(f"{page.stem}-unfinished.csv")
        if resume and not results.exists():
            raise ValueError(
                f"there is no {results} to go on with. Leave --resume out, or name the page with --output."
            )
        if results.exists() and not (resume or force):
            raise ValueError(
                f"{results} holds the fits of a report that was interrupted. Give --resume to go on with them, or "
                "--force to begin anew."
            )
        kept = cls(results, predictions_path(results))
        for file in (kept.results, kept.predictions):
            outputs.claim(file, may_exist=resume)
        return kept

    def begin(self, *, resume: bool) -> Path:
        """File with the results, empty unless an interrupted report is gone on with."""
        if not resume:
            self.remove()
        return self.results

    def remove(self) -> None:
        """Remove what is no longer needed."""
        for file in (self.results, self.predictions):
            file.unlink(missing_ok=True)
