"""The page says what the results say, and the documentation's is what the command makes of the published ones."""

import re

import numpy as np
import pandas as pd
import pytest
from job import Job as PaperJob
from machine import describe

from disjoint_centroids.datasets import SIMULATIONS, simulation
from real_data_study import pictures, simulations
from real_data_study.answer import DEFAULT, answer_table, opening, remarks
from real_data_study.methods import METHODS
from real_data_study.page import Page, read_page
from real_data_study.run import DOCS, PUBLISHED
from real_data_study.sets import ALL, APART

MACHINE = describe() | {"processor": "an abacus"}


def said(table):
    return " ".join(opening(table).split())


def test_the_page_opens_with_the_answer_and_the_table_to_look_at(results, cells):
    """Panel 0.10 and Panel 10 0.12; NSC 0.14, L1 0.16, SVM 0.11; the others 0.2, no spread over sets."""
    text = Page(results(), cells(), MACHINE).text("images")
    title, first, second, table = text.split("\n\n")[:4]
    assert title.startswith("# ")
    assert " ".join(first.split()) == (
        "On 35 public gene expression sets the default method of `ndc fit`, *Panel*, assigns 10.1 % of the held-out "
        "samples to the wrong class, on average over the sets. It uses 40 of 1000 genes, and no gene is on the lists "
        "of two classes. Its error is better than that of *Linear SVM*, *NSC*, *L1 logistic*, *Nearest centroid*, "
        "*ClaNC*, *Rank panels* and *Random forest*."
    )
    assert "*Panel 10* (disjoint lists" in second
    assert "uses 30 genes and has an error of 12.1 %" in " ".join(second.split())
    assert "worse than that of *Panel* and *Linear SVM*; better than that of *NSC*, " in " ".join(second.split())
    assert table.splitlines()[2].startswith("| **Panel** | disjoint lists | 0.101 | 40 |  | ")
    assert len(table.splitlines()) == len(METHODS) + 2


def spread_over_sets(table, method, size):
    """Add ``size`` on half of the sets and take it away on the others: the mean stays, the standard error does not."""
    change = {name: size if at % 2 else -size for at, name in enumerate(ALL[:34])}
    return table.assign(error=table["error"] + (table["method"] == method) * table["set"].map(change).fillna(0.0))


@pytest.mark.parametrize(
    ("error", "size", "verdict"),
    [
        (0.10, 0.05, "equal to"),  # 0.093 against 0.093: the same mean
        (0.11, 0.05, "equal to"),  # a difference of 0.01, a standard error of 0.0086
        (0.13, 0.05, "better than"),
        (0.07, 0.05, "worse than"),
        (0.11, 0.0, "better than"),
    ],
)
def test_errors_that_the_sets_do_not_tell_apart_are_equal(results, error, size, verdict):
    table = spread_over_sets(results({"Linear SVM": error}), "Linear SVM", size)
    found = said(table).split("Its error is ")[1].split(".")[0]
    (group,) = [part for part in found.split("; ") if "*Linear SVM*" in part]
    assert group.startswith(f"{verdict} that of ")
    row = next(line for line in answer_table(table).splitlines() if line.startswith("| Linear SVM"))
    other_way = {"better than": "worse", "worse than": "better", "equal to": "equal"}[verdict]
    assert row.split(" | ")[4].startswith(other_way)


def test_the_published_opening_calls_equal_what_prints_the_same_error():
    page = read_page(PUBLISHED)
    shown = answer_table(page.results).splitlines()[2:]
    errors = {line.split(" | ")[0].strip("| *"): line.split(" | ")[2] for line in shown}
    verdicts = {line.split(" | ")[0].strip("| *"): line.split(" | ")[4] for line in shown}
    same = [name for name in errors if name != DEFAULT and errors[name] == errors[DEFAULT]]
    assert all(verdicts[name].startswith("equal") for name in same)


def test_the_sets_not_used_in_design_may_tell_another_story(results):
    table = results()
    at = table["set"].isin(APART) & (table["method"] == "Panel 10")
    table.loc[at, "error"] += 0.03  # Panel 10: 0.15 there, beside 0.14 of NSC
    first, second, *_ = remarks(table).splitlines()
    assert "*Panel* has an error of 10.1 %" in first
    assert "*Panel 10* has an error of 15.1 %" in second
    assert "worse than that of *Panel*, *Linear SVM* and *NSC*;" in second


def test_the_papers_classifiers_beside_the_nearest_centroid(results):
    *_, both = remarks(results()).splitlines()
    assert "the error of *NDC* (20.1 %) and *NDC-S* (20.1 %) is equal to that of *Nearest centroid* (20.1 %)" in both
    *_, ndc, ndc_s = remarks(results({"NDC": 0.3, "NDC-S": 0.1})).splitlines()
    assert "*NDC* (30.1 %) is worse than" in ndc
    assert "*NDC-S* (10.1 %) is better than" in ndc_s


def test_panels_may_come_and_go_but_for_the_default(results):
    table = results()
    without = table[table["method"] != "Panel 10"]
    assert "Panel 10" not in opening(without) + answer_table(without) + remarks(without)
    with pytest.raises(ValueError, match="compares all methods with Panel, which was not run"):
        opening(table[table["method"] != DEFAULT])


def test_the_simulations_are_counted(results, cells):
    some = cells()  # each better by 0.02 ± 0.002
    some.loc[3, "difference"] = 0.02
    some.loc[[4, 5], "difference"] = -0.003
    text = " ".join(Page(results(), some, MACHINE).text("images").split())
    assert "*Panel* is better in 33, equal in 2 and worse in 1 of them" in text
    assert f"is +0.020 ± 0.002 ({some['setting'][3].replace(' r=0', '')})" in text
    assert "| worse (+0.020 ± 0.002) |" in text
    assert "| equal (-0.003 ± 0.002) |" in text


def test_the_page_has_every_table_and_picture(results, cells, tmp_path):
    page = Page(results(), cells(), MACHINE)
    text = page.text("images")
    for title in (
        "log2, all 35 sets",
        "as distributed, the 20 sets used in design",
        "log2, the 15 sets not used in design",
    ):
        table = text.split(f"### {title}\n")[1].split("\n#")[0]
        assert sum(line.startswith("| ") for line in table.splitlines()) == len(METHODS) + 1
    for scale in ("log2", "as distributed"):
        table = text.split(f"## {scale}: set by set\n")[1].split("\n#")[0]
        rows = dict(re.findall(r"^\| (\S+-\d{4}\S*) \| (yes|no) ", table, flags=re.MULTILINE))
        assert sorted(rows) == list(ALL)
        assert list(rows.values()).count("no") == 15
    assert all(setting.name.replace(" r=0", "") in text for setting in SIMULATIONS)
    assert all(f"*{name}*" in text for name in METHODS)
    assert "an abacus" in text
    pictures.draw_all(page.results, tmp_path / "images")
    shown = re.findall(r"\]\((images/[^)]+)\)", text)
    assert len(shown) == 4
    assert all((tmp_path / name).stat().st_size > 1000 for name in shown)


def test_the_words_are_those_of_the_figures(results, cells):
    text = " ".join(Page(results(), cells(), MACHINE).text("images").split())
    assert "lowers the mean error of every method: by 0.026 on average over the methods" in text
    assert "(run in 1 of the 5 repeats)" in text
    assert "35 sets, 25 studies" in text
    other = results({"Panel": 0.3})
    other.loc[(other["scale"] == "log2") & (other["method"] == "NSC"), "error"] += 0.06
    beaten = " ".join(Page(other, cells(), MACHINE).text("images").split())
    assert "lowers the mean error of all methods but NSC" in beaten
    assert "30.1 % of the held-out samples" in beaten


def test_pictures_are_the_same_for_the_same_results(results, tmp_path):
    for folder in ("one", "two"):
        pictures.draw_all(results(), tmp_path / folder)
    files = sorted((tmp_path / "one").iterdir())
    assert len(files) == 4
    assert all(file.read_bytes() == (tmp_path / "two" / file.name).read_bytes() for file in files)


def test_the_bayes_rule_cannot_be_beaten_and_is_the_sum_of_log_ratios():
    setting = simulation(4, d=5, value=0.6, irrelevant=20)
    X, y = setting.draw(0)
    evidence = np.zeros((len(X), 4))
    for j in range(4):
        group = X[:, 5 * j : 5 * j + 5]
        evidence[:, j] = (-((group - 0.6) ** 2) / 2 + group**2 / (2 * 1.6**2) + np.log(1.6)).sum(axis=1)
    assert simulations.bayes_error(setting, X, y) == np.mean(evidence.argmax(axis=1) != y)
    assert 0.25 < simulations.bayes_error(setting, X, y) < 0.35  # the true partition scores 0.309


def test_cells_are_paired_with_the_papers_methods_on_the_same_draws():
    name = SIMULATIONS[0].name
    ours = pd.DataFrame(
        {"setting": name, "repetition": [0, 1], "error": [0.30, 0.34], "features": 9, "bayes": [0.2, 0.3]}
    )
    theirs = {"NDC": [0.32, 0.33, 0.0], "NDC-S": [0.5, 0.5, 0.0], "NC": [0.4, 0.4, 0.0], "LDA": [0.1, 0.1, 0.1]}
    published = pd.DataFrame(
        [
            {"setting": name, "method": method, "repetition": at, "error": error}
            for method, errors in theirs.items()
            for at, error in enumerate(errors)  # the third draw is not ours
        ]
    )
    (cell,) = simulations.cells(ours, published).to_dict("records")
    assert (cell["best"], cell["theirs"], cell["panel"]) == ("NDC", pytest.approx(0.325), pytest.approx(0.32))
    assert cell["difference"] == pytest.approx(-0.005)
    assert cell["se"] == pytest.approx(0.015)
    assert cell["bayes"] == pytest.approx(0.25)


def test_the_paper_has_run_its_methods_on_every_draw():
    published = pd.read_parquet(simulations.PUBLISHED)
    there = set(published[list(simulations.KEY)].itertuples(index=False, name=None))
    wanted = [
        PaperJob(j.experiment, j.setting, m, j.repetition) for j in simulations.jobs() for m in simulations.PAPERS
    ]
    assert len(wanted) == 36 * 20 * 3
    assert all(job.key in there for job in wanted)


def test_nobody_edited_the_documentations_page():
    """Both are there or neither: until the first run is published there is nothing to show."""
    page = DOCS / "real-data.md"
    assert page.exists() == PUBLISHED.exists()
    if page.exists():
        assert page.read_text(encoding="utf-8") == read_page(PUBLISHED).text("images")
