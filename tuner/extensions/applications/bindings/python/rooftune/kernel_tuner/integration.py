"""Names of Kernel Tuner's module integration."""

from ._results import create_device_targets, store_results  # noqa: F401
