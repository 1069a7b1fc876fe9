"""Our classifiers and others on the 35 CompCancer sets: ``python benchmarks/real_data.py``.

``simulations``, ``sizes``, ``rules``, ``publish`` and ``page`` are its further commands. A run can be stopped and
started again at any point. ``--help`` lists what can be chosen.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    # Markdown tables, facts about the machine and the simulated draws are those of the paper's study.
    sys.path.append(str(Path(__file__).parents[1] / "paper"))
    from real_data_study.run import main

    main()
