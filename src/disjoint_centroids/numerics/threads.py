"""Threads over runs: every run is independent, so a batch is cut into slices and each slice keeps to itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from itertools import pairwise
from typing import TypeVar

from threadpoolctl import ThreadpoolController

from disjoint_centroids.numerics.sizes import get_sizes

Task = TypeVar("Task")
Result = TypeVar("Result")


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # looking through the loaded libraries takes milliseconds: do it once


@cache
def _pool(n_threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(n_threads, thread_name_prefix="disjoint-centroids")  # waking beats starting


if hasattr(os, "register_at_fork"):  # threads do not survive a fork, and a pool without them would wait for ever
    os.register_at_fork(after_in_child=_pool.cache_clear)


def default_threads() -> int:
    """As many threads as the linear algebra library would take: it knows the limits set from outside."""
    counts = [lib["num_threads"] for lib in _controller().info() if lib["user_api"] == "blas"]
    return max(counts, default=1)


_outside: ContextVar[int] = ContextVar("threads outside of one_thread_a_product", default=1)


@contextmanager
def one_thread_a_product() -> Iterator[None]:
    """Keep the linear algebra library to one thread: for many small products, or with enough threads around them."""
    token = _outside.set(max(_outside.get(), default_threads()))
    try:
        with _controller().limit(limits=1, user_api="blas"):
            yield
    finally:
        _outside.reset(token)


def threads_for(operations: float) -> AbstractContextManager[object]:
    """Within ``one_thread_a_product``, give a large product all threads that there are outside of it."""
    if operations < get_sizes().thread_operations or _outside.get() == 1:
        return nullcontext()
    limit: AbstractContextManager[object] = _controller().limit(limits=_outside.get(), user_api="blas")
    return limit


def run_all(work: Callable[[Task], Result], tasks: Sequence[Task], n_threads: int) -> list[Result]:
    """Apply ``work`` to every task, in order, on up to ``n_threads`` threads.

    The linear algebra library keeps to one thread meanwhile: the products are small, and its threads would spend more
    time waiting for each other than working.
    """
    n_threads = min(n_threads, len(tasks))
    with one_thread_a_product():
        if n_threads <= 1:
            return [work(task) for task in tasks]
        return list(_pool(n_threads).map(work, tasks))


def slices(n_items: int, n_threads: int, at_most: int, cost: float) -> list[slice]:
    """Cut ``n_items`` into even slices, none longer than ``at_most``, a multiple of the threads worth waking.

    ``cost`` is the number of operations an item takes: a thread is worth it for some ten milliseconds of work.
    """
    if n_items == 0:
        return []
    n_threads = max(1, min(n_threads, int(n_items * cost / get_sizes().thread_operations)))
    rounds = -(-n_items // (n_threads * at_most))
    n_slices = min(n_items, rounds * n_threads)
    edges = [n_items * i // n_slices for i in range(n_slices + 1)]
    return [slice(a, b) for a, b in pairwise(edges)]
