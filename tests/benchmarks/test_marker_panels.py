"""The comparison of marker lists: lists are dealt out fairly, programs are asked in processes of their own."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from disjoint_centroids import DisjointPanelClassifier
from marker_panels_study import asking, jobs, lists, run, sets
from marker_panels_study.methods import METHODS, OURS, SIZES, Method
from marker_panels_study.page import Page

VALUES = np.array([[4.0, 0, 1], [4, 0, 1], [2, 1, 1], [0, 3, 1], [0, 3, 3], [0, 0, 1]])
CODES = np.array([0, 0, 0, 1, 1, 1])


@pytest.fixture
def part_folder(tmp_path, small_table):
    """Folder of a training part: two thirds of a small table, the rest are new samples."""
    values, labels = small_table
    codes = np.unique(labels, return_inverse=True)[1]
    train = np.arange(len(codes)) % 3 > 0
    for name, array in (("values", values[train]), ("codes", codes[train]), ("new", values[~train])):
        np.save(tmp_path / f"{name}.npy", array)
    return tmp_path


def probe(tmp_path, body):
    """A program that does not choose anything."""
    path = tmp_path / "rival.py"
    path.write_text(f"import sys\nsys.path.append({str(asking.PROBES)!r})\nfrom probe import Found, run\n{body}")
    return Method(str(path), "", is_ours=True)


def test_lists_that_overlap_are_read_further_down():
    ranked = {"lists": [[0, 1, 2, 5], [0, 3, 1, 4], [0, 1]]}
    assert lists.dealt(ranked, 2, VALUES, CODES) == [[0, 2], [3, 4], [1]]


def test_an_order_without_classes_is_cut_and_goes_to_the_highest_mean():
    assert lists.dealt({"lists": [1, 2, 0]}, 1, VALUES, CODES) == [[], [1, 2]]


def test_on_target_fractions_by_hand():
    # Medians: column 0 has 4 and 0, column 1 has 0 and 3, column 2 has 1 and 1; means of column 0: 10/3 and 0.
    assert lists.on_target([[0], [1, 2]], VALUES, CODES, np.median) == pytest.approx((1 + 0.75) / 2)
    by_means = (1 + (2 / (2 + 1 / 3) + (5 / 3) / (5 / 3 + 1)) / 2) / 2
    assert lists.on_target([[0], [1, 2]], VALUES, CODES, np.mean) == pytest.approx(by_means)
    # Shares of class 0: 1, 0 and 1/2; of class 1: 0, 1 and 1/2. Of two markers, the median is between both.
    assert lists.most_on_target(1, VALUES, CODES) == 1.0
    assert lists.most_on_target(2, VALUES, CODES) == 0.75
    assert lists.off_in_its_class([[0, 1], [2]], VALUES, CODES) == pytest.approx(1 / 3)


def test_a_probe_answers_with_the_panels_of_the_model(part_folder):
    answers = asking.ask(METHODS["Panels"], [part_folder], (2, 3), seed=5, limit=60)
    assert answers.failure == "" and [answer["size"] for answer in answers.given] == [2, 3]
    values, codes, new = (np.load(part_folder / f"{name}.npy") for name in ("values", "codes", "new"))
    for answer in answers.given:
        model = DisjointPanelClassifier(rounds=answer["size"], random_state=5).fit(values, codes)
        assert answer["lists"] == [panel.tolist() for panel in model.feature_sets_]
        assert answer["predicted"] == model.predict(new).tolist()
        assert answer["seconds"] > 0 and answer["peak"] > 1e7


def test_answers_before_the_limit_are_kept(part_folder, tmp_path):
    body = "def fits(part):\n    yield Found([1, 2], 2)\n    while part.sizes != (2,):\n        pass\n\n\nrun(fits)\n"
    answers = asking.ask(probe(tmp_path, body), [part_folder] * 2, SIZES, seed=0, limit=1)
    assert answers.failure == "more than 1 seconds"
    assert [(answer["fold"], answer["size"]) for answer in answers.given] == [(0, 2), (1, 2)]


def test_a_program_that_fails_is_told(part_folder, tmp_path, monkeypatch):
    answers = asking.ask(
        probe(tmp_path, "raise TypeError('no such solver\\nTry another.')\n"), [part_folder], SIZES, 0, limit=9
    )
    assert answers.failure == "TypeError: no such solver" and not answers.given
    monkeypatch.setattr(asking, "RIVALS_PYTHON", tmp_path / "nowhere")
    assert "make marker-panels" in asking.ask(METHODS["COSG"], [part_folder], SIZES, 0, limit=9).failure


def test_a_run_goes_on_where_it_was_stopped(monkeypatch, tmp_path, small_table):
    monkeypatch.setattr(asking, "RIVALS_PYTHON", Path(sys.executable))
    monkeypatch.setattr(jobs, "table", lambda name: sets.Table(*small_table))
    monkeypatch.setattr(jobs, "OUTPUT", tmp_path)
    rows = jobs.Rows(tmp_path / "rows.parquet")
    run.run_sets(["zeisel"], ["Random forest"], rows, limit=60, n_jobs=1)
    frame = rows.file.frame()
    assert len(frame) == jobs.FOLDS and (frame["failure"] == "").all()
    assert frame["2, error, nearest centroid"].max() < 0.3 and frame["2, markers"].eq(6).all()
    again = jobs.Rows(tmp_path / "rows.parquet")
    assert again.done() == {("zeisel", "Random forest")}
    run.run_sets(["zeisel"], ["Random forest"], again, limit=60, n_jobs=1)
    assert again.file.frame()["finished"].tolist() == frame["finished"].tolist()


def made_rows():
    """Rows of a run that nobody ran: ours are best, scGeneFit fails on one set with ten markers per class."""
    rows = []
    for name in ("zeisel", "digits", "baron"):
        for at, method in enumerate(METHODS):
            for fold in range(jobs.FOLDS):
                row = dict.fromkeys(jobs.OUTCOMES, 0.1 + 0.01 * at + 0.001 * fold)
                if method not in OURS:
                    row |= {outcome: np.nan for outcome in row if jobs.OWN in outcome}
                failure = ""
                if method == "scGeneFit" and name == "baron":
                    failure = "more than 300 seconds"
                    row |= {outcome: np.nan for outcome in row if outcome.startswith("10,")}
                about = {"samples": 30, "features": 40, "classes": 3, "limit": 300.0, "failure": failure}
                rows.append(
                    {"set": name, "method": method, "fold": fold} | row | about | {"finished": float(len(rows))}
                )
    return pd.DataFrame(rows)


def test_a_run_begins_with_the_published_results(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(run, "PUBLISHED", tmp_path / "published")
    monkeypatch.setattr(sets, "OUTPUT", tmp_path / "output")
    monkeypatch.setattr(run, "machine", dict)
    (tmp_path / "published").mkdir()
    published = made_rows()
    published.to_parquet(tmp_path / "published" / jobs.RESULTS, index=False)
    run.main(["--from-published", "--sets", "zeisel", "--methods", "COSG"])  # done: nothing is run
    kept = pd.read_parquet(tmp_path / "output" / jobs.RESULTS)
    order = list(jobs.KEY)
    pd.testing.assert_frame_equal(
        kept.sort_values(order, ignore_index=True), published.sort_values(order, ignore_index=True)
    )
    assert "COSG" in capsys.readouterr().out
    other = published.assign(finished=0.0)
    other.to_parquet(tmp_path / "published" / jobs.RESULTS, index=False)
    run.main(["--from-published", "--sets", "zeisel", "--methods", "COSG"])
    assert pd.read_parquet(tmp_path / "output" / jobs.RESULTS)["finished"].max() > 0.0


def test_the_page_says_who_was_better_and_who_did_not_finish():
    rows = made_rows()
    rows = rows[(rows["method"] != "mRMR") | (rows["set"] != "digits")]
    text = Page(rows, {"cores": "2", "processor": "some", "Python": "3", "rivals": {"cosg": "1.2.0"}}).text("images")
    assert "the mean error of *Panels* is 0.101 with 2 per class (the best of the others is *scanpy t-test*" in text
    assert "- *scGeneFit*, more than 300 seconds: Baron (10 per class)" in text
    assert "- *mRMR*, not run for want of time: digits" in text
    assert "*COSG* (cosg 1.2.0)" in text and "nan" not in text
