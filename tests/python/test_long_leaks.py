"""Memory over many scenes, errors and changes, as long as the design asks: at most 1 MB more."""
import sys

import pytest
from conftest import ball_scene
from test_leaks import a_simulation, an_error, growth

import cairn

SIM = cairn.Sim(ball_scene())


def a_change():
    body = SIM.add_body(cairn.sphere(0.1), position=[3, 0, 1])
    SIM.model.names, SIM.ray([0, 0, 5], [0, 0, -1]), SIM.overlaps(cairn.sphere(9))
    SIM.remove(body)


def fill_interned():
    """Python's table of interned strings, at the size that it keeps.

    Keys of dicts made in C are interned and forgotten with the dict. The table drops what was forgotten only when it is
    full, and then takes room for three times what is left: one block of 961216 bytes (a dict of strings with 2^16
    places: 32 + 2^18 + 43690*16) that tracemalloc shows at whoever comes by then. There is one, however much is
    made after it.
    """
    for i in range(100000):
        sys.intern(f"a string of no use {i}")


@pytest.mark.parametrize("work, count", [(a_simulation, 10000), (an_error, 10000)])
def test_memory_does_not_grow_over_ten_thousand(work, count):
    fill_interned()
    assert growth(work, 300, count) <= 1 << 20


def test_changes_leave_nothing_but_their_journal():
    start = SIM.save()

    def work():
        a_change()
        SIM.restore(start)
    assert growth(work, 200, 1000) <= 1 << 20
