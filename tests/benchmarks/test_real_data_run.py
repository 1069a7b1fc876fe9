"""The run: same splits for all, nothing lost by an interruption or a failure."""

import json

import pandas as pd
import pytest
from machine import describe
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import NearestCentroid

from real_data_study import jobs, run, simulations
from real_data_study.jobs import Job
from real_data_study.methods import METHODS, REPEATS, Method
from real_data_study.page import read_page
from real_data_study.sets import ALL, SCALES, Table

SETS = ("nutt-2003-v3", "pomeroy-2002-v1")


@pytest.fixture
def tables(monkeypatch, small_table):
    """One set with logarithms, one without, both small; nothing is fetched."""
    plain = Table(*small_table)
    there = {SETS[0]: {"as distributed": plain, "log2": plain}, SETS[1]: {"as distributed": plain}}
    monkeypatch.setattr(jobs, "tables", lambda name: there.get(name, there[SETS[1]]))
    monkeypatch.setattr(run, "fetch_compcancer", lambda name, verbose: None)
    monkeypatch.setattr(run, "QUICK", SETS)
    return there


@pytest.fixture
def output(monkeypatch, tmp_path):
    monkeypatch.setattr(run, "OUTPUT", tmp_path)
    return tmp_path / "real_data.parquet"


def command(*words):
    run.main([*words, "--sets", *SETS, "--n-jobs", "1"])


def test_a_whole_repeat_before_the_next_and_no_job_twice(tables):
    wanted = list(jobs.jobs(SETS, ("log2", "as distributed"), ("NSC", "NDC"), 2))
    assert [job.repeat for job in wanted] == sorted(job.repeat for job in wanted)
    assert len({job.key for job in wanted}) == len(wanted) == 3 * 3 * 2 * 2  # tables, folds, methods, repeats


@pytest.mark.parametrize(
    ("scale", "run_as"), [("log2", ["log2", "as distributed"]), ("as distributed", ["as distributed"] * 2)]
)
def test_one_scale_takes_what_answers_for_it(tables, scale, run_as):
    wanted = jobs.jobs(SETS, (scale,), ("NSC",), 1)
    assert [job.scale for job in wanted if job.fold == 0] == run_as


def test_a_method_may_take_part_in_fewer_repeats(tables, monkeypatch):
    monkeypatch.setitem(METHODS, "slow", Method(METHODS["NSC"].build, "slow", repeats=1))
    wanted = list(jobs.jobs(SETS, ("log2",), ("slow", "NSC"), 3))
    assert {job.repeat for job in wanted if job.method == "slow"} == {0}
    assert {job.repeat for job in wanted if job.method == "NSC"} == {0, 1, 2}


def test_splits_are_paired_and_folds_cover_every_sample_once(small_table):
    _, y = small_table
    first = [jobs._split(Job("some", "log2", "NSC", 0, fold), y) for fold in range(3)]
    other = [jobs._split(Job("some", "as distributed", "NDC", 0, fold), y) for fold in range(3)]
    assert [test.tolist() for _, test in first] == [test.tolist() for _, test in other]
    assert sorted(sample for _, test in first for sample in test) == list(range(len(y)))
    again = [jobs._split(Job("some", "log2", "NSC", 1, fold), y) for fold in range(3)]
    assert [test.tolist() for _, test in first] != [test.tolist() for _, test in again]


def test_seeds_come_from_names():
    job = Job("golub-1999-v1", "log2", "NSC", 2, 1)
    same = Job("golub-1999-v1", "as distributed", "Panel", 2, 1)
    assert (job.split_seed(), job.fit_seed()) == (same.split_seed(), same.fit_seed())
    others = [Job("golub-1999-v2", "log2", "NSC", 2, 1), Job("golub-1999-v1", "log2", "NSC", 1, 1)]
    assert len({job.split_seed(), *(other.split_seed() for other in others)}) == 3
    assert job.fit_seed() != Job("golub-1999-v1", "log2", "NSC", 2, 0).fit_seed()
    assert 0 <= job.fit_seed() < 2**31


@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns(tables, method):
    row = jobs.do(Job(SETS[0], "log2", method, 0, 0))
    assert row["failure"] == ""
    assert row["error"] <= 0.34  # chance is 0.67
    assert 3 <= row["features"] <= 40
    assert (row["has_log2"], row["samples"], row["genes"], row["classes"]) == (True, 36, 40, 3)


def test_a_row_says_whether_its_set_has_logarithms(tables):
    rows = [jobs.do(Job(name, "as distributed", "Nearest centroid", 0, 0)) for name in SETS]
    assert [row["has_log2"] for row in rows] == [True, False]


def test_a_run_prints_its_tables_and_goes_on_where_it_was_stopped(tables, output, monkeypatch, capsys):
    done, do = [], jobs.do

    def stopped(job):
        if len(done) == 4:
            raise KeyboardInterrupt
        done.append(job)
        return do(job)

    with monkeypatch.context() as patch:
        patch.setattr(run.jobs, "do", stopped)
        with pytest.raises(SystemExit, match="Nothing is lost"):
            command("--methods", "Nearest centroid", "ClaNC", "--repeats", "1")
    kept = pd.read_parquet(output)
    assert len(kept) == 4
    capsys.readouterr()
    command("--methods", "Nearest centroid", "ClaNC", "--repeats", "1")
    table = pd.read_parquet(output)
    assert len(table) == 3 * 3 * 2
    merged = table.merge(kept, on=list(jobs.KEY), suffixes=("", "_before"))
    assert (merged["finished"] == merged["finished_before"]).sum() == 4
    shown, bar = capsys.readouterr()
    assert "14/14" in bar
    for word in ("log2, chosen", "as distributed, chosen", "ClaNC", "rank", "median_features", "seconds"):
        assert word in shown
    command("--methods", "Nearest centroid", "ClaNC", "--repeats", "1")
    assert pd.read_parquet(output)["finished"].tolist() == table["finished"].tolist()


def test_stopped_before_the_first_result_there_is_nothing_to_go_on_from(tables, output, monkeypatch):
    def stopped(job):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(run.jobs, "do", stopped)
        with pytest.raises(SystemExit, match="Nothing is lost"):
            command("--methods", "ClaNC", "--repeats", "1")
    command("--methods", "ClaNC", "--repeats", "1")
    assert len(pd.read_parquet(output)) == 9


def test_a_failure_is_told_and_tried_again(tables, output, monkeypatch, capsys):
    def fails(part):
        raise RuntimeError("no such luck")

    monkeypatch.setitem(METHODS, "Nearest centroid", Method(fails, "fails"))
    with pytest.raises(SystemExit, match="6 of 12 jobs failed"):
        command("--methods", "Nearest centroid", "ClaNC", "--repeats", "1", "--scale", "as distributed", "--quick")
    shown = capsys.readouterr().out
    assert "failed: Nearest centroid, 6 times, first on nutt-2003-v3, as distributed, repeat 0, fold 0" in shown
    assert "RuntimeError: no such luck" in shown
    table = pd.read_parquet(output)
    assert table.loc[table["method"] == "Nearest centroid", "error"].isna().all()
    assert table.loc[table["method"] == "ClaNC", "error"].notna().all()
    monkeypatch.setitem(METHODS, "Nearest centroid", Method(lambda part: NearestCentroid(), "works"))
    command("--methods", "Nearest centroid", "ClaNC", "--repeats", "1", "--scale", "as distributed")
    again = pd.read_parquet(output)
    assert len(again) == len(table)
    assert (again["failure"] == "").all()


def test_redo_forgets_what_is_asked_for_only(tables, output, monkeypatch):
    command("--methods", "Nearest centroid", "ClaNC", "--repeats", "1")
    before = pd.read_parquet(output).set_index(list(jobs.KEY))["error"]
    monkeypatch.setitem(METHODS, "Nearest centroid", Method(lambda part: DummyClassifier(), "another design"))
    monkeypatch.setitem(METHODS, "ClaNC", Method(lambda part: DummyClassifier(), "another design"))
    command("--methods", "Nearest centroid", "--repeats", "1", "--redo", "--scale", "log2")
    after = pd.read_parquet(output).set_index(list(jobs.KEY))["error"]
    changed = {key[:3] for key in before.index if before[key] != after[key]}
    assert changed == {(SETS[0], "log2", "Nearest centroid"), (SETS[1], "as distributed", "Nearest centroid")}


def test_what_is_not_finished_is_not_published(tables, output):
    with pytest.raises(SystemExit, match=r"lacks \d+ jobs"):
        run.publish()


def test_finished_runs_are_published(tables, output, monkeypatch, capsys, tmp_path, results):
    monkeypatch.setattr(run, "PUBLISHED", tmp_path / "published")
    monkeypatch.setattr(run, "DOCS", tmp_path / "docs")
    wanted = pd.DataFrame([job.key for job in jobs.jobs(ALL, SCALES, METHODS, REPEATS)], columns=list(jobs.KEY))
    any_row = results(sets=SETS[:1]).drop(columns=list(jobs.KEY)).iloc[0].to_dict()
    rows = wanted.assign(**any_row).assign(error=wanted["method"].map({"NSC": 0.2, "Panel": 0.1}).fillna(0.15))
    rows["has_log2"] = rows["set"] == SETS[0]
    stale = rows.head(1).assign(method="a design of yesterday")
    pd.concat([rows, stale]).to_parquet(output)
    output.with_name("real_data_machine.json").write_text(json.dumps(describe()))
    with pytest.raises(SystemExit, match="The simulations lack 720 jobs"):
        run.main(["publish"])
    simulated = pd.DataFrame([job.key for job in simulations.jobs()], columns=list(simulations.KEY))
    simulated.assign(error=0.2, features=9, bayes=0.1).to_parquet(output.with_name("real_data_simulations.parquet"))
    run.main(["publish"])
    printed = capsys.readouterr().out
    assert "On 35 public gene expression sets the default method of `ndc fit`, *Panel*, assigns 10.0 % of" in printed
    assert (tmp_path / "docs" / "real-data.md").read_text() == read_page(tmp_path / "published").text("images")
    assert len(pd.read_parquet(tmp_path / "published" / "real_data.parquet")) == len(rows)
    assert len(list((tmp_path / "docs" / "images").iterdir())) == 4
    written = (tmp_path / "docs" / "real-data.md").read_bytes()
    (tmp_path / "docs" / "real-data.md").unlink()
    run.main(["page"])
    assert (tmp_path / "docs" / "real-data.md").read_bytes() == written
    assert capsys.readouterr().out == printed


def test_groups_and_names_of_sets():
    assert len(run.named_sets(["design"])) == 20
    assert len(run.named_sets(["design", "apart", "west-2001"])) == 35
    with pytest.raises(SystemExit, match="There is no set 'golub'"):
        run.named_sets(["golub"])
