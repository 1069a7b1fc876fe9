"""``ndc predict``: a model and new samples in, labels out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from disjoint_centroids.cli import options
from disjoint_centroids.cli.app import refusing
from disjoint_centroids.cli.output import refuse_existing, remark, say, show_json, write_whole
from disjoint_centroids.cli.reading import TableOptions

if TYPE_CHECKING:
    import pandas as pd


@refusing
def predict(
    model: options.ModelFile,
    table: options.TableFile,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The CSV file to write. Default: standard output.")
    ] = None,
    target: options.Target = None,
    labels: options.Labels = None,
    sample_id: options.SampleId = None,
    features_in_rows: options.FeaturesInRows = False,
    missing: Annotated[
        options.Missing, typer.Option(help="'tolerate' classifies by the features that are there.")
    ] = options.Missing.error,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Predict new samples: label, probability of each class, distance to each class, as CSV.

    Columns are matched by name, in any order; others are ignored. With --target or --labels the error is shown too.

    Example: ndc predict golub.ndc new.csv -o predicted.csv
    """
    from disjoint_centroids.model_file import load_model
    from disjoint_centroids.prediction import predict_table

    if output is not None:
        refuse_existing(output, force)
    saved = load_model(model)
    # Missing values stay: the model's own imputation fills them in, or their place is named.
    reading = TableOptions(target, labels, sample_id, features_in_rows, impute=options.Impute.median)
    read = reading.read(table, need_labels=False, only=list(saved.feature_names))
    answer = predict_table(saved, read.values, missing=missing.value)
    if missing is options.Missing.tolerate:
        _remark_on_unlabelled(answer)
    if read.labels is not None:
        _remark_on_error(answer, read.labels)
    if as_json:
        show_json([{"sample": sample} | row for sample, row in answer.to_dict("index").items()])
    elif output is None:
        typer.echo(answer.to_csv(index_label="sample"), nl=False)
    else:
        write_whole(output, lambda part: answer.to_csv(part, index_label="sample"))
        say(f"{output}: {len(answer)} samples")


def _remark_on_unlabelled(answer: pd.DataFrame) -> None:
    without = int((answer["label"].isna() | (answer["label"] == "")).sum())
    if without:
        remark(f"{without} of {len(answer)} samples have less than half of some class's features and get no label.")


def _remark_on_error(answer: pd.DataFrame, labels: pd.Series) -> None:
    wrong = int((answer["label"].astype(str) != labels).sum())
    remark(f"{wrong} of {len(labels)} labels differ from the given ones (error {wrong / len(labels):.3f}).")
