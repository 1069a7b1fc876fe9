import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest

from disjoint_centroids import DisjointPanelClassifier, NearestDisjointCentroid
from disjoint_centroids.pipeline import model_pipeline
from disjoint_centroids.report import render, summarize
from disjoint_centroids.tables import LabelledTable
from reported import COMMAND, HOSTILE_FEATURES, SCRIPT, block_table


class Parsed(HTMLParser):
    """What is in a page: tags with their attributes, text outside of scripts, and scripts."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text, self.scripts, self._in = [], [], [], None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._in = tag
        if tag == "script":
            self.scripts.append((dict(attrs).get("type"), ""))

    def handle_data(self, data):
        if self._in == "script":
            kind, text = self.scripts[-1]
            self.scripts[-1] = kind, text + data
        elif self._in != "style":
            self.text.append(data)

    def handle_endtag(self, tag):
        self._in = None


@pytest.fixture
def parsed(either_page, either_summary):
    found = Parsed(either_page)
    found.explained = [sample["id"] for sample in either_summary["explanation"]["samples"]]
    return found


def test_names_are_text(parsed):
    text = "".join(parsed.text)
    for name in [*HOSTILE_FEATURES, COMMAND, "my <b>table</b>.csv"]:
        assert name in text
    assert not any("onerror" in attributes for _, attributes in parsed.tags)
    assert [tag for tag, _ in parsed.tags].count("b") == 0


def test_scripts_are_the_pages_own_and_no_others_may_run(parsed):
    runs = [text for kind, text in parsed.scripts if kind is None]
    assert len(runs) == 2
    assert len(parsed.scripts) == 4
    policy = next(a["content"] for tag, a in parsed.tags if a.get("http-equiv") == "Content-Security-Policy")
    allowed = re.search(r"script-src ([^;]*);", policy)[1].split()
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in runs]
    assert allowed == [*hashes, "blob:"]
    assert policy.startswith("default-src 'none';")


def test_data_in_scripts_is_json_that_no_name_can_leave(page, summary):
    parsed = Parsed(page)
    data, code = (text for kind, text in parsed.scripts if kind == "application/json")
    assert "<" not in data
    assert "<" not in code
    assert json.loads(data)["explanation"] == json.loads(json.dumps(summary["explanation"]))
    assert SCRIPT in json.loads(data)["explanation"]["classes"]


def test_nothing_is_fetched(parsed):
    for tag, attributes in parsed.tags:
        for name in ("src", "srcset", "data", "action", "poster"):
            assert attributes.get(name, "data:").startswith("data:"), (tag, attributes)
        assert attributes.get("href", "#").startswith(("#", "data:")), (tag, attributes)


def test_ids_are_unique_headings_in_order_and_contents_lead_somewhere(parsed):
    ids = [attributes["id"] for _, attributes in parsed.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    levels = [int(tag[1]) for tag, _ in parsed.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    links = [attributes["href"][1:] for tag, attributes in parsed.tags if tag == "a"]
    assert len(links) >= 9
    to_samples = {unquote(link.removeprefix("sample-")) for link in links if link.startswith("sample-")}
    assert to_samples == set(parsed.explained)
    assert {link for link in links if not link.startswith("sample-")} <= set(ids)


def test_the_answer_comes_first(page, summary):
    body = page[page.index("<main>") :]
    assert body.index('id="sentence"') < body.index("<nav") < body.index("<table")


def test_a_summary_from_json_makes_the_same_page(summary, page):
    assert render(json.loads(json.dumps(summary))) == page


def test_each_kind_of_model_is_told_in_its_own_words(page, centroid_page):
    told = {name: "".join(Parsed(text).text) for name, text in (("panel", page), ("centroids", centroid_page))}
    for kind, words in (
        ("panel", "A disjoint panel is a list of features that one class owns: it picked them because they tell it"),
        ("panel", "The score of a class is computed from the features on its own list only"),  # as the folds decided
        ("panel", "First picks"),
        ("panel", "in every round each class adds one more feature to its list"),
        ("panel", "A set of classes is to hold the true class"),
        ("panel", "A sample goes to the class with the largest score."),
        ("centroids", "Clearest features"),
        ("centroids", "Lambda decides how many features stay"),
        ("centroids", "A sample goes to the class whose centroid is nearest"),
    ):
        assert words in told[kind], words
        assert words not in told["centroids" if kind == "panel" else "panel"], words


def test_a_page_without_error_path_and_warnings_says_so():
    table = block_table(n=12)
    model = model_pipeline(NearestDisjointCentroid(n_init=2, random_state=0)).fit(table.values, table.labels)
    page = render(summarize(table, model=model, training_checksum=table.checksum))
    assert "it was trained on" in page
    assert "this model uses all features" in page
    assert "None. Checked: scale" in page
    few = block_table(n=2, d=4, irrelevant=4)
    page = render(summarize(few, methods=("NC",), repeats=1, n_init=2))
    assert "There is none: no sample could be held out." in page


@pytest.fixture(scope="module")
def noise():
    """Noise, in which no feature is dropped and nothing compresses: more than any real table needs."""
    rng = np.random.default_rng(0)
    names = [f"a rather long feature name {f}" for f in range(2000)]
    values = pd.DataFrame(rng.lognormal(size=(200, 2000)), [f"patient number {i}" for i in range(200)], names)
    return LabelledTable(values, pd.Series(rng.permutation(np.arange(200) % 5).astype(str), values.index), "wide.csv")


def test_200_samples_of_2000_features_stay_below_three_megabytes(noise):
    model = model_pipeline(NearestDisjointCentroid(n_init=1, max_iter=3, random_state=0))
    with pytest.warns(UserWarning, match="max_iter|converge"):
        model.fit(noise.values, noise.labels)
    page = render(summarize(noise, model=model))
    assert len(page.encode()) < 3_000_000


def test_so_does_the_page_of_a_panel(noise):
    panel = DisjointPanelClassifier(rounds=20, terms="both", penalty=0.5, cv=2, random_state=0)
    summary = summarize(noise, model=model_pipeline(panel).fit(noise.values, noise.labels), in_training=np.zeros(200))
    assert len(summary["owners"]["rows"]) == 2000
    assert len(summary["owners"]["columns"]) == 9
    assert len(render(summary).encode()) < 3_000_000
