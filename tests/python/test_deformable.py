"""Deformable bodies from Python."""
import numpy as np
import pytest

import cairn


def cube_scene(height=0.55, **keys):
    scene = cairn.Scene(friction=0.5, step=1e-3, **keys)
    scene.ground()
    scene.material("rubber", density=1000, young=1e6, poisson=0.3, damping={"mass": 0, "stiffness": 2e-3})
    scene.body("cube", material="rubber", position=[0, 0, height],
               deformable={"mesh": {"box": {"size": [1, 1, 1], "cells": [2, 2, 2]}}})
    return scene


def test_nodes_are_snapshots_in_the_world():
    sim = cairn.Sim(cube_scene())
    cube = sim["cube"]
    assert cube.info["kind"] == "deformable" and cube.mesh.element == "h8"
    assert cube.nodes.shape == cube.node_velocities.shape == (27, 3) and len(cube.mesh.elements) == 8
    assert cube.nodes == pytest.approx(cube.mesh.nodes + [0, 0, 0.55], abs=1e-12)
    before, copy = cube.nodes, cube.nodes.copy()
    sim.step(50)
    assert (before == copy).all() and (cube.nodes != copy).any()
    # Free fall: no strain; theta = 1/2 is exact.
    assert cube.nodes[:, 2] - copy[:, 2] == pytest.approx(np.full(27, -9.81/2*0.05**2), rel=1e-6)
    assert cube.node_velocities[:, 2] == pytest.approx(np.full(27, -9.81*0.05), rel=1e-9)
    with pytest.raises(ValueError):
        cube.nodes[0] = 0


def test_it_lands_and_bears_its_weight():
    sim = cairn.Sim(cube_scene(0.5))
    report = sim.step(1500)
    cube = sim["cube"]
    assert report.outcome == "solved" and report.elastic > 0 and cube.nodes[:, 2].min() > -1e-4
    assert sim.contacts.on("ground")[:, 2].sum() == pytest.approx(-9810, rel=2e-2)
    # Compression by its own weight, to first order: rho g / (2 E).
    assert 1 - np.ptp(cube.nodes[:, 2]) == pytest.approx(1000*9.81/2e6, rel=0.5)


def test_rigid_bodies_have_no_nodes():
    sim = cairn.Sim(cube_scene())
    assert sim["ground"].mesh is None
    with pytest.raises(cairn.ArgumentError, match="rigid"):
        sim["ground"].nodes


def test_stress_bears_the_weight():
    sim = cairn.Sim(cube_scene(0.5))
    sim.step(1500)
    stress, cube = sim["cube"].stress, sim["cube"]
    assert stress.shape == (8, 6) and not stress.flags.writeable
    low = cube.mesh.nodes[cube.mesh.elements].mean(axis=1)[:, 2] < 0
    # By the equation of motion in the mean: -3/4 and -1/4 of rho g L.
    assert stress[low, 2].mean() == pytest.approx(-0.75*9810, rel=3e-2)
    assert stress[~low, 2].mean() == pytest.approx(-0.25*9810, rel=3e-2)
    with pytest.raises(cairn.ArgumentError, match="rigid"):
        sim["ground"].stress


def test_runs_have_nodes(tmp_path):
    with cairn.Sim(cube_scene(until=0.05, frames_every=0.01), record=tmp_path / "x.run") as sim:
        sim.run()
        last, velocity = sim["cube"].nodes, sim["cube"].node_velocities
    run = cairn.Run(tmp_path / "x.run")
    assert (run[-1]["cube"].nodes == last).all() and (run[-1]["cube"].node_velocities == velocity).all()
    assert run.ledger["elastic"].shape == run.ledger["t"].shape


def test_wrong_keys_have_places():
    scene = cairn.Scene(friction=0)
    scene.body("soft", deformable={"mesh": {"box": {"size": [1, 1, -1], "cells": [2, 2, 2]}}})
    with pytest.raises(cairn.SceneError) as caught:
        scene.model()
    assert caught.value.path == "bodies[0]" and caught.value.file == __file__
