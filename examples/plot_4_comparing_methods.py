"""
Comparing methods
=================

Which method is best depends on the table, and can be found out quickly. Here are two tables: in one the classes differ
in spread, and nearest disjoint centroids have the lowest error; in the other they differ in level, and other methods
are better.

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
# Every method is tuned again within every training part (nested cross-validation), and all are tested on the same
# splits. To save time there are one repeat and 20 restarts; the defaults are 5 and 100.

results = {
    name: compare(X, y, methods=METHODS, cv=5, repeats=1, n_init=20, transform="standardize")
    for name, (X, y) in tables.items()
}

# %%
# Methods sorted by error, with the 95 % confidence interval of each error, in which every sample counts once.

from disjoint_centroids.plots import ComparisonDisplay

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for ax, (name, table) in zip(axes, results.items(), strict=True):
    ComparisonDisplay.from_table(table, ax=ax)
    ax.set_title(name)

# %%
# The number of features that each method uses, and the time it takes.

on_blocks = results["blocks: classes differ in spread too"].groupby("method")
on_blocks[["error", "features", "seconds"]].mean().loc[METHODS].round(3)
