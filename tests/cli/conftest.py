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
def model_file(ndc, table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    table.to_csv(folder / "blocks.csv")
    result = ndc("fit", folder / "blocks.csv", "--target", "kind", "-o", folder / "model.ndc", "--restarts", 10)
    assert result.exit_code == 0, result.output
    return folder / "model.ndc"


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
