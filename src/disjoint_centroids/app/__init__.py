"""The tool in a browser: ``ndc app`` serves pages on the user's own machine. Needs the extra ``app``.

Tables are read by ``tables``, fitted by ``evaluation`` and ``pipeline``, summarised by ``report`` and
predicted by ``models``: nothing is computed here.
"""
