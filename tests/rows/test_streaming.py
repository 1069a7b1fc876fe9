"""Models fitted to tables on disk: those of the table in memory, and never more than a block of it at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pytest

from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV
from disjoint_centroids.models.prediction import predict_table
from disjoint_centroids.pipeline import model_pipeline
from disjoint_centroids.rows.streaming import fit_in_blocks
from disjoint_centroids.tables import open_parts, read_table
from disjoint_centroids.transforms import TRANSFORMS
from labelled import QUICK, assert_same_model, pandas_frame, table

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("disjoint_centroids.rows.dask_blocks")

N_BLOCKS = 5


@pytest.fixture
def file(tmp_path):
    X, y = table(sizes=(40, 35, 45))
    path = tmp_path / "table.parquet"
    pandas_frame(np.exp(X)).assign(kind=[f"class {label}" for label in y]).to_parquet(path, row_group_size=12)
    return path


@dataclass(frozen=True)
class Counted:
    """Reads blocks as always, and writes down which, and how many rows they had."""

    read: object
    seen: list

    def __call__(self, at):
        block = self.read(at)
        self.seen.append((at, len(block)))
        return block


def fitted(classifier, parts, transform):
    with dask.config.set(scheduler="threads"):
        return fit_in_blocks(model_pipeline(classifier, transform=transform), parts, distributed.dask_array(parts))


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize(
    "classifier",
    [NearestDisjointCentroid(**QUICK), NearestDisjointCentroid(lam=0.9, **QUICK), NearestDisjointCentroidCV(**QUICK)],
    ids=["NDC", "NDC-S", "CV"],
)
def test_the_model_is_that_of_the_table_in_memory(file, transform, classifier):
    in_memory = read_table(file, target="kind")
    expected = model_pipeline(classifier, transform=transform).fit(in_memory.values, in_memory.labels)
    expected_answer = predict_table(expected, in_memory.values)
    found = fitted(classifier, open_parts(file, target="kind", rows=24), transform)
    assert_same_model(found[-1], expected[-1], exactly=False)
    for mine, theirs in zip(found, expected, strict=True):
        assert list(mine.feature_names_in_) == list(theirs.feature_names_in_)
        assert mine.n_features_in_ == theirs.n_features_in_
    answer = predict_table(found, in_memory.values)
    assert answer["label"].tolist() == expected_answer["label"].tolist()
    np.testing.assert_allclose(answer.iloc[:, 1:], expected_answer.iloc[:, 1:], rtol=1e-8)


@pytest.mark.parametrize(("transform", "passes"), [("none", 2), ("log2", 2), ("standardize", 3)])
@pytest.mark.parametrize("kind", [NearestDisjointCentroid, NearestDisjointCentroidCV])
def test_blocks_are_read_one_by_one_in_few_passes(file, transform, passes, kind):
    parts = open_parts(file, target="kind", rows=24)
    counted = Counted(parts.read, [])
    fitted(kind(**QUICK), replace(parts, read=counted), transform)
    assert Counter(at for at, _ in counted.seen) == dict.fromkeys(range(N_BLOCKS), passes)
    assert max(rows for _, rows in counted.seen) == 24


def test_imputation_is_refused(file):
    parts = open_parts(file, target="kind")
    model = model_pipeline(NearestDisjointCentroid(**QUICK), impute="median")
    with pytest.raises(ValueError, match="SimpleImputer needs the whole table in memory"):
        fit_in_blocks(model, parts, distributed.dask_array(parts))


def test_what_a_transform_refuses_is_said(file):
    parts = open_parts(file, target="kind", rows=24)
    negative = replace(parts, read=Negative(parts.read))
    with pytest.raises(ValueError, match="log2 needs positive values"):
        fitted(NearestDisjointCentroid(**QUICK), negative, "log2")


@dataclass(frozen=True)
class Negative:
    """The table, its values below zero."""

    read: object

    def __call__(self, at):
        return -self.read(at)


def test_a_scheduler_that_does_not_answer_is_said_with_a_cure(monkeypatch, tmp_path):
    import distributed as dask_distributed

    cure = r"such as tcp://10.0.0.1:8786, or its scheduler file .* running"
    with pytest.raises(ValueError, match=rf"no scheduler answers at 'foo' \(missing port number.*{cure}"):
        distributed.connect("foo")
    assert dask.delayed(sum)([1, 2]).compute() == 3  # here, not by a client that waits for its scheduler
    with pytest.raises(ValueError, match=rf"there is no such file.*{cure}"):
        distributed.connect(str(tmp_path / "scheduler.json"))

    def too_late(address, **settings):
        raise OSError(f"Timed out trying to connect to {address} after 10 s")

    monkeypatch.setattr(dask_distributed, "Client", too_late)
    with pytest.raises(ValueError, match=rf"Timed out trying to connect to tcp://127.0.0.1:9 after 10 s.*{cure}"):
        distributed.connect("tcp://127.0.0.1:9")
