"""Mistakes that are made with a package that one does not know yet: each is met by words that help."""
import numpy as np
import pytest
from conftest import ball_scene

import cairn


def with_body(*args, **keys):
    scene = ball_scene()
    scene.body(*args, **keys)
    return cairn.Sim(scene)


def system(**keys):
    given = {"mass": lambda q: [[1]], "force": lambda t, q, v: [0], **keys}
    return cairn.Lagrangian([1.0], **given)


def gallery(overrides):
    return cairn.Sim(cairn.gallery("block-on-slope", overrides))


MISTAKES = {
    "keyword misspelt": (lambda: cairn.Scene(frictoin=0.5), cairn.ArgumentError, "did you mean 'friction'"),
    "keyword of another code": (lambda: cairn.Scene(dt=1e-3), cairn.ArgumentError, "did you mean 'step'"),
    "bodies as a keyword": (lambda: cairn.Scene(bodies=[]), cairn.ArgumentError, "scene.body"),
    "text for a number": (lambda: with_body("x", cairn.sphere("0.1")), cairn.SceneError, "quotes is text"),
    "two numbers for three": (lambda: with_body("x", cairn.sphere(1), position=[0, 3]), cairn.SceneError, "3 numbers"),
    "no shape": (lambda: with_body("x", position=[0, 0, 3]), cairn.SceneError, "one shape or a list"),
    "a shape of 2D": (lambda: with_body("x", cairn.disk(0.1)), cairn.SceneError, "sphere"),
    "a name twice": (lambda: with_body("ball", cairn.sphere(1), position=[0, 0, 5]), cairn.SceneError,
                     r"it is in .*conftest\.py:\d+"),
    "overlap": (lambda: with_body("x", cairn.sphere(0.1), position=[0, 0, 1.05]), cairn.SceneError, "move them apart"),
    "a material that there is not": (lambda: with_body("x", cairn.sphere(1), material="stone"), cairn.SceneError,
                                     "the materials are default"),
    "none for a body": (lambda: ball_scene().joint("ball", None, "ball", point=[0, 0, 0]), cairn.ArgumentError,
                        "gives a name"),
    "a key of set": (lambda: gallery({"contacts.0.frictoin": 1}), cairn.SceneError, 'did you mean "friction"'),
    "a list of overrides": (lambda: gallery(["time.step=1"]), cairn.ArgumentError, "dict"),
    "a value that is none": (lambda: gallery({"time.step": object()}), cairn.ArgumentError, "numbers, texts"),
    "part of a step": (lambda: cairn.Sim(ball_scene()).step(0.5), TypeError, r"step\(until=t\)"),
    "part of some steps": (lambda: list(cairn.Sim(ball_scene()).steps(n=2.5)), cairn.ArgumentError, "whole number"),
    "a time as text": (lambda: cairn.Sim(ball_scene()).run("2"), cairn.ArgumentError, "must be a number, not '2'"),
    "an interval as text": (lambda: list(cairn.Sim(ball_scene()).frames("x")), cairn.ArgumentError, "every must be"),
    "a scene that is stepped": (lambda: ball_scene().step(), AttributeError, r"cairn\.Sim\(scene\)"),
    "a dict as a scene": (lambda: cairn.Sim({"bodies": []}), TypeError, "Scene or the path"),
    "text as a path": (lambda: cairn.Sim("cairn: 1\nbodies: []"), cairn.ArgumentError, "text of a scene"),
    "a scene of the gallery as a path": (lambda: cairn.Sim("masonry-arch"), FileNotFoundError, "cairn.gallery"),
    "a folder": (lambda: cairn.load("/"), IsADirectoryError, "folder"),
    "forces on a number that there is not": (lambda: cairn.Sim(ball_scene()).contacts.on(7), IndexError, "no body 7"),
    "forces on a name": (lambda: cairn.Sim(ball_scene()).contacts.on("bal"), KeyError, "did you mean"),
    "no input": (lambda: cairn.Sim(ball_scene()).inputs.__setitem__("x", 1), KeyError, "has none"),
    "too many inputs": (lambda: cairn.Sim(ball_scene()).inputs.__setitem__(slice(None), [1, 2]), cairn.ArgumentError,
                        "0 inputs"),
    "one state for a list": (lambda: cairn.rollout(ball_scene(), cairn.Sim(ball_scene()).save()), cairn.ArgumentError,
                             "list"),
    "simulations for states": (lambda: cairn.rollout(ball_scene(), [cairn.Sim(ball_scene())]), cairn.ArgumentError,
                               "save"),
    "names that are numbers": (lambda: cairn.Scene().spheres([[0, 0, 0]], 1, names=[3]), cairn.ArgumentError, "texts"),
    "a tolerance as text": (lambda: cairn.solve(np.eye(3), [-1, 0, 0], 0.3, tolerance="x"), cairn.ArgumentError,
                            "tolerance"),
    "parameters that are none": (lambda: cairn.solve(np.eye(3), [-1, 0, 0], 0.3, params=3), cairn.ArgumentError, "dict"),
    "a parameter misspelt": (lambda: cairn.solve(np.eye(3), [-1, 0, 0], 0.3, solver="nsgs", params={"relax": 1}),
                             cairn.ArgumentError, "relaxation"),
    "a solver that answers its impulses": (lambda: cairn.solve(cairn.Problem.planted(3), solver=lambda p, r, u, t: p.q),
                                           TypeError, r"r\[:\] ="),
    "a solver of two arguments": (lambda: cairn.solve(cairn.Problem.planted(3), solver=lambda p, r: 1), TypeError,
                                  "2 positional arguments"),
    "a mass that is no function": (lambda: system(mass=[[1]]), cairn.ArgumentError, "lambda q"),
    "a force without return": (lambda: system(force=lambda t, q, v: None).run(1e-3).step(), cairn.ArgumentError,
                               "return"),
    "laws of contacts that are not there": (lambda: system(gaps=lambda t, q: [q[0]], restitution=[1, 1]),
                                            cairn.ArgumentError, "of which there are 1"),
    "an integrator misspelt": (lambda: system().run(1e-3, scheme="moreau"), cairn.ArgumentError, "moreau-jean"),
    "a derivative that is none": (lambda: system(gaps=lambda t, q: [q[0]], normals=lambda t, q: [[2.0]]),
                                  cairn.SceneError, "differences say 1"),
    "a source that is no function": (lambda: cairn.FirstOrder([1.0], b=[1.0]), cairn.ArgumentError, "lambda t"),
    "a matrix of text": (lambda: cairn.FirstOrder([1.0], B="x"), cairn.ArgumentError, "B must be"),
    "no threads": (lambda: cairn.solve(cairn.Problem.planted(3), threads=0), cairn.ArgumentError, "1 or more"),
    "a grade the wrong way round": (lambda: cairn.grade([1, 2], cairn.Problem.planted(3)), cairn.ArgumentError, "then r"),
    "a joint that is written": (lambda: setattr(cairn.Sim(cairn.gallery("pendulum")).joints[0], "value", 3),
                                AttributeError, "sim.inputs"),
    "forces of a number": (lambda: cairn.plot.force_chains(3), cairn.ArgumentError, "a frame"),
    "energies of a simulation": (lambda: cairn.plot.energy(cairn.Sim(ball_scene())), cairn.ArgumentError, "record"),
    "a plane that is none": (lambda: cairn.plot.bodies(cairn.Sim(ball_scene()), plane="xw"), cairn.ArgumentError, "axes"),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes_are_met_by_words_that_help(what):
    make, kind, words = MISTAKES[what]
    with pytest.raises(kind, match=words):
        make()


def test_values_that_are_set_lead_to_the_call():
    scene = cairn.gallery("block-on-slope")
    scene.set("contacts.0.frictoin", 1)
    line = test_values_that_are_set_lead_to_the_call.__code__.co_firstlineno + 2
    with pytest.raises(cairn.SceneError) as caught:
        cairn.Sim(scene)
    assert (caught.value.file, caught.value.line, caught.value.path) == (__file__, line, "contacts.0.frictoin")


def test_a_run_file_is_no_scene(tmp_path):
    with cairn.Sim(ball_scene(), record=tmp_path / "x.run") as sim:
        sim.step(2)
    with pytest.raises(cairn.SceneError, match=r"cairn\.Run\("):
        cairn.Sim(tmp_path / "x.run")


def test_bodies_by_number():
    scene = cairn.Scene(friction=0, gravity=[0, 0, 0], step=1e-2)
    scene.body(shape=cairn.sphere(0.1), mass=2)
    scene.force(0, [4, 0, 0])
    sim = cairn.Sim(scene)
    sim.step(100)
    assert sim[0].velocity[0] == pytest.approx(2, rel=1e-12)
