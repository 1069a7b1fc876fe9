"""The report page: a summary of the results on a table (a dict), and the page rendered from it.

Needs the extra ``report``.
"""

from typing import TYPE_CHECKING

from disjoint_centroids._lazy import lazy_names

if TYPE_CHECKING:
    from disjoint_centroids.report.page import render
    from disjoint_centroids.report.summary import summarize

__all__ = ["render", "summarize"]

# The app has its first page before pandas and scikit-learn are loaded.
__getattr__ = lazy_names(__name__, {"page": ["render"], "summary": ["summarize"]})
