"""Methods that a report compares, and those of them that it leaves out of a wide table."""

from __future__ import annotations

from dataclasses import dataclass

from disjoint_centroids.report.answer import NAMES

USUAL = ("Panel", "NDC-S", "NC", "NSC", "Logistic")
"""Methods that are compared by default."""
_SLOW = ("NDC-S",)
_QUICK_ENOUGH = 5e7
"""Values of the table times restarts up to which NDC-S takes part unasked: 100 samples, 5000 features, 100 restarts."""


@dataclass(frozen=True, slots=True)
class Beside:
    """Methods of a report.

    Attributes
    ----------
    methods : tuple of str
        Names of :data:`disjoint_centroids.evaluation.methods.METHODS`.
    note : str or None
        What was left out, why, and how to ask for it; None if nothing was.
    """

    methods: tuple[str, ...]
    note: str | None = None


def usual_methods(own: str, n_samples: int, n_features: int, n_init: int) -> Beside:
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
    Beside
        Methods and note.

    Examples
    --------
    >>> from disjoint_centroids.report.methods import usual_methods
    >>> usual_methods("Panel", 100, 2000, 100).methods
    ('Panel', 'NDC-S', 'NC', 'NSC', 'Logistic')
    >>> wide = usual_methods("Panel", 100, 20000, 100)
    >>> wide.methods
    ('Panel', 'NC', 'NSC', 'Logistic')
    >>> "Ask for it with methods=[" in wide.note
    True
    """
    if float(n_samples) * n_features * n_init <= _QUICK_ENOUGH or own in _SLOW:
        return Beside(USUAL)
    names = ", ".join(NAMES[name][1] for name in _SLOW)
    note = (
        f"{names} is left out: on a table this wide ({n_samples} samples, {n_features} features) it would take most of "
        f"the time of the report. Ask for it with methods={list(USUAL)}."
    )
    return Beside(tuple(name for name in USUAL if name not in _SLOW), note)
