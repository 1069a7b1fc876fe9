"""A small table with hostile names, its summary and its page: made once for all tests of the report."""

import pytest

from disjoint_centroids.evaluation import compare_with_predictions
from disjoint_centroids.report import render, summarize
from disjoint_centroids.tables import LabelledTable
from reported import COMMAND, HOSTILE_FEATURES, IMAGE, SCRIPT, SETTINGS, block_table


@pytest.fixture(scope="session")
def table():
    found = block_table()
    # Hostile names for features of every class, so that some of them are surely shown in all places.
    where = dict(zip(found.values.columns[[0, 1, 6, 7, 12, 13]], HOSTILE_FEATURES, strict=True))
    values = found.values.rename(columns=where, index={"s0": SCRIPT, "s1": IMAGE})
    labels = found.labels.set_axis(values.index).replace({"A": SCRIPT})
    return LabelledTable(values, labels, found.source)


@pytest.fixture(scope="session")
def summary(table):
    return summarize(table, command=COMMAND, **SETTINGS)


@pytest.fixture(scope="session")
def compared(table):
    """The comparison that the summaries are about, made by itself."""
    return compare_with_predictions(table.values, table.labels, **SETTINGS | {"methods": ["Panel", "NDC-S", "NC"]})


@pytest.fixture(scope="session")
def page(summary):
    return render(summary)


@pytest.fixture(scope="session")
def centroid_summary(table):
    """The same table with the paper's classifier in front."""
    return summarize(table, method="NDC-S", command=COMMAND, **SETTINGS)


@pytest.fixture(scope="session")
def centroid_page(centroid_summary):
    return render(centroid_summary)


@pytest.fixture(params=["panel", "centroids"])
def either_summary(request, summary, centroid_summary):
    return summary if request.param == "panel" else centroid_summary


@pytest.fixture
def either_page(either_summary, summary, page, centroid_page):
    return page if either_summary is summary else centroid_page
