"""The GIL is released, a busy simulation refuses, Ctrl-C ends long work."""
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import ball_scene, wall_scene

import cairn


def test_a_busy_simulation_refuses():
    sim = cairn.Sim(wall_scene(6, 6))
    done = threading.Event()

    def work():
        sim.step(3000)
        done.set()
    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.02)
    refused = 0
    while not done.is_set():
        for call in (sim.step, sim.save, sim.copy, lambda: sim.restore(b""), sim.close, lambda: sim["ground"].position,
                     sim._contacts, sim._poses, sim._energy):
            try:
                call()
            except RuntimeError as error:
                assert "at work in another thread" in str(error)
                refused += 1
            except cairn.Error:
                pass
            if sim.closed:
                break
        if refused > 50:
            break
    thread.join()
    assert refused > 0
    if not sim.closed:
        sim.step()


def test_threads_run_while_a_simulation_steps():
    sim = cairn.Sim(wall_scene(8, 8))
    counted = 0
    thread = threading.Thread(target=sim.step, args=(300,))
    thread.start()
    while thread.is_alive():
        counted += 1
    assert counted > 100


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import cairn
{setup}
def press():
    time.sleep(0.3)
    global pressed
    pressed = time.perf_counter()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press).start()
try:
    {work}
except KeyboardInterrupt:
    print(time.perf_counter() - pressed)
    {after}
else:
    print("not interrupted")
"""
CASES = {
    "steps": ("sim = cairn.Sim(cairn.gallery('bouncing-ball'))", "sim.step(10**9)",
              "h = sim.hash; sim.step(); assert sim.hash != h"),
    "a long step": ("""
rng = np.random.default_rng(1)
problem = cairn.Problem.planted(3000, seed=2)
""", "cairn.solve(problem, solver='nsgs', tolerance=1e-300, max_iterations=10**8)", "pass"),
    "own solver": ("problem = cairn.Problem.planted(10)\ndef slow(p, r, u, t):\n    while True: p.velocity(r, u)",
                   "cairn.solve(problem, solver=slow)", "pass"),
    "system": ("s = cairn.Lagrangian([1.0], mass=lambda q: [[1]], force=lambda t, q, v: [0]); r = s.run(step=1e-3)",
               "r.step(10**9)", "r.step()"),
    "frames": ("sim = cairn.Sim(cairn.gallery('bouncing-ball'))", "list(sim.frames(every=1e6, until=1e7))",
               "sim.step()"),
}


@pytest.mark.parametrize("case", CASES)
def test_ctrl_c_within_a_fifth_of_a_second(case):
    setup, work, after = CASES[case]
    script = INTERRUPTED.format(setup=textwrap.dedent(setup), work=work, after=after)
    waits = []
    for _ in range(3):  # the best of three, since the machine may be busy
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        waits.append(float(done.stdout.split()[0]))
        if waits[-1] < 0.2:
            break
    assert min(waits) < 0.2


def test_signal_handlers_run_while_stepping():
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *unused: seen.append(time.perf_counter()))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        sim = cairn.Sim(ball_scene())
        end = time.perf_counter() + 5
        while not seen and time.perf_counter() < end:
            sim.step(2000)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen and os.getpid() and np.isfinite(sim.q).all()
