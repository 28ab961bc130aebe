"""Nonlinear mixed complementarity problems, the form that PATH solves, with functions written in Python."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple

import numpy as np

from . import _core
from .errors import ArgumentError, floats
from .frames import Array
from .problem import _params

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["NcpSolution", "solve_ncp"]


class NcpSolution(NamedTuple):
    """An answer of solve_ncp. residual is |z - mid(lower, z - F(z), upper)|, measured by the checker."""

    z: Array
    w: Array
    outcome: str
    detail: str
    residual: float
    iterations: int
    values: int
    gradients: int
    crash: int
    restarts: int
    cpu_s: float

    @property
    def solved(self) -> bool:
        """Whether the residual is within the tolerance."""
        return self.outcome == "solved"


def _bound(values: ArrayLike, name: str, n: int) -> Array:
    bound = np.asarray(floats(values, name))
    if bound.ndim > 1 or (bound.ndim == 1 and bound.shape != (n,)):
        raise ArgumentError(f"{name} must be a number or {n} numbers, not of shape {bound.shape}")
    return np.ascontiguousarray(np.broadcast_to(bound, (n,)))


def _pattern(sparsity: Any, n: int) -> tuple[Array, Array]:
    """Row starts and columns of a scipy matrix, or of a dense one's entries that are not zero."""
    if hasattr(sparsity, "tocsr"):
        matrix = sparsity.tocsr().copy()
        matrix.sum_duplicates()
        matrix.sort_indices()
        shape, start, column = matrix.shape, matrix.indptr, matrix.indices
    else:
        given = np.asarray(sparsity) != 0
        shape = given.shape
        start = np.concatenate([[0], np.cumsum(given.sum(axis=-1))])
        column = np.nonzero(given)[-1]
    if shape != (n, n):
        raise ArgumentError(f"sparsity must have shape {(n, n)}, not {shape}")
    return np.ascontiguousarray(start, dtype=np.int64), np.ascontiguousarray(column, dtype=np.int32)


def solve_ncp(F: Callable[[Array], ArrayLike | None], z: ArrayLike, *, lower: ArrayLike = -np.inf,
              upper: ArrayLike = np.inf, jacobian: Callable[[Array], Any] | None = None, sparsity: Any = None,
              tolerance: float = 1e-8, max_iterations: int | None = None, time_limit: float = 0,
              check: bool = True, params: Mapping[str, Any] | None = None) -> NcpSolution:
    """Finds z between its bounds with w = F(z): w = 0 between them, w >= 0 at a lower, w <= 0 at an upper bound.

    z: the start. F may return None where it is not defined; a shorter step is tried then. jacobian: dF/dz as an array
    or any scipy sparse matrix; without it differences are used, one evaluation of F per group of columns of sparsity
    without a common row. check: compare the Jacobian with differences at the start first. The tolerance is on
    |z - mid(lower, z - F(z), upper)|. params: those of the method, crash, memory, halvings, restarts, proximal.

    >>> s = cairn.solve_ncp(lambda z: [z[0] ** 2 - 2, z[1] + 1], [1, 1], lower=0)
    >>> s.outcome, s.z.round(4).tolist()
    ('solved', [1.4142, 0.0])
    """
    begin = np.atleast_1d(np.asarray(floats(z, "z")))
    if begin.ndim != 1:
        raise ArgumentError(f"z must be a list of numbers, not of shape {begin.shape}")
    n = len(begin)
    first = jacobian(begin.copy()) if jacobian is not None else None
    if sparsity is None and hasattr(first, "tocsr"):
        sparsity = first
    start, column = _pattern(sparsity, n) if sparsity is not None else (None, None)
    places = None if start is None else (np.repeat(np.arange(n), np.diff(start)), column)

    def value(point: Any) -> Array | None:
        result = F(np.array(point))
        return None if result is None else np.ascontiguousarray(floats(result, "F(z)")).reshape(-1)

    def entries(point: Any) -> Array:
        assert jacobian is not None
        matrix = jacobian(np.array(point))
        matrix = matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(floats(matrix, "jacobian(z)"))
        if matrix.shape != (n, n):
            raise ArgumentError(f"jacobian(z) must have shape {(n, n)}, not {matrix.shape}")
        return np.ascontiguousarray(matrix[places] if places is not None else matrix, dtype=np.float64).reshape(-1)

    options = (bool(check), float(tolerance), -1 if max_iterations is None else int(max_iterations), float(time_limit))
    answer = _core.ncp_solve(value, None if jacobian is None else entries, _bound(lower, "lower", n),
                             _bound(upper, "upper", n), np.ascontiguousarray(begin), start, column, options,
                             _params(params))
    arrays = {key: np.asarray(answer.pop(key)) for key in ("z", "w")}
    return NcpSolution(z=arrays["z"], w=arrays["w"], **answer)
