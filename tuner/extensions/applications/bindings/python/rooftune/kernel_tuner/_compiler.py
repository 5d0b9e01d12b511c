"""compiler and compiler_options of a call."""

import os
import pathlib
import re
import shlex
import shutil

from ._faults import ArgumentError


def cxx_of(compiler):
    """The words of the C++ compiler: that of the call, of the environment, or the first one on PATH."""
    if compiler is not None and not shutil.which(compiler):
        raise ArgumentError("compiler", f"there is no program {compiler}")
    name = pathlib.PurePath(compiler or "").name
    if compiler is not None and not name.startswith(("gfortran", "nvcc")):
        if not re.fullmatch(r"(?:[\w.]+-)*(g\+\+|gcc|c\+\+|cc|clang\+\+|clang)(-[\d.]+)?", name):
            raise ArgumentError("compiler", f"{compiler} is not supported", "g++, clang++ and gfortran are")
        # As Kernel Tuner does, C is compiled as C++.
        plus = re.sub(r"gcc", "g++", re.sub(r"clang(?!\+)", "clang++", re.sub(r"^cc$", "c++", name)))
        return [str(pathlib.PurePath(compiler).with_name(plus)) if os.sep in compiler else plus]
    for variable in ("ROOFTUNE_CXX", "CXX"):
        if os.environ.get(variable):
            return shlex.split(os.environ[variable])
    found = next((one for one in ("c++", "g++", "clang++") if shutil.which(one)), None)
    if not found:
        raise ArgumentError("compiler", "no C++ compiler was found (c++, g++, clang++)")
    return [found]


def is_foreign(compiler):
    """Its name, where it is one of Kernel Tuner's for which GCC stands in; else ""."""
    name = pathlib.PurePath(compiler or "").name
    return name if re.fullmatch(r"nvc(\+\+)?|pgc(c|\+\+)|nvfortran|ifort|ifx|ftn|flang|icp?[cx]", name) else ""


class Options:
    """compiler_options: flags of the optimiser, definitions, words for the compiler's command, and those that GCC and
    clang do not know."""

    def __init__(self, compiler_options):
        self.flags, self.defines, self.words, self.foreign = [], [], [], []
        options = [] if compiler_options is None else compiler_options
        if isinstance(options, str) or not all(isinstance(one, str) for one in options):
            raise ArgumentError("compiler_options", f"a list of texts is needed, not {compiler_options!r}")
        libraries = []
        for option in options:
            if option in ("-fPIC", "-fpic", "-shared", "-fopenmp", "-lgomp", "-lm", "-lpthread", "-pthread", ""):
                continue
            if re.fullmatch(r"-std=(c|gnu)\+\+(98|03|11|14|17|20|0x|1y|1z|2a)", option):
                continue  # Rooftune's builds are C++20
            if option.startswith("-D"):
                name, _, value = option[2:].partition("=")
                self.defines.append((name, value if "=" in option else "1"))
            elif option.startswith("-I") and len(option) > 2:
                self.words.append("-I" + os.path.abspath(option[2:]))
            elif option.startswith("-L") and len(option) > 2:
                self.words.append("-L" + os.path.abspath(option[2:]))
            elif option.startswith("-l") and len(option) > 2:
                libraries.append(option)
            elif option.startswith("-W") and not option.startswith(("-Wl,", "-Wa,", "-Wp,")) or option in ("-w", "-g"):
                self.words.append(option)
            elif option.startswith(("-O", "-f", "-m")) and not re.match(r"-fast$|-mp\b|-openmp", option):
                self.flags.append(option)
            else:
                self.foreign.append(option)
        if libraries:
            self.words += ["-Wl,--push-state,--no-as-needed", *libraries, "-Wl,--pop-state"]
