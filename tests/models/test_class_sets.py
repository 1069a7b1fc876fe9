import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoint_centroids.models.class_sets import set_as_text, set_from_text, with_sets_as_text

LABELS = st.text(st.sampled_from("ab;\",\n\r \\'") | st.characters(codec="utf-8"), max_size=5)


@given(st.lists(LABELS, max_size=4))
def test_every_set_has_a_text_of_its_own(labels):
    assert set_from_text(set_as_text(labels)) == tuple(labels)


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        ([], ""),
        (["A", "B"], "A;B"),
        ([0, 1], "0;1"),
        (["a;b"], '"a;b"'),
        (["a", "b"], "a;b"),
        (['say "b"', ""], '"say ""b""";""'),
        ([" spaces ", "a,b"], " spaces ;a,b"),
    ],
)
def test_plain_names_stay_plain_and_others_are_quoted(labels, text):
    assert set_as_text(labels) == text
    assert set_from_text(text) == tuple(map(str, labels))


def test_answers_without_sets_stay_what_they_are():
    answers = pd.DataFrame({"label": ["A"]})
    assert with_sets_as_text(answers) is answers
