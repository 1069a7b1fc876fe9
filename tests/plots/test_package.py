import inspect
import subprocess
import sys

import pytest

from disjoint_centroids import plots
from disjoint_centroids.plots.colours import OKABE_ITO, bar_style, class_colour, ink_on

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("name", plots.__all__)
def test_every_display_is_documented_with_an_example(name):
    display = getattr(plots, name)
    assert "Examples\n--------\n>>> " in inspect.getdoc(display)
    assert callable(display.plot)


def test_importing_the_displays_does_not_import_matplotlib():
    script = "import sys, disjoint_centroids.plots; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_no_two_of_32_classes_look_alike():
    styles = [bar_style(j) for j in range(32)]
    assert len({(style["facecolor"], style["hatch"]) for style in styles}) == 32
    assert class_colour(0) == class_colour(len(OKABE_ITO))


def test_ink_can_be_read():
    assert ink_on((1.0, 1.0, 1.0, 1.0)) == "black"
    assert ink_on((0.2, 0.0, 0.4, 1.0)) == "white"
