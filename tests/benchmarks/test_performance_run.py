"""Every section of the performance page runs on small shapes; what times come out decides nothing."""

import json
import math
import re
from functools import partial
from unittest.mock import patch

import numpy as np
import pytest

from disjoint_centroids import NearestDisjointCentroid
from disjoint_centroids.centroids import search
from performance import cluster, cost, counting, dask_table, run, timing, words
from performance.page import page_text, read_results
from performance.sections import SECTIONS
from performance.shapes import block_table


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A quick run of everything."""
    folder = tmp_path_factory.mktemp("performance")
    run.main(["--quick", "--output", str(folder)])
    return folder


def numbers(value):
    if isinstance(value, dict):
        for part in value.values():
            yield from numbers(part)
    elif isinstance(value, list):
        for part in value:
            yield from numbers(part)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def spreads(value):
    if isinstance(value, dict):
        if set(value) == {"median", "low", "high"}:
            yield value
        else:
            for part in value.values():
                yield from spreads(part)
    elif isinstance(value, list):
        for part in value:
            yield from spreads(part)


@pytest.mark.parametrize("name", SECTIONS)
def test_every_section_measures_something(folder, name):
    record = read_results(folder)[name]
    assert record["quick"] is True
    found = list(numbers(record["results"]))
    assert len(found) > 4
    assert all(math.isfinite(number) for number in found)
    # What a further stored value takes is a difference of two times, which on a busy machine may be anything.
    assert name == "sparse" or min(found) >= 0
    assert all(0 < one["low"] <= one["median"] <= one["high"] for one in spreads(record["results"]))


@pytest.mark.parametrize("name", SECTIONS)
def test_every_section_has_text_a_table_and_the_pictures_that_it_shows(folder, name):
    text = SECTIONS[name].markdown(read_results(folder)[name]["results"])
    assert re.search(r"^\|:--\|", text, flags=re.MULTILINE)
    shown = re.findall(r"\]\(images/([^)]+)\)", text)
    drawn = SECTIONS[name].picture(read_results(folder)[name]["results"], folder / "again")
    assert sorted(shown) == sorted(path.name for path in drawn)
    assert shown
    for path in drawn:
        assert path.name.startswith("performance-")
        assert path.read_bytes() == (folder / "images" / path.name).read_bytes()


def test_the_page_is_there(folder):
    text = (folder / "performance.md").read_text(encoding="utf-8")
    assert text == page_text(folder)
    assert re.findall(r"^## (.*)$", text, flags=re.MULTILINE)[2:-2] == [one.TITLE for one in SECTIONS.values()]


def test_rivals_take_part_on_both_tables(folder):
    rows = read_results(folder)["rivals"]["results"]["rows"]
    beside = {}
    for row in rows:
        beside.setdefault((row["n"], row["p"]), set()).add(row["rival"].split(",")[0])
    assert len(beside) == 2
    for names in beside.values():
        assert {"plain loop", "`NearestCentroid`", "L1 `LogisticRegressionCV` (saga)", "`LinearSVC`"} <= names


def test_dask_scores_as_many_candidates_as_the_fit(folder):
    for row in read_results(folder)["dask"]["results"]["rows"]:
        for task in ("fit", "cv"):
            assert row[task]["candidates"] >= 1
            assert row[task]["sets"] >= 4
        assert row["cv"]["candidates"] > row["fit"]["candidates"]
        assert row["fit"]["peak"] < 4e9


def test_what_was_measured_is_not_measured_again(folder, monkeypatch, capsys):
    before = {path.name: path.read_bytes() for path in folder.glob("*.json")}
    (folder / "panels.json").unlink()
    measured = []

    class Stopped:
        TITLE = "stopped"

        def measure(self, quick):
            measured.append(quick)
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setitem(SECTIONS, "panels", Stopped())
        with pytest.raises(SystemExit, match="Nothing is lost"):
            run.main(["--quick", "--output", str(folder)])
    assert measured == [True]
    assert not (folder / "panels.json").exists()
    run.main(["--quick", "--output", str(folder)])
    assert "rivals: measured before" in capsys.readouterr().out
    after = {path.name: path.read_bytes() for path in folder.glob("*.json")}
    assert set(after) == set(before)
    assert all(after[name] == before[name] for name in before if name not in {"panels.json", "machine.json"})


def test_quick_and_unfinished_runs_are_not_published(folder, tmp_path):
    with pytest.raises(SystemExit, match="quick measurements of rivals"):
        run.main(["publish", "--output", str(folder)])
    with pytest.raises(SystemExit, match=r"lacks rivals, growth.*run `make benchmarks` first"):
        run.main(["publish", "--output", str(tmp_path)])


def test_a_finished_run_is_published(folder, tmp_path, monkeypatch):
    full = tmp_path / "full"
    full.mkdir()
    for path in folder.glob("*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        if "quick" in record:
            record["quick"] = False
        (full / path.name).write_text(json.dumps(record), encoding="utf-8")
    monkeypatch.setattr(run, "PUBLISHED", tmp_path / "published")
    monkeypatch.setattr(run, "DOCS", tmp_path / "docs")
    run.main(["publish", "--output", str(full)])
    assert {path.stem for path in (tmp_path / "published").iterdir()} == {*SECTIONS, "machine"}
    assert (tmp_path / "docs" / "performance.md").read_text(encoding="utf-8") == page_text(tmp_path / "published")
    assert all(path.name.startswith("performance-") for path in (tmp_path / "docs" / "images").iterdir())
    (tmp_path / "docs" / "performance.md").unlink()
    run.main(["page"])
    assert (tmp_path / "docs" / "performance.md").read_text(encoding="utf-8") == page_text(tmp_path / "published")


def test_works_take_turns():
    done = []
    times = timing.in_turns({"a": lambda: done.append("a"), "b": lambda: done.append("b")}, 2)
    assert "".join(done) == "ababab"  # once to warm up
    assert [len(taken) for taken in times.values()] == [2, 2]
    assert timing.ratio([2.0, 9.0, 4.0], [1.0, 3.0, 4.0]) == {"median": 2.0, "low": 1.0, "high": 3.0}


def test_figures_have_the_digits_that_mean_something():
    assert [words.figure(x) for x in (0, 0.00412, 0.996, 1.44, 9.97, 37.2, 1234.5)] == [
        *("0", "0.0041", "1.0", "1.4", "10", "37", "1234"),
    ]
    assert [words.seconds(x) for x in (3e-5, 0.0125, 2.0, 1200)] == ["30 µs", "12 ms", "2.0 s", "20 min"]
    assert [words.megabytes(x) for x in (2e6, 1.6e9)] == ["2.0 MB", "1.6 GB"]


def test_steps_are_counted_where_they_are_taken():
    X, y = block_table(60, 12, 3)
    with counting.counted() as steps:
        NearestDisjointCentroid(lam=1.0, n_init=4, random_state=0).fit(X, y)
    assert steps.n_starts >= 4
    assert steps.start_steps >= steps.n_starts
    assert steps.run_steps >= steps.n_runs >= 1
    # The search on all samples, and those without each of the five folds that probabilities are fitted to.
    owners, *of_folds = steps.candidates
    assert len(of_folds) == 5
    assert steps.scored >= 60 * sum(len(sets) for sets in counting.distinct_sets(owners, 3))
    before = steps.run_steps
    NearestDisjointCentroid(lam=1.0, n_init=4, random_state=0).fit(X, y)
    assert steps.run_steps == before


def test_the_cost_model_counts_what_the_engine_does():
    steps = counting.Steps(n_starts=10, start_steps=30, n_runs=8, run_steps=40, scored=100)
    looked = counting.Steps(products=700, pair_products=80, compared=9, n_starts=10, start_steps=30, n_runs=8)
    long = cost.work(cost.Shape(1000, 100, 4, 10), steps)
    assert (long["gram"], long["product"], long["column step"]) == (1000 * 100**2, 0, 0)
    assert long["gram step"] == (30 + 40) * 5 * 100
    assert long["addition"] == (10 + 8) * 100**2
    wide = cost.work(cost.Shape(100, 2000, 2, 10), looked)
    assert (wide["gram"], wide["gram step"], wide["addition"]) == (0, 0, 0)
    assert (wide["product"], wide["pair"], wide["column step"]) == (700, 80, 9)
    mixed = cost.work(cost.Shape(1000, 600, 4, 10), steps)  # starts on a Gram matrix, classes as columns
    assert mixed["addition"] == 10 * 600**2
    assert mixed["gram step"] == 30 * 5 * 600
    rates = dict.fromkeys(cost.UNITS, 2.0)
    assert cost.predicted(cost.Shape(1000, 100, 4, 10), steps, rates) == 2 * sum(long.values())


def test_far_ahead_machines_share_everything_but_the_search():
    shape, rates = cost.Shape(10**8, 2000, 4, 100), dict.fromkeys(cost.UNITS, 1e-10)
    few, many = (
        {what: taken for what, taken, _ in cluster.far_ahead(shape, cluster.Cluster(machines=m), rates, 2)}
        for m in (64, 128)
    )
    assert few["first reading"] == few["second reading"] == 8 * 10**8 * 2000 / 64 / 1e9
    assert few["Gram matrices"] == pytest.approx(10**8 * 2000**2 * 1e-10 / (64 * 16 / 2))
    assert few["the search"] == many["the search"] > 0
    assert many["their sums over machines"] - few["their sums over machines"] == pytest.approx(8 * 4 * 2000**2 / 1.25e9)
    for what in ("first reading", "Gram matrices", "their sums on each machine", "scoring"):
        assert many[what] < few[what]


def test_bare_passes_compute_what_they_say(tmp_path):
    table = dask_table.write_table(tmp_path / "table.bin", 90, 10, 8 * 10 * 32)
    X = table.array().compute()
    assert X.shape == (90, 10)
    assert [length for _, length in table.edges] == [32, 32, 26]
    grams = dask_table.bare_gram_pass(table, table.labels)
    for label in range(4):
        part = X[table.labels == label]
        np.testing.assert_allclose(grams[label], part.T @ part)
    rng = np.random.default_rng(0)
    owners = rng.integers(-1, 4, size=(6, 10))
    owners[:, :4] = np.arange(4)
    means = np.stack([X[table.labels == label].mean(axis=0) for label in range(4)])
    whole, first = dask_table.bare_scoring_pass(
        table, [dask_table.candidate_sets(owners, means), dask_table.candidate_sets(owners[:1], means)]
    )
    for owner, wrong in zip(owners, whole, strict=True):
        distances = [((X - means[j])[:, owner == j] ** 2).mean(axis=1) for j in range(4)]
        assert wrong == np.count_nonzero(np.argmin(distances, axis=0) != table.labels)
    assert first == whole[0]


def test_products_are_counted_as_they_are_made():
    """Without pruning every step of every start compares every feature with every centre; with it, fewer."""
    X, y = block_table(30, 300, 2)
    model = NearestDisjointCentroid(lam=0.9, n_init=5, random_state=0)
    with counting.counted() as pruned:
        model.fit(X, y)
    with counting.counted() as whole, patch.object(search, "Settings", partial(search.Settings, pruning=None)):
        model.fit(X, y)
    assert (whole.start_steps, whole.run_steps) == (pruned.start_steps, pruned.run_steps)
    assert whole.pair_products == 0
    assert whole.compared >= 300 * 3 * (whole.start_steps + whole.run_steps)
    assert 0 < pruned.compared <= whole.compared
