"""The command ``rules`` compares rules for the number of rounds on the splits of the main study."""

import pandas as pd
import pytest
from machine import describe

from real_data_study import jobs, rounds_rules, run
from real_data_study.page import Page
from real_data_study.sets import DESIGN


def test_every_rule_is_run_and_told(study_output, capsys):
    run.main(["rules", "--quick", "--n-jobs", "1"])
    rows = pd.read_parquet(study_output / run.RULES)
    assert len(rows) == 3
    shown = capsys.readouterr().out
    for rule in rounds_rules.RULES:
        line = next(line for line in shown.splitlines() if line.startswith(rule))
        assert line.removeprefix(rule).split()[0] == f"{rows[f'error {rule}'].mean():.4f}"
    for folds in rounds_rules.FOLDS:
        fewest, default = (rows[f"features {rule}, {folds}"] for rule in (rounds_rules.FEWEST, rounds_rules.DEFAULT))
        assert (fewest <= default).all()


def test_jobs_are_on_the_design_sets_only():
    sets = {job.set for job in rounds_rules.jobs(run.GROUPS["design"], 1)}
    assert sets == set(DESIGN)


def make_rows(error=0.1, sets=DESIGN):
    """One row per set; the rule of least loss by one turn of folds errs by 0.05 more, a little different by set."""
    rows = pd.DataFrame({"set": sets, "repeat": 0, "failure": ""})
    for rule in rounds_rules.RULES:
        rows[f"error {rule}"] = error
        rows[f"features {rule}"] = 40
    rows[f"error {rounds_rules.RULES[1]}"] += [0.05 + 0.01 * (-1) ** at for at in range(len(sets))]
    return rows


def test_the_section_compares_every_rule_with_50_features():
    text = "\n\n".join(rounds_rules.section(make_rows())).replace("\N{NO-BREAK SPACE}", " ")
    assert "| always 50 | 0.100 | 40 |  |" in text
    assert "| least loss, 1 x 5 folds | 0.150 | 40 | worse (+0.050 ± 0.002) |" in text
    assert "least loss from 0.150 to 0.100" in " ".join(text.split())


def test_the_page_has_the_section_once_it_is_published(results, cells):
    page = Page(results(), cells(), describe(), rules=make_rows()).text("images")
    assert page.count("## Rules for the number of features\n") == 1
    assert "## Rules" not in Page(results(), cells(), describe()).text("images")


def test_a_run_that_is_not_finished_is_not_published(study_output):
    study_output.mkdir()
    wanted = rounds_rules.jobs(run.GROUPS["design"], rounds_rules.REPEATS)
    any_row = make_rows(sets=DESIGN[:1]).iloc[0].to_dict()
    rows = pd.DataFrame([any_row | dict(zip(jobs.KEY, job.key, strict=True)) for job in wanted])
    rows.iloc[1:].to_parquet(study_output / run.RULES)
    with pytest.raises(SystemExit, match=r"lacks 1 jobs and 0 failed: run `python benchmarks/real_data\.py rules`"):
        run.main(["publish"])


def test_differences_are_paired_by_set():
    known = {f"error {rule}": [0.1, 0.1, 0.3] for rule in rounds_rules.RULES}
    known |= {f"features {rule}": [10, 20, 40] for rule in rounds_rules.RULES}
    worse = rounds_rules.RULES[1]
    known[f"error {worse}"] = [0.2, 0.2, 0.3]
    table = rounds_rules.summary(pd.DataFrame({"set": ["a", "a", "b"], **known}))
    assert table.loc[rounds_rules.ALWAYS].tolist() == pytest.approx([0.2, 27.5, 0.0, 0.0])
    assert table.loc[worse].tolist() == pytest.approx([0.25, 27.5, 0.05, 0.05])
