"""
Choosing lambda
===============

Lambda decides how many features are used. It is chosen by cross-validation: the samples are split into five parts, each
part is predicted by a model fitted on the other four, for 30 values of lambda.
"""

import pandas as pd

from disjoint_centroids import NearestDisjointCentroidCV
from disjoint_centroids.datasets import make_blocks

X, y = make_blocks(k=3, n=40, d=6, mu=(0.9, 0.0), sigma=(1.0, 1.9), irrelevant=80, random_state=3)
model = NearestDisjointCentroidCV(random_state=0).fit(X, y)

# %%
# To the left of the lowest error, informative features are missing; to the right, features that are only noise are
# used.

from disjoint_centroids.plots import PathDisplay

PathDisplay.from_estimator(model)

# %%
# The rule "1se" gives fewer features: the shortest lists whose error is within one standard error of the lowest. With
# few samples such differences in error are often due to chance, and shorter lists are easier to follow up.

shorter = NearestDisjointCentroidCV(rule="1se", random_state=0).fit(X, y)
pd.DataFrame(
    {
        "lambda": [model.lam_, shorter.lam_],
        "features": [model.get_support().sum(), shorter.get_support().sum()],
        "lists": [[len(s) for s in m.feature_sets_] for m in (model, shorter)],
        "held-out error": [m.cv_errors_[list(m.lams_).index(m.lam_)].mean() for m in (model, shorter)],
    },
    index=["lowest error", "1-SE rule"],
).round(3)

# %%
# The held-out error at the chosen lambda is a little too low, because it was used to choose lambda. For an unbiased
# estimate lambda must be chosen again in every fold. ``cross_val_score`` does so with this estimator, and ``ndc
# compare`` and ``ndc report`` do so on the command line.

from sklearn.model_selection import cross_val_score

print(f"nested cross-validation: error {1 - cross_val_score(model, X, y, cv=5).mean():.3f}")

# %%
# The model keeps the owners at every lambda: one column per lambda, one row per feature. From left to right the classes
# get more and more features, those of the blocks first (rows 0 to 17).

import matplotlib.pyplot as plt
from matplotlib.colors import ListedColormap

colours = ListedColormap(["#F2F2F2", "#0072B2", "#E69F00", "#009E73"])
figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
image = ax.imshow(model.path_.owners.T, aspect="auto", cmap=colours, vmin=-1.5, vmax=2.5, interpolation="nearest")
figure.colorbar(image, ax=ax, ticks=[-1, 0, 1, 2]).ax.set_yticklabels(["nobody", "class 0", "class 1", "class 2"])
shown = range(0, len(model.lams_), 5)
ax.set_xticks(shown, [f"{model.lams_[i]:.2g}" for i in shown])
ax.set(xlabel="lambda", ylabel="feature", title="Who owns each feature as lambda grows")
