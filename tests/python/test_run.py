"""Recording and reading runs."""
import json
import os
import subprocess
import sys
import urllib.request

import numpy as np
import pytest
from conftest import ball_scene, wall_scene

import cairn


@pytest.fixture
def arch(tmp_path):
    path = tmp_path / "arch.run"
    with cairn.Sim(cairn.gallery("masonry-arch", {"time.until": 0.05, "time.frames_every": 0.01}),
                   record=path) as sim:
        sim.step(until=0.05)
        state = sim.hash
    return cairn.Run(path), state


def test_frames_of_a_run(arch):
    run, state = arch
    assert len(run) == 6 and run.times == pytest.approx([0, 0.01, 0.02, 0.03, 0.04, 0.05])
    assert run[-1].time == run.times[-1] == run.at(7).time and run.at(0.021).time == pytest.approx(0.02)
    assert [f.step for f in run[1:3]] == run.steps[1:3].tolist() and len(list(run)) == 6
    assert run.hash == state and run.dimension == run.model.dimension
    frame = run[3]
    assert frame.q.shape == (run.body_count, 7 if run.dimension == 3 else 3)
    assert len(frame.contacts) > 0 and frame.contacts.normal_force.max() > 0
    name = next(n for n in run.names if n)
    assert (frame[name].position == frame.positions[run.names.index(name)]).all()
    with pytest.raises(IndexError):
        run[6]
    with pytest.raises(KeyError):
        run.track("none")
    with pytest.raises(cairn.ArgumentError):
        run.at(float("nan"))


def test_track_is_what_the_frames_have(arch):
    run, _ = arch
    track = run.track(3)
    assert (track.position == np.array([f.positions[3] for f in run])).all()
    assert (track.velocity == np.array([f.velocities[3] for f in run])).all()
    assert (track.t == run.times).all() and len(track) == len(run)
    last = run.track(-1)
    assert (last.q == np.array([f.q[len(run.names) - 1] for f in run])).all() and not last.q.flags.writeable


def test_ledger(arch):
    run, _ = arch
    ledger = run.ledger
    assert ledger["t"][-1] == pytest.approx(0.05) and len(ledger["t"]) == len(ledger["residual"])
    assert set(ledger["outcome"]) == {"solved"} and "kinetic" in ledger and ledger["contacts"].dtype == np.int32
    with pytest.raises(KeyError, match="did you mean"):
        ledger["kinetik"]
    with pytest.raises(ImportError, match="pandas"):
        try:
            import pandas  # noqa: F401
        except ImportError:
            ledger.to_pandas()
        else:
            raise ImportError("pandas is there")


def test_columns_of_a_run(tmp_path):
    with cairn.Sim(ball_scene(record=[{"name": "place", "position": "ball"}]), record=tmp_path / "x.run") as sim:
        heights = [sim["ball"].position[2] for _ in sim.steps(n=30)]
    columns = cairn.Run(tmp_path / "x.run").columns
    assert len(columns) == 5 and columns["place.z"].tolist() == heights and columns["step"].tolist() == list(range(1, 31))
    with cairn.Sim(ball_scene(), record=tmp_path / "y.run") as sim:
        sim.step(3)
    assert set(cairn.Run(tmp_path / "y.run").columns) == {"step", "t"}


def test_check_and_the_command_agree(arch, command):
    run, _ = arch
    check = run.check()
    assert check and check.within and check.complete, str(check)
    assert "within tolerance" in str(check)
    told = json.loads(command("check", run.path, "--json"))
    assert told["within"] is True and told["complete"] is True


def test_run_that_is_changed_is_found(arch, tmp_path):
    import sqlite3
    run, _ = arch
    run.close()
    with sqlite3.connect(run.path) as file:
        file.execute("UPDATE frame SET q = randomblob(length(q)) WHERE step = (SELECT max(step) FROM frame)")
    file.close()
    check = cairn.Run(run.path).check()
    assert not check and not check.within and check.finding_count > 0 and check.findings


def test_command_can_resume_what_python_recorded(tmp_path, command):
    scene = cairn.gallery("bouncing-ball", {"time.until": 0.4})
    sim = cairn.Sim(scene, record=tmp_path / "a.run")
    sim.step(until=0.2)
    sim.close()
    whole = cairn.Sim(scene)
    whole.step(until=0.4)
    told = json.loads(command("resume", tmp_path / "a.run", "--json", "--quiet"))
    assert told["state_hash"] == whole.hash


def test_recording_ends_when_nobody_holds_the_simulation(tmp_path):
    sim = cairn.Sim(ball_scene(until=0.1), record=tmp_path / "x.run")
    sim.step(until=0.1)
    state = sim.hash
    del sim
    assert cairn.Run(tmp_path / "x.run").hash == state


def test_reading_while_writing(tmp_path):
    sim = cairn.Sim(ball_scene(frames_every=0.01), record=tmp_path / "x.run")
    run = cairn.Run(tmp_path / "x.run")
    assert len(run) == 1
    sim.step(100)
    sim._note("looked at")
    run.refresh()
    assert len(run) > 1 and run.times[-1] > 0 and any("looked at" in text for _, _, text in run.events)


def test_frames_of_a_simulation():
    sim = cairn.Sim(ball_scene(step=1e-3))
    frames = list(sim.frames(every=0.05, until=0.2))
    assert [f.time for f in frames] == pytest.approx([0.05, 0.1, 0.15, 0.2])
    assert frames[0]["ball"].position[2] > frames[-1]["ball"].position[2]
    assert frames[0].report.step == 50 and sim.time == pytest.approx(0.2)
    sim.step(3)
    assert [f.time for f in sim.frames(every=0.05, until=0.3)] == pytest.approx([0.25, 0.3])
    assert len(list(sim.frames(every=0, until=0.31))) == 10


def test_page(arch, tmp_path):
    run, _ = arch
    run.html(tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text()
    assert "<html" in text.lower() and len(text) > 10000
    assert run._repr_html_().startswith("<iframe")
    sim = cairn.Sim(wall_scene(2, 2))
    sim.step(3)
    assert "<iframe" in sim._repr_html_() and "<iframe" in wall_scene(2, 2)._repr_html_()
    sim.html(tmp_path / "sim.html")
    assert (tmp_path / "sim.html").stat().st_size > 10000


def test_live_view_ends_with_the_process(tmp_path):
    script = tmp_path / "live.py"
    script.write_text("import cairn, urllib.request\nscene = cairn.gallery('bouncing-ball')\naddress = scene.view()\n"
                      "page = urllib.request.urlopen(address, timeout=20).read().decode()\n"
                      "print(address, '<html' in page.lower())\n")
    done = subprocess.run([sys.executable, "-W", "error", script], env=dict(os.environ, CAIRN_NO_BROWSER="1"),
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    address, is_page = done.stdout.split()
    assert is_page == "True"
    with pytest.raises(OSError):
        urllib.request.urlopen(address, timeout=5)
    assert not list(tmp_path.glob("cairn-*"))


def test_command_is_named_when_it_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("CAIRN_COMMAND", str(tmp_path / "no"))
    with pytest.raises(OSError):
        ball_scene().html(tmp_path / "x.html")
