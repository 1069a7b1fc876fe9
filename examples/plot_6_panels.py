"""
Panels that the classes draft
=============================

Our own classifier on a table of cell nuclei: 30 measurements, benign or malignant. Every class drafts features of its
own, and its score reads those only.
"""

# %%
# The rounds are chosen by cross-validation. A feature goes to the class for which it does most, and to no other.

from sklearn.datasets import load_breast_cancer

from disjoint_centroids import DisjointPanelClassifier

table = load_breast_cancer(as_frame=True)
X, y = table.data, table.target_names[table.target]
model = DisjointPanelClassifier(random_state=0).fit(X, y)
features = model.feature_table()
owned = features[features["role"] == "owned"].sort_values(["owner", "pick"])
print(owned[["owner", "pick", "feature", "margin", "coef"]].to_string(index=False))

# %%
# The held-out loss along the rounds, for every kind of terms. The dot is what was chosen.

from disjoint_centroids.plots import RoundsDisplay

RoundsDisplay.from_estimator(model)

# %%
# A laboratory that can afford six measurements, one of them fixed, one impossible.

short = DisjointPanelClassifier(
    max_features=6, forced={"malignant": ["worst radius"]}, excluded=["worst perimeter"], random_state=0
).fit(X, y)
for label, panel in zip(short.classes_, short.feature_sets_, strict=True):
    print(label, list(X.columns[panel]))
print("held-out error", round(float(short.cv_results_["error"].min()), 3))

# %%
# For a new sample: probabilities, and the classes it may belong to, such that the true one is among them 95 times in
# a hundred.

print(short.predict_proba(X.iloc[[0, 14, 19]]).round(3))
print(short.predict_set(X.iloc[[0, 14, 19]], confidence=0.95))
