"""The command ``rules`` compares rules for the number of rounds on the splits of the main study."""

import pandas as pd
import pytest

from real_data_study import rounds_rules, run
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


def test_differences_are_paired_by_set():
    known = {f"error {rule}": [0.1, 0.1, 0.3] for rule in rounds_rules.RULES}
    known |= {f"features {rule}": [10, 20, 40] for rule in rounds_rules.RULES}
    worse = rounds_rules.RULES[1]
    known[f"error {worse}"] = [0.2, 0.2, 0.3]
    table = rounds_rules.summary(pd.DataFrame({"set": ["a", "a", "b"], **known}))
    assert table.loc[rounds_rules.ALWAYS].tolist() == pytest.approx([0.2, 27.5, 0.0, 0.0])
    assert table.loc[worse].tolist() == pytest.approx([0.25, 27.5, 0.05, 0.05])
