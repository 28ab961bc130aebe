"""Exceptions and warnings. Whatever goes wrong in the library becomes one of these, with its place and a hint.

>>> try:
...     cairn.Sim(cairn.Scene())
... except cairn.SceneError as error:
...     print(error.message)
there are no bodies
"""
from __future__ import annotations

import operator
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import _core

__all__ = ["Error", "SceneError", "ArgumentError", "UnsupportedError", "NumericError", "Warning"]


class Error(Exception):
    """What the library refused or could not do.

    `message` is one sentence, `hint` what to try (or ""), `file`, `line` and `column` the place (line 0: none), and
    `path` the entry of a scene that it is about, as "bodies[3]".
    """

    def __init__(self, message: str, *, file: str = "", line: int = 0, column: int = 0, hint: str = "",
                 path: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.hint = hint
        self.path = path

    def __str__(self) -> str:
        place = self.file
        if self.line:
            place += f":{self.line}"
            if self.column:
                place += f":{self.column}"
        parts = [part for part in (place, self.path) if part]
        return ": ".join(parts + [self.message]) + (f"; {self.hint}" if self.hint else "")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message,), self.__dict__


class SceneError(Error, ValueError):
    """A scene, run or problem is not valid; the place leads to the line of the file or script that says so."""


class ArgumentError(Error, ValueError):
    """A value was given that the function does not take."""


class UnsupportedError(Error, NotImplementedError):
    """What was asked for is legal, and this build or method cannot do it."""


class NumericError(Error, ArithmeticError):
    """A computation failed. `report` is that of the last good step, whose state the simulation has."""

    report: _core.Report | None = None


class Warning(UserWarning):  # noqa: A001 - cairn.Warning, as the builtin one is a base of it
    """What the library warns of, such as a friction coefficient above 5."""


def floats(values: Any, name: str) -> Any:
    """Numbers as a contiguous array of doubles; ArgumentError for what are not real numbers."""
    import numpy as np
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ArgumentError(f"{name} must be numbers: {error}") from None
    if array.dtype.kind not in "fiub" and array.size:
        what = type(values).__name__ if array.ndim == 0 else array.dtype.name
        raise ArgumentError(f"{name} must be real numbers, not {what}")
    return np.ascontiguousarray(array, dtype=np.float64) if array.ndim else np.float64(array)


def number(value: Any, name: str) -> float:
    """One real number; ArgumentError for texts, lists and what is no number."""
    if isinstance(value, (str, bytes)):
        raise ArgumentError(f"{name} must be a number, not {value!r}", hint="what stands in quotes is text")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} must be a number, not {type(value).__name__}") from None


def whole(value: Any, name: str) -> int:
    """One whole number."""
    try:
        return operator.index(value)
    except TypeError:
        raise ArgumentError(f"{name} must be a whole number, not {value!r}") from None


# The numbers of cn_status.
_CLASSES: dict[int, type[Error]] = {1: ArgumentError, 4: SceneError, 5: UnsupportedError, 6: NumericError}
_MEMORY, _IO, _CANCELLED = 2, 3, 7


def make(status: int, message: str, file: str, line: int, column: int, hint: str) -> BaseException:
    """The exception for an error of the library; called by the extension."""
    if status == _MEMORY:
        return MemoryError(message)
    if status == _CANCELLED:
        return KeyboardInterrupt()
    if status == _IO:
        text = message + (f"; {hint}" if hint else "")
        if file and not os.path.exists(file) and "no such" in message.lower():
            return FileNotFoundError(2, text, file)
        return OSError(5, text, file) if file else OSError(text)
    kind = _CLASSES.get(status, Error)
    return kind(message, file=file, line=line, column=column, hint=hint)


