"""Sites whose sums are pooled: what their counts and means say about whether they go together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from disjoint_centroids._listed import listed
from disjoint_centroids.panels.pooling import order_of, pooled
from disjoint_centroids.panels.table_sums import TableSums
from disjoint_centroids.tables.cells.cell_rules import CellRules
from disjoint_centroids.tables.labels.class_labels import spellings

_OTHER_SCALE = 5.0
"""Ratio of spreads from which two sites seem to have values on different scales."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Site:
    """Counts, means and variances of the classes of one site, over all of its folds.

    Attributes
    ----------
    called : str
        What messages call it, such as the name of its file.
    classes : list
        Class labels.
    counts : array of shape (n_classes,)
        Numbers of samples.
    means, variances : arrays of shape (n_classes, n_features)
        Of the features, in the order that they have at the first site.
    """

    called: str
    classes: list[Any]
    counts: np.ndarray
    means: np.ndarray
    variances: np.ndarray

    @classmethod
    def of(cls, called: str, table: TableSums, order: np.ndarray) -> Site:
        """Take counts, means and variances from the sums of a site, with its features in some order."""
        counts = table.counts.sum(axis=0)
        parts = table.counts[:, :, None]
        means = (parts * table.means).sum(axis=0) / counts[:, None]
        squares = np.diagonal(table.scatters, axis1=2, axis2=3) + parts * (table.means - means) ** 2
        variances = squares.sum(axis=0) / counts[:, None]
        return cls(called, table.classes.tolist(), counts, means[:, order], variances[:, order])

    @property
    def level(self) -> float:
        """Median of the means of the features."""
        return float(np.median(self.counts @ self.means / self.counts.sum()))

    @property
    def spreads(self) -> np.ndarray:
        """Standard deviation of every feature within classes."""
        found: np.ndarray = np.sqrt(self.counts @ self.variances / self.counts.sum())
        return found

    def is_that_of(self, other: Site) -> bool:
        """True if classes, counts, means and variances are the same, however the samples were dealt to folds."""
        if self.classes != other.classes or not np.allclose(self.counts, other.counts):
            return False
        gaps = np.abs(self.means - other.means)
        tiny = _ROUNDING * (np.abs(self.means) + np.sqrt(self.variances))
        return bool((gaps <= tiny).all() and np.allclose(self.variances, other.variances, rtol=1e-6, atol=tiny**2))


def tables_of(sums: Any) -> list[TableSums]:
    """Return the sums of one site or of several as a list."""
    found = [sums] if isinstance(sums, TableSums) or not isinstance(sums, Iterable) else list(sums)
    found = [sums] if isinstance(sums, (str, bytes)) else found
    odd = [one for one in found if not isinstance(one, TableSums)]
    if odd:
        raise TypeError(
            f"sums must be a TableSums, or a list of one per site; got {type(odd[0]).__name__}: {odd[0]!r:.60}. A file "
            "of sums is read by TableSums.load(path), a table added up by TableSums.of(X, y)."
        )
    return found


def pool_sites(tables: Iterable[TableSums], called: Iterable[str]) -> tuple[TableSums, list[str]]:
    """Pool the sums of sites, one after the other, so that two are in memory at most.

    Parameters
    ----------
    tables : iterable of TableSums
        Sums of each site.
    called : iterable of str
        What messages call each of them.

    Returns
    -------
    TableSums
        Sums of the pooled table.
    list of str
        Reasons to doubt that the sites go together, as sentences.

    Raises
    ------
    ValueError
        Features, scales or labels of sites are not the same, or the samples of two sites are.
    """
    first: TableSums | None = None
    whole: TableSums | None = None
    sites: list[Site] = []
    for table, name in zip(tables, called, strict=True):
        if first is None or whole is None:
            first = replace(table, scatters=np.empty(0))  # its names are needed until the end, its products are not
            whole = table
        else:
            whole = pooled([whole, table], [sites[0].called, name])
        sites.append(Site.of(name, table, order_of(first, table)))
    if whole is None:
        raise ValueError("there are no sums to fit to. Give at least one TableSums, as TableSums.of makes them.")
    _check_each_once(sites)
    _check_spellings(sites)
    return whole, [*_of_one_site_only(sites), *_on_other_scales(sites)]


def _check_each_once(sites: Sequence[Site]) -> None:
    for one, other in combinations(sites, 2):
        if one.is_that_of(other):
            raise ValueError(
                f"{one.called} and {other.called} hold sums of the same samples (all counts, means and variances are "
                "the same), which would count twice. Give every table once, whatever its seed and folds."
            )


def _check_spellings(sites: Sequence[Site]) -> None:
    """Raise an error if classes differ in upper and lower case or spaces only, unless one site has both of them."""
    of_sites = [[str(label) for label in site.classes] for site in sites]
    labels = list(dict.fromkeys(label for classes in of_sites for label in classes))
    alike = [
        group
        for group in spellings(labels, CellRules.of((), None))
        if not any(set(group) <= set(classes) for classes in of_sites)
    ]
    if not alike:
        return
    shown = []
    for group in alike:
        places = (
            (label, next(s.called for s, c in zip(sites, of_sites, strict=True) if label in c)) for label in group
        )
        shown.append(" and ".join(f"{label!r} ({place})" for label, place in places))
    raise ValueError(
        f"labels differ in upper and lower case or spaces only: {listed(shown)}. If they mean one class, add up again "
        "with one spelling at all sites; if they are different classes, with names that differ more."
    )


def _of_one_site_only(sites: Sequence[Site]) -> list[str]:
    """Mention classes that only one of several sites has."""
    every = list(dict.fromkeys(label for site in sites for label in site.classes))
    at = {label: [site.called for site in sites if label in site.classes] for label in every}
    alone = [f"{label} ({places[0]})" for label, places in at.items() if len(places) == 1]
    if len(sites) == 1 or not alone:
        return []
    return [
        f"{len(alone)} of {len(every)} classes {'is' if len(alone) == 1 else 'are'} of one site only: {listed(alone)}. "
        "What tells such a class from the others may be what tells the sites apart; and if it is another name of a "
        "class elsewhere, add up again with the same name."
    ]


def _on_other_scales(sites: Sequence[Site]) -> list[str]:
    """Mention sites whose values seem to be on another scale than those of the first site."""
    first, found = sites[0], []
    for site in sites[1:]:
        both = (first.spreads > 0) & (site.spreads > 0)
        if not both.any():
            continue
        ratio = float(np.median(first.spreads[both] / site.spreads[both]))
        if 1 / _OTHER_SCALE < ratio < _OTHER_SCALE:
            continue
        wide, narrow = (first, site) if ratio > 1 else (site, first)
        found.append(
            f"the values of {wide.called} vary {max(ratio, 1 / ratio):.3g} times as much as those of {narrow.called} "
            f"(medians over the features; the means are about {wide.level:.3g} and {narrow.level:.3g}): one looks like "
            "raw values and the other like logarithms, or units differ. Add up again, on the same scale at all sites."
        )
    return found
