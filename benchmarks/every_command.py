"""Every command on six tables of different kinds, as a user would type it, and a report on a wide one.

``python benchmarks/every_command.py [FOLDER]`` prints exit codes, seconds and sizes, and how loaded the machine was;
``--wide`` makes the report on the wide table only: 100 samples, 20 000 features, two classes, default settings.
The tables: chowdary-2006 as CSV, golub-1999-v1 as GCT with CLS, the 14
classes of ramaswamy-2001 as CSV, scikit-learn's digits as Parquet, three samples a class, decimal commas.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import joblib
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


def wide_table() -> pd.DataFrame:
    """Two classes of 50 samples that differ in 100 of 20 000 features."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(100, 20_000))
    values[50:, :100] += 0.8
    frame = pd.DataFrame(values, columns=[f"f{c}" for c in range(20_000)], index=[f"s{i}" for i in range(100)])
    return pd.concat([frame, pd.Series(np.repeat(["a", "b"], 50), frame.index, name="label")], axis=1)


def timed(arguments: list[str], folder: Path) -> bool:
    """Run a command and print what it took. True if it ended well."""
    began = time.perf_counter()
    done = subprocess.run([*NDC, *arguments, "--force"], cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - began
    written = folder / arguments[arguments.index("-o") + 1]
    size = f"{written.stat().st_size / 1e6:.2f} MB" if written.exists() else "nothing"
    print(f"  {arguments[0]:<9} exit {done.returncode}  {seconds:6.1f} s  {written.name}: {size}")
    if done.returncode:
        print("    " + "\n    ".join(done.stderr.strip().splitlines()[-3:]))
    return done.returncode == 0


def wide_report(folder: Path) -> bool:
    """Make the default report of a wide table."""
    wide_table().to_csv(folder / "wide.csv", index_label="sample")
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"100 samples, 20 000 features, default report; {joblib.cpu_count()} cores{load}")
    return timed(["report", "wide.csv", "--target", "label", "-o", "wide.html"], folder)


def main(folder: Path, *, only_wide: bool) -> None:
    failed = 0
    for name, (file, labels, scale) in ({} if only_wide else tables(folder)).items():
        print(name)
        sample = "1" if file == "digits.parquet" else "s1"
        for arguments in commands(file, labels, scale, sample).values():
            failed += not timed(arguments, folder)
    failed += not wide_report(folder)
    print(f"{failed} failed" if failed else "all ended with exit code 0")
    sys.exit(int(np.sign(failed)))


if __name__ == "__main__":
    folders = [argument for argument in sys.argv[1:] if argument != "--wide"]
    if folders:
        main(Path(folders[0]), only_wide="--wide" in sys.argv)
    with tempfile.TemporaryDirectory() as scratch:
        main(Path(scratch), only_wide="--wide" in sys.argv)
