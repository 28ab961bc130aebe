"""Run files: opened at once whatever their size, read piece by piece."""
from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Iterator, overload

import numpy as np

from . import _core
from .errors import Error, number
from .frames import Array, Contacts, Frame, body_index, nearest_time, need_pandas
from .scene import Model, _model_from

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Run", "Ledger", "Check", "Finding", "Track"]


class Ledger(Mapping[str, "NDArray[Any]"]):
    """Every step's counts, residuals and energies, as columns: t, contacts, residual, kinetic, ...

    >>> ledger = cairn.Ledger({"t": np.array([0.1, 0.2]), "kinetic": np.array([1.0, 2.0])})
    >>> ledger["kinetic"].max()
    2.0
    """

    def __init__(self, columns: dict[str, NDArray[Any]]) -> None:
        self._columns = columns

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._columns:
            near = _core.nearest(str(name), list(self._columns))
            raise KeyError(f'the ledger has no column "{name}"; '
                           + (f'did you mean "{near}"?' if near else f"it has {', '.join(self._columns)}"))
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def to_pandas(self) -> Any:
        """A pandas DataFrame with one row per step."""
        return need_pandas().DataFrame(self._columns)

    def __repr__(self) -> str:
        rows = len(next(iter(self._columns.values()))) if self._columns else 0
        return f"<cairn.Ledger {rows} steps, columns {', '.join(self._columns)}>"


class Finding:
    """Something that the check of a run found."""

    def __init__(self, step: int, table: str, what: str, value: float, allowed: float) -> None:
        self.step, self.table, self.what, self.value, self.allowed = step, table, what, value, allowed

    def __repr__(self) -> str:
        return f"<step {self.step}: {self.what}: {self.value:.3g}, allowed {self.allowed:.3g}>"


class Check:
    """The verdict of the check, which shares nothing with the solvers. True when `within` and `complete`."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.within: bool = values["within"]
        self.complete: bool = values["complete"]
        self.incomplete: str = values["incomplete"]
        self.frames: int = values["frames"]
        self.contacts: int = values["contacts"]
        self.steps: int = values["steps"]
        self.tolerance: float = values["tolerance"]
        self.energy_balance_error: float = values["energy_balance_error"]
        self.worst: dict[str, tuple[int, float, float]] = values["worst"]
        self.findings = [Finding(*row) for row in values["findings"]]
        self.finding_count: int = values["finding_count"]

    def __bool__(self) -> bool:
        return self.within and self.complete

    def __str__(self) -> str:
        verdict = "within tolerance" if self.within else f"NOT within tolerance, {self.finding_count} findings"
        lines = [f"{verdict}; {self.frames} frames, {self.contacts} contacts, {self.steps} steps"]
        if not self.complete:
            lines.append(f"  incomplete: {self.incomplete}")
        for kind, (step, value, allowed) in self.worst.items():
            lines.append(f"  {kind:<10} {value:.3g} of {allowed:.3g} allowed, step {step}")
        lines += [f"  {finding!r}" for finding in self.findings[:10]]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<cairn.Check within={self.within} complete={self.complete} findings={self.finding_count}>"


class Track:
    """One body over all frames: t (n), position, velocity, angular_velocity and orientation."""

    def __init__(self, t: Array, q: Array, v: Array) -> None:
        self.t, self.q, self.v = t, q, v
        space = q.shape[1] == 7
        self.position = q[:, :3] if space else q[:, :2]
        self.orientation = q[:, 3:] if space else q[:, 2]
        self.velocity = v[:, :3] if space else v[:, :2]
        self.angular_velocity = v[:, 3:] if space else v[:, 2]

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"<cairn.Track of {len(self.t)} frames>"


class Run(_core.Run, Sequence[Frame]):
    """A run file: a sequence of frames that are read when they are asked for.

    >>> with cairn.Sim(cairn.gallery("newtons-cradle"), record=tmp/"cradle.run") as sim:
    ...     report = sim.step(until=0.1)
    >>> run = cairn.Run(tmp/"cradle.run")
    >>> run[0].positions.shape, run.at(0.05).time
    ((5, 2), 0.05)
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.path.abspath(os.fspath(path))
        if not os.path.exists(self.path):
            raise FileNotFoundError(2, "there is no such run file", os.fspath(path))
        self._open(self.path)
        self._rows: list[tuple[Any, ...]] | None = None
        self._moments_kept: tuple[Any, Any] | None = None
        self._model: Model | None = None

    def close(self) -> None:
        """Closes the file; frames that were read stay."""
        self._close()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def refresh(self) -> None:
        """Looks again at a file that is being written."""
        self._refresh()
        self._moments_kept = None

    # ---- what it holds ----

    def _all_moments(self) -> tuple[Any, Any]:
        if self._moments_kept is None or self.closed:
            steps, times = self._moments()
            self._moments_kept = np.asarray(steps), np.asarray(times)
        return self._moments_kept

    @property
    def times(self) -> Array:
        """Times of the frames [s]."""
        return self._all_moments()[1]  # type: ignore[no-any-return]

    @property
    def steps(self) -> NDArray[np.int64]:
        """Steps of the frames."""
        return self._all_moments()[0]  # type: ignore[no-any-return]

    def _body_rows(self) -> list[tuple[Any, ...]]:
        if self._rows is None:
            self._rows = self._bodies()
        return self._rows

    @property
    def names(self) -> list[str]:
        """Names of the bodies, in body order; "" for none."""
        return [row[0] or "" for row in self._body_rows()]

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """Of each body: name, kind, material, mass, com, inertia, shape (in its own frame)."""
        keys = ("name", "kind", "material", "mass", "com", "inertia", "shape")
        rows = [dict(zip(keys, row)) for row in self._body_rows()]
        for row in rows:
            for key in ("com", "inertia", "shape"):
                row[key] = json.loads(row[key]) if row[key] else None
        return rows

    def meta(self, key: str) -> str | None:
        """An entry of the table meta: "scene", "tolerance", "status", "state_hash", ...; None: there is none."""
        return self._meta(key)

    @property
    def name(self) -> str:
        """The name of the scene."""
        return self.model.name

    @property
    def hash(self) -> str | None:
        """The hash of the last state, where the run has ended."""
        return self._meta("state_hash")

    @property
    def model(self) -> Model:
        """The model of the run's own scene text."""
        if self._model is None:
            text = self._meta("scene")
            if not text:
                raise Error("the run file has no scene: its model was built by a program", file=self.path)
            self._model = _model_from(self.path, text)
        return self._model

    @property
    def ledger(self) -> Ledger:
        """Every step's counts, residuals and energies, as columns."""
        columns = {key: np.asarray(value, dtype=object) if isinstance(value, list) else np.asarray(value)
                   for key, value in self._ledger().items()}
        return Ledger(columns)

    @property
    def columns(self) -> Ledger:
        """What the scene records every step (key `record`), as columns: step, t, and those of the scene."""
        heads, steps, times, values = self._columns()
        rows = np.asarray(values)
        return Ledger({"step": np.asarray(steps), "t": np.asarray(times),
                       **{name: rows[:, k] for k, (name, _) in enumerate(heads)}})

    @property
    def events(self) -> list[tuple[int, float, str]]:
        """What was remarkable: (step, time, text) each."""
        return self._events()

    # ---- frames ----

    def _contacts_of(self, index: int) -> Any:
        def read(frame: Frame) -> Contacts:
            model = self.model if self._meta("scene") else None
            step = model.settings["step"] if model is not None else 1.0
            return Contacts(self._contacts(index), step, self.names, frame.positions, model)
        return read

    def _frame_at(self, index: int) -> Frame:
        step, time, q, v = self._frame(index)
        return Frame(step, time, np.asarray(q), np.asarray(v), self._contacts_of(index), self.names,
                     nodes=lambda: self._nodes_of(index))

    def _nodes_of(self, index: int) -> tuple[Array, Array, Any]:
        """Positions and velocities of all nodes of a frame, and where those of a body are."""
        x, v = self._nodes(index)
        return np.asarray(x), np.asarray(v), self.model.mesh

    def __len__(self) -> int:
        return self.frame_count

    @overload
    def __getitem__(self, index: int) -> Frame: ...

    @overload
    def __getitem__(self, index: slice) -> list[Frame]: ...

    def __getitem__(self, index: int | slice) -> Frame | list[Frame]:
        count = len(self)
        if isinstance(index, slice):
            return [self._frame_at(i) for i in range(*index.indices(count))]
        if not -count <= index < count:
            raise IndexError(f"there is no frame {index}; the run has {count}")
        return self._frame_at(index % count)

    def __iter__(self) -> Iterator[Frame]:
        return (self._frame_at(i) for i in range(len(self)))

    # Every frame that is read is an object of its own, so that none is equal to another.
    def __contains__(self, item: object) -> bool:
        return False

    def count(self, value: object) -> int:
        """Always 0: every frame that is read is an object of its own."""
        return 0

    def index(self, value: object, start: int = 0, stop: int | None = None) -> int:
        """No frame is found by another one; see at() for the frame of a time."""
        raise ValueError("frames are not found by comparing; run.at(t) gives the one of a time")

    def at(self, t: float) -> Frame:
        """The frame nearest to a time [s]."""
        return self._frame_at(nearest_time(self.times, number(t, "t")))

    def track(self, body: int | str) -> Track:
        """One body over all frames, read without the others.

        >>> with cairn.Sim(cairn.gallery("newtons-cradle"), record=tmp/"track.run") as sim:
        ...     report = sim.step(until=0.1)
        >>> cairn.Run(tmp/"track.run").track(0).position.shape[1]
        2
        """
        q, v = self._track(body_index(body, self.names), len(self))
        return Track(self.times, np.asarray(q), np.asarray(v))

    # ---- verifying and showing ----

    def check(self, tolerance: float | None = None) -> Check:
        """Verifies the laws and hashes of every recorded frame, without the solver."""
        try:
            model: Model | None = self.model
        except Error:
            model = None
        return Check(self._check(model, float("nan") if tolerance is None else number(tolerance, "tolerance")))

    def html(self, path: str | os.PathLike[str]) -> None:
        """Writes the replay as one HTML file that needs no server."""
        from .page import write_run
        write_run(self.path, path)

    def view(self) -> str:
        """Opens the replay in a browser; the page's path."""
        from .page import show_run
        return show_run(self.path)

    def _repr_html_(self) -> str:
        from .page import frame_of_run
        return frame_of_run(self.path)

    def __repr__(self) -> str:
        if self.closed:
            return f"<cairn.Run {os.path.basename(self.path)}, closed>"
        end = f", to t = {self.times[-1]:.6g} s" if len(self) else ""
        return f"<cairn.Run {os.path.basename(self.path)}, {self.body_count} bodies, {len(self)} frames{end}>"
