"""The machine and the versions of a study, kept beside its results."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path

PACKAGES = ("disjoint-centroids", "numpy", "scipy", "scikit-learn", "numba", "pandas", "python-glmnet")
"""Packages that compute; the last one is a rival in the benchmarks, and need not be installed."""


def describe() -> dict[str, str]:
    """Processor, cores, system, Python and the packages that compute."""
    about = {
        "processor": _processor(),
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
    }
    installed = {package: _version(package) for package in PACKAGES}
    return about | {package: version for package, version in installed.items() if version is not None}


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"
