"""What is said of itself: help, dir, repr."""
import cairn
from conftest import ball_scene


def test_help_lists_the_keys_of_the_format():
    assert "angular_velocity" in cairn.Scene.body.__doc__ and "limits" in cairn.Scene.joint.__doc__
    assert "plot" in dir(cairn) and "Sim" in dir(cairn) and "_core" not in dir(cairn)


def test_everything_says_what_it_is():
    sim = cairn.Sim(ball_scene(name="drop"))
    sim.step(3)
    assert repr(sim) == "<cairn.Sim drop, 2 bodies, t = 0.003 s, 0 contacts>" or "drop" in repr(sim)
    for thing in (sim.model, sim["ball"], sim.contacts, sim.joints, sim.inputs, sim.report, sim.frame(), ball_scene(),
                  cairn.Problem.planted(3), cairn.Problem.planted(3).solve(), sim.frame()["ball"]):
        assert repr(thing).startswith("<") and " object at 0x" not in repr(thing)
