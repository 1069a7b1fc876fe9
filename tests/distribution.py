"""Check the distributions in a folder: ``python tests/distribution.py dist`` (some minutes, mostly installing).

The wheel holds the package and nothing else; installed into an empty environment, every public name can be imported,
and ``ndc demo`` runs. The source distribution builds the same wheel, and its quick tests pass.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

from public_names import public_names

QUICK_TESTS = ["tests/test_public_surface.py", "tests/test_progress.py", "tests/test_transforms.py", "tests/tables"]
IMPORT_ALL = """
import importlib, importlib.metadata, sys
names = [line.split() for line in sys.argv[1].splitlines()]
for module, name in names:
    found = importlib.import_module(module)
    assert "site-packages" in found.__file__, found.__file__
    getattr(found, name)
print(len(names), "public names of disjoint-centroids", importlib.metadata.version("disjoint-centroids"))
"""


def contents(wheel: Path) -> dict[str, bytes]:
    """Files of a wheel, without the record of their checksums."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/RECORD")}


def check_wheel(wheel: Path, source: Path) -> None:
    """The wheel holds every file of the package, its metadata and its licence, and nothing else."""
    found = contents(wheel)
    package = {
        str(path.relative_to(source.parent)): path.read_bytes()
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    information = {name for name in found if ".dist-info/" in name}
    assert {name: found[name] for name in found.keys() - information} == package
    names = {name.split(".dist-info/")[1] for name in information}
    assert names == {"METADATA", "WHEEL", "entry_points.txt", "licenses/LICENSE"}, names
    print(f"{wheel.name}: {len(package)} files, {wheel.stat().st_size / 1e6:.1f} MB")


def new_environment(folder: Path) -> Path:
    venv.create(folder, with_pip=True)
    return folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def run(*command: object, cwd: Path) -> None:
    shown = (part.name if isinstance(part, Path) else str(part).partition("\n")[0] for part in command)
    print("$", *shown, flush=True)
    subprocess.run([str(part) for part in command], cwd=cwd, check=True)


def main(folder: Path) -> None:
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    check_wheel(wheel, Path(__file__).parents[1] / "src/disjoint_centroids")
    with tempfile.TemporaryDirectory() as name:
        empty = Path(name)
        python = new_environment(empty / "environment")
        run(python, "-m", "pip", "install", "--quiet", f"{wheel}[all,anndata]", cwd=empty)
        names = "\n".join(f"{module} {name}" for module, name in public_names())
        run(python, "-I", "-c", IMPORT_ALL, names, cwd=empty)
        run(python.parent / "ndc", "demo", "--output", "demo", cwd=empty)
        assert (empty / "demo/report.html").stat().st_size > 100_000

        with tarfile.open(source) as archive:
            archive.extractall(empty, filter="data")
        unpacked = empty / source.name.removesuffix(".tar.gz")
        run(sys.executable, "-m", "build", "--wheel", "--outdir", empty / "again", cwd=unpacked)
        assert contents(empty / "again" / wheel.name) == contents(wheel)
        run(python, "-m", "pip", "install", "--quiet", "pytest", "hypothesis", "polars", cwd=empty)
        run(python, "-m", "pytest", "-q", *QUICK_TESTS, cwd=unpacked)
    print("The distributions are in order.")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
