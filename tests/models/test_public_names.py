import subprocess
import sys

import disjoint_centroids.models as models


def test_every_public_name_is_there_and_no_other():
    assert models.__all__ == sorted(models.__all__, key=lambda name: (name.islower(), name))
    assert dir(models) == sorted(models.__all__)
    for name in models.__all__:
        assert getattr(models, name).__name__ == name


def test_the_room_is_entered_without_scikit_learn():
    code = "import sys, disjoint_centroids.models; sys.exit('sklearn' in sys.modules or 'pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
