"""Training parts for tests of the panels: one table, kept in four ways that must all give the same answer."""

import numpy as np
from scipy import sparse

from disjoint_centroids.numerics.sizes import sizes_context
from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.training_parts import divide, parts_in_memory

FORMS = ("rows", "products", "sparse rows", "sparse products")


def parts_of(X, y, weights=None, folds=(), *, form="rows", with_squares=True):
    """Parts of a dense table, which is made sparse if the form says so: one per fold, and last the whole."""
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, float)
    division = divide(y, weights, int(y.max()) + 1, list(folds))
    by_rows = form.endswith("rows")
    # No room for products, or a search in which they always pay.
    sizes = {"product_bytes": 0} if by_rows else {}
    with sizes_context(**sizes):
        found = parts_in_memory(
            sparse.csr_array(X) if "sparse" in form else X,
            division,
            with_squares=with_squares,
            n_rounds=1,
            n_kinds=10**9,
        )
    assert isinstance(found.source, drafting.RowSource if by_rows else drafting.GramSource)
    return found


def engine_rules(n_classes, n_features, **rules):
    """Rules in the engine's words from what the oracle is told."""
    allowed = np.ones(n_features, dtype=bool) if rules.get("allowed") is None else np.asarray(rules["allowed"])
    given = rules.get("forced") or [()] * n_classes
    rest = {name: value for name, value in rules.items() if name not in ("allowed", "forced") and value is not None}
    if "costs" in rest:
        rest["costs"] = np.asarray(rest["costs"], dtype=float)
    return drafting.Rules(allowed, tuple(map(tuple, given)), **rest)
