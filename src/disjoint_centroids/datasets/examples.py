"""Small tables that come with the package, for first steps."""

from __future__ import annotations

import pandas as pd
from sklearn.datasets import load_wine

from disjoint_centroids.datasets.compcancer import compcancer_sets
from disjoint_centroids.datasets.known_set import KnownSet
from disjoint_centroids.datasets.packages import cache_folder
from disjoint_centroids.datasets.simulations import make_blocks
from disjoint_centroids.datasets.single_cell import single_cell_sets
from disjoint_centroids.tables import LabelledTable

_GROUP = 8
"""Features in the block of each class."""


def block_example(random_state: int = 0) -> LabelledTable:
    """Simulate the table of ``ndc demo``: four classes, each with a block of features in which it stands out.

    Examples
    --------
    >>> from disjoint_centroids.datasets.examples import block_example
    >>> block_example().values.shape
    (240, 92)
    """
    X, y = make_blocks(k=4, n=60, d=_GROUP, mu=(1.2, 0.0), sigma=(1.0, 2.2), irrelevant=60, random_state=random_state)
    names = [
        f"block {c // _GROUP}.{c % _GROUP}" if c < 4 * _GROUP else f"noise {c - 4 * _GROUP}" for c in range(X.shape[1])
    ]
    values = pd.DataFrame(X, columns=names, index=[f"sample {i}" for i in range(1, len(y) + 1)])
    return LabelledTable(values, pd.Series(y, index=values.index).map("class {}".format), "blocks.csv")


def wine_example() -> LabelledTable:
    """Return scikit-learn's wine table: 13 measurements of wines of three cultivars.

    Examples
    --------
    >>> from disjoint_centroids.datasets.examples import wine_example
    >>> wine_example().labels.value_counts().to_dict()
    {'class_1': 71, 'class_0': 59, 'class_2': 48}
    """
    found = load_wine(as_frame=True)
    values = found.data.set_axis([f"wine {i}" for i in range(1, len(found.data) + 1)])
    return LabelledTable(values, pd.Series(found.target_names[found.target], values.index), "wine.csv")


def cached_sets() -> list[KnownSet]:
    """List the sets that were fetched before and are still in the cache."""
    known = [*compcancer_sets().values(), *single_cell_sets().values()]
    folder = cache_folder()
    return [one for one in known if all((folder / one.package.kept_in / name).is_file() for name in one.files)]
