"""
Comparing methods
=================

Which method is best depends on the table, and it costs little to find out. Here two tables: one on which classes differ
in spread, where nearest disjoint centroids win, and one on which they differ in level, where they do not.

On the command line: ``ndc compare TABLE --target COLUMN``.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.evaluation import compare

METHODS = ["NDC", "NDC-S", "NC", "NSC", "KNN", "SVM"]
tables = {
    "blocks: classes differ in spread too": make_blocks(
        k=4, n=40, d=6, sigma=(1.0, 2.0), irrelevant=40, random_state=0
    ),
    "wine: classes differ in level": load_wine(return_X_y=True),
}

# %%
# Every method is tuned anew within every training part (nested cross-validation), all see the same splits. One
# repeat and few restarts, for a quick page; the defaults are five and a hundred.

results = {
    name: compare(X, y, methods=METHODS, cv=5, repeats=1, n_init=20, transform="standardize")
    for name, (X, y) in tables.items()
}

# %%
# The lowest error first, with its 95 % confidence interval, in which every sample counts once.

from disjoint_centroids.plots import ComparisonDisplay

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for ax, (name, table) in zip(axes, results.items(), strict=True):
    ComparisonDisplay.from_table(table, ax=ax)
    ax.set_title(name)

# %%
# Short lists count too: how many features each method looks at, and how long it takes.

on_blocks = results["blocks: classes differ in spread too"].groupby("method")
on_blocks[["error", "features", "seconds"]].mean().loc[METHODS].round(3)
