"""Lagrangian and first-order systems written in Python."""
import numpy as np
import pytest

import cairn

G = 9.81


def ball(**keys):
    return cairn.Lagrangian([1.0], [0.0], mass=lambda q: [[2.0]], force=lambda t, q, v: [-2*G],
                            potential=lambda t, q: 2*G*q[0], gaps=lambda t, q: [q[0] - 0.1], **keys)


@pytest.mark.parametrize("scheme, error", [("moreau-jean", 2e-2), ("event-driven", 1e-9)])
def test_bouncing_ball(scheme, error):
    run = ball(restitution=0.5).run(step=1e-3, scheme=scheme)
    fall = np.sqrt(2*0.9/G)
    up = 0.5*np.sqrt(2*G*0.9)
    run.step(until=1.0)
    first = run.impacts[0]
    assert first.t == pytest.approx(fall, abs=2e-3 if scheme == "moreau-jean" else 1e-8)
    since = 0.6 - fall
    again = ball(restitution=0.5).run(step=1e-3, scheme=scheme)
    again.step(until=0.6)
    assert again.q[0] == pytest.approx(0.1 + up*since - G/2*since**2, abs=error)


def test_friction_stops_a_block():
    mu = 0.3
    block = cairn.Lagrangian([0.0, 0.0], [1.0, 0.0], mass=lambda q: np.eye(2), force=lambda t, q, v: [0, -G],
                             gaps=lambda t, q: [q[1]], normals=lambda t, q: [[0, 1]], tangents=lambda t, q: [[1, 0]],
                             friction=mu)
    run = block.run(step=1e-3)
    run.step(until=0.1)
    assert run.v[0] == pytest.approx(1 - mu*G*0.1, abs=1e-9)
    run.step(until=1)
    assert abs(run.v[0]) < 1e-12 and run.q[0] == pytest.approx(1/(2*mu*G), rel=5e-3)


def test_pendulum_by_a_joint():
    rod = cairn.Lagrangian([1.0, 0.0], mass=lambda q: np.eye(2), force=lambda t, q, v: [0, -G],
                           potential=lambda t, q: G*q[1], joints=lambda t, q: [q @ q - 1])
    run = rod.run(step=1e-3)
    energy = run.energy.total
    report = run.step(until=1)
    assert np.linalg.norm(run.q) == pytest.approx(1, abs=1e-6)
    assert report.joint_error_max < 1e-6 and run.energy.total == pytest.approx(energy, abs=1e-2)


def test_wrong_derivatives_are_found():
    with pytest.raises(cairn.Error, match="normal|gap|row"):
        cairn.Lagrangian([1.0, 0.0], mass=lambda q: np.eye(2), force=lambda t, q, v: [0, 0],
                         gaps=lambda t, q: [q[0]**2], normals=lambda t, q: [[1, 0]])
    with pytest.raises(cairn.Error):
        cairn.Lagrangian([1.0], mass=lambda q: [[1]], force=lambda t, q, v: [-q[0]],
                         force_gradient=lambda t, q, v: ([[1]], [[0]]))
    with pytest.raises(cairn.Error):
        cairn.Lagrangian([1.0], mass=lambda q: [[-1]], force=lambda t, q, v: [0])


def test_what_functions_raise_comes_out():
    with pytest.raises(ZeroDivisionError):
        cairn.Lagrangian([1.0], mass=lambda q: [[1/0]], force=lambda t, q, v: [0])
    later = cairn.Lagrangian([1.0], mass=lambda q: [[1]], force=lambda t, q, v: [1/(t < 0.05)])
    run = later.run(step=1e-2)
    with pytest.raises(ZeroDivisionError):
        run.step(100)
    assert 0 < run.time <= 0.06
    nan = cairn.Lagrangian([1.0], mass=lambda q: [[1]], force=lambda t, q, v: [0 if t < 0.05 else np.nan])
    with pytest.raises(cairn.NumericError):
        nan.run(step=1e-2).step(100)
    for bad in ([[1, 2]], "x", None):
        with pytest.raises(cairn.ArgumentError):
            cairn.Lagrangian([1.0], mass=lambda q, m=bad: m, force=lambda t, q, v: [0])
    with pytest.raises(cairn.ArgumentError, match="tangents"):
        ball(friction=0.3)


def test_states_can_be_saved():
    run = ball(restitution=0.9).run(step=1e-3)
    run.step(100)
    state = run.save()
    run.step(900)
    q = run.q
    run.restore(state)
    run.step(900)
    assert (run.q == q).all()
    with pytest.raises(ValueError):
        run.restore(b"not a state")


def test_diode_rectifies():
    """x' = -x + lambda with a diode that keeps x >= 0, driven below zero."""
    diode = cairn.FirstOrder([1.0], A=[[-1.0]], B=[[1.0]], C=[[1.0]], b=lambda t: [-2.0])
    run = diode.run(step=1e-3)
    run.step(until=0.2)
    assert run.x[0] == pytest.approx(3*np.exp(-0.2) - 2, abs=2e-3)
    run.step(until=2)
    assert run.x[0] == pytest.approx(0, abs=1e-12) and run.multiplier[0] == pytest.approx(2, abs=1e-9)


def test_options_are_checked():
    with pytest.raises(cairn.ArgumentError):
        ball().run(step=1e-3, thet=1)
    with pytest.raises(cairn.ArgumentError):
        ball().run(step=0)
    with pytest.raises(cairn.Error):
        ball().run(step=1e-3, scheme="moreau-jan")
