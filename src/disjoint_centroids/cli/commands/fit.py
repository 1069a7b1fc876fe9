"""``ndc fit``: a table in, a model file out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from disjoint_centroids.cli import options
from disjoint_centroids.cli.app import refusing
from disjoint_centroids.cli.data_remarks import remark_on_data, remark_on_error
from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.cli.method_options import MethodOptions
from disjoint_centroids.cli.option_groups import with_options
from disjoint_centroids.cli.output import say, show_json, warnings_as_remarks
from disjoint_centroids.cli.owners import show_owners, summary
from disjoint_centroids.cli.table_options import TableOptions, chosen_transform
from disjoint_centroids.cli.tables_on_disk import fit_on_disk, refuse_idle

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from disjoint_centroids.tables import LabelledTable


@refusing
@with_options(reading=TableOptions, wanted=MethodOptions)
def fit(
    table: options.TableFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")] = Path("model.ndc"),
    *,
    reading: TableOptions,
    transform: options.TransformOption = None,
    wanted: MethodOptions,
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

    Example: ndc fit golub.csv --target label --method ndc-s -o paper.ndc

    Example: ndc fit parts/ --target label --engine dask -o large.ndc
    """
    outputs = Outputs(table, reading.labels, *wanted.files, force=force)
    outputs.claim(output)
    refuse_idle(engine, chunk_rows, scheduler)
    read: LabelledTable | None = None
    if engine is options.Engine.dask:
        wanted.refuse_in_blocks()
        parts = reading.open(table, rows=chunk_rows)
        scale = chosen_transform(transform, parts.read(0))
        found = remark_on_data(None, parts.labels)
        classifier = wanted.build(parts, seed=seed, verbose=not as_json)
        model = fit_on_disk(classifier, parts, scale, scheduler, verbose=not as_json)
    else:
        read = reading.read(table)
        scale = chosen_transform(transform, read.values)
        found = remark_on_data(read.values, read.labels)
        model = _fit_in_memory(read, wanted, scale, reading.imputation, seed=seed, verbose=not as_json)

    found += remark_on_error(model[-1], parts.labels if read is None else read.labels)

    from disjoint_centroids.models.model_file import save_model

    settings = {
        "table": table.name,
        "target": reading.target,
        "transform": scale,
        "impute": reading.imputation,
        **reading.cell_rules(),
        "engine": engine.value,
        "seed": seed,
        **wanted.settings(),
    }
    outputs.attempt(output, lambda: save_model(model, output, table=read, settings=settings, force=force))
    if as_json:
        told = {"method": wanted.chosen.value, "model": outputs.saved(output), "warnings": found}
        show_json(summary(model[-1]) | told)
    else:
        show_owners(model[-1])
    outputs.finish()
    if not as_json:
        say(f"The model: {output}  (next: ndc features {output}, ndc predict {output} NEW_TABLE)")


def _fit_in_memory(
    read: LabelledTable, wanted: MethodOptions, scale: str, impute: str | None, *, seed: int, verbose: bool
) -> Pipeline:
    from disjoint_centroids.pipeline import model_pipeline

    classifier = wanted.build(read, seed=seed, verbose=verbose)
    model = model_pipeline(classifier, transform=scale, impute=impute)
    with warnings_as_remarks():
        return model.fit(read.values, read.labels)
