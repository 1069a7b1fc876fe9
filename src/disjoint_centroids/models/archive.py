"""The container of a model file: a zip archive with a checksum, and the types that may be built from it."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np

from disjoint_centroids._listed import listed
from disjoint_centroids._literal import literal

METADATA, SCHEMA = "model.json", "schema.json"

# The zip's comment is the last thing in the file: this mark and the sha256, in hex, of every byte before the digits.
_MARK = b"disjoint-centroids model sha256 "
_DIGITS = 64
_ARRAY = re.compile(r"\d+\.npy")

PUBLIC = {
    "disjoint_centroids": (
        "DisjointKNeighborsClassifier",
        "DisjointLogisticRegression",
        "DisjointPanelClassifier",
        "NearestDisjointCentroid",
        "NearestDisjointCentroidCV",
        "OverlappingCentroidClassifier",
    ),
    "sklearn.impute": ("KNNImputer", "SimpleImputer"),
    "sklearn.model_selection": ("GroupKFold", "KFold", "LeaveOneOut", "StratifiedGroupKFold", "StratifiedKFold"),
    "sklearn.pipeline": ("Pipeline",),
    "sklearn.preprocessing": ("FunctionTransformer", "StandardScaler"),
}
"""Classes that a file may hold, by the module that users import them from: the name that stands in the file.

Where a class is defined may change with any release; the name that users import stays.
"""

# "bool" is what numpy 2 calls numpy 1's "bool_".
_SCALARS = ("bool", "bool_", "float32", "float64", "int32", "int64", "str_")

ALLOWED = frozenset(
    {
        ("DTypeNode", "numpy.dtype"),
        ("DictNode", "builtins.dict"),
        ("JsonNode", "builtins.str"),
        ("ListNode", "builtins.list"),
        ("NdArrayNode", "numpy.ndarray"),
        ("RandomStateNode", "numpy.random.RandomState"),
        ("TupleNode", "builtins.tuple"),
        ("TypeNode", "builtins.int"),
        ("TypeNode", "builtins.str"),
        *(("NdArrayNode", f"numpy.{name}") for name in _SCALARS),
        *(("ObjectNode", f"{module}.{name}") for module, names in PUBLIC.items() for name in names),
    }
)
"""Pairs of a skops node and the type it may build: all that a model consists of, far less than skops itself trusts."""


class Refused(ValueError):
    """Reason for which a file or a model is refused, worded to follow its name."""


def shown(text: Any) -> str:
    """Shorten a text from a file to one line, for an error message."""
    return literal(text, 120)


def seal(metadata: dict[str, Any], members: dict[str, bytes]) -> bytes:
    """Write the metadata and the members of a dumped pipeline into one file, and return its bytes."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", compression=ZIP_STORED) as archive:
        archive.writestr(ZipInfo(METADATA), json.dumps(metadata, indent=1))
        for name, content in members.items():
            archive.writestr(ZipInfo(name), content)
        archive.comment = _MARK + b"0" * _DIGITS
    body = buffer.getbuffer()[:-_DIGITS]
    return bytes(body) + hashlib.sha256(body).hexdigest().encode()


def read_sealed(path: Path) -> bytes:
    """Read all bytes of a model file, and check that they are those that were written."""
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}: name a model file, as `ndc fit` and save_model write it.")
    if not path.is_file():
        raise Refused(f"is {'a folder' if path.is_dir() else 'no regular file'}, not a model file.")
    if path.suffix.lower() == ".sums":
        raise Refused(
            "is a file of sums, as `ndc sums` writes it, not a model file: fit a model to it by "
            "DisjointPanelClassifier.fit_sums."
        )
    with path.open("rb") as file:
        # The end first: whatever else was named, however long, is not read to find out.
        size = file.seek(0, io.SEEK_END)
        file.seek(max(0, size - _DIGITS - len(_MARK)))
        if file.read(len(_MARK)) != _MARK:
            raise Refused(
                "is not a model file, as `ndc fit` and save_model write it, or its end is missing: copy it again, or "
                "fit the model again."
            )
        file.seek(0)
        data = file.read()
    if hashlib.sha256(memoryview(data)[:-_DIGITS]).hexdigest().encode() != data[-_DIGITS:]:
        raise Refused("has been altered since it was written: copy it again, or fit the model again.")
    return data


def members_of(data: bytes) -> dict[str, bytes]:
    """Read the members of a model file by name; refuse members that a model does not have."""
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            _check_members(archive.infolist(), len(data))
            return {name: archive.read(name) for name in archive.namelist()}
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise Refused(f"is damaged: its parts cannot be read ({shown(error)}).") from error


def _check_members(members: list[ZipInfo], size: int) -> None:
    """Refuse unknown and missing members; members are not compressed, so none is larger than the file."""
    if sum(m.file_size for m in members) > size:
        raise Refused("is not a model file: parts of it claim to be larger than the file.")
    counts = Counter(m.filename for m in members)
    foreign = [n for n, c in counts.items() if c > 1 or not (n in {METADATA, SCHEMA} or _ARRAY.fullmatch(n))]
    if foreign:
        raise Refused(f"holds {shown(foreign[0])!r}, which is no part of a model: nothing of it was loaded.")
    missing = {METADATA, SCHEMA} - counts.keys()
    if missing:
        raise Refused(f"is not a whole model file: it lacks {' and '.join(sorted(missing))}.")


def check_content(members: dict[str, bytes]) -> None:
    """Check every node that skops would build; raise if one is not among the types of a model."""
    foreign = set()
    for node in _nodes(json.loads(members[SCHEMA])):
        name = f"{node.get('__module__')}.{node.get('__class__')}"
        if (str(node.get("__loader__")), name) not in ALLOWED:
            foreign.add(shown(name))
        if node.get("type") == "numpy":
            _check_array(members, str(node.get("file")))
    if foreign:
        raise Refused(f"holds {listed(sorted(foreign), 3)}, which is not among the types of a model")


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every part of a schema that names a type."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            waiting.extend(part.values())
            if {"__class__", "__module__", "__loader__"} & part.keys():
                yield part
        elif isinstance(part, list):
            waiting.extend(part)


def _check_array(members: dict[str, bytes], name: str) -> None:
    """Refuse an array that is not as long as its header says, before memory for it is allocated."""
    if name not in members:
        raise Refused(f"is not a whole model file: it lacks {shown(name)}")
    file = io.BytesIO(members[name])
    try:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
        length = dtype.itemsize * int(np.prod(shape, dtype=object))
    except Exception as error:
        raise Refused(f"is damaged: {shown(name)} in it is no array") from error
    if len(members[name]) - file.tell() != length:
        raise Refused(f"is damaged: the array {shown(name)} in it is not what it says")


def build(data: bytes) -> Any:
    """Build the object that a checked file holds."""
    from skops.io import loads

    # skops imports each class from the module that stands in the file, which is a public one: it resolves the name.
    return loads(data, trusted=sorted({name for _, name in ALLOWED}))


def dump(obj: Any) -> dict[str, bytes]:
    """Return what skops writes of an object, member by member; raise unless it consists of allowed types only."""
    from skops.io import dumps

    try:
        dumped = dumps(obj)
    except Exception as error:  # skops says in many ways what it cannot write
        raise Refused(f"holds what a file cannot hold ({shown(error)})") from error
    with ZipFile(io.BytesIO(dumped)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(members[SCHEMA])
    for node in _nodes(schema):
        node["__module__"] = _public_modules().get((node["__module__"], node["__class__"]), node["__module__"])
    members[SCHEMA] = json.dumps(schema).encode()
    check_content(members)
    return members


@cache
def _public_modules() -> dict[tuple[str, str], str]:
    """Public module of each class that a file may hold, by the module that defines it today and its name."""
    public = PUBLIC | {"numpy.random": ("RandomState",)}
    return {
        (getattr(import_module(module), name).__module__, name): module
        for module, names in public.items()
        for name in names
    }
