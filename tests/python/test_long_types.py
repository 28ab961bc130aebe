"""Types: mypy on the package and the tutorial, stubtest of the stubs against the running module."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import SOURCE
from test_tutorial import PAGE

import cairn

FOLDER = Path(cairn.__file__).parent.parent
SETTINGS = SOURCE / "bind/python/mypy.ini"


def run(tmp_path, *words):
    if subprocess.run([sys.executable, "-c", "import mypy"], capture_output=True, check=False).returncode:
        pytest.skip("mypy is not installed")
    environment = dict(os.environ, MYPYPATH=str(FOLDER), MYPY_CACHE_DIR=str(tmp_path / "cache"))
    done = subprocess.run([sys.executable, "-m", *words], cwd=tmp_path, env=environment, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_finds_nothing_in_the_package(tmp_path):
    run(tmp_path, "mypy", "--config-file", SETTINGS, "-p", "cairn")


def test_stubs_are_those_of_the_running_module(tmp_path):
    run(tmp_path, "mypy.stubtest", "cairn._core", "cairn.scene", "--mypy-config-file", SETTINGS)


BEFORE = {"3": "sim = cairn.Sim('x')", "13": "problem = cairn.Problem.planted(3)"}  # what examples have from others


def test_mypy_finds_nothing_in_the_tutorial(tmp_path):
    text = PAGE.read_text()
    parts = re.split(r"^## ", text, flags=re.M)
    imports = re.search(r"```python\n(.*?)```", parts[0], re.S).group(1)
    for k, part in enumerate(parts[1:]):
        blocks = re.findall(r"```python\n(.*?)```", part, re.S)
        before = BEFORE.get(part.split()[0], "")
        (tmp_path / f"part_{k}.py").write_text("\n".join([imports, before, *blocks]))
    (tmp_path / "mypy.ini").write_text("[mypy]\n[mypy-scipy.*,matplotlib.*]\nignore_missing_imports = True\n")
    run(tmp_path, "mypy", "--config-file", "mypy.ini", *sorted(p.name for p in tmp_path.glob("part_*.py")))


def test_a_wrong_keyword_is_found_by_mypy(tmp_path):
    (tmp_path / "wrong.py").write_text("import cairn\ncairn.Scene().body('a', cairn.sphere(1), positon=[0, 0, 1])\n")
    environment = dict(os.environ, MYPYPATH=str(FOLDER))
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", SETTINGS, "wrong.py"], cwd=tmp_path,
                          env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "positon" in done.stdout
