"""
The best partition need not classify best
=========================================

The paper's method searches lists of features on which the samples of each class are close to each other: it makes the
*risk* small, the mean squared distance of samples to the centroid of their own class. For two classes
:func:`~disjoint_centroids.optimal_partition` finds the partition with the smallest risk exactly. With few samples this
partition classifies worse than that of the algorithm, which keeps the restart with the fewest training errors, not the
one with the smallest risk.
"""

import matplotlib.pyplot as plt
import numpy as np

from disjoint_centroids import NearestDisjointCentroid, optimal_partition
from disjoint_centroids.datasets import make_blocks

BLOCKS = {"k": 2, "d": 10, "mu": (0.3, 0.0), "sigma": (1.0, 1.3)}
SIZES = (10, 20, 50, 200, 1000)
REPEATS = 15
X_new, y_new = make_blocks(n=1000, random_state=1, **BLOCKS)


def error_of(owner, centroids):
    """Share of new samples that a partition with these class means puts into the wrong class."""
    own = [owner == j for j in (0, 1)]
    distances = [((X_new[:, own[j]] - centroids[j, own[j]]) ** 2).mean(axis=1) for j in (0, 1)]
    return np.mean(np.argmin(distances, axis=0) != y_new)


# %%
# Draw tables of several sizes, fit both ways, and predict the same new samples.

found = {"least risk, exactly": [], "the algorithm": [], "the true blocks": []}
features = []
for n in SIZES:
    errors = []
    for seed in range(REPEATS):
        X, y = make_blocks(n=n, random_state=100 + seed, **BLOCKS)
        model = NearestDisjointCentroid(n_init=20, random_state=0).fit(X, y)
        best = optimal_partition(X, y)
        owners = (best.owner, model.owner_, np.repeat([0, 1], 10))
        errors.append([error_of(owner, model.centroids_) for owner in owners])
        features.append((n, min(len(s) for s in best.feature_sets), min(len(s) for s in model.feature_sets_)))
    for name, mean in zip(found, np.mean(errors, axis=0), strict=True):
        found[name].append(mean)

# %%
# The true blocks have ten features each. With 200 samples per class all three have the same error.

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, errors), colour, marker in zip(found.items(), ("#D55E00", "#0072B2", "#6C6C6C"), "os^", strict=True):
    ax.plot(SIZES, errors, marker=marker, color=colour, label=name)
ax.set(xscale="log", xlabel="training samples of each class", ylabel="error on new samples")
ax.set_xticks(SIZES, [str(n) for n in SIZES])
ax.minorticks_off()
ax.legend()

# %%
# The reason: with few samples some features have a small variance by chance. The partition with the smallest risk gives
# one class a handful of those, and the other class all the rest.

for n in SIZES:
    rows = [row for row in features if row[0] == n]
    print(
        f"{n:5d} samples per class: the shorter list has {np.mean([r[1] for r in rows]):.1f} features at least risk, "
        f"{np.mean([r[2] for r in rows]):.1f} by the algorithm"
    )
