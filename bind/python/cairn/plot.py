"""Plots with matplotlib, which is imported when one is drawn and not before. Each returns its axes."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from .errors import ArgumentError
from .frames import Contacts, Poses

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["force_chains", "bodies", "energy", "convergence", "residuals"]


def _axes(ax: Any, plane: str | None = None) -> Any:
    if ax is None:
        import matplotlib.pyplot as plt
        ax = plt.subplots()[1]
    if plane is not None:
        ax.set_aspect("equal")
        ax.set_xlabel(f"{plane[0]} [m]")
        ax.set_ylabel(f"{plane[1]} [m]")
    return ax


def _plane(plane: str | None, dim: int) -> tuple[int, int, str]:
    plane = plane or ("xz" if dim == 3 else "xy")
    if len(plane) != 2 or any(axis not in "xyz"[:dim] for axis in plane):
        raise ArgumentError(f"plane must be two of the axes {'xyz'[:dim]}, not {plane!r}")
    return "xyz".index(plane[0]), "xyz".index(plane[1]), plane


def force_chains(of: Any, ax: Any = None, *, plane: str | None = None, width: float = 5, **style: Any) -> Any:
    """Normal forces as lines between the bodies' centres, as wide as they are large.

    of: contacts, or what has them (a frame, a simulation). plane: two axes to look along the third of.
    """
    if not isinstance(of, Contacts) and not hasattr(of, "contacts"):
        raise ArgumentError(f"forces are drawn of contacts, a frame or a simulation, not of {type(of).__name__}")
    contacts: Contacts = of if isinstance(of, Contacts) else of.contacts
    p, q, n = contacts.pairs()
    i, j, name = _plane(plane, contacts.point.shape[1])
    ax = _axes(ax, name)
    from matplotlib.collections import LineCollection
    lines = np.stack([p[:, [i, j]], q[:, [i, j]]], axis=1)
    widths = width * n / n.max() if len(n) else n
    ax.add_collection(LineCollection(list(lines), **{"linewidths": widths, "colors": "C3", **style}))
    ax.autoscale()
    return ax


def _rotation(pose: NDArray[Any], flat: bool) -> NDArray[Any]:
    if flat:
        c, s = np.cos(pose[2]), np.sin(pose[2])
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    w, x, y, z = pose[3:]
    return np.array([[1 - 2*(y*y + z*z), 2*(x*y - w*z), 2*(x*z + w*y)],
                     [2*(x*y + w*z), 1 - 2*(x*x + z*z), 2*(y*z - w*x)],
                     [2*(x*z - w*y), 2*(y*z + w*x), 1 - 2*(x*x + y*y)]])


def _hull(points: NDArray[Any]) -> NDArray[Any]:
    """The convex hull of points of a plane, in order."""
    points = points[np.lexsort((points[:, 1], points[:, 0]))]

    def half(sequence: NDArray[Any]) -> list[Any]:
        chain: list[Any] = []
        for point in sequence:
            while len(chain) >= 2:
                a, b = chain[-1] - chain[-2], point - chain[-2]
                if a[0] * b[1] - a[1] * b[0] > 0:
                    break
                chain.pop()
            chain.append(point)
        return chain
    return np.array(half(points)[:-1] + half(points[::-1])[:-1])


def _outline(shape: dict[str, Any]) -> NDArray[Any]:
    """Points, in the body's own frame, whose hull is the shape or close to it."""
    if len(shape["vertices"]):
        return np.asarray(shape["vertices"], dtype=np.float64)
    circle = np.linspace(0, 2*np.pi, 33)[:-1]
    ring = np.stack([np.cos(circle), np.sin(circle), 0*circle], axis=1)
    ball = np.concatenate([ring, ring[:, [0, 2, 1]], ring[:, [2, 0, 1]]])
    kind = shape["kind"]
    if kind in ("sphere", "disk", "ring"):
        points = shape["radius"] * (ring if kind != "sphere" else ball)
    elif kind in ("ellipse", "ellipsoid"):
        size = np.array([s or 0 for s in shape["size"]])
        points = ball * size / 2 if kind == "ellipsoid" else ring * np.array([size[0], size[1], 0]) / 2
    elif kind in ("capsule", "cylinder"):
        end = np.array([0, 0, shape["length"] / 2])
        cap = shape["radius"] * (ball if kind == "capsule" else ring)
        points = np.concatenate([cap + end, cap - end])
    else:
        return np.empty((0, 3))
    return points @ np.asarray(shape["axes"]).T + np.asarray(shape["position"])  # type: ignore[no-any-return]


def bodies(of: Any, model: Any = None, ax: Any = None, *, plane: str | None = None, **style: Any) -> Any:
    """Outlines of the bodies of a simulation or a frame (then with its model), seen along an axis."""
    poses: Poses = of
    model = model if model is not None else getattr(of, "model", None)
    if model is None:
        raise ArgumentError("a frame needs the model whose bodies it has: bodies(frame, run.model)")
    i, j, name = _plane(plane, model.dimension)
    ax = _axes(ax, name)
    from matplotlib.patches import Polygon
    flat = model.dimension == 2
    look = {"facecolor": "0.85", "edgecolor": "0.3", "linewidth": 0.6, **style}
    for b, pose in enumerate(poses.q):
        turn = _rotation(pose, flat)
        origin = np.array([pose[0], pose[1], 0 if flat else pose[2]])
        for shape in model.shapes(b):
            points = _outline(shape)
            if len(points):
                ax.add_patch(Polygon(_hull((points @ turn.T + origin)[:, [i, j]]), **look))
    ax.autoscale()
    return ax


def _ledger_of(given: Any) -> Any:
    rows = getattr(given, "ledger", given)
    if not isinstance(rows, Mapping):
        raise ArgumentError(f"this is drawn from a run or its ledger, not from {type(given).__name__}",
                            hint='record the simulation: cairn.Sim(scene, record="x.run"), then cairn.Run("x.run")')
    return rows


def energy(ledger: Any, ax: Any = None) -> Any:
    """Energies over time, and what friction and impacts have taken, from a ledger or a run."""
    rows = _ledger_of(ledger)
    ax = _axes(ax)
    t = rows["t"]
    for name in ("kinetic", "potential"):
        ax.plot(t, rows[name], label=name)
    for name in ("dissipated_friction", "dissipated_impact"):
        ax.plot(t, np.cumsum(rows[name]), label=name.replace("_", " by "), linestyle="--")
    ax.set_xlabel("t [s]")
    ax.set_ylabel("energy [J]")
    ax.legend()
    return ax


def residuals(ledger: Any, ax: Any = None) -> Any:
    """The residual of each step over time, from a ledger or a run."""
    rows = _ledger_of(ledger)
    ax = _axes(ax)
    ax.semilogy(rows["t"], np.maximum(rows["residual"], 1e-17), ".", markersize=2)
    ax.set_xlabel("t [s]")
    ax.set_ylabel("residual")
    return ax


def convergence(problem: Any, solvers: Sequence[Any] = ("nsgs", "auto"), ax: Any = None, *,
                iterations: Sequence[int] = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
                measure: str = "scaled") -> Any:
    """Residuals by the checker after so many iterations of each solver."""
    from .problem import solve
    ax = _axes(ax)
    for solver in [solvers] if isinstance(solvers, str) or callable(solvers) else solvers:
        done = [solve(problem, solver=solver, max_iterations=n, tolerance=1e-300, measure=measure) for n in iterations]
        ax.loglog([max(s.iterations, 1) for s in done], [max(s.residual, 1e-17) for s in done], "o-",
                  label=getattr(solver, "name", solver))
    ax.set_xlabel("iterations, in the solver's unit")
    ax.set_ylabel("residual")
    ax.legend()
    return ax


