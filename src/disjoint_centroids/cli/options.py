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


class Coverage(StrEnum):
    """Scope of the confidence of sets of classes: every class, or the average."""

    by_class = "class"
    average = "average"


class Limits(StrEnum):
    """Numbers in the place of cells that state a limit, such as '<0.5'."""

    half = "half"
    limit = "limit"
    missing = "missing"


class Unlabelled(StrEnum):
    """Treatment of samples without a label."""

    error = "error"
    drop = "drop"


class Missing(StrEnum):
    """Treatment of features of the model that the table lacks."""

    error = "error"
    tolerate = "tolerate"


class Method(StrEnum):
    """Classifiers that can be fitted."""

    panel = "panel"
    ndc = "ndc"
    ndc_s = "ndc-s"


class Terms(StrEnum):
    """Terms of a feature in the score of its class."""

    auto = "auto"
    linear = "linear"
    squared = "squared"
    both = "both"


class Reads(StrEnum):
    """Panels that the score of a class reads."""

    auto = "auto"
    all = "all"
    own = "own"


class Direction(StrEnum):
    """Features that a class may own."""

    any = "any"
    up = "up"


class Regression(StrEnum):
    """Regression that fits the coefficients of linear terms."""

    auto = "auto"
    ridge = "ridge"
    logistic = "logistic"


class Priors(StrEnum):
    """Prior probabilities of the classes."""

    none = "none"
    empirical = "empirical"


class Engine(StrEnum):
    """Place of the table during the work: in memory, or on disk."""

    memory = "memory"
    dask = "dask"


class Rule(StrEnum):
    """Rules that choose among the candidates of cross-validation."""

    min = "min"
    one_se = "1se"


TABLE_HELP = "CSV, TSV (also .gz), Parquet, Excel, GCT, CompCancer text or .h5ad; samples in rows."

TableFile = Annotated[Path, typer.Argument(metavar="TABLE", help=TABLE_HELP)]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file written by 'ndc fit'.")]

_READING = "Reading the table"
Target = Annotated[
    str | None, typer.Option("--target", "-t", help="The column with the class labels.", rich_help_panel=_READING)
]
Labels = Annotated[
    Path | None,
    typer.Option(
        help="A separate file with the labels: one row per sample with its name and label (CSV, TSV), or a .cls file.",
        rich_help_panel=_READING,
    ),
]
SampleId = Annotated[
    str | None, typer.Option("--id", help="The column with the sample names.", rich_help_panel=_READING)
]
FeaturesInRows = Annotated[
    bool, typer.Option("--features-in-rows", help="The file has one row per feature.", rich_help_panel=_READING)
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        help="Columns to leave out: repeat the option, or separate names with commas.", rich_help_panel=_READING
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        help="Columns that are features although they look like sample numbers; once for each, or with commas.",
        rich_help_panel=_READING,
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The sheet of an Excel file. Default: the first.", rich_help_panel=_READING),
]
SkipRows = Annotated[
    int,
    typer.Option(
        min=0, metavar="N", help="Rows above the header (a title, notes) to pass over.", rich_help_panel=_READING
    ),
]
NaValues = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT",
        help="Cells that mean a missing value, such as 'failed,-999'; once for each, or with commas.",
        rich_help_panel=_READING,
    ),
]
LimitsOption = Annotated[
    Limits | None,
    typer.Option(
        help="Cells such as '<0.5' and '>100': half of a lower limit (an upper one as it is), the limit itself, or "
        "missing. 'ND' and the like become missing values.",
        rich_help_panel=_READING,
    ),
]
UnlabelledOption = Annotated[
    Unlabelled, typer.Option(help="Samples without a label: an error, or left out.", rich_help_panel=_READING)
]
MergeLabels = Annotated[
    bool | None,
    typer.Option(
        "--merge-labels/--no-merge-labels",
        help="Labels that differ in upper and lower case or spaces only are one class, or are different ones. "
        "Default: an error.",
        rich_help_panel=_READING,
    ),
]
MaxMemory = Annotated[
    float | None,
    typer.Option(
        metavar="GB",
        help="Memory that reading the table may take. Default: half of what the machine has.",
        rich_help_panel=_READING,
    ),
]
ImputeOption = Annotated[
    Impute | None,
    typer.Option(help="Fill in missing values, computed from training samples only.", rich_help_panel=_READING),
]
TransformOption = Annotated[
    Transform | None, typer.Option(help="Transform the values, fitted on training samples only. Default: none.")
]
MethodOption = Annotated[
    Method | None,
    typer.Option(
        help="Disjoint panels, or the paper's classifiers: 'ndc' with every feature, 'ndc-s' with a selection. "
        "Default: panel; but ndc-s if --lam, --restarts or --refine is given."
    ),
]
RuleOption = Annotated[
    Rule,
    typer.Option(help="min: the best in cross-validation; 1se: the fewest features within one standard error of it."),
]
Batch = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column with the batch of each sample (donor, plate, run). Features are judged within batches, and "
        "errors are those on batches not seen, as far as classes are in several of them.",
    ),
]

_PAPER = "The paper's classifiers"
Lam = Annotated[
    str | None,
    typer.Option(
        help="Lambda of ndc-s; 'none' uses every feature. Default: by cross-validation.", rich_help_panel=_PAPER
    ),
]
OwnRestarts = Annotated[
    int | None, typer.Option(min=1, help="Number of random starts. Default: 100.", rich_help_panel=_PAPER)
]
Refine = Annotated[
    bool,
    typer.Option(
        "--refine",
        help="After the fit, move single features to other classes where that clearly lowers the loss.",
        rich_help_panel=_PAPER,
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of the random numbers; the same seed gives the same result.")]
Restarts = Annotated[int, typer.Option(min=1, help="Number of random starts of NDC and NDC-S.")]
Jobs = Annotated[int, typer.Option(help="Number of parallel processes; -1 for one per core.")]

_LARGE = "Tables larger than memory"
EngineOption = Annotated[
    Engine,
    typer.Option(
        help="memory: read the whole table; dask: read blocks of rows (Parquet file or folder, zarr, .npy).",
        rich_help_panel=_LARGE,
    ),
]
ChunkRows = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="Rows per block. Default: as many as fit into 64 MB.", rich_help_panel=_LARGE
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="A running dask cluster, such as tcp://10.0.0.1:8786. Default: threads of this machine.",
        rich_help_panel=_LARGE,
    ),
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for programs.")]
