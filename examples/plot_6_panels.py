"""
Drafting panels
===============

The panel classifier, on a table of cell nuclei: 30 measurements, benign or malignant. In a draft every class picks
features of its own: it owns them, and no other class does. The score of every class is computed from the features of
all panels.
"""

# %%
# The number of rounds is chosen by cross-validation. A feature is assigned to the class that it helps most, and to no
# other.

from sklearn.datasets import load_breast_cancer

from disjoint_centroids import DisjointPanelClassifier

table = load_breast_cancer(as_frame=True)
X, y = table.data, table.target_names[table.target]
model = DisjointPanelClassifier(random_state=0).fit(X, y)
features = model.feature_table()
owned = features[features["role"] == "owned"].sort_values(["owner", "pick"])
print(owned[["owner", "pick", "feature", "margin", "coef"]].to_string(index=False))

# %%
# The held-out loss along the rounds, for every kind of terms. The star marks what was chosen.

from disjoint_centroids.plots import RoundsDisplay

RoundsDisplay.from_estimator(model)

# %%
# A panel for a laboratory that can afford six measurements. One of them must be used, another one is not available.

short = DisjointPanelClassifier(
    max_features=6, forced={"malignant": ["worst radius"]}, excluded=["worst perimeter"], random_state=0
).fit(X, y)
for label, panel in zip(short.classes_, short.feature_sets_, strict=True):
    print(label, list(X.columns[panel]))
rounds = short.rounds_table()
print("held-out error", round(rounds.loc[rounds["chosen"], "error"].item(), 3))

# %%
# For new samples: probabilities, and the set of classes that each may belong to. In every class, 95 % of the sets
# contain the true class.

print(short.predict_proba(X.iloc[[0, 14, 19]]).round(3))
print(short.predict_set(X.iloc[[0, 14, 19]], confidence=0.95))
