"""The public names of the package: those of the page of the API, and what packages list in ``__all__``."""

import importlib
import re
from pathlib import Path

PACKAGE = "disjoint_centroids"
ROOMS = ["", ".datasets", ".evaluation", ".markers", ".models", ".panels", ".plots", ".report", ".tables"]
PAGE = Path(__file__).parents[1] / "docs/api.md"


def public_names() -> list[tuple[str, str]]:
    """Module and name of everything that is public, once each."""
    listed = re.findall(r"^   (?!:)([A-Za-z_.]+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    listed += re.findall(r"^\.\. py:data:: (\S+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    names = [f"{PACKAGE}.{name}".rpartition(".")[::2] for name in listed]
    for room in ROOMS:
        names += [(PACKAGE + room, name) for name in importlib.import_module(PACKAGE + room).__all__]
    return sorted(set(names))
