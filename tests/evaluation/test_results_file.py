import numpy as np
import pandas as pd
import pytest

from disjoint_centroids import __version__
from disjoint_centroids.evaluation.results_file import ResultsFile, UnsavedResultsWarning, fingerprint

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


def test_rows_are_written_as_they_come(path):
    ResultsFile(path, KEY, pause=0.0).add(ROWS[0])
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
    with pytest.warns(UnsavedResultsWarning, match=rf"cannot write .*{path.name}: disk full"):
        kept.write()
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert len(kept.frame()) == 2  # the caller still has them


def test_without_a_path_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kept = ResultsFile(None, KEY)
    kept.add(ROWS[0])
    kept.write()
    assert (len(kept), list(tmp_path.iterdir())) == (1, [])


def test_no_rows_are_an_empty_frame_that_knows_its_key():
    found = ResultsFile(None, KEY).frame()
    assert found.empty
    assert list(found.columns) == list(KEY)


@pytest.mark.parametrize("made_of", [None, "data=1 seed=0"])
def test_without_rows_there_is_no_file_and_one_without_rows_is_read(path, made_of):
    kept = ResultsFile(path, KEY, made_of)
    kept.write()
    assert not path.exists()
    kept.add(ROWS[0])
    kept.write()
    whole = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    getattr(whole.iloc[:0], f"to_{path.suffix[1:]}")(path, index=False)
    again = ResultsFile(path, KEY, made_of)
    assert len(again) == 0
    again.add(ROWS[1])
    again.write()
    assert ResultsFile(path, KEY, made_of).done() == {("NC", 0)}


def test_a_file_knows_what_it_was_made_of(path):
    asked = "data=abc seed=0 folds=3"
    kept = ResultsFile(path, KEY, asked)
    for row in ROWS:
        kept.add(row)
    kept.write()
    again = ResultsFile(path, KEY, asked)
    assert again.done() == kept.done()
    pd.testing.assert_frame_equal(again.frame(), pd.DataFrame(ROWS[::-1]))  # the fingerprint is the file's affair
    before = path.read_bytes()
    for other, said in (
        ("data=abc seed=1 folds=3", "its seed differ"),
        ("data=abd seed=0 folds=5", "its data, folds differ"),
        ("data=abc seed=0 folds=3 more=1", "its more differ"),
        ("data=abc seed=0", "its fingerprint differ"),
    ):
        with pytest.raises(ValueError, match=f"holds fits of something else: {said}.*Name another results file"):
            ResultsFile(path, KEY, other)
    assert path.read_bytes() == before


def test_one_row_of_another_question_is_enough(path):
    for made_of, row in (("seed=0", ROWS[0]), ("seed=1", ROWS[1])):
        kept = ResultsFile(path.with_stem(made_of), KEY, made_of)
        kept.add(row)
        kept.write()
    read = pd.read_csv if path.suffix == ".csv" else pd.read_parquet
    both = pd.concat([read(path.with_stem(made_of)) for made_of in ("seed=0", "seed=1")])
    getattr(both, f"to_{path.suffix[1:]}")(path, index=False)
    with pytest.raises(ValueError, match="its seed differ"):
        ResultsFile(path, KEY, "seed=0")


def test_a_file_without_fingerprint_does_not_answer_for_one(path):
    kept = ResultsFile(path, KEY)
    kept.add(ROWS[0])
    kept.write()
    with pytest.raises(ValueError, match="lacks fingerprint"):
        ResultsFile(path, KEY, "seed=0")


def test_a_fingerprint_is_of_numbers_names_labels_and_settings():
    X, y = np.arange(6.0).reshape(3, 2), np.array(["a", "b", "b"])
    frame = pd.DataFrame(X, columns=["f", "g"])
    first = fingerprint(X, y, seed=0)
    assert first.endswith(f" seed=0 version={__version__}")
    assert fingerprint(np.asfortranarray(X), y.astype(object), seed=0) == first
    others = [
        fingerprint(X + 1e-12, y, seed=0),
        fingerprint(X, y[::-1], seed=0),
        fingerprint(X, y, seed=1),
        fingerprint(frame, y, seed=0),
        fingerprint(frame.rename(columns={"f": "h"}), y, seed=0),
    ]
    assert len({first, *others}) == 6


def test_another_kind_of_file_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"\.csv or a \.parquet"):
        ResultsFile(tmp_path / "results.xlsx", KEY)


def test_a_file_that_is_something_else_is_refused(path):
    path.parent.mkdir()
    path.write_bytes(b"sample,label\n1,A\n" if path.suffix == ".csv" else b"PAR1 but not really")
    with pytest.raises(ValueError, match="lacks method" if path.suffix == ".csv" else "cannot be read"):
        ResultsFile(path, KEY)
