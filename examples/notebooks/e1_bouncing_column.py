# %% [markdown]
# # E1: eight spheres bounce as a column and lose no energy
#
# Renouf, Acary and Dumont (2005), section 8.1 and figure 3: eight spheres in a column fall onto a plane, without
# friction, with restitution 1 and theta = 1/2. The scheme keeps the total energy, whatever the solver; the paper plots
# the change of kinetic energy in each step for several solvers, and the curves coincide.
#
# The cells are marked by `# %%`, as VS Code, Spyder and jupytext read them.

# %%
import os

import matplotlib.pyplot as plt
import numpy as np

import cairn

until = float(os.environ.get("CAIRN_UNTIL", 4))  # [s]; the paper's runs have 20

# %% [markdown]
# ## The scene
#
# It is one of the gallery; `cairn.gallery` takes the values that differ.

# %%
def energies(solver, theta=0.5, restitution=1):
    """Times, kinetic and total energy of each step."""
    scene = cairn.gallery("bouncing-column", {"solver.name": solver, "integrator.theta": theta, "time.until": until,
                                              "contacts.0.restitution": restitution})
    sim = cairn.Sim(scene)
    start = sim.energy
    rows = [(r.time, r.kinetic, r.kinetic + r.potential) for r in sim.steps()]
    return np.array([(0, start.kinetic, start.total), *rows]).T


solvers = ["nsgs", "lemke", "mcp", "qp"]
curves = {solver: energies(solver) for solver in solvers}

# %% [markdown]
# ## The figure of the paper: change of kinetic energy in each step
#
# An impact turns the velocities of the spheres round within a step; between impacts the kinetic energy follows the
# fall. The four curves lie on one another.

# %%
figure, axes = plt.subplots(len(solvers), 1, sharex=True, sharey=True, figsize=(7, 7), constrained_layout=True)
for ax, solver in zip(axes, solvers):
    t, kinetic, _ = curves[solver]
    ax.plot(t[1:], np.diff(kinetic), linewidth=0.6)
    ax.set_title(solver, loc="left")
axes[-1].set_xlabel("t [s]")
figure.supylabel("change of kinetic energy in a step [J]")
figure.savefig("e1-kinetic.svg")

first = np.diff(curves[solvers[0]][1])
spread = max(np.abs(np.diff(curves[s][1]) - first).max() for s in solvers) / np.abs(first).max()
print(f"largest difference of the curves, over the largest change: {spread:.1e}")
assert spread < 1e-5

# %% [markdown]
# ## The total energy
#
# It drifts by round-off with solvers that end exactly, by the tolerance with those that iterate.

# %%
drift = {s: np.abs(c[2] - c[2, 0]).max() / c[2, 0] for s, c in curves.items()}
for solver, value in drift.items():
    print(f"{solver:8} drift of the total energy {value:.1e}")
assert max(drift.values()) < 1e-7 and drift["lemke"] < 1e-9

# %% [markdown]
# ## Other schemes lose or gain
#
# With theta = 1 and restitution 0 energy only falls.

# %%
t, kinetic, total = energies("lemke", theta=1, restitution=0)
figure, ax = plt.subplots(figsize=(7, 3), constrained_layout=True)
ax.plot(*curves["lemke"][[0, 2]], label="theta 1/2, restitution 1")
ax.plot(t, total, label="theta 1, restitution 0")
ax.set_xlabel("t [s]")
ax.set_ylabel("total energy [J]")
ax.legend()
figure.savefig("e1-total.svg")
assert np.diff(total).max() < 1e-9*total[0]
