"""A little of everything, also under AddressSanitizer."""
import numpy as np
import pytest
from conftest import ball_scene, wall_scene

import cairn


def test_simulation(tmp_path):
    sim = cairn.Sim(wall_scene(3, 3), threads=2, record=tmp_path / "x.run")
    kept = []
    for report in sim.steps(n=20):
        kept.append((sim.q, sim.v, sim.contacts.force, sim.positions, report))
    state = sim.save()
    sim.step(3)
    sim["ground"].contact_force, sim[1].velocity, sim.energy, repr(sim), sim.problem().solve()
    sim.restore(state)
    sim.close()
    run = cairn.Run(tmp_path / "x.run")
    run[0].contacts.pairs(), run.ledger, run.events, run.bodies, run.check(), run.track(1)
    assert np.isfinite(kept[0][0]).all()


def test_acting():
    scene = ball_scene()
    scene.force("ball", ["input(push)", 0, 0])
    sim = cairn.Sim(scene)
    sim.inputs["push"] = 1
    sim["ball"].velocity = [1, 0, 0]
    sim["ball"].apply([0, 0, 1], point=[0, 0, 0.1])
    sim.set_loads(np.ones((2, 6))*[[0], [1]])
    sim.step(5)
    pendulum = cairn.Sim(cairn.gallery("pendulum"))
    pendulum.step(3)
    assert pendulum.joints[0].rate == pendulum.joints.rate[0]


def test_bodies_that_come_and_go():
    sim = cairn.Sim(ball_scene())
    start = sim.save()
    body = sim.add_body("more", [cairn.sphere(0.1), cairn.box(0.1, 0.1, 0.3)], position=[1, 0, 1])
    sim.add_joint("ball", "ball", body, point=[0.5, 0, 1])
    before = sim.model
    sim.step(5)
    sim.contacts_begun, sim.contacts_ended, sim.columns, sim.ray_all([0, 0, 5], [0, 0, -1]), sim.closest([0, 0, 5])
    sim.overlaps(cairn.box(9, 9, 9), ignore=["ground"])
    sim.remove_joint(0)
    sim.remove("ball")
    with pytest.raises(RuntimeError):
        before.body_count
    sim.progress = lambda *unused: True
    sim.copy().step(3)
    sim.step(3)
    sim.restore(start)
    sim.step(3)
    for call in (lambda: sim.add_body(cairn.sphere(-1)), lambda: sim._add_body("x", "["), lambda: sim._add_joint("", "{}"),
                 lambda: sim._ray(True, (0, 0, 0), (0, 0, 1), 1, b"x"), lambda: sim.remove(17)):
        with pytest.raises((ValueError, TypeError, IndexError, cairn.Error)):
            call()


def test_errors():
    scene = cairn.Scene()
    scene.body("a", cairn.sphere(-1))
    assert scene.check()
    sim = cairn.Sim(ball_scene())
    for call in (lambda: sim.step(-1), lambda: sim.step("x"), lambda: sim.step(until=float("nan")),
                 lambda: sim.restore(b"x"), lambda: sim[9], lambda: sim.set_state(q=np.zeros(3)),
                 lambda: sim._set_state(b"", None, 0), lambda: sim._read_into(np.zeros(3), None)):
        with pytest.raises((ValueError, TypeError, IndexError)):
            call()


def test_problems(tmp_path):
    p = cairn.Problem.planted(10)
    p.write(tmp_path / "p.hdf5", p.solve())
    cairn.Problem.read(tmp_path / "p.hdf5").grade(p.r)
    cairn.solve(p.W.tocsr(), p.q, p.mu, solver=lambda p, r, u, t: p.velocity(r, u) is None)
    cairn.Problem.lcp([[2, 1], [1, 2]], [-5, -6]).solve()
    with pytest.raises(cairn.Error):
        cairn.Problem(np.eye(3), [np.nan]*3, [1])


def test_systems():
    run = cairn.Lagrangian([1.0], mass=lambda q: [[1]], force=lambda t, q, v: [-9.81], gaps=lambda t, q: [q[0]],
                           restitution=0.5).run(step=1e-2)
    run.step(100)
    run.restore(run.save())
    assert run.impacts and cairn.FirstOrder([1.0], B=[[1]], C=[[1]], law="relay").run(step=0.1).step(5).outcome
