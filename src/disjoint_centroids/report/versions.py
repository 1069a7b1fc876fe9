"""Versions of what made a page."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from platform import python_version

_PACKAGES = ("disjoint-centroids", "numpy", "scipy", "scikit-learn", "pandas", "numba")


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that figures depend on."""
    found = {"Python": python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # used from a source folder that was never installed
            found[package] = "unknown"
    return found
