"""Files of sums: written whole, and read without trust in what is in them."""

from __future__ import annotations

import json
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from disjoint_centroids._whole_file import write_whole
from disjoint_centroids.numerics.sizes import get_sizes

_VERSION = 1
_LARGEST_HEAD = 2**25
_COMPRESSION = 1  # products of numbers hardly shrink, and level 6 takes several times as long
_LARGEST_COUNT, _LARGEST_MEAN, _LARGEST_SQUARE = 2.0**53, 1e140, 1e295
_DAMAGED = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    OverflowError,
    EOFError,
    RuntimeError,  # of zipfile for encrypted members, and of json for a text that nests too deeply
    MemoryError,
    SyntaxError,  # of the headers of arrays, which numpy parses as Python literals
    tokenize.TokenError,
    struct.error,
    zlib.error,
    zipfile.BadZipFile,
)


def check_room(n_folds: int, n_classes: int, n_features: int, what: str, cure: str) -> None:
    """Raise an error with the figure if the products of all features, by fold and class, would take too much memory."""
    needed = 8.0 * n_folds * n_classes * float(n_features) ** 2
    most = get_sizes().product_bytes
    if needed > most:
        raise ValueError(
            f"{what}, here {n_folds} x {n_classes} x {n_features} x {n_features} numbers of 8 bytes: "
            f"{needed / 2**30:.1f} GiB, and {most / 2**30:.1f} GiB are allowed. {cure}"
        )


def write_sums(
    path: Path,
    head: dict[str, Any],
    counts: np.ndarray,
    means: np.ndarray,
    scatters: np.ndarray,
    tick: Callable[[], None] = lambda: None,
) -> None:
    """Write a head of plain values and arrays, of the scatters the upper triangles; whole or not at all.

    ``tick`` is called after every fold and class.
    """
    text = json.dumps({"version": _VERSION} | head).encode()
    upper = np.triu_indices(means.shape[2])

    def write(part: Path) -> None:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION) as archive:
            for name, values in {"head": np.frombuffer(text, dtype=np.uint8), "counts": counts, "means": means}.items():
                _write_member(archive, name, values.dtype, values.shape, [values])
            groups = (scatter[upper] for of_fold in scatters for scatter in _ticked(of_fold, tick))
            _write_member(archive, "scatters", scatters.dtype, (*scatters.shape[:2], upper[0].size), groups)

    write_whole(path, write)


def _write_member(
    archive: zipfile.ZipFile, name: str, dtype: np.dtype[Any], shape: tuple[int, ...], parts: Iterable[np.ndarray]
) -> None:
    """Write an array, part by part, as a member that ``numpy.load`` reads too."""
    with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
        header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        for part in parts:
            file.write(np.ascontiguousarray(part).data)


def _ticked(values: np.ndarray, tick: Callable[[], None]) -> Iterator[np.ndarray]:
    for value in values:
        yield value
        tick()


def read_sums(path: Path) -> tuple[dict[str, Any], np.ndarray, np.ndarray, np.ndarray]:
    """Read head, counts, means and whole scatters; nothing in the file is executed.

    The sizes that the file states are checked before anything of such a size is read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            head = _read_head(archive)
            shapes = {name: _shape(archive, name) for name in ("counts", "means", "scatters")}
            _check_shapes(head, shapes)
            counts, means, scatters = (_read_array(archive, name) for name in shapes)
        _check_values(counts, means, scatters)
        return head, counts, means, _whole(scatters, means.shape[2])
    except (*_DAMAGED, OSError) as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise  # there is no such file, or it may not be read
        said = str(error).rstrip(".") or type(error).__name__
        raise ValueError(f"{path} is not a file of sums: {said}. Write one with 'ndc sums'.") from error


def _read_head(archive: zipfile.ZipFile) -> dict[str, Any]:
    if archive.getinfo("head.npy").file_size > _LARGEST_HEAD:
        raise ValueError(f"its names would take {archive.getinfo('head.npy').file_size / 2**20:.0f} MiB")
    with archive.open("head.npy") as file:
        text = np.lib.format.read_array(file, allow_pickle=False)
    head = json.loads(text.tobytes().decode())
    if head.get("version") != _VERSION:
        raise ValueError(f"its version is {head.get('version')!r}, this program reads {_VERSION}")
    classes, names = head["classes"], head["feature_names"]
    if not (_all_of(classes, str) or _all_of(classes, bool) or _all_of(classes, int) or _all_of(classes, float)):
        raise ValueError("its class labels are neither all text nor all numbers")
    if names is not None and not _all_of(names, str):
        raise ValueError("its feature names are no texts")
    if not isinstance(head.get("transform", "none"), str):
        raise ValueError("its transform is no text")
    return dict(head)


def _all_of(values: Any, kind: type) -> bool:
    """True for a list of different values of one type."""
    return isinstance(values, list) and all(type(one) is kind for one in values) and len(set(values)) == len(values)


def _shape(archive: zipfile.ZipFile, name: str) -> tuple[int, ...]:
    """Shape that an array states."""
    with archive.open(f"{name}.npy") as file:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError("its arrays are of another version")
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    if dtype != np.dtype("<f8"):
        raise ValueError(f"its {name} are of type {dtype}")
    return tuple(shape)


def _check_shapes(head: dict[str, Any], shapes: dict[str, tuple[int, ...]]) -> None:
    if len(shapes["means"]) != 3 or min(shapes["means"]) < 1:
        raise ValueError("its parts do not fit together")
    n_folds, n_classes, p = shapes["means"]
    check_room(n_folds, n_classes, p, "its products would take too much memory", "Select features first")
    if (shapes["counts"], shapes["scatters"]) != ((n_folds, n_classes), (n_folds, n_classes, p * (p + 1) // 2)):
        raise ValueError("its parts do not fit together")
    if len(head["classes"]) != n_classes or (head["feature_names"] is not None and len(head["feature_names"]) != p):
        raise ValueError("its names do not fit its parts")
    if head["classes"] != sorted(head["classes"]):
        raise ValueError("its class labels are not sorted")


def _read_array(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    with archive.open(f"{name}.npy") as file:
        found: np.ndarray = np.lib.format.read_array(file, allow_pickle=False)
    return found


def _check_values(counts: np.ndarray, means: np.ndarray, scatters: np.ndarray) -> None:
    largest = zip((counts, means, scatters), (_LARGEST_COUNT, _LARGEST_MEAN, _LARGEST_SQUARE), strict=True)
    if not all((np.abs(part) <= most).all() for part, most in largest):  # NaN is not, either
        raise ValueError("it holds values that are no finite numbers, or too large")
    if (counts < 0).any() or not (counts.sum(axis=0) > 0).all():
        raise ValueError("it holds negative counts, or a class without samples")


def _whole(scatters: np.ndarray, n_features: int) -> np.ndarray:
    """Symmetric matrices from their upper triangles."""
    upper = np.triu_indices(n_features)
    whole = np.zeros((*scatters.shape[:2], n_features, n_features))
    whole[:, :, upper[0], upper[1]] = scatters
    whole[:, :, upper[1], upper[0]] = scatters
    if (np.diagonal(whole, axis1=2, axis2=3) < 0).any():
        raise ValueError("it holds negative sums of squares")
    return whole
