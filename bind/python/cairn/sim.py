"""Simulations."""
from __future__ import annotations

import importlib
import os
import sys
import weakref
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, NamedTuple, Sequence

import numpy as np

from . import _core
from .errors import ArgumentError, Error, floats, number, whole
from .frames import Array, Contacts, Energy, Frame, Poses, body_index
from .scene import Mesh, Model, Scene, _caller, _check_version, _joint_entry, _json, load

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .problem import Solver

__all__ = ["Sim", "Body", "Hit", "Inputs", "Joint", "Joints", "rollout", "Rollout"]

_SLACK = 1e-9  # [s] of round-off in sums of steps
_WRITABLE = {"gravity", "friction_factor", "inputs", "progress", "strict"}
_SNAPSHOTS = {"q", "v", "positions", "orientations", "velocities", "angular_velocities", "contacts", "joints", "energy"}


class Body:
    """A body of a simulation: it reads the state that the simulation has when it is asked."""

    __slots__ = ("_sim", "index")

    def __init__(self, sim: Sim, index: int) -> None:
        self._sim = sim
        self.index = index

    @property
    def id(self) -> int:
        """Its number in run files, which count from 1."""
        return self.index + 1

    @property
    def name(self) -> str:
        """Its name; "" for none."""
        return self._sim.model.names[self.index]

    def _state(self) -> NDArray[np.float64]:
        return np.asarray(self._sim._body(self.index))

    def _write(self, part: str, first: int, last: int, values: Any, name: str) -> None:
        """Writes numbers first to last of its row of q or v."""
        rows = np.array(getattr(self._sim, part))
        given = np.asarray(floats(values, name)).reshape(-1)
        if len(given) != last - first:
            raise ArgumentError(f"{name} has {last - first} numbers, not {len(given)}")
        kind = self.info["kind"] if part == "v" else ""
        if kind in ("fixed", "driven"):
            raise ArgumentError(f"body {self.index} {self.name} is {kind} and takes no velocity",
                                hint="a motion of the scene drives a body: scene.motion(...)")
        rows[self.index, first:last] = given
        self._sim.set_state(rows, None) if part == "q" else self._sim.set_state(None, rows)

    @property
    def position(self) -> Any:
        """Of its own frame [m]; may be set."""
        return self._state()[:self._sim.model.dimension]

    @position.setter
    def position(self, value: ArrayLike) -> None:
        self._write("q", 0, self._sim.model.dimension, value, "position")

    @property
    def orientation(self) -> Any:
        """Quaternion w x y z; may be set."""
        return self._state()[3:7]

    @orientation.setter
    def orientation(self, value: ArrayLike) -> None:
        if self._sim.model.dimension == 2:
            raise ArgumentError("a body in 2D has an angle")
        self._write("q", 3, 7, value, "orientation")

    @property
    def angle(self) -> float:
        """2D: its angle [rad], whole turns counted; may be set."""
        return float(self._state()[7])

    @angle.setter
    def angle(self, value: float) -> None:
        if self._sim.model.dimension == 3:
            raise ArgumentError("a body in 3D has an orientation")
        self._write("q", 2, 3, value, "angle")

    @property
    def velocity(self) -> Any:
        """Of the centre of mass [m/s]; may be set."""
        return self._state()[8:8 + self._sim.model.dimension]

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        self._write("v", 0, self._sim.model.dimension, value, "velocity")

    @property
    def angular_velocity(self) -> Any:
        """[rad/s] in world axes; 2D a number; may be set."""
        state = self._state()
        return state[11:14] if self._sim.model.dimension == 3 else float(state[13])

    @angular_velocity.setter
    def angular_velocity(self, value: ArrayLike) -> None:
        dim = self._sim.model.dimension
        self._write("v", dim, 6 if dim == 3 else 3, value, "angular_velocity")

    def _of_nodes(self, which: int) -> Array:
        mesh = self.mesh
        if mesh is None:
            raise ArgumentError(f"body {self.index} {self.name} is rigid; only deformable bodies have nodes")
        return self._sim._all_nodes()[which][mesh.first_node:mesh.first_node + len(mesh.nodes)]

    @property
    def mesh(self) -> Mesh | None:
        """The mesh of a deformable body: elements, faces, nodes in its own frame; None of a rigid one."""
        return self._sim.model.mesh(self.index)

    @property
    def nodes(self) -> Array:
        """(nodes, dim): where the nodes of a deformable body are [m]."""
        return self._of_nodes(0)

    @property
    def node_velocities(self) -> Array:
        """(nodes, dim): velocities of the nodes of a deformable body [m/s]."""
        return self._of_nodes(1)

    @property
    def stress(self) -> Array:
        """(elements, 6): mean stress of each element of a deformable body in world axes, xx yy zz xy yz zx [Pa].

        >>> scene = cairn.Scene(friction=0.5); scene.ground()
        >>> scene.material("rubber", density=1000, young=1e6, poisson=0.3)
        >>> scene.body("cube", material="rubber", position=[0, 0, 0.5],
        ...            deformable={"mesh": {"box": {"size": [1, 1, 1], "cells": [2, 2, 2]}}})
        >>> sim = cairn.Sim(scene); report = sim.step(20); sim["cube"].stress.shape
        (8, 6)
        """
        if self.mesh is None:
            raise ArgumentError(f"body {self.index} {self.name} is rigid; only deformable bodies have stresses")
        return np.asarray(self._sim._stress(self.index))

    def apply(self, force: ArrayLike | None = None, torque: ArrayLike | None = None,
              point: ArrayLike | None = None) -> None:
        """A force [N] at a point of its own frame (by default the centre of mass) and a torque, for the next step.

        >>> sim = cairn.Sim(cairn.gallery("block-on-slope"))
        >>> sim["block"].apply(force=[0, 0, 50]); report = sim.step()
        """
        self._sim._apply_to(False, self.index, force, torque, point)

    def apply_impulse(self, impulse: ArrayLike | None = None, angular: ArrayLike | None = None,
                      point: ArrayLike | None = None) -> None:
        """Changes the velocities at once by an impulse [N s] at a point and an angular impulse [N m s]."""
        self._sim._apply_to(True, self.index, impulse, angular, point)

    @property
    def contact_force(self) -> Array:
        """What all contacts press on it [N], the mean over the last step."""
        return np.asarray(self._sim._contact_force(self.index))

    @property
    def user(self) -> Any:
        """Anything of your own; None at first. It is not part of saved states."""
        return self._sim._users.get(self.index)

    @user.setter
    def user(self, value: Any) -> None:
        self._sim._users[self.index] = value

    @property
    def mass(self) -> float:
        """[kg], 2D [kg/m]."""
        return float(self._sim.model._body(self.index)["mass"])

    @property
    def info(self) -> dict[str, Any]:
        """What the model knows of it: material, kind, mass, com, ..."""
        return self._sim.model._body(self.index)

    def __repr__(self) -> str:
        name = f" {self.name}" if self.name else ""
        return f"<cairn.Body {self.index}{name} at {np.round(self.position, 6).tolist()}>"


class Hit(NamedTuple):
    """What a ray met, or what is near: the body, its shape from 0, the distance [m], the point and the outward normal."""

    body: Body
    shape: int
    distance: float
    point: Array
    normal: Array


class Inputs:
    """The inputs of a simulation: numbers that expressions of the scene name by input(name). They are live.

    >>> scene = cairn.Scene(friction=0.5)
    >>> scene.body("ball", cairn.sphere(0.1)); scene.force("ball", ["input(push)", 0, 0])
    >>> sim = cairn.Sim(scene); sim.inputs["push"] = 3.0; sim.inputs
    <cairn.Inputs push=3>
    """

    def __init__(self, sim: Sim) -> None:
        self._sim = sim
        self.names: list[str] = sim._input_names()

    def _index(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self.names:
                near = _core.nearest(key, self.names[:256])
                has = f'did you mean "{near}"?' if near else f"it has {', '.join(self.names) or 'none'}"
                raise KeyError(f'the scene has no input "{key}"; {has}')
            return self.names.index(key)
        return key

    def __array__(self, dtype: Any = None) -> NDArray[Any]:
        return np.array(self._sim._inputs(), dtype=dtype)

    def __getitem__(self, key: Any) -> Any:
        return np.array(self._sim._inputs())[self._index(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        index = self._index(key)
        if isinstance(index, int) and 0 <= index < len(self.names):
            self._sim._set_input(index, number(value, f"the input {self.names[index]}"))
            return
        values = np.array(self._sim._inputs())
        given = np.asarray(floats(value, "inputs"))
        try:
            values[index] = given
        except ValueError:
            raise ArgumentError(f"there are {len(np.atleast_1d(values[index]))} inputs to be written, and shape "
                                f"{given.shape} was given; the scene has {', '.join(self.names) or 'none'}") from None
        self._sim._set_inputs(values)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __repr__(self) -> str:
        pairs = [f"{name}={value:g}" for name, value in zip(self.names, self._sim._inputs_list())]
        return f"<cairn.Inputs {' '.join(pairs) or 'none'}>"


class Joint:
    """A joint at one moment: what it stands at and what it bore in the last step."""

    name: str
    kind: str
    index: int
    bodies: list[int]

    def __init__(self, joints: Joints, index: int) -> None:
        name, kind, *bodies = joints._rows[index]
        self.__dict__.update(_joints=joints, index=index, name=name, kind=kind, bodies=bodies)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a joint is what it was at one moment; its motor is driven by sim.inputs, and "
                             "sim.set_state(q=..., v=...) moves bodies")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._joints._columns:
            raise AttributeError(f"a joint has no {name!r}; it has name, kind, bodies, "
                                 + ", ".join(self._joints._columns))
        value = getattr(self._joints, name)[self.index]
        return value.item() if np.ndim(value) == 0 else value

    def __dir__(self) -> list[str]:
        return ["index", "name", "kind", "bodies", *self._joints._columns]

    def __repr__(self) -> str:
        return f"<cairn.Joint {self.index} {self.kind} {self.name}: value {self.value:.6g}, rate {self.rate:.6g}>"


class Joints:
    """The joints of a simulation at one moment, as columns; names or numbers give one.

    >>> sim = cairn.Sim(cairn.gallery("pendulum")); report = sim.step(100)
    >>> sim.joints.value.shape, sim.joints[0].kind
    ((1,), 'hinge')
    """

    def __init__(self, columns: dict[str, Any], model: Model) -> None:
        self._columns = columns
        self._rows = [model._joint(i) for i in range(model.joint_count)]

    def _column(self, name: str) -> Any:
        return np.asarray(self._columns[name])

    @property
    def names(self) -> list[str]:
        """Names of the joints; "" for none."""
        return [row[0] for row in self._rows]

    @property
    def value(self) -> Array:
        """(n): angle [rad] or slide [m] from the start, or distance [m]."""
        return self._column("value")  # type: ignore[no-any-return]

    @property
    def rate(self) -> Array:
        """(n): its rate [rad/s] or [m/s]."""
        return self._column("rate")  # type: ignore[no-any-return]

    @property
    def force(self) -> Array:
        """(n, 3): on the second body [N], mean over the last step."""
        return self._column("force")  # type: ignore[no-any-return]

    @property
    def torque(self) -> Array:
        """(n, 3): on the second body about the joint's point [N m]."""
        return self._column("torque")  # type: ignore[no-any-return]

    @property
    def effort(self) -> Array:
        """(n): of the motor along the free motion [N m] or [N]."""
        return self._column("effort")  # type: ignore[no-any-return]

    @property
    def limit_effort(self) -> Array:
        """(n): of the limits [N m] or [N]."""
        return self._column("limit_effort")  # type: ignore[no-any-return]

    @property
    def friction(self) -> Array:
        """(n): of dry friction [N m] or [N]."""
        return self._column("friction")  # type: ignore[no-any-return]

    @property
    def spring(self) -> Array:
        """(n): of the spring [N m] or [N]."""
        return self._column("spring")  # type: ignore[no-any-return]

    @property
    def limit(self) -> NDArray[np.int32]:
        """(n): -1 or 1 at the lower or upper limit, else 0."""
        return self._column("limit")  # type: ignore[no-any-return]

    @property
    def saturated(self) -> NDArray[np.int32]:
        """(n): -1 or 1 where the motor gives all that it may, else 0."""
        return self._column("saturated")  # type: ignore[no-any-return]

    def __getitem__(self, joint: int | str) -> Joint:
        return Joint(self, body_index(joint, self.names, "joint"))

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Joint]:
        return (Joint(self, i) for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<cairn.Joints {len(self)}: {', '.join(name or '-' for name in self.names[:10])}>"


class Sim(_core.Sim, Poses):
    """A simulation of a scene, a model or a scene file.

    threads: at work, by default as the scene says; the bits do not depend on it. record: a run file to be written.
    solver: a name of cairn.solvers("friction"), or one written in Python (cairn.solver), instead of the scene's;
    `solver.on_stall` of the scene holds for it as for any other.
    strict: a step that misses its tolerance raises NumericError; otherwise `report.outcome` says it.

    >>> scene = cairn.Scene(friction=0.5)
    >>> scene.ground()
    >>> scene.body("ball", cairn.sphere(0.1), position=[0, 0, 1])
    >>> sim = cairn.Sim(scene)
    >>> report = sim.step(100)
    >>> print(round(sim["ball"].position[2], 3))
    0.951
    """

    model: Model
    _q: Array
    _v: Array
    _live: Inputs | None
    _last: Any

    def __init__(self, scene: Scene | Model | str | os.PathLike[str], *, threads: int | None = None,
                 record: str | os.PathLike[str] | None = None, solver: str | Solver | None = None, strict: bool = False,
                 allow_plugins: bool = False) -> None:
        own = None if solver is None or isinstance(solver, str) else _own_solver(solver)
        if isinstance(solver, str):
            if isinstance(scene, Model):
                raise ArgumentError("a model has its solver; give the scene, or Scene(solver=...)")
            scene = load(scene) if not isinstance(scene, Scene) else scene.copy()
            scene.set("solver.name", solver)
        model = scene if isinstance(scene, Model) else Model(scene, allow_plugins=allow_plugins)
        self._start(model, threads, strict, own)
        if record is not None:
            self.record(record)

    def _start(self, model: Model, threads: int | None, strict: bool, own: Solver | None) -> None:
        self._threads = whole(threads or model.settings["threads"] or 1, "threads")
        self._q_at = self._v_at = self._contacts_at = self._joints_at = self._nodes_at = -1
        self._live = self._progress = None
        self._users: dict[int, Any] = {}
        try:
            self._make(model, self._threads)
        except Error as error:
            raise model.locate(error) from None
        self.strict = strict
        self._own = own
        if own is not None:
            self._set_solver(own._call, own.name, own._accepts())

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and name not in _WRITABLE:
            if name in _SNAPSHOTS:
                raise AttributeError(f"{name} is a snapshot; sim.set_state(q=..., v=...) writes, and so do the bodies: "
                                     'sim["ball"].position = ...')
            near = None if hasattr(type(self), name) else _core.nearest(name, list(_WRITABLE))
            if near:
                raise AttributeError(f'a simulation has no {name}; did you mean "{near}"?')
        object.__setattr__(self, name, value)

    # ---- going on ----

    def steps(self, until: float | None = None, n: int | None = None) -> Iterator[_core.Report]:
        """Steps one by one, up to the time `until` [s] or n of them; by default to the end of the scene.

        >>> sim = cairn.Sim(cairn.gallery("bouncing-ball"))
        >>> sum(1 for report in sim.steps(n=10))
        10
        """
        if n is not None:
            for _ in range(whole(n, "n")):
                yield self.step()
            return
        end = number(self.model.settings["until"] if until is None else until, "until") - _SLACK
        if not np.isfinite(end):
            raise ArgumentError(f"until must be a finite time [s], not {until}")
        while self.time < end:
            yield self.step()

    def run(self, until: float | None = None, *, progress: bool = False) -> _core.Report | None:
        """Steps to the time `until` [s], by default to the end of the scene; the report of the last step."""
        for frame in self.frames(until=until, progress=progress, every=None):
            pass
        return self.report

    def frames(self, every: float | None = None, until: float | None = None, *,
               progress: bool = False) -> Iterator[Frame]:
        """Frames every so many seconds (by default as the scene says), the simulation going on between them.

        progress: a bar, by tqdm where it is installed.
        """
        settings = self.model.settings
        step = settings["step"]
        every = settings["frames_every"] if every is None else number(every, "every")
        end = number(settings["until"] if until is None else until, "until")
        if not (np.isfinite(every) and every >= 0 and np.isfinite(end)):
            raise ArgumentError("every and until must be finite times [s], every not negative")
        bar = _Bar(end, self.time, self.model.name) if progress else None
        count = max(every / step, 1.0)
        next_frame = self.step_index / count
        try:
            while self.time < end - _SLACK:
                next_frame = np.floor(next_frame + 1e-6) + 1
                wanted = int(np.ceil(next_frame * count - 1e-6)) - self.step_index
                last = int(np.ceil(end / step - 1e-6)) - self.step_index
                report = self.step(max(min(wanted, last), 1))
                if bar:
                    bar.show(self.time, report)
                yield self.frame()
        finally:
            if bar:
                bar.close()

    def frame(self) -> Frame:
        """This moment, as a frame that stays what it is."""
        return Frame(self.step_index, self.time, self.q, self.v, self.contacts, self.model.names, self.report,
                     nodes=(*self._all_nodes(), self.model.mesh))

    # ---- looking ----

    @property
    def q(self) -> Array:
        """(n, 7): x y z, quaternion w x y z of the bodies' own frames; 2D (n, 3): x y angle. A snapshot."""
        if self._q_at != self._changes:
            self.__dict__.update(_q=np.asarray(self._poses()), _q_at=self._changes)
        return self._q

    @property
    def v(self) -> Array:
        """(n, 6): velocity of the centre of mass, angular velocity, in the world; 2D (n, 3). A snapshot."""
        if self._v_at != self._changes:
            self.__dict__.update(_v=np.asarray(self._velocities()), _v_at=self._changes)
        return self._v

    @property
    def contacts(self) -> Contacts:
        """The contacts of the last step; after restore() of the one before save(), without their velocities."""
        if self._contacts_at != self._changes or self._last() is None:
            found = Contacts(self._contacts(), self.model.settings["step"], self.model.names, self.positions,
                             self.model, self)
            self._keep(found)
            self._last = weakref.ref(found)
            self._contacts_at = self._changes
            return found
        last: Contacts = self._last()
        return last

    @property
    def contacts_begun(self) -> NDArray[np.int32]:
        """(n, 2): pairs of bodies that press on one another since the last step and did not in the one before.

        >>> scene = cairn.Scene(friction=0.5, restitution=0.5); scene.ground()
        >>> scene.body("ball", cairn.sphere(0.1), position=[0, 0, 0.2]); sim = cairn.Sim(scene)
        >>> [report.step for report in sim.steps(n=200) if len(sim.contacts_begun)][:1]
        [144]
        """
        return np.asarray(self._begun())

    @property
    def contacts_ended(self) -> NDArray[np.int32]:
        """(n, 2): pairs of bodies that do not press on one another any more."""
        return np.asarray(self._ended())

    @property
    def columns(self) -> dict[str, float]:
        """The columns that the scene records (key `record`), as they are now; model.columns has their units."""
        return dict(zip(self.model.columns, np.asarray(_core.Sim._columns(self)).tolist()))

    def _all_nodes(self) -> tuple[Array, Array]:
        if self._nodes_at != self._changes:
            x, v = self._nodes()
            self._node_arrays = np.asarray(x), np.asarray(v)
            self._nodes_at = self._changes
        return self._node_arrays

    @property
    def energy(self) -> Energy:
        """Kinetic and potential energy [J]."""
        return Energy(*self._energy())

    def problem(self) -> Any:
        """The one-step problem of the last step with its solution, as cairn.Problem; None before the first."""
        from .problem import Problem
        raw = self._problem()
        return None if raw is None else Problem._wrap(raw)

    def read(self, *, q: Array | None = None, v: Array | None = None, positions: Array | None = None,
             velocities: Array | None = None) -> None:
        """Reads into arrays given, for loops that must not allocate."""
        self._read_into(q, v)
        if positions is not None:
            positions[...] = self.positions
        if velocities is not None:
            velocities[...] = self.velocities

    @property
    def names(self) -> list[str]:
        """Names of the bodies, in body order."""
        return self.model.names

    def __getitem__(self, body: int | str) -> Body:
        return Body(self, self.model.index(body))

    def __len__(self) -> int:
        return self.model.body_count

    def __iter__(self) -> Iterator[Body]:
        return (Body(self, i) for i in range(len(self)))

    def __bool__(self) -> bool:
        return True

    @property
    def joints(self) -> Joints:
        """The joints now, with what they bore in the last step."""
        if self._joints_at != self._changes:
            self._all_joints = Joints(self._joints(), self.model)
            self._joints_at = self._changes
        return self._all_joints

    # ---- acting ----

    @property
    def progress(self) -> Callable[[str, int, int, float], Any] | None:
        """A function (stage, done, total, residual) that is called during steps and solves; None: none.

        Where it returns False, step() ends with KeyboardInterrupt; the state is that of the last whole step.
        """
        return self._progress

    @progress.setter
    def progress(self, call: Callable[[str, int, int, float], Any] | None) -> None:
        if call is not None and not callable(call):
            raise ArgumentError(f"progress must be a function of (stage, done, total, residual), not {call!r}")
        self._set_progress(call)
        self._progress = call

    @property
    def inputs(self) -> Any:
        """The inputs of the scene, to be written: sim.inputs["elbow"] = 3, sim.inputs[:] = action."""
        if self._live is None:
            self._live = Inputs(self)
        return self._live

    @inputs.setter
    def inputs(self, values: ArrayLike) -> None:
        self.inputs[:] = values

    def _inputs_list(self) -> list[float]:
        return np.asarray(self._inputs()).tolist()  # type: ignore[no-any-return]

    def _rows(self, values: ArrayLike, name: str, width: int) -> Array:
        rows: Array = np.asarray(floats(values, name))
        if rows.shape != (len(self), width):
            raise ArgumentError(f"{name} must have shape ({len(self)}, {width}), not {rows.shape}")
        return rows

    def set_state(self, q: ArrayLike | None = None, v: ArrayLike | None = None, *, project: bool = True,
                  allow_overlap: bool = True) -> None:
        """Puts all bodies there, q and v as they are read; None: as they are.

        project: poses and velocities are moved onto the joints, the nearest way. allow_overlap=False: bodies that
        overlap by more than `detection.overlap` are an error, and nothing is changed.

        >>> sim = cairn.Sim(cairn.gallery("newtons-cradle"))
        >>> sim.set_state(v=np.zeros_like(sim.v)); sim.energy.kinetic
        0.0
        """
        space = self.model.dimension == 3
        poses = None if q is None else self._rows(q, "q", 7 if space else 3)
        rates = None if v is None else self._rows(v, "v", 6 if space else 3)
        self._set_state(poses, rates, (1 if project else 0) | (0 if allow_overlap else 2))

    def rest(self) -> None:
        """All velocities become zero, also of joints and of nodes of deformable bodies; positions stay.

        >>> sim = cairn.Sim(cairn.gallery("newtons-cradle")); report = sim.step(10)
        >>> sim.rest(); sim.energy.kinetic
        0.0
        """
        self._rest()

    # ---- bodies and joints that come and go ----

    def add_body(self, name: str | None = None, shape: Any = None, **keys: Any) -> Body:
        """A body more, from the next step on, with the keys of Scene.body; it must be free or fixed.

        Its number is one more than the highest so far. It may overlap others, which report.penetration_max shows.

        >>> scene = cairn.Scene(friction=0.5); scene.ground()
        >>> scene.body("ball", cairn.sphere(0.1), position=[0, 0, 1]); sim = cairn.Sim(scene)
        >>> sim.add_body("second", cairn.sphere(0.1), position=[0, 0, 2], velocity=[0, 0, -1])
        <cairn.Body 2 second at [0.0, 0.0, 2.0]>
        """
        if isinstance(name, dict) and shape is None:
            name, shape = None, name
        entry: dict[str, Any] = {} if name is None else {"name": name}
        entry["material"] = self._some_material()
        entry.update(keys)
        if shape is not None:
            entry["shape"] = shape
        return Body(self, self._add(self._add_body, entry, "body"))

    def add_joint(self, kind: str, a: int | str | Body, b: int | str | Body, *, name: str | None = None,
                  **keys: Any) -> Joint:
        """A joint more between two bodies as they now stand, with the keys of Scene.joint.

        >>> scene = cairn.Scene(friction=0.5)
        >>> scene.body("post", cairn.box(0.1, 0.1, 1), fixed=True)
        >>> scene.body("arm", cairn.box(1, 0.1, 0.1), position=[0.6, 0, 0]); sim = cairn.Sim(scene)
        >>> sim.add_joint("hinge", "post", "arm", point=[0.05, 0, 0], axis=[0, 1, 0]).kind
        'hinge'
        """
        entry = _joint_entry(kind, self._body_of(a), self._body_of(b), name, keys)
        added = self._add(self._add_joint, entry, "joint")
        return self.joints[added]

    def _some_material(self) -> str:
        materials = self.model.materials
        return "default" if "default" in materials or len(materials) != 1 else materials[0]

    def _add(self, add: Callable[[str, str], Any], entry: dict[str, Any], path: str) -> Any:
        """Adds what the entry says; an error leads to the line that called."""
        source = self._given._source
        try:
            return add(source, _json(entry))
        except Error as error:
            if error.file in ("", source):
                (error.file, error.line), error.column = _caller(), 0
                error.path = path
            raise

    def _body_of(self, body: int | str | Body) -> int:
        if isinstance(body, Body):
            if body._sim is not self:
                raise ArgumentError(f"{body!r} belongs to another simulation")
            return body.index
        return self.model.index(body)

    def remove(self, body: int | str | Body) -> None:
        """Takes a body out, with its joints, loads, forces and motions, from the next step on.

        The numbers of the others stay; rows of arrays keep its last pose, and its velocity is zero.

        >>> sim = cairn.Sim(cairn.gallery("newtons-cradle"))
        >>> sim.remove(0); sim.has(0), sim.has(1), sim.step(10).outcome
        (False, True, 'solved')
        """
        self._remove_body(self._body_of(body))

    def remove_joint(self, joint: int | str | Joint) -> None:
        """Takes a joint out; the numbers of the others stay.

        >>> sim = cairn.Sim(cairn.gallery("pendulum"))
        >>> sim.remove_joint(0); sim.has_joint(0)
        False
        """
        self._remove_joint(self._joint_of(joint))

    def _joint_of(self, joint: int | str | Joint) -> int:
        return joint.index if isinstance(joint, Joint) else body_index(joint, self.joints.names, "joint")

    def has(self, body: int | str | Body) -> bool:
        """Whether a body is there: False after remove(), and for names that no body has."""
        if isinstance(body, str):
            found = self.model._find(body)
            return found >= 0 and self._has_body(found)
        return self._has_body(self._body_of(body))

    def has_joint(self, joint: int | str | Joint) -> bool:
        """Whether a joint is there: False after remove_joint()."""
        return self._has_joint(self._joint_of(joint))

    # ---- what is where ----

    def _three(self, values: ArrayLike, name: str) -> tuple[float, float, float]:
        given = np.asarray(floats(values, name))
        if given.shape != (self.model.dimension,):
            raise ArgumentError(f"{name} has {self.model.dimension} numbers, not shape {given.shape}")
        if not np.isfinite(given).all():
            raise ArgumentError(f"{name} must be finite numbers, not {given.tolist()}")
        x, y, z = (*given.tolist(), 0.0)[:3]
        return x, y, z

    def _reach(self, value: float, name: str) -> float:
        reach = number(value, name)
        if not reach >= 0:
            raise ArgumentError(f"{name} must be 0 or more [m], not {value}")
        return min(reach, 1e300)

    def _left_out(self, ignore: Any) -> NDArray[np.uint8] | None:
        """A 1 for each body to be left out; None: none is."""
        if ignore is None:
            return None
        several = not isinstance(ignore, (str, int, np.integer, Body))
        mask = np.zeros(len(self), dtype=np.uint8)
        mask[[self._body_of(body) for body in (ignore if several else [ignore])]] = 1
        return mask

    def _hit(self, found: tuple[int, int, float, Any, Any]) -> Hit:
        body, shape, distance, point, normal = found
        dim = self.model.dimension
        return Hit(Body(self, body), shape, distance, np.asarray(point)[:dim], np.asarray(normal)[:dim])

    def _ray_arguments(self, origin: ArrayLike, direction: ArrayLike, reach: float, ignore: Any) -> tuple[Any, ...]:
        way = self._three(direction, "direction")
        if not any(way):
            raise ArgumentError("direction must not be zero")
        return self._three(origin, "origin"), way, self._reach(reach, "reach"), self._left_out(ignore)

    def ray(self, origin: ArrayLike, direction: ArrayLike, reach: float = np.inf, *, ignore: Any = None) -> Hit | None:
        """What a ray meets first within reach [m], as the bodies stand now; None: nothing.

        ignore: a body that it passes through, as the one that a sensor sits on, or several.

        >>> scene = cairn.Scene(friction=0.5); scene.ground()
        >>> scene.body("ball", cairn.sphere(0.1), position=[0, 0, 1]); sim = cairn.Sim(scene)
        >>> hit = sim.ray([0, 0, 5], [0, 0, -1]); hit.body.name, round(hit.distance, 9)
        ('ball', 3.9)
        >>> sim.ray([0, 0, 5], [0, 0, -1], ignore="ball").body.name
        'ground'
        """
        found = self._ray(False, *self._ray_arguments(origin, direction, reach, ignore))
        return None if found is None else self._hit(found)

    def ray_all(self, origin: ArrayLike, direction: ArrayLike, reach: float = np.inf, *,
                ignore: Any = None) -> list[Hit]:
        """All that a ray enters within reach [m], once a shape, the nearest first.

        >>> scene = cairn.Scene(friction=0.5); scene.ground()
        >>> scene.body("ball", cairn.sphere(0.1), position=[0, 0, 1]); sim = cairn.Sim(scene)
        >>> [hit.body.name for hit in sim.ray_all([0, 0, 5], [0, 0, -1])]
        ['ball', 'ground']
        """
        return [self._hit(hit) for hit in self._ray(True, *self._ray_arguments(origin, direction, reach, ignore))]

    def closest(self, point: ArrayLike, reach: float = np.inf, *, ignore: Any = None) -> Hit | None:
        """The surface nearest to a point within reach [m]; its distance is negative inside a body. None: nothing.

        >>> scene = cairn.Scene(friction=0.5); scene.ground()
        >>> scene.body("ball", cairn.sphere(0.1), position=[0, 0, 1]); sim = cairn.Sim(scene)
        >>> hit = sim.closest([0, 0, 1.5]); hit.body.name, round(hit.distance, 9)
        ('ball', 0.4)
        """
        found = self._closest(self._three(point, "point"), self._reach(reach, "reach"), self._left_out(ignore))
        return None if found is None else self._hit(found)

    def overlaps(self, shape: Any, margin: float = 0, *, ignore: Any = None) -> list[Hit]:
        """All bodies within a margin [m] of a shape in the world, the nearest first; distance is the gap.

        shape: as for Scene.body; its position and orientation are in the world. Planes and lines cannot be asked about.

        >>> scene = cairn.Scene(friction=0.5); scene.ground()
        >>> scene.body("ball", cairn.sphere(0.1), position=[0, 0, 1]); sim = cairn.Sim(scene)
        >>> [hit.body.name for hit in sim.overlaps(cairn.sphere(0.2, position=[0, 0, 1.25]))]
        ['ball']
        """
        entry = {"fixed": True, "material": (self.model.materials or ["default"])[0], "shape": shape}

        def ask(source: str, text: str) -> Any:
            return self._overlap(source, text, self._reach(margin, "margin"), self._left_out(ignore))
        return sorted((self._hit(hit) for hit in self._add(ask, entry, "shape")), key=lambda hit: hit.distance)

    def set_loads(self, wrench: ArrayLike | None) -> None:
        """Forces [N] and torques [N m] about the centres of mass, (n, 6), 2D (n, 3); held until given again.

        None: no loads any more.
        """
        width = 6 if self.model.dimension == 3 else 3
        self._set_loads(None if wrench is None else self._rows(wrench, "loads", width))

    def _apply_to(self, impulse: bool, body: int, force: Any, torque: Any, point: Any) -> None:
        def three(values: Any, name: str) -> Any:
            if values is None:
                return None
            given = np.asarray(floats(values, name))
            if given.ndim == 0 and name == "torque":
                return np.array([0, 0, float(given)])
            if given.shape not in ((3,), (2,)) or (len(given) == 2 and self.model.dimension == 3):
                raise ArgumentError(f"{name} has {self.model.dimension} numbers, not shape {given.shape}")
            return np.ascontiguousarray(np.append(given, np.zeros(3 - len(given))))
        self._apply(impulse, body, three(force, "force"), three(torque, "torque"), three(point, "point"))

    # ---- steering ----

    @property
    def gravity(self) -> Any:
        """[m/s2]; may be set while the simulation goes on."""
        return np.array(self._steering()[0][:self.model.dimension])

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        given = np.asarray(floats(value, "gravity"))
        if given.shape != (self.model.dimension,):
            raise ArgumentError(f"gravity has {self.model.dimension} numbers, not shape {given.shape}")
        _, *rest = self._steering()
        self._steer((*given.tolist(), 0.0, 0.0)[:3], *rest)

    @property
    def friction_factor(self) -> float:
        """Multiplies every coefficient of friction; may be set while the simulation goes on."""
        return float(self._steering()[1])

    @friction_factor.setter
    def friction_factor(self, value: float) -> None:
        gravity, _, *rest = self._steering()
        self._steer(gravity, number(value, "friction_factor"), *rest)

    # ---- recording ----

    def record(self, path: str | os.PathLike[str], *, frames_every: float | None = None,
               overwrite: bool = True) -> None:
        """Writes a run file from here on: this frame, every step's ledger, frames as the scene says."""
        every = self.model.settings["frames_every"] if frames_every is None else number(frames_every,
                                                                                                     "frames_every")
        self._record(os.fspath(path), overwrite, every)
        self._path = os.path.abspath(path)

    def close(self) -> None:
        """Ends the run file and frees the simulation; arrays that were read stay."""
        self._record_end()
        self._close()

    def end_record(self) -> None:
        """Ends the run file; the simulation may go on."""
        self._record_end()

    def __enter__(self) -> Sim:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    # ---- copies ----

    def copy(self) -> Sim:
        """A simulation of its own, in the same state to the last bit.

        >>> sim = cairn.Sim(cairn.gallery("newtons-cradle")); report = sim.step(50)
        >>> twin = sim.copy(); report = twin.step(100); report = sim.step(100)
        >>> twin.hash == sim.hash
        True
        """
        twin = Sim.__new__(type(self))
        twin._start(self._given, self._threads, self.strict, self._own)
        twin.restore(self.save())
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Sim:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _sim_from, (type(self), self._given, self._threads, self.strict, self._own, self.save(), _core.version())

    # ---- showing ----

    def __repr__(self) -> str:
        if self.closed:
            return "<cairn.Sim, closed>"
        report = self.report
        contacts = f", {report.contacts} contacts" if report else ""
        return f"<cairn.Sim {self.model.name}, {len(self)} bodies, t = {self.time:.6g} s{contacts}>"

    def _repr_html_(self) -> str:
        from .page import frame_of
        return frame_of(self)

    def view(self) -> str:
        """Opens the page with what was recorded so far, or this moment, in a browser; the page's path.

        See Scene.view() for a scene that runs while you look at it.
        """
        from .page import show
        return show(self)

    def html(self, path: str | os.PathLike[str]) -> None:
        """Writes the page with what was recorded so far, or this moment, as one HTML file."""
        from .page import write
        write(self, path)


def _own_solver(solver: Any) -> Solver:
    from .problem import Solver
    return solver if isinstance(solver, Solver) else Solver(solver, None, "")


def _sim_from(kind: type[Sim], model: Model, threads: int, strict: bool, own: Solver | None, state: bytes,
              version: str) -> Sim:
    _check_version(version, "simulation")
    sim = kind.__new__(kind)
    sim._start(model, threads, strict, own)
    sim.restore(state)
    return sim


class Rollout(NamedTuple):
    """What became of each state: q and v at its end, (states, bodies, ...), and the state as bytes."""

    q: Array
    v: Array
    states: list[bytes]


def rollout(model: Model | Scene | str, states: Iterable[bytes], inputs: Any = None, steps: int = 1, *,
            threads: int | None = None) -> Rollout:
    """Steps each of the states, in as many threads as there are processors.

    inputs: (states, steps, inputs) or (states, inputs) where they are held; None: as the states have them.

    >>> sim = cairn.Sim(cairn.gallery("newtons-cradle"))
    >>> cairn.rollout(sim.model, [sim.save()]*3, steps=10).q.shape
    (3, 5, 3)
    """
    from concurrent.futures import ThreadPoolExecutor
    made = model if isinstance(model, Model) else Model(model)
    given = [] if isinstance(states, (bytes, str)) else list(states)
    if isinstance(states, (bytes, str)) or not all(isinstance(state, (bytes, bytearray, memoryview)) for state in given):
        raise ArgumentError("states must be a list of what save() gave", hint="[sim.save() for ...]")
    table = None if inputs is None else np.asarray(floats(inputs, "inputs"))
    if table is not None and (table.ndim not in (2, 3) or len(table) != len(given)
                              or (table.ndim == 3 and table.shape[1] != steps)):
        raise ArgumentError(f"inputs must be (states, inputs) or (states, steps, inputs), not {table.shape}")
    workers = min(threads or os.cpu_count() or 1, max(len(given), 1))

    def work(mine: Sequence[int]) -> list[tuple[Array, Array, bytes]]:
        sim = Sim(made, threads=1)
        done = []
        for i in mine:
            sim.restore(given[i])
            if table is None:
                sim.step(steps)
            elif table.ndim == 2:
                sim.inputs[:] = table[i]
                sim.step(steps)
            else:
                for row in table[i]:
                    sim.inputs[:] = row
                    sim.step()
            done.append((sim.q, sim.v, sim.save()))
        sim.close()
        return done

    shares = [range(k, len(given), workers) for k in range(workers)]
    results: list[Any] = [None] * len(given)
    with ThreadPoolExecutor(workers) as pool:
        for share, done in zip(shares, pool.map(work, shares)):
            for i, result in zip(share, done):
                results[i] = result
    if not results:
        return Rollout(np.empty((0, 0, 0)), np.empty((0, 0, 0)), [])
    return Rollout(np.stack([r[0] for r in results]), np.stack([r[1] for r in results]), [r[2] for r in results])


class _Bar:
    """Progress, by tqdm where it is installed, else a line on a terminal."""

    def __init__(self, end: float, start: float, name: str) -> None:
        self._bar: Any = None
        self._end = end
        self._at = start
        self._name = name
        try:
            tqdm = importlib.import_module("tqdm.auto")
            self._bar = tqdm.tqdm(total=round(end - start, 9), unit="s", desc=name)
        except ImportError:
            self._plain = sys.stderr.isatty()

    def show(self, time: float, report: _core.Report) -> None:
        """Draws."""
        if self._bar is not None:
            self._bar.update(round(time - self._at, 9))
            self._at = time
        elif self._plain:
            print(f"\r{self._name}: t = {time:.4g} of {self._end:.4g} s, {report.contacts} contacts   ", end="",
                  file=sys.stderr, flush=True)

    def close(self) -> None:
        """Ends the line."""
        if self._bar is not None:
            self._bar.close()
        elif self._plain:
            print(file=sys.stderr)
