"""The figures of `cairn bench python`: what the package costs over the library. Prints one JSON object.

    python_figures.py REPEATS
"""
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

import cairn

REPEATS = int(sys.argv[1]) if len(sys.argv) > 1 else 5


def shortest(work, n=1, repeats=REPEATS):
    """CPU seconds of one call, the shortest of some rounds of n."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(n):
            work()
        best = min(best, (time.process_time() - start)/n)
    return best


def a_ball():
    scene = cairn.Scene(friction=0.5, restitution=0.8, until=1e6)
    scene.ground()
    scene.body("ball", cairn.sphere(0.1), position=[0, 0, 1])
    return cairn.Sim(scene)


def steps():
    """sim.step() over a step within sim.step(n), which is a loop in C; and with positions read."""
    ball, n = a_ball(), 3000
    whole = [ball.save()]
    one, many, read = [], [], []

    def again(work, times):
        ball.restore(whole[0])
        start = time.process_time()
        work()
        times.append((time.process_time() - start)/n)

    def one_by_one():
        for _ in range(n):
            ball.step()

    def with_positions():
        for _ in range(n):
            ball.step()
            ball.positions
    for _ in range(REPEATS):
        again(lambda: ball.step(n), many)
        again(one_by_one, one)
        again(with_positions, read)
    return {"step_over_c_us": 1e6*(min(one) - min(many)), "c_step_us": 1e6*min(many),
            "positions_1_us": 1e6*(min(read) - min(one))}


def positions(sim):
    def read():
        sim._q_at = -1
        sim.positions
    return shortest(read, 20)


def lattice(count):
    side = int(np.ceil(count**(1/3)))
    points = np.stack(np.meshgrid(*[np.arange(side)]*3), -1).reshape(-1, 3)[:count] + [0.0, 0.0, 1.0]
    return points + np.random.default_rng(1).uniform(0, 0.1, points.shape)


def many_bodies():
    x = lattice(100000)
    r = np.random.default_rng(2).uniform(0.1, 0.3, len(x))
    turn = np.random.default_rng(3).normal(size=(len(x), 4))
    turn /= np.linalg.norm(turn, axis=1)[:, None]

    def spheres():
        scene = cairn.Scene(friction=0.5)
        scene.ground()
        scene.spheres(x, r)
        return scene.model()

    def boxes():
        scene = cairn.Scene(friction=0.5)
        scene.ground(-1)
        scene.boxes(x, [0.3, 0.3, 0.3], orientations=turn)
        return scene.model()
    repeats = min(REPEATS, 3)
    out = {"spheres_s": shortest(spheres, 1, repeats), "boxes_s": shortest(boxes, 1, repeats)}
    sim = cairn.Sim(spheres())
    out["positions_100000_ms"] = 1e3*positions(sim)
    return out


def contacts_and_states():
    sim = cairn.Sim(cairn.gallery("thousand-balls"))
    sim.step(400)
    count = len(sim.contacts)

    def read():
        sim._contacts_at = -1
        sim.contacts.force

    def save_and_restore():
        sim.restore(sim.save())
    out = {"contacts_us": 1e6*shortest(read, 50)*3000/count, "positions_1000_us": 1e6*positions(sim),
           "save_restore_us": 1e6*shortest(save_and_restore, 50)}
    return out


def a_solve():
    problem = cairn.Problem.planted(200, friction=0.3, seed=1)
    W, q, mu = problem.W, problem.q, problem.mu
    over = []
    for _ in range(REPEATS*3):
        start = time.process_time()
        s = cairn.solve(W, q, mu, solver="nsgs", tolerance=1e-6)
        over.append(time.process_time() - start - s.cpu_s)
    return {"solve_over_ms": 1e3*min(over)}


def an_import():
    script = "import numpy, time; a = time.process_time(); import cairn; print(time.process_time() - a)"
    # With bytecode of its own, as whoever imports it a second time has: the tree's may be older than its sources.
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, PYTHONPYCACHEPREFIX=cache)
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        times = [float(subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True,
                                      check=True).stdout) for _ in range(1 + REPEATS)]
    return {"import_ms": 1e3*min(times[1:])}


def two_threads():
    """Wall-clock time of two simulations one after the other over that of both at once."""
    model = cairn.Model(cairn.gallery("thousand-balls"))
    best = 0.0
    for _ in range(min(REPEATS, 3)):
        times = []
        for at_once in (False, True):
            sims = [cairn.Sim(model) for _ in range(2)]
            threads = [threading.Thread(target=sim.step, args=(150,)) for sim in sims]
            start = time.perf_counter()
            for thread in threads:
                thread.start()
                if not at_once:
                    thread.join()
            for thread in threads:
                thread.join()
            times.append(time.perf_counter() - start)
        best = max(best, times[0]/times[1])
    return {"two_threads": best}


def a_run_file():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.run")
        scene = cairn.Scene(friction=0.5, step=1e-3, frames_every=1e-3)
        scene.ground()
        scene.spheres(lattice(100000), 0.1)
        with cairn.Sim(scene, record=path) as sim:
            sim.step(3)
        opened = shortest(lambda: len(cairn.Run(path)))
        run = cairn.Run(path)
        return {"open_ms": 1e3*opened, "frame_ms": 1e3*shortest(lambda: run[2].positions)}


figures = {}
for part in (steps, contacts_and_states, a_solve, an_import, two_threads, many_bodies, a_run_file):
    figures.update(part())
print(json.dumps(figures))
