"""Faults of a call, with the argument's name."""

from .._tune import RooftuneError


class ArgumentError(RooftuneError, ValueError):
    """An argument at fault, or one that Rooftune does not support. argument: its name."""

    def __init__(self, argument, message, hint=""):
        super().__init__(f"{argument}: {message}" + (f"\nhint: {hint}" if hint else ""), hint=hint)
        self.argument = argument


class Difference(UserWarning):
    """Where a call means something else than in Kernel Tuner."""
