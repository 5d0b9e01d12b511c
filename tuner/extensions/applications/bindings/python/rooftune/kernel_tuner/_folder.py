"""A kernel folder of Rooftune (docs/formats.md) from the arguments of a call."""

import functools
import hashlib
import json
import pathlib
import re
import shlex
import stat
import subprocess

from ._faults import ArgumentError
from ._source import CUDA, FORTRAN
from ._running import called
from ._texts import ASKING, FILLED, POINTER

ONCE = "once"  # for Folder.asks


def chain(space, over, results, lines_of):
    """Preprocessor lines that choose by the configuration among those of each result."""
    if not over:
        return lines_of(results[()])
    lines = []
    for at, (values, result) in enumerate(results.items()):
        conditions = " && ".join(one.condition(value) for one, value in zip(over, values))
        lines += [f"#{'elif' if at else 'if'} {conditions}", *lines_of(result)]
    return lines + ["#endif"]


class Sides:
    """Grid and block of a launch, by Kernel Tuner's rules."""

    def __init__(self, problem_size, grid_divisors, block_names):
        self.problem_size, self.divisors, self.block_names = problem_size, grid_divisors, block_names

    def block(self, axis, configuration):
        name = self.block_names[axis]
        return int(configuration[name]) if name in dict.keys(configuration) else (256, 1, 1)[axis]

    def grid(self, axis, configuration):
        size = self.problem_size(configuration) if callable(self.problem_size) else self.problem_size
        size = list(size) if isinstance(size, (tuple, list)) else [size]
        if not 1 <= len(size) <= 3:
            raise ArgumentError("problem_size", f"one to three sizes are needed, not {len(size)}")
        one = (size + [1, 1])[axis]
        value = eval(one, {}, configuration) if isinstance(one, str) else one  # noqa: S307: as the script wrote it
        return int(-(-value // self._divisor(axis, configuration)))

    def _divisor(self, axis, configuration):
        divisor = self.divisors[axis]
        if divisor is None:
            name = self.block_names[axis]
            return configuration[name] if name in dict.keys(configuration) else 1
        if callable(divisor):
            return divisor(configuration)
        product = 1
        for one in [divisor] if isinstance(divisor, str) else divisor:
            product *= one(configuration) if callable(one) else eval(str(one), {}, configuration)  # noqa: S307
        return product


class Folder:
    """Texts of the folder, and the commands by which Python builds and calls one configuration."""
    backend, source_file, machine = "openmp", "openmp.cpp", "host"
    is_emulated = False

    def __init__(self, space, source, arguments, sides, defines, options, cxx, fortran):
        self.space, self.source, self.arguments, self.sides = space, source, arguments, sides
        self.options, self.cxx, self.fortran = options, cxx, fortran
        # Who says what is right: None: the comparison of `tune`; False: nobody; True: Python, asked by named pipes; ONCE:
        # nobody, and the first result is kept. Where it is not `tune`, one more output says whether the result was taken.
        self.asks, self.judge = None, ""
        self.name = re.sub(r"\W", "_", source.name)
        self.function = "rooftune_call_" + self.name
        self.sources = dict(source.files)
        suffix = {FORTRAN: "F90", CUDA: "cu"}.get(source.language, "cpp")
        self.main = f"kernel_source.{suffix}"
        if source.function is None:
            self.sources[self.main] = source.text
        else:
            over, results = space.tabulate(source.function_text, "kernel_source")
            texts = list(dict.fromkeys(results.values()))
            for at, text in enumerate(texts):
                self.sources[f"generated_{at}.{suffix}"] = text
            self.sources[self.main] = "\n".join(chain(
                space, over, results, lambda text: [f'#include "generated_{texts.index(text)}.{suffix}"'])) + "\n"
        self.defined, self.prelude = self._prelude(defines)
        if source.language == FORTRAN:
            self.symbol, self.by_value = source.fortran(len(arguments))
            self.sources[self.main] = self.prelude + f'#line 1 "{source.name}"\n' + self.sources[self.main]

    def _prelude(self, defines):
        lines, names = [], []

        def define(name, text):
            names.append(name)
            lines.append(f"#define {name} {text}")

        def define_by(name, function, argument):
            names.append(name)
            lines.extend(self._tabulated(name, function, argument))
        if defines is None:
            define("kernel_tuner", 1)
            for one in self.space.parameters:
                if self.source.language == CUDA and "loop_unroll_factor" in one.name and one.form == "whole":
                    lines.append(f"constexpr int {one.name} = {one.macro};")
                    continue
                names.append(one.name)
                lines += one.definition(one.name)
            everything = "\n".join([self.source.text, *self.source.files.values()])
            for axis, name in enumerate(("grid_size_x", "grid_size_y", "grid_size_z")):
                if re.search(rf"\b{name}\b", everything):
                    define_by(name, functools.partial(self.sides.grid, axis), "problem_size")
            for axis, name in enumerate(self.sides.block_names):
                if name not in self.space.by_name and re.search(rf"\b{name}\b", everything):
                    define_by(name, functools.partial(self.sides.block, axis), "block_size_names")
        elif not hasattr(defines, "items"):
            raise ArgumentError("defines", f"a dict is needed, not {type(defines).__name__}")
        else:
            for name, value in defines.items():
                if callable(value):
                    define_by(name, value, "defines")
                else:
                    define(name, value)
        for name, value in self.options.defines:
            define(name, value)
        return names, "".join(line + "\n" for line in lines)

    def _tabulated(self, name, function, argument):
        """Lines that define a macro as what the function says of a configuration."""
        return chain(self.space, *self.space.tabulate(function, argument), lambda text: [f"#define {name} {text}"])

    def _parameters(self):
        """Writes the parameters of the function that `tune` calls."""
        verdict = [] if self.asks is None else [f"void* a{len(self.arguments)}"]
        return ", ".join([("void*" if one.role == "output" else "const void*") + f" a{one.position}" if one.is_array
                          else f"{one.c_type} a{one.position}" for one in self.arguments if one.role != "held"] + verdict)

    def _passed(self, texts):
        """The call of the user's function; texts: of each argument, a pointer's or a scalar's."""
        passed = []
        for one, text in zip(self.arguments, texts):
            if one.is_array:
                text = f"rooftune_python::Pointer{{{text}}}"
            elif self.source.language == FORTRAN and not self.by_value[one.position]:
                text = f"&s{one.position}"
            else:
                text = f"static_cast<{one.c_type}>({text})"
            passed.append(text)
        return self._call(", ".join(passed))

    def _call(self, passed):
        return f"{self.symbol if self.source.language == FORTRAN else self.source.name}({passed});"

    def _scalars(self, texts):
        """Fortran takes the address of a scalar unless it is declared with `value`."""
        if self.source.language != FORTRAN:
            return ""
        return "".join(f"  {one.c_type} s{one.position} = static_cast<{one.c_type}>({text});\n"
                       for one, text in zip(self.arguments, texts)
                       if not one.is_array and not self.by_value[one.position])

    def _head(self):
        title = f"// {self.source.name}, called. Written by rooftune.kernel_tuner: parameters are knobs.\n"
        includes = "#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n"
        if self.source.language == FORTRAN:
            # `tune` follows the line to know that the variant depends on the file; ./compiler compiles it.
            kinds = ", ".join("void*" if one.is_array or not self.by_value[one.position] else one.c_type
                              for one in self.arguments)
            result = "float" if self.source.returns_float else "void"
            return (f'{title}{includes}#if 0\n#include "{self.main}"\n#endif\n{POINTER}{FILLED}'
                    f'extern "C" {result} {self.symbol}({kinds});\n')
        undefined = "".join(f"#undef {name}\n" for name in self.defined)
        return f'{title}{includes}{self.prelude}#include "{self.main}"\n{undefined}{POINTER}{FILLED}'

    def variant(self, data):
        """The source of the back end. data: the folder of the arguments' values."""
        held = [one for one in self.arguments if one.is_array and one.role == "held"]
        names = [f"const_cast<void*>(a{one.position})" if one.is_array and one.role == "read" else f"a{one.position}"
                 for one in self.arguments]
        text = "".join(f"static void* a{one.position} = nullptr;\n" for one in held)
        text += "".join("\n".join(self._chosen(one, data)) + "\n" for one in held)
        loads = "".join(f"  a{one.position} = rooftune_python::loaded(ROOFTUNE_FILE_{one.position}, "
                        f"ROOFTUNE_BYTES_{one.position}, a{one.position});\n" for one in held)
        return f"{self._head()}{text}{self._functions(names, loads)}{self._finish(data)}"

    def _functions(self, names, loads):
        """The function that `tune` calls and, where anything is loaded before, what goes before it."""
        text = f"[[maybe_unused]] static void {self.function}_prepare({_marked(self._parameters())}) {{\n{loads}}}\n"
        return ((text if loads else "") + f"[[maybe_unused]] static void {self.function}({self._parameters()}) {{\n"
                f"{self._scalars(names)}  {self._passed(names)}\n}}\n")

    def _chosen(self, one, data):
        """The file of an argument's values, and which of its alternatives that is, as macros."""
        over, results = (self.space.tabulate(one.index, f"arguments[{one.position}]") if one.tunable else ([], {(): 0}))
        return chain(self.space, over, results, lambda at: [
            f"#define ROOFTUNE_FILE_{one.position} {_quoted(data / f'{one.position}.{at}.bin')}",
            f"#define ROOFTUNE_BYTES_{one.position} {one.alternatives[at].nbytes}u",
            f'#define ROOFTUNE_OPTION_{one.position} "{at}"'])

    def _finish(self, data):
        """Asks Python about the result; then the outputs are the answer, so that the verdict alone is compared."""
        changed = [one for one in self.arguments if one.is_array and one.role != "read"]
        lines = self._fetched(changed)
        if self.asks is not None:
            kept = "".join(f"    rooftune_python::kept({_quoted(data / f'{one.position}.out')}, a{one.position}, "
                           f"{self._bytes(one)});\n" for one in changed)
            options = "".join(f' " {one.position}:" ROOFTUNE_OPTION_{one.position}' for one in changed if one.tunable)
            asked = {True: f"verified({_quoted(data / 'asked')}, {_quoted(data / 'told')}, \"\"{options}, ",
                     ONCE: f"once({_quoted(data / 'kept')}, "}.get(self.asks)
            lines += (f"  *static_cast<unsigned char*>(a{len(self.arguments)}) = "
                      + (f"rooftune_python::{asked}[&] {{\n{kept}  }});\n" if asked else "true;\n"))
            lines += "".join(f"  rooftune_python::filled(a{one.position}, {_quoted(data / f'{one.position}.answer')}, "
                             f"{one.answer.nbytes}u);\n" for one in changed if one.role == "output")
        return lines and (f"{ASKING if self.asks else ''}[[maybe_unused]] static void {self.function}_finish("
                          f"{_marked(self._parameters())}) {{\n{lines}}}\n")

    def _fetched(self, changed):
        """Lines that bring arrays back from where the call left them."""
        return ""

    @staticmethod
    def _bytes(one):
        return f"ROOFTUNE_BYTES_{one.position}" if one.role == "held" else f"{one.array.nbytes}u"

    def runner(self):
        """A source whose library calls one configuration: all arguments by their addresses."""
        names = [f"a[{one.position}]" if one.is_array else f"*static_cast<{one.c_type}*>(a[{one.position}])"
                 for one in self.arguments]
        return (self._head() + 'extern "C" __attribute__((visibility("default"))) void rooftune_run(void* const* a) {\n'
                f"{self._scalars(names)}  {self._passed(names)}\n}}\n")

    def manifest(self, work, traffic, tolerance):
        rows = []
        for one in self.arguments:
            if one.role == "held":
                continue
            if not one.is_array:
                rows.append({"name": one.name, "type": one.type, "value": repr(one.value.item() + 0)})
            else:
                rows.append({"name": one.name, "type": one.type + "*", "from": "problem", "access": "read"})
                if one.role == "output":
                    rows[-1]["access"] = "update"
                    if one.array.dtype.kind in "fc":
                        rows[-1]["check"] = {"nan": True}
        if self.asks is not None:
            rows.append({"name": self.verdict, "type": "uint8*", "from": "problem", "access": "update"})
        answered = self.asks is not None or any(one.answer is not None for one in self.arguments)
        backend = {"source": self.source_file, "prepare": any(one.role == "held" for one in self.arguments),
                   "finish": self.asks is not None}
        if self.options.flags and self.source.language != FORTRAN:
            backend["flags"] = self.options.flags
        return {"schema": "rooftune-kernel-1", "name": self.name, "title": f"{self.source.name} of a script in Python",
                "function": self.function, "arguments": rows, "work": work, "traffic": traffic, "tolerance": tolerance,
                "reference": "reference.cpp" if answered else "baseline", "problem": "problem.cpp",
                "backends": {self.backend: backend}}

    def called(self, configuration):
        """The arrays after one call, by the positions of their arguments. Raises RooftuneError."""
        return called(self, configuration)

    def space_json(self):
        return self.space.json(self.name, self.backend)

    @property
    def verdict(self):
        """The name of the output that says whether Python takes the result."""
        names = {one.name for one in self.arguments}
        return "verified" if "verified" not in names else f"verified_{len(names)}"

    def problem(self, data):
        lines = [] if self.asks is None else [f'  *p.array<std::uint8_t>("{self.verdict}", 1) = 0;\n']
        for one in self.arguments:
            if not one.is_array or one.role == "held":
                continue
            make = f"p.array<{one.c_type}>(\"{one.name}\", {one.array.size})"
            lines.append(f"  read(p, {_quoted(data / f'{one.position}.0.bin')}, {make}, {one.array.nbytes}u);\n")
        return ('// The arguments of a script in Python, as files. Written by rooftune.kernel_tuner.\n'
                '#include "rooftune/problem.h"\n\n#include <cstdio>\n\n'
                "static void read(rooftune::Problem& p, const char* file, void* to, std::size_t bytes) {\n"
                '  std::FILE* const in = std::fopen(file, "rb");\n'
                "  const bool all = in && std::fread(to, 1, bytes, in) == bytes;\n"
                "  if (in) std::fclose(in);\n"
                '  if (!all) p.fail("the values of an argument cannot be read", file, "run the script again");\n}\n\n'
                f'extern "C" void problem(rooftune::Problem& p) {{\n{"".join(lines)}}}\n')

    def reference(self, data):
        """The script's answer, in the place of a computation."""
        loads = "".join(f"  rooftune_python::filled(a{one.position}, {_quoted(data / f'{one.position}.answer')}, "
                        f"{one.answer.nbytes}u);\n" for one in self.arguments if one.answer is not None)
        if self.asks is not None:
            loads += f"  *static_cast<unsigned char*>(a{len(self.arguments)}) = 1;\n"
        return ("// The answer of a script in Python. Written by rooftune.kernel_tuner.\n#include <cstdint>\n"
                f"#include <cstdio>\n#include <cstdlib>\n{FILLED}"
                f"[[maybe_unused]] static void {self.function}({_marked(self._parameters())}) {{\n{loads}}}\n")

    def compiler(self, folder):
        """A compiler that adds the object of the Fortran source to every variant."""
        cxx, fortran = shlex.join(self.cxx), shlex.join(self.fortran)
        flags, source = shlex.join([*self.options.flags, *self.options.words]), shlex.quote(str(folder / self.main))
        return f"""#!/bin/sh
# Compiles a variant of {self.source.name}: its call in C++, and the source in Fortran beside it. Written by
# rooftune.kernel_tuner.
case " $* " in
  *" shim.cpp "*) grep -q '/openmp.cpp"' shim.cpp || exec {cxx} "$@" ;;
  *) exec {cxx} "$@" ;;
esac
words=
for word in "$@"; do
  case $word in -DKNOB_*|-O*|-march=*|-mcpu=*|-mtune=*) words="$words $word" ;; esac
done
{fortran} -cpp -fopenmp -fPIC -ffree-line-length-none $words {flags} -J . -c {source} -o kernel.o || exit 1
exec {cxx} "$@" kernel.o -lgfortran
"""

    def build_commands(self, library, configuration):
        """By which Python itself builds a configuration, in the folder of write_runner()."""
        macros = self.space.macros(configuration)
        common = ["-O3", "-fopenmp", "-fPIC", *self.options.flags]
        link = [*self.cxx, *self.options.words, "-std=c++20", "-shared"]
        if self.source.language != FORTRAN:
            return [[*link, *common, *macros, "-o", library, "run.cpp"]]
        return [[*self.fortran, "-cpp", "-ffree-line-length-none", *common, *self.options.words, *macros, "-J", ".", "-c",
                 self.main, "-o", "kernel.o"],
                [*link, "-O3", "-fopenmp", "-fPIC", *macros, "-o", library, "run.cpp", "kernel.o", "-lgfortran"]]

    def write_runner(self, folder):
        for name, text in self.sources.items():
            _write(folder / name, text)
        _write(folder / "run.cpp", self.runner())

    def write(self, kernels, work, traffic, tolerance):
        """Writes the folder below `kernels` and returns it; equal calls give the same one."""
        content = hashlib.sha256()
        for one in self.arguments:
            if one.is_array:
                for array in one.alternatives:
                    content.update(one.in_memory(array).view("uint8"))
                content.update(b"" if one.answer is None else one.in_memory(one.answer).view("uint8"))
        parts = [self.sources, self.prelude, self.space_json(), self.cxx, self.options.words,
                 self._fortran_version(), self.asks, self.judge, self.manifest(work, traffic, tolerance),
                 [repr(one.role) for one in self.arguments]]
        content.update(json.dumps(parts, sort_keys=True).encode())
        folder = pathlib.Path(kernels).resolve() / f"{self.name}-{content.hexdigest()[:16]}"
        data = folder / "arguments"
        data.mkdir(parents=True, exist_ok=True)
        for one in self.arguments:
            for at, array in enumerate(one.alternatives if one.is_array else []):
                one.in_memory(array).tofile(data / f"{one.position}.{at}.bin")
            if one.answer is not None:
                one.in_memory(one.answer).tofile(data / f"{one.position}.answer")
        for name, text in self.sources.items():
            _write(folder / name, text)
        _write(folder / self.source_file, self.variant(data))
        _write(folder / "problem.cpp", self.problem(data))
        _write(folder / "kernel.json", json.dumps(self.manifest(work, traffic, tolerance), indent=1) + "\n")
        _write(folder / f"{self.name}.{self.backend}.json", json.dumps(self.space_json(), indent=1) + "\n")
        if self.asks is not None or any(one.answer is not None for one in self.arguments):
            _write(folder / "reference.cpp", self.reference(data))
        if self.source.language == FORTRAN:
            script = folder / "compiler"
            _write(script, self.compiler(folder))
            script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return folder

    def _fortran_version(self):
        if self.source.language != FORTRAN:
            return ""
        return subprocess.run([*self.fortran, "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout

    def environment(self, folder, asked):
        """Names the compiler, where it is not the one that `tune` takes by itself."""
        if self.source.language == FORTRAN:
            return {"ROOFTUNE_CXX": str(folder / "compiler")}
        return {"ROOFTUNE_CXX": shlex.join([*self.cxx, *self.options.words])} if asked or self.options.words else {}


def _quoted(path):
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _marked(parameters):
    return re.sub(r"(^|, )", r"\1[[maybe_unused]] ", parameters)


def _write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
