"""Whatever is put in, the interpreter does not crash: an exception of Python comes out, or an answer."""
import gc
import random

import numpy as np
import pytest
from conftest import ball_scene, wall_scene
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cairn
from cairn import _core

NAN, INF = float("nan"), float("inf")
FINE = (ValueError, TypeError, RuntimeError, IndexError, KeyError, AttributeError, OverflowError, ArithmeticError,
        NotImplementedError, BufferError, OSError, MemoryError)


def odd_arrays(shape):
    """Arrays of a right shape that are odd, and whether they may be taken."""
    good = np.zeros(shape)
    return {"fortran": np.asfortranarray(good), "float32": good.astype(np.float32), "big-endian": good.astype(">f8"),
            "strided": np.zeros((*shape[:-1], 2*shape[-1]))[..., ::2], "list": good.tolist(),
            "integers": good.astype(int)}


@pytest.mark.parametrize("kind", ["fortran", "float32", "big-endian", "strided", "list", "integers"])
def test_odd_arrays_are_converted(kind):
    sim = cairn.Sim(ball_scene())
    sim.set_state(v=odd_arrays((2, 6))[kind])
    sim.set_loads(odd_arrays((2, 6))[kind])
    assert not sim.v.any()
    frozen = np.zeros((2, 6))
    frozen.flags.writeable = False
    sim.set_state(v=frozen)


@pytest.mark.parametrize("bad", [np.zeros((3, 6)), np.zeros(12), np.zeros((2, 6), complex), np.full((2, 6), NAN),
                                 np.full((2, 6), INF), np.array([["a"]*6]*2), np.zeros((0, 6)), "abc", 3, {"a": 1},
                                 object(), np.array([[None]*6]*2), np.zeros((2, 6, 1))], ids=repr)
def test_bad_arrays_are_refused(bad):
    sim = cairn.Sim(ball_scene())
    before = sim.hash
    for call in (lambda: sim.set_state(v=bad), lambda: sim.set_state(q=bad), lambda: sim.set_loads(bad),
                 lambda: sim.inputs.__setitem__("x", bad), lambda: setattr(sim["ball"], "velocity", bad)):
        with pytest.raises((ValueError, TypeError, KeyError)):
            call()
    assert sim.hash == before


def test_reading_into_wrong_arrays_is_refused():
    sim = cairn.Sim(ball_scene())
    frozen = np.zeros((2, 7))
    frozen.flags.writeable = False
    for bad in (frozen, np.zeros((2, 6)), np.zeros((2, 7), np.float32), np.zeros((7, 2)).T, bytes(112), "x", None):
        try:
            sim.read(q=bad)
        except (ValueError, TypeError):
            continue
        assert bad is None or bad.shape == (7, 2)


@pytest.mark.parametrize("bad", [-1, 1.5, NAN, "x", None, 10**30, [], object()], ids=repr)
def test_bad_numbers_of_steps(bad):
    sim = cairn.Sim(ball_scene())
    if bad is None:
        assert sim.step(bad).step == 1
        return
    with pytest.raises((ValueError, TypeError, OverflowError)):
        sim.step(bad)
    if not isinstance(bad, (int, float)) or bad != bad:
        with pytest.raises((ValueError, TypeError)):
            sim.step(until=bad)
    with pytest.raises(TypeError):
        sim.step(1, 2)
    with pytest.raises(TypeError):
        sim.step(1, until=1)
    with pytest.raises(TypeError):
        sim.step(steps=1)
    assert sim.step_index == 0


@pytest.mark.parametrize("positions, radii", [([[0, 0]], 1), ([[0, 0, NAN]], 1), ([[0, 0, 0]], [1, 2]),
                                              ([[0, 0, 0]], -1), ([[0, 0, 0]], [0]), ("x", 1), ([[0, 0, 0]], "x"),
                                              (np.zeros((1, 3), complex), 1), ([[0, 0, 0]], NAN)])
def test_bad_bodies_from_arrays(positions, radii):
    scene = cairn.Scene(friction=0)
    with pytest.raises((cairn.ArgumentError, TypeError)):
        scene.spheres(positions, radii)


@pytest.mark.parametrize("threads", [0, -1, 10**6, "two", 1.5])
def test_bad_threads(threads):
    if threads in (0, 1.5):  # none asked for; a whole number is made of it
        return
    with pytest.raises((ValueError, TypeError)):
        cairn.Sim(ball_scene(), threads=threads)


VALUES = st.one_of(st.none(), st.booleans(), st.integers(-10**20, 10**20), st.floats(), st.text(max_size=5),
                   st.binary(max_size=40), st.lists(st.floats(), max_size=4), st.dictionaries(st.text(max_size=2),
                                                                                             st.floats(), max_size=2))
KEYS = ["position", "velocity", "mass", "shape", "fixed", "material", "orientation", "lock", "deformable", "x"]


@settings(max_examples=150, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=3), VALUES)
def test_any_entry_of_a_scene_gives_a_model_or_an_error(keys, name):
    scene = cairn.Scene(friction=0)
    try:
        scene.body(name, cairn.sphere(1), **{key: value for key, value in keys.items() if key != "shape"})
        cairn.Sim(scene).step()
    except FINE:
        pass


def argument(rng):
    """Something to call a method with."""
    return rng.choice([None, 0, 1, -1, 3, 2**40, 0.5, NAN, INF, "ground", "x", "", b"", b"abc", [], [1, 2, 3], {}, (),
                       [0.0]*6, [[0.0]*6]*2, np.zeros(3), np.zeros((2, 6)), np.zeros((2, 7)), np.full(3, NAN),
                       True, object(), "kinetic", slice(None), [("a", "1")], print])


SKIPPED = {"__class__", "__init_subclass__", "__subclasshook__", "__new__", "view", "__getattribute__", "__del__",
           "__setattr__", "__delattr__"}


@pytest.mark.parametrize("seed", range(12))
def test_random_calls_never_crash(seed, tmp_path):
    """Methods of all objects, private ones of the extension among them, with arguments of all kinds."""
    rng = random.Random(seed)
    scene = wall_scene(2, 2)
    scene.force(scene_name(scene), ["input(push)", 0, 0])
    sim = cairn.Sim(scene, record=tmp_path / "x.run")
    sim.step(3)
    ended = cairn.Sim(ball_scene(), record=tmp_path / "y.run")
    ended.step(3)
    ended.close()
    things = [sim, ended, sim.model, sim.contacts, sim.joints, sim.inputs, sim.report, sim[0], sim.frame(),
              cairn.Run(tmp_path / "y.run"), cairn.Problem.planted(3), sim.problem(), scene,
              cairn.Lagrangian([1.0], mass=lambda q: [[1]], force=lambda t, q, v: [0]).run(1e-2),
              cairn.Sim.__new__(cairn.Sim), cairn.Run.__new__(cairn.Run), _core.System(), _core.SystemRun(),
              _core.Problem(), _core.Model()]
    for _ in range(700):
        thing = rng.choice(things)
        name = rng.choice([n for n in dir(thing) if n not in SKIPPED])
        try:
            member = getattr(thing, name)
            if callable(member):
                out = member(*[argument(rng) for _ in range(rng.randrange(4))])
                if hasattr(out, "__next__"):
                    for _ in range(3):
                        next(out)
            elif rng.random() < 0.2:
                setattr(thing, name, argument(rng))
        except FINE:
            pass
        except (StopIteration, cairn.Error, EOFError, ImportError, AssertionError):
            pass
    gc.collect()


def scene_name(scene):
    """Gives a scene a named body."""
    scene.body("pushed", cairn.sphere(0.05), position=[0, 3, 1])
    return "pushed"
