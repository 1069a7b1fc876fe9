"""Damaged tables and model files by the thousand: each gives an answer or a sentence, and nothing else happens.

``make fuzz`` runs it. It can be stopped and goes on where it was: every case follows from the seed, its number and the
whole files; the state file, beside which the whole models are kept, says which are done. ``--show tables 17`` writes
case 17 into a file and reads it with a traceback.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from fuzz.workers import KINDS, Corpus, run_batch

STATE = Path("fuzz-output/state.json")
BATCH = {"tables": 100, "models": 100, "commands": 1}


def main(arguments: list[str] | None = None) -> int:
    """Run what is not done yet, and print the counts; 1 if some case failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=10_000, help="damaged tables (10000)")
    parser.add_argument("--models", type=int, default=5_000, help="damaged model files (5000)")
    parser.add_argument("--commands", type=int, default=500, help="damaged files given to the command (500)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--state", type=Path, default=STATE, help=f"what is done so far ({STATE})")
    parser.add_argument("--again", action="store_true", help="forget what is done and begin anew")
    parser.add_argument("--show", nargs=2, metavar=("KIND", "NUMBER"), help="run one case here, with its traceback")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Corpus(Path(scratch), options.seed, options.state.parent / "whole")
        if options.show:
            return corpus.show(options.show[0], int(options.show[1]))
        state = _read(options.state, options.seed, options.again)
        for kind in KINDS:
            _run(corpus, kind, getattr(options, kind), state, options.state)
    print("\n".join(lines(state)))
    return 1 if state["failures"] else 0


def _read(path: Path, seed: int, again: bool) -> dict:
    empty = {"seed": seed, "failures": [], "peak_mib": 0.0}
    empty |= {kind: {"done": 0, "answered": 0, "refused": 0} for kind in KINDS}
    if again or not path.exists():
        return empty
    state = json.loads(path.read_text())
    if state["seed"] != seed:
        sys.exit(f"{path} is about seed {state['seed']}, and {seed} was asked for. Give --again, or another --state.")
    return state


def _run(corpus: Corpus, kind: str, wanted: int, state: dict, path: Path) -> None:
    counts, shown = state[kind], time.monotonic()
    while counts["done"] < wanted:
        first = counts["done"]
        found = run_batch(corpus, kind, range(first, min(first + BATCH[kind], wanted)))
        for outcome in ("answered", "refused"):
            counts[outcome] += getattr(found, outcome)
        counts["done"] += found.done
        state["failures"] += found.failures
        state["peak_mib"] = max(state["peak_mib"], found.peak_mib)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps(state, indent=1))
        part.replace(path)
        for failure in found.failures:
            print("FAILED:", failure, flush=True)
        if time.monotonic() - shown > 30:
            print(f"{kind}: {counts['done']} of {wanted}", flush=True)
            shown = time.monotonic()


def lines(state: dict) -> list[str]:
    """The counts, as a table of Markdown."""
    rows = ["| given | files | answered | refused with a sentence | anything else |", "|---|---:|---:|---:|---:|"]
    for kind, words in KINDS.items():
        counts = state[kind]
        failed = sum(failure.startswith(kind) for failure in state["failures"])
        rows.append(f"| {words} | {counts['done']} | {counts['answered']} | {counts['refused']} | {failed} |")
    return [
        *rows,
        "",
        f"Most memory that a worker took beyond its start: {state['peak_mib']:.0f} MiB. Seed {state['seed']}.",
    ]


if __name__ == "__main__":
    sys.exit(main())
