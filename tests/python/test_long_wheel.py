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
                   "cairn/scenes/masonry-arch.yaml", "cairn/bin/cairn"):
        assert wanted in names, wanted
    target = tmp_path / "empty"
    subprocess.run([*pip, "install", "--target", target, "--no-deps", "--no-index", wheel], env=environment, check=True)
    script = ("import cairn; sim = cairn.Sim(cairn.gallery('bouncing-ball')); sim.step(10); "
              "page = sim._repr_html_(); assert len(page) > 10000; print(cairn.__file__, sim.hash)")
    environment.pop("CAIRN_COMMAND", None)
    done = subprocess.run([sys.executable, "-c", script], env=dict(environment, PYTHONPATH=str(target)), cwd=tmp_path,
                          capture_output=True, text=True, check=True)
    file, state = done.stdout.split()
    import cairn
    sim = cairn.Sim(cairn.gallery("bouncing-ball"))
    sim.step(10)
    assert file.startswith(str(target)) and state == sim.hash


def test_configuration_of_wheels_is_whole():
    """What cibuildwheel is told, as far as it can be looked at without it."""
    import tomllib
    with open(SOURCE / "pyproject.toml", "rb") as file:
        settings = tomllib.load(file)
    wheels = settings["tool"]["cibuildwheel"]
    assert wheels["build"] == "cp311-*" and wheels["linux"]["archs"] == ["x86_64", "aarch64"]
    assert wheels["linux"]["manylinux-x86_64-image"] == "manylinux_2_28" and wheels["macos"]["archs"] == ["x86_64", "arm64"]
    assert "CAIRN_CHOLMOD=OFF" in wheels["environment"]["CAIRN_WHEEL_OPTIONS"]
    words = wheels["test-command"].replace("{project}", str(SOURCE)).split()
    assert all(os.path.exists(word) for word in words if word.startswith("/"))
    assert settings["project"]["requires-python"] == ">=3.11" and settings["build-system"]["requires"][0].startswith("setup")
    assert (SOURCE / "bind/python/core/core.h").read_text().count("Py_LIMITED_API 0x030B0000") == 1


def test_other_pythons_take_the_same_file():
    """Whatever Python from 3.11 on is there and has numpy gives the same hash."""
    import cairn
    folder = os.path.dirname(os.path.dirname(cairn.__file__))
    script = "import cairn; sim = cairn.Sim(cairn.gallery('bouncing-ball')); sim.step(10); print(sim.hash)"
    found = 0
    # Of every folder: the first of the path may be another than the one that has numpy.
    pythons = {os.path.realpath(os.path.join(place, f"python3.{minor}"))
               for place in os.get_exec_path() for minor in range(11, 15)}
    for python in sorted(pythons):
        if not os.path.exists(python) or subprocess.run([python, "-c", "import numpy"], capture_output=True,
                                                        check=False).returncode:
            continue
        done = subprocess.run([python, "-c", script], env=dict(os.environ, PYTHONPATH=folder), capture_output=True,
                              text=True, check=True)
        sim = cairn.Sim(cairn.gallery("bouncing-ball"))
        sim.step(10)
        assert done.stdout.strip() == sim.hash
        found += 1
    assert found
