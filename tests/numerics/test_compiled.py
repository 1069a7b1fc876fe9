"""Compiled code: kept where it can be kept, by nobody else, and announced while it is made."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import disjoint_centroids
from disjoint_centroids.compilation import LABEL, compilation_shown
from disjoint_centroids.numerics import compiled

pytestmark = pytest.mark.filterwarnings("error")

SCRIPT = """
import numpy as np
from numba.core import config
from disjoint_centroids.compilation import compilation_shown
with compilation_shown(1):
    from disjoint_centroids.rows.kernels import row_means
    print(row_means(np.ones((2, 3)), np.arange(3)).tolist(), repr(config.CACHE_DIR))
"""


@pytest.fixture(scope="module")
def read_only(tmp_path_factory):
    """An environment in which neither the package nor the home folder can be written to, not even by root."""
    folder = tmp_path_factory.mktemp("read_only")
    source = Path(disjoint_centroids.__file__).parent
    shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns("__pycache__", "static", "*.csv"))
    for name in (f"{source.name}/rows/__pycache__", "home"):
        (folder / name).write_text("a file, where a folder would have to be")
    kept = {key: value for key, value in os.environ.items() if key not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    return kept | {"PYTHONPATH": str(folder), "HOME": str(folder / "home"), "LOCALAPPDATA": str(folder / "home")}


def run(environment, folder):
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment | {"TMPDIR": str(folder)}, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    return ended


@pytest.mark.skipif(sys.platform == "win32", reason="there, TMPDIR is not where temporary files are")
def test_a_read_only_installation_and_home_keep_compiled_code_among_the_temporary_files(read_only, tmp_path):
    first = run(read_only, tmp_path)
    assert first.stdout == "[1.0, 1.0] ''\n"  # numba's own setting is as before
    assert f"{LABEL} [" in first.stderr
    (folder,) = tmp_path.iterdir()
    assert len(list(folder.rglob("*.nbc"))) == 1
    assert folder.stat().st_mode & 0o077 == 0
    second = run(read_only, tmp_path)
    assert (second.stdout, second.stderr) == (first.stdout, "")
    folder.rename(tmp_path / "elsewhere")
    folder.write_text("a file")  # no place at all: compiled anew
    third = run(read_only, tmp_path)
    assert third.stdout == first.stdout
    assert f"{LABEL} [" in third.stderr


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no modes here")
def test_a_folder_that_others_can_write_to_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(compiled.tempfile, "gettempdir", lambda: str(tmp_path))
    folder = compiled._temporary_folder()
    assert folder is not None
    folder.chmod(0o777)
    assert compiled._temporary_folder() is None
    folder.chmod(0o700)
    assert compiled._temporary_folder() == folder
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    assert compiled._temporary_folder() is None
    folder.unlink()
    folder.write_text("a file")
    assert compiled._temporary_folder() is None


def test_every_file_of_kernels_is_in_the_stamp():
    package = Path(compiled.__file__).parents[1]
    with_kernels = {path for path in package.rglob("*.py") if "numerics.compiled import compiled" in path.read_text()}
    assert with_kernels <= {*package.rglob("*kernels.py"), *package.rglob("kernels/*.py")}


def test_a_bar_appears_with_the_first_kernel_and_ends_its_line(capsys):
    import numba

    with compilation_shown(2):
        assert capsys.readouterr().err == ""
        twice = numba.njit(lambda x: x + x)
        assert (twice(1), twice(2.0)) == (2, 4.0)
        lines = capsys.readouterr().err.splitlines()
        assert [line.split("] ")[1].split()[0] for line in lines] == ["0/2", "1/2", "2/2"]
        assert "left" not in "".join(lines)
        twice(1j)
        assert "1/8" in capsys.readouterr().err
    assert "8/8" in capsys.readouterr().err  # those that were not needed count at the end
    with compilation_shown(2, enabled=False):
        twice("a")
    assert capsys.readouterr().err == ""
