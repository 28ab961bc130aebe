"""Small systems in coordinates of their own, with functions written in Python, as users of Siconos write them."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator, NamedTuple

import numpy as np

from . import _core
from .errors import ArgumentError, floats, number, whole
from .frames import Array, Energy

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Lagrangian", "FirstOrder", "SystemRun", "SystemReport", "Impact", "system_schemes"]


class SystemReport(NamedTuple):
    """What a step of a system did. Energies in J; zero for first-order systems."""

    step: int
    t: float
    contacts: int
    sticking: int
    sliding: int
    iterations: int
    substeps: int
    impacts: int
    residual: float
    outcome: str
    penetration_max: float
    joint_error_max: float
    kinetic: float
    potential: float
    work: float
    dissipated_friction: float
    dissipated_impact: float
    dissipated_numerical: float
    balance_error: float


class Impact(NamedTuple):
    """An impact, or a step's impulse of a contact: normal, then tangential parts."""

    t: float
    contact: int
    impulse: tuple[float, float, float]
    velocity_before: tuple[float, float, float]
    velocity: tuple[float, float, float]


def _floats(values: Any, name: str, shape: tuple[int, ...]) -> Array:
    if values is None:
        raise ArgumentError(f"{name} must give numbers, not None; does the function return them?")
    array = np.asarray(floats(values, name))
    if array.shape != shape and array.size == int(np.prod(shape)) and array.ndim <= 1:
        array = array.reshape(shape)
    if array.shape != shape:
        raise ArgumentError(f"{name} must have shape {shape}, not {array.shape}")
    return np.ascontiguousarray(array)


def _one_a_contact(values: Any, name: str, contacts: int) -> Array:
    """One number for all contacts, or one each."""
    given = np.asarray(floats(values, name))
    if given.ndim > 1 or given.size not in (1, contacts):
        raise ArgumentError(f"{name} must be one number, or one a contact, of which there are {contacts}; "
                            f"not shape {given.shape}")
    return np.broadcast_to(given.reshape(-1), (contacts,))


def _difference(function: Callable[[Array], Array], q: Array) -> Array:
    """Central differences of a function of q, rows of its values."""
    columns = []
    for k in range(len(q)):
        h = 1e-6 * max(1.0, abs(float(q[k])))
        ahead, behind = q.copy(), q.copy()
        ahead[k] += h
        behind[k] -= h
        columns.append((function(ahead) - function(behind)) / (ahead[k] - behind[k]))
    return np.stack(columns, axis=-1)


class _System(_core.System):
    """What both kinds share."""

    n: int

    def run(self, step: float, *, scheme: str | None = None, solver: str | None = None,
            **options: Any) -> SystemRun:
        """A run from the start; scheme: one of cairn.system_schemes()."""
        return SystemRun(self, step, scheme=scheme, solver=solver, **options)

    def __repr__(self) -> str:
        return f"<cairn.{type(self).__name__} of {self.n} coordinates>"


class Lagrangian(_System):
    """M(q) v' = F(t, q, v) + contacts + joints, q' = v, by functions of Python.

    mass(q) gives (n, n), force(t, q, v) gives (n), gaps(t, q) the gaps of the contacts. normals(t, q), (contacts, n),
    is d gaps/dq, and tangents(t, q), (contacts, n) or (2, contacts, n) in space, the rows of the sliding velocities.
    normal_rates and tangent_rates (t, q) are what moving surfaces add. joints(t, q) stays zero, joint_rows(t, q) is
    its derivative. What is left out of the derivatives is taken by differences, and what is given is compared with
    differences at the start.

    >>> ball = cairn.Lagrangian([1.0], [0.0], mass=lambda q: [[2.0]], force=lambda t, q, v: [-2*9.81],
    ...                         gaps=lambda t, q: [q[0] - 0.1], restitution=0.9)
    >>> run = ball.run(step=1e-3)
    >>> run.step(400).outcome
    'solved'
    """

    def __init__(self, q: ArrayLike, v: ArrayLike | None = None, *, mass: Callable[[Array], ArrayLike],
                 force: Callable[[float, Array, Array], ArrayLike],
                 force_gradient: Callable[[float, Array, Array], tuple[ArrayLike, ArrayLike]] | None = None,
                 potential: Callable[[float, Array], float] | None = None,
                 gaps: Callable[[float, Array], ArrayLike] | None = None,
                 normals: Callable[[float, Array], ArrayLike] | None = None,
                 tangents: Callable[[float, Array], ArrayLike] | None = None,
                 normal_rates: Callable[[float, Array], ArrayLike] | None = None,
                 tangent_rates: Callable[[float, Array], ArrayLike] | None = None,
                 joints: Callable[[float, Array], ArrayLike] | None = None,
                 joint_rows: Callable[[float, Array], ArrayLike] | None = None,
                 joint_rates: Callable[[float, Array], ArrayLike] | None = None,
                 friction: ArrayLike = 0, restitution: ArrayLike = 0, restitution_tangent: ArrayLike = 0,
                 name: str | None = None) -> None:
        start = np.asarray(floats(q, "q")).reshape(-1)
        n = self.n = len(start)
        functions = {"mass": mass, "force": force, "force_gradient": force_gradient, "potential": potential,
                     "gaps": gaps, "normals": normals, "tangents": tangents, "normal_rates": normal_rates,
                     "tangent_rates": tangent_rates, "joints": joints, "joint_rows": joint_rows,
                     "joint_rates": joint_rates}
        for key, given in functions.items():
            if given is not None and not callable(given):
                raise ArgumentError(f"{key} must be a function, not {type(given).__name__}",
                                    hint="of what is constant, lambda q: M" if key == "mass" else "")
        rates = np.zeros(n) if v is None else _floats(v, "v", (n,))
        contacts = 0 if gaps is None else np.size(gaps(0.0, start.copy()))
        equations = 0 if joints is None else np.size(joints(0.0, start.copy()))
        many = 1
        if tangents is not None and contacts:
            many = 2 if np.ndim(tangents(0.0, start.copy())) == 3 else 1
        laws = np.stack([_one_a_contact(law, key, contacts) for key, law in
                         (("friction", friction), ("restitution", restitution),
                          ("restitution_tangent", restitution_tangent))], axis=1)
        if tangents is None and laws[:, 0].any():
            raise ArgumentError("contacts with friction need tangents(t, q)")

        def gap(t: float, q: Any) -> Array:
            return _floats(gaps(t, np.array(q)), "gaps", (contacts,))  # type: ignore[misc]

        def rows(t: float, q: Any) -> Array:
            at = np.array(q)
            normal = (_difference(lambda x: gap(t, x), at) if normals is None
                      else _floats(normals(t, at), "normals", (contacts, n)))
            tangent = (np.zeros((many, contacts, n)) if tangents is None
                       else _floats(tangents(t, at), "tangents", (2, contacts, n) if many == 2 else (contacts, n)))
            if normal_rates is not None:
                normal_rate = _floats(normal_rates(t, at), "normal_rates", (contacts,))
            else:
                normal_rate = (gap(t + 1e-6, at) - gap(t - 1e-6, at)) / 2e-6
            tangent_rate = (np.zeros(many*contacts) if tangent_rates is None
                            else _floats(tangent_rates(t, at), "tangent_rates", (many*contacts,)))
            return np.concatenate([normal.ravel(), tangent.ravel(), normal_rate, tangent_rate])

        def joint(t: float, q: Any) -> Array:
            return _floats(joints(t, np.array(q)), "joints", (equations,))  # type: ignore[misc]

        def of_joint(t: float, q: Any) -> Array:
            at = np.array(q)
            given = (_difference(lambda x: joint(t, x), at) if joint_rows is None
                     else _floats(joint_rows(t, at), "joint_rows", (equations, n)))
            rate = ((joint(t + 1e-6, at) - joint(t - 1e-6, at)) / 2e-6 if joint_rates is None
                    else _floats(joint_rates(t, at), "joint_rates", (equations,)))
            return np.concatenate([given.ravel(), rate])

        def gradient(t: float, q: Any, v: Any) -> Array:
            by_q, by_v = force_gradient(t, np.array(q), np.array(v))  # type: ignore[misc]
            return np.concatenate([_floats(by_q, "dF/dq", (n, n)).ravel(), _floats(by_v, "dF/dv", (n, n)).ravel()])

        calls: dict[str, Any] = {
            "mass": lambda q: _floats(mass(np.array(q)), "mass", (n, n)),
            "force": lambda t, q, v: _floats(force(t, np.array(q), np.array(v)), "force", (n,)),
            "gap": gap, "rows": rows, "joint": joint, "joint_rows": of_joint,
            "force_gradient": None if force_gradient is None else gradient,
            "potential": None if potential is None
            else lambda t, q: _floats(potential(t, np.array(q)), "potential", (1,))}
        self._lagrangian(name, start, rates, calls, contacts, equations, many, np.ascontiguousarray(laws))


class FirstOrder(_System):
    """x' = A x + B lambda + b(t), y = C x + D lambda + e(t), with complementarity or relays between y and lambda.

    law: "complementarity", 0 <= y orthogonal to lambda >= 0, or "relay", lambda in -Sgn(y); or bounds lower and upper.

    >>> relay = cairn.FirstOrder([1.0], B=[[1.0]], C=[[1.0]], law="relay")
    >>> run = relay.run(step=1e-2)
    >>> run.step(150).outcome, float(abs(run.x[0]) < 1e-9)
    ('solved', 1.0)
    """

    def __init__(self, x: ArrayLike, A: ArrayLike | None = None, B: ArrayLike | None = None,
                 C: ArrayLike | None = None, D: ArrayLike | None = None, *, law: str = "complementarity",
                 lower: ArrayLike | None = None, upper: ArrayLike | None = None,
                 b: Callable[[float], ArrayLike] | None = None, e: Callable[[float], ArrayLike] | None = None,
                 name: str | None = None) -> None:
        start = np.asarray(floats(x, "x")).reshape(-1)
        n = self.n = len(start)
        for key, given_function in (("b", b), ("e", e)):
            if given_function is not None and not callable(given_function):
                raise ArgumentError(f"{key} must be a function of t, not {type(given_function).__name__}",
                                    hint=f"of what is constant, lambda t: {key}")
        m = 0 if B is None else np.atleast_2d(np.asarray(floats(B, "B"))).shape[1]
        if law not in ("complementarity", "relay"):
            raise ArgumentError(f"law must be complementarity or relay, not {law!r}")
        low = np.full(m, -1.0 if law == "relay" else 0.0) if lower is None else _floats(lower, "lower", (m,))
        high = np.full(m, 1.0 if law == "relay" else np.inf) if upper is None else _floats(upper, "upper", (m,))
        shapes = {"A": (n, n), "B": (n, m), "C": (m, n), "D": (m, m)}
        given = {"A": A, "B": B, "C": C, "D": D}
        parts = [np.zeros(shapes[k]) if given[k] is None else _floats(given[k], k, shapes[k]) for k in "ABCD"]
        calls: dict[str, Any] = {"source": None if b is None else lambda t: _floats(b(t), "b", (n,)),
                                 "offset": None if e is None else lambda t: _floats(e(t), "e", (m,))}
        self._first_order(name, n, m, (*parts, start, low, high), calls)


class SystemRun(_core.SystemRun):
    """A run of a Lagrangian or first-order system."""

    def __init__(self, system: _System, step: float, *, scheme: str | None = None, solver: str | None = None,
                 **options: Any) -> None:
        step = number(step, "step")
        if not (np.isfinite(step) and step > 0):
            raise ArgumentError(f"step must be above 0 [s], not {step}")
        schemes = [name for name, *_ in _core.system_schemes()]
        if scheme is not None and scheme not in schemes:
            near = _core.nearest(str(scheme), schemes)
            raise ArgumentError(f"there is no integrator {scheme!r}",
                                hint=f'did you mean "{near}"?' if near else "they are " + ", ".join(schemes))
        self._h = float(step)
        self._make(system, scheme, solver, {"step": float(step), **options})

    def step(self, n: int = 1, *, until: float | None = None) -> SystemReport:
        """Makes n steps, or as many as reach `until` [s]; the report of the last."""
        n = whole(n, "the number of steps")
        if until is not None:
            until = number(until, "until")
            n = max(int(np.ceil(until/self._h - 1e-6)) - round(self.time/self._h), 0)
        return SystemReport(*self._step(n))

    def steps(self, until: float) -> Iterator[SystemReport]:
        """Steps one by one up to a time [s]."""
        while self.time < until - 1e-9:
            yield self.step()

    @property
    def q(self) -> Array:
        """The coordinates; of a first-order system x."""
        return np.asarray(self._numbers("q"))

    @property
    def v(self) -> Array:
        """Their rates."""
        return np.asarray(self._numbers("v"))

    @property
    def x(self) -> Array:
        """The states of a first-order system, as q."""
        return self.q

    @property
    def multiplier(self) -> Array | None:
        """lambda of the last step; None of Lagrangian systems."""
        found = self._numbers("lambda")
        return None if found is None else np.asarray(found)

    @property
    def output(self) -> Array | None:
        """y of the last step; None of Lagrangian systems."""
        found = self._numbers("y")
        return None if found is None else np.asarray(found)

    @property
    def impulses(self) -> Array:
        """(contacts, 3): normal and tangential impulses over the last step [N s]."""
        return np.asarray(self._impulses())

    @property
    def impacts(self) -> list[Impact]:
        """All impulses of contacts so far, as they happened."""
        return [Impact(*row) for row in self._impacts]

    @property
    def energy(self) -> Energy:
        """Kinetic and potential energy [J]."""
        return Energy(*self._energy())

    def save(self) -> bytes:
        """All that later results depend on."""
        return self._save()

    def restore(self, state: bytes) -> None:
        """Puts back what save() gave."""
        self._load(state)

    def __repr__(self) -> str:
        return f"<cairn.SystemRun t = {self.time:.6g} s, q = {np.round(self.q, 6).tolist()}>"


def system_schemes() -> list[tuple[str, str]]:
    """The time integrators of systems: name and what it is.

    >>> "moreau-jean" in dict(cairn.system_schemes())
    True
    """
    return [(name, about) for name, about, _ in _core.system_schemes()]
