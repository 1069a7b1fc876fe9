import pandas as pd
import pytest

from disjoint_centroids import results_file
from disjoint_centroids.results_file import ResultsFile

pytestmark = pytest.mark.filterwarnings("error")

KEY = ("method", "repeat")
ROWS = [{"method": "NDC", "repeat": 1, "error": 0.25}, {"method": "NC", "repeat": 0, "error": 0.5}]


@pytest.fixture(params=["results.csv", "results.parquet"])
def path(request, tmp_path):
    return tmp_path / "new folder" / request.param


def test_rows_come_back_after_an_interruption(path):
    first = ResultsFile(path, KEY)
    for row in ROWS:
        first.add(row)
    first.write()
    again = ResultsFile(path, KEY)
    assert again.done() == {("NDC", 1), ("NC", 0)}
    pd.testing.assert_frame_equal(again.frame(), pd.DataFrame(ROWS[::-1]))


def test_rows_are_written_as_they_come(path, monkeypatch):
    monkeypatch.setattr(results_file, "_SECONDS_BETWEEN_WRITES", -1.0)
    ResultsFile(path, KEY).add(ROWS[0])
    assert ResultsFile(path, KEY).done() == {("NDC", 1)}
    assert [p.name for p in path.parent.iterdir()] == [path.name]  # nothing half-written beside it


def test_a_write_that_fails_leaves_the_old_file(path, monkeypatch):
    kept = ResultsFile(path, KEY)
    kept.add(ROWS[0])
    kept.write()
    before = path.read_bytes()
    kept.add(ROWS[1])

    def broken(*args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr(pd.DataFrame, f"to_{path.suffix[1:]}", broken)
    with pytest.raises(OSError, match="disk full"):
        kept.write()
    assert path.read_bytes() == before


def test_without_a_path_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kept = ResultsFile(None, KEY)
    kept.add(ROWS[0])
    kept.write()
    assert (len(kept), list(tmp_path.iterdir())) == (1, [])


def test_no_rows_are_an_empty_frame():
    assert ResultsFile(None, KEY).frame().empty


def test_another_kind_of_file_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"\.csv or a \.parquet"):
        ResultsFile(tmp_path / "results.xlsx", KEY)


def test_a_file_that_is_something_else_is_refused(path):
    path.parent.mkdir()
    path.write_bytes(b"sample,label\n1,A\n" if path.suffix == ".csv" else b"PAR1 but not really")
    with pytest.raises(ValueError, match="lacks method" if path.suffix == ".csv" else "cannot be read"):
        ResultsFile(path, KEY)
