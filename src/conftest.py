"""Choice of the doctests that can run here."""

from importlib.util import find_spec

# anndata is an extra that not every environment can have: it asks for an older pandas than the newest.
collect_ignore_glob = [] if find_spec("anndata") else ["disjoint_centroids/markers/anndata*.py"]
