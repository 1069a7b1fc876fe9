"""``ndc stability``: stability of the features of each class."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from disjoint_centroids._listed import listed
from disjoint_centroids.cli import options
from disjoint_centroids.cli.app import refusing, resumable
from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.cli.method_options import MethodOptions
from disjoint_centroids.cli.option_groups import with_options
from disjoint_centroids.cli.output import (
    Grid,
    say,
    show,
    show_json,
    shown_name,
    warnings_as_remarks,
)
from disjoint_centroids.cli.owners import NAMES_SHOWN
from disjoint_centroids.cli.pictures import ENDINGS, displays, save
from disjoint_centroids.cli.table_options import TableOptions, chosen_transform
from disjoint_centroids.exports.plain_values import json_text
from disjoint_centroids.exports.tables import ENDINGS as TABLE_ENDINGS
from disjoint_centroids.exports.tables import write_table

if TYPE_CHECKING:
    from disjoint_centroids.evaluation.stability import OwnershipStability


@refusing
@with_options(reading=TableOptions, wanted=MethodOptions)
def stability(
    table: options.TableFile,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            help="Write every feature (.csv, .tsv, .xlsx, .parquet), the answer (.json) or a picture (.png, .svg, "
            ".pdf); may be repeated.",
        ),
    ] = None,
    *,
    reading: TableOptions,
    transform: options.TransformOption = None,
    wanted: MethodOptions,
    resamples: Annotated[
        int, typer.Option(min=2, help="Number of fits, each on a random half of the samples; an even number.")
    ] = 100,
    cutoff: Annotated[
        float, typer.Option(help="A feature is stable if the same class has it in this share of the fits, 0.5 to 1.")
    ] = 0.6,
    results: Annotated[
        Path | None,
        typer.Option(help="Keep every fit in this file (.csv, .parquet); if the file exists, continue from it."),
    ] = None,
    jobs: options.Jobs = 1,
    seed: options.Seed = 0,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Measure how stable the lists of features are: fit on random halves of the samples and count how often they agree.

    The options of 'ndc fit' say what is fitted.

    Example: ndc stability golub.csv --target label --transform log2 -o golub-stability.png
    """
    outputs = Outputs(table, reading.labels, *wanted.files, force=force)
    for path in output or []:
        outputs.claim(path, endings=(*TABLE_ENDINGS, *ENDINGS))
    if results is not None:
        outputs.claim(results, "--results", endings=(".csv", ".parquet"), may_exist=True)
    read = reading.read(table)
    scale = chosen_transform(transform, read.values)

    from disjoint_centroids.evaluation.stability import OwnershipStability
    from disjoint_centroids.pipeline import model_pipeline

    classifier = wanted.build(read, seed=seed, verbose=False)
    found = OwnershipStability(
        model_pipeline(classifier, transform=scale, impute=reading.imputation),
        n_resamples=resamples,
        cutoff=cutoff,
        random_state=seed,
        n_jobs=jobs,
        results=results,
        verbose=0 if as_json else 1,
    )
    with resumable(results, "The same command goes on."), warnings_as_remarks(), outputs.growing():
        found.fit(read.values, read.labels)
    written = [str(path) for path in output or [] if _write(found, path, outputs)]
    if as_json:
        show_json(summary(found) | {"outputs": written})
    else:
        _show(found)
    outputs.finish()
    if written and not as_json:
        say(f"Written: {', '.join(written)}")


def summary(found: OwnershipStability) -> dict[str, Any]:
    """The answer as plain values."""
    shares = found.probabilities_
    return {
        "n_resamples": len(found.owners_),
        "cutoff": float(found.cutoff),
        "stability": found.stability_,
        "stable_features": {
            str(label): {str(name): float(shares.loc[name, label]) for name in names}
            for label, names in found.stable_features_.items()
        },
        "false_selections": {
            str(label): row for label, row in found.expected_false_selections_.to_dict("index").items()
        },
    }


def _write(found: OwnershipStability, path: Path, outputs: Outputs) -> bool:
    ending = path.suffix.lower()
    if ending == ".json":
        return outputs.write(path, lambda part: part.write_text(json_text(summary(found)), encoding="utf-8"))
    if ending in TABLE_ENDINGS:
        rows = found.table().sort_values(["stable", "probability"], ascending=False, kind="stable")
        return outputs.write(path, lambda part: write_table(part, [rows]))
    with warnings_as_remarks():
        return save(displays().StabilityDisplay.from_estimator(found), path, outputs)


def _show(found: OwnershipStability) -> None:
    from disjoint_centroids.report.stability import agreement_sentence, bound_sentence, chance_bound

    table = Grid("class", title="Features that a class owns most often (share of the fits)")
    for column in ("stable", "by chance,\nat most", "owned on\naverage"):
        table.add_column(column, justify="right")
    table.add_column("stable features")
    for label, names in found.stable_features_.items():
        shares, bound = found.probabilities_[label], chance_bound(found, label)
        words = [f"{shown_name(name)} ({shares[name]:.2f})" for name in names[:NAMES_SHOWN]]
        chance = f"{bound:.2g}" if bound is not None else "all" if len(names) else ""
        owned = f"{found.expected_false_selections_.loc[label, 'mean_selected']:.1f}"
        shown = listed(words, NAMES_SHOWN, total=len(names))
        table.add_row(shown_name(label), str(len(names)), chance, owned, shown)
    show(table)
    say(bound_sentence(found))
    say(agreement_sentence(found))
