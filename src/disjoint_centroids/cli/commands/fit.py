"""``ndc fit``: a table in, a model file out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from disjoint_centroids.cli import options
from disjoint_centroids.cli.app import refusing
from disjoint_centroids.cli.data_remarks import remark_on_data, remark_on_error
from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.cli.method_options import MethodOptions
from disjoint_centroids.cli.option_groups import with_options
from disjoint_centroids.cli.output import remark, say, show_json, warnings_as_remarks
from disjoint_centroids.cli.owners import show_owners, summary
from disjoint_centroids.cli.pooled_sums import check_no_table_options, fit_pooled
from disjoint_centroids.cli.table_options import TableOptions, chosen_transform
from disjoint_centroids.cli.tables_on_disk import check_engine_options, fit_on_disk

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from disjoint_centroids.report.data_warnings import Warnings
    from disjoint_centroids.tables import LabelledTable


@refusing
@with_options(reading=TableOptions, wanted=MethodOptions)
def fit(
    tables: Annotated[
        list[Path], typer.Argument(metavar="TABLE", help=f"{options.TABLE_HELP} With --from-sums: files of sums.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")] = Path("model.ndc"),
    *,
    reading: TableOptions,
    batch: options.Batch = None,
    transform: options.TransformOption = None,
    wanted: MethodOptions,
    from_sums: Annotated[
        bool,
        typer.Option("--from-sums", help="Fit panels to the files of several sites that 'ndc sums' has written."),
    ] = False,
    engine: options.EngineOption = options.Engine.memory,
    chunk_rows: options.ChunkRows = None,
    scheduler: options.Scheduler = None,
    seed: options.Seed = 0,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Fit disjoint panels (or the paper's NDC, NDC-S) to a labelled table, show what each class owns, write the model.

    Example: ndc fit golub.csv --target label --transform log2 -o golub.ndc

    Example: ndc fit golub.csv --target label --max-features-per-class 5 --require CD33:AML -o small.ndc

    Example: ndc fit cells.csv --target type --batch donor --direction up -o markers.ndc

    Example: ndc fit golub.csv --target label --method ndc-s -o paper.ndc

    Example: ndc fit parts/ --target label --engine dask -o large.ndc

    Example: ndc fit --from-sums here.sums there.sums -o pooled.ndc
    """
    outputs = Outputs(*tables, reading.labels, *wanted.files, force=force)
    outputs.claim(output)
    check_engine_options(engine, chunk_rows, scheduler)
    if from_sums:
        check_no_table_options(reading, transform, engine)
        if batch is not None:
            raise ValueError("--batch needs the samples, and files of sums do not hold them. Leave it out.")
        if str(wanted.direction) == "up":
            remark(
                "files of sums hold no zeros: --direction up asks only that the mean of a feature is higher in its "
                "class, not that it is zero no more often there."
            )
        pooled = fit_pooled(tables, wanted, seed=seed, verbose=not as_json)
        names = ", ".join(path.name for path in tables)
        about = {"table": names, "transform": pooled.transform, "from_sums": True, "seed": seed} | wanted.settings()
        _save_and_show(pooled.model, about, None, pooled.doubts, outputs, output, wanted, as_json=as_json)
        return
    table = _only(tables)
    if batch is not None and engine is options.Engine.dask:
        raise ValueError(f"--batch {batch} needs the table in memory: leave out --engine dask, or --batch.")
    wanted.check_fits_batches(batch)
    read: LabelledTable | None = None
    if engine is options.Engine.dask:
        wanted.check_fits_in_blocks()
        parts = reading.open(table, rows=chunk_rows)
        scale = chosen_transform(transform, parts.read(0))
        found = remark_on_data(None, parts.labels)
        classifier = wanted.build(parts, seed=seed, verbose=not as_json)
        with warnings_as_remarks(), wanted.as_named():
            model = fit_on_disk(classifier, parts, scale, scheduler, verbose=not as_json)
            wanted.warn_if_short(model[-1])
    else:
        read = reading.read(table, batch=batch)
        scale = chosen_transform(transform, read.values)
        found = remark_on_data(read.values, read.labels)
        model = _fit_in_memory(read, wanted, scale, reading.imputation, seed=seed, verbose=not as_json)

    found += remark_on_error(model[-1], parts.labels if read is None else read.labels)

    settings = {
        "table": table.name,
        "target": reading.target,
        **({} if batch is None else {"batch": batch}),
        "transform": scale,
        "impute": reading.imputation,
        **reading.cell_rules(),
        "engine": engine.value,
        "seed": seed,
        **wanted.settings(),
    }
    _save_and_show(model, settings, read, found, outputs, output, wanted, as_json=as_json)


def _only(tables: list[Path]) -> Path:
    """The table to fit; several are refused."""
    if len(tables) > 1:
        raise ValueError(
            f"one table is fitted at a time, and {len(tables)} were given. Join them before; files of sums, which "
            "'ndc sums' writes, are pooled with --from-sums."
        )
    return tables[0]


def _save_and_show(
    model: Pipeline,
    settings: dict[str, Any],
    read: LabelledTable | None,
    found: Warnings,
    outputs: Outputs,
    output: Path,
    wanted: MethodOptions,
    *,
    as_json: bool,
) -> None:
    """Write the model, and print what each class owns."""
    from disjoint_centroids.models.model_file import save_model

    outputs.attempt(output, lambda: save_model(model, output, table=read, settings=settings, force=outputs.force))
    if as_json:
        told = {"method": str(wanted.chosen), "model": outputs.saved(output), "warnings": found}
        show_json(summary(model[-1]) | told)
    else:
        show_owners(model[-1])
    outputs.finish()
    if not as_json:
        say(f"The model: {output}  (next: ndc features {output}, ndc predict {output} NEW_TABLE)")


def _fit_in_memory(
    read: LabelledTable, wanted: MethodOptions, scale: str, impute: str | None, *, seed: int, verbose: bool
) -> Pipeline:
    from disjoint_centroids.pipeline import fit_within_batches, model_pipeline

    classifier = wanted.build(read, seed=seed, verbose=verbose)
    model = model_pipeline(classifier, transform=scale, impute=impute)
    with warnings_as_remarks(), wanted.as_named():
        fit_within_batches(model, read.values, read.labels, read.batch)
        wanted.warn_if_short(model[-1])
    return model
