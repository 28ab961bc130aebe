"""What the tests of the package share."""
import os
import subprocess
from pathlib import Path

import pytest

COMMAND = os.environ["CAIRN_COMMAND"]
SOURCE = Path(os.environ["CAIRN_SOURCE"])


@pytest.fixture
def command():
    """Runs the command; its standard output."""
    def run(*words, code=0):
        done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout
    return run


@pytest.fixture
def source():
    """The source tree."""
    return SOURCE


@pytest.fixture
def corpus():
    """Real problem files."""
    folder = os.environ.get("CAIRN_CORPUS")
    if not folder:
        pytest.skip("CAIRN_CORPUS is not set")
    return Path(folder)


def ball_scene(**keys):
    """A ball above a ground."""
    import cairn
    scene = cairn.Scene(friction=0.5, **keys)
    scene.ground()
    scene.body("ball", cairn.sphere(0.1), position=[0, 0, 1])
    return scene


def wall_scene(courses=4, bricks=4, **keys):
    """A small wall of bricks."""
    import cairn
    scene = cairn.Scene(friction=0.6, density=2000, step=1e-3, **keys)
    scene.ground()
    for i in range(courses):
        for j in range(bricks):
            scene.body(shape=cairn.box(0.4, 0.2, 0.2), position=[0.4*j + 0.1*(i % 2), 0, 0.1 + 0.2*i])
    return scene
