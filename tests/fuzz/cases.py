"""Damaged tables and model files by number: grown from the same whole files, the same number is the same file."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from damaged_tables import OPTIONS, cut_and_flipped, other_damage, text_damage, whole_files
from hostile_models import PLACES, Touch, hostile
from model_bytes import members, sealed

WORDS = (
    *(
        b'"',
        b"'",
        b"\0",
        b"\xff",
        b"\xfe\xff",
        b"\\",
        b";",
        b"\t",
        b",",
        b"\r",
        b"\n",
        b" ",
        b"#",
        b"x" * 5000,
        b"9" * 400,
    ),
    *(
        b"1e999",
        b"-inf",
        b"nan",
        b"NA",
        b"<0.5",
        b"1.2.3",
        b"1,5",
        b"1e-320",
        b"=1+1",
        b"=cmd|' /C calc'!A0",
        b"+1",
        b"-",
    ),
    *(b"@SUM(A1)", b"\x1b[31m", "\u202e".encode(), "\U0001f9ec".encode(), b"[/red]", b"../../evil", b"C:\\evil"),
    *(b"+1", b"-", b"x" * 5000, b"9" * 400, b"<script>", b"{{7*7}}", b"%n%s", b"__import__('os')"),
)
ENTITY = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><a>&b;</a>'
VALUES: tuple[Any, ...] = (None, True, -1, 0, 10**13, 1e308, "", "x" * 3000, "../../evil", [], {}, [[]], {"a": None})


@dataclass(frozen=True, slots=True)
class Case:
    """One damaged file: what was done to it, what it is called, its bytes, and how it is to be read."""

    how: str
    name: str
    content: bytes
    options: dict[str, Any]


def generator(seed: int, kind: str, number: int) -> np.random.Generator:
    """The source of everything that happens to one file."""
    return np.random.default_rng([seed, *kind.encode(), number])


# ------------------------------------------------------------------------------------------------ bytes


def _place(rng: np.random.Generator, data: bytes) -> int:
    return int(rng.integers(len(data) + 1))


def _cut(rng: np.random.Generator, data: bytes) -> bytes:
    return data[: _place(rng, data)]


def _flip(rng: np.random.Generator, data: bytes) -> bytes:
    damaged = bytearray(data)
    for _ in range(int(rng.choice([1, 1, 2, 5, 30]))):
        if damaged:
            damaged[int(rng.integers(len(damaged)))] ^= 1 << int(rng.integers(8))
    return bytes(damaged)


def _hole(rng: np.random.Generator, data: bytes) -> bytes:
    at = _place(rng, data)
    return data[:at] + data[at + int(rng.integers(1, 200)) :]


def _repeat(rng: np.random.Generator, data: bytes) -> bytes:
    at, end = sorted((_place(rng, data), _place(rng, data)))
    return data[:end] + data[at:end] + data[end:]


def _insert(rng: np.random.Generator, data: bytes) -> bytes:
    at = _place(rng, data)
    return data[:at] + WORDS[int(rng.integers(len(WORDS)))] + data[at:]


def _blank(rng: np.random.Generator, data: bytes) -> bytes:
    at, length = _place(rng, data), int(rng.integers(1, 500))
    return data[:at] + bytes(min(length, len(data) - at)) + data[at + length :]


BYTE_DAMAGE: tuple[Callable[[np.random.Generator, bytes], bytes], ...] = (_cut, _flip, _hole, _repeat, _insert, _blank)


def _cell(rng: np.random.Generator, data: bytes) -> bytes:
    """One cell of a text table replaced by a word that means something to some program."""
    lines = data.split(b"\n")
    row = int(rng.integers(len(lines)))
    separator = max((b",", b"\t", b";"), key=data.count)
    cells = lines[row].split(separator)
    cells[int(rng.integers(len(cells)))] = WORDS[int(rng.integers(len(WORDS)))]
    lines[row] = separator.join(cells)
    return b"\n".join(lines)


def _line(rng: np.random.Generator, data: bytes) -> bytes:
    """One line removed, repeated, or brought to another place."""
    lines = data.split(b"\n")
    line = lines.pop(int(rng.integers(len(lines))))
    for _ in range(int(rng.integers(3))):
        lines.insert(int(rng.integers(len(lines) + 1)), line)
    return b"\n".join(lines)


def _inside_zip(rng: np.random.Generator, data: bytes) -> bytes:
    """A spreadsheet with one of its parts damaged, or with one that has no business there."""
    parts = members(data)
    name = str(rng.choice(sorted(parts)))
    kind = int(rng.integers(4))
    if kind == 0:
        parts[name] = ENTITY
    elif kind == 1:
        parts["../../evil.txt"] = b"evil"
    else:
        parts[name] = _cell(rng, parts[name]) if kind == 2 else _damaged(rng, parts[name], BYTE_DAMAGE)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for member, content in parts.items():
            archive.writestr(member, content)
    return buffer.getvalue()


def _damaged(rng: np.random.Generator, data: bytes, ways: tuple[Callable[..., bytes], ...]) -> bytes:
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        data = ways[int(rng.integers(len(ways)))](rng, data)
    return data


# ----------------------------------------------------------------------------------------------- tables


class TableCases:
    """Tables that were written by programs and then damaged, the known damages of the tests among them."""

    kind = "tables"

    def __init__(self, folder: Path, seed: int) -> None:
        self._seed = seed
        self._whole = whole_files(folder)
        self._known = [*text_damage(), *other_damage()]
        for name, whole in self._whole.items():
            self._known += cut_and_flipped(name, whole)

    def case(self, number: int) -> Case:
        """Case ``number``; the known damages come first, as they are, then new ones."""
        rng = generator(self._seed, self.kind, number)
        options = OPTIONS[int(rng.integers(len(OPTIONS)))] | ({"impute": "median"} if rng.random() < 0.2 else {})
        if number < len(self._known):
            return Case(*self._known[number], options)
        if rng.random() < 0.1:
            how, name, content = self._known[int(rng.integers(len(self._known)))]
        else:
            name = str(rng.choice(sorted(self._whole)))
            how, content = "damaged", self._whole[name]
        return Case(how, name, self._damage(rng, name, content), options)

    @staticmethod
    def _damage(rng: np.random.Generator, name: str, content: bytes) -> bytes:
        text = (*BYTE_DAMAGE, _cell, _cell, _cell, _line, _line)
        if name.endswith(".gz") and rng.random() < 0.7:
            try:
                return gzip.compress(_damaged(rng, gzip.decompress(content), text), mtime=0)
            except (OSError, EOFError, ValueError, zlib.error):  # it was damaged before
                return _damaged(rng, content, BYTE_DAMAGE)
        if name.endswith(".xlsx") and rng.random() < 0.7:
            try:
                return _inside_zip(rng, content)
            except (zipfile.BadZipFile, OSError, ValueError, EOFError, zlib.error):
                return _damaged(rng, content, BYTE_DAMAGE)
        return _damaged(rng, content, text if name.endswith((".csv", ".tsv", ".txt", ".gct")) else BYTE_DAMAGE)


# ----------------------------------------------------------------------------------------------- models


def _nodes(content: Any) -> list[Any]:
    """Every dictionary and list of a JSON document."""
    found, waiting = [], [content]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict | list) and part:
            found.append(part)
            waiting += part.values() if isinstance(part, dict) else part
    return found


def _json_changed(rng: np.random.Generator, data: bytes) -> bytes:
    """One entry of a JSON document removed, renamed, exchanged or replaced by a value of another kind."""
    content = json.loads(data)
    nodes = _nodes(content)
    node = nodes[int(rng.integers(len(nodes)))]
    keys = list(node) if isinstance(node, dict) else list(range(len(node)))
    key, other = (keys[int(rng.integers(len(keys)))] for _ in range(2))
    kind = int(rng.integers(4))
    if kind == 0:
        node.pop(key)
    elif kind == 1:
        node[key], node[other] = node[other], node[key]
    elif kind == 2:
        node[key] = nodes[int(rng.integers(len(nodes)))]
    else:
        node[key] = VALUES[int(rng.integers(len(VALUES)))]
    try:
        return json.dumps(content).encode()
    except (ValueError, RecursionError):  # an entry was put into itself
        return data[: len(data) // 2]


def _other_array(rng: np.random.Generator, data: bytes) -> bytes:
    """An array of another type, shape or content in the place of one that belongs there."""
    array = np.load(io.BytesIO(data), allow_pickle=False)
    kind = int(rng.integers(5))
    if kind == 0:
        kinds = ["<f4", "<i8", "<U5", "?", "<c16"] if array.dtype.kind != "U" else ["<U1", "<U5", "<U50", "S", "<U500"]
        array = array.astype(kinds[int(rng.integers(5))])
    elif kind == 1:
        array = array.reshape(-1)[: int(rng.integers(array.size + 1))]
    elif kind == 2 and array.size:
        array = array.copy()
        where = int(rng.integers(array.size))
        array.reshape(-1)[where] = array.dtype.type(
            [0, 1, -1, 9999][int(rng.integers(4))] if array.dtype.kind != "U" else "?"
        )
    elif kind == 3 and array.dtype.kind == "f" and array.size:
        array = np.full_like(array, [np.nan, np.inf, 1e308, 0.0][int(rng.integers(4))])
    else:
        array = array[None]
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


class ModelCases:
    """Model files that were written by every kind of classifier and then damaged, some to do harm."""

    kind = "models"

    def __init__(self, whole: dict[str, bytes], marker: Path, seed: int) -> None:
        self._seed = seed
        self._whole = whole
        self._marker = marker

    def case(self, number: int) -> Case:
        """Case ``number``; every one begins with a whole model of some kind."""
        rng = generator(self._seed, self.kind, number)
        name = sorted(self._whole)[number % len(self._whole)]
        ways = {
            "bytes": lambda data: _damaged(rng, data, BYTE_DAMAGE),
            "json": lambda data: self._member(rng, data, ".json", _json_changed),
            "array": lambda data: self._member(rng, data, ".npy", _other_array),
            "member": lambda data: self._member(rng, data, "", lambda r, part: _damaged(r, part, BYTE_DAMAGE)),
            "harm": lambda data: self._harm(rng, data),
        }
        how = str(rng.choice(list(ways), p=[0.15, 0.35, 0.2, 0.15, 0.15]))
        return Case(f"{name}, {how}", "m.ndc", ways[how](self._whole[name]), {})

    @staticmethod
    def _member(
        rng: np.random.Generator, data: bytes, ending: str, change: Callable[[np.random.Generator, bytes], bytes]
    ) -> bytes:
        parts = members(data)
        name = str(rng.choice([name for name in parts if name.endswith(ending)]))
        with np.errstate(all="ignore"):
            return sealed(parts | {name: change(rng, parts[name])})

    def _harm(self, rng: np.random.Generator, data: bytes) -> bytes:
        """Something that would run, or write, if it were trusted."""
        parts = members(data)
        payload = pickle.dumps(Touch(self._marker))
        kind = int(rng.integers(4))
        if kind == 0:
            return sealed(parts | {str(rng.choice(list(parts))): payload})
        if kind == 1:
            return sealed(parts | {str(rng.choice(["../../evil.py", "/tmp/../evil", "evil.pkl", "..\\evil"])): payload})
        if kind == 2:
            buffer = io.BytesIO()
            np.save(buffer, np.array([Touch(self._marker)], dtype=object), allow_pickle=True)
            return sealed(
                parts | {str(rng.choice([n for n in sorted(parts) if n.endswith(".npy")])): buffer.getvalue()}
            )
        schema = json.loads(parts["schema.json"])
        harmful = hostile(self._marker)
        part = harmful[str(rng.choice(sorted(harmful)))]
        schema = PLACES[int(rng.integers(len(PLACES)))](schema, part) or schema
        return sealed(parts | {"schema.json": json.dumps(schema).encode()})
