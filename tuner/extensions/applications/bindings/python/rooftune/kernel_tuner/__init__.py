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
import time
from datetime import datetime

try:
    import numpy
except ImportError as fault:
    raise ImportError("rooftune.kernel_tuner needs NumPy: apt-get install python3-numpy, or pip install numpy") from fault

from .. import _tune
from .._study import record_files, run_study, trial_bodies
from ._cache import records_of, simulated, write_cache
from ._compiler import Options, cxx_of, is_foreign
from ._cuda import EMULATED, CudaFolder
from ._faults import ArgumentError, Difference, tell
from ._folder import Folder, Sides
from ._results import (CompilationFailedConfig, ErrorConfig, InvalidConfig, Results, RuntimeFailedConfig,
                       create_device_targets, store_metadata_file, store_output_file, store_results,
                       with_json_suffix)
from ._rows import measure, row_of
from ._running import observe, outputs_of
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
    blocks = _block_names(block_size_names)
    _check_metrics(metrics, tune_params)
    goals = goals_of(objective, objective_higher_is_better, objectives, None if observers else metrics or {})
    space = Space(tune_params, restrictions, blocks)
    chosen = search_of(strategy, strategy_options, seed, space, goals)
    if cache is not None:
        cache = pathlib.Path(with_json_suffix(os.fspath(cache)))
    if simulation_mode:
        return simulated(cache, tune_params, space, chosen, metrics, goals)
    if cache is not None and cache.exists() and not records_of(cache).is_dir():
        raise ArgumentError("cache", f"{cache} is not from here: {records_of(cache)} is not beside it",
                            "times of another tuner are not mixed with these; name another file, or read it with "
                            "simulation_mode=True")
    if iterations != 7 and not observers:
        tell("iterations: Rooftune repeats a call until its interval is narrow, and takes no number for it")
    if parallel:
        tell("parallel: builds go on side by side anyway, and nothing runs beside a measurement")

    sides = Sides(problem_size, (grid_div_x, grid_div_y, grid_div_z), blocks)
    folder = _folder(kernel_name, kernel_source, arguments, space, sides, lang, compiler, compiler_options, defines,
                     device, smem_args, cmem_args, texmem_args)
    _warn_of(folder)
    observers = list(observers or [])
    if observers and folder.source.language == CUDA:
        raise ArgumentError("observers", "are called around kernels in C, C++ and Fortran alone")
    judged = verify or any(hasattr(one, "process_output") for one in observers)
    if judged or any(one.tunable for one in folder.arguments if one.is_array):
        folder.asks, folder.judge = bool(verify or not judged), identity(verify, answer)
    answered = take_answers(folder.arguments, answer, bool(verify))
    after = folder.called(space.first)
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
    results_folder = records_of(cache) if cache is not None else _tune.results_folder()
    place = folder.write(results_folder / "kernels", _work(work, traffic), _traffic(traffic, written),
                         {"relative": _RELATIVE, "absolute": float(atol)})
    # What Fortran does is in no assembly that `tune` could count.
    options = {**({"counters": "none"} if folder.source.language == FORTRAN else {}), **(tune_options or {})}
    words = ["--kernel", str(place), "--machine", folder.machine, *chosen.words, *_tune.options(options)]
    if folder.asks:
        verifier = Verifier(folder, place / "arguments", judge, answer)
    study = None
    with verifier:
        if folder.is_emulated:
            tell("device: emulated on this CPU: its results are the card's, its times are not and are left out (nan)")
            bodies = folder.emulated(place, chosen)
        else:
            study = run_study(words, results=str(results_folder), show=not quiet,
                              environment=folder.environment(place, compiler is not None))
            bodies = trial_bodies(record_files(study.path, study.document))
    rows = [row_of(body, space) for body in bodies if body["outcome"] != "pruned"]
    for row in rows:
        if folder.asks and row.get("error", "").startswith(f"wrong_result: array {folder.verdict}:"):
            row["error"] = "wrong_result: verify does not take it"
    late = None  # a fault that is told when nothing can be lost any more
    try:
        if observers:
            observe(folder, rows, observers, iterations, answer)
        measure(rows, metrics)
    except ArgumentError as raised:
        late = raised
    results = Results(rows, study)
    best = best_of(rows, goals) if study and not late else None
    if best and list(goals) == ["time"] and study.best:
        # The race decides, not the least of single times.
        raced = space.parameters_of(study.best.configuration)
        best = next((row for row in rows if all(row[name] == value for name, value in raced.items())), best)
    device_name = _processor() if folder.source.language != CUDA else study.machine if study else EMULATED
    env = {"device_name": device_name, "iterations": iterations, "compiler_options": compiler_options}
    if best:
        env["best_config"] = best
    for name in ("compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"):
        env[f"total_{name}"] = sum(row[name] for row in rows)
    env["overhead_time"] = (time.perf_counter() - started) * 1e3
    env["rooftune"] = {"folder": str(place), "restrictions_evaluated": space.evaluated}
    if study:
        env["rooftune"].update(study=study.id, headline=study.headline, page=str(study.page) if study.page else None,
                               bound=study.bound.seconds * 1e3 if study.bound else None,
                               gap=study.best.gap.value if study.best and study.best.gap else None)
    if cache is not None and study:
        write_cache(cache, kernel_name, problem_size, tune_params, rows, env)
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
    if not hasattr(params, "items"):
        raise ArgumentError("params", f"a dict is needed, not {type(params).__name__}")
    blocks = _block_names(block_size_names)
    space = Space({name: [value] for name, value in params.items()}, None, blocks)
    sides = Sides(problem_size, (grid_div_x, grid_div_y, grid_div_z), blocks)
    folder = _folder(kernel_name, kernel_source, arguments, space, sides, lang, compiler, compiler_options, defines,
                     device, smem_args, cmem_args, texmem_args)
    after = folder.called(space.first)
    return [after[one.position] if one.is_array else given for one, given in zip(folder.arguments, arguments)]


def _log(kernel_name, level):
    if level:
        logging.basicConfig(filename=kernel_name + datetime.now().strftime("%Y%m%d-%H:%M:%S") + ".log", level=level)


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


def _folder(kernel_name, kernel_source, arguments, space, sides, lang, compiler, compiler_options, defines, device,
            smem_args, cmem_args, texmem_args):
    source = Source(kernel_name, kernel_source, lang, compiler, space.first)
    on_card = source.language == CUDA
    for name, value in (("smem_args", smem_args), ("cmem_args", cmem_args), ("device", device == EMULATED)):
        if value and not on_card:
            raise ArgumentError(name, "is for kernels in CUDA")
    if texmem_args:
        raise ArgumentError("texmem_args", "is not supported", "pass the array as an argument")
    fortran, options, foreign = [], Options(compiler_options), is_foreign(compiler)
    if on_card:
        compiler = None
        sides_of_block = [name for name in space.block_names if name in space.by_name]
        if sides_of_block:
            space.add("*".join(sides_of_block) + " <= 1024")
    elif foreign:
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
    if on_card:
        shared = (smem_args or {}).get("size", 0)
        return CudaFolder(space, source, values, sides, defines, options, cxx, device,
                          shared if callable(shared) else lambda _: int(shared), cmem_args or {})
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


def _work(work, traffic):
    if work is not None and not hasattr(work, "items"):
        raise ArgumentError("work", 'a dict is needed: {"fp64": flops}')
    return {"least": dict(work or {}), "partial": work is None or traffic is None}


def _traffic(traffic, written):
    if traffic is None:
        return {"read": 0, "write": written, "footprint": written}
    if not hasattr(traffic, "items") or not {"read", "write"} <= set(traffic) <= {"read", "write", "footprint"}:
        raise ArgumentError("traffic", 'a dict is needed: {"read": bytes, "write": bytes}')
    return {"footprint": max(traffic["read"], traffic["write"]), **traffic}


def _processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            named = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
        if named:
            return named[0]
    except OSError:
        pass
    return platform.processor() or platform.machine()
