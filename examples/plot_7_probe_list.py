"""
From a table of cells to a probe list
=====================================

Which genes go on the probe list for the next experiment, and what replaces one that fails in the laboratory? This page
goes from a table with one class per sample to a list with alternates, judges it, and writes it to a file.

Cells in an ``.h5ad`` file are read with anndata, on a logarithmic scale, and the rest of the page is the same::

    import anndata

    cells = anndata.read_h5ad("cells.h5ad")          # normalised, log(1 + count); or cells.raw.to_adata()
    X, y = cells.to_df(), cells.obs["cell_type"]

This page is run whenever the documentation is built, so it uses a table that comes with scikit-learn: 1797 images of
handwritten digits. A pixel takes the place of a gene, with zero where there is no ink, and the ten digits that of cell
types.
"""

# %%
# Read the table, and put a third of the samples aside: the list is judged on them in the end. With cells of several
# donors, put whole donors aside.

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

digits = load_digits(as_frame=True)
X, y = digits.data, "digit " + digits.target.astype(str)
X, X_aside, y, y_aside = train_test_split(X, y, test_size=1 / 3, stratify=y, random_state=0)
print(X.shape, "values from", X.to_numpy().min(), "to", X.to_numpy().max())

# %%
# Choose two markers per class. With ``direction="up"``, a class owns only markers that are higher in it than elsewhere,
# which is what can be seen in a stain. ``min_features_per_class`` lets no class go short. For an AnnData,
# ``disjoint_markers(cells, "cell_type", n_genes=2, **rules)`` does the same and writes the lists where the pictures
# of scanpy find them.

from disjoint_centroids import DisjointPanelClassifier

rules = {"direction": "up", "min_features_per_class": 2}
model = DisjointPanelClassifier(rounds=2, random_state=0, **rules).fit(X, y)
lists = {str(label): list(X.columns[panel]) for label, panel in zip(model.classes_, model.feature_sets_, strict=True)}
for label, markers in lists.items():
    print(label, markers)

# %%
# Judge the list on the samples that took no part in the choice, by cross-validation: read by three classifiers, beside
# random features and a panel of the same size that is chosen anew in every training part. ``ndc evaluate list.csv
# cells.h5ad --target cell_type`` does the same without Python, for the list of a colleague as well.

from disjoint_centroids.markers import evaluate_markers

found = evaluate_markers(X_aside, y_aside, lists, parameters=rules)
print(found.errors[["list", "reading", "error", "balanced_error", "f_beta"]].round(3).to_string(index=False))

# %%
# Classes in rows, markers in columns: the size of a dot is the share of samples in which the marker is on, its colour
# the mean.

from disjoint_centroids.plots import MarkerDotDisplay

MarkerDotDisplay.from_table(found.dots)

# %%
# Alternates: what would each marker be replaced by, and what would it cost? Rank 0 is the panel without the marker. A
# change of 0.005 is an error in 200 samples; a negative one says that the folds do not miss the marker.

alternates = model.alternates(X, y, n_alternates=2)
shown = alternates[["class", "feature", "rank", "alternate", "error_change"]]
print(shown.head(9).round(4).to_string(index=False))

# %%
# The probe list, one row per marker with its best two alternates, as a file for the laboratory.

import tempfile
from pathlib import Path

ranked = alternates[alternates["rank"] > 0]
wide = ranked.pivot(index=["class", "feature"], columns="rank", values="alternate").add_prefix("alternate_")
probes = found.markers.merge(wide.reset_index(), on=["class", "feature"])
columns = ["class", "feature", "mean", "share_on", "share_on_elsewhere", "alternate_1", "alternate_2"]
path = Path(tempfile.mkdtemp()) / "probes.csv"
probes[columns].round(2).to_csv(path, index=False)
print(path.read_text(encoding="utf-8")[:600])

# %%
# Which markers are worth an alternate on the same plate? Those whose loss costs most.

import matplotlib.pyplot as plt

lost = alternates[alternates["rank"] == 0].sort_values("loss_change", ascending=False).head(12)
best = ranked[ranked["rank"] == 1].set_index("feature")["loss_change"].reindex(lost["feature"])
fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
ax.bar(range(len(lost)), lost["loss_change"], color="#cccccc", label="the marker is lost")
ax.bar(range(len(lost)), best, color="#0072B2", width=0.5, label="its first alternate takes its place")
names = [f"{name}\n{label}" for name, label in zip(lost["feature"], lost["class"], strict=True)]
ax.set_xticks(range(len(lost)), names, rotation=60, ha="right", fontsize=8)
ax.set_ylabel("change of the held-out loss")
ax.legend(frameon=False)
