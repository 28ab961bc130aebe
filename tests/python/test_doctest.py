"""The examples in the docstrings."""
import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import cairn

MODULES = ["cairn"] + [f"cairn.{m.name}" for m in pkgutil.iter_modules(cairn.__path__) if m.name != "_core"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name, tmp_path):
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs={"cairn": cairn, "np": np, "tmp": tmp_path})
    assert result.failed == 0


def test_examples_of_the_extension(tmp_path):
    tests = []
    for kind in (cairn.Sim.__mro__[1], cairn.Report):
        for name, member in vars(kind).items():
            text = getattr(member, "__doc__", None)
            if text and ">>>" in text:
                tests.append(doctest.DocTestParser().get_doctest(text, {"cairn": cairn, "np": np, "tmp": tmp_path},
                                                                 name, None, 0))
    assert len(tests) >= 2
    for test in tests:
        assert doctest.DocTestRunner().run(test).failed == 0


def test_everything_public_has_a_docstring():
    missing = []
    for name in cairn.__all__:
        thing = getattr(cairn, name)
        if callable(thing) and not (thing.__doc__ or "").strip():
            missing.append(name)
        if isinstance(thing, type):
            missing += [f"{name}.{key}" for key, member in vars(thing).items()
                        if not key.startswith("_") and (callable(member) or isinstance(member, property))
                        and not (member.__doc__ or "").strip()]
    assert missing == []


def test_reference_is_that_of_the_docstrings(source):
    """tools/python_docs.sh renews it."""
    import subprocess
    import sys
    made = subprocess.run([sys.executable, source / "tools/python_reference.py"], capture_output=True, text=True,
                          check=True).stdout
    assert made == (source / "docs/reference/python.md").read_text()
