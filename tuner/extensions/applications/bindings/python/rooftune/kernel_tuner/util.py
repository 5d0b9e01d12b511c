"""Names of Kernel Tuner's module util."""

from ._results import CompilationFailedConfig, ErrorConfig, InvalidConfig, RuntimeFailedConfig  # noqa: F401
