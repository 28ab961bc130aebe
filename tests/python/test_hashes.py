"""Same scene, same bits: the command, Python, any number of threads."""
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import wall_scene

import cairn

SCENES = [("block-on-slope", 0.3), ("bouncing-ball", 0.5), ("newtons-cradle", 0.5), ("masonry-arch", 0.05),
          ("double-pendulum", 0.5), ("shapes-3d", 0.3), ("shapes-2d", 0.3), ("slider-crank", 0.2), ("dominoes", 0.1),
          ("spring", 0.5), ("diode-bridge", 0.005), ("two-link", 0.2)]


@pytest.mark.parametrize("name, until", SCENES)
def test_state_hash_is_that_of_the_command(name, until, command, tmp_path):
    settings = ["--until", until, "--threads", 1]
    wanted = json.loads(command("run", cairn.gallery_folder() / f"{name}.yaml", "-o", tmp_path / "x.run", "--quiet",
                                "--json", *settings))
    sim = cairn.Sim(cairn.gallery(name, {"time.until": until}))
    sim.step(until=until)
    assert sim.step_index == wanted["steps"]
    assert sim.hash == wanted["state_hash"]


def test_saved_scene_gives_the_same_bits(command, tmp_path):
    scene = wall_scene()
    scene.spheres([[0, 0, 3], [1, 0, 3.5]], [0.1, 0.07], velocities=[[0.1, 0, 1/3], [0, 0, 0]], names="grain")
    scene.save(tmp_path / "wall.yaml")
    wanted = json.loads(command("run", tmp_path / "wall.yaml", "-o", tmp_path / "x.run", "--until", 0.1, "--json",
                                "--quiet"))
    sim = cairn.Sim(scene)
    sim.step(until=0.1)
    assert sim.hash == wanted["state_hash"]


def test_changes_by_set_are_saved(command, tmp_path):
    scene = cairn.gallery("block-on-slope", {"contacts.0.friction": 0.05})
    scene.save(tmp_path / "slope.yaml")
    sim, again = cairn.Sim(scene), cairn.Sim(tmp_path / "slope.yaml")
    sim.step(100)
    again.step(100)
    assert sim.hash == again.hash
    plain = cairn.Sim(cairn.gallery("block-on-slope"))
    plain.step(100)
    assert plain.hash != sim.hash


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_do_not_change_the_bits(threads):
    one, several = cairn.Sim(wall_scene(8, 8)), cairn.Sim(wall_scene(8, 8), threads=threads)
    one.step(60)
    several.step(60)
    assert one.hash == several.hash


def test_eight_simulations_of_one_model_in_eight_threads():
    model = cairn.Model(wall_scene())

    def work(start):
        sim = cairn.Sim(model)
        sim.gravity = [0, 0, -9.81 - 0.01*start]
        sim.step(150)
        return sim.hash
    serial = [work(k) for k in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == serial
    assert len(set(serial)) == 8


def test_rollout_equals_one_by_one():
    sim = cairn.Sim(cairn.gallery("newtons-cradle"))
    states = []
    for _ in range(5):
        sim.step(10)
        states.append(sim.save())
    out = cairn.rollout(sim.model, states, steps=40, threads=3)
    for i, state in enumerate(states):
        sim.restore(state)
        sim.step(40)
        assert (sim.q == out.q[i]).all() and sim.save() == out.states[i]
