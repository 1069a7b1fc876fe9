"""``ndc alternates``: replacements for the features of a panel, for when a probe fails."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from disjoint_centroids._listed import listed
from disjoint_centroids.cli import options
from disjoint_centroids.cli.app import refusing
from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.cli.option_groups import with_options
from disjoint_centroids.cli.output import Grid, remark, say, show, show_json, shown_name, warnings_as_remarks
from disjoint_centroids.cli.table_options import TableOptions
from disjoint_centroids.exports.tables import ENDINGS, write_table
from disjoint_centroids.tables.table_settings import TableSettings

if TYPE_CHECKING:
    import pandas as pd

    from disjoint_centroids.models.model_file import SavedModel
    from disjoint_centroids.tables import LabelledTable


@refusing
@with_options(without=("drop", "impute", "keep"), reading=TableOptions)
def alternates(
    model: options.ModelFile,
    table: options.TableFile,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=f"Write one row per replacement ({', '.join(ENDINGS)}).")
    ] = None,
    *,
    reading: TableOptions,
    batch: options.Batch = None,
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="Replacements for each feature.")] = 3,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Find replacements for every feature of a panel, and what each would cost in error if the feature failed.

    The table is the one that the model was fitted to, or another one of the same classes.

    Example: ndc alternates markers.ndc cells.csv --target type -o alternates.csv
    """
    from disjoint_centroids.models.model_file import load_model
    from disjoint_centroids.models.prediction import model_columns
    from disjoint_centroids.pipeline import as_seen

    outputs = Outputs(model, table, reading.labels, force=force)
    if output is not None:
        outputs.claim(output, endings=ENDINGS)
    saved = load_model(model)
    classifier = saved.pipeline[-1]
    if classifier._kind != "panel":
        raise ValueError(f"alternates are for panels, and {model} is none. Fit one with --method panel.")
    # Missing values stay: the model's own imputation fills them in.
    reading = replace(reading.for_model(saved.settings), impute=options.Impute.median)
    read = reading.read(table, only=list(saved.feature_names), batch=batch)
    _check_target(read, saved, reading)
    read = _with_batches(read, saved, reading, batch)
    assert read.labels is not None
    _remark_on_absent(read, saved)
    values = as_seen(saved.pipeline, model_columns(saved, read.values))
    with warnings_as_remarks():
        found = classifier.alternates(
            values, read.labels.to_numpy(), n_alternates=number, batch=read.batch, verbose=0 if as_json else 1
        )
    written = output is not None and outputs.write(output, lambda part: write_table(part, [found]))
    if as_json:
        show_json({"error": _error(found), "alternates": found.to_dict("records")})
    elif not written:
        _show(found)
    outputs.finish()
    if written and not as_json:
        say(f"{output}: replacements for {found['feature'].nunique()} features, up to {number} for each")


def _with_batches(read: LabelledTable, saved: SavedModel, reading: TableOptions, batch: str | None) -> LabelledTable:
    """Read the batches from the column of those of the model, unless another one was named."""
    stored = saved.settings.get("batch")
    if batch is not None or not isinstance(stored, str):
        return read
    if stored not in read.columns:
        remark(
            f"the model was fitted within batches, of the column {shown_name(stored)!r}, which the table does not have:"
            " the errors are not those on batches not seen. If another column has the batches, give --batch COLUMN."
        )
        return read
    remark(f"batches are those of the column {shown_name(stored)!r}, as in the fit of the model (--batch).")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the same as of the first reading
        return TableSettings.read(reading, Path(read.source), only=list(saved.feature_names), batch=stored)


def _check_target(read: LabelledTable, saved: SavedModel, reading: TableOptions) -> None:
    """Refuse labels of another column than the model's, if the table has that too."""
    stored = saved.settings.get("target")
    labels = set() if read.labels is None else set(map(str, read.labels))
    strange = sorted(labels - set(map(str, saved.classes)))
    if strange and reading.labels is None and stored in read.columns and stored != reading.target:
        raise ValueError(
            f"the column {reading.target!r} has labels that are no classes of the model: {listed(strange, 5)}. The "
            f"classes of the model are those of another column of the table: target={stored!r}."
        )


def _remark_on_absent(read: LabelledTable, saved: SavedModel) -> None:
    """Say that features cannot be replacements because the table does not have them."""
    n_absent = len(set(saved.feature_names) - set(read.names))
    n_idle = len(saved.feature_names) - int(saved.pipeline[-1].get_support().sum())
    if n_absent:
        left = "so that there is no replacement" if n_absent == n_idle else "and replacements are others"
        remark(f"the table lacks {n_absent} of the {n_idle} features that the panel does not use, {left}.")


def _error(found: pd.DataFrame) -> float:
    """Held-out error of the panel as it is."""
    first = found.iloc[0]
    return float(first["error"] - first["error_change"])


def _show(found: pd.DataFrame) -> None:
    grid = Grid("class", title="Replacements, the best first, and what each changes")
    grid.add_column("feature")
    grid.add_column("lost", justify="right")
    grid.add_column("replaced by")
    for (label, feature), rows in found.groupby(["class", "feature"], sort=False):
        lost, others = rows.iloc[0], rows.iloc[1:]
        words = [f"{shown_name(row.alternate)} ({_change(row)})" for row in others.itertuples()]
        grid.add_row(shown_name(label), shown_name(feature), _change(lost), ", ".join(words) or "none is left")
    show(grid)
    say("after each: the change of the held-out error; the change of the held-out loss, by which they are ranked")
    say(f"held-out error of the panel as it is, with scores fitted by ridge regression: {_error(found):.3f}")
    say("lost: the changes without the feature and without a replacement")


def _change(row: Any) -> str:
    """Changes of the held-out error and loss."""
    return f"{row.error_change:+.3f}; {row.loss_change:+.4f}"
