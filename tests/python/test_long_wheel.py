"""The wheel, built offline with Debian's setuptools, installs into an empty folder and runs."""
import os
import subprocess
import sys
import zipfile

from conftest import SOURCE


def test_wheel_is_built_offline_and_runs(tmp_path):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment["JOBS"] = "2"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    offline = ["--no-build-isolation", "--no-deps", "--no-index"]
    subprocess.run([*pip, "wheel", SOURCE, *offline, "-w", tmp_path], env=environment, check=True)
    wheel, = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-cp311-abi3-linux_x86_64.whl") or "-cp311-abi3-" in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in ("cairn/_core.abi3.so", "cairn/_core.pyi", "cairn/scene.pyi", "cairn/py.typed", "cairn/__init__.py",
                   "cairn/scenes/masonry-arch.yaml"):
        assert wanted in names, wanted
    target = tmp_path / "empty"
    subprocess.run([*pip, "install", "--target", target, "--no-deps", "--no-index", wheel], env=environment, check=True)
    script = ("import cairn; sim = cairn.Sim(cairn.gallery('bouncing-ball')); sim.step(10); "
              "print(cairn.__file__, sim.hash)")
    done = subprocess.run([sys.executable, "-c", script], env=dict(environment, PYTHONPATH=str(target)), cwd=tmp_path,
                          capture_output=True, text=True, check=True)
    file, state = done.stdout.split()
    import cairn
    sim = cairn.Sim(cairn.gallery("bouncing-ball"))
    sim.step(10)
    assert file.startswith(str(target)) and state == sim.hash
