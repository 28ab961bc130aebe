# %% [markdown]
# # First steps: a wall of bricks, its forces, and what can be trusted
#
# A scene is data; a simulation is an object; what is read never changes afterwards. The cells are marked by `# %%`, as
# VS Code, Spyder and jupytext read them.

# %%
import os

import matplotlib.pyplot as plt
import numpy as np

import cairn

steps = int(os.environ.get("CAIRN_STEPS", 400))

# %% [markdown]
# ## The scene
#
# Bricks by two loops. In a notebook `scene` as the last line of a cell shows the page, and `scene.view()` simulates it
# live in the browser.

# %%
scene = cairn.Scene("wall", friction=0.6, density=2000, step=1e-3)
scene.ground()
for i in range(6):
    for j in range(6):
        scene.body(f"brick {i} {j}", cairn.box(0.4, 0.2, 0.2), position=[0.4*j + 0.1*(i % 2), 0, 0.1 + 0.2*i])
print(scene, scene.check())

# %% [markdown]
# ## It stands
#
# The bricks touch from the start, so that nothing falls; the report says how good the answer is.

# %%
sim = cairn.Sim(scene)
report = sim.step(steps)
print(report, f"largest overlap {report.penetration_max:.1e} m")
assert report.solved

# %% [markdown]
# ## Its forces are numpy arrays
#
# The ground bears the weight. How the contacts of one brick share it is not unique, since the wall is hyperstatic.

# %%
weight = sum(body.mass for body in sim)*9.81
force = sim.contacts.on("ground").sum(axis=0)
print(f"on the ground {force[2]:.3f} N, weight {weight:.3f} N")
assert abs(force[2] + weight) < 1e-3*weight

figure, ax = plt.subplots(figsize=(6, 4), constrained_layout=True)
cairn.plot.bodies(sim, ax=ax)
cairn.plot.force_chains(sim, ax)
figure.savefig("first-steps-forces.svg")

# %% [markdown]
# ## Push it
#
# A force on one brick grows until it slides: the brick on top of the pile at friction times its weight.

# %%
top = sim["brick 5 5"]
bound = 0.6*top.mass*9.81
rows = []
for share in np.linspace(0.1, 1.3, 13):
    for _ in range(10):
        top.apply(force=[share*bound, 0, 0])
        sim.step()
    rows.append((share, float(np.linalg.norm(top.velocity))))
share, speed = np.array(rows).T
figure, ax = plt.subplots(figsize=(6, 3), constrained_layout=True)
ax.plot(share, speed, "o-")
ax.axvline(1, color="0.7")
ax.set_xlabel("force over friction times weight")
ax.set_ylabel("speed of the brick [m/s]")
figure.savefig("first-steps-slip.svg")
assert speed[share < 0.95].max() < 1e-4 and speed[share > 1.05].min() > 1e-3

# %% [markdown]
# ## Branch
#
# A state is bytes. Two futures of one state; the same future twice is the same to the last bit.

# %%
state = sim.save()
sim.step(100)
first = sim.hash
sim.restore(state)
sim.step(100)
assert sim.hash == first
sim.restore(state)
sim.remove("brick 4 5")
sim.step(100)
print("without the brick below it:", top.velocity.round(3))
assert sim.hash != first and top.velocity[2] < -0.5
