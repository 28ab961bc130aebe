"""The notebooks run, short; they check the paper's claims themselves."""
import os
import subprocess
import sys

import pytest
from conftest import SOURCE


def run(name, folder, **environment):
    done = subprocess.run([sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning",
                           SOURCE / "examples/notebooks" / name], cwd=folder, capture_output=True, text=True,
                          env=dict(os.environ, MPLBACKEND="svg", **environment), check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name, environment, pictures", [
    ("e1_bouncing_column.py", {"CAIRN_UNTIL": "1"}, ["e1-kinetic.svg", "e1-total.svg"]),
    ("e11_two_link.py", {"CAIRN_DECADES": "1"}, ["e11-tip.svg", "e11-counts.svg"]),
    ("first_steps.py", {"CAIRN_STEPS": "200"}, ["first-steps-forces.svg", "first-steps-slip.svg"]),
    ("compare_solvers.py", {"CAIRN_PROBLEMS": str(SOURCE / "corpus")},
     ["solvers-convergence.svg", "solvers-impulses.svg"])])
def test_notebook(name, environment, pictures, tmp_path):
    run(name, tmp_path, **environment)
    for picture in pictures:
        assert (tmp_path / picture).stat().st_size > 5000


def test_cells_are_marked():
    for file in (SOURCE / "examples/notebooks").glob("*.py"):
        text = file.read_text()
        assert text.startswith("# %% [markdown]\n# # ") and text.count("# %%") > 6
