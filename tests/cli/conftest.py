import signal
import subprocess
import sys
import time

import pandas as pd
import pytest
from typer.testing import CliRunner

from disjoint_centroids.cli import app
from disjoint_centroids.datasets import make_blocks


@pytest.fixture(scope="session")
def ndc():
    """Run the command with arguments; the answer has exit_code, stdout and stderr."""

    def run(*arguments):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return run


@pytest.fixture(scope="session")
def table():
    """Three classes of 12 samples, three groups of 3 features, 4 that say nothing."""
    X, y = make_blocks(k=3, n=12, d=3, mu=(3.0, 0.0), sigma=(0.5, 1.0), irrelevant=4, random_state=0)
    frame = pd.DataFrame(X, columns=[f"g{c}" for c in range(X.shape[1])], index=[f"s{i}" for i in range(len(y))])
    return frame.assign(kind=[f"class {label}" for label in y]).rename_axis("sample")


@pytest.fixture(scope="session")
def fitted(ndc, table, tmp_path_factory):
    """Fit the table with options; the path of the model."""

    def fit(*arguments):
        folder = tmp_path_factory.mktemp("model")
        table.to_csv(folder / "blocks.csv")
        result = ndc("fit", folder / "blocks.csv", "--target", "kind", "-o", folder / "model.ndc", *arguments)
        assert result.exit_code == 0, result.output
        return folder / "model.ndc"

    return fit


@pytest.fixture(scope="session")
def panel_file(fitted):
    return fitted()


@pytest.fixture(scope="session")
def paper_file(fitted):
    return fitted("--method", "ndc-s", "--restarts", 10)


@pytest.fixture(params=["panel", "ndc-s"])
def model_file(request):
    """Ours, and the paper's."""
    return request.getfixturevalue("panel_file" if request.param == "panel" else "paper_file")


@pytest.fixture
def here(tmp_path, monkeypatch, table):
    """An empty folder to work in, with the table as blocks.csv."""
    monkeypatch.chdir(tmp_path)
    table.to_csv(tmp_path / "blocks.csv")
    return tmp_path


@pytest.fixture
def files(here):
    """The names of the files in the folder, now."""
    return lambda: sorted(path.name for path in here.rglob("*") if path.is_file())


@pytest.fixture
def interrupted(here):
    """Run the command until a file of this name or pattern is there, then interrupt it; what it said."""

    def run(*arguments, until):
        code = "from disjoint_centroids.cli import main; main()"
        command = [sys.executable, "-c", code, *map(str, arguments)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            while not any(here.glob(until)):
                assert process.poll() is None
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate()
        assert process.returncode == 130, said
        assert "Traceback" not in said
        return said.rstrip()

    return run
