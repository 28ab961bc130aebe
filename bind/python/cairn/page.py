"""The interactive page: in notebooks, as a file, in a browser."""
from __future__ import annotations

import atexit
import html
import os
import shutil
import subprocess
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import UnsupportedError

if TYPE_CHECKING:
    from .scene import Scene
    from .sim import Sim

_HEIGHT = 480  # [px] of the page in a notebook


def _command() -> str:
    """The command `cairn`: $CAIRN_COMMAND, in the package, beside it in a build tree, or on the PATH."""
    given = os.environ.get("CAIRN_COMMAND")
    if given:
        return given
    here = Path(__file__).resolve()
    for place in (here.parent / "bin/cairn", here.parents[2] / "cairn"):
        if place.is_file() and os.access(place, os.X_OK):
            return str(place)
    found = shutil.which("cairn")
    if found is None:
        raise UnsupportedError("the page is made by the command cairn, which is not on the PATH",
                               hint="install it, or let CAIRN_COMMAND name it")
    return found


def write_run(run: str | os.PathLike[str], path: str | os.PathLike[str]) -> None:
    """A run file as one HTML file."""
    done = subprocess.run([_command(), "export", os.fspath(run), "--to", "html", "-o", os.fspath(path), "--quiet"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(5, done.stderr.strip() or "the page could not be written", os.fspath(path))


def _with_run(sim: Sim, use: Any) -> Any:
    """use(path of a run file): that of the simulation, or one with this moment alone."""
    if sim._recording():
        sim._record_frame()
        sim._note(None)
        return use(sim._path)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "moment.run")
        twin = sim.copy()
        twin.record(path)
        twin.close()
        return use(path)


def write(sim: Sim, path: str | os.PathLike[str]) -> None:
    """What was recorded so far, or this moment, as one HTML file."""
    _with_run(sim, lambda run: write_run(run, path))


def _frame(page: str) -> str:
    return (f'<iframe srcdoc="{html.escape(page, quote=True)}" style="width: 100%; height: {_HEIGHT}px; border: 0" '
            'allowfullscreen></iframe>')


def frame_of_run(run: str) -> str:
    """The page of a run file for a notebook."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        write_run(run, path)
        return _frame(Path(path).read_text(encoding="utf-8"))


def frame_of(sim: Sim) -> str:
    """The page of a simulation for a notebook."""
    found: str = _with_run(sim, frame_of_run)
    return found


_servers: list[subprocess.Popen[str]] = []


def _end_servers(owner: int) -> None:
    if os.getpid() == owner:  # not in a child that was forked
        for server in _servers:
            server.terminate()
            server.communicate()


def live(scene: Scene) -> str:
    """Simulates a scene live in a browser, by the command, until this process ends; the address."""
    folder = tempfile.mkdtemp(prefix="cairn-")
    path = os.path.join(folder, f"{scene.name or 'scene'}.yaml")
    scene.save(path)
    server = subprocess.Popen([_command(), "view", "--no-browser", path], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    if not _servers:
        atexit.register(_end_servers, os.getpid())
    _servers.append(server)
    assert server.stdout is not None
    said = next((line.strip() for line in server.stdout if "http://" in line), None)
    shutil.rmtree(folder, ignore_errors=True)  # it was read
    if said is None:
        raise OSError(5, (server.communicate()[1] or "the page could not be served").strip())
    if os.environ.get("CAIRN_NO_BROWSER") is None:
        webbrowser.open(said)
    return said


def _open(write_to: Any) -> str:
    handle, path = tempfile.mkstemp(suffix=".html", prefix="cairn-")
    os.close(handle)
    write_to(path)
    if os.environ.get("CAIRN_NO_BROWSER") is None:
        webbrowser.open("file://" + path)
    return path


def show_run(run: str) -> str:
    """Opens the page of a run file in a browser."""
    return _open(lambda path: write_run(run, path))


def show(sim: Sim) -> str:
    """Opens the page of a simulation in a browser."""
    return _open(lambda path: write(sim, path))
