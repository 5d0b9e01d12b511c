"""Kernel Tuner's interface on Rooftune: the same script, and beside its results the bound, the claims and a page.

    from rooftune.kernel_tuner import tune_kernel       # instead of: from kernel_tuner import tune_kernel
    results, env = tune_kernel("vector_add", source, size, [c, a, b, n], {"nthreads": [1, 2, 4]})
    results.study.bound, results.study.best, results.study.page

docs/python.md says what differs; an argument that is not supported raises ArgumentError, which names it.
"""

import contextlib
import difflib
import functools
import inspect
import json
import logging
import os
import pathlib
import platform
import random
import time
from datetime import datetime

try:
    import numpy
except ImportError as fault:
    raise ImportError("rooftune.kernel_tuner needs NumPy: apt-get install python3-numpy, or pip install numpy") from fault

from .. import _tune
from .._recording import Recording
from .._study import record_files, run_study, trial_bodies
from ._compiler import Options, cxx_of, is_foreign
from ._faults import ArgumentError, Difference, tell
from ._folder import Folder, Sides
from ._results import (CompilationFailedConfig, ErrorConfig, InvalidConfig, Results, RuntimeFailedConfig,
                       create_device_targets, json_value, store_metadata_file, store_output_file, store_results,
                       with_json_suffix)
from ._running import called, observe, outputs_of
from ._search import best_of, goals_of, search_of
from ._source import C, CUDA, FORTRAN, Source
from ._space import Space
from ._values import arguments_of, take_answers
from ._verify import Verifier, fault_of, identity, normal

__all__ = ["ArgumentError", "CompilationFailedConfig", "Difference", "ErrorConfig", "InvalidConfig", "Results",
           "RuntimeFailedConfig", "create_device_targets", "run_kernel", "store_metadata_file", "store_output_file",
           "store_results", "tune_cache", "tune_kernel"]

_RELATIVE = 1e-5      # of numpy.allclose, by which Kernel Tuner compares
_BLOCKS = ("block_size_x", "block_size_y", "block_size_z")


def _named(function):
    """An argument that the function does not have raises ArgumentError."""
    known = inspect.signature(function).parameters

    @functools.wraps(function)
    def checked(*given, **named):
        for name in named:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                raise ArgumentError(name, f"is no argument of {function.__name__}", f"did you mean {near[0]}?" if near else "")
        return function(*given, **named)
    return checked


@_named
def tune_kernel(kernel_name, kernel_source, problem_size, arguments, tune_params, grid_div_x=None, grid_div_y=None,
                grid_div_z=None, restrictions=None, answer=None, atol=1e-6, verify=None, verbose=False, lang=None,
                device=0, platform=0, smem_args=None, cmem_args=None, texmem_args=None, compiler=None,
                compiler_options=None, defines=None, log=None, iterations=7, block_size_names=None, quiet=False,
                strategy=None, strategy_options=None, cache=None, metrics=None, simulation_mode=False, parallel=None,
                observers=None, objective=None, objective_higher_is_better=None, objectives=None, seed=None, *, work=None,
                traffic=None, tune_options=None):
    """Tunes a kernel as Kernel Tuner's tune_kernel does: (list of dicts, dict), with `.study` at the list.

    Beyond Kernel Tuner's arguments: work={"fp32": flops} and traffic={"read": bytes, "write": bytes} of one call, the
    least that any variant needs, for the bound; without them only the bytes count that every right variant writes.
    tune_options: further options of `tune`, by name. Raises ArgumentError, or RooftuneError where `tune` fails.
    """
    started = time.perf_counter()
    _log(kernel_name, log)
    _refuse(smem_args=smem_args, cmem_args=cmem_args, texmem_args=texmem_args)
    blocks = _block_names(block_size_names)
    _check_metrics(metrics, tune_params)
    goals = goals_of(objective, objective_higher_is_better, objectives, None if observers else metrics or {})
    space = Space(tune_params, restrictions, blocks)
    chosen = search_of(strategy, strategy_options, seed, space, goals)
    if cache is not None:
        cache = pathlib.Path(with_json_suffix(os.fspath(cache)))
    if simulation_mode:
        return _simulated(cache, tune_params, space, chosen, metrics, goals)
    if cache is not None and cache.exists() and not _records_of(cache).is_dir():
        raise ArgumentError("cache", f"{cache} is not from here: {_records_of(cache)} is not beside it",
                            "times of another tuner are not mixed with these; name another file, or read it with "
                            "simulation_mode=True")
    if iterations != 7 and not observers:
        tell("iterations: Rooftune repeats a call until its interval is narrow, and takes no number for it")
    if parallel:
        tell("parallel: builds go on side by side anyway, and nothing runs beside a measurement")

    sides = Sides(problem_size, (grid_div_x, grid_div_y, grid_div_z), blocks)
    folder = _folder(kernel_name, kernel_source, arguments, space, sides, lang, compiler, compiler_options, defines)
    _warn_of(folder)
    observers = list(observers or [])
    judged = verify or any(hasattr(one, "process_output") for one in observers)
    if judged or any(one.tunable for one in folder.arguments if one.is_array):
        folder.asks, folder.judge = bool(verify or not judged), identity(verify, answer)
    answered = take_answers(folder.arguments, answer)
    after = called(folder, space.first)
    for one in folder.arguments:
        if one.is_array:
            one.changed(after[one.position], answered)
            if folder.asks is not None and one.role == "output" and one.answer is None:
                one.answer = after[one.position]
    outputs = [one for one in folder.arguments if one.role == "output"]
    verifier = contextlib.nullcontext()
    if folder.asks:
        judge = normal(verify, answer, atol)
        try:
            judge(outputs_of(folder, after, answer))
        except Exception as fault:
            raise fault_of(fault) from fault
    if not outputs and folder.asks is None:
        raise ArgumentError("arguments", f"a call of {kernel_name} changes none of them, so no result can be compared")
    written = sum(one.written_bytes(after[one.position]) for one in folder.arguments
                  if one.role == "output" or one.tunable)
    results_folder = _records_of(cache) if cache is not None else _tune.results_folder()
    place = folder.write(results_folder / "kernels", _work(work), _traffic(traffic, written),
                         {"relative": _RELATIVE, "absolute": float(atol)})
    # What Fortran does is in no assembly that `tune` could count.
    options = {**({"counters": "none"} if folder.source.language == FORTRAN else {}), **(tune_options or {})}
    words = ["--kernel", str(place), "--machine", "host", *chosen.words, *_tune.options(options)]
    if folder.asks:
        verifier = Verifier(folder, place / "arguments", judge, answer)
    with verifier:
        study = run_study(words, results=str(results_folder), show=not quiet,
                          environment=folder.environment(place, compiler is not None))

    bodies = trial_bodies(record_files(study.path, study.document))
    rows = [_row(body, space) for body in bodies if body["outcome"] != "pruned"]
    for row in rows:
        if folder.asks and row.get("error", "").startswith(f"wrong_result: array {folder.verdict}:"):
            row["error"] = "wrong_result: verify does not take it"
    late = None  # a fault that is told when nothing can be lost any more
    try:
        if observers:
            observe(folder, rows, observers, iterations, answer)
        _measure(rows, metrics)
    except ArgumentError as raised:
        late = raised
    results = Results(rows, study)
    best = None if late else best_of(rows, goals)
    if best and list(goals) == ["time"] and study.best:
        # The race decides, not the least of single times.
        raced = space.parameters_of(study.best.configuration)
        best = next((row for row in rows if all(row[name] == value for name, value in raced.items())), best)
    env = {"device_name": _processor(), "iterations": iterations, "compiler_options": compiler_options}
    if best:
        env["best_config"] = best
    for name in ("compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"):
        env[f"total_{name}"] = sum(row[name] for row in rows)
    env["overhead_time"] = (time.perf_counter() - started) * 1e3
    env["rooftune"] = {"study": study.id, "headline": study.headline, "folder": str(place),
                       "page": str(study.page) if study.page else None,
                       "bound": study.bound.seconds * 1e3 if study.bound else None,
                       "gap": study.best.gap.value if study.best and study.best.gap else None,
                       "restrictions_evaluated": space.evaluated}
    if cache is not None:
        _write_cache(cache, kernel_name, problem_size, tune_params, rows, env)
    if late:
        raise late
    return results, env


def tune_cache(cache_path, restrictions=None, **more):
    """The rows of a cachefile as a call of tune_kernel with simulation_mode gives them; what is tuned stands in the file."""
    try:
        recorded = json.loads(pathlib.Path(with_json_suffix(os.fspath(cache_path))).read_text(encoding="utf-8"))
        told = {"kernel_name": recorded["kernel_name"], "problem_size": recorded["problem_size"],
                "tune_params": recorded["tune_params"]}
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise ArgumentError("cache_path", f"{cache_path} is no cachefile: {type(fault).__name__} {fault}") from fault
    return tune_kernel(**{"kernel_source": "", "arguments": [], **told, **more}, cache=cache_path,
                       restrictions=restrictions, simulation_mode=True)


@_named
def run_kernel(kernel_name, kernel_source, problem_size, arguments, params, grid_div_x=None, grid_div_y=None,
               grid_div_z=None, lang=None, device=0, platform=0, smem_args=None, cmem_args=None, texmem_args=None,
               compiler=None, compiler_options=None, defines=None, block_size_names=None, quiet=False, log=None):
    """Builds and calls one configuration once, as Kernel Tuner's run_kernel does: all arguments after the call.

    The call is in a process of its own: one that crashes raises RooftuneError.
    """
    _log(kernel_name, log)
    _refuse(smem_args=smem_args, cmem_args=cmem_args, texmem_args=texmem_args)
    if not hasattr(params, "items"):
        raise ArgumentError("params", f"a dict is needed, not {type(params).__name__}")
    blocks = _block_names(block_size_names)
    space = Space({name: [value] for name, value in params.items()}, None, blocks)
    sides = Sides(problem_size, (grid_div_x, grid_div_y, grid_div_z), blocks)
    folder = _folder(kernel_name, kernel_source, arguments, space, sides, lang, compiler, compiler_options, defines)
    after = called(folder, space.first)
    return [after[one.position] if one.is_array else given for one, given in zip(folder.arguments, arguments)]


def _log(kernel_name, level):
    if level:
        logging.basicConfig(filename=kernel_name + datetime.now().strftime("%Y%m%d-%H:%M:%S") + ".log", level=level)


def _refuse(**unsupported):
    for name, value in unsupported.items():
        if value:
            raise ArgumentError(name, "is not supported")


def _block_names(names):
    if names is None:
        return _BLOCKS
    if isinstance(names, str) or not all(isinstance(one, str) for one in names) or len(names) > 3:
        raise ArgumentError("block_size_names", f"a list of at most three names is needed, not {names!r}")
    return (*names, *_BLOCKS[len(names):])


def _check_metrics(metrics, tune_params):
    if metrics is None:
        return
    if not hasattr(metrics, "items"):
        raise ArgumentError("metrics", f"a dict is needed, not {type(metrics).__name__}")
    for name, metric in metrics.items():
        if not callable(metric) and not isinstance(metric, str):
            raise ArgumentError("metrics", f"{name} is neither a text nor a function")
        if name in tune_params or name == "time":
            raise ArgumentError("metrics", f"{name} is already the name of something else")


def _folder(kernel_name, kernel_source, arguments, space, sides, lang, compiler, compiler_options, defines):
    source = Source(kernel_name, kernel_source, lang, compiler, space.first)
    if source.language == CUDA:
        raise ArgumentError("lang", "CUDA is not supported yet from Python",
                            "a T1 file and its source become a kernel folder by tune import --format kernel")
    fortran, options, foreign = [], Options(compiler_options), is_foreign(compiler)
    if foreign:
        compiler = "gfortran" if source.language == FORTRAN else "g++"
        tell(f"compiler: {foreign} is not used: {compiler} compiles, directives run on this CPU"
             + (f", and {' '.join(options.foreign)} has no effect" if options.foreign else ""))
    elif options.foreign:
        raise ArgumentError("compiler_options", f"{options.foreign[0]} is not supported",
                            "-O, -f, -m, -D, -I, -L, -l and -W are")
    if source.accelerates:
        options.words.append("-fopenacc")
    if source.language == FORTRAN:
        fortran = [compiler or "gfortran"]
        if not pathlib.PurePath(fortran[0]).name.startswith("gfortran"):
            raise ArgumentError("compiler", f"{compiler} is not supported for Fortran", "gfortran is")
    cxx = cxx_of(compiler if source.language == C or compiler else None)
    if fortran:
        cxx_of(fortran[0])  # whether it is there
    count = len(arguments) if hasattr(arguments, "__len__") else 0
    values = arguments_of(arguments, source.argument_names(count))
    for one in values:
        if one.tunable:
            one.array = one.of(space.first)
    return Folder(space, source, values, sides, defines, options, cxx, fortran)


def _warn_of(folder):
    """The differences that a user would not see in the results."""
    name = folder.source.name
    if folder.source.returns_float:
        tell(f"{name} returns a number, for Kernel Tuner its time; Rooftune times the whole call by its own "
             "clock, and takes no figure that it cannot check")
    if folder.source.offloads:
        tell(f"{name} has directives for a device (omp target): they run on this CPU")
    if folder.source.accelerates:
        tell(f"{name} has OpenACC, which GCC runs with one thread on a CPU: its clauses change nothing")
    if folder.space.evaluated:
        tell("restrictions: no expression was made of these, so they were asked about every configuration: "
             + "; ".join(folder.space.evaluated))


def _work(work):
    if work is None:
        return {"least": {}}
    if not hasattr(work, "items"):
        raise ArgumentError("work", 'a dict is needed: {"fp64": flops}')
    return {"least": dict(work)}


def _traffic(traffic, written):
    if traffic is None:
        return {"read": 0, "write": written, "footprint": written}
    if not hasattr(traffic, "items") or not {"read", "write"} <= set(traffic) <= {"read", "write", "footprint"}:
        raise ArgumentError("traffic", 'a dict is needed: {"read": bytes, "write": bytes}')
    return {"footprint": max(traffic["read"], traffic["write"]), **traffic}


_FAILURES = {"build_failed": CompilationFailedConfig, "wrong_result": RuntimeFailedConfig}


def _row(body, space):
    """A trial in Kernel Tuner's form: times in milliseconds."""
    cost = {name: 1e3 * (body.get("cost") or {}).get(name, 0) for name in ("build", "validate", "time", "total")}
    row = space.parameters_of(body["configuration"])
    measured = body.get("measurement")
    if measured and body["outcome"] in ("ok", "unstable"):
        row["time"] = measured["seconds"]["value"] * 1e3
        row["times"] = [sample[0] * 1e3 for sample in measured["samples"]]
    else:
        row["time"] = _FAILURES.get(body["outcome"], RuntimeFailedConfig)()
        row["times"] = []
        row["error"] = f"{body['outcome']}: {body.get('detail', '')}"
    row.update(compile_time=cost["build"], verification_time=cost["validate"], benchmark_time=cost["time"],
               strategy_time=0.0, framework_time=max(0.0, cost["total"] - cost["build"] - cost["validate"] - cost["time"]),
               timestamp=body.get("started", ""))
    return row


def _measure(rows, metrics):
    """Adds the metrics to the rows that ran; a text is an expression over the row."""
    for row in rows:
        if isinstance(row["time"], ErrorConfig):
            continue
        for name, metric in (metrics or {}).items():
            try:
                row[name] = metric(row) if callable(metric) else eval(metric, {}, row)  # noqa: S307
            except Exception as fault:
                raise ArgumentError("metrics", f"{name} raises {type(fault).__name__}: {fault}") from fault


def _processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            named = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
        if named:
            return named[0]
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _records_of(cache):
    """The records behind a cache file: the same call goes on from them."""
    return cache.with_name(cache.name[:-len(".json")] + ".rooftune")


def _write_cache(cache, kernel_name, problem_size, tune_params, rows, env):
    document = {"device_name": env["device_name"], "kernel_name": kernel_name,
                "problem_size": problem_size if not callable(problem_size) else "",
                "tune_params_keys": list(tune_params),
                "tune_params": {name: list(values) for name, values in tune_params.items()},
                "objective": "time",
                "cache": {",".join(str(row[name]) for name in tune_params): row for row in rows}}
    temporary = cache.with_name(cache.name + ".part")
    temporary.write_text(json.dumps(document, default=json_value), encoding="utf-8")
    os.replace(temporary, cache)


def _simulated(cache, tune_params, space, chosen, metrics, goals):
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
    _measure(rows, metrics)
    best = best_of(rows, goals)
    env = {"device_name": "", "simulation": str(cache)}
    if best:
        env["best_config"] = best
    return Results(rows, None), env
