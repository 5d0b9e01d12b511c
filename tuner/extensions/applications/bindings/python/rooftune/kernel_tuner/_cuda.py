"""Kernels in CUDA: run by `tune` on a card, or emulated on this CPU, thread by thread, for their results alone."""

import itertools
import json
import math
import os
import pathlib
import random
import re
import tempfile

from .. import _tune
from ._faults import ArgumentError, tell
from ._folder import ONCE, Folder
from ._running import from_file
from ._texts import FILLED, POINTER

EMULATED = "emulated"
_MOST_EMULATED = 100  # configurations, where the script names no max_fevals: each is compiled and called several times
_TYPES = {"int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short", "int32": "int",
          "uint32": "unsigned", "int64": "long long", "uint64": "unsigned long long"}
_FLAGS = r"-{1,2}((?:fmad|ftz|prec-div|prec-sqrt|maxrregcount)=\w+|use_fast_math)"
_BOUNDS = r"__launch_bounds__\s*(\((?:[^()]|\([^()]*\))*\))"
_KERNEL = r"\b__global__\b(?P<head>[^;{{}}]*?\b{name}\s*\()"


class CudaFolder(Folder):
    """device: the card's number, or EMULATED. shared: what gives a block's dynamic shared memory [bytes] of a
    configuration; constants: name -> array, the values of __constant__ arrays."""
    backend, source_file, machine = "cuda", "cuda.cu", "auto"

    def __init__(self, space, source, arguments, sides, defines, options, cxx, device, shared, constants):
        if device != EMULATED and (not isinstance(device, int) or device < 0):
            raise ArgumentError("device", f"{device!r} is neither a card's number nor {EMULATED!r}")
        self.is_emulated = EMULATED in (device, os.environ.get("ROOFTUNE_DEVICE"))
        self.card, self.plain, self.wrapper = device, source.name.split("<")[0], ""
        # An instance of a template has no plain name: a kernel that has one calls it.
        self.kernel = self.plain if self.plain == source.name else self.plain + "_of_script"
        words = [re.fullmatch(_FLAGS, one) or one for one in [*options.flags, *options.foreign]]
        self.nvrtc = ["--" + one.group(1) for one in words if not isinstance(one, str)]
        ignored = [one for one in [*words, *options.words] if isinstance(one, str)]
        if ignored:
            tell(f"compiler_options: {' '.join(ignored)} has no effect: NVRTC compiles for the card that is here")
        options.flags, options.words = [], []
        super().__init__(space, source, arguments, sides, defines, options, cxx, [])
        for name, values in constants.items():
            if not hasattr(values, "ravel") or not re.search(rf"\b__constant__\b[^;={{}}]*\b{re.escape(name)}\b",
                                                             "\n".join(self.sources.values())):
                raise ArgumentError("cmem_args", f"{name} is no __constant__ array of the source, or no array of NumPy's")
        self.sources = {name: self._translated(text, constants) for name, text in self.sources.items()}
        sizes = {f"ROOFTUNE_{what.upper()}_{'XYZ'[axis]}": lambda p, of=of, axis=axis: of(axis, p)
                 for what, of in (("grid", sides.grid), ("block", sides.block)) for axis in range(3)}
        sizes["ROOFTUNE_SHARED"] = shared
        self.sizes = [line for name, of in sizes.items() for line in self._tabulated(name, of, "problem_size")]

    def _translated(self, text, constants):
        """The source as NVRTC and the host's compiler take it."""
        kernel = re.compile(_KERNEL.format(name=re.escape(self.plain)))
        found = kernel.search(text)
        if found and self.kernel != self.plain:
            bounds = re.search(_BOUNDS, found.group("head"))
            given = [f"{'void*' if one.is_array else _TYPES.get(one.type, one.type)} a{one.position}"
                     for one in self.arguments]
            passed = [f"rooftune_python::Pointer{{a{one.position}}}" if one.is_array else f"a{one.position}"
                      for one in self.arguments]
            # `defines` may leave the parameters in its arguments undefined.
            instance = re.sub(r"\w+", lambda word: self._macro(word.group(0)), self.source.name)
            self.wrapper = (f"ROOFTUNE_KERNEL {bounds.group(0) if bounds else ''}\n"
                            f"{self.kernel}({', '.join(given)}) {{\n  {instance}({', '.join(passed)});\n}}\n")
            text = kernel.sub(lambda one: "__device__" + re.sub(_BOUNDS, "", one.group("head")), text)
        text = kernel.sub(r'extern "C" __global__\g<head>', text)
        # The runtime's own headers are neither here nor needed.
        text = re.sub(r"^[ \t]*#[ \t]*include[ \t]*<(cuda(_runtime)?(_api)?|device_launch_parameters)\.h>", "", text, flags=re.M)
        text = re.sub(r"\bextern\s+(?:volatile\s+)?__shared__\s+(?:__align__\(\w+\)\s*)?([\w:<> ]+?)\s*\b(\w+)\s*\[\s*\]\s*;",
                      r"ROOFTUNE_DYNAMIC_SHARED(\1, \2);", text)
        # An unrolling by 0 is none.
        text = re.sub(r"^([ \t]*#[ \t]*pragma[ \t]+unroll[ \t]+)\(?(loop_unroll_factor\w*)\)?", self._unrolling, text, flags=re.M)
        for name, values in constants.items():
            given = ", ".join(repr(one) for one in values.ravel().tolist())
            text = re.sub(rf"(\b__constant__\b[^;={{}}]*\b{re.escape(name)}\b[^;={{}}]*);",
                          lambda found, given=given: f"{found.group(1)} = {{{given}}};", text)
        return text

    def _macro(self, name):
        one = self.space.by_name.get(name)
        return one.macro if one and one.form == "whole" else name

    def _unrolling(self, found):
        one = self.space.by_name.get(found.group(2))
        return f"#if {one.condition(0)}\n#else\n{found.group(0)}\n#endif" if one and 0 in one.values else found.group(0)

    def _head(self):
        undefined = "".join(f"#undef {name}\n" for name in self.defined)
        sizes = "".join(line + "\n" for line in self.sizes)
        return (f"// {self.source.name}, launched. Written by rooftune.kernel_tuner: parameters are knobs.\n"
                f'#include "rooftune/gpu.h"\n#if ROOFTUNE_HOST\n#include <cstdio>\n#include <cstdlib>\n#endif\n'
                f'{POINTER}{self.prelude}#include "{self.main}"\n{self.wrapper}{undefined}'
                f"#if ROOFTUNE_HOST\n{sizes}{FILLED}")

    def variant(self, data):
        return super().variant(data) + "#endif\n"

    def _functions(self, names, loads):
        names = [f"b{one.position}.data()" if one.is_array else name for one, name in zip(self.arguments, names)]
        arrays = [one for one in self.arguments if one.is_array]
        loads += "".join(f"  b{one.position}.copy_in(static_cast<const unsigned char*>(a{one.position}), "
                         f"{self._bytes(one)});\n" for one in arrays)
        buffers = ", ".join(f"b{one.position}" for one in arrays)
        return f"static rooftune::DeviceBuffer<unsigned char> {buffers};\n{super()._functions(names, loads)}"

    def _call(self, passed):
        sides = ", ".join("rooftune::CudaSize(" + ", ".join(f"ROOFTUNE_{what}_{axis}" for axis in "XYZ") + ")"
                          for what in ("GRID", "BLOCK"))
        return f'rooftune::launch<{self.kernel}>("{self.kernel}", {sides}, ROOFTUNE_SHARED, {passed});'

    def _fetched(self, changed):
        return "".join(f"  b{one.position}.copy_out(static_cast<unsigned char*>(a{one.position}), {self._bytes(one)});\n"
                       for one in changed)

    def manifest(self, work, traffic, tolerance):
        document = super().manifest(work, traffic, tolerance)
        document["backends"]["cuda"].update(prepare=True, finish=True)
        return document

    def space_json(self):
        document = super().space_json()
        name = "compiler_options"
        while any(name == one["name"] for one in document["knobs"]):
            name += "_"
        if self.nvrtc:
            document["knobs"].append({"name": name, "kind": "flag", "values": ["given"], "default": "given",
                                      "flags": [self.nvrtc], "breaks": ["issue"], "doc": "compiler_options of the script"})
        return document

    def environment(self, folder=None, asked=False):
        if not self.card or self.is_emulated:
            return {}
        visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
        return {"CUDA_VISIBLE_DEVICES": visible[self.card] if self.card < len(visible) else str(self.card)}

    def called(self, configuration):
        """By `tune check`, of a folder whose call leaves all arrays as files."""
        arrays = [one for one in self.arguments if one.is_array]
        before, asks = [(one.role, one.answer) for one in arrays], self.asks
        try:
            for one in arrays:
                one.role, one.answer = "held", None
            self.asks = ONCE
            with tempfile.TemporaryDirectory(prefix="rooftune-") as temporary:
                place = self.write(temporary, {"least": {}}, {"read": 0, "write": 1, "footprint": 1}, {"relative": 1e-5})
                ran, = self._checked(place)
                if ran["outcome"] not in ("ok", "unstable"):
                    raise _tune.RooftuneError(f"{self.source.name} {ran['outcome']}: {ran['detail']}\n{configuration}")
                return {one.position: from_file(place / "arguments" / f"{one.position}.out", one.of(configuration))
                        for one in arrays}
        finally:
            self.asks = asks
            for one, known in zip(arrays, before):
                one.role, one.answer = known

    def emulated(self, place, chosen):
        """Bodies of trials without times."""
        limit, picked = chosen.evaluations, self.space.configurations()
        if chosen.is_open and limit > _MOST_EMULATED:
            limit = _MOST_EMULATED
            tell(f"device: {limit} configurations are emulated, unless max_fevals of strategy_options says how many")
        if chosen.name != "exhaustive":
            pool = list(itertools.islice(picked, 100 * _MOST_EMULATED))
            picked = random.Random(chosen.seed).sample(pool, min(limit, len(pool)))
        picked = list(itertools.islice(picked, limit))
        knobs = [{one.knob: one.knob_value(given[one.name]) for one in self.space.parameters} for given in picked]
        sets = [",".join(f"{name}={_text(value)}" for name, value in one.items()) for one in knobs]
        ran = []
        for at in range(0, len(sets), 500):  # as many as a command line holds
            ran += self._checked(place, *(word for one in sets[at:at + 500] for word in ("--set", one)))
        return [{**one, "configuration": given, "measurement": {"seconds": {"value": math.nan}, "samples": []}}
                for one, given in zip(ran, knobs)]

    def _checked(self, place, *words):
        """What `tune check` says of each configuration."""
        with tempfile.TemporaryDirectory(prefix="rooftune-") as temporary:
            report = pathlib.Path(temporary) / "check.json"
            machine = [] if self.is_emulated else ["--machine", self.machine]
            try:
                _tune.run(["check", str(place), "--backend", "cuda", "--json", str(report), *machine, *words],
                          environment=self.environment())
            except _tune.RooftuneError as fault:
                if fault.code != 1 or not report.is_file():
                    raise
            found, = json.loads(report.read_text(encoding="utf-8"))["backends"]
        if "skipped" in found:
            raise _tune.RooftuneError(f"no card here that kernels can run on: {found['skipped']}\nhint: device={EMULATED!r} "
                                      "runs them on this CPU, for their results; tune probe --gpu measures a card, once")
        return found["configurations"]


def _text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)
