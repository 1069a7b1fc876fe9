"""Tables to report on, and names that would run, or break a page, wherever one of them is not escaped."""

import numpy as np
import pandas as pd

from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.tables import LabelledTable

SCRIPT = "<script>window.sentinel=1</script>"
IMAGE = "\"><img src=x onerror='window.sentinel=1'>"
HOSTILE_FEATURES = [SCRIPT, IMAGE, "=1+1", "</script><script>window.sentinel=1</script>", "{{ 7*7 }}", "a\u2028b & c"]
COMMAND = f"ndc report 'my table.csv' --target {SCRIPT}"
SETTINGS = {"methods": ("NDC-S", "NC"), "cv": 3, "repeats": 2, "n_init": 4, "random_state": 3}


def small_table():
    """A table on which every fit is quick: five features."""
    return block_table(d=1, irrelevant=2)


def block_table(k=3, n=12, d=6, irrelevant=8, seed=0, source="my <b>table</b>.csv"):
    """Samples s0, s1 …, features f0, f1 …, classes A, B …; learnable, not perfectly."""
    X, y = make_blocks(k=k, n=n, d=d, mu=(1.5, 0.0), sigma=(1.0, 1.5), irrelevant=irrelevant, random_state=seed)
    values = pd.DataFrame(X, [f"s{i}" for i in range(len(X))], [f"f{f}" for f in range(X.shape[1])])
    labels = np.array([chr(65 + code) for code in np.unique(y, return_inverse=True)[1]])
    return LabelledTable(values, pd.Series(labels, values.index), source)
