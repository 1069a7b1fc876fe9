"""Lists of markers by our panels and by the programs of others: ``python benchmarks/marker_panels.py``.

``make marker-panels`` installs those programs first. A run can be stopped and started again at any point; ``publish``
and ``page`` are its further commands. ``--help`` lists what can be chosen.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    # Markdown tables and facts about the machine are those of the paper's study.
    sys.path.append(str(Path(__file__).parents[1] / "paper"))
    from marker_panels_study.run import main

    main()
