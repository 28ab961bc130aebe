# %% [markdown]
# # Compare solvers on a one-step problem
#
# A problem as a file (FCLIB, HDF5): which solver takes how long to which residual. Residuals are by a checker that no
# solver shares, so that a solver of your own stands beside the others.

# %%
import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import cairn

folder = Path(os.environ.get("CAIRN_PROBLEMS", "corpus"))  # of the source tree
problem = cairn.Problem.read(folder / "arch-000050.hdf5")
print(problem, problem.W.shape, f"{problem.W.nnz/problem.W.shape[0]**2:.0%} of W is not zero")

# %% [markdown]
# ## What there is
#
# `cairn.solvers()` lists all with what they are good and bad at.

# %%
for info in cairn.solvers("friction"):
    if problem.dim in info.dims:
        print(f"{info.name:12} {info.about}")

# %% [markdown]
# ## Iterations and residuals

# %%
names = ["nsgs", "admm", "newton-ac"]
rows = []
for name in names:
    s = cairn.solve(problem, solver=name, tolerance=1e-8, max_iterations=20000)
    rows.append(s)
    print(f"{name:10} {s.outcome:8} {s.iterations:6} iterations  residual {s.residual:.1e}  {s.cpu_s*1e3:7.2f} ms")
assert rows[0].solved
figure, ax = plt.subplots(figsize=(6, 4), constrained_layout=True)
cairn.plot.convergence(problem, names, ax, iterations=(1, 3, 10, 30, 100, 300, 1000))
figure.savefig("solvers-convergence.svg")

# %% [markdown]
# ## One of your own
#
# Damped projected Jacobi: every contact steps at once. It is graded like every other, whatever it returns.

# %%
@cairn.solver(about="damped Jacobi")
def jacobi(p, r, u, tolerance):
    for k in range(3000):
        p.velocity(r, out=u)
        r[:] = p.project(r - 0.3*p.rho*p.shifted(u))
        if k % 50 == 0 and p.residual(r) < tolerance:
            return k
    return None


own = cairn.solve(problem, solver=jacobi, tolerance=1e-4)
print(own, cairn.grade(problem, own.r))
assert own.residual < 1e-2

# %% [markdown]
# ## The answers
#
# The problem is hyperstatic: velocities are unique, impulses need not be.

# %%
u = [s.u for s in rows if s.solved]
r = [s.r for s in rows if s.solved]
spread_u = max(np.abs(a - u[0]).max() for a in u)
spread_r = max(np.abs(a - r[0]).max() for a in r) / np.abs(r[0]).max()
print(f"velocities differ by {spread_u:.1e} m/s, impulses by {spread_r:.1e} of the largest")
figure, ax = plt.subplots(figsize=(6, 3), constrained_layout=True)
for s in rows:
    ax.plot(np.sort(s.r[::problem.dim])[::-1], label=s.solver)
ax.set_xlabel("contact, sorted")
ax.set_ylabel("normal impulse [N s]")
ax.legend()
figure.savefig("solvers-impulses.svg")
assert spread_u < 1e-4
