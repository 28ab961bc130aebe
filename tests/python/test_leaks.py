"""Memory and references: what is made and dropped is given back."""
import ctypes
import gc
import os
import sys

import numpy as np
import pytest
from conftest import ball_scene

import cairn


def resident():
    """Resident memory of this process [bytes], without what malloc keeps to give out again, which comes and goes."""
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(work, warm, count):
    for _ in range(warm):
        work()
    gc.collect()
    before = resident()
    for _ in range(count):
        work()
    gc.collect()
    return resident() - before


def a_simulation():
    sim = cairn.Sim(ball_scene())
    sim.step(3)
    sim.contacts.force, sim.q, sim.v, sim.joints.value
    sim.restore(sim.save())


def an_error():
    scene = cairn.Scene()
    scene.body("a", cairn.sphere(-1))
    with pytest.raises(cairn.SceneError):
        cairn.Sim(scene)


PROBLEM = cairn.Problem.planted(5)


def a_solve():
    cairn.solve(PROBLEM.W, PROBLEM.q, PROBLEM.mu)


def an_own_solve():
    cairn.solve(PROBLEM, solver=lambda p, r, u, t: 1)


def a_system():
    cairn.Lagrangian([1.0], mass=lambda q: [[1]], force=lambda t, q, v: [0], gaps=lambda t, q: [q[0]]).run(1e-2).step()


@pytest.mark.parametrize("work, count", [(a_simulation, 1000), (an_error, 1000), (a_solve, 1000), (an_own_solve, 1000),
                                         (a_system, 500)])
def test_memory_does_not_grow(work, count):
    assert growth(work, 200, count) <= 1 << 20


def test_recorded_runs_give_their_memory_back(tmp_path):
    def work():
        cairn.Sim(ball_scene(), record=tmp_path / "x.run").step(2)
        cairn.Run(tmp_path / "x.run").ledger
    assert growth(work, 30, 60) <= 1 << 20


def test_references_are_counted():
    model = cairn.Model(ball_scene())
    gc.collect()
    before = sys.getrefcount(model)
    sims = [cairn.Sim(model) for _ in range(5)]
    assert sys.getrefcount(model) == before + 5
    for sim in sims:
        sim.step()
        sim.contacts, sim.q, sim.joints, sim.inputs
    del sim, sims
    gc.collect()
    assert sys.getrefcount(model) == before
    block = np.zeros(7*2)
    counted = sys.getrefcount(block)
    sim = cairn.Sim(model)
    for _ in range(10):
        sim.read(q=block)
        with pytest.raises(ValueError):
            sim.read(q=np.zeros(3))
    assert sys.getrefcount(block) == counted


def test_cycles_are_collected():
    gc.collect()
    sim = cairn.Sim(ball_scene())
    sim.own = sim
    model = sim.model
    before = sys.getrefcount(model)
    del sim
    gc.collect()
    assert sys.getrefcount(model) == before - 1
