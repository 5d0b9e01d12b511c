"""One configuration built and called by Python itself, in a process of its own; observers around its calls."""

import contextlib
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import types

import numpy

from .. import _tune
from ._faults import ArgumentError
from ._results import ErrorConfig


def called(folder, configuration):
    """The arrays after one call of a configuration, by the positions of their arguments. Raises RooftuneError."""
    with _built(folder, configuration) as (place, words):
        _ended(folder, configuration, subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                                     errors="replace", check=False))
        return _arrays(folder, configuration, place)


def observe(folder, rows, observers, iterations, answer):
    """Adds to each row that ran what the observers say: they are around calls of its configuration in a process of its
    own, after the study, since nothing else runs while Rooftune measures."""
    told = {"device": 0, "platform": 0, "compiler": None, "lang": folder.source.language}
    device = types.SimpleNamespace(name="", iterations=iterations, last_result=None, observers=observers)
    observers = [one if hasattr(one, "get_results") else _asked(one, one, told) for one in observers]
    for one in observers:
        _asked(one, one.register_device, device)
    for row in rows:
        if isinstance(row["time"], ErrorConfig):
            continue
        configuration, device.last_result = {name: row[name] for name in folder.space.by_name}, row["time"]
        for one in observers:
            _asked(one, one.register_configuration, configuration)
        _observed(folder, configuration, observers, iterations, answer)
        for one in observers:
            row.update(_asked(one, one.get_results))


def _asked(observer, method, *given):
    try:
        return method(*given)
    except Exception as fault:
        raise ArgumentError("observers", f"{type(observer).__name__} raises {type(fault).__name__}: {fault}",
                            "all measurements are kept; the same call goes on from them") from fault


def _observed(folder, configuration, observers, iterations, answer):
    with _built(folder, configuration) as (place, words), contextlib.ExitStack() as open_ends:
        begin, told = os.pipe(), os.pipe()
        for end in (*begin, *told):
            open_ends.callback(os.close, end)
        child = open_ends.enter_context(subprocess.Popen(
            [*words, str(begin[0]), str(told[1])], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", pass_fds=(begin[0], told[1])))
        for iteration in range(iterations):
            for one in observers:
                _asked(one, one.before_start)
            os.write(begin[1], b"1")
            for one in observers:
                _asked(one, one.after_start)
            while not select.select([told[0]], [], [], 0)[0] and child.poll() is None:
                for one in observers:
                    _asked(one, one.during)
            if child.poll() is not None:
                break
            os.read(told[0], 1)
            for one in observers:
                _asked(one, one.after_finish)
            if iteration == 0:
                after = _arrays(folder, configuration, place)
                for one in observers:
                    if hasattr(one, "process_output"):
                        _asked(one, one.process_output, answer, outputs_of(folder, after, answer))
        os.write(begin[1], b"0")
        said, _ = child.communicate()
        _ended(folder, configuration, subprocess.CompletedProcess(words, child.returncode, said))


def outputs_of(folder, after, answer):
    """What Kernel Tuner hands to `verify`: the arrays for which there is an answer; without any answer, all."""
    return [after.get(one.position) if answer is None or answer[one.position] is not None else None
            for one in folder.arguments]


@contextlib.contextmanager
def _built(folder, configuration):
    """A folder with the configuration's library and files of the arguments, and the words of the call."""
    with tempfile.TemporaryDirectory(prefix="rooftune-") as temporary:
        place = pathlib.Path(temporary)
        folder.write_runner(place)
        library = str(place / "run.so")
        for command in folder.build_commands(library, configuration):
            built = subprocess.run(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   errors="replace", check=False, env={**os.environ, "LC_ALL": "C"})
            if built.returncode != 0:
                raise _tune.RooftuneError(f"{folder.source.name} does not compile with {configuration}:\n"
                                          f"{built.stdout.strip()}")
        specification = []
        for one in folder.arguments:
            if one.is_array:
                file = place / f"{one.position}.bin"
                one.in_memory(one.of(configuration)).tofile(file)
                specification.append({"file": str(file)})
            else:
                specification.append({"bytes": one.value.tobytes().hex()})
        (place / "arguments.json").write_text(json.dumps(specification), encoding="utf-8")
        program = pathlib.Path(__file__).with_name("_call.py")
        yield place, [sys.executable, str(program), library, str(place / "arguments.json")]


def _ended(folder, configuration, ran):
    if ran.returncode != 0:
        ended = f"signal {-ran.returncode}" if ran.returncode < 0 else f"exit code {ran.returncode}"
        raise _tune.RooftuneError(f"{folder.source.name} ended with {ended} for {configuration}\n"
                                  f"{ran.stdout.strip()}".strip())


def _arrays(folder, configuration, place):
    return {one.position: from_file(place / f"{one.position}.bin", one.of(configuration))
            for one in folder.arguments if one.is_array}


def from_file(file, like):
    """An array of this shape, order and type."""
    order = "C" if like.flags.c_contiguous else "F"
    return numpy.fromfile(file, dtype=like.dtype).reshape(like.shape, order=order)
