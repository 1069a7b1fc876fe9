"""The command ``sizes`` writes rows and goes on, and the page gets its section from published ones."""

import json

import pandas as pd
import pytest
from machine import describe

from real_data_study import jobs as main_jobs
from real_data_study import run
from real_data_study.equal_size import jobs
from real_data_study.equal_size.methods import METHODS, RIVALS
from real_data_study.equal_size.picture import AT_SIZES, draw_at_sizes
from real_data_study.equal_size.section import errors_at, leaders, mean_errors, section
from real_data_study.page import SIZED, Page, read_page
from real_data_study.sets import ALL, APART

ALL_OURS, OWN = "Panels, reading all", "Panels, reading own"


def make_rows(errors=None, sets=ALL):
    """Panels 0.10 and 0.12 at every size, all others 0.2, a little different from set to set."""
    errors = {name: 0.2 for name in METHODS} | {ALL_OURS: 0.10, OWN: 0.12} | (errors or {})
    rows = []
    for at, name in enumerate(sets):
        for method, error in errors.items():
            for repeat in range(2):
                row = {"set": name, "scale": "log2", "method": method, "repeat": repeat, "fold": 0}
                for size in jobs.SIZES:
                    value = error[size] if isinstance(error, dict) else error
                    row[f"error_{size}"] = row[f"balanced_error_{size}"] = value + 0.001 * (at % 3)
                    row[f"features_{size}"] = min(2 * size, 30) if method == "L1 logistic" else 2 * size
                about = {"has_log2": True, "samples": 40, "genes": 1000, "classes": 2}
                rows.append(row | about | {"seconds": 1.0, "failure": "", "finished": 3.0 * len(rows)})
    return pd.DataFrame(rows)


def said(rows):
    return " ".join("\n\n".join(section(rows, "images/x.svg")).split())


@pytest.fixture
def output(study_output):
    return study_output / SIZED


def test_a_run_writes_one_row_per_job_and_goes_on(output, capsys):
    words = ["sizes", "--sets", "nutt-2003-v3", "--n-jobs", "1", "--repeats", "1"]
    run.main([*words, "--methods", "NSC"])
    first = pd.read_parquet(output)
    assert len(first) == 3
    capsys.readouterr()
    run.main([*words, "--methods", "NSC", "ClaNC", "mRMR + SVM"])
    rows = pd.read_parquet(output)
    assert len(rows) == 9
    assert set(first["finished"]) < set(rows["finished"])
    assert (rows["failure"] == "").all()
    assert rows[[f"features_{size}" for size in jobs.SIZES]].drop_duplicates().to_numpy().tolist() == [
        [6, 15, 30, 39, 39]
    ]
    shown = capsys.readouterr().out
    assert "error by features per class, 1 sets" in shown
    for method in ("NSC", "ClaNC", "mRMR + SVM"):
        mean = rows.loc[rows["method"] == method, "error_5"].mean()
        line = next(line for line in shown.splitlines() if line.startswith(method))
        assert line.removeprefix(method).split()[1] == f"{mean:.3f}"


def test_splits_and_seeds_are_those_of_the_main_study(output):
    (job, *_) = jobs.jobs(["nutt-2003-v3"], ["NSC"], 2)
    (same, *_) = main_jobs.jobs(["nutt-2003-v3"], ["log2"], ["NSC"], 2)
    assert job == same
    assert len(list(jobs.jobs(ALL, METHODS, jobs.REPEATS))) == 35 * 3 * 2 * len(METHODS)


def test_a_method_of_the_other_study_is_refused(output):
    with pytest.raises(SystemExit, match="There is no method 'Panel 10' here"):
        run.main(["sizes", "--quick", "--methods", "Panel 10"])


def test_the_section_says_where_others_are_better():
    ahead = said(make_rows())
    for ours in (ALL_OURS, OWN):
        assert f"On all 35 sets, no other method is better than *{ours}*." in ahead
    assert "With 2 features per class the error of *Panels, reading all* (0.101, all sets) is better than" in ahead
    behind = said(make_rows({"SVM-RFE": dict.fromkeys(jobs.SIZES, 0.2) | {5: 0.08, 50: 0.09}}))
    assert (
        f"On the 15 sets that were not used in design, other methods are better than *{ALL_OURS}*: with 5 per class "
        "*SVM-RFE* (-0.020 ± 0.000); with 50 per class *SVM-RFE* (-0.010 ± 0.000)."
    ) in behind
    assert (
        f"With 5 features per class the error of *{ALL_OURS}* (0.101, all sets) is worse than that of *SVM-" in behind
    )


def test_a_lower_mean_that_is_not_clear_is_told_as_such():
    rows = make_rows({"NSC": 0.099})
    swing = rows["set"].map({name: 0.05 * (-1) ** at for at, name in enumerate(ALL[:34])}).fillna(0.0)
    rows["error_2"] += swing * (rows["method"] == "NSC")
    words = leaders(errors_at(rows, ALL), ALL_OURS)
    assert words.startswith(
        f"other methods are better than *{ALL_OURS}*: with 5 per class *NSC* (-0.001 ± 0.000); with 10"
    )
    assert words.endswith("lower by less than 2 standard errors: with 2 per class *NSC* (-0.001 ± 0.008).")


def test_the_tables_by_hand():
    """ClaNC errs by 0.1 more on the sets apart; NSC is 0.05 and 0.07 better than ours."""
    rows = make_rows({"NSC": 0.05})
    apart = rows["set"].isin(APART)
    rows.loc[apart & (rows["method"] == "ClaNC"), "error_10"] += 0.1
    text = "\n\n".join(section(rows, "images/x.svg"))
    shown = {
        name: [line.split(" | ") for line in text.splitlines() if line.startswith(f"| {name} ")] for name in METHODS
    }
    clanc = rows[rows["method"] == "ClaNC"]["error_10"]
    assert shown["ClaNC"][0][3] == f"{clanc.mean():.3f} ({clanc[~apart].mean():.3f} / {clanc[apart].mean():.3f})"
    assert all(cell.startswith("**0.051** (") for cell in shown["NSC"][0][1:])
    plain = [[cell.replace("\N{NO-BREAK SPACE}", " ") for cell in line] for line in shown["NSC"]]
    assert [line[1] for line in plain[1:]] == ["better (-0.050 ± 0.000)", "better (-0.070 ± 0.000)"]
    assert all(f"- *{name}*: " in text for name in METHODS)
    assert "by *L1 logistic* (30 of 40 with 20 and 30 of 100 with 50 per class)." in " ".join(text.split())
    assert mean_errors(rows, ALL).index[0] == "NSC"


def test_the_page_has_the_section_once_it_is_published(results, cells, tmp_path):
    machine = describe()
    without = Page(results(), cells(), machine).text("images")
    assert "At equal size" not in without
    page = Page(results(), cells(), machine, make_rows()).text("images")
    before, after = page.split("## At equal size\n")
    assert before in without
    assert without.endswith(after[after.index("\n## log2: errors") :])
    assert f"![error against features per class](images/{AT_SIZES})" in after


def test_the_picture_is_the_same_for_the_same_results(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        draw_at_sizes(make_rows({name: 0.1 + 0.02 * at for at, name in enumerate(RIVALS)}), tmp_path / folder)
    first = (tmp_path / "one" / AT_SIZES).read_bytes()
    assert first == (tmp_path / "two" / AT_SIZES).read_bytes()
    assert len(first) > 1000


def test_it_can_be_published_alone(output, monkeypatch, tmp_path, results, capsys):
    published = tmp_path / "published"
    monkeypatch.setattr(run, "PUBLISHED", published)
    monkeypatch.setattr(run, "DOCS", tmp_path / "docs")
    published.mkdir()
    for name in ("real_data_simulations.parquet", "real_data_machine.json"):
        (published / name).write_bytes((run.BENCHMARKS / "published" / name).read_bytes())
    results().to_parquet(published / "real_data.parquet")
    output.parent.mkdir()
    any_row = make_rows(sets=ALL[:1]).iloc[0].to_dict()
    wanted = [dict(zip(main_jobs.KEY, job.key, strict=True)) for job in jobs.jobs(ALL, METHODS, jobs.REPEATS)]
    rows = pd.DataFrame([any_row | {"has_log2": False} | job for job in wanted])
    rows.iloc[1:].to_parquet(output)
    with pytest.raises(
        SystemExit, match=r"lacks 1 jobs and 0 failed: run `python benchmarks/real_data\.py sizes` first"
    ):
        run.main(["publish"])
    rows.to_parquet(output)
    run.main(["publish"])
    assert len(pd.read_parquet(published / SIZED)) == len(rows)
    text = (tmp_path / "docs" / "real-data.md").read_text(encoding="utf-8")
    assert "## At equal size" in text
    assert text == read_page(published).text("images")
    assert (tmp_path / "docs" / "images" / AT_SIZES).exists()
    assert json.loads((published / "real_data_machine.json").read_text())["Python"]
