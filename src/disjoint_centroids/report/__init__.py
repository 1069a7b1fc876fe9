"""The report page: a summary of the results on a table (a dict), and the page rendered from it.

Needs the extra ``report``.
"""

from disjoint_centroids.report.page import render
from disjoint_centroids.report.summary import summarize

__all__ = ["render", "summarize"]
