"""Every section of the performance page runs on small shapes; what times come out decides nothing."""

import json
import math
import re

import numpy as np
import pytest

from disjoint_centroids import NearestDisjointCentroid
from performance import counting, dask_table, run, timing, words
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
    assert re.findall(r"^## (.*)$", text, flags=re.MULTILINE)[2:-4] == [one.TITLE for one in SECTIONS.values()]


def test_rivals_take_part_on_both_tables(folder):
    rows = read_results(folder)["rivals"]["results"]["rows"]
    beside = {}
    for row in rows:
        beside.setdefault((row["n"], row["p"]), set()).add(row["rival"].split(",")[0])
    assert len(beside) == 2
    for names in beside.values():
        assert {"plain loop", "`NearestCentroid`", "L1 `LogisticRegressionCV` (saga)", "`LinearSVC`"} <= names


def test_every_phase_of_a_wide_fit_is_timed(folder):
    """A phase that takes no time at all is one whose function is called by another name."""
    for row in read_results(folder)["product-bound"]["results"]["profile"]["rows"]:
        assert min(row["shares"].values()) > 0, row["shares"]


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


def test_candidates_are_those_of_every_search():
    X, y = block_table(60, 12, 3)
    model = NearestDisjointCentroid(lam=1.0, n_init=4, random_state=0)
    with counting.candidates_found() as candidates:
        model.fit(X, y)
    # The search on all samples, and those without each of the five folds that probabilities are fitted to.
    owners, *of_folds = candidates
    assert len(of_folds) == 5
    assert any(np.array_equal(row, model.owner_) for row in owners)
    assert [len(sets) for sets in counting.distinct_sets(owners[:1], 3)] == [1, 1, 1]
    NearestDisjointCentroid(lam=1.0, n_init=4, random_state=0).fit(X, y)
    assert len(candidates) == 6


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


def test_operations_are_those_of_a_fit_without_pruning():
    """Every step of every start multiplies every feature with every centre, so that more restarts take more."""
    X, y = block_table(30, 300, 2)
    totals = []
    for n_init in (1, 5):
        with counting.counted_operations() as operations:
            NearestDisjointCentroid(lam=0.9, n_init=n_init, random_state=0).fit(X, y)
        totals.append(operations[0])
    # One step of one start: two products (distances, centres) of 300 features with 3 centres of 30 samples.
    assert totals[0] >= 2 * 2 * 300 * 3 * 30
    assert totals[1] > totals[0]
