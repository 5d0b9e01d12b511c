"""Cachefiles: written at the end of a study, and simulated."""

import json
import os
import random

from .._recording import Recording
from ._faults import ArgumentError
from ._results import CompilationFailedConfig, InvalidConfig, Results, RuntimeFailedConfig, json_value
from ._rows import measure
from ._search import best_of


def records_of(cache):
    """The records behind a cache file: the same call goes on from them."""
    return cache.with_name(cache.name[:-len(".json")] + ".rooftune")


def write_cache(cache, kernel_name, problem_size, tune_params, rows, env):
    document = {"device_name": env["device_name"], "kernel_name": kernel_name,
                "problem_size": problem_size if not callable(problem_size) else "",
                "tune_params_keys": list(tune_params),
                "tune_params": {name: list(values) for name, values in tune_params.items()},
                "objective": "time",
                "cache": {",".join(str(row[name]) for name in tune_params): row for row in rows}}
    temporary = cache.with_name(cache.name + ".part")
    temporary.write_text(json.dumps(document, default=json_value), encoding="utf-8")
    os.replace(temporary, cache)


def simulated(cache, tune_params, space, chosen, metrics, goals):
    """The rows of a cache file of Kernel Tuner, as its simulation gives them."""
    if cache is None:
        raise ArgumentError("cache", "simulation_mode needs the file to simulate")
    if chosen.name not in ("exhaustive", "random"):
        raise ArgumentError("strategy", f"{chosen.name} is not simulated here",
                            f"rooftune.open({str(cache)!r}).replay({chosen.name!r}) compares strategies on recordings")
    rows = []
    for result in Recording(cache).results:
        row = dict(result["configuration"])
        unknown = [name for name in tune_params if name not in row]
        if unknown:
            raise ArgumentError("cache", f"{cache} has no parameter {', '.join(unknown)}: it is of another kernel")
        if any(row[one.name] not in one.values for one in space.parameters) or not space.allows(
                {one.name: row[one.name] for one in space.parameters}):
            continue
        times = result["times"]
        for measured in result["measurements"]:
            row[measured["name"]] = measured["value"]
        if not isinstance(row.get("time"), (int, float)):
            row["time"] = {"compile": CompilationFailedConfig, "constraints": InvalidConfig}.get(
                result.get("invalidity"), RuntimeFailedConfig)()
        row.update(times=times.get("runtimes", []), compile_time=times.get("compilation_time", 0),
                   verification_time=times.get("validation", 0), benchmark_time=times.get("benchmark", 0),
                   strategy_time=times.get("search_algorithm", 0), framework_time=times.get("framework", 0),
                   timestamp=result.get("timestamp", ""))
        rows.append(row)
    if chosen.name == "random":
        rows = random.Random(chosen.seed).sample(rows, min(len(rows), chosen.evaluations))
    rows = rows[:chosen.evaluations]
    measure(rows, metrics)
    best = best_of(rows, goals)
    env = {"device_name": "", "simulation": str(cache)}
    if best:
        env["best_config"] = best
    return Results(rows, None), env
