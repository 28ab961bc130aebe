"""One-step problems: u = W r + q with Coulomb's law at each contact, and the solvers for them."""
from __future__ import annotations

import operator
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

import numpy as np

from . import _core
from .errors import ArgumentError, floats, number, whole
from .frames import Array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Problem", "Solution", "Grade", "Solver", "SolverInfo", "Given", "solve", "grade", "solver", "solvers"]

_MEASURES = {"scaled": 0, "q": 1, "max": 2}
_KINDS = ("lcp", "friction", "friction-global")


class Grade(NamedTuple):
    """What the checker, which no solver shares, says of an answer."""

    residual: float
    residual_q: float
    residual_max: float
    cone_violation: float
    dual_violation: float
    complementarity: float
    velocity_mismatch: float
    worst: int
    worst_error: float
    open: int
    stick: int
    slide: int


class Solution:
    """The answer of a solver: r [N s], u [m/s] (both dim numbers per contact, normal first), and how good it is."""

    def __init__(self, values: dict[str, Any], name: str) -> None:
        self.solver = name
        self.r: Array = np.asarray(values["r"])
        self.u: Array = np.asarray(values["u"])
        self.outcome: str = values["outcome"]
        self.iterations: int = values["iterations"]
        self.cpu_s: float = values["cpu_s"]
        self.detail: str = values["detail"]
        self.grade = Grade(**values["grade"])

    @property
    def residual(self) -> float:
        """The scaled residual, by the checker."""
        return self.grade.residual

    @property
    def residual_q(self) -> float:
        """The residual over |q|, by the checker."""
        return self.grade.residual_q

    @property
    def residual_max(self) -> float:
        """The residual over the largest of |q|, |r|, |u|, by the checker."""
        return self.grade.residual_max

    @property
    def solved(self) -> bool:
        """Whether the residual is within the tolerance."""
        return self.outcome == "solved"

    def __repr__(self) -> str:
        return (f"<cairn.Solution {self.solver}: {self.outcome}, {self.iterations} iterations, "
                f"residual {self.residual:.2g}>")


def _indices(values: Any, kind: Any) -> NDArray[Any]:
    return np.ascontiguousarray(values, dtype=kind)


def _vector(values: Any, name: str, count: int | None = None) -> Array:
    array: Array = np.asarray(floats(values, name))
    if array.ndim == 0 and count is not None and name == "mu":
        array = np.full(count, float(array))
    if array.ndim != 1 or (count is not None and len(array) != count):
        raise ArgumentError(f"{name} must have {count if count is not None else 'n'} numbers, not shape {array.shape}")
    return array


def _matrix(values: Any, name: str, rows: int, cols: int) -> Any:
    """A scipy sparse matrix of any kind as it is, anything else as a dense array of numbers."""
    sparse = hasattr(values, "tocsr")
    if not sparse:
        values = np.asarray(floats(values, name))
    if values.shape != (rows, cols):
        raise ArgumentError(f"{name} must be {rows} x {cols}, not {'x'.join(map(str, values.shape))}")
    if sparse and values.dtype.kind not in "fiub":
        raise ArgumentError(f"{name} must hold real numbers, not {values.dtype}")
    return values


def _csr(values: Any, key: str) -> dict[str, Any]:
    if hasattr(values, "tocsr"):
        m = values.tocsr()
        if not m.has_canonical_format:
            m = m.copy()
            m.sum_duplicates()
        start, column, data = m.indptr, m.indices, m.data
    else:
        rows, column = np.nonzero(values)
        data = values[rows, column]
        start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(values)))])
    return {f"{key}_start": _indices(start, np.int64), f"{key}_column": _indices(column, np.int32),
            f"{key}_value": _indices(data, np.float64)}


def _blocks(values: Any, dim: int) -> dict[str, Any]:
    """W as rows of dim x dim blocks, each by columns."""
    n = values.shape[0] // dim
    if hasattr(values, "tobsr"):
        own = getattr(values, "format", "") == "bsr" and values.blocksize == (dim, dim)
        m = values if own and values.has_sorted_indices else values.tobsr(blocksize=(dim, dim))
        if not m.has_sorted_indices or not getattr(m, "has_canonical_format", True):
            m = m.copy()
            m.sum_duplicates()
            m.sort_indices()
        start, column, data = m.indptr, m.indices, m.data
    else:
        data = values.reshape(n, dim, n, dim).transpose(0, 2, 1, 3)
        full = np.any(data != 0, axis=(2, 3)) | np.eye(n, dtype=bool)
        rows, column = np.nonzero(full)
        data = data[rows, column]
        start = np.concatenate([[0], np.cumsum(full.sum(axis=1))])
    return {"W_start": _indices(start, np.int64), "W_column": _indices(column, np.int32),
            "W_value": np.ascontiguousarray(data.transpose(0, 2, 1), dtype=np.float64)}


class Problem(_core.Problem):
    """A one-step problem: friction in local form (W, q, mu), in global form (M, H, f, w, mu), or an LCP (M, q).

    Rows of a contact are contiguous, normal first; dim is 2 or 3, found from the lengths of q and mu.

    >>> problem = cairn.Problem(np.eye(3), [-1, 0.5, 0], [0.3])
    >>> problem.solve().outcome
    'solved'
    """

    def __init__(self, W: Any, q: ArrayLike, mu: ArrayLike, *, guess: ArrayLike | None = None,
                 boxed: ArrayLike | None = None, lower: ArrayLike | None = None, upper: ArrayLike | None = None,
                 compliance: ArrayLike | None = None, dim: int | None = None) -> None:
        q_given = _vector(q, "q")
        coefficients = np.asarray(floats(mu, "mu"))
        if coefficients.ndim == 0:
            dim = dim or 3
            if dim not in (2, 3) or len(q_given) % dim:
                raise ArgumentError(f"q has {len(q_given)} numbers, which are not {dim} a contact")
            coefficients = np.full(len(q_given) // dim, float(coefficients))
        contacts = len(coefficients)
        found = len(q_given) // contacts if contacts else dim or 3
        if found not in (2, 3) or found * contacts != len(q_given) or (dim or found) != found:
            raise ArgumentError(f"q has {len(q_given)} numbers and mu {contacts}; q needs 2 or 3 per contact")
        m = len(q_given)
        arrays = _blocks(_matrix(W, "W", m, m), found)
        arrays.update(q=q_given, mu=_vector(coefficients, "mu"))
        for name, values in (("lower", lower), ("upper", upper), ("compliance", compliance), ("guess", guess)):
            if values is not None:
                arrays[name] = _vector(values, name, m)
        if boxed is not None:
            arrays["boxed"] = _indices(boxed, np.uint8)
        self._make(1, found, contacts, 0, arrays)

    @classmethod
    def from_global(cls, M: Any, H: Any, f: ArrayLike, w: ArrayLike, mu: ArrayLike) -> Problem:
        """M v = H r + f, u = H' v + w."""
        coefficients, offset, force = _vector(mu, "mu"), _vector(w, "w"), _vector(f, "f")
        contacts, dofs = len(coefficients), len(force)
        dim = len(offset) // contacts if contacts else 3
        if dim not in (2, 3) or dim * contacts != len(offset):
            raise ArgumentError(f"w has {len(offset)} numbers and mu {contacts}; w needs 2 or 3 per contact")
        problem = cls.__new__(cls)
        arrays = {**_csr(_matrix(M, "M", dofs, dofs), "M"), **_csr(_matrix(H, "H", dofs, len(offset)), "H"),
                  "f": force, "w": offset, "mu": coefficients}
        problem._make(2, dim, contacts, dofs, arrays)
        return problem

    @classmethod
    def lcp(cls, M: Any, q: ArrayLike) -> Problem:
        """0 <= z orthogonal to M z + q >= 0.

        >>> cairn.Problem.lcp([[2, 1], [1, 2]], [-5, -6]).solve().r.round(6).tolist()
        [1.333333, 2.333333]
        """
        given = _vector(q, "q")
        problem = cls.__new__(cls)
        problem._make(0, 1, len(given), 0, {**_csr(_matrix(M, "M", len(given), len(given)), "M"), "q": given})
        return problem

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Problem:
        """From a file: FCLIB (HDF5), Siconos .dat, LCP text."""
        name = os.fspath(path)
        if not os.path.exists(name):
            raise FileNotFoundError(2, "there is no such problem file", name)
        problem = cls.__new__(cls)
        _core.Problem._read(problem, name)
        return problem

    @classmethod
    def planted(cls, contacts: int = 100, *, dim: int = 3, friction: float = -1, seed: int = 0, lcp: bool = False,
                joints: float = 0, deficiency: float = 0) -> Problem:
        """A problem whose solution was chosen first, with that solution in r and u; friction -1: spread over [0, 1].

        >>> cairn.Problem.planted(20, seed=3).solve().solved
        True
        """
        problem = cls.__new__(cls)
        problem._plant(lcp, dim, contacts, friction, seed, joints, deficiency)
        return problem

    @classmethod
    def _wrap(cls, raw: _core.Problem) -> Problem:
        """A problem of the library as one of this class."""
        kind, dim, contacts, dofs, *_ = raw._facts()
        problem = cls.__new__(cls)
        problem._make(kind, dim, contacts, dofs, raw._arrays(False))
        return problem

    def write(self, path: str | os.PathLike[str], solution: Solution | None = None) -> None:
        """To a file (.hdf5: FCLIB, .dat: text), with a solution, or the one that it has."""
        r, u = (None, None) if solution is None else (solution.r, solution.u)
        _core.Problem._write(self, os.fspath(path), r, u)

    # ---- what it holds ----

    @property
    def kind(self) -> str:
        """"friction" (local), "friction-global" or "lcp"."""
        return _KINDS[self._facts()[0]]

    @property
    def dim(self) -> int:
        """2 or 3; 1 of an LCP."""
        return self._facts()[1]

    @property
    def contacts(self) -> int:
        """How many contacts, blocks of joint rows included; of an LCP the unknowns."""
        return self._facts()[2]

    @property
    def title(self) -> str | None:
        """The title in the file."""
        return self._facts()[5]

    def _array(self, name: str, condensed: bool = False) -> Any:
        values = self._arrays(condensed)
        return None if values.get(name) is None else np.asarray(values[name])

    def _sparse(self, key: str, rows: int, cols: int) -> Any:
        from scipy.sparse import csr_matrix
        values = self._arrays(False)
        return csr_matrix((np.array(values[f"{key}_value"]), np.array(values[f"{key}_column"]),
                           np.array(values[f"{key}_start"])), shape=(rows, cols))

    @property
    def W(self) -> Any:
        """W as scipy BSR, condensed where the problem is global."""
        from scipy.sparse import bsr_matrix
        if self.kind == "lcp":
            raise AttributeError("a linear complementarity problem has M, not W")
        values, dim = self._arrays(True), self.dim
        data = np.array(values["W_value"]).reshape(-1, dim, dim).transpose(0, 2, 1)
        size = dim * self.contacts
        return bsr_matrix((data, np.array(values["W_column"]), np.array(values["W_start"])), shape=(size, size))

    @property
    def q(self) -> Array:
        """The velocities without impulses [m/s]."""
        return self._array("q", True)  # type: ignore[no-any-return]

    @property
    def mu(self) -> Array:
        """Coefficients of friction."""
        return self._array("mu", True)  # type: ignore[no-any-return]

    @property
    def M(self) -> Any:
        """The matrix of a global problem or an LCP, as scipy CSR."""
        kind, _, contacts, dofs, *_ = self._facts()
        if kind == 1:
            raise AttributeError("a problem in local form has W, not M")
        size = contacts if kind == 0 else dofs
        return self._sparse("M", size, size)

    @property
    def H(self) -> Any:
        """H of a global problem, as scipy CSR."""
        kind, dim, contacts, dofs, *_ = self._facts()
        if kind != 2:
            raise AttributeError("only a problem in global form has H")
        return self._sparse("H", dofs, dim * contacts)

    @property
    def f(self) -> Array | None:
        """f of a global problem."""
        return self._array("f")  # type: ignore[no-any-return]

    @property
    def w(self) -> Array | None:
        """w of a global problem."""
        return self._array("w")  # type: ignore[no-any-return]

    @property
    def r(self) -> Array | None:
        """The stored impulses; None: there are none."""
        return self._array("r")  # type: ignore[no-any-return]

    @property
    def u(self) -> Array | None:
        """The stored velocities; None: there are none."""
        return self._array("u")  # type: ignore[no-any-return]

    @property
    def boxed(self) -> NDArray[np.uint8] | None:
        """1 for blocks of joint rows; None: all blocks are contacts."""
        return self._array("boxed", self.kind != "lcp")  # type: ignore[no-any-return]

    def bounds(self) -> tuple[Array | None, Array | None, Array | None]:
        """lower, upper and compliance of joint rows."""
        values = self._arrays(True)
        lower, upper, compliance = (None if values.get(key) is None else np.asarray(values[key])
                                    for key in ("lower", "upper", "compliance"))
        return lower, upper, compliance

    def solve(self, solver: str | Solver = "auto", **options: Any) -> Solution:
        """As cairn.solve(problem, ...)."""
        return solve(self, solver=solver, **options)

    def grade(self, r: ArrayLike, u: ArrayLike | None = None) -> Grade:
        """As cairn.grade(problem, r, u)."""
        return grade(self, r, u)

    def __reduce__(self) -> tuple[Any, ...]:
        kind, dim, contacts, dofs, *_ = self._facts()
        arrays = {key: None if value is None else np.array(value) for key, value in self._arrays(False).items()}
        return _problem_from, (type(self), kind, dim, contacts, dofs, arrays)

    def __repr__(self) -> str:
        kind, dim, contacts, *_ = self._facts()
        what = f"LCP, {contacts} unknowns" if kind == 0 else f"{dim}D {_KINDS[kind]}, {contacts} contacts"
        return f"<cairn.Problem {what}>"


def _problem_from(kind: type[Problem], number: int, dim: int, contacts: int, dofs: int,
                  arrays: dict[str, Any]) -> Problem:
    problem = kind.__new__(kind)
    problem._make(number, dim, contacts, dofs, arrays)
    return problem


class Given:
    """A problem as a solver written in Python has it, for the time of the call. Arrays are flat, dim a contact."""

    def __init__(self, core: _core.Given) -> None:
        self._core = core
        dim, diagonal, q, mu = core._data()
        self.dim: int = dim
        self.diagonal: Array = np.asarray(diagonal)
        self.q: Array = np.asarray(q)
        self.mu: Array = np.asarray(mu)
        self.contacts = len(self.mu)
        trace = np.einsum("aii->a", self.diagonal)
        self.rho: Array = np.repeat(np.where(trace > 0, dim / np.where(trace > 0, trace, 1), 0), dim)

    def velocity(self, r: Array, out: Array | None = None) -> Array:
        """u = W r + q [m/s]."""
        u = np.empty(self.dim * self.contacts) if out is None else out
        self._core.velocity(r, u)
        return u

    def shifted(self, u: Array) -> Array:
        """(u_N + mu |u_T|, u_T)."""
        rows = np.array(u, dtype=np.float64).reshape(self.contacts, self.dim)
        rows[:, 0] += self.mu * np.linalg.norm(rows[:, 1:], axis=1)
        return rows.reshape(-1)

    def project(self, r: Array) -> Array:
        """The nearest impulses that lie in the cones |r_T| <= mu r_N."""
        rows = np.array(r, dtype=np.float64).reshape(self.contacts, self.dim)
        normal, size = rows[:, 0], np.linalg.norm(rows[:, 1:], axis=1)
        inside = size <= self.mu * normal
        polar = self.mu * size <= -normal
        onto = (normal + self.mu * size) / (1 + self.mu**2)
        scale = np.where(size > 0, self.mu * onto / np.where(size > 0, size, 1), 0)
        out = np.concatenate([onto[:, None], rows[:, 1:] * scale[:, None]], axis=1)
        out = np.where(inside[:, None], rows, np.where(polar[:, None], 0, out))
        return out.reshape(-1)  # type: ignore[no-any-return]

    def residual(self, r: Array) -> float:
        """The residual that the tolerance applies to, by the checker."""
        return self._core.residual(np.ascontiguousarray(r, dtype=np.float64))


SolverFunction = Callable[[Given, Array, Array, float], "int | None"]


class Solver:
    """A solver of friction problems written in Python; made by the decorator cairn.solver."""

    def __init__(self, function: SolverFunction, dim: int | None, about: str) -> None:
        if not callable(function):
            raise ArgumentError("a solver is a function of (problem, r, u, tolerance)")
        self.function = function
        self.name = getattr(function, "__name__", "own")
        self.about = about
        self.dim = dim
        self.__doc__ = function.__doc__
        self.__module__ = getattr(function, "__module__", __name__)

    def __reduce__(self) -> str | tuple[Any, ...]:
        # Of a decorated function the module has the solver, and pickle would not find the function.
        name = getattr(self.function, "__qualname__", "")
        if getattr(sys.modules.get(self.__module__), name, None) is self:
            return str(name)
        return Solver, (self.function, self.dim, self.about)

    def _accepts(self) -> int:
        dims = {None: 3, 2: 1, 3: 2}
        if self.dim not in dims:
            raise ArgumentError(f"dim of a solver must be 2 or 3, not {self.dim}")
        return dims[self.dim] | 4 | 8  # of cairn/solve.h: W as blocks or in body space

    def _call(self, core: _core.Given, r: bytearray, u: bytearray, tolerance: float, limit: int) -> int | None:
        del limit
        answer = self.function(Given(core), np.frombuffer(r), np.frombuffer(u), tolerance)
        try:
            return None if answer is None else operator.index(answer)
        except TypeError:
            raise TypeError(f"the solver {self.name} must return how many iterations it made, or None where it came to "
                            f"its limit, not {answer!r}; what it found it writes into r: r[:] = ...") from None

    def __call__(self, problem: Given, r: Array, u: Array, tolerance: float) -> int | None:
        return self.function(problem, r, u, tolerance)

    def __repr__(self) -> str:
        return f"<cairn.Solver {self.name}{': ' + self.about if self.about else ''}>"


def solver(function: SolverFunction | None = None, *, dim: int | None = None,
           about: str = "") -> Any:
    """Makes a solver of a function (problem, r, u, tolerance), which writes into r and returns its iterations.

    None as the answer means that it came to its limit. Whatever it says, the checker grades its answer.

    >>> @cairn.solver(about="damped Jacobi")
    ... def jacobi(p, r, u, tolerance):
    ...     for k in range(2000):
    ...         p.velocity(r, out=u); r[:] = p.project(r - 0.3*p.rho*p.shifted(u))
    ...         if k % 50 == 0 and p.residual(r) < tolerance: return k
    >>> cairn.solve(cairn.Problem(np.eye(3), [-1, 0.5, 0], [0.3]), solver=jacobi).outcome
    'solved'
    """
    if function is not None:
        return Solver(function, dim, about)
    return lambda f: Solver(f, dim, about)


def _params(params: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    def text(value: Any) -> str:
        return str(int(value)) if isinstance(value, (bool, np.bool_)) else str(value)
    if params is not None and not isinstance(params, Mapping):
        raise ArgumentError(f'params must be a dict as {{"relaxation": 1.0}}, not {type(params).__name__}')
    return [(str(key), text(value)) for key, value in (params or {}).items()]


def solve(W: Any, q: ArrayLike | None = None, mu: ArrayLike | None = None, *, solver: str | Solver = "auto",
          tolerance: float = 1e-8, measure: str = "scaled", max_iterations: int | None = None,
          time_limit: float = 0, local: str | None = None, params: Mapping[str, Any] | None = None,
          guess: ArrayLike | None = None, threads: int = 1) -> Solution:
    """Solves a problem, or (W, q, mu) where W is any scipy sparse matrix or a dense one.

    solver: a name of cairn.solvers(), or one of your own. measure: the residual that the tolerance applies to, scaled,
    q or max. params: the solver's own parameters. time_limit [s] of CPU makes the answer depend on the machine.

    >>> s = cairn.solve(np.eye(3), [-1, 0.5, 0], [0.3])
    >>> s.outcome, s.r[:2].round(3).tolist()
    ('solved', [1.0, -0.3])
    """
    problem = W if isinstance(W, Problem) else None
    if problem is None:
        if q is None or mu is None:
            raise TypeError("solve takes a Problem, or W, q and mu")
        problem = Problem(W, q, mu)
    elif q is not None or mu is not None:
        raise TypeError("the problem has its q and mu already")
    if measure not in _MEASURES:
        raise ArgumentError(f"measure must be scaled, q or max, not {measure!r}")
    if whole(threads, "threads") < 1:
        raise ArgumentError(f"threads must be 1 or more, not {threads}")
    own: Any = None
    accepts = 0
    if isinstance(solver, Solver):
        own, accepts, name = solver._call, solver._accepts(), solver.name
    elif callable(solver):
        wrapped = Solver(solver, None, "")
        own, accepts, name = wrapped._call, wrapped._accepts(), wrapped.name
    else:
        name = str(solver)
    if own is not None and problem.kind == "lcp":
        raise ArgumentError("solvers written in Python are for friction problems")
    size = problem.dim * problem.contacts
    values = problem._solve(solver=name, own=own, accepts=accepts, tolerance=number(tolerance, "tolerance"),
                            measure=_MEASURES[measure],
                            max_iterations=-1 if max_iterations is None else whole(max_iterations, "max_iterations"),
                            time_limit=number(time_limit, "time_limit"), local=local, params=_params(params),
                            guess=None if guess is None else _vector(guess, "guess", size),
                            threads=whole(threads, "threads"))
    return Solution(values, name)


def grade(problem: Problem, r: ArrayLike, u: ArrayLike | None = None) -> Grade:
    """Grades an answer by the checker, which no solver shares.

    >>> cairn.grade(cairn.Problem(np.eye(3), [-1, 0, 0], [0.3]), [1, 0, 0]).residual
    0.0
    """
    if not isinstance(problem, Problem):
        raise ArgumentError(f"grade takes a Problem, then r; not {type(problem).__name__}",
                            hint="cairn.Problem(W, q, mu) makes one")
    size = problem.dim * problem.contacts
    values = problem._grade(_vector(r, "r", size), None if u is None else _vector(u, "u", size))
    return Grade(**values)


class SolverInfo(NamedTuple):
    """A row of the tables of solvers."""

    name: str
    kind: str
    about: str
    strengths: str | None
    weaknesses: str | None
    unit: str | None
    dims: tuple[int, ...]
    params: dict[str, tuple[float, float, float, str]]


def solvers(kind: str | None = None) -> list[SolverInfo]:
    """The solvers: kind "friction", "lcp" or "local"; None: all.

    >>> [s.name for s in cairn.solvers("friction")][:2]
    ['auto', 'nsgs']
    """
    rows = []
    for row in _core.solver_table():
        accepts = row.get("accepts", 0)
        params = {name: (initial, low, high, text) for name, _, initial, low, high, text in row.get("params", [])}
        dims = tuple(d for d, bit in ((2, 1), (3, 2)) if accepts & bit)
        if kind in (None, row["kind"]):
            rows.append(SolverInfo(row["name"], row["kind"], row["about"], row.get("strengths"),
                                   row.get("weaknesses"), row.get("unit"), dims, params))
    if not rows:
        raise ArgumentError(f"kind must be friction, lcp or local, not {kind!r}")
    return rows


