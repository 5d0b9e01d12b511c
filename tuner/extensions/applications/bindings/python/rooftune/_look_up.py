"""Look-ups through librooftune.so, the library that applications in C, C++ and Fortran link."""

import ctypes
import ctypes.util
import functools
import numbers
import os
import pathlib
from dataclasses import dataclass

_MATCHES = ("exact", "other problem", "other machine", "defaults")
_TRUTH, _INTEGER, _REAL, _TEXT = range(4)


class _Value(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_int), ("integer", ctypes.c_int64),
                ("real", ctypes.c_double), ("text", ctypes.c_char_p)]


class _Answer(ctypes.Structure):
    _fields_ = [("match", ctypes.c_int), ("reason", ctypes.c_char_p), ("machine", ctypes.c_char_p),
                ("study", ctypes.c_char_p), ("verdict", ctypes.c_char_p), ("knobs", ctypes.c_void_p)]


class _Machine(ctypes.Structure):
    _fields_ = [("id", ctypes.c_char_p), ("model", ctypes.c_char_p), ("features", ctypes.c_char_p),
                ("caches", ctypes.c_char_p), ("cores", ctypes.c_int), ("threads", ctypes.c_int),
                ("simd_bits", ctypes.c_int)]


class Configuration(dict):
    """Knobs by name: those of the answer over the defaults that were given.

    match: "exact", "other problem", "other machine" or "defaults"; reason: why it is not exact;
    machine, study, verdict: where it was tuned, and how good it was there.
    """

    def __init__(self, knobs, match="defaults", reason="", machine="", study="", verdict="", faults=()):
        super().__init__(knobs)
        self.match, self.reason, self.machine = match, reason, machine
        self.study, self.verdict, self.faults = study, verdict, list(faults)


@dataclass(frozen=True)
class Machine:
    """A host as `tune probe` knows it."""
    id: str
    model: str
    features: tuple
    caches: str
    cores: int
    threads: int
    simd_bits: int


def _candidates():
    """Where the library may be: as told, beside an installed module, where the system looks."""
    if os.environ.get("ROOFTUNE_LIBRARY"):
        yield os.environ["ROOFTUNE_LIBRARY"]
        return
    # <prefix>/share/rooftune/python/rooftune/_look_up.py
    parents = pathlib.Path(__file__).resolve().parents
    if len(parents) > 4:
        for file in sorted(parents[4].glob("lib*/**/librooftune.so")):
            yield str(file)
    yield ctypes.util.find_library("rooftune") or "librooftune.so"


class _Library:
    """The loaded library, once; `missing` says why there is none."""

    def __init__(self):
        self.c, self.missing = None, ""
        for name in _candidates():
            try:
                self.c = ctypes.CDLL(name)
                break
            except OSError as fault:
                self.missing = f"{fault}; name librooftune.so with ROOFTUNE_LIBRARY"
        if self.c:
            self._declare()

    def _declare(self):
        answer, size, text, pointer = ctypes.POINTER(_Answer), ctypes.c_size_t, ctypes.c_char_p, ctypes.c_void_p
        for name, result, arguments in (
                ("this_machine", ctypes.POINTER(_Machine), []),
                ("load", pointer, [text]),
                ("reload", size, [pointer, text]),
                ("fault_count", size, [pointer]),
                ("fault", text, [pointer, size]),
                ("look_up", _Answer, [pointer, text, text, ctypes.POINTER(_Value), size]),
                ("knob_count", size, [answer]),
                ("knob", _Value, [answer, size])):
            function = getattr(self.c, "rooftune_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)


@functools.cache
def _the_library():
    return _Library()


@functools.cache
def _loaded(path, environment):
    """Exports of a path, else of the environment, read once: they are never freed, so that answers stay valid."""
    return _the_library().load(path)


def _handle(exports):
    path = None if exports is None else os.fsencode(exports)
    return path, _loaded(path, os.environ.get("ROOFTUNE_EXPORTS", "") if path is None else "")


def _value(name, value):
    name = str(name).encode()
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return _Value(name, _TRUTH, int(value), 0, b"")
    if isinstance(value, numbers.Integral) and -2**63 <= int(value) < 2**63:
        return _Value(name, _INTEGER, int(value), 0, b"")
    if isinstance(value, numbers.Real):
        return _Value(name, _REAL, 0, float(value), b"")
    return _Value(name, _TEXT, 0, 0, str(value).encode())


def _python(value):
    if value.kind == _TRUTH:
        return bool(value.integer)
    if value.kind == _INTEGER:
        return value.integer
    return value.real if value.kind == _REAL else value.text.decode()


def this_machine():
    """The host that this runs on. Raises OSError where the library is not."""
    library = _the_library()
    if not library.c:
        raise OSError(library.missing)
    found = library.this_machine().contents
    return Machine(found.id.decode(), found.model.decode(), tuple(found.features.decode().split()),
                   found.caches.decode(), found.cores, found.threads, found.simd_bits)


def reload(exports=None):
    """Only what is there now, at a path or where ROOFTUNE_EXPORTS says: withdrawn files are gone, and an older
    one put back is taken. Returns the faults of the files, one sentence each.
    """
    library = _the_library()
    if not library.c:
        return [library.missing]
    path, handle = _handle(exports)
    new = library.reload(handle, path)
    count = library.fault_count(handle)
    return [library.fault(handle, index).decode() for index in range(count - new, count)]


def lookup(kernel, problem=None, defaults=None, machine=None, exports=None):
    """The tuned configuration of a kernel for a problem; never raises for what files hold.

    defaults: the application's own values, for knobs that no export tells. machine: id or name of
    another machine than the one that this runs on. exports: a file or folder of exports; without
    it those that the environment variable ROOFTUNE_EXPORTS names, with ":" between them.
    """
    library = _the_library()
    if not library.c:
        return Configuration(defaults or {}, reason=library.missing)
    _, handle = _handle(exports)
    parameters = [_value(name, value) for name, value in (problem or {}).items()]
    answer = library.look_up(handle, kernel.encode(), machine.encode() if machine else None,
                             (_Value * len(parameters))(*parameters), len(parameters))
    knobs = dict(defaults or {})
    for index in range(library.knob_count(answer)):
        knob = library.knob(answer, index)
        knobs[knob.name.decode()] = _python(knob)
    faults = [library.fault(handle, index).decode() for index in range(library.fault_count(handle))]
    return Configuration(knobs, _MATCHES[answer.match], answer.reason.decode(), answer.machine.decode(),
                         answer.study.decode(), answer.verdict.decode(), faults)
