"""Builds the wheel: CMake makes the extension and gathers the package's files. The rest is in pyproject.toml."""
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    """Runs CMake's target `python` and copies what it made."""

    def build_extension(self, ext):
        build = Path(self.build_temp).resolve()
        options = shlex.split(os.environ.get("CAIRN_WHEEL_OPTIONS", ""))
        ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
        subprocess.run(["cmake", "-S", SOURCE, "-B", build, *ninja, "-DCMAKE_BUILD_TYPE=Release", "-DCAIRN_TESTS=OFF",
                        f"-DCAIRN_PYTHON={sys.executable}", *options], check=True)
        jobs = os.environ.get("JOBS", str(os.cpu_count() or 1))
        # The command draws the pages of notebooks; CAIRN_WHEEL_COMMAND=0 leaves it out.
        command = os.environ.get("CAIRN_WHEEL_COMMAND", "1") != "0"
        subprocess.run(["cmake", "--build", build, "-j", jobs, "--target", "python", *["cairn"]*command], check=True)
        target = Path(self.get_ext_fullpath(ext.name)).parent
        shutil.copytree(build / "python/cairn", target, dirs_exist_ok=True)
        if command:
            (target / "bin").mkdir(exist_ok=True)
            shutil.copy2(build / "cairn", target / "bin/cairn")


def version():
    """That of CMakeLists.txt."""
    return re.search(r"project\(cairn VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)


setup(version=version(), ext_modules=[Extension("cairn._core", [], py_limited_api=True)],
      cmdclass={"build_ext": CMakeBuild}, options={"bdist_wheel": {"py_limited_api": "cp311"}})
