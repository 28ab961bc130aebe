"""What is read from simulations and runs: contacts and frames. All arrays are snapshots, read-only."""
from __future__ import annotations

import importlib
import operator
import weakref
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple

import numpy as np

from . import _core
from .errors import ArgumentError

__all__ = ["Contacts", "Frame", "Energy", "OPEN", "STICK", "SLIDE"]

OPEN, STICK, SLIDE = 0, 1, 2
if TYPE_CHECKING:
    from numpy.typing import NDArray
    Array = NDArray[np.float64]
else:
    Array = np.ndarray


class Energy(NamedTuple):
    """Energies in J (2D: a metre of depth)."""

    kinetic: float
    potential: float

    @property
    def total(self) -> float:
        """Their sum [J]."""
        return self.kinetic + self.potential


def body_index(body: int | str, names: list[str], what: str = "body") -> int:
    """The number of a body, counted from 0, by its name or number (negative: from the end)."""
    if isinstance(body, str):
        if body in names and body:
            return names.index(body)
        near = _core.nearest(body, [name for name in names if name][:256])
        raise KeyError(f'there is no {what} "{body}"' + (f'; did you mean "{near}"?' if near else ""))
    if not -len(names) <= body < len(names):
        raise IndexError(f"there is no {what} {body}; there are {len(names)}")
    return operator.index(body) % len(names)


def frozen(array: Any) -> Any:
    """The array, read-only."""
    array.flags.writeable = False
    return array


class Contacts:
    """The contacts of one step, as columns; they stay what they are when the simulation goes on.

    `bodies` are the numbers, from 0, of the body that the impulse acts on and of the one it acts against.

    >>> sim = cairn.Sim(cairn.gallery("block-on-slope")); report = sim.step(10)
    >>> c = sim.contacts
    >>> len(c), c.impulse.shape
    (4, (4, 3))
    >>> bool((c.tangential_force <= c.friction*c.normal_force*(1 + 1e-9)).all())
    True
    """

    def __init__(self, columns: dict[str, Any], step: float, names: list[str], positions: Array,
                 model: Any = None, sim: Any = None) -> None:
        self._columns = columns
        self._step = step
        self._sim = None if sim is None else weakref.ref(sim)
        self._model = model
        self._names = names
        self._positions = positions

    def _column(self, name: str) -> Any:
        if name not in self._columns:
            sim = self._sim() if self._sim is not None else None
            if sim is not None:
                self._fill(sim._contacts_rest())
        return np.asarray(self._columns[name])

    def _fill(self, rest: dict[str, Any]) -> None:
        """Takes the columns that it lacks; the simulation gives them before it goes on."""
        self._columns.update(rest)
        self._sim = None

    @property
    def bodies(self) -> NDArray[np.int32]:
        """(n, 2): the body that the impulse acts on, and the other one."""
        return self._column("bodies")  # type: ignore[no-any-return]

    @property
    def status(self) -> NDArray[np.uint8]:
        """(n): cairn.OPEN, cairn.STICK or cairn.SLIDE."""
        return self._column("status")  # type: ignore[no-any-return]

    @property
    def point(self) -> Array:
        """(n, dim): where they touch [m], in the world."""
        return self._column("point")  # type: ignore[no-any-return]

    @property
    def normal(self) -> Array:
        """(n, dim): unit normals towards bodies[:, 0]."""
        return self._column("normal")  # type: ignore[no-any-return]

    @property
    def gap(self) -> Array:
        """(n): distances [m], negative where they overlap."""
        return self._column("gap")  # type: ignore[no-any-return]

    @property
    def impulse(self) -> Array:
        """(n, dim): on bodies[:, 0] [N s], in the world."""
        return self._column("impulse")  # type: ignore[no-any-return]

    @property
    def velocity(self) -> Array:
        """(n, dim): of bodies[:, 0] against the other, after the step [m/s]."""
        return self._column("velocity")  # type: ignore[no-any-return]

    @property
    def velocity_before(self) -> Array:
        """(n, dim): the same before the step [m/s]."""
        return self._column("velocity_before")  # type: ignore[no-any-return]

    @property
    def shift(self) -> Array:
        """(n, dim): s, for which the law holds as that of u + s [m/s]."""
        return self._column("shift")  # type: ignore[no-any-return]

    @property
    def friction(self) -> Array:
        """(n): coefficients of friction."""
        return self._column("friction")  # type: ignore[no-any-return]

    @property
    def force(self) -> Array:
        """(n, dim): impulse over the step's length [N], on bodies[:, 0]."""
        return frozen(self.impulse / self._step)  # type: ignore[no-any-return]

    @property
    def normal_force(self) -> Array:
        """(n): the part of the force along the normal [N], positive: they press."""
        return frozen(np.einsum("ij,ij->i", self.impulse, self.normal) / self._step)  # type: ignore[no-any-return]

    @property
    def tangential_force(self) -> Array:
        """(n): size of the part of the force across the normal [N]."""
        normal = np.einsum("ij,ij->i", self.impulse, self.normal)
        across = self.impulse - normal[:, None] * self.normal
        return frozen(np.linalg.norm(across, axis=1) / self._step)  # type: ignore[no-any-return]

    def on(self, body: int | str) -> Array:
        """The forces on this body, one per contact that it has [N].

        >>> sim = cairn.Sim(cairn.gallery("block-on-slope")); report = sim.step(10)
        >>> sim.contacts.on("block").shape
        (4, 3)
        """
        i = body_index(body, self._names)
        force, bodies = self.force, self.bodies
        first, second = bodies[:, 0] == i, bodies[:, 1] == i
        signs = first.astype(float) - second.astype(float)
        return frozen((signs[:, None] * force)[first | second])  # type: ignore[no-any-return]

    def pairs(self) -> tuple[Array, Array, Array]:
        """What force chains are drawn from: both ends of each pressing contact's branch, and its normal force.

        An end is the centre of its body; of planes, which have none, the contact point.
        """
        pressing = self.status > OPEN
        point = self.point[pressing]
        endless = np.zeros(len(self._positions), dtype=bool) if self._model is None else self._model.endless
        ends = [np.where(endless[body][:, None], point, self._positions[body]) for body in self.bodies[pressing].T]
        return frozen(ends[0]), frozen(ends[1]), frozen(self.normal_force[pressing])

    def to_pandas(self) -> Any:
        """A pandas DataFrame with one row per contact."""
        pandas = need_pandas()
        data: dict[str, Any] = {"body": self.bodies[:, 0], "other": self.bodies[:, 1], "status": self.status,
                                "gap": self.gap, "friction": self.friction, "normal_force": self.normal_force,
                                "tangential_force": self.tangential_force}
        for name in ("point", "normal", "force", "velocity"):
            for k, axis in enumerate("xyz"[:self.point.shape[1]]):
                data[f"{name}_{axis}"] = getattr(self, name)[:, k]
        return pandas.DataFrame(data)

    def __len__(self) -> int:
        return len(self.status)

    def __repr__(self) -> str:
        status = self.status
        counts = [int((status == kind).sum()) for kind in (STICK, SLIDE, OPEN)]
        return f"<cairn.Contacts {len(self)}: {counts[0]} stick, {counts[1]} slide, {counts[2]} open>"


def need_pandas() -> Any:
    """pandas, or an error that says what to do."""
    try:
        return importlib.import_module("pandas")
    except ImportError:
        raise ImportError("this needs pandas, which is not installed; the columns are there as numpy arrays") from None


class Poses:
    """Positions and velocities out of q and v, for all that has these."""

    @property
    def q(self) -> Array:
        """(n, 7): x y z, quaternion w x y z of the bodies' own frames; 2D (n, 3): x y angle."""
        raise NotImplementedError

    @property
    def v(self) -> Array:
        """(n, 6): velocity of the centre of mass, angular velocity, in the world; 2D (n, 3)."""
        raise NotImplementedError

    @property
    def positions(self) -> Array:
        """(n, dim): positions of the bodies' own frames [m]."""
        q = self.q
        return q[:, :3] if q.shape[1] == 7 else q[:, :2]

    @property
    def orientations(self) -> Array:
        """(n, 4): quaternions w x y z; 2D (n): angles [rad]."""
        q = self.q
        return q[:, 3:] if q.shape[1] == 7 else q[:, 2]

    @property
    def velocities(self) -> Array:
        """(n, dim): velocities of the centres of mass [m/s]."""
        v = self.v
        return v[:, :3] if v.shape[1] == 6 else v[:, :2]

    @property
    def angular_velocities(self) -> Array:
        """(n, 3) in world axes, 2D (n) [rad/s]."""
        v = self.v
        return v[:, 3:] if v.shape[1] == 6 else v[:, 2]


class Frame(Poses):
    """A moment of a run or of a simulation: poses, velocities, contacts. It keeps what it is."""

    def __init__(self, step: int, time: float, q: Array, v: Array, contacts: Any, names: list[str],
                 report: Any = None, nodes: Any = None) -> None:
        self._nodes = nodes
        self.step = step
        self.time = time
        self.report = report
        self._q = q
        self._v = v
        self._contacts = contacts
        self._names = names

    @property
    def t(self) -> float:
        """The time [s], as `time`."""
        return self.time

    @property
    def q(self) -> Array:
        """(n, 7): x y z, quaternion w x y z of the bodies' own frames; 2D (n, 3): x y angle."""
        return self._q

    @property
    def v(self) -> Array:
        """(n, 6): velocity of the centre of mass, angular velocity, in the world; 2D (n, 3)."""
        return self._v

    @property
    def names(self) -> list[str]:
        """Names of the bodies, in body order."""
        return self._names

    @property
    def contacts(self) -> Contacts:
        """The contacts of the step that led here."""
        if callable(self._contacts):
            self._contacts = self._contacts(self)
        return self._contacts  # type: ignore[no-any-return]

    def __getitem__(self, body: int | str) -> FrameBody:
        return FrameBody(self, body_index(body, self._names))

    def __len__(self) -> int:
        return len(self._q)

    def __iter__(self) -> Iterator[FrameBody]:
        return (FrameBody(self, i) for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<cairn.Frame step {self.step}, t = {self.time:.6g} s, {len(self._q)} bodies>"


class FrameBody:
    """One body in a frame."""

    def __init__(self, frame: Frame, index: int) -> None:
        self._frame = frame
        self.index = index

    @property
    def name(self) -> str:
        """Its name; "" for none."""
        return self._frame.names[self.index]

    @property
    def position(self) -> Array:
        """Of its own frame [m]."""
        return self._frame.positions[self.index]  # type: ignore[no-any-return]

    @property
    def orientation(self) -> Array:
        """Quaternion w x y z; in 2D its angle [rad]."""
        return self._frame.orientations[self.index]  # type: ignore[no-any-return]

    @property
    def velocity(self) -> Array:
        """Of the centre of mass [m/s]."""
        return self._frame.velocities[self.index]  # type: ignore[no-any-return]

    def _of_nodes(self, which: int) -> Array:
        if callable(self._frame._nodes):
            self._frame._nodes = self._frame._nodes()
        found: Any = self._frame._nodes or (None, None, lambda body: None)
        *arrays, mesh_of = found
        mesh = mesh_of(self.index)
        if mesh is None:
            raise ArgumentError(f"body {self.index} {self.name} is rigid; only deformable bodies have nodes")
        return arrays[which][mesh.first_node:mesh.first_node + len(mesh.nodes)]  # type: ignore[no-any-return]

    @property
    def nodes(self) -> Array:
        """(nodes, dim): where the nodes of a deformable body are [m]."""
        return self._of_nodes(0)

    @property
    def node_velocities(self) -> Array:
        """(nodes, dim): velocities of the nodes of a deformable body [m/s]."""
        return self._of_nodes(1)

    @property
    def angular_velocity(self) -> Array:
        """[rad/s] in world axes."""
        return self._frame.angular_velocities[self.index]  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<body {self.index} {self.name} at {self.position.tolist()}>"


def nearest_time(times: Array, t: float) -> int:
    """Index of the nearest of ascending times."""
    if not len(times):
        raise ArgumentError("there are no frames")
    if not np.isfinite(t):
        raise ArgumentError(f"a time must be a finite number, not {t}")
    i = int(np.searchsorted(times, t))
    if i == len(times) or (i > 0 and t - times[i - 1] <= times[i] - t):
        return i - 1
    return i
