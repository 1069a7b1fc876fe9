"""``ndc features``: the features of each class."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from disjoint_centroids.cli import options
from disjoint_centroids.cli.app import refusing
from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.cli.output import say, show_json
from disjoint_centroids.cli.owners import show_owners, summary
from disjoint_centroids.exports.feature_lists import LIST_ENDINGS, write_features
from disjoint_centroids.exports.tables import ENDINGS


@refusing
def features(
    model: options.ModelFile,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help=f"Write one row per feature ({', '.join(ENDINGS)}), or gene sets per class: all, _UP, _DN (.gmt).",
        ),
    ] = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Show or write which class owns which feature.

    Example: ndc features golub.ndc -o golub.gmt
    """
    from disjoint_centroids.models.model_file import load_model

    outputs = Outputs(model, force=force)
    if output is not None:
        outputs.claim(output, endings=LIST_ENDINGS)
    fitted = load_model(model).pipeline[-1]
    saved = output is not None and outputs.write(output, lambda part: write_features(fitted, part))
    if as_json:
        show_json(summary(fitted))
    elif not saved:
        show_owners(fitted)
    outputs.finish()
    if saved and not as_json:
        say(f"{output}: {int(fitted.get_support().sum())} features in use, of {fitted.n_features_in_}")
