"""The sections of ``docs/performance.md``: modules that measure, each kept as JSON, and the page made of them.

A section is a module with ``measure(quick)``, which gives plain results that JSON can hold, ``markdown(results)``, and
``picture(results, folder)``, which draws what it has to show and says which files. ``sections.py`` lists them.
"""
