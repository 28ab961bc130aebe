"""fork, spawn and pickling."""
import multiprocessing
import os
import pickle
from concurrent.futures import ProcessPoolExecutor

import pytest
from conftest import ball_scene, wall_scene

import cairn


def run_one(mu):
    sim = cairn.Sim(cairn.gallery("block-on-slope", {"contacts.0.friction": mu}))
    sim.step(50)
    return sim.hash


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_give_the_same_bits(method):
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(run_one, [0.1, 0.5])) == [run_one(0.1), run_one(0.5)]


def in_child(work):
    """What work says in a child after a fork: its exit code 0 when it returned true."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            code = 0 if work() else 2
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_simulation_with_threads_refuses_after_a_fork():
    sim = cairn.Sim(wall_scene(), threads=2)
    alone = cairn.Sim(wall_scene())
    sim.step(5)

    def work():
        try:
            sim.step()
        except RuntimeError as error:
            fresh = cairn.Sim(wall_scene(), threads=2)
            fresh.step(5)
            alone.step(5)
            return "fork" in str(error) and fresh.hash == alone.hash
        return False
    assert in_child(work)
    sim.step(5)


def test_pickles(tmp_path):
    sim = cairn.Sim(wall_scene())
    sim.step(20)
    again = pickle.loads(pickle.dumps(sim))
    assert again.hash == sim.hash and again.report is None
    again.step(30)
    sim.step(30)
    assert again.hash == sim.hash
    scene = ball_scene()
    scene.spheres([[3, 0, 1.5]], 0.2, names="grain")
    assert pickle.loads(pickle.dumps(scene))._text()[0] == scene._text()[0]
    model = cairn.Model(scene)
    other = pickle.loads(pickle.dumps(model))
    assert other.names == model.names and other.dimension == 3


def test_pickles_of_other_versions_refuse_with_words():
    sim = cairn.Sim(ball_scene())
    function, args = sim.__reduce__()
    with pytest.raises(cairn.ArgumentError, match="pickled by cairn 0.0.1"):
        function(*args[:-1], "0.0.1")
    scene = ball_scene()
    with pytest.raises(cairn.ArgumentError, match="pickled by"):
        scene.__setstate__({"_version": "0.0.1"})


def test_states_of_other_models_are_refused():
    sim, other = cairn.Sim(ball_scene()), cairn.Sim(wall_scene())
    with pytest.raises(cairn.Error):
        sim.restore(other.save())
    before = sim.hash
    good = sim.save()
    for bad in (b"", b"x"*100, good[:-1], good + b"x", good[:50], bytes(len(good))):
        with pytest.raises(cairn.Error):
            sim.restore(bad)
        assert sim.hash == before
    with pytest.raises(TypeError):
        sim.restore(3)
