"""Kernel Tuner's module utils.directives: kernels between `#pragma tuner start NAME a(float*:N)` and `stop`.

The functions that it writes hold the marked lines alone: on a CPU nothing is copied, and Rooftune's clock times the call.
"""

import collections
import math
import re

import numpy

from .._faults import ArgumentError


class OpenMP:
    """The directives; on a CPU the compiler knows which."""


class Cxx:
    mark = "#pragma tuner"


class Fortran:
    mark = "!$tuner"


OpenACC = OpenMP
Code = collections.namedtuple("Code", "directive language")
# An element's type in a mark: in Fortran, and in NumPy.
_TYPES = {"float": ("real (c_float)", numpy.float32), "double": ("real (c_double)", numpy.float64),
          "int": ("integer (c_int)", numpy.int32)}


def _sections(code, langs, word, kernel_name=None):
    """Yields for each section that `word` begins what its mark says, and its lines."""
    said, lines, mark = None, [], re.escape(langs.language.mark)
    for line in code.replace("\\\n", "").split("\n"):
        begin = re.match(rf"\s*{mark}\s+{word}\b\s*(.*)", line, re.I)
        if said is None and begin and kernel_name in (None, *begin.group(1).split()[:1]):
            said, lines = begin.group(1), []
        elif said is not None and re.match(rf"\s*{mark}\s+stop\b", line, re.I):
            yield said, "\n".join(lines)
            said = None
        elif said is not None:
            lines.append(line)
    if said is not None:
        raise ArgumentError("source", f"{langs.language.mark} {word} {said} has no stop")


def extract_preprocessor(code):
    """The lines with #define and #include."""
    return [line for line in code.replace("\\\n", "").split("\n") if re.match(r"\s*#\s*(define|include)\b", line)]


def extract_directive_code(code, langs, kernel_name=None):
    """Kernel -> its lines."""
    return {said.split()[0]: body for said, body in _sections(code, langs, "start", kernel_name)}


def extract_directive_data(code, langs, kernel_name=None):
    """Kernel -> argument -> [type, size], as the mark says: a(float*:N)."""
    data = {}
    for said, _ in _sections(code, langs, "start", kernel_name):
        name, *arguments = said.split()
        parts = [re.fullmatch(r"(\w+)\(([\w ]+\*?)(?::([^()]+))?\)", one) for one in arguments]
        for one, part in zip(arguments, parts):
            if not part:
                raise ArgumentError("source", f"{name}: {one} is no argument", "name(type:size), as in a(float*:N)")
        data[name] = {part.group(1): [part.group(2), part.group(3) or 0] for part in parts}
    return data


def extract_directive_signature(code, langs, kernel_name=None):
    """Kernel -> the head of its function."""
    signatures = {}
    for name, arguments in extract_directive_data(code, langs, kernel_name).items():
        if langs.language.mark == Cxx.mark:
            signatures[name] = f"void {name}({', '.join(f'{kind} {one}' for one, (kind, _) in arguments.items())})"
            continue
        declared = [f"  {_type(kind)[0]}, {f'dimension({size})' if '*' in kind else 'value'} :: {one}"
                    for one, (kind, size) in arguments.items()]
        signatures[name] = "\n".join([f"subroutine {name}({', '.join(arguments)})", "  use iso_c_binding",
                                      "  implicit none", *declared])
    return signatures


def extract_initialization_code(code, langs, word="initialize"):
    """The lines of all sections that go before a kernel's."""
    return "\n".join(body for _, body in _sections(code, langs, word))


def extract_deinitialization_code(code, langs):
    return extract_initialization_code(code, langs, "deinitialize")


def generate_directive_function(preprocessor, signature, body, langs, data=None, initialization="", deinitialization="",
                                user_dimensions=None):
    """The source of a kernel's function. data: taken as Kernel Tuner does, and not needed."""
    defines = [f"#define {name} {value}" for name, value in (user_dimensions or {}).items()]
    lines = [initialization, body, deinitialization]
    if langs.language.mark == Cxx.mark:
        lines = [f'extern "C" {signature} {{', *lines, "}"]
    else:
        lines = ["module kt", "contains", signature, *lines, "end subroutine", "end module kt"]
    return "\n".join([*preprocessor, *defines, *(line for line in lines if line)]) + "\n"


def _type(kind):
    name = kind.replace("*", "").strip()
    if name not in _TYPES:
        raise ArgumentError("source", f"memory of type {name} cannot be made", f"one of {', '.join(_TYPES)}")
    return _TYPES[name]


def _size(text, preprocessor, dimensions):
    """The product of numbers, of names that #define gives, and of user_dimensions."""
    known = {**dict(re.findall(r"#\s*define\s+(\w+)\s+(\d+)\s*$", "\n".join(preprocessor or []), re.M)),
             **(dimensions or {})}
    try:
        return math.prod(int(known.get(one.strip(), one)) for one in str(text).split(","))
    except ValueError as fault:
        raise ArgumentError("user_dimensions", f"the size {text} is no number, and no #define says what it is") from fault


def allocate_signature_memory(data, preprocessor=None, user_dimensions=None):
    """The arguments that a mark states: arrays of random numbers, and scalars of the size."""
    arguments = []
    for kind, size in data.values():
        element, count = _type(kind)[1], _size(size, preprocessor, user_dimensions)
        if "*" not in kind:
            arguments.append(element(count))
        elif element is numpy.int32:
            arguments.append(numpy.random.randint(1024, size=count, dtype=element))
        else:
            arguments.append(numpy.random.rand(count).astype(element))
    return arguments


def process_directives(langs, source, user_dimensions=None):
    """(kernel -> source of its function, kernel -> its arguments) of all marked kernels."""
    before, data = extract_preprocessor(source), extract_directive_data(source, langs)
    bodies, heads = extract_directive_code(source, langs), extract_directive_signature(source, langs)
    around = extract_initialization_code(source, langs), extract_deinitialization_code(source, langs)
    return ({name: generate_directive_function(before, heads[name], bodies[name], langs, data[name], *around,
                                               user_dimensions) for name in data},
            {name: allocate_signature_memory(data[name], before, user_dimensions) for name in data})
