"""Nonlinear complementarity problems with functions of Python."""
import cairn
import numpy as np
import pytest
import scipy.sparse as sp


def josephy(z):
    a, b, c, d = z
    return [3 * a * a + 2 * a * b + 2 * b * b + c + 3 * d - 6, 2 * a * a + a + b * b + 3 * c + 2 * d - 2,
            3 * a * a + a * b + 2 * b * b + 2 * c + 3 * d - 1, a * a + 3 * b * b + 2 * c + 3 * d - 3]


def josephy_jacobian(z):
    a, b = z[:2]
    return np.array([[6 * a + 2 * b, 2 * a + 4 * b, 1, 3], [4 * a + 1, 2 * b, 3, 2],
                     [6 * a + b, a + 4 * b, 2, 3], [2 * a, 6 * b, 2, 3]])


@pytest.mark.parametrize("kind", ["differences", "dense", "sparse"])
def test_josephy_is_solved(kind):
    jacobian = {"differences": None, "dense": josephy_jacobian, "sparse": lambda z: sp.csc_matrix(josephy_jacobian(z))}
    s = cairn.solve_ncp(josephy, np.ones(4), lower=0, jacobian=jacobian[kind], tolerance=1e-10)
    assert s.solved and s.residual <= 1e-10
    assert s.z == pytest.approx([np.sqrt(6) / 2, 0, 0, 0.5], abs=1e-8)
    assert s.w == pytest.approx(josephy(s.z))


def test_a_pattern_saves_evaluations():
    n = 200
    tridiagonal = sp.diags([1, 1, 1], [-1, 0, 1], shape=(n, n))

    def F(z):
        left, right = np.append(0, z[:-1]), np.append(z[1:], 0)
        return 2 * z - left - right + 0.1 * z ** 3 - 0.01
    dense = cairn.solve_ncp(F, np.zeros(n), lower=0, upper=0.4)
    sparse = cairn.solve_ncp(F, np.zeros(n), lower=0, upper=0.4, sparsity=tridiagonal)
    assert dense.solved and sparse.solved and np.allclose(dense.z, sparse.z, atol=1e-6)
    assert sparse.values < 0.1 * dense.values
    assert (sparse.z == 0.4).any() and (sparse.w[sparse.z == 0.4] <= 1e-8).all()


def test_mistakes_are_named():
    with pytest.raises(cairn.Error, match="row 1, column 2"):
        wrong = josephy_jacobian
        cairn.solve_ncp(josephy, np.ones(4) * 0.3, lower=0, jacobian=lambda z: wrong(z) + np.eye(4)[[3, 2, 1, 0]] *
                        np.array([0, 1, 0, 0])[:, None])
    with pytest.raises(cairn.ArgumentError, match="lower must be a number or 4 numbers"):
        cairn.solve_ncp(josephy, np.ones(4), lower=[0, 0])
    with pytest.raises(cairn.Error, match="bounds of unknown 0"):
        cairn.solve_ncp(josephy, np.ones(4), lower=1, upper=0)
    with pytest.raises(ValueError, match="F must have 4 numbers, not 3"):
        cairn.solve_ncp(lambda z: z[:3], np.ones(4))
    with pytest.raises(ZeroDivisionError):
        cairn.solve_ncp(lambda z: [1 / 0], [1.0])
    with pytest.raises(cairn.Error, match="not defined"):
        cairn.solve_ncp(lambda z: None, [1.0])
    with pytest.raises(cairn.Error, match="crash"):
        cairn.solve_ncp(josephy, np.ones(4), params={"crash": -3})
    assert not cairn.solve_ncp(lambda z: [1 + z[0] ** 2], [0.5]).solved
