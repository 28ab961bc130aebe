"""The tutorial's examples: one script, made of the page's blocks, run from top to bottom with its pictures."""
import os
import re
import shutil
import subprocess
import sys

from conftest import SOURCE

PAGE = SOURCE / "docs/tutorial/python/README.md"
NAMES = ["1 Hello world", "2 A wall by loops", "3 Contact forces as numpy", "4 A gallery scene", "5 A run file",
         "6 One-step problems", "7 A controller", "8 A sweep", "9 Checkpoint", "10 A gym-like loop", "11 Write a scene",
         "12 The ledger", "13 A friction solver"]


def script_of(page):
    """The page's blocks of Python, on the lines that they have in the page."""
    lines, inside = [], False
    for line in page.read_text().splitlines():
        if line.startswith("```"):
            inside = line == "```python"
            lines.append("")
        else:
            lines.append(line if inside else "")
    return "\n".join(lines) + "\n"


def test_examples_run_and_draw_their_pictures(tmp_path):
    text = PAGE.read_text()
    headings = re.findall(r"^## (\d+ .*)$", text, re.M)
    assert [h.startswith(n) for h, n in zip(headings, NAMES)] == [True]*13
    script = tmp_path / "tutorial.py"
    script.write_text(script_of(PAGE))
    for name in ("arm.yaml", "cartpole.yaml"):
        shutil.copy(SOURCE / "examples/python" / name, tmp_path)
    environment = dict(os.environ, MPLBACKEND="svg")
    done = subprocess.run([sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning", script.name],
                          cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    pictures = re.findall(r"pictures/python/([\w-]+\.svg)", text)
    assert len(pictures) == 8
    for picture in pictures:
        assert (tmp_path / picture).stat().st_size > 2000, picture
        assert (SOURCE / "docs/pictures/python" / picture).exists(), "tools/python_docs.sh renews the pictures"
    assert "tutorial.py:" in done.stdout and "radius must be above 0, not -1" in done.stdout
    assert "within tolerance" in done.stdout and "NOT within" not in done.stdout


def test_wall_of_a_hundred_bricks_has_nine_lines(tmp_path):
    """The job of the design page: bricks on a ground, 2 s, the force on the ground."""
    lines = WALL.strip().splitlines()
    assert len(lines) <= 9
    done = subprocess.run([sys.executable, "-W", "error", "-c", WALL], cwd=tmp_path, capture_output=True, text=True,
                          timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    force = [float(x) for x in done.stdout.strip("[] \n").split()]
    weight = 100 * 0.4*0.2*0.2 * 2000 * 9.81
    assert abs(force[2] + weight) < 2e-3*weight and abs(force[0]) < 1e-3*weight


WALL = """
import cairn
scene = cairn.Scene(friction=0.6, density=2000)
scene.ground()
for i in range(10):
    for j in range(10):
        scene.body(shape=cairn.box(0.4, 0.2, 0.2), position=[0.4*j + 0.1*(i % 2), 0, 0.1 + 0.2*i])
sim = cairn.Sim(scene)
sim.step(until=2)
print(sim.contacts.on("ground").sum(axis=0))
"""
