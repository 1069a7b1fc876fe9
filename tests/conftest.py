"""What all tests share."""

import os

import pytest
from hypothesis import settings

from browsing import launched_browser

# Same examples on every machine, and no clock: a slow runner is not a failure.
settings.register_profile("repeatable", deadline=None, max_examples=20, derandomize=True, database=None)
settings.load_profile("repeatable")


def pytest_configure(config):
    """Give every worker process one thread per product: as many as there are cores would wait for each other."""
    if config.getoption("numprocesses", None):
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            os.environ.setdefault(name, "1")


def pytest_collection_modifyitems(items):
    """Begin with the files whose tests run whole programs: a core that got one of them last would work alone."""
    long = ("tests/app/", "tests/benchmarks/", "tests/report/", "tests/cli/", "tests/centroids/test_dask.py")
    items.sort(key=lambda item: not item.nodeid.startswith(long))


@pytest.fixture(scope="session")
def browser():
    """Chromium, for all tests that need one: two at once are not possible in one process."""
    with launched_browser() as found:
        yield found


@pytest.fixture(scope="module")
def cluster():
    """Two workers of 800 MB each, half of which Python and its libraries take."""
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    with (
        dask.config.set({"distributed.worker.daemon": True, "distributed.admin.log-format": "%(message)s"}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit="800MB", dashboard_address=":0", silence_logs=50
        ) as running,
        distributed.Client(running) as client,
    ):
        yield client
