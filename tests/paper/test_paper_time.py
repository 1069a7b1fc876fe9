"""The time of the paper's tables: the same jobs as published, done by whichever version is asked."""

import pandas as pd
import pytest
import run

import paper_time
from paper_time import NOW, OTHER, Version, measure, sample, summarise, verdict


@pytest.fixture(scope="module")
def published():
    return pd.read_parquet(run.PUBLISHED / "results.parquet")


@pytest.fixture(scope="module")
def measured():
    """Nearest centroids and NSC in two settings, this version against itself."""
    source = paper_time.ROOT / "src"
    with Version(source) as now, Version(source) as other:
        return measure(sample(1, ["NC", "NSC"], every=18), {NOW: now, OTHER: other})


def test_a_job_gives_what_was_published(measured, published):
    summary = summarise(measured, published)
    assert list(summary.index) == ["NC", "NSC"]
    assert (summary["jobs"] == 2).all()
    assert (summary[["same error", "same as other"]] == 1.0).all(axis=None)
    assert (summary["difference"] == 0.0).all()
    assert (summary[["seconds", "of published", "of other"]] > 0).all(axis=None)


def test_times_are_scaled_to_all_jobs_by_setting(published):
    """By hand: a job that takes a tenth of what its setting's published jobs took on average."""
    jobs = published[(published["method"] == "NSC") & published["experiment"].str.startswith("simulation")]
    setting = jobs["setting"].iloc[0]
    here = jobs[jobs["setting"] == setting]
    row = here.iloc[[0]][paper_time.KEY]
    ours = row.assign(error_now=here["error"].iloc[0] + 0.125, seconds_now=here["seconds"].mean() / 10)
    summary = summarise(ours, published)
    assert summary.loc["NSC", "of published"] == pytest.approx(0.1)
    assert summary.loc["NSC", "all jobs, s"] == pytest.approx(jobs["seconds"].sum() / 10)
    assert summary.loc["NSC", "same error"] == 0.0
    assert summary.loc["NSC", "difference"] == pytest.approx(0.125)
    assert f"All {len(jobs)} jobs" in verdict(summary, published)
    assert "(0.10)" in verdict(summary, published)


def test_the_whole_is_weighed_by_what_methods_take(published):
    """A method that takes long counts for more: half the time of one and all of another."""
    summary = pd.DataFrame({"all jobs, s": [10.0, 100.0], "of other": [0.5, 1.0]}, index=["NC", "NSC"])
    assert "Side by side: 0.92" in verdict(summary, published)  # 110 of 120


def test_jobs_that_were_never_published_are_refused(published):
    strange = pd.DataFrame([("simulation-1", "no such setting", "NC", 0, 0.5, 1.0)])
    strange.columns = [*paper_time.KEY, "error_now", "seconds_now"]
    with pytest.raises(ValueError, match="1 of 1 jobs are not among the published"):
        summarise(strange, published)


def test_the_sample_is_of_the_studys_jobs():
    keys = sample(2, ())
    assert len(keys) == len(set(keys)) == 36 * 10 * 2
    with pytest.raises(ValueError, match=r"No such methods: \['NSD'\]"):
        sample(1, ["NSD"])


def test_another_version_must_be_one(tmp_path):
    with pytest.raises(ValueError, match="holds no disjoint_centroids"):
        Version(tmp_path)


def test_it_runs_as_a_command(capsys):
    paper_time.main(["--quick", "--methods", "NC"])
    assert "All 1800 jobs" in capsys.readouterr().out
