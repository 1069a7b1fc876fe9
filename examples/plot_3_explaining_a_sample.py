"""
Explaining one sample
=====================

A sample is assigned to the class whose centroid is nearest. The squared distance to a class is a sum with one term for
each feature of the class. So each feature's contribution to the decision can be shown.
"""

from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from disjoint_centroids import NearestDisjointCentroidCV
from disjoint_centroids.pipeline import model_pipeline

data = load_wine(as_frame=True)
X = data.data.set_axis([f"wine {i}" for i in range(len(data.data))])
y = data.target.map(lambda code: f"cultivar {code + 1}").set_axis(X.index)
X_train, X_new, y_train, y_new = train_test_split(X, y, stratify=y, random_state=0)

model = model_pipeline(NearestDisjointCentroidCV(random_state=0), transform="standardize")
model.fit(X_train, y_train)
print(f"held-out samples classified wrongly: {(model.predict(X_new) != y_new).sum()} of {len(y_new)}")

# %%
# Take a wine that was held out: the one that is least certain.

certainty = model.predict_proba(X_new).max(axis=1)
sample = X_new.index[certainty.argmin()]
row = X_new.loc[[sample]]
standardised = model[:-1].transform(row)
for label, distance in zip(model.classes_, model[-1].distances(standardised)[0], strict=True):
    print(f"distance to {label}: {distance:.2f}")
print(f"{sample}: predicted {model.predict(row)[0]}, in truth {y_new[sample]}")

# %%
# The contribution of each feature to the squared distance to its owner. A long bar means that the sample differs from
# that class in this feature. With the command line: ``ndc explain MODEL TABLE --sample NAME``.

import matplotlib.pyplot as plt

from disjoint_centroids.plots import ExplanationDisplay

figure, axes = plt.subplots(2, 2, figsize=(9, 6), layout="constrained")
ExplanationDisplay.from_estimator(model, row, sample=sample, axes=axes.ravel())

# %%
# The same as a table. ``value`` and ``centroid`` are in standard deviations here, because columns were standardised.

model[-1].explain(standardised).drop(columns="sample").round(2)
