"""Every classifier of the package and its rivals on the 35 CompCancer sets: sets, methods, jobs, tables, page."""
