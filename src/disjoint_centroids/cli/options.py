"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Transform(StrEnum):
    """Changes of scale."""

    none = "none"
    log2 = "log2"
    log1p = "log1p"
    standardize = "standardize"
    log2_standardize = "log2-standardize"


class Impute(StrEnum):
    """Ways to fill in missing values."""

    median = "median"
    knn = "knn"


class Missing(StrEnum):
    """What to do about features that the model knows and the table lacks."""

    error = "error"
    tolerate = "tolerate"


class Rule(StrEnum):
    """Which lambda."""

    min = "min"
    one_se = "1se"


TABLE_HELP = "CSV, TSV (also .gz), Parquet, Excel, GCT, CompCancer text or .h5ad; samples in rows."

TableFile = Annotated[Path, typer.Argument(metavar="TABLE", help=TABLE_HELP)]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file written by 'ndc fit'.")]
Target = Annotated[str | None, typer.Option("--target", "-t", help="The column with the class labels.")]
Labels = Annotated[
    Path | None,
    typer.Option(help="A file with the labels instead: sample id and label a row (CSV, TSV), or a .cls file."),
]
SampleId = Annotated[str | None, typer.Option("--id", help="The column with the sample names.")]
FeaturesInRows = Annotated[bool, typer.Option("--features-in-rows", help="The file has a feature a row.")]
Drop = Annotated[list[str] | None, typer.Option(help="Columns to leave out; give it once for each, or with commas.")]
ImputeOption = Annotated[Impute | None, typer.Option(help="Fill missing values in, on training samples only.")]
TransformOption = Annotated[
    Transform | None, typer.Option(help="Change of scale, fitted on training samples only. Default: none.")
]
Seed = Annotated[int, typer.Option(help="For everything random; the same seed gives the same answer.")]
Restarts = Annotated[int, typer.Option(min=1, help="Restarts of NDC.")]
Jobs = Annotated[int, typer.Option(help="Processes; -1 for one a core.")]
Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
