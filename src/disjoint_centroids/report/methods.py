"""Methods that a report compares, and those of them that it leaves out of a wide table."""

from __future__ import annotations

from typing import NamedTuple

from disjoint_centroids.report.answer import NAMES

DEFAULT_METHODS = ("Panel", "NDC-S", "NC", "NSC", "Logistic")
"""Methods that are compared by default."""
TWO_PROCESSES = (1e6, 1e8)
"""Values of a table between which two processes pay: below, starting them takes longer than the work; above, memory."""
_SLOW = ("NDC-S",)
_QUICK_ENOUGH = 5e7
"""Values of the table times restarts up to which NDC-S takes part unasked: 100 samples, 5000 features, 100 restarts."""


class Compared(NamedTuple):
    """Methods of a report, by name, and a note on those that were left out (None if none was)."""

    methods: tuple[str, ...]
    note: str | None = None


def default_methods(own: str, n_samples: int, n_features: int, n_init: int) -> Compared:
    """Choose the methods that are compared by default: slow ones are left out of a wide table.

    Parameters
    ----------
    own : str
        Method that the report is about; never left out.
    n_samples, n_features : int
        Shape of the table.
    n_init : int
        Restarts of NDC-S.

    Returns
    -------
    Compared
        Methods and note.

    Examples
    --------
    >>> from disjoint_centroids.report.methods import default_methods
    >>> default_methods("Panel", 100, 2000, 100).methods
    ('Panel', 'NDC-S', 'NC', 'NSC', 'Logistic')
    >>> wide = default_methods("Panel", 100, 20000, 100)
    >>> wide.methods
    ('Panel', 'NC', 'NSC', 'Logistic')
    >>> "Ask for it with methods=[" in wide.note
    True
    """
    if float(n_samples) * n_features * n_init <= _QUICK_ENOUGH or own in _SLOW:
        return Compared(DEFAULT_METHODS)
    names = ", ".join(NAMES[name][1] for name in _SLOW)
    note = (
        f"{names} is left out: on a table this wide ({n_samples} samples, {n_features} features) it would take most of "
        f"the time of the report. Ask for it with methods={list(DEFAULT_METHODS)}."
    )
    return Compared(tuple(name for name in DEFAULT_METHODS if name not in _SLOW), note)


def default_jobs(n_values: int) -> int:
    """Default number of processes for a table with so many values: two where that pays and memory allows it."""
    from joblib import cpu_count

    low, high = TWO_PROCESSES
    return min(2, cpu_count()) if low <= n_values <= high else 1
