"""What is read stays what it was: after steps, restores and the end of the simulation."""
import gc

import numpy as np
import pytest
from conftest import ball_scene, wall_scene

import cairn


def test_arrays_stay_over_steps_restores_and_the_end():
    sim = cairn.Sim(ball_scene())
    history, copies, contacts = [], [], []
    start = sim.save()
    for _ in range(500):
        sim.step()
        history.append(sim.positions)
        copies.append(sim.positions.copy())
        contacts.append((sim.contacts, sim.contacts.gap.copy(), sim.contacts.impulse.copy()))
    sim.restore(start)
    del sim
    gc.collect()
    assert all((a == b).all() for a, b in zip(history, copies))
    assert all((c.gap == gap).all() and (c.impulse == impulse).all() for c, gap, impulse in contacts)
    assert history[0][1, 2] > history[-1][1, 2]


@pytest.mark.parametrize("name", ["q", "v", "positions", "orientations", "velocities", "angular_velocities"])
def test_writing_to_what_was_read_raises(name):
    sim = cairn.Sim(ball_scene())
    sim.step()
    with pytest.raises(ValueError):
        getattr(sim, name)[0] = 1
    with pytest.raises(ValueError):
        getattr(sim, name).flags.writeable = True


def test_writing_to_contacts_raises():
    sim = cairn.Sim(wall_scene())
    sim.step(10)
    for name in ("bodies", "status", "point", "gap", "impulse", "force", "normal_force"):
        with pytest.raises(ValueError):
            getattr(sim.contacts, name)[:] = 0


def test_shapes_and_meanings_of_arrays():
    sim = cairn.Sim(wall_scene())
    sim.step(5)
    n = len(sim)
    assert sim.q.shape == (n, 7) and sim.v.shape == (n, 6)
    assert sim.positions.shape == (n, 3) and sim.orientations.shape == (n, 4)
    assert np.allclose(np.linalg.norm(sim.orientations, axis=1), 1, atol=1e-12)
    assert (sim[3].position == sim.positions[3]).all() and (sim[3].velocity == sim.velocities[3]).all()
    assert sim.q is sim.q  # made once per step


def test_two_dimensions():
    scene = cairn.Scene(dimension=2, friction=0)
    scene.ground()
    scene.body("disk", cairn.disk(0.1), position=[0, 0.1], velocity=[1, 0], angular_velocity=-10)
    sim = cairn.Sim(scene)
    sim.step(10)
    assert sim.q.shape == (2, 3) and sim.v.shape == (2, 3)
    assert sim.orientations.shape == (2,) and sim.angular_velocities[1] == pytest.approx(-10)
    assert sim["disk"].angle == pytest.approx(-0.1, rel=1e-6)
    assert sim.contacts.point.shape == (1, 2)


def test_reading_into_given_arrays():
    sim = cairn.Sim(wall_scene())
    sim.step(3)
    q, v = np.empty((len(sim), 7)), np.empty((len(sim), 6))
    x = np.empty((len(sim), 3))
    sim.read(q=q, v=v, positions=x)
    assert (q == sim.q).all() and (v == sim.v).all() and (x == sim.positions).all()


def test_forces_balance_the_weight():
    sim = cairn.Sim(wall_scene(tolerance=1e-10))
    report = sim.step(300)
    assert report.outcome == "solved"
    weight = 16 * 0.4*0.2*0.2 * 2000 * 9.81
    assert sim.contacts.on("ground").sum(axis=0) == pytest.approx([0, 0, -weight], abs=1e-4*weight)
    assert sim["ground"].contact_force[2] == pytest.approx(-weight, rel=1e-6)
    c = sim.contacts
    assert (c.tangential_force <= c.friction*c.normal_force*(1 + 1e-9) + 1e-12).all()
    p, q, n = c.pairs()
    assert len(p) == len(q) == len(n) == (c.status > cairn.OPEN).sum() and n.min() > 0


@pytest.mark.parametrize("how", ["step", "restore", "set_state", "close", "del"])
def test_contacts_that_are_kept_have_all_columns_of_their_step(how):
    sim, twin = cairn.Sim(wall_scene()), cairn.Sim(wall_scene())
    sim.step(5)
    twin.step(5)
    kept, wanted = sim.contacts, twin.contacts
    columns = ("velocity", "velocity_before", "shift")
    values = [getattr(wanted, name).copy() for name in columns]
    if how == "step":
        sim.step(3)
    elif how == "restore":
        sim.restore(sim.save())
    elif how == "set_state":
        sim.set_state(v=np.zeros_like(sim.v))
    elif how == "close":
        sim.close()
    else:
        del sim
        gc.collect()
    for name, value in zip(columns, values):
        assert value.any() and (getattr(kept, name) == value).all(), name
