"""Errors: the documented class, the place in the user's script, the hint; never a crash."""
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import ball_scene
from helper_far import add_bad_ball

import cairn


def line_of(text):
    return next(i for i, line in enumerate(Path(__file__).read_text().splitlines(), 1) if text in line)


def test_error_leads_to_the_line_that_added_the_body():
    scene = cairn.Scene()
    scene.ground()
    scene.body("bad", cairn.sphere(-1), position=[0, 0, 1])  # the bad one
    with pytest.raises(cairn.SceneError) as caught:
        cairn.Sim(scene)
    error = caught.value
    assert error.file == __file__ and error.line == line_of("# the bad one")
    assert error.path == "bodies[1]" and error.message == "radius must be above 0, not -1"
    assert str(error) == f"{__file__}:{error.line}: bodies[1]: radius must be above 0, not -1"


def test_error_leads_to_another_file():
    scene = ball_scene()
    add_bad_ball(scene)
    with pytest.raises(cairn.SceneError) as caught:
        cairn.Sim(scene)
    assert Path(caught.value.file).name == "helper_far.py" and caught.value.line == 6


def test_overlap_at_the_start_leads_to_the_line():
    scene = cairn.Scene(friction=0)
    scene.body("a", cairn.sphere(1))
    scene.body("b", cairn.sphere(1), position=[0.5, 0, 0])  # overlaps
    with pytest.raises(cairn.SceneError, match="overlap") as caught:
        cairn.Sim(scene)
    assert caught.value.line in (line_of("# overlaps"), line_of("# overlaps") - 1)


def test_unknown_key_has_a_hint():
    scene = cairn.Scene()
    scene.body("a", cairn.sphere(1), positon=[0, 0, 1])
    with pytest.raises(cairn.SceneError) as caught:
        scene.model()
    assert "position" in caught.value.hint and caught.value.file == __file__


def test_settings_lead_to_the_scene():
    scene = cairn.Scene(step=-1)  # the settings
    scene.body("a", cairn.sphere(1))
    with pytest.raises(cairn.SceneError) as caught:
        scene.model()
    assert caught.value.line == line_of("# the settings") and caught.value.path == "time"


def test_nan_is_named():
    scene = cairn.Scene()
    scene.body("a", cairn.sphere(1), position=[0, 0, float("nan")])
    with pytest.raises(cairn.SceneError, match="number") as caught:
        scene.model()
    assert caught.value.path == "bodies[0]"


def test_file_errors(tmp_path):
    with pytest.raises(FileNotFoundError):
        cairn.load(tmp_path / "absent.yaml")
    with pytest.raises(FileNotFoundError):
        cairn.Sim(str(tmp_path / "absent.yaml"))
    with pytest.raises(FileNotFoundError):
        cairn.Run(tmp_path / "absent.run")
    with pytest.raises(FileNotFoundError):
        cairn.Problem.read(tmp_path / "absent.hdf5")
    bad = tmp_path / "bad.yaml"
    bad.write_text("cairn: 1\nbodies:\n  - {name: a, materiel: x}\n")
    with pytest.raises(cairn.SceneError) as caught:
        cairn.Sim(bad)
    assert caught.value.file == str(bad) and caught.value.line == 3 and caught.value.column > 0
    (tmp_path / "no.run").write_bytes(b"this is not a run file")
    with pytest.raises((cairn.Error, OSError)):
        cairn.Run(tmp_path / "no.run")
    (tmp_path / "no.dat").write_text("what")
    with pytest.raises(cairn.SceneError):
        cairn.Problem.read(tmp_path / "no.dat")
    with pytest.raises(OSError):
        cairn.Sim(ball_scene(), record=tmp_path / "no" / "folder" / "x.run")


def test_names_have_hints():
    sim = cairn.Sim(ball_scene())
    with pytest.raises(KeyError, match='did you mean "ball"'):
        sim["bal"]
    with pytest.raises(KeyError, match='did you mean "masonry-arch"'):
        cairn.gallery("masonry-arc")
    with pytest.raises(cairn.ArgumentError, match="nsgs") as caught:
        cairn.solve(np.eye(3), [-1, 0, 0], [0.3], solver="nsg")
    assert "did you mean" in caught.value.hint
    with pytest.raises(IndexError):
        sim[2]
    with pytest.raises(IndexError):
        sim[-3]
    assert sim[-1].name == "ball"


def test_strict_makes_a_missed_tolerance_an_error():
    scene = cairn.gallery("masonry-arch", {"solver.tolerance": 1e-14, "solver.max_iterations": 1,
                                           "solver.on_stall": "continue"})
    assert cairn.Sim(scene).step().outcome != "solved"
    sim = cairn.Sim(scene, strict=True)
    with pytest.raises(cairn.NumericError) as caught:
        sim.step(5)
    assert caught.value.report.step == 1 and isinstance(caught.value, ArithmeticError)
    sim.strict = False
    assert sim.step().step == 2


def test_stopping_policy_raises_numeric_error():
    scene = cairn.gallery("masonry-arch", {"solver.tolerance": 1e-14, "solver.max_iterations": 1,
                                           "solver.on_stall": "stop"})
    sim = cairn.Sim(scene)
    before = sim.hash
    with pytest.raises(cairn.NumericError):
        sim.step(3)
    assert sim.hash == before and sim.step_index == 0


def test_errors_pickle():
    scene = cairn.Scene(step=-1)
    scene.body("a", cairn.sphere(1))
    error = scene.check()[0]
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error) and again.line == error.line


def test_warnings_of_the_model_are_python_warnings():
    scene = ball_scene()
    scene.contact("default", "default", friction=50)
    with pytest.warns(cairn.Warning, match="friction"):
        cairn.Sim(scene)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(scene.model().warnings) == 1
    assert len(scene.check()) == 1


def test_check_lists_nothing_for_a_good_scene():
    assert ball_scene().check() == []


def test_what_was_never_made_or_is_closed_says_so(tmp_path):
    for kind in (cairn.Sim, cairn.Model, cairn.Run, cairn.Problem):
        bare = kind.__new__(kind)
        for call in (lambda b: b.step(), lambda b: b.save(), lambda b: b.dimension, lambda b: b._facts(),
                     lambda b: b.frame_count, lambda b: b.time, lambda b: b.hash):
            with pytest.raises((RuntimeError, ValueError, AttributeError)):
                call(bare)
    sim = cairn.Sim(ball_scene(), record=tmp_path / "x.run")
    sim.step(10)
    sim.close()
    sim.close()
    assert repr(sim) == "<cairn.Sim, closed>" and sim.closed
    for call in (sim.step, sim.save, lambda: sim.q, lambda: sim.contacts, lambda: sim["ball"].position,
                 lambda: sim.time, lambda: sim.energy, sim.copy, sim.problem):
        with pytest.raises(RuntimeError, match="closed"):
            call()
    run = cairn.Run(tmp_path / "x.run")
    run.close()
    for call in (lambda: run[0], lambda: run.times, lambda: run.ledger, run.check, lambda: len(run)):
        with pytest.raises(ValueError, match="closed"):
            call()


def test_solver_of_a_simulation():
    assert cairn.Sim(ball_scene(), solver="lemke").model.settings["solver"] == "lemke"
    with pytest.raises(cairn.SceneError, match="solver"):
        cairn.Sim(ball_scene(), solver="lemkee")
    with pytest.raises(cairn.ArgumentError, match="a solver is a function"):
        cairn.Sim(ball_scene(), solver=3)
    pendulum = cairn.gallery("pendulum")
    with pytest.raises(cairn.UnsupportedError, match="does not take joints"):
        cairn.Sim(pendulum, solver=cairn.solver(lambda p, r, u, t: 1))
    flat = cairn.gallery("newtons-cradle")
    with pytest.raises(cairn.UnsupportedError, match="does not take problems in 2D"):
        cairn.Sim(flat, solver=cairn.solver(lambda p, r, u, t: 1, dim=3))
    with pytest.raises(cairn.ArgumentError, match="a model has its solver"):
        cairn.Sim(cairn.Model(ball_scene()), solver="lemke")
