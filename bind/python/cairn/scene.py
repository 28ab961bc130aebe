"""Scenes: a scene is the document of a scene file, built by calls.

Every keyword is a key of docs/reference/scene.md, so that what the reader of scene files knows, this does too.
"""
from __future__ import annotations

import json
import operator
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _core
from .errors import ArgumentError, Error, SceneError, floats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Scene", "load", "gallery", "gallery_names", "gallery_folder", "Mesh", "Model", "starter", "schema"]

_HERE = os.path.dirname(os.path.abspath(__file__))
Place = tuple[str, int]


def _caller() -> Place:
    """The nearest place outside this package: what errors lead back to."""
    frame = sys._getframe(2)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == _HERE:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def _plain(value: Any) -> Any:
    """numpy values for json."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise ArgumentError(f"a scene holds numbers, texts, lists and maps, not {type(value).__name__}")


def _json(value: Any) -> str:
    return json.dumps(value, default=_plain)


def _rows(values: np.ndarray[Any, Any]) -> str:
    """Numbers as lines of a CSV text that read back to the same bits."""
    return json.dumps(values.tolist())[2:-2].replace("], [", "\n")


def _numbers(values: ArrayLike, name: str, width: int | None, count: int | None = None) -> np.ndarray[Any, Any]:
    """A finite array of `count` rows of `width` numbers (None: one number a row)."""
    array = np.asarray(floats(values, name))
    wanted = "one number per body" if width is None else f"{width} numbers per body"
    if width is None and array.ndim == 0 and count is not None:
        array = np.full(count, float(array))
    shape_is_right = array.ndim == 1 if width is None else array.ndim == 2 and array.shape[1] == width
    if not shape_is_right or (count is not None and len(array) != count):
        rows = f" and {count} rows" if count is not None else ""
        raise ArgumentError(f"{name} must have {wanted}{rows}, not shape {array.shape}")
    bad = ~np.isfinite(array) if width is None else ~np.isfinite(array).all(axis=1)
    if bad.any():
        raise ArgumentError(f"{name}[{int(np.argmax(bad))}] is not finite: {array[np.argmax(bad)]}")
    return array


class Scene:
    """A scene as data, to be filled by calls and then simulated, saved or looked at.

    friction, restitution: of every contact that no other entry names. density: of the material "default", which
    bodies have that are given no other. step, until, frames_every: the keys of `time`. solver, tolerance: those of
    `solver`. Other keywords are keys of scene files, as `integrator={"theta": 1}`.

    >>> scene = cairn.Scene(friction=0.5)
    >>> scene.ground()
    >>> scene.body("ball", cairn.sphere(0.1), position=[0, 0, 1])
    >>> scene
    <cairn.Scene, 2 bodies>
    """

    def __init__(self, name: str | None = None, *, dimension: int = 3, friction: float | None = None,
                 restitution: float | None = None, density: float = 1000, gravity: ArrayLike | None = None,
                 step: float | None = None, until: float | None = None, frames_every: float | None = None,
                 solver: str | Mapping[str, Any] | None = None, tolerance: float | None = None,
                 **keys: Any) -> None:
        self._place = _caller()
        self._base: Path | None = None
        self._overrides: dict[str, tuple[Any, Place]] = {}
        self._top: dict[str, Any] = {"cairn": 1, "dimension": dimension}
        if name is not None:
            self._top["name"] = name
        if gravity is not None:
            self._top["gravity"] = gravity
        time = {"step": step, "until": until, "frames_every": frames_every, **keys.pop("time", {})}
        self._group("time", time)
        chosen: dict[str, Any] = dict(solver) if isinstance(solver, Mapping) else {"name": solver}
        self._group("solver", {**chosen, **({"tolerance": tolerance} if tolerance is not None else {})})
        self._materials: dict[str, tuple[dict[str, Any], Place]] = {"default": ({"density": density}, self._place)}
        self._lists: dict[str, list[tuple[Any, Place]]] = {}
        for key in keys:
            _check_keyword(key)
        self._top.update(keys)
        given = {"friction": friction, "restitution": restitution}
        if any(value is not None for value in given.values()):
            self._add("contacts", {"between": ["*", "*"], **_present(given)}, self._place)

    def _group(self, key: str, values: Mapping[str, Any]) -> None:
        present = _present(values)
        if present:
            self._top[key] = {**self._top.get(key, {}), **present}

    def _add(self, key: str, entry: Any, place: Place) -> None:
        self._lists.setdefault(key, []).append((entry, place))

    # ---- what is in it ----

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self._top.get("dimension", 0)) or self.model().dimension

    @property
    def name(self) -> str:
        """The scene's name; "" when it has none."""
        if self._base is not None and "name" not in self._top:
            return self._base.stem
        return str(self._top.get("name", ""))

    def material(self, name: str, density: float | None = None, **keys: Any) -> None:
        """A material, for `body(material=name)`. density in kg/m3 (2D: kg/m2).

        >>> scene = cairn.Scene()
        >>> scene.material("stone", density=2500)
        """
        self._materials[name] = (_present({"density": density, **keys}), _caller())

    def contact(self, a: str = "*", b: str = "*", **keys: Any) -> None:
        """A law between two materials ("*" is any): friction, restitution, law, cohesion, ...

        For each key the last entry that matches and gives it wins, so that general ones come first.
        """
        self._add("contacts", {"between": [a, b], **keys}, _caller())

    def body(self, name: str | None = None, shape: Any = None, **keys: Any) -> None:
        """A body: position, orientation (w x y z) or rotation, velocity, material, mass, fixed, lock, ...

        shape: one of cairn.box, cairn.sphere, ... or a list of them.

        >>> scene = cairn.Scene()
        >>> scene.body("brick", cairn.box(0.4, 0.2, 0.2), position=[0, 0, 1], velocity=[1, 0, 0])
        """
        if isinstance(name, Mapping) and shape is None:
            name, shape = None, name
        entry: dict[str, Any] = {} if name is None else {"name": name}
        if "material" not in keys and self._base is None:
            entry["material"] = "default"
        entry.update(keys)
        if shape is not None:
            entry["shape"] = shape
        self._add("bodies", entry, _caller())

    def ground(self, height: float = 0, *, normal: Sequence[float] | None = None, name: str = "ground",
               **keys: Any) -> None:
        """A fixed half space below `height`, in 2D a half plane."""
        flat = self._top.get("dimension", 3) == 2
        up = list(normal) if normal is not None else ([0, 1] if flat else [0, 0, 1])
        entry = {"name": name, "fixed": True, "material": keys.pop("material", "default"), **keys,
                 "shape": {"line" if flat else "plane": {"normal": up, "offset": height}}}
        self._add("bodies", entry, _caller())

    def joint(self, kind: str, a: str | int, b: str | int, *, name: str | None = None, **keys: Any) -> None:
        """A joint of this kind (hinge, ball, slider, ...) between two bodies by their names or numbers.

        >>> scene = cairn.Scene()
        >>> scene.body("post", cairn.box(0.1, 0.1, 2), fixed=True)
        >>> scene.body("door", cairn.box(1, 0.05, 2), position=[0.6, 0, 0])
        >>> scene.joint("hinge", "post", "door", point=[0.05, 0, 0], axis=[0, 0, 1], limits=[0, 2])
        """
        self._add("joints", _joint_entry(kind, a, b, name, keys), _caller())

    def force(self, body: str | int, force: Any = None, **keys: Any) -> None:
        """A force on a body: numbers, expressions in t or tables [N]; also torque, point, axes."""
        self._add("forces", {"body": _name_of(body, "force"), **_present({"force": force}), **keys}, _caller())

    def motion(self, body: str | int, velocity: Any = None, **keys: Any) -> None:
        """A prescribed motion: velocity [m/s], angular_velocity [rad/s] as numbers, expressions in t or tables."""
        self._add("motions", {"body": _name_of(body, "motion"), **_present({"velocity": velocity}), **keys}, _caller())

    def control(self, **keys: Any) -> None:
        """A controller, sampled at a period: sensors, memory, outputs, next."""
        self._add("control", keys, _caller())

    def generate(self, kind: str, **keys: Any) -> None:
        """Bodies by a rule: packing, grid, column, wall, arch, pyramid, drum, chain, table, ...

        >>> scene = cairn.Scene()
        >>> scene.generate("wall", courses=10, bricks=10, size=[0.4, 0.2, 0.2])
        """
        if "material" not in keys and self._base is None:
            keys["material"] = "default"
        self._add("generate", {kind: keys}, _caller())

    def include(self, file: str | os.PathLike[str]) -> None:
        """Another scene file, read before this one."""
        if self._base is not None:
            raise ArgumentError("a scene that was loaded includes its file already; make a Scene() to join several")
        self._top.setdefault("include", []).append(os.path.abspath(file))

    def set(self, path: str, value: Any) -> None:
        """Puts a value in before the scene is read, as `--set` does.

        >>> scene = cairn.gallery("block-on-slope")
        >>> scene.set("contacts.0.friction", 0.2)
        """
        self._overrides[str(path)] = value, _caller()

    # ---- many bodies from arrays ----

    def spheres(self, positions: ArrayLike, radii: ArrayLike, *, velocities: ArrayLike | None = None,
                names: str | Sequence[str] | None = None, **keys: Any) -> None:
        """Spheres (in 2D disks) from arrays; radii may be one number.

        >>> scene = cairn.Scene()
        >>> scene.spheres(np.random.default_rng(1).uniform(0, 10, (100, 3)), 0.05, names="grain")
        """
        dim = self._dim_of("spheres")
        x = _numbers(positions, "positions", dim)
        r = _numbers(radii, "radii", None, len(x))
        if len(r) and not r.min() > 0:
            raise ArgumentError(f"radii[{int(np.argmin(r))}] must be above 0, not {r.min():g}")
        self._table("x y z".split()[:dim] + ["radius"], [x, r[:, None]], velocities, names, keys)

    def boxes(self, positions: ArrayLike, sizes: ArrayLike, *, orientations: ArrayLike | None = None,
              velocities: ArrayLike | None = None, names: str | Sequence[str] | None = None, **keys: Any) -> None:
        """Boxes from arrays; sizes may be one size for all; orientations are w x y z (2D: angles)."""
        dim = self._dim_of("boxes")
        x = _numbers(positions, "positions", dim)
        size = np.asarray(floats(sizes, "sizes"))
        s = _numbers(np.broadcast_to(size, x.shape) if size.ndim == 1 else size, "sizes", dim, len(x))
        if s.size and not s.min() > 0:
            row = int(np.argmin(s.min(axis=1)))
            raise ArgumentError(f"sizes[{row}] must be above 0, not {s[row].tolist()}")
        self._table("x y z".split()[:dim] + "sx sy sz".split()[:dim], [x, s], velocities, names, keys, orientations)

    def copies(self, shape: Any, positions: ArrayLike, orientations: ArrayLike | None = None, *,
               velocities: ArrayLike | None = None, names: str | Sequence[str] | None = None, **keys: Any) -> None:
        """Copies of a shape at positions and orientations (w x y z; 2D: angles)."""
        dim = self._dim_of("copies")
        x = _numbers(positions, "positions", dim)
        self._table("x y z".split()[:dim], [x], velocities, names, {"shape": shape, **keys}, orientations)

    def _dim_of(self, what: str) -> int:
        dim = self._top.get("dimension", 3 if self._base is None else self.model().dimension)
        if dim not in (2, 3):
            raise ArgumentError(f"{what} need a scene of dimension 2 or 3, not {dim!r}")
        return int(dim)

    def _table(self, columns: list[str], parts: list[np.ndarray[Any, Any]], velocities: ArrayLike | None,
               names: str | Sequence[str] | None, keys: dict[str, Any], orientations: ArrayLike | None = None) -> None:
        """The generator `table` with these columns."""
        count = len(parts[0])
        dim = self._dim_of("bodies")
        if orientations is not None:
            if dim == 3:
                parts, columns = parts + [_numbers(orientations, "orientations", 4, count)], columns + [
                    "qw", "qx", "qy", "qz"]
            else:
                parts, columns = parts + [_numbers(orientations, "angles", None, count)[:, None]], columns + ["angle"]
        if velocities is not None:
            parts = parts + [_numbers(velocities, "velocities", dim, count)]
            columns = columns + ["vx", "vy", "vz"][:dim]
        if count == 0:
            return
        rows = _rows(np.concatenate(parts, axis=1))
        if isinstance(names, str):
            keys["name"] = names
        elif names is not None:
            if len(names) != count or any(not isinstance(name, str) or "," in name or "\n" in name for name in names):
                raise ArgumentError(f"names must be {count} texts without commas")
            columns = ["name"] + columns
            rows = "\n".join(f"{name},{row}" for name, row in zip(names, rows.split("\n")))
        keys.setdefault("material", "default")
        keys["rows"] = ",".join(columns) + "\n" + rows + "\n"
        self._add("generate", {"table": keys}, _caller())

    # ---- to text, file and model ----

    def _text(self) -> tuple[str, list[tuple[Place, str]]]:
        """The document, one entry a line, and where each line comes from."""
        lines: list[str] = []
        places: list[tuple[Place, str]] = []

        def say(line: str, place: Place, path: str) -> None:
            lines.append(line)
            places.append((place, path))

        top = dict(self._top)
        if self._base is not None:
            top["include"] = [str(self._base)]
        for key, value in top.items():
            say(("{" if not lines else ",") + f"{_json(key)}: {_json(value)}", self._place, key)
        if self._base is None or any(name != "default" for name in self._materials):
            say(', "materials": {', self._place, "materials")
            entries = [(name, entry) for name, entry in self._materials.items()
                       if self._base is None or name != "default"]
            for i, (name, (entry, place)) in enumerate(entries):
                say(("," if i else "") + f"{_json(name)}: {_json(entry)}", place, f"materials.{name}")
            say("}", self._place, "materials")
        for key, items in self._lists.items():
            say(f', "{key}": [', self._place, key)
            for i, (entry, place) in enumerate(items):
                say(("," if i else "") + _json(entry), place, f"{key}[{i}]")
            say("]", self._place, key)
        say("}", self._place, "")
        return "\n".join(lines) + "\n", places

    def _is_file(self) -> bool:
        """Whether it is a file as it stands, to which nothing was added."""
        return self._base is not None and not self._lists and len(self._materials) == 1 and set(self._top) <= {"cairn"}

    def _where(self, error: Error, file: str, places: list[tuple[Place, str]]) -> Error:
        """Leads an error of the text back to the Python line that made its entry."""
        def other_line(found: re.Match[str]) -> str:
            line = int(found[1])
            known = 0 < line <= len(places)
            return "it is in {}:{}".format(*places[line - 1][0]) if known else found[0]

        if error.file == file and 0 < error.line <= len(places):
            (error.file, error.line), error.path = places[error.line - 1]
            error.column = 0
            error.hint = re.sub(r"it is in line (\d+)", other_line, error.hint)
        return self._where_set(error)

    def _where_set(self, error: Error) -> Error:
        """Leads an error of a value that was set back to the call."""
        path = error.file.removeprefix("--set ").partition("=")[0]
        if error.file.startswith("--set ") and path in self._overrides:
            (error.file, error.line), error.path, error.column = self._overrides[path][1], path, 0
        return error

    def model(self, *, allow_plugins: bool = False) -> Model:
        """The finished model, for several simulations."""
        return Model(self, allow_plugins=allow_plugins)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a scene file that gives the same model, to the bit.

        Changes by set() are put in, and files that it needs are named as from the current folder.
        """
        text = self.model().text if self._base is not None or self._overrides else self._text()[0]
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def check(self) -> list[Error]:
        """All that is wrong with the scene, or to be warned of, without running it; an empty list: nothing.

        >>> scene = cairn.Scene(step=-1)
        >>> scene.body("ball", cairn.sphere(1))
        >>> print(scene.check()[0].message)
        step must be above 0, not -1
        """
        import warnings

        from .sim import Sim
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = self.model()
                Sim(model).close()
        except Error as error:
            return [error]
        return model.warnings

    def copy(self) -> Scene:
        """A scene of its own with the same entries."""
        twin = Scene.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._overrides, twin._top, twin._materials = dict(self._overrides), dict(self._top), dict(self._materials)
        twin._lists = {key: list(items) for key, items in self._lists.items()}
        return twin

    __copy__ = copy

    def __repr__(self) -> str:
        if self._base is not None:
            added = sum(len(items) for items in self._lists.values())
            return f"<cairn.Scene {self.name}, from {self._base}" + (f", {added} entries added>" if added else ">")
        bodies = len(self._lists.get("bodies", []))
        rules = len(self._lists.get("generate", []))
        joints = len(self._lists.get("joints", []))
        parts = [f"{bodies} bod{'y' if bodies == 1 else 'ies'}"]
        parts += [f"{joints} joint{'s' if joints > 1 else ''}"] if joints else []
        parts += [f"{rules} generator{'s' if rules > 1 else ''}"] if rules else []
        return f"<cairn.Scene{' ' + self.name if self.name else ''}, {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        from .page import frame_of
        from .sim import Sim
        return frame_of(Sim(self))

    def html(self, path: str | os.PathLike[str]) -> None:
        """Writes the start as one HTML file that needs no server."""
        from .sim import Sim
        Sim(self).html(path)

    def view(self) -> str:
        """Simulates the scene live in a browser, where it can be steered, until this process ends; the address."""
        from .page import live
        return live(self)

    def __getattr__(self, name: str) -> Any:
        if name in {"step", "steps", "run", "frames", "contacts", "positions", "energy", "record"}:
            raise AttributeError(f"a scene is data and has no {name!r}; sim = cairn.Sim(scene) has it")
        raise AttributeError(f"a scene has no {name!r}; see help(cairn.Scene)")

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__, _version=_core.version())

    def __setstate__(self, state: dict[str, Any]) -> None:
        _check_version(state.pop("_version", "unknown"), "scene")
        self.__dict__.update(state)


def _list_keys() -> None:
    """Puts the keys of scene files into the docstrings of the methods that take them."""
    try:
        from ._keys import KEYS
    except ImportError:  # a build for a sanitizer
        return
    for name, rows in KEYS.items():
        method = getattr(Scene, name)
        method.__doc__ += "\n    Keys:\n" + "".join(f"    - {key}: {text}\n" for key, text in rows)


_list_keys()

_CALLS = {"materials": "material", "contacts": "contact", "bodies": "body", "generate": "generate",
          "forces": "force", "motions": "motion", "joints": "joint", "control": "control"}


# Words of other codes for keywords of Scene.
_ELSEWHERE = {"dt": "step", "timestep": "step", "time_step": "step", "mu": "friction", "g": "gravity", "dim": "dimension",
              "t_end": "until", "duration": "until", "tol": "tolerance", "e": "restitution", "rho": "density"}


def _check_keyword(key: str) -> None:
    """ArgumentError for a keyword that neither Scene nor scene files have."""
    if key in _CALLS:
        raise ArgumentError(f"{key} are added by calls: scene.{_CALLS[key]}(...)")
    of_files = schema()["properties"]
    if key not in of_files:
        own = ["name", "dimension", "friction", "restitution", "density", "gravity", "step", "until", "frames_every",
               "solver", "tolerance"]
        near = _ELSEWHERE.get(key) or _core.nearest(key, own + sorted(set(of_files) - {"cairn"}))
        raise ArgumentError(f"a scene has no keyword {key!r}",
                            hint=f"did you mean {near!r}?" if near else "see help(cairn.Scene)")


def _name_of(body: Any, what: str) -> str:
    """A body as scene files name it: its name, or "#1" for the first."""
    if isinstance(body, str):
        return body
    if isinstance(body, (int, np.integer)) and not isinstance(body, bool) and body >= 0:
        return f"#{int(body) + 1}"
    raise ArgumentError(f"a {what} takes bodies by their names, or by their numbers from 0, not {body!r}",
                        hint='scene.body("door", ...) gives a name')


def _joint_entry(kind: str, a: Any, b: Any, name: str | None, keys: Mapping[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = {} if name is None else {"name": name}
    return {**entry, "kind": kind, "bodies": [_name_of(a, "joint"), _name_of(b, "joint")], **keys}


def _explain_path(path: str) -> None:
    """Raises what fits for a path of a scene that is no file."""
    if "\n" in path:
        raise ArgumentError("this is the text of a scene, not the path of its file",
                            hint="write it into a file, or fill a cairn.Scene by calls")
    if os.path.isdir(path):
        raise IsADirectoryError(21, "this is a folder, not a scene file", path)
    if not os.path.exists(path) and os.path.basename(path).partition(".")[0] in gallery_names():
        name = os.path.basename(path).partition(".")[0]
        raise FileNotFoundError(2, f'there is no such scene file; the gallery has one: cairn.gallery("{name}")', path)
    if not os.path.exists(path):
        raise FileNotFoundError(2, "there is no such scene file", path)


def _is_run(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(15) == b"SQLite format 3"
    except OSError:
        return False


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _check_version(version: str, what: str) -> None:
    if version != _core.version():
        raise ArgumentError(f"this {what} was pickled by cairn {version}, and this is {_core.version()}",
                            hint="save scenes as files and simulations as run files to keep them")


class Mesh(NamedTuple):
    """The mesh of a deformable body: nodes in its own frame [m], elements and outer faces as numbers of nodes."""

    element: str
    nodes: np.ndarray[Any, Any]
    elements: np.ndarray[Any, Any]
    faces: np.ndarray[Any, Any]
    first_node: int


class Model(_core.Model):
    """A finished scene, immutable: any number of simulations may use it, also in several threads.

    >>> model = cairn.Model(cairn.gallery("newtons-cradle"))
    >>> model.dimension, model.body_count
    (2, 5)
    """

    _is_view = False

    def __init__(self, scene: Scene | str | os.PathLike[str], *, allow_plugins: bool = False) -> None:
        self._all_names: list[str] | None = None
        self._endless: np.ndarray[Any, Any] | None = None
        self._plugins = allow_plugins
        overrides: list[tuple[str, str]] = []
        if isinstance(scene, Scene):
            try:
                overrides = [(path, _json(value)) for path, (value, _) in scene._overrides.items()]
            except TypeError as error:
                raise ArgumentError(str(error)) from None
            if scene._is_file():
                self._open(str(scene._base), None, overrides, scene)
            else:
                text, places = scene._text()
                name = str(scene._base or os.path.join(os.getcwd(), scene.name or "scene"))
                self._open(name, text, overrides, scene, places)
        elif isinstance(scene, (str, os.PathLike)):
            self._open(os.fspath(scene), None, overrides)
        else:
            raise TypeError(f"a model is made from a Scene or the path of one, not {type(scene).__name__}")

    def _open(self, name: str, text: str | None, overrides: list[tuple[str, str]], scene: Scene | None = None,
              places: list[tuple[Place, str]] | None = None) -> None:
        import warnings

        from .errors import Warning as CairnWarning
        self._source = name
        self._places = places
        self._scene = scene
        if text is None and not os.path.isfile(name):
            _explain_path(name)
        try:
            self._read(name, text, overrides, self._plugins)
        except Error as error:
            if text is None and _is_run(name):
                raise SceneError("this is a run file, not a scene", file=name,
                                 hint=f"cairn.Run({name!r}) reads it; its .model is that of its scene") from None
            raise self.locate(error) from None
        for warning in self.warnings:
            if warning.line:
                warnings.warn_explicit(str(warning), CairnWarning, warning.file, warning.line)
            else:
                warnings.warn(str(warning), CairnWarning, stacklevel=4)

    def locate(self, error: Error) -> Error:
        """The error with its place in the Python script, where the model comes from one."""
        if self._scene is not None:
            return (self._scene._where_set(error) if self._places is None
                    else self._scene._where(error, self._source, self._places))
        return error

    @property
    def warnings(self) -> list[Error]:
        """What is legal and seldom meant, such as friction above 5."""
        return [self.locate(SceneError(message, file=file, line=line, column=column, hint=hint))
                for message, hint, file, line, column in self._warnings()]

    @property
    def names(self) -> list[str]:
        """Names of the bodies, in body order; "" for those that have none."""
        if self._all_names is None:
            self._all_names = _core.Model._names(self)
        return self._all_names

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the run: step, until, gravity, solver, tolerance, ..."""
        return self._settings()

    @property
    def endless(self) -> np.ndarray[Any, Any]:
        """(n): true for bodies without an end, those with a plane or a line."""
        if self._endless is None:
            self._endless = np.array([np.isinf(self._body(i)["bound"]) for i in range(self.body_count)], dtype=bool)
            self._endless.flags.writeable = False
        return self._endless

    @property
    def materials(self) -> list[str]:
        """Names of the materials.

        >>> cairn.Model(cairn.gallery("block-on-slope")).materials
        ['stone']
        """
        return [row[0] for row in self._materials()]

    @property
    def columns(self) -> dict[str, str]:
        """The columns that the scene records (key `record`), with their units."""
        return {name: unit for name, unit in self._columns()}

    def _settle(self) -> None:
        """Caches what others read of it, before the simulation whose model it is goes on."""
        self.names, self.endless

    def index(self, body: int | str) -> int:
        """The number of a body, counted from 0, by its name or number (negative: from the end).

        >>> cairn.Model(cairn.gallery("block-on-slope")).index("block")
        1
        """
        if isinstance(body, str):
            found = self._find(body)
            if found < 0 and body in self.names:
                raise ArgumentError(f'the body "{body}" was removed')
            if found < 0:
                near = _core.nearest(body, [name for name in self.names if name][:256])
                hint = f'did you mean "{near}"?' if near else "model.names lists them"
                raise KeyError(f'there is no body "{body}"; {hint}')
            return found
        at = operator.index(body)
        if not -self.body_count <= at < self.body_count:
            raise IndexError(f"there is no body {at}; the model has {self.body_count}")
        return at % self.body_count

    def body_info(self, body: int | str) -> dict[str, Any]:
        """What a body has become: name, material, kind, mass, com (in its own frame), ..."""
        return self._body(self.index(body))

    def shapes(self, body: int | str) -> list[dict[str, Any]]:
        """The shapes of a body in its own frame."""
        return [{key: np.asarray(value) if isinstance(value, _core.Block) else value for key, value in shape.items()}
                for shape in self._shapes(self.index(body))]

    def mesh(self, body: int | str) -> Mesh | None:
        """The mesh of a deformable body in its own frame; None of a rigid one."""
        found = self._mesh(self.index(body))
        if found is None:
            return None
        return Mesh(found["element"], *(np.asarray(found[key]) for key in ("nodes", "elements", "faces")),
                    found["first_node"])

    def __len__(self) -> int:
        return self.body_count

    def __repr__(self) -> str:
        return f"<cairn.Model {self.name}, {self.dimension}D, {self.body_count} bodies, {self.joint_count} joints>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._is_view:
            raise ArgumentError("this is the model of a simulation whose bodies have changed; pickle the simulation")
        return _model_from, (self._source, self.text, self._plugins, _core.version())

    def _repr_html_(self) -> str:
        from .page import frame_of
        from .sim import Sim
        return frame_of(Sim(self))


def _model_from(name: str, text: str, allow_plugins: bool = False, version: str | None = None) -> Model:
    """A model from the text of a scene; name stands for its file."""
    _check_version(version or _core.version(), "model")
    model = Model.__new__(Model)
    model._all_names = model._endless = None
    model._plugins = allow_plugins
    model._open(name, text, [])
    return model


def _view_of(given: Model) -> Model:
    """An empty model for the extension to fill: that of a simulation whose bodies are not those given any more."""
    view = Model.__new__(Model)
    view._all_names = view._endless = view._scene = view._places = None
    view._plugins, view._source, view._is_view = given._plugins, given._source, True
    return view


def load(path: str | os.PathLike[str], overrides: Mapping[str, Any] | None = None) -> Scene:
    """A scene from its file; overrides as in set(). More can be added to it by calls.

    >>> scene = cairn.load(cairn.gallery_folder() / "bouncing-ball.yaml", {"time.step": 1e-3})
    """
    file = Path(path)
    if not file.is_file():
        _explain_path(str(path))
    scene = Scene.__new__(Scene)
    scene._place = _caller()
    scene._base = file.resolve()
    if overrides is not None and not isinstance(overrides, Mapping):
        raise ArgumentError(f'overrides must be a dict as {{"time.step": 1e-3}}, not {type(overrides).__name__}')
    scene._overrides = {str(path): (value, scene._place) for path, value in (overrides or {}).items()}
    scene._top = {"cairn": 1}
    scene._materials = {"default": ({}, scene._place)}
    scene._lists = {}
    return scene


def gallery_folder() -> Path:
    """Where the scenes of the gallery are: $CAIRN_SCENES, or inside the package."""
    given = os.environ.get("CAIRN_SCENES")
    return Path(given) if given else Path(_HERE) / "scenes"


def gallery_names() -> list[str]:
    """Names of the gallery's scenes.

    >>> "masonry-arch" in cairn.gallery_names()
    True
    """
    return sorted(file.stem for file in gallery_folder().glob("*.yaml"))


def gallery(name: str, overrides: Mapping[str, Any] | None = None) -> Scene:
    """A scene of the gallery, with some of its values changed.

    >>> cairn.Sim(cairn.gallery("block-on-slope", {"contacts.0.friction": 0.1})).model.name
    'block-on-slope'
    """
    names = gallery_names()
    if name not in names:
        near = _core.nearest(str(name), names[:256])
        raise KeyError(f'the gallery has no scene "{name}"; '
                       + (f'did you mean "{near}"?' if near else "see cairn.gallery_names()"))
    return load(gallery_folder() / f"{name}.yaml", overrides)


def starter() -> str:
    """A commented first scene file, as `cairn new` writes it."""
    return _core.scene_starter()


def schema() -> dict[str, Any]:
    """The JSON Schema of scene files."""
    found: dict[str, Any] = json.loads(_core.scene_schema())
    return found

