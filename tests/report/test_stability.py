import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold

from disjoint_centroids import DisjointPanelClassifier, NearestDisjointCentroid, NearestDisjointCentroidCV
from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.evaluation.stability import OwnershipStability
from disjoint_centroids.pipeline import model_pipeline
from disjoint_centroids.report import render, summarize
from disjoint_centroids.report.stability import agreement_sentence, bound_sentence, chance_bound, stability_facts
from disjoint_centroids.tables import LabelledTable
from reported import HOSTILE_FEATURES, SCRIPT, block_table

QUICK = {"methods": ("NC",), "repeats": 1, "n_init": 2, "random_state": 1}


@pytest.fixture(scope="module")
def hostile(table):
    return summarize(table, stability=6, **QUICK)


@pytest.fixture(scope="module")
def sure():
    """A clear table, a model, and what fits on halves say of it."""
    X, y = make_blocks(k=3, n=20, d=6, mu=(3.0, 0.0), sigma=(0.5, 2.0), irrelevant=20, random_state=0)
    values = pd.DataFrame(X, [f"s{i}" for i in range(60)], [f"f{f}" for f in range(38)])
    table = LabelledTable(values, pd.Series(np.array(["A", "B", "C"])[y], values.index), "clear.csv")
    model = model_pipeline(NearestDisjointCentroid(lam=0.5, n_init=10, random_state=0)).fit(values, table.labels)
    search = OwnershipStability(model, n_resamples=20, random_state=0)
    return table, model, search, stability_facts(model, search, values, table.labels)


def test_it_is_json_without_gaps_in_the_standard(hostile):
    assert json.loads(json.dumps(hostile, allow_nan=False)) == json.loads(json.dumps(hostile))
    assert hostile["made"]["settings"]["stability"] == 6


def test_the_page_tells_it_and_names_are_text(hostile):
    page = render(json.loads(json.dumps(hostile)))
    section = page[page.index('<section id="stability"') : page.index('<section id="blocks"')]
    assert '<a href="#stability">' in page
    assert "fitted 6 times" in section
    assert "adjusted Rand index" in section
    assert "&lt;script&gt;" in section
    assert "<script" not in section
    assert "<img src=x" not in section
    assert section.count("<img ") == section.count("data:image/png;base64,") == 1
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert "Fits on halves" in page


def test_unasked_the_page_is_silent_about_it(page, summary):
    assert summary["stability"] is None
    assert 'id="stability"' not in page
    assert "#stability" not in page


def test_facts_are_those_of_ownership_stability(table, hostile):
    labels = table.labels.to_numpy()
    model = DisjointPanelClassifier()
    found = OwnershipStability(model_pipeline(model), n_resamples=6, random_state=1).fit(table.values, labels)
    facts = hostile["stability"]
    assert facts["stability"] == pytest.approx(found.stability_, abs=1e-4)
    assert (facts["needed"], facts["n_resamples"]) == (4, 6)
    assert facts["bound"] == bound_sentence(found)
    assert [row["stable"] for row in facts["classes"]] == [len(names) for names in found.stable_features_.values()]
    owners = {name: owner for name, owner, *_ in hostile["owners"]["rows"] if owner}
    assert {name for name, *_ in facts["features"]} == set(owners)
    for name, owner, same, used in facts["features"]:
        assert owner == owners[name]
        assert same == pytest.approx(found.probabilities_.loc[name, owner], abs=1e-4)
        assert used == pytest.approx(found.selection_frequency_[name], abs=1e-4)
    assert set(HOSTILE_FEATURES) & set(owners)
    assert SCRIPT in {row["class"] for row in facts["classes"]}


def test_a_clear_table_is_sure(sure):
    _, model, search, facts = sure
    assert [row["class"] for row in facts["classes"]] == ["A", "B", "C"]
    for row, own in zip(facts["classes"], model[-1].feature_sets_, strict=True):
        names = search.stable_features_[row["class"]]
        assert row["features"] == own.size
        assert row["kept"] == len(set(names) & {f"f{f}" for f in own})
        assert row["stable"] == 6
        assert 0 < row["chance"] < 6
        assert [name for name, _ in row["surest"]] == list(names[:5])
        assert all(share == search.probabilities_.loc[name, row["class"]] >= 0.6 for name, share in row["surest"])
    assert "18 of 38 features are. Of these at most" in facts["bound"]
    assert chance_bound(search, "A") == pytest.approx(facts["classes"][0]["chance"], rel=1e-3)
    assert facts["notes"] == []
    assert "6 of A, 6 of B, 6 of C" in facts["picture"]["text"]


def test_words_where_nothing_or_chance_is_found(sure):
    table, _, search, _ = sure
    noise = np.random.default_rng(0).normal(size=table.values.shape)
    model = NearestDisjointCentroid(init="variance")
    found = OwnershipStability(model, n_resamples=20, random_state=0).fit(noise, table.labels)
    assert "That may be chance: up to" in bound_sentence(found)
    assert any(chance_bound(found, label) is None for label in "ABC")
    assert f"Rand index of {found.stability_:.2f}" in agreement_sentence(found)
    assert found.stability_ < 0.3 < 0.5 < search.stability_
    few = noise[:, (found.owners_ == found.owner_).mean(axis=0) < 0.7]
    never = OwnershipStability(model, n_resamples=20, cutoff=1.0, random_state=0).fit(few, table.labels)
    assert bound_sentence(never).endswith(f"here 0 of {few.shape[1]} features are.")


def test_long_lists_keep_the_surest_of_every_class(sure):
    table, model, search, whole = sure
    facts = stability_facts(model, search, table.values, table.labels, most_features=7)
    assert [row[1] for row in facts["features"]] == ["A", "A", "A", "B", "B", "C", "C"]
    assert facts["features"][0] == whole["features"][0]
    assert facts["n_used"] == whole["n_used"] > 7


def test_a_given_model_is_fitted_on_halves_of_the_table(sure):
    table, model, _, facts = sure
    summary = summarize(table, model=model, stability=20)
    assert summary["stability"] == facts
    expected = {"model": "nearestdisjointcentroid", "stability": 20, "random_state": 0}
    assert summary["made"]["settings"] == expected
    assert "18 of 38 features are" in render(summary)


def test_what_cannot_be_found_out_is_said():
    table = block_table(n=6)
    classifier = NearestDisjointCentroidCV(cv=StratifiedKFold(5), n_init=2, n_lams=3, random_state=0)
    model = model_pipeline(classifier).fit(table.values, table.labels)
    summary = summarize(table, model=model, stability=2)
    assert "n_splits=5" in summary["stability"]["reason"]
    assert "This could not be measured" in render(summary)


@pytest.mark.parametrize("odd", [3, -2])
def test_halves_come_in_pairs(odd):
    with pytest.raises(ValueError, match="even number"):
        summarize(block_table(), stability=odd, **QUICK)
