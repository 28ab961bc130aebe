"""Shapes of bodies, as scene files have them. Lengths in m; sizes are full lengths, not halves.

>>> cairn.box(1, 2, 3)
{'box': {'size': [1, 2, 3]}}
>>> cairn.sphere(0.5, position=[1, 0, 0])
{'sphere': {'radius': 0.5}, 'position': [1, 0, 0]}
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["sphere", "box", "capsule", "cylinder", "ellipsoid", "polyhedron", "plane", "mesh", "compound", "disk",
           "ellipse", "polygon", "line", "ring"]

Shape = dict[str, Any]


def _shape(kind: str, values: dict[str, Any], place: dict[str, Any]) -> Shape:
    return {kind: {key: value for key, value in values.items() if value is not None}, **place}


def _lengths(first: Any, rest: tuple[Any, ...]) -> Any:
    """One list of lengths, or the lengths one by one."""
    return [first, *rest] if rest else first


def sphere(radius: float, **place: Any) -> Shape:
    """A sphere (3D)."""
    return _shape("sphere", {"radius": radius}, place)


def box(size: Any, *more: float, **place: Any) -> Shape:
    """A box with these edge lengths: three numbers in 3D, two in 2D, or one list of them."""
    return _shape("box", {"size": _lengths(size, more)}, place)


def capsule(radius: float, length: float, **place: Any) -> Shape:
    """A capsule along z (3D); `length` is that of the straight part."""
    return _shape("capsule", {"radius": radius, "length": length}, place)


def cylinder(radius: float, length: float, **place: Any) -> Shape:
    """A cylinder along z (3D)."""
    return _shape("cylinder", {"radius": radius, "length": length}, place)


def ellipsoid(axes: Any, *more: float, **place: Any) -> Shape:
    """An ellipsoid with these full axis lengths (3D)."""
    return _shape("ellipsoid", {"axes": _lengths(axes, more)}, place)


def polyhedron(vertices: ArrayLike, faces: Sequence[Sequence[int]] | None = None, **place: Any) -> Shape:
    """A convex polyhedron (3D): the hull of its vertices, or its faces as lists of vertex numbers."""
    return _shape("polyhedron", {"vertices": vertices, "faces": faces}, place)


def plane(normal: Sequence[float] = (0, 0, 1), offset: float = 0, **place: Any) -> Shape:
    """A half space (3D), free where normal . x >= offset."""
    return _shape("plane", {"normal": list(normal), "offset": offset}, place)


def mesh(file: str, scale: float | None = None, **place: Any) -> Shape:
    """The convex parts of an OBJ or STL file (3D)."""
    return _shape("mesh", {"file": file, "scale": scale}, place)


def compound(*shapes: Shape, **place: Any) -> Shape:
    """Several shapes that share a place."""
    return {"compound": list(shapes), **place}


def disk(radius: float, **place: Any) -> Shape:
    """A disk (2D)."""
    return _shape("disk", {"radius": radius}, place)


def ellipse(axes: Any, *more: float, **place: Any) -> Shape:
    """An ellipse with these full axis lengths (2D)."""
    return _shape("ellipse", {"axes": _lengths(axes, more)}, place)


def polygon(vertices: ArrayLike, **place: Any) -> Shape:
    """A convex polygon (2D), its vertices in order."""
    return _shape("polygon", {"vertices": vertices}, place)


def line(normal: Sequence[float] = (0, 1), offset: float = 0, **place: Any) -> Shape:
    """A half plane (2D), free where normal . x >= offset."""
    return _shape("line", {"normal": list(normal), "offset": offset}, place)


def ring(radius: float, **place: Any) -> Shape:
    """A hollow circle (2D) with contact inside."""
    return _shape("ring", {"radius": radius}, place)
