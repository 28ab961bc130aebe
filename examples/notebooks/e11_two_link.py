# %% [markdown]
# # E11: a two-link arm hits the ground again and again
#
# Acary and Brogliato's arm (2009): two links whose tip follows half a circle onto the ground. With restitution e the
# impacts accumulate in a finite time; a time-stepping scheme passes through the accumulation, and counts more impacts
# the smaller its step is: about ln 10/ln(1/e) more for each decade. The paper's table gives the counts; it prints
# neither the controller's gains nor the counting rule, so that single counts differ and their growth does not.

# %%
import os

import matplotlib.pyplot as plt
import numpy as np

import cairn

decades = int(os.environ.get("CAIRN_DECADES", 2))  # steps of 1e-3, 1e-4, ... s; each takes ten times as long
restitutions = [0.2, 0.5, 0.7, 0.9, 0.95]
steps = [10.0**-(3 + k) for k in range(decades)]
paper = {0.2: [3, 5, 6, 8], 0.5: [6, 9, 12, 16], 0.7: [9, 16, 23, 29], 0.9: [23, 40, 64, 81],
         0.95: [32, 67, 108, 161]}

# %% [markdown]
# ## The motion
#
# Mechanics and controller are in the scene `two-link` of the gallery. The coordinates of a system stand three to a
# body: here q = (angle of link 1, angle of link 2 to link 1).

# %%
def tip(q):
    """Where the tip is [m]."""
    return 0.5*np.cos(q[0]) + 0.5*np.cos(q[0] + q[1]), 0.5*np.sin(q[0]) + 0.5*np.sin(q[0] + q[1])


sim = cairn.Sim(cairn.gallery("two-link"))
path = np.array([(sim.time, *tip(sim.q.ravel())) for _ in sim.steps(until=12)])
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), constrained_layout=True)
left.plot(path[:, 0], path[:, 2])
left.set_xlabel("t [s]")
left.set_ylabel("height of the tip [m]")
right.plot(path[:, 1], path[:, 2])
right.set_aspect("equal")
right.set_xlabel("x [m]")
right.set_ylabel("y [m]")
figure.savefig("e11-tip.svg")
assert path[:, 2].min() > -1e-3

# %% [markdown]
# ## Counting impacts
#
# Counted are the steps with an impulse, from the first impact to the second of the first two steps in a row that have
# one. The flight before is the same for all restitutions.

# %%
def count(restitution, step):
    """Impacts, the time of the first [s] and of the end of their accumulation [s]."""
    scene = cairn.gallery("two-link", {"time.step": step, "system.contacts.0.restitution": restitution})
    sim = cairn.Sim(scene)
    sim.step(until=5.41)
    impacts, first, last = 0, None, -1
    while sim.time < 7:
        report = sim.step()
        if not (sim.contacts.impulse > 0).any():
            continue
        impacts += 1
        first = report.time if first is None else first
        if last == report.step - 1:
            return impacts, first, report.time
        last = report.step
    raise RuntimeError("the impacts did not end")


table = {e: [count(e, h) for h in steps] for e in restitutions}
print("e      " + "".join(f"h = {h:g}: ours, paper   " for h in steps) + "ends at [s]")
for e, row in table.items():
    cells = "".join(f"{found[0]:13}, {known:5}   " for found, known in zip(row, paper[e]))
    print(f"{e:<6}{cells}{row[-1][2]:.4f}")

# %% [markdown]
# ## The growth of the count

# %%
figure, ax = plt.subplots(figsize=(6, 4), constrained_layout=True)
for k, e in enumerate(restitutions):
    ax.loglog(steps, [found[0] for found in table[e]], f"C{k}-", label=f"e = {e}")
    ax.loglog(steps, paper[e][:decades], f"C{k}o")
ax.invert_xaxis()
ax.set_xlabel("h [s]")
ax.set_ylabel("impacts; dots: the paper")
ax.legend()
figure.savefig("e11-counts.svg")

for e, row in table.items():
    wanted = np.log(10)/np.log(1/e)*(decades - 1)
    grown = row[-1][0] - row[0][0]
    print(f"e = {e}: grown by {grown}, theory {wanted:.1f}")
    assert abs(grown - wanted) <= max(0.3*wanted, 1.6)
assert abs(table[0.9][-1][1] - 5.4156) < 3*steps[-1]
