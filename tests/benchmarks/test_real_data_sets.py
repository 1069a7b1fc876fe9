"""Sets, scales and samples of the study."""

import hashlib

import numpy as np
import pytest
from sklearn.utils import Bunch

from real_data_study import sets

WRITTEN_DOWN = [
    "alizadeh-2000-v1",
    "armstrong-2002-v2",
    "chowdary-2006",
    "dyrskjot-2003",
    "garber-2001",
    "golub-1999-v1",
    "golub-1999-v2",
    "khan-2001",
    "laiho-2007",
    "lapointe-2004-v1",
    "lapointe-2004-v2",
    "liang-2005",
    "nutt-2003-v2",
    "nutt-2003-v3",
    "ramaswamy-2001",
    "risinger-2003",
    "shipp-2002-v1",
    "su-2001",
    "tomlins-2006",
    "yeoh-2002-v1",
]


def test_the_design_sets_are_those_written_down_before():
    assert list(sets.DESIGN) == WRITTEN_DOWN
    digests = {name: hashlib.sha256(name.encode()).hexdigest() for name in sets.ALL}
    assert max(digests[name] for name in sets.DESIGN) < min(digests[name] for name in sets.APART)


def test_every_set_is_in_one_group():
    assert len(sets.ALL) == 35
    assert len(sets.APART) == 15
    assert sorted((*sets.DESIGN, *sets.APART)) == list(sets.ALL)
    assert set(sets.QUICK) <= set(sets.ALL)


@pytest.fixture
def fetched(monkeypatch):
    """Tables that are fetched instead of the files in the cache."""
    kept = {}
    monkeypatch.setattr(sets, "fetch_compcancer", lambda name: kept[name])
    sets.tables.cache_clear()
    yield kept
    sets.tables.cache_clear()


def test_small_classes_are_left_out(fetched):
    labels = np.repeat(["five", "six", "seven"], [5, 6, 7])
    fetched["some"] = Bunch(data=np.arange(36.0).reshape(18, 2) - 5.0, target=labels)
    (table,) = sets.tables("some").values()
    assert table.labels.tolist() == ["six"] * 6 + ["seven"] * 7
    np.testing.assert_array_equal(table.values, np.arange(10.0, 36.0).reshape(13, 2) - 5.0)


@pytest.mark.parametrize(
    ("values", "logged"),
    [
        ([10.0, 16000.0], True),
        ([10.0, 900.0], False),  # less than two decades: logarithms already, or something else
        ([0.0, 16000.0], False),  # a zero has no logarithm
        ([-3.0, 16000.0], False),
    ],
)
def test_logarithms_of_raw_intensities_only(fetched, values, logged):
    data = np.full((12, 2), 100.0)
    data[0] = values
    fetched["some"] = Bunch(data=data, target=np.repeat(["a", "b"], 6))
    found = sets.tables("some")
    assert set(found) == ({"log2", "as distributed"} if logged else {"as distributed"})
    np.testing.assert_array_equal(found["as distributed"].values, data)
    if logged:
        np.testing.assert_array_equal(found["log2"].values, np.log2(data))
