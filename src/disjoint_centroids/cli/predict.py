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
    confidence: Annotated[
        float | None,
        typer.Option(
            help="Name for every sample the set of classes that holds the true one this often, such as 0.9; empty: it "
            "looks like none of them. For models of 'ndc fit --method panel'."
        ),
    ] = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Predict new samples: label, probability of each class, score of (or distance to) each class, as CSV.

    Columns are matched by name, in any order; others are ignored. With --target or --labels the error is shown too.

    Example: ndc predict golub.ndc new.csv -o predicted.csv

    Example: ndc predict golub.ndc new.csv --confidence 0.9
    """
    from disjoint_centroids.model_file import load_model
    from disjoint_centroids.prediction import predict_table

    if output is not None:
        refuse_existing(output, force)
    saved = load_model(model)
    # Missing values stay: the model's own imputation fills them in, or their place is named.
    reading = TableOptions(target, labels, sample_id, features_in_rows, impute=options.Impute.median)
    read = reading.read(table, need_labels=False, only=list(saved.feature_names))
    answer = predict_table(saved, read.values, missing=missing.value, confidence=confidence)
    if missing is options.Missing.tolerate:
        _remark_on_unlabelled(answer)
    if read.labels is not None:
        _remark_on_error(answer, read.labels)
    if confidence is not None:
        _remark_on_sets(answer["set"], read.labels, confidence)
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


def _remark_on_sets(sets: pd.Series, labels: pd.Series | None, confidence: float) -> None:
    from disjoint_centroids.prediction import SEPARATOR

    sizes = [len(held.split(SEPARATOR)) if held else 0 for held in sets]
    one, none = sizes.count(1), sizes.count(0)
    remark(
        f"at confidence {confidence:g}, {one} of {len(sizes)} samples have one class, {len(sizes) - one - none} "
        f"several, {none} none{' (they look like none of the classes)' if none else ''}."
    )
    if labels is not None:
        held = sum(label in text.split(SEPARATOR) for label, text in zip(labels, sets, strict=True))
        remark(f"the set holds the given label for {held} of {len(sizes)} samples ({held / len(sizes):.3f}).")
