"""
Who owns what
=============

A table with four classes and 92 columns. The first 32 columns are four groups of eight, and on one group each class
has high values that vary little. The other 60 columns carry no information. The method knows nothing of this; it has
to find the groups.
"""

# %%
# Make the table. Replace these lines by your own table: one row per sample, one column per feature, and one label per
# sample.

import pandas as pd

from disjoint_centroids.datasets import make_blocks

values, codes = make_blocks(k=4, n=60, d=8, mu=(1.2, 0.0), sigma=(1.0, 2.2), irrelevant=60, random_state=0)
names = [f"block {c // 8}.{c % 8}" for c in range(32)] + [f"noise {c}" for c in range(60)]
X = pd.DataFrame(values, columns=names)
y = pd.Series(codes).map("class {}".format)

# %%
# Bring all columns to one scale, then fit. Lambda, which decides how many columns are dropped, is chosen by
# cross-validation.

from disjoint_centroids import NearestDisjointCentroidCV
from disjoint_centroids.pipeline import model_pipeline

model = model_pipeline(NearestDisjointCentroidCV(random_state=0), transform="standardize").fit(X, y)
classifier = model[-1]

# %%
# Every class has a list of its own, no column is on two lists, and most of the noise is on none.

table = classifier.feature_table()
lists = table.fillna({"owner": "nobody"}).groupby("owner")["feature"]
first = lists.agg(lambda names: ", ".join(names[:3]))
pd.DataFrame({"features": lists.size(), "the first three": first})

# %%
# The same as a picture: rows sorted by class, columns by the class that owns them. Each class on its own features is
# framed: there its values vary little (pale, even colours), while those of the other classes vary widely.

from disjoint_centroids.plots import PartitionDisplay

display = PartitionDisplay.from_estimator(model, X, y)
display.ax_.set_title("Each class stands out on the features it owns")

# %%
# The table behind the lists has one row per feature: its owner, its margin (how clearly it belongs to the owner), and
# the mean and variance of every class. These are the five features with the largest margins.

clearest = table[table["role"] == "owned"].nlargest(5, "margin")
shown = ["feature", "owner", "margin", *(f"variance_{label}" for label in classifier.classes_)]
clearest[shown].round(2)
