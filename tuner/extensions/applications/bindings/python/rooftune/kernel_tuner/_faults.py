"""Faults of a call, with the argument's name."""

import pathlib
import sys
import warnings

from .._tune import RooftuneError


class ArgumentError(RooftuneError, ValueError):
    """An argument at fault, or one that Rooftune does not support. argument: its name."""

    def __init__(self, argument, message, hint=""):
        super().__init__(f"{argument}: {message}" + (f"\nhint: {hint}" if hint else ""), hint=hint)
        self.argument = argument


class Difference(UserWarning):
    """Where a call means something else than in Kernel Tuner."""


def tell(text):
    """Warns of a Difference, at the line of the script."""
    level, frame, here = 2, sys._getframe(1), str(pathlib.Path(__file__).parent)
    while frame.f_back and frame.f_code.co_filename.startswith(here):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, Difference, stacklevel=level)
