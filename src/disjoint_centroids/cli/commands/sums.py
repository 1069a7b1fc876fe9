"""``ndc sums``: a table in, a file of sums out, for sites that may not share samples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from disjoint_centroids._listed import listed
from disjoint_centroids.cli import options
from disjoint_centroids.cli.app import refusing
from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.cli.option_groups import with_options
from disjoint_centroids.cli.output import say, show_json, shown_name
from disjoint_centroids.cli.table_options import TableOptions, chosen_transform

if TYPE_CHECKING:
    import pandas as pd

    from disjoint_centroids.panels import TableSums

_SMALLEST, _FOLDS = 5, 5


@refusing
@with_options(reading=TableOptions)
def sums(
    table: options.TableFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file of sums to write.")] = Path("site.sums"),
    *,
    reading: TableOptions,
    transform: options.TransformOption = None,
    smallest: Annotated[
        int, typer.Option(min=2, help="Number of samples that a part of a class (one fold) has at least.")
    ] = _SMALLEST,
    folds: Annotated[
        int, typer.Option(min=2, help="Folds for the cross-validation; fewer where a class is small.")
    ] = _FOLDS,
    seed: options.Seed = 0,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Add up a labelled table, so that panels of several sites can be fitted without sharing samples.

    Send one file of a table only: two files of one table that has grown by a sample give away that sample (their
    difference), and files with another --seed or --folds add information in the same way.

    Next, wherever the files of all sites are: ndc fit --from-sums a.sums b.sums

    Example: ndc sums golub.csv --target label --transform log2 -o golub.sums
    """
    outputs = Outputs(table, reading.labels, force=force)
    outputs.claim(output)
    _check_nothing_is_learnt(reading, transform)
    read = reading.read(table, can_impute=False)
    scale = chosen_transform(transform, read.values, units=False)

    from disjoint_centroids.panels import TableSums
    from disjoint_centroids.transforms import transform_steps

    values = read.values
    for step in transform_steps(scale):
        values = step.set_output(transform="pandas").fit_transform(values)
    how: dict[str, Any] = {"n_folds": folds, "smallest": smallest, "random_state": seed, "transform": scale}
    found = TableSums.of(values, read.labels, verbose=int(not as_json), **how)
    outputs.write(output, lambda part: found.save(part, verbose=int(not as_json)))
    answer = _described(found, _lone_samples(found, values, read.labels, seed))
    if as_json:
        show_json({"sums": outputs.saved(output)} | answer)
    outputs.finish()
    if not as_json:
        _show(output, answer)


def _check_nothing_is_learnt(reading: TableOptions, transform: options.Transform | None) -> None:
    """Refuse steps that learn from the samples of one site: those of another would be treated otherwise."""
    if transform is not None and transform.value.endswith("standardize"):
        raise ValueError(
            f"--transform {transform.value} learns means and scales from the samples of one site, and every site would "
            "have its own. Leave it out, or give --transform log2: panels standardise the features by themselves, "
            "over all sites."
        )
    if reading.impute is not None:
        raise ValueError(
            f"--impute {reading.impute.value} learns from the samples of one site. Fill in missing values beforehand, "
            "or leave these features out at all sites (--drop)."
        )


def _lone_samples(found: TableSums, values: pd.DataFrame, labels: Any, seed: int) -> list[str]:
    """Say how many samples can be computed because they alone differ from their part in some feature."""
    import numpy as np

    from disjoint_centroids.panels.lone_samples import lone_samples
    from disjoint_centroids.panels.table_sums import deal_folds

    codes = np.unique(np.asarray(labels), return_inverse=True)[1]
    folds = deal_folds(codes, len(found.counts), seed)
    samples, features = lone_samples(values.to_numpy(dtype=np.float64), codes, folds)
    if not samples.any():
        return []
    return [
        f"all values of {samples.sum()} of {samples.size} samples: each is the only one of its part with another value "
        "of some feature than the others, such as the only one that is not zero, and the products with that feature "
        f"give the sample away. Such features are {listed(values.columns[features], 5)}; --drop leaves columns out, "
        "which must be the same at all sites"
    ]


def _described(found: TableSums, lone: list[str]) -> dict[str, Any]:
    """Contents of a file of sums as plain values, and what they reveal as sentences."""
    n_folds, n_classes = found.counts.shape
    fewest, n_samples = int(found.counts.min()), int(found.counts.sum())
    reveals = [
        "the class labels, the feature names, and the number of samples of every class",
        f"the mean and variance of every feature, and the correlation of every pair, in each of {n_folds} parts of "
        f"every class ({n_folds * n_classes} parts, the smallest of {fewest} samples)",
        "of a feature with two values, such as a mutation, how many samples of a part have which, and the means of all "
        "other features over those that have it, however few they are",
        "whoever knows all samples of a part but one can compute that one",
        "with another file of this table, from before or after it has grown by a sample: that sample, which is their "
        "difference; files with another --seed or --folds add information in the same way. Send one file of a table "
        "only",
        *lone,
    ]
    if found.n_features >= fewest:
        reveals.append(
            f"there are as many features as samples in a part, or more ({found.n_features} and {fewest}): the products "
            "determine the samples of the part up to a rotation. Some known values may be enough to undo it; and if "
            "features have few values or many zeros (mutations, genotypes, counts), all samples can often be computed"
        )
    return {
        "n_samples": n_samples,
        "classes": {str(c): int(n) for c, n in zip(found.classes, found.counts.sum(axis=0), strict=True)},
        "n_features": found.n_features,
        "n_folds": n_folds,
        "smallest_sum": fewest,
        "transform": found.transform,
        "reveals": reveals,
    }


def _show(output: Path, answer: dict[str, Any]) -> None:
    classes = listed([f"{n} {shown_name(label)}" for label, n in answer["classes"].items()])
    size = output.stat().st_size / 2**20
    say(
        f"{output}: counts, means and products of {answer['n_features']} features over {answer['n_samples']} samples "
        f"({classes}), transform {answer['transform']}; {size:.1f} MiB"
    )
    say("It holds no sample and no sample name. Who has the file can read or compute from it:")
    for sentence in answer["reveals"]:
        say(f"  - {sentence}")
    say("Whether that may leave the site is for those to decide who are responsible for the data.")
    say(f"Next, where the files of all sites are: ndc fit --from-sums {output} OTHER.sums")
