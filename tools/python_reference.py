"""The reference of the Python package, made from its docstrings.

    python_reference.py           prints it
    python_reference.py --write   puts it into docs/reference/python.md

PYTHONPATH must lead to the package.
"""
import inspect
import re
import sys
from pathlib import Path

import cairn

PAGE = Path(__file__).resolve().parent.parent / "docs/reference/python.md"
GROUPS = [("Scenes", ["Scene", "load", "gallery", "gallery_names", "gallery_folder", "starter", "schema"]),
          ("Shapes", ["sphere", "box", "capsule", "cylinder", "ellipsoid", "polyhedron", "plane", "mesh", "compound",
                      "disk", "ellipse", "polygon", "line", "ring"]),
          ("Simulations", ["Model", "Mesh", "Sim", "Body", "Contacts", "Joints", "Joint", "Inputs", "Energy", "Report",
                           "Frame", "rollout", "Rollout"]),
          ("Runs", ["Run", "Track", "Ledger", "Check", "Finding"]),
          ("One-step problems", ["Problem", "solve", "Solution", "grade", "Grade", "solver", "Solver", "Given",
                                 "solvers", "SolverInfo"]),
          ("Systems", ["Lagrangian", "FirstOrder", "SystemRun", "SystemReport", "Impact", "system_schemes"]),
          ("Errors", ["Error", "SceneError", "ArgumentError", "UnsupportedError", "NumericError", "Warning"])]
INTRO = """# Python reference

Made from the docstrings by `tools/python_docs.sh`. Examples first: [the tutorial](../tutorial/python/README.md).
Keywords of scenes are the keys of [scene.md](scene.md). Lengths m, masses kg, times s, angles rad, forces N, impulses
N s; quaternions w x y z; world axes. Arrays are snapshots and read-only. Python counts bodies from 0.
"""


def signature(thing, name):
    """name(arguments) without annotations, which the stubs have."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    given = [p.replace(annotation=p.empty) for p in found.parameters.values() if p.name not in ("self", "cls")]
    try:
        text = str(found.replace(parameters=given, return_annotation=found.empty))
    except ValueError:
        return name
    return name + re.sub(r" at 0x[0-9a-f]+", "", text)


def text_of(thing):
    """The docstring without its keys, with its examples as code."""
    doc = inspect.cleandoc(thing.__doc__ or "").split("\nKeys:\n")[0].strip()
    doc = re.sub(r"^\w+\(.*\)\n--\n\n", "", doc)
    out, code = [], False
    for line in doc.splitlines():
        if line.startswith(">>>") and not code:
            out.append("```python")
            code = True
        elif code and not line.strip():
            out.append("```")
            code = False
        out.append(line)
    return "\n".join(out + (["```"] if code else []))


def wrapped(text, first, width=116):
    """A list entry, its lines indented."""
    words, lines, line = text.split(), [], first
    for word in words:
        if len(line) + len(word) + 1 > width and line.strip():
            lines.append(line)
            line = " "
        line += (" " if not line.endswith("- ") and line else "") + word
    return "\n".join(lines + [line])


def members_of(kind):
    """Entries of a list: attributes first, then methods."""
    rows = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("cairn"):
            rows.update({n: m for n, m in vars(base).items() if not n.startswith("_")})
    attributes, methods = [], []
    for name, member in rows.items():
        doc = (inspect.cleandoc(getattr(member, "__doc__", None) or "").split("\n\n")[0]).replace("\n", " ")
        doc = re.sub(r"^\w+\(.*?\) -- ", "", doc)
        if isinstance(member, (staticmethod, classmethod)):
            member = member.__func__
        if callable(member) and not isinstance(member, type):
            whole = text_of(member)
            first = whole.split("\n\n")[0].replace("\n", " ")
            methods.append(wrapped(f"`{signature(member, name)}`: {first}", "- "))
        elif doc and not isinstance(member, type) and "Alias for field" not in doc:
            attributes.append(wrapped(f"`{name}`: {doc}", "- "))
    return attributes + methods


def page():
    """The whole text."""
    out = [INTRO]
    for title, names in GROUPS:
        out.append(f"## {title}\n")
        for name in names:
            thing = getattr(cairn, name)
            heading = name if inspect.isclass(thing) and issubclass(thing, BaseException) else signature(thing, name)
            out.append(f"### {name}\n")
            if heading != name and len(heading) < 110:
                out.append(f"`cairn.{heading}`\n")
            elif heading != name:
                out.append(wrapped(f"`cairn.{heading}`", "", 116).strip() + "\n")
            body = text_of(thing)
            fields = getattr(thing, "_fields", None)
            if fields:
                body += "\n\n" + wrapped("Fields: " + ", ".join(f"`{f}`" for f in fields) + ".", "").strip()
            out.append(body + "\n")
            if inspect.isclass(thing) and not issubclass(thing, BaseException):
                members = members_of(thing)
                if members:
                    out.append("\n".join(members) + "\n")
    out.append("## Plots\n")
    import cairn.plot as plot
    out.append("`cairn.plot` imports matplotlib when something is drawn; each function returns its axes.\n")
    out.append("\n".join(wrapped(f"`{signature(getattr(plot, n), n)}`: "
                                 + text_of(getattr(plot, n)).replace("\n", " "), "- ") for n in plot.__all__) + "\n")
    return "\n".join(out)


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(page())
    else:
        print(page(), end="")
