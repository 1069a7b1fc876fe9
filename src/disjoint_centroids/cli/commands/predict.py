"""``ndc predict``: a model and new samples in, labels out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from disjoint_centroids.cli import options
from disjoint_centroids.cli.app import refusing
from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.cli.option_groups import with_options
from disjoint_centroids.cli.output import say, show_json
from disjoint_centroids.cli.printed_tables import print_table
from disjoint_centroids.cli.table_options import TableOptions
from disjoint_centroids.cli.tables_on_disk import check_engine_options
from disjoint_centroids.cli.tally import Overlap, Tally
from disjoint_centroids.exports.tables import ENDINGS, write_table

if TYPE_CHECKING:
    import pandas as pd


@refusing
@with_options(without=("drop", "impute", "keep"), reading=TableOptions)
def predict(
    model: options.ModelFile,
    table: options.TableFile,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help=f"The file to write: {', '.join(ENDINGS)}. Default: CSV on standard output."
        ),
    ] = None,
    *,
    reading: TableOptions,
    missing: Annotated[
        options.Missing,
        typer.Option(help="What to do if features of the model are missing: stop, or 'tolerate' and use the others."),
    ] = options.Missing.error,
    confidence: Annotated[
        float | None,
        typer.Option(
            help="Name for every sample the set of classes that holds the true one this often, such as 0.9; empty: no "
            "class fits well. For models of 'ndc fit --method panel'."
        ),
    ] = None,
    coverage: Annotated[
        options.Coverage | None,
        typer.Option(help="Whether the confidence holds in every class (default), or on average over the samples."),
    ] = None,
    engine: options.EngineOption = options.Engine.memory,
    chunk_rows: options.ChunkRows = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Predict new samples: label, probability of each class, score of (or distance to) each class.

    Panels also say how typical a sample is: a small typicality (0.05 or less) means unlike all training samples.

    Columns are matched by name, in any order; those that the model uses are enough, others are ignored. With --target
    or --labels the error is shown too, and how many of the samples the model was trained on.

    Example: ndc predict golub.ndc new.csv -o predicted.csv

    Example: ndc predict golub.ndc new.csv --confidence 0.9

    Example: ndc predict large.ndc parts/ --engine dask -o predicted.parquet
    """
    from disjoint_centroids.models.model_file import load_model
    from disjoint_centroids.models.prediction import predict_table

    outputs = Outputs(model, table, reading.labels, force=force)
    if output is not None:
        outputs.claim(output, endings=ENDINGS)
    check_engine_options(engine, chunk_rows)
    _check_options(confidence, coverage, as_json=as_json, engine=engine)
    saved = load_model(model)
    # Missing values stay: the model's own imputation fills them in, or their place is named.
    reading = replace(reading.for_model(saved.settings), impute=options.Impute.median)
    names = list(saved.feature_names)
    if engine is options.Engine.dask:
        samples = _in_blocks(reading, table, names, chunk_rows, verbose=output is not None)
    else:
        samples = _in_memory(reading, table, names)
    tally = Tally(Overlap(saved.training_rows))

    def answers() -> Iterator[pd.DataFrame]:
        for values, given in samples:
            with tally.keeping_warnings():
                answer = predict_table(
                    saved,
                    values,
                    missing=missing.value,
                    confidence=confidence,
                    coverage=(coverage or options.Coverage.by_class).value,
                )
            tally.add(answer, given, values)
            yield answer.rename_axis("sample").reset_index()

    found = answers() if engine is options.Engine.dask else list(answers())
    written = output is not None and outputs.write(output, lambda part: write_table(part, found))
    if isinstance(found, Iterator) and output is not None:  # gone by: they can be neither printed nor counted
        outputs.finish()
    if as_json:
        show_json([row for answer in found for row in answer.to_dict("records")])
    elif not written:
        print_table(found)
    else:
        say(f"{output}: {tally.samples} samples")
    tally.remark(saved, tolerated=missing is options.Missing.tolerate, confidence=confidence)
    outputs.finish()


def _check_options(
    confidence: float | None, coverage: options.Coverage | None, *, as_json: bool, engine: options.Engine
) -> None:
    """Refuse options that would change nothing, or do not go together."""
    if coverage is not None and confidence is None:
        raise ValueError(f"--coverage {coverage} is about sets of classes: give --confidence too, or leave it out.")
    if as_json and engine is options.Engine.dask:
        raise ValueError("--json holds all answers in memory: give --output FILE, or leave out --engine dask.")


class _Samples(NamedTuple):
    """Rows of a table, and their labels if they are known."""

    values: pd.DataFrame
    labels: pd.Series | None


def _in_memory(reading: TableOptions, table: Path, names: list[str]) -> Iterator[_Samples]:
    read = reading.read(table, need_labels=False, only=names)
    yield _Samples(read.values, read.labels)


def _in_blocks(
    reading: TableOptions, table: Path, names: list[str], rows: int | None, *, verbose: bool
) -> Iterator[_Samples]:
    import pandas as pd

    from disjoint_centroids.progress import Progress

    parts = reading.open(table, rows=rows, need_labels=False, only=names)
    first = 0
    with Progress("prediction", len(parts.lengths), enabled=verbose) as bar:
        for at, length in enumerate(parts.lengths):
            index = pd.Index(parts.sample_ids(at))
            values = pd.DataFrame(parts.read(at), index=index, columns=pd.Index(parts.names, dtype=object))
            given = None if parts.labels is None else pd.Series(parts.labels[first : first + length], index=index)
            yield _Samples(values, given)
            first += length
            bar.tick()
