"""The runs: every job has somebody who does it, and an interrupted run goes on."""

import job
import jobs
import numpy as np
import pandas as pd
import pytest
import run
import theory
from settings import STUDIES, THEORY_BLOCKS

from disjoint_centroids.datasets import make_blocks


@pytest.mark.parametrize("study", STUDIES.values(), ids=lambda study: study.name)
def test_every_job_has_its_own_key(study):
    keys = [each.key for each in jobs.jobs(study)]
    assert len(keys) == len(set(keys))


def test_the_full_study_is_the_papers():
    """36 settings, 50 repetitions, eight methods and two with init="auto"; 20 splits; 100 runs."""
    counts = pd.Series([each.experiment for each in jobs.jobs(STUDIES["full"])]).value_counts()
    assert counts[[f"simulation-{n}" for n in (1, 2, 3, 4)]].sum() == 36 * 50 * 10
    assert counts["west-2001"] == 20 * 8 * 3 + 10 * 2
    assert counts["selection"] == 100


CHEAP = [
    job.Job("simulation-1", "simulation-1 d=3 r=0 a=0.3", "NC", 0),
    job.Job("simulation-1", "simulation-1 d=3 r=0 a=0.3", "NC", 1),
    job.Job("ablation", "400, 200, 100, 50; c=0.6", "NDC euclidean", 0),
    job.Job("theory", "two classes, variances differ, n=20", "optimum", 0),
]


def test_an_interrupted_run_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "HERE", tmp_path)
    monkeypatch.setattr(run, "jobs", lambda study: iter(CHEAP))
    done = []

    def do(each):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(each.key)
        return jobs.do(each)

    monkeypatch.setattr(run, "do", do)
    with pytest.raises(KeyboardInterrupt):
        run.run(STUDIES["quick"], 1)
    kept = pd.read_parquet(run.output("quick") / "results.parquet")
    assert len(kept) == len(done) == 2
    monkeypatch.setattr(run, "do", jobs.do)
    run.run(STUDIES["quick"], 1)
    results = pd.read_parquet(run.output("quick") / "results.parquet")
    assert {tuple(row) for row in results[list(job.KEY)].to_numpy()} == {each.key for each in CHEAP}
    merged = results.merge(kept, on=list(job.KEY), suffixes=("", "_before"))
    np.testing.assert_array_equal(merged["finished"], merged["finished_before"])


def test_an_unfinished_full_run_is_not_published(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "HERE", tmp_path)
    with pytest.raises(SystemExit, match=r"lacks \d+ jobs: run `make paper-full`"):
        run.publish()


def test_all_methods_of_a_repetition_see_the_same_data():
    first, second = CHEAP[0], job.Job(CHEAP[0].experiment, CHEAP[0].setting, "NDC", 0)
    assert first.seed("train") == second.seed("train")
    assert len({first.seed("train"), first.seed("test"), CHEAP[1].seed("train")}) == 3


@pytest.mark.parametrize("blocks", THEORY_BLOCKS, ids=lambda blocks: blocks.name)
def test_the_risk_of_the_theory_is_that_of_many_samples(blocks):
    """The formula against a Monte Carlo mean, for a partition that is wrong in two features."""
    owner = theory._true_owner(blocks)
    owner[[0, -1]] = owner[[-1, 0]]
    centroids = np.full((blocks.k, len(owner)), 0.2)
    X, y = make_blocks(blocks.k, 40_000, blocks.d, blocks.mu, blocks.sigma, random_state=0)
    sampled = np.mean([((X[y == j][:, owner == j] - 0.2) ** 2).mean() for j in range(blocks.k)])
    assert theory._risk(blocks, owner, centroids) == pytest.approx(sampled, rel=0.01)
    truth = np.where(theory._true_owner(blocks) == np.arange(blocks.k)[:, None], *blocks.mu)
    assert theory._risk(blocks, theory._true_owner(blocks), truth) == pytest.approx(blocks.sigma[0] ** 2)
