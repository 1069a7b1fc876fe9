"""Every command on six tables of different kinds, as a user would type it: exit codes, seconds, sizes.

``python benchmarks/every_command.py [FOLDER]``. The tables: chowdary-2006 as CSV, golub-1999-v1 as GCT with CLS, the 14
classes of ramaswamy-2001 as CSV, scikit-learn's digits as Parquet, three samples a class, decimal commas.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits

from disjoint_centroids.datasets import fetch_compcancer, make_blocks

NDC = [sys.executable, "-c", "from disjoint_centroids.cli import main; main()"]


def gene_table(name: str) -> pd.DataFrame:
    bunch = fetch_compcancer(name, verbose=1)
    frame = pd.DataFrame(bunch.data, columns=bunch.feature_names, index=[f"s{i}" for i in range(len(bunch.target))])
    return frame.assign(label=bunch.target).rename_axis("sample")


def block_table(n: int) -> pd.DataFrame:
    X, y = make_blocks(k=3, n=n, d=4, mu=(2.0, 0.0), sigma=(1.0, 2.0), irrelevant=10, random_state=0)
    frame = pd.DataFrame(X, columns=[f"f{c}" for c in range(X.shape[1])], index=[f"s{i}" for i in range(len(y))])
    return frame.assign(label=[f"class {label}" for label in y]).rename_axis("sample")


def write_gct(frame: pd.DataFrame, folder: Path) -> tuple[str, list[str]]:
    genes = frame.drop(columns="label").T
    lines = ["#1.2", f"{genes.shape[0]}\t{genes.shape[1]}", "\t".join(["Name", "Description", *genes.columns])]
    lines += ["\t".join([name, "na", *map(str, row)]) for name, row in zip(genes.index, genes.to_numpy(), strict=True)]
    (folder / "golub.gct").write_text("\n".join(lines) + "\n")
    classes = list(dict.fromkeys(frame["label"]))
    codes = " ".join(str(classes.index(label)) for label in frame["label"])
    (folder / "golub.cls").write_text(f"{len(frame)} {len(classes)} 1\n# {' '.join(classes)}\n{codes}\n")
    return "golub.gct", ["--labels", "golub.cls"]


def tables(folder: Path) -> dict[str, tuple[str, list[str], list[str]]]:
    """File, options that say where the labels are, and further options."""
    gene_table("chowdary-2006").to_csv(folder / "chowdary.csv")
    golub, golub_labels = write_gct(gene_table("golub-1999-v1"), folder)
    gene_table("ramaswamy-2001").to_csv(folder / "ramaswamy.csv")
    digits = load_digits(as_frame=True)
    digits.data.assign(digit=digits.target.map("digit {}".format)).to_parquet(folder / "digits.parquet")
    block_table(3).to_csv(folder / "three.csv")
    block_table(20).to_csv(folder / "commas.csv", sep=";", decimal=",")
    label = ["--target", "label"]
    return {
        "chowdary-2006, CSV": ("chowdary.csv", label, ["--transform", "log2"]),
        "golub-1999-v1, GCT": (golub, golub_labels, ["--transform", "log2"]),
        "ramaswamy-2001, 14 classes": ("ramaswamy.csv", label, ["--transform", "standardize"]),
        "digits, Parquet": ("digits.parquet", ["--target", "digit"], []),
        "three samples a class": ("three.csv", label, []),
        "decimal commas": ("commas.csv", label, []),
    }


def commands(file: str, labels: list[str], scale: list[str], sample: str) -> dict[str, list[str]]:
    few = ["--repeats", "1", "--restarts", "20"]
    return {
        "compare": ["compare", file, *labels, *scale, *few, "--methods", "NDC-S,NC,NSC,SVM", "-o", "compare.csv"],
        "fit": ["fit", file, *labels, *scale, "--restarts", "20", "-o", "model.ndc"],
        "predict": ["predict", "model.ndc", file, "-o", "predicted.csv"],
        "features": ["features", "model.ndc", "-o", "features.gmt"],
        "explain": ["explain", "model.ndc", file, "--sample", sample, "-o", "why.png"],
        "report": ["report", file, *labels, *scale, *few, "-o", "report.html"],
    }


def main(folder: Path) -> None:
    failed = 0
    for name, (file, labels, scale) in tables(folder).items():
        print(name)
        sample = "1" if file == "digits.parquet" else "s1"
        for command, arguments in commands(file, labels, scale, sample).items():
            began = time.perf_counter()
            done = subprocess.run(
                [*NDC, *arguments, "--force"], cwd=folder, capture_output=True, text=True, check=False
            )
            seconds = time.perf_counter() - began
            written = folder / arguments[arguments.index("-o") + 1]
            size = f"{written.stat().st_size / 1e6:.2f} MB" if written.exists() else "nothing"
            failed += done.returncode != 0
            print(f"  {command:<9} exit {done.returncode}  {seconds:6.1f} s  {written.name}: {size}")
            if done.returncode:
                print("    " + "\n    ".join(done.stderr.strip().splitlines()[-3:]))
    print(f"{failed} failed" if failed else "all ended with exit code 0")
    sys.exit(int(np.sign(failed)))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    with tempfile.TemporaryDirectory() as scratch:
        main(Path(scratch))
