"""Speed and memory: ``python benchmarks/performance_page.py [publish|page] [--quick] [--only SECTION …]``.

It can be stopped and started again at any point. ``--help`` lists what can be chosen.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    # Markdown tables and facts about the machine are those of the paper's study.
    sys.path.append(str(Path(__file__).parents[1] / "paper"))
    from performance.run import main

    main()
