"""One-step problems: scipy in, solvers side by side, files, own solvers."""
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import wall_scene

import cairn


def planted(dim=3, contacts=40, seed=1):
    return cairn.Problem.planted(contacts, dim=dim, seed=seed)


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("kind", ["bsr", "csr", "csc", "coo", "lil", "dok", "dia", "dense", "unsorted"])
def test_any_kind_of_matrix_gives_the_same_bits(dim, kind):
    problem = planted(dim)
    W, q, mu = problem.W, problem.q, problem.mu
    if kind == "dense":
        W = W.toarray()
    elif kind == "unsorted":
        coo = W.tocoo()
        order = np.random.default_rng(1).permutation(coo.nnz)
        W = sp.coo_matrix((coo.data[order], (coo.row[order], coo.col[order])), shape=coo.shape)
    else:
        W = W.asformat(kind)
    wanted = cairn.solve(problem.W, q, mu)
    found = cairn.solve(W, q, mu)
    assert found.solved and (found.r == wanted.r).all()
    assert found.u == pytest.approx(problem.W @ found.r + q, abs=1e-10*np.abs(q).max())


def test_planted_solutions_are_found():
    for dim in (2, 3):
        problem = planted(dim)
        assert problem.grade(problem.r).residual < 1e-10
        for name in ("nsgs", "newton-ac", "admm", "ipm", "auto"):
            s = cairn.solve(problem, solver=name, tolerance=1e-8)
            assert s.solved and s.residual <= 1e-8, (name, s)
            assert cairn.grade(problem, s.r).residual == s.residual


def test_limits_and_measures():
    problem = planted(contacts=200)
    s = cairn.solve(problem, solver="nsgs", max_iterations=1)
    assert s.outcome == "limit" and s.iterations == 1 and s.residual > 1e-8
    s = cairn.solve(problem, solver="nsgs", measure="q", tolerance=1e-6, params={"anderson": 0})
    assert s.residual_q <= 1e-6
    assert (cairn.solve(problem, guess=problem.r, solver="nsgs").iterations
            < cairn.solve(problem, solver="nsgs").iterations)
    for bad in ({"measure": "other"}, {"solver": "none"}, {"local": "none"}, {"params": {"none": 1}},
                {"params": {"anderson": "x"}}, {"tolerance": float("nan")}, {"guess": [1, 2]}):
        with pytest.raises((cairn.Error, ValueError)):
            cairn.solve(problem, **{"solver": "nsgs", **bad})


def test_problem_of_a_step_and_its_file(tmp_path):
    sim = cairn.Sim(wall_scene())
    assert sim.problem() is None
    sim.step(20)
    problem = sim.problem()
    assert problem.contacts == sim.report.contacts and problem.grade(problem.r).residual <= 1e-3
    problem.write(tmp_path / "wall.hdf5")
    again = cairn.Problem.read(tmp_path / "wall.hdf5")
    assert (again.q == problem.q).all() and abs(again.W - problem.W).max() == 0
    assert (again.r == problem.r).all()
    s = again.solve()
    again.write(tmp_path / "solved.hdf5", s)
    assert (cairn.Problem.read(tmp_path / "solved.hdf5").r == s.r).all()
    assert (pickle.loads(pickle.dumps(problem)).q == problem.q).all()


def test_command_reads_what_python_writes(tmp_path, command):
    problem = planted()
    problem.write(tmp_path / "p.hdf5", problem.solve())
    assert "within tolerance" in command("check", tmp_path / "p.hdf5")


def test_global_problems():
    problem = cairn.Problem.planted(30, seed=2)
    assert problem.kind == "friction-global"
    made = cairn.Problem.from_global(problem.M, problem.H, problem.f, problem.w, problem.mu)
    assert (made.solve().r == problem.solve().r).all()
    W = problem.H.T @ sp.linalg.spsolve(problem.M.tocsc(), problem.H.tocsc())
    assert abs(W - problem.W).max() < 1e-10*abs(problem.W).max()


def test_lcp():
    p = cairn.Problem.planted(30, lcp=True, seed=4)
    assert p.kind == "lcp"
    s = p.solve()
    assert s.solved and (s.r >= 0).all() and (s.u >= -1e-10).all()
    assert (cairn.Problem.lcp(p.M, p.q).solve().r == s.r).all()
    for name in (x.name for x in cairn.solvers("lcp")):
        assert cairn.solve(p, solver=name).outcome in ("solved", "stalled", "limit", "unsupported")


def jacobi(p, r, u, tolerance):
    for k in range(2000):
        p.velocity(r, out=u)
        r[:] = p.project(r - 0.3*p.rho*p.shifted(u))
        if k % 50 == 0 and p.residual(r) < tolerance:
            return k
    return None


@pytest.mark.parametrize("dim", [2, 3])
def test_own_solver_is_graded_like_others(dim):
    rng = np.random.default_rng(3)
    problem = cairn.Problem(np.eye(4*dim) + 0.02*np.ones((4*dim, 4*dim)), rng.normal(0, 1, 4*dim), np.full(4, 0.5))
    s = cairn.solve(problem, solver=cairn.solver(jacobi), tolerance=1e-8)
    assert s.outcome == "solved" and s.solver == "jacobi" and s.residual <= 1e-8
    assert s.r == pytest.approx(cairn.solve(problem, tolerance=1e-12).r, abs=1e-7)
    liar = cairn.solver(lambda p, r, u, tolerance: 1)
    assert cairn.solve(problem, solver=liar).outcome == "stalled"


def test_own_solver_that_raises_or_keeps_things():
    problem = planted()
    kept = []

    @cairn.solver
    def keeps(p, r, u, tolerance):
        kept.extend([p, r, u])
        return 0

    @cairn.solver
    def raises(p, r, u, tolerance):
        raise LookupError("of the solver")

    cairn.solve(problem, solver=keeps)
    p, r, u = kept
    r[:] = 1  # memory of its own
    with pytest.raises(RuntimeError, match="lasted"):
        p.velocity(r, u)
    with pytest.raises(RuntimeError, match="lasted"):
        p.residual(r)
    with pytest.raises(LookupError, match="of the solver"):
        cairn.solve(problem, solver=raises)
    for answer in (np.nan, "x", 2.5):
        with pytest.raises(TypeError):
            cairn.solve(problem, solver=lambda p, r, u, t, a=answer: a)

    @cairn.solver
    def diverges(p, r, u, tolerance):
        r[:] = np.nan
        return 1
    assert cairn.solve(problem, solver=diverges).outcome == "diverged"


def test_wrong_problems():
    eye = np.eye(3)
    for W, q, mu in ((np.eye(4), [0]*3, [0.3]), (eye, [0]*3, [0.3, 0.3]), (eye, [np.nan, 0, 0], [0.3]),
                     (eye, [0]*3, [-1]), (np.where(eye, np.inf, 0), [0]*3, [0.3]),
                     ("W", [0]*3, [0.3]), (eye, "q", [0.3]),
                     (sp.eye(3)*1j, [0]*3, [0.3]), (eye, [0]*5, 0.3), (np.zeros(3), [0]*3, [0.3])):
        with pytest.raises((cairn.Error, ValueError, TypeError)):
            cairn.solve(W, q, mu)
    with pytest.raises(TypeError):
        cairn.solve(planted(), [1, 2, 3])


def test_real_files(corpus):
    problem = cairn.Problem.read(corpus / "local" / "Capsules-i100-889.hdf5")
    s = problem.solve(tolerance=1e-6)
    assert s.solved and cairn.grade(problem, s.r).residual <= 1e-6


def test_tables_of_solvers():
    names = [s.name for s in cairn.solvers("friction")]
    assert {"auto", "nsgs", "ipm", "admm"} <= set(names)
    nsgs = next(s for s in cairn.solvers() if s.name == "nsgs")
    assert nsgs.dims == (2, 3) and "anderson" in nsgs.params and nsgs.weaknesses
    assert any(s.kind == "local" for s in cairn.solvers())


def pile(dim):
    scene = cairn.Scene(dimension=dim, friction=0.4, tolerance=1e-9)
    scene.ground()
    for i in range(3):
        scene.body(f"box {i}", cairn.box(*[0.2]*dim), position=[0.01*i, *[0]*(dim - 2), 0.1 + 0.2*i])
    return scene


@cairn.solver(about="projected Gauss-Seidel over blocks")
def blocks(p, r, u, tolerance):
    d = p.dim
    mu = p.mu
    for k in range(5000):
        for a in range(len(mu)):
            p.velocity(r, out=u)
            part = slice(a*d, a*d + d)
            rows = np.zeros_like(r)
            rows[part] = (r - p.rho*p.shifted(u))[part]
            r[part] = p.project(rows)[part]
        if k % 10 == 0 and p.residual(r) < tolerance:
            return k + 1
    return None


@pytest.mark.parametrize("dim", [2, 3])
def test_own_solver_in_a_simulation(dim):
    sim, usual = cairn.Sim(pile(dim), solver=blocks, strict=True), cairn.Sim(pile(dim))
    for _ in range(20):
        report = sim.step()
        usual.step()
        assert report.solver == "blocks" and report.residual <= 1e-9
    assert np.abs(sim.q - usual.q).max() <= 1e-9
    twin = sim.copy()
    twin.step(3)
    sim.step(3)
    assert twin.hash == sim.hash and twin.report.solver == "blocks"
    again = pickle.loads(pickle.dumps(sim))
    assert again.step().solver == "blocks" and again.hash != sim.hash and sim.step() and again.hash == sim.hash
    usual.restore(sim.save())
    assert usual.hash == sim.hash


def test_own_solver_in_a_simulation_that_raises_stalls_or_solves_itself():
    calls = []

    @cairn.solver
    def nested(p, r, u, tolerance):
        calls.append(p)
        cairn.solve(np.eye(3), [-1, 0, 0], [0.3], solver=jacobi)
        other.step()
        with pytest.raises(RuntimeError, match="at work"):
            sim.step()
        return blocks(p, r, u, tolerance)

    other, sim = cairn.Sim(pile(3), solver=jacobi), cairn.Sim(pile(3), solver=nested)
    assert sim.step(3).solver == "nested" and len(calls) >= 3
    with pytest.raises(RuntimeError, match="lasted"):
        calls[0].residual(np.zeros(12))

    def raises(p, r, u, tolerance):
        raise LookupError("of the solver")
    sim = cairn.Sim(pile(3), solver=raises)
    before = sim.hash
    with pytest.raises(LookupError, match="of the solver"):
        sim.step()
    assert sim.hash == before and sim.step_index == 0
    idle = cairn.Sim(pile(3), solver=lambda p, r, u, tolerance: None)
    report = idle.step()
    assert report.solver == "<lambda>" and report.outcome == "limit" and report.residual > 1e-9
    retried = pile(3)
    retried.set("solver.on_stall", "retry")
    report = cairn.Sim(retried, solver=lambda p, r, u, tolerance: None).step()
    assert report.solver == "prox-newton" and report.retries == 1 and report.outcome == "solved"
