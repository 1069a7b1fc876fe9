"""Results of ``disjoint_markers`` in an AnnData: parameters as a file of AnnData can hold them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from disjoint_centroids.tables.nearest_names import nearest_names

if TYPE_CHECKING:
    from anndata import AnnData


def results_of(adata: AnnData, key: str) -> Any:
    """Results in ``.uns``; an error if there are none of this name."""
    if key not in adata.uns:
        near = nearest_names(key, map(str, adata.uns))
        raise KeyError(f"adata.uns has no {key!r}.{near} Call disjoint_markers(adata, …, key_added={key!r}) first.")
    return adata.uns[key]


def storable(value: Any) -> Any:
    """Write a parameter as a file of AnnData can hold it: plain values as they are, lists and mappings as JSON.

    Examples
    --------
    >>> from disjoint_centroids.markers.stored_results import as_given, storable
    >>> storable({"T": ("CD3D", "CD3E")})
    '{"T": ["CD3D", "CD3E"]}'
    >>> as_given(storable((0.5, float("inf"))))
    [0.5, inf]
    """
    if isinstance(value, bool | int | float | str):
        return value
    plain = _plain(value)
    try:
        return json.dumps(plain) if isinstance(plain, list | dict) else str(value)
    except TypeError:  # splitters and the like
        return str(value)


def as_given(stored: Any) -> Any:
    """Parameter as it was given, from what :func:`storable` made of it; other objects stay text."""
    if isinstance(stored, str) and stored[:1] in ("[", "{"):
        try:
            return json.loads(stored)
        except ValueError:
            return stored
    return stored.item() if isinstance(stored, np.generic) else stored


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(own) for key, own in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    return [_plain(one) for one in value] if isinstance(value, list | tuple | set | frozenset) else value
