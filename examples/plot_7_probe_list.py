"""
From an .h5ad file to a probe list
==================================

Which genes go on the probe list for the next experiment, and what replaces one that fails in the laboratory? This page
goes from an ``.h5ad`` file with labelled cells to a list with alternates, judges it on cells that took no part in the
choice, and writes it to a file.
"""

# %%
# The file comes with scanpy: 700 blood cells. Give the path of your own instead. Values should be logarithms of
# normalised counts. Here ``.X`` was scaled for principal components, and the logarithms are in ``.raw``.

import warnings
from pathlib import Path

import anndata
import matplotlib.pyplot as plt
import scanpy as sc

plt.rcParams["savefig.bbox"] = "tight"  # names of types are long
path = Path(sc.__file__).parent / "datasets" / "10x_pbmc68k_reduced.h5ad"
with warnings.catch_warnings():
    warnings.simplefilter("ignore", FutureWarning)  # the file was written by an old version of anndata
    cells = anndata.read_h5ad(path).raw.to_adata()
print(cells.shape, "values from", cells.X.min(), "to", round(float(cells.X.max()), 1))
print(cells.obs["bulk_labels"].value_counts().to_string())

# %%
# No marker can be chosen and judged on a handful of cells: types with fewer than 30 are left out. A third of the cells
# is put aside; the list is judged on them in the end. With cells of several donors, put whole donors aside, and give
# ``batch_key="donor"`` below.

from sklearn.model_selection import train_test_split

counts = cells.obs["bulk_labels"].value_counts()
cells = cells[cells.obs["bulk_labels"].isin(counts.index[counts >= 30])].copy()
chosen_on, aside = train_test_split(
    range(cells.n_obs), test_size=1 / 3, stratify=cells.obs["bulk_labels"], random_state=0
)
cells, cells_aside = cells[chosen_on].copy(), cells[aside].copy()
cells.obs["bulk_labels"] = cells.obs["bulk_labels"].cat.remove_unused_categories()

# %%
# Choose three markers per type. With ``direction="up"``, a type owns only genes that are higher in it than elsewhere,
# which is what can be seen in a stain; ``min_features_per_class`` lets no type go short. Genes of ribosomes are on in
# every cell and are not wanted.

from disjoint_centroids.markers import disjoint_markers, disjoint_markers_df

rules = {
    "direction": "up",
    "min_features_per_class": 3,
    "excluded": list(cells.var_names[cells.var_names.str.match("RP[LS]")]),
}
disjoint_markers(cells, "bulk_labels", n_genes=3, **rules)
found = disjoint_markers_df(cells)
lists = found.groupby("group", observed=True)["names"].apply(list).to_dict()
for label, markers in lists.items():
    print(f"{label}: {', '.join(markers)}")

# %%
# The lists are where the pictures of scanpy look for them.

sc.pl.rank_genes_groups_dotplot(cells, key="disjoint_markers", n_genes=3, dendrogram=False)

# %%
# Judge the list on the cells that took no part in the choice, by cross-validation: read by three classifiers, beside
# random genes and a panel of the same size that is chosen anew in every training part. ``ndc evaluate list.csv
# cells.h5ad --target bulk_labels`` does the same without Python, for the list of a colleague as well.

from disjoint_centroids.markers import evaluate_markers

judged = evaluate_markers(cells_aside, "bulk_labels", lists, parameters=rules)
print(judged.errors[["list", "reading", "error", "balanced_error", "f_beta"]].round(3).to_string(index=False))

# %%
# Our own picture of the same list: the size of a dot is the share of cells in which the marker is on, its colour the
# mean.

from disjoint_centroids.plots import MarkerDotDisplay

MarkerDotDisplay.from_table(judged.dots)

# %%
# Alternates: what would each marker be replaced by, and what would it cost? Rank 0 is the panel without the marker. A
# change of 0.005 is an error in 200 cells; a negative one says that the folds do not miss the marker.

from disjoint_centroids.markers import marker_alternates

alternates = marker_alternates(cells, n_alternates=2)
shown = alternates[["group", "names", "rank", "alternate", "error_change"]]
print(shown.head(9).round(4).to_string(index=False))

# %%
# The probe list, one row per marker with its best two alternates, as a file for the laboratory.

import tempfile

ranked = alternates[alternates["rank"] > 0]
wide = ranked.pivot(index=["group", "names"], columns="rank", values="alternate").add_prefix("alternate_")
probes = judged.markers.merge(wide.reset_index(), left_on=["class", "feature"], right_on=["group", "names"])
columns = ["class", "feature", "mean", "share_on", "share_on_elsewhere", "alternate_1", "alternate_2"]
written = Path(tempfile.mkdtemp()) / "probes.csv"
probes[columns].round(2).to_csv(written, index=False)
print(written.read_text(encoding="utf-8")[:600])

# %%
# Which markers are worth an alternate on the same plate? Those whose loss costs most.

lost = alternates[alternates["rank"] == 0].sort_values("loss_change", ascending=False).head(12)
best = ranked[ranked["rank"] == 1].set_index("names")["loss_change"].reindex(lost["names"])
fig, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.bar(range(len(lost)), lost["loss_change"], color="#cccccc", label="the marker is lost")
ax.bar(range(len(lost)), best, color="#0072B2", width=0.5, label="its first alternate takes its place")
names = [f"{name}\n{label}" for name, label in zip(lost["names"], lost["group"], strict=True)]
ax.set_xticks(range(len(lost)), names, rotation=60, ha="right", fontsize=8)
ax.set_ylabel("change of the held-out loss")
ax.legend(frameon=False)
