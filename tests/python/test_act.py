"""Acting on a simulation: states, loads, inputs, joints."""
import numpy as np
import pytest
from conftest import ball_scene

import cairn


def free_ball(**keys):
    scene = cairn.Scene(friction=0, gravity=[0, 0, 0], step=1e-2, **keys)
    scene.body("ball", cairn.sphere(0.1), mass=2)
    return scene


def test_velocity_and_position_can_be_set():
    sim = cairn.Sim(free_ball())
    sim["ball"].velocity = [1, 2, 3]
    sim.step(10)
    assert sim["ball"].position == pytest.approx([0.1, 0.2, 0.3], abs=1e-14)
    sim["ball"].position = [5, 0, 0]
    sim["ball"].angular_velocity = [0, 0, 1]
    sim.step(10)
    assert sim["ball"].position == pytest.approx([5.1, 0.2, 0.3], abs=1e-13)
    assert sim["ball"].angular_velocity == pytest.approx([0, 0, 1])


def test_set_state_checks_its_input():
    sim = cairn.Sim(free_ball())
    for bad in (np.zeros((2, 6)), np.zeros(5), "velocity", [[np.nan]*6], [[None]*6]):
        with pytest.raises((cairn.ArgumentError, TypeError)):
            sim.set_state(v=bad)
    before = sim.hash
    with pytest.raises(cairn.ArgumentError):
        sim.set_state(q=np.full((1, 7), np.nan))
    assert sim.hash == before


def test_loads_accelerate():
    sim = cairn.Sim(free_ball())
    sim.set_loads([[4, 0, 0, 0, 0, 0]])
    sim.step(100)
    assert sim["ball"].velocity[0] == pytest.approx(4/2 * 1.0, rel=1e-12)
    sim.set_loads(None)
    sim.step(100)
    assert sim["ball"].velocity[0] == pytest.approx(2.0, rel=1e-12)


def test_forces_act_for_one_step_and_impulses_at_once():
    sim = cairn.Sim(free_ball())
    sim["ball"].apply(force=[0, 0, 10])
    sim.step(5)
    assert sim["ball"].velocity[2] == pytest.approx(10/2 * 1e-2, rel=1e-12)
    sim["ball"].apply_impulse([2, 0, 0])
    assert sim["ball"].velocity[0] == pytest.approx(1, rel=1e-12)
    with pytest.raises(cairn.ArgumentError):
        sim["ball"].apply(force=[1, 2])
    with pytest.raises(cairn.ArgumentError):
        sim["ball"].apply(force=[1, 2, float("inf")])


def test_inputs_are_live_and_part_of_the_state():
    scene = free_ball()
    scene.force("ball", ["input(push)", 0, "2*input(lift)"])
    sim = cairn.Sim(scene)
    assert list(sim.inputs) == ["push", "lift"] and len(sim.inputs) == 2
    sim.inputs["push"] = 3
    sim.inputs[1] = 1
    state = sim.save()
    assert np.asarray(sim.inputs).tolist() == [3, 1]
    sim.step(100)
    assert sim["ball"].velocity == pytest.approx([1.5, 0, 1], rel=1e-12)
    sim.inputs[:] = 0
    sim.restore(state)
    assert sim.inputs["push"] == 3
    with pytest.raises(KeyError, match='did you mean "push"'):
        sim.inputs["pusch"] = 1
    with pytest.raises(cairn.ArgumentError):
        sim.inputs["push"] = float("nan")
    with pytest.raises((IndexError, ValueError)):
        sim.inputs[2] = 1


def test_rollout_with_inputs():
    scene = free_ball()
    scene.force("ball", ["input(push)", 0, 0])
    sim = cairn.Sim(scene)
    states = [sim.save()]*4
    out = cairn.rollout(sim.model, states, inputs=[[0], [1], [2], [3]], steps=100)
    assert out.v[:, 0, 0] == pytest.approx([0, 0.5, 1, 1.5], rel=1e-12)
    varied = cairn.rollout(sim.model, states[:1], inputs=np.linspace(0, 1, 100).reshape(1, 100, 1), steps=100)
    assert varied.v[0, 0, 0] == pytest.approx(0.25, rel=1e-12)


def test_joints():
    sim = cairn.Sim(cairn.gallery("pendulum"))
    sim.step(100)
    joint = sim.joints[0]
    assert joint.kind == "hinge" and joint.value == sim.joints.value[0]
    before = sim.joints
    value = before.value[0]
    sim.step(100)
    assert before.value[0] == value != sim.joints.value[0]
    with pytest.raises(IndexError):
        sim.joints[1]
    with pytest.raises(KeyError):
        sim.joints["none"]
    with pytest.raises(AttributeError):
        joint.torqe


def test_a_controller_keeps_a_slider_where_it_is_told():
    scene = cairn.Scene(friction=0, step=1e-3)
    scene.body("rail", cairn.box(4, 0.1, 0.1), fixed=True)
    scene.body("cart", cairn.box(0.2, 0.2, 0.2), mass=1)
    scene.joint("slider", "rail", "cart", point=[0, 0, 0], axis=[1, 0, 0], name="drive", motor={"force": "input(u)"})
    sim = cairn.Sim(scene)
    for _ in sim.steps(until=2):
        joint = sim.joints["drive"]
        sim.inputs["u"] = 60*(0.5 - joint.value) - 15*joint.rate
    assert sim.joints["drive"].value == pytest.approx(0.5, abs=1e-4)
    assert sim.joints["drive"].effort == pytest.approx(0, abs=1e-2)


def test_gravity_and_friction_can_be_steered():
    sim = cairn.Sim(ball_scene())
    sim.gravity = [0, 0, 0]
    z = sim["ball"].position[2]
    sim.step(50)
    assert sim["ball"].position[2] == z
    with pytest.raises(cairn.ArgumentError):
        sim.friction_factor = -1
    with pytest.raises(cairn.ArgumentError):
        sim.gravity = [0, 0]


def test_rays():
    scene = cairn.Scene(dimension=2, friction=0.5)
    scene.ground()
    scene.body("box", cairn.box(0.2, 0.2), position=[0, 1])
    sim = cairn.Sim(scene)
    hit = sim.ray([-1, 1.05], [2, 0])
    assert hit.body.name == "box" and hit.shape == 0 and hit.distance == pytest.approx(0.9, abs=1e-12)
    assert hit.point == pytest.approx([-0.1, 1.05]) and hit.normal == pytest.approx([-1, 0])
    assert sim.ray([-1, 1.05], [2, 0], 0.5) is None and sim.ray([-1, 5], [0, 1]) is None
    sim.step(100)  # falls by g t^2 / 2
    fallen = sim["box"].position[1]
    assert sim.ray([0, 3], [0, -1]).distance == pytest.approx(3 - fallen - 0.1, abs=1e-9)
    assert sim.ray([0, 3], [0, -1], ignore="box").body.name == "ground"
    sim.remove("box")
    assert sim.ray([0, 3], [0, -1]).body.name == "ground"
    for wrong in (([0, 0, 0], [0, 1]), ([0, 0], [0, 0]), ([np.nan, 0], [0, 1])):
        with pytest.raises(cairn.ArgumentError):
            sim.ray(*wrong)
    with pytest.raises(cairn.ArgumentError):
        sim.ray([0, 0], [0, 1], -1)


def test_bodies_that_are_taken_out():
    scene = cairn.Scene(friction=0.5)
    scene.ground()
    for i in range(3):
        scene.body(f"box {i}", cairn.box(0.2, 0.2, 0.2), position=[0, 0, 0.1 + 0.2*i])
    sim = cairn.Sim(scene)
    sim.step(5)
    before = sim.save()
    sim.remove("box 1")
    assert not sim.has("box 1") and sim.has("box 2") and len(sim.q) == 4
    sim.step(50)
    assert sim["box 2"].velocity[2] < -0.2 and (sim.v[2] == 0).all() and sim["box 0"].position[2] == pytest.approx(0.1)
    with pytest.raises(cairn.Error):
        sim.remove("box 1")
    after = sim.save()
    other = cairn.Sim(scene)
    other.restore(after)
    assert other.hash == sim.hash and not other.has(2)
    sim.restore(before)
    assert sim.has("box 1") and sim.contacts.status.shape == (len(sim.contacts),) and len(sim.contacts) > 0
    with pytest.raises(IndexError):
        sim.remove(17)
    flying = cairn.Sim(scene)
    flying.remove(flying["box 2"])
    assert not flying.has("box 2")
