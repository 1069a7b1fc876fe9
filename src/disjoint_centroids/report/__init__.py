"""The report page: a summary (a dict) of what was found on a table, and the page made from it.

Needs the extra ``report``.
"""

from disjoint_centroids.report.page import render
from disjoint_centroids.report.summary import summarize

__all__ = ["render", "summarize"]
