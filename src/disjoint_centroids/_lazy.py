"""Public names of a package that are imported when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy_names(package: str, names: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Make the ``__getattr__`` of a package, so that importing the package alone is quick.

    Parameters
    ----------
    package : str
        ``__name__`` of the package.
    names : mapping of str to sequences of str
        Public names by the module below the package that defines them.

    Returns
    -------
    callable
        Function from a name to what it stands for.

    Examples
    --------
    >>> from disjoint_centroids._lazy import lazy_names
    >>> lazy_names("collections", {"abc": ["Mapping"]})("Mapping")
    <class 'collections.abc.Mapping'>
    """
    homes = {name: module for module, defined in names.items() for name in defined}

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return find
