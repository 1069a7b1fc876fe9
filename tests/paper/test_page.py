"""The documentation's page is what the command makes of the committed results."""

import json
import re

import pandas as pd
import pytest
from page import Page
from run import DOCS, PUBLISHED


@pytest.fixture(scope="module")
def published():
    return Page(
        pd.read_parquet(PUBLISHED / "results.parquet"), json.loads((PUBLISHED / "machine.json").read_text()), "full"
    )


def test_nobody_edited_the_page(published):
    assert (DOCS / "paper.md").read_text() == published.text("images")


def test_the_page_opens_with_the_answer_and_its_table(published):
    title, answer, scales, table = published.text("images").split("\n\n")[:4]
    assert title.startswith("# ")
    assert " ".join(answer.split()).startswith(
        "On the simulations of the [paper](https://arxiv.org/abs/2109.10436) by Fraiman and Li all 72 errors of "
        "NDC and NDC-S agree"
    )
    assert "log2" in scales
    assert table.startswith("| the paper's table |")


def test_cells_outside_our_range_are_explained_by_runs_of_r(published):
    text = " ".join(published.text("images").split())
    assert "show the reason for the other 2" in text
    assert "SVM on west-2001 (e1071 1.7): R has 0.389 if the folds are not stratified and 0.312 if they are" in text
    assert "Logistic regression on golub-1999-v1 (glmnet 4.1): R has 0.09 to 0.16" in text


def test_every_table_and_every_picture_is_there(published):
    text = published.text("images")
    for table in range(1, 13):
        assert re.search(rf"^#+ Tables? {table}\b", text, re.MULTILINE), table
    pictures = re.findall(r"\]\((images/[^)]+)\)", text)
    assert len(pictures) == 10
    assert all((DOCS / picture).exists() for picture in pictures)


def test_every_cell_of_the_paper_is_beside_ours(published):
    shown = published.cells[~published.cells["method"].str.endswith("auto")]
    assert len(shown) == 360
    real = published.real[
        ~published.real["method"].str.endswith("auto") & (published.real["scale"] == "as distributed")
    ]
    assert len(real) == 48
    assert set(shown["repetitions"]) == {50}
    assert set(real["splits"]) == {20}
