"""Panels from files of sums, as ``ndc fit --from-sums`` fits them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from disjoint_centroids.cli.method_options import MethodOptions
from disjoint_centroids.cli.options import Engine, Transform
from disjoint_centroids.cli.output import remark, warnings_as_remarks
from disjoint_centroids.cli.table_options import TableOptions

if TYPE_CHECKING:
    import numpy as np
    from sklearn.pipeline import Pipeline

    from disjoint_centroids.panels import TableSums
    from disjoint_centroids.report.data_warnings import Warnings


@dataclass(frozen=True, slots=True)
class FittedToSums:
    """Model of pooled sums, the transform that the values had, and doubts whether the sites go together."""

    model: Pipeline
    transform: str
    doubts: Warnings


def check_no_table_options(reading: TableOptions, transform: Transform | None, engine: Engine) -> None:
    """Refuse options that are for reading tables: what they say is in the files of sums already."""
    given = reading.first_given()
    if transform is not None:
        given = f"--transform {transform.value}"
    elif engine is not Engine.memory:
        given = f"--engine {engine.value}"
    if given is not None:
        raise ValueError(
            f"{given} is for tables, and files of sums have labels, features and scale already. Leave it out here and "
            "give it to 'ndc sums', the same at all sites."
        )


def fit_pooled(paths: Sequence[Path], wanted: MethodOptions, *, seed: int, verbose: bool) -> FittedToSums:
    """Fit panels to the pooled sums of some files."""
    if wanted.chosen != "panel":
        raise ValueError(
            f"{wanted.chosen.upper()} needs the samples; sums are for panels. Leave out --method and the options of "
            "the paper's classifiers, or fit the pooled table."
        )
    from disjoint_centroids.panels.sites import pool_sites
    from disjoint_centroids.pipeline import model_pipeline
    from disjoint_centroids.rows.streaming import fit_to_names

    whole, doubts = pool_sites(_read(paths), map(str, paths))
    for doubt in doubts:
        remark(doubt)
    names = whole.feature_names
    assert names is not None
    classifier = wanted.build(_Known(names, _labels(whole)), seed=seed, verbose=verbose)
    model = model_pipeline(classifier, transform=_known_transform(whole.transform, paths[0]))
    for _, step in model.steps[:-1]:
        fit_to_names(step, names)
    with warnings_as_remarks():
        model[-1].fit_sums(whole)
    return FittedToSums(model, whole.transform, [{"kind": "sites", "text": doubt} for doubt in doubts])


@dataclass(frozen=True, slots=True)
class _Known:
    """Names of the features and labels of the samples of a table, as options of panels need them."""

    names: tuple[str, ...]
    labels: np.ndarray


def _labels(whole: TableSums) -> np.ndarray:
    import numpy as np

    # Their number decides on nothing here, and a hostile file may state any.
    return np.repeat(whole.classes, np.clip(whole.counts.sum(axis=0), 1, 1000).astype(np.intp))


def _known_transform(name: str, path: Path) -> str:
    from disjoint_centroids.transforms import TRANSFORMS

    if name not in TRANSFORMS or name.endswith("standardize"):
        raise ValueError(f"{path} has the transform {name!r}, which cannot be repeated for new samples.")
    return name


def _read(paths: Sequence[Path]) -> Iterator[TableSums]:
    """Read one file after the other, as they are asked for."""
    from disjoint_centroids.panels.table_sums import TableSums

    for path in paths:
        found = TableSums.load(path)
        if found.feature_names is None:
            raise ValueError(
                f"{path} has no names of features, by which sites and new samples are matched. Write it with "
                "'ndc sums', or from a data frame."
            )
        yield found
