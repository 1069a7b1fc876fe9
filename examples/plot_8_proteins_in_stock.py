"""
A panel from what is in stock
=============================

A proteomics laboratory has measured many proteins in samples of known classes, and now designs the assay for routine
use. Antibodies differ in price, some cannot be bought, and a protein must be neither too weak nor too strong for the
instrument. This page designs such a panel. The table comes with scikit-learn and stands in for a protein table: 13
concentrations and optical values of wines from three growers. Replace it by your own: samples in rows, one column per
protein.
"""

# %%
# The table, what is in stock, and what a measurement costs. In practice both are columns of the laboratory's own list.

import pandas as pd
from sklearn.datasets import load_wine

table = load_wine(as_frame=True)
X, y = table.data, "grower " + (table.target + 1).astype(str)

stock = pd.DataFrame({"analyte": X.columns, "price": 10.0})
stock.loc[stock["analyte"].isin(["proline", "flavanoids"]), "price"] = 60.0
stock.loc[stock["analyte"].isin(["nonflavanoid_phenols", "proanthocyanins"]), "price"] = 40.0
stock["available"] = ~stock["analyte"].isin(["od280/od315_of_diluted_wines"])
print(stock.to_string(index=False))

# %%
# Without any rule, two analytes per class. Every class owns what tells it from the others best; no analyte is on two
# lists.

from disjoint_centroids import DisjointPanelClassifier


def lists(model):
    """Analytes of every class, in the order of picking."""
    return {
        str(label): list(X.columns[panel]) for label, panel in zip(model.classes_, model.feature_sets_, strict=True)
    }


free = DisjointPanelClassifier(max_features_per_class=2, random_state=0).fit(X, y)
print(pd.Series(lists(free)).to_string())

# %%
# With the rules of the laboratory: only what is available (``allowed``), only analytes that are high in the class that
# they stand for (``direction="up"``), all of them together for no more than 100 (``feature_costs`` and
# ``budget``).

price = dict(zip(stock["analyte"], stock["price"], strict=True))
rules = {
    "allowed": list(stock.loc[stock["available"], "analyte"]),
    "direction": "up",
    "feature_costs": price,
}
panel = DisjointPanelClassifier(max_features_per_class=2, budget=100, random_state=0, **rules).fit(X, y)
print(pd.Series(lists(panel)).to_string())
print("price of all:", sum(price[name] for names in lists(panel).values() for name in names))

# %%
# What does the budget buy? The error of panels of rising price, on samples that took no part in the choice.

import matplotlib.pyplot as plt
from sklearn.model_selection import StratifiedKFold, cross_val_score

budgets = [30, 50, 70, 100, 150, 250]
folds = StratifiedKFold(5, shuffle=True, random_state=0)
errors = [
    1 - cross_val_score(DisjointPanelClassifier(budget=budget, random_state=0, **rules), X, y, cv=folds).mean()
    for budget in budgets
]
fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.plot(budgets, errors, marker="o")
ax.set(xlabel="budget", ylabel="held-out error", ylim=(0, None))

# %%
# An instrument sees a window only. ``detection`` bounds the mean of an analyte in the class that owns it, in the units
# of the table; here it leaves out what is above 200, such as proline.

seen = DisjointPanelClassifier(max_features_per_class=2, detection=(0.5, 200), random_state=0, **rules).fit(X, y)
owned = seen.feature_table()
owned = owned[owned["role"] == "owned"].sort_values(["owner", "pick"])
order = owned[["owner", "feature"]].assign(
    price=owned["feature"].map(price),
    mean_in_its_class=[
        float(X.loc[y == row.owner, row.feature].mean()) for row in owned[["owner", "feature"]].itertuples()
    ],
)
print(order.to_string(index=False))

# %%
# The order list for the purchasing department, and a picture of what each class looks like on it: the mean of every
# analyte in every class, from low (white) to high.

print(order.to_csv(index=False))

means = X[order["feature"]].groupby(y).mean()
shades = (means - X[order["feature"]].min()) / (X[order["feature"]].max() - X[order["feature"]].min())
fig, ax = plt.subplots(figsize=(6, 2.8), layout="constrained")
image = ax.imshow(shades, cmap="Blues", aspect="auto")
ax.set_xticks(
    range(len(order)), [f"{row.feature}\n({row.owner})" for row in order.itertuples()], rotation=45, ha="right"
)
ax.set_yticks(range(len(means)), means.index)
fig.colorbar(image, label="mean (0: lowest value)")

# %%
# A rule that leaves a class without any analyte is refused, and the error says which class and which rule.

try:
    DisjointPanelClassifier(min_features_per_class=2, detection=(1000, 2000), random_state=0, **rules).fit(X, y)
except ValueError as error:
    print(error)
