"""Cairn: nonsmooth contact dynamics of rigid and deformable bodies, with exact Coulomb friction.

A scene is data, a simulation is an object, what is read never changes under you, and every number has a name and a
unit: lengths m, masses kg, times s, angles rad, forces N, impulses N s; quaternions w x y z; world axes.

>>> scene = cairn.Scene(friction=0.5)
>>> scene.ground()
>>> scene.body("ball", cairn.sphere(0.1), position=[0, 0, 1])
>>> sim = cairn.Sim(scene)
>>> sim.step(until=0.2).outcome
'solved'
"""
from __future__ import annotations

import importlib
import os as _os
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import _core
from ._core import Report
from .errors import ArgumentError, Error, NumericError, SceneError, UnsupportedError, Warning
from .frames import OPEN, SLIDE, STICK, Contacts, Energy, Frame
from .ncp import NcpSolution, solve_ncp
from .problem import Given, Grade, Problem, Solution, Solver, SolverInfo, grade, solve, solver, solvers
from .run import Check, Finding, Ledger, Run, Track
from .scene import Mesh, Model, Scene, gallery, gallery_folder, gallery_names, load, schema, starter
from .shapes import (box, capsule, compound, cylinder, disk, ellipse, ellipsoid, line, mesh, plane, polygon,
                     polyhedron, ring, sphere)
from .sim import Body, Hit, Inputs, Joint, Joints, Rollout, Sim, rollout
from .system import FirstOrder, Impact, Lagrangian, SystemReport, SystemRun, system_schemes

if _TYPE_CHECKING:
    from . import plot

__version__: str = _core.version()

__all__ = ["ArgumentError", "Body", "Check", "Contacts", "Energy", "Error", "Finding", "FirstOrder", "Frame",
           "Given", "Grade", "Hit", "Impact", "Inputs", "Joint", "Joints", "Lagrangian", "Ledger", "Mesh", "Model",
           "NcpSolution",
           "NumericError", "OPEN", "Problem", "Report", "Rollout", "Run", "SLIDE", "STICK", "Scene", "SceneError",
           "Sim", "Solution", "Solver", "SolverInfo", "SystemReport", "SystemRun", "Track", "UnsupportedError", "Warning",
           "box", "capsule", "compound", "cylinder", "disk", "ellipse", "ellipsoid", "gallery", "gallery_folder",
           "gallery_names", "grade", "line", "load", "mesh", "plane", "plot", "polygon", "polyhedron", "ring",
           "rollout", "schema", "solve", "solve_ncp", "solver", "solvers", "sphere", "starter", "system_schemes"]

if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_core.forked)


def __getattr__(name: str) -> _Any:
    if name == "plot":
        return importlib.import_module(".plot", __name__)
    raise AttributeError(f"module 'cairn' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
