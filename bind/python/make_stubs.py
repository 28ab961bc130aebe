"""Makes scene.pyi and _keys.py from the tables of the scene format, at the end of a build.

    make_stubs.py CORE SCENE OUT      CORE is the extension, SCENE the file scene.py, OUT the package's folder

The stub lists the keys of scene files as keywords, for editors; _keys.py has them for help().
"""
import ast
import importlib.machinery
import importlib.util
import json
import sys
from pathlib import Path

# Methods of Scene whose **keys are those of a definition of the schema.
METHODS = {"body": "body", "ground": "body", "joint": "joint", "contact": "contact", "material": "material",
           "force": "force", "motion": "motion", "control": "control", "spheres": "table", "boxes": "table",
           "copies": "table"}
SAID = {"contact": {"between"}, "joint": {"kind", "bodies"}, "spheres": {"rows", "file"}, "boxes": {"rows", "file"},
        "copies": {"rows", "file"}, "ground": {"shape", "fixed"}}  # by other arguments
TYPES = {"number": "float", "integer": "int", "string": "str", "boolean": "bool"}


def schema_of(core):
    """The JSON Schema, from the extension alone."""
    loader = importlib.machinery.ExtensionFileLoader("cairn._core", core)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("cairn._core", loader))
    loader.exec_module(module)
    return json.loads(module.scene_schema())


def type_of(entry):
    """The annotation for a key; lists and maps may be numpy arrays and what not."""
    kind = entry.get("type")
    return TYPES.get(kind, "Any") if isinstance(kind, str) else "Any"


def keys_of(schema, method):
    """(key, annotation, description) of what a method takes by its **keys."""
    return [(key, type_of(entry), entry.get("description", ""))
            for key, entry in schema["definitions"][METHODS[method]]["properties"].items()
            if key not in SAID.get(method, ())]


def signature(function, schema, in_class):
    """The definition of a function without its body, its **keys written out."""
    args = function.args
    taken = {a.arg for a in args.args + args.kwonlyargs}
    known = keys_of(schema, function.name) if in_class and function.name in METHODS and args.kwarg else []
    for key, annotation, _ in known:
        if key not in taken and key.isidentifier():
            args.kwonlyargs.append(ast.arg(key, ast.parse(annotation, mode="eval").body))
            args.kw_defaults.append(ast.Constant(...))
    if known:
        args.kwarg = None
    function.body = [ast.Expr(ast.Constant(...))]
    return function


def stub_of(source, schema):
    """The text of scene.pyi."""
    tree = ast.parse(source)
    body = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            body.append(signature(node, schema, False))
        elif isinstance(node, ast.ClassDef):
            members = [signature(m, schema, True) for m in node.body if isinstance(m, ast.FunctionDef)]
            fields = [m for m in node.body if isinstance(m, ast.AnnAssign)]
            aliases = [m for m in node.body if isinstance(m, ast.Assign)]
            node.body = fields + attributes_of(node, source) + members + aliases
            body.append(node)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            body.append(node)
        elif isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            body += [part for part in node.body if isinstance(part, (ast.Import, ast.ImportFrom))]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in ("__all__", "Place"):
                body.append(node)
            else:
                body.append(ast.AnnAssign(node.targets[0], ast.Name("Any"), None, 1))
    tree.body = body
    return "# Made by make_stubs.py.\n" + ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def attributes_of(node, source):
    """Attributes that methods set on self with an annotation, or at all."""
    found = {}
    original = next(n for n in ast.parse(source).body if isinstance(n, ast.ClassDef) and n.name == node.name)
    properties = {m.name for m in original.body if isinstance(m, ast.FunctionDef)}
    for part in ast.walk(original):
        target = part.target if isinstance(part, ast.AnnAssign) else None
        targets = part.targets if isinstance(part, ast.Assign) else [target]
        for t in targets:
            if isinstance(t, ast.Attribute) and isinstance(t.value, ast.Name) and t.value.id == "self":
                annotation = part.annotation if isinstance(part, ast.AnnAssign) else ast.Name("Any")
                if t.attr not in properties and (t.attr not in found or isinstance(part, ast.AnnAssign)):
                    found[t.attr] = annotation
    return [ast.AnnAssign(ast.Name(name), annotation, None, 1) for name, annotation in found.items()]


def main():
    core, scene, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    schema = schema_of(core)
    keys = {name: [(key, text) for key, _, text in keys_of(schema, name)] for name in METHODS}
    (out / "scene.pyi").write_text(stub_of(scene.read_text(), schema))
    (out / "_keys.py").write_text('"""The keys of scene files, by the method of Scene that takes them."""\nfrom __future__ '
                                  f"import annotations\n\nKEYS: dict[str, list[tuple[str, str]]] = {keys!r}\n")


main()
