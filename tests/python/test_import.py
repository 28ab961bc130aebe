"""Importing is cheap and brings nothing along."""
import subprocess
import sys


def test_import_brings_no_plots_tables_or_bars():
    script = ("import numpy, sys; before = set(sys.modules); import cairn; new = set(sys.modules) - before; "
              "print(sorted(m for m in new if m.split('.')[0] in "
              "('matplotlib', 'pandas', 'tqdm', 'scipy', 'IPython', 'webbrowser')))")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_extension_is_on_the_limited_api():
    import cairn._core
    assert cairn._core.__file__.endswith("_core.abi3.so")
    names = subprocess.run(["nm", "-D", "--undefined-only", cairn._core.__file__], capture_output=True, text=True,
                           check=True).stdout
    used = {line.split()[-1].split("@")[0] for line in names.splitlines()}
    stable = ("_Py_NoneStruct", "_Py_TrueStruct", "_Py_FalseStruct", "_Py_Dealloc")
    private = {name for name in used if name.startswith("_Py") and name not in stable and not name.endswith("_SizeT")}
    assert private == set()
    exported = subprocess.run(["nm", "-D", "--defined-only", cairn._core.__file__], capture_output=True, text=True,
                              check=True).stdout
    assert [line.split()[-1] for line in exported.splitlines()] == ["PyInit__core"]
