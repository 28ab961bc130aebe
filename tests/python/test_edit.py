"""Bodies and joints that come and go, queries, pairs that begin to touch, columns, progress."""
import gc
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import ball_scene

import cairn


def empty_room(**keys):
    scene = cairn.Scene(friction=0.5, step=1e-2, gravity=[0, 0, 0], **keys)
    scene.body("first", cairn.sphere(0.1), position=[9, 9, 9], mass=1)
    return scene


def test_a_body_that_is_added_flies_as_one_of_the_scene():
    whole = empty_room()
    whole.body("second", cairn.box(0.1, 0.2, 0.3), position=[0, 0, 1], velocity=[1, 2, 3], angular_velocity=[0, 0, 2])
    sim, wanted = cairn.Sim(empty_room()), cairn.Sim(whole)
    body = sim.add_body("second", cairn.box(0.1, 0.2, 0.3), position=[0, 0, 1], velocity=[1, 2, 3],
                        angular_velocity=[0, 0, 2])
    assert body.index == 1 and body.name == "second" and len(sim) == 2 and sim.q.shape == (2, 7)
    assert body.mass == wanted["second"].mass and sim.model.shapes(1)[0]["kind"] == "box"
    sim.step(20)
    wanted.step(20)
    assert (sim.q == wanted.q).all() and (sim.v == wanted.v).all()
    assert body.position == pytest.approx([0.2, 0.4, 1.6], abs=1e-12)


def test_changed_simulations_are_saved_copied_and_pickled():
    sim = cairn.Sim(ball_scene())
    model = sim.model
    before = sim.save()
    sim.add_body(cairn.sphere(0.2), position=[2, 0, 1])
    changed = sim.model
    assert changed is sim.model is not model and changed.names == ["ground", "ball", ""]
    assert model.body_count == 2 and model.names == ["ground", "ball"]
    sim.remove("ball")
    with pytest.raises(RuntimeError, match="bodies changed"):
        changed.body_count
    assert changed.names == ["ground", "ball", ""] and changed.endless.tolist() == [True, False, False]
    for twin in (sim.copy(), pickle.loads(pickle.dumps(sim))):
        assert twin.hash == sim.hash and not twin.has("ball") and len(twin) == 3
        twin.step(200)
        kept = sim.save()
        sim.step(200)
        assert twin.hash == sim.hash
        sim.restore(kept)
    with pytest.raises(ValueError, match="whose bodies have changed"):
        cairn.Sim(sim.model)
    with pytest.raises(cairn.ArgumentError, match="pickle the simulation"):
        pickle.dumps(sim.model)
    sim.restore(before)
    assert sim.has("ball") and len(sim) == 2 and sim.model is model
    held = sim.copy()
    held.add_body(cairn.sphere(0.1), position=[0, 3, 1])
    last = held.model
    del held
    gc.collect()
    assert last.names == ["ground", "ball", ""]
    with pytest.raises(RuntimeError, match="closed"):
        last.body_count


def test_frames_and_contacts_that_are_kept_stay_when_bodies_change():
    sim = cairn.Sim(ball_scene())
    sim["ball"].position = [0, 0, 0.1]
    sim.step(3)
    frame, contacts = sim.frame(), sim.contacts
    values = contacts.pairs()[2].copy(), contacts.velocity.copy(), frame.q.copy()
    sim.add_body(cairn.sphere(0.1), position=[2, 0, 0.1])
    sim.step(3)
    sim.remove("ball")
    sim.step(3)
    assert (contacts.pairs()[2] == values[0]).all() and (contacts.velocity == values[1]).all()
    assert (frame.q == values[2]).all() and len(frame) == 2 and len(sim.q) == 3
    assert sim.contacts.on(2)[:, 2].sum() == pytest.approx(sim[2].mass*9.81, rel=1e-6)


def test_joints_come_and_go():
    scene = cairn.Scene(friction=0.5, step=1e-3)
    scene.body("post", cairn.box(0.1, 0.1, 1), fixed=True)
    scene.body("arm", cairn.box(1, 0.1, 0.1), position=[0.6, 0, 0])
    sim = cairn.Sim(scene)
    joint = sim.add_joint("hinge", "post", sim["arm"], name="elbow", point=[0.05, 0, 0], axis=[0, 1, 0])
    assert (joint.kind, joint.name, joint.bodies, joint.value) == ("hinge", "elbow", [0, 1], 0) and sim.has_joint("elbow")
    sim.step(100)
    assert sim.joints["elbow"].value > 0.01 and np.linalg.norm(sim["arm"].position - [0.05, 0, 0]) == pytest.approx(0.55)
    sim.remove_joint(joint)
    assert not sim.has_joint("elbow")
    rate = sim["arm"].velocity[2]
    sim.step(100)
    assert sim["arm"].velocity[2] == pytest.approx(rate - 9.81*0.1, rel=1e-9)  # it falls freely
    with pytest.raises(cairn.Error):
        sim.remove_joint("elbow")
    with pytest.raises(KeyError, match='did you mean "arm"'):
        sim.add_joint("ball", "post", "arn", point=[0, 0, 0])


def line_of(text):
    return next(i for i, line in enumerate(Path(__file__).read_text().splitlines(), 1) if text in line)


@pytest.mark.parametrize("keys, words", [
    ({"shape": {"sphere": {"radius": -1}}}, "radius must be above 0"),
    ({"shape": {"sphere": {"radius": 1}}, "positon": [0, 0, 1]}, 'did you mean "position"'),
    ({"shape": {"sphere": {"radius": 1}}, "material": "stone"}, 'no material "stone"'),
    ({"shape": {"sphere": {"radius": 1}}, "name": "ball"}, "name"),
    ({"shape": {"disk": {"radius": 1}}}, "3D"), ({}, "shape"),
    ({"shape": {"sphere": {"radius": 1}}, "position": [0, 0, float("nan")]}, "number")])
def test_wrong_bodies_lead_to_the_line(keys, words):
    sim = cairn.Sim(ball_scene())
    before = sim.hash
    with pytest.raises(cairn.Error, match=words) as caught:
        sim.add_body(**keys)  # the wrong body
    assert (caught.value.file, caught.value.line) == (__file__, line_of("# the wrong body")), str(caught.value)
    assert sim.hash == before and len(sim) == 2
    sim.step(3)


def test_bodies_of_a_recorded_run_stay(tmp_path):
    sim = cairn.Sim(ball_scene(frames_every=0.01), record=tmp_path / "x.run")
    sim.step(20)
    for change in (lambda: sim.add_body(cairn.sphere(0.1), position=[1, 0, 1]), lambda: sim.remove("ball")):
        with pytest.raises(cairn.UnsupportedError, match="end_record"):
            change()
    sim.step(20)
    sim.end_record()
    sim.remove("ball")
    sim.step(5)
    assert len(cairn.Run(tmp_path / "x.run")) == 5
    with pytest.raises(cairn.UnsupportedError, match="fixed set"):
        sim.record(tmp_path / "y.run")


def test_rest():
    sim = cairn.Sim(ball_scene())
    sim.step(50)
    place = sim.positions
    sim.rest()
    assert not sim.v.any() and (sim.positions == place).all()


def test_queries():
    scene = cairn.Scene(friction=0.5)
    scene.ground()
    scene.body("ball", cairn.sphere(0.5), position=[0, 0, 2])
    scene.body("box", cairn.box(1, 1, 1), position=[0, 0, 4])
    sim = cairn.Sim(scene)
    hits = sim.ray_all([0, 0, 9], [0, 0, -3])
    assert [hit.body.name for hit in hits] == ["box", "ball", "ground"]
    assert [hit.distance for hit in hits] == pytest.approx([4.5, 6.5, 9], abs=1e-12)
    assert [hit.body.name for hit in sim.ray_all([0, 0, 9], [0, 0, -1], 7, ignore="box")] == ["ball"]
    assert sim.ray([0, 0, 9], [0, 0, -1], ignore=["box", sim["ball"], 0]) is None
    near = sim.closest([0, 3, 2])
    assert near.body.name == "ground" and near.distance == pytest.approx(2)
    near = sim.closest([0, 3, 2], ignore="ground")
    assert near.body.name == "ball" and near.distance == pytest.approx(2.5) and near.normal == pytest.approx([0, 1, 0])
    assert sim.closest([0, 3, 2], 1) is None and sim.closest([0, 0, 2.2]).distance == pytest.approx(-0.3)
    found = sim.overlaps(cairn.box(0.2, 0.2, 2, position=[0, 0, 3]))
    assert {hit.body.name for hit in found} == {"ball", "box"} and all(hit.distance < 0 for hit in found)
    assert sim.overlaps(cairn.sphere(0.1, position=[0, 0, 3]), 0.5)[0].distance == pytest.approx(0.4)
    assert sim.overlaps([cairn.sphere(0.1, position=[0, 0, 3]), cairn.sphere(0.1, position=[5, 0, 3])]) == []
    many = cairn.Scene(friction=0)
    many.spheres(np.stack(np.meshgrid(*[np.arange(5.0)]*3), -1).reshape(-1, 3), 0.3)
    assert len(cairn.Sim(many).overlaps(cairn.box(10, 10, 10))) == 125


@pytest.mark.parametrize("ask", [
    lambda sim: sim.ray([0, 0], [0, 0, 1]), lambda sim: sim.ray([0, 0, 0], [0, 0, 0]), lambda sim: sim.ray_all("x", "y"),
    lambda sim: sim.ray([0, 0, 0], [0, 0, 1], -1), lambda sim: sim.ray([0, 0, 0], [0, 0, 1], "far"),
    lambda sim: sim.closest([0, 0, np.nan]), lambda sim: sim.closest([0, 0, 0], np.nan),
    lambda sim: sim.overlaps(cairn.sphere(-1)), lambda sim: sim.overlaps(cairn.plane()), lambda sim: sim.overlaps(3),
    lambda sim: sim.overlaps(cairn.sphere(1), -1), lambda sim: sim.ray([0, 0, 0], [0, 0, 1], ignore="bal"),
    lambda sim: sim.ray([0, 0, 0], [0, 0, 1], ignore=[7]), lambda sim: sim.ray([0, 0, 0], [0, 0, 1], ignore=2.5)])
def test_wrong_questions(ask):
    with pytest.raises((cairn.Error, KeyError, IndexError, TypeError)) as caught:
        ask(cairn.Sim(ball_scene()))
    assert str(caught.value)


def test_pairs_that_begin_and_cease_to_press():
    scene = cairn.Scene(friction=0.5, restitution=0.8, step=1e-3)
    scene.ground()
    scene.body("ball", cairn.sphere(0.1), position=[0, 0, 0.15])
    sim = cairn.Sim(scene)
    assert sim.contacts_begun.shape == sim.contacts_ended.shape == (0, 2)
    begun, ended = [], []
    for report in sim.steps(n=300):
        begun += [(report.step, *pair) for pair in sim.contacts_begun.tolist()]
        ended += [(report.step, *pair) for pair in sim.contacts_ended.tolist()]
    assert begun and set(begun[0][1:]) == {0, 1} and ended[0][0] > begun[0][0] >= 100


def test_columns_are_what_the_scene_records():
    sim = cairn.Sim(ball_scene(record=[{"name": "place", "position": "ball"}]))
    sim.step(10)
    assert len(sim.model.columns) == 3 and set(sim.model.columns.values()) == {"m"}
    assert list(sim.columns) == list(sim.model.columns)
    assert list(sim.columns.values()) == sim["ball"].position.tolist()
    assert cairn.Sim(ball_scene()).columns == {}


def test_progress_is_told_and_may_cancel():
    sim = cairn.Sim(ball_scene())
    stages = []
    sim.progress = lambda stage, done, total, residual: stages.append(stage)
    sim.step(2)
    assert {"detect", "assemble", "solve", "advance"} <= set(stages)
    before = sim.hash
    sim.progress = lambda stage, done, total, residual: stage != "advance"
    with pytest.raises(KeyboardInterrupt):
        sim.step(5)
    assert sim.hash == before and sim.step_index == 2
    sim.progress = lambda stage, done, total, residual: stage != "solve"
    with pytest.raises(KeyboardInterrupt):
        sim.step(5)
    assert sim.step_index in (2, 3)

    def raises(stage, done, total, residual):
        raise LookupError("mine")
    sim.progress = raises
    with pytest.raises(LookupError, match="mine"):
        sim.step()
    sim.progress = lambda *unused: sim.step()
    with pytest.raises(RuntimeError, match="at work"):
        sim.step()
    sim.progress = None
    sim.step()
    with pytest.raises(cairn.ArgumentError):
        sim.progress = 3


def test_what_is_ones_own_stays_with_the_body():
    sim = cairn.Sim(ball_scene())
    sim["ball"].user = {"colour": "red"}
    assert sim[1].user["colour"] == "red" and sim[0].user is None


def test_writing_where_nothing_is_to_be_written_says_so():
    sim = cairn.Sim(ball_scene())
    with pytest.raises(AttributeError, match='did you mean "gravity"'):
        sim.gravty = [0, 0, 0]
    with pytest.raises(AttributeError, match="set_state"):
        sim.positions = np.zeros((2, 3))
    with pytest.raises(cairn.ArgumentError, match="fixed"):
        sim["ground"].velocity = [1, 0, 0]
    sim.note_of_mine = 3
    assert sim.note_of_mine == 3


def test_changed_models_are_given_back():
    sim = cairn.Sim(ball_scene())
    given = sim.model
    before = sys.getrefcount(given)
    for k in range(20):
        body = sim.add_body(cairn.sphere(0.1), position=[2 + k, 0, 1])
        assert sim.model.body_count == len(sim.q)
        sim.remove(body)
        sim.ray([0, 0, 5], [0, 0, -1])
    assert sys.getrefcount(given) == before
