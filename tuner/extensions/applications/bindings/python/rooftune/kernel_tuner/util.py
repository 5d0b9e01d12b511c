"""Kernel Tuner's module util: the markers of configurations that failed, and words for the others."""

import math

from ._results import CompilationFailedConfig, ErrorConfig, InvalidConfig, RuntimeFailedConfig  # noqa: F401


def get_best_config(results, objective, objective_higher_is_better=False):
    """The row with the best figure; a row that failed has none."""
    sign = -1 if objective_higher_is_better else 1
    return min(results, key=lambda row: math.inf if isinstance(row[objective], ErrorConfig) else sign * row[objective])


def get_config_string(params, keys=None, units=None):
    """"block_size_x=64, time=0.1ms": of some keys, by default all."""
    return ", ".join(f"{name}={value}{(units or {}).get(name, '')}" for name, value in params.items()
                     if keys is None or name in keys)


def get_instance_string(params):
    return "_".join(str(value) for value in params.values())
