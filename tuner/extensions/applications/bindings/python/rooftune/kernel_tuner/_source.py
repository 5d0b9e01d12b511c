"""kernel_source: a text, a file, a list of files or a function of the parameters, in C, C++, Fortran or CUDA."""

import pathlib
import re

from ._faults import ArgumentError

C, FORTRAN, CUDA = "C", "Fortran", "CUDA"
_LANGUAGES = {"C": C, "C++": C, "CPP": C, "FORTRAN": FORTRAN, "CUDA": CUDA, "NVCUDA": CUDA, "CUPY": CUDA}
_FORTRAN_COMPILERS = ("gfortran", "nvfortran", "ifort", "ifx", "ftn", "flang")
_FORTRAN_SUFFIXES = (".f90", ".f95", ".f03", ".f08")


def is_file_name(text):
    return len(text) <= 250 and not re.search(r"[\n();{}\\]", text) and re.search(r"\.\w{1,4}$", text.strip())


def read_source(name):
    try:
        return pathlib.Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise ArgumentError("kernel_source", f"the file {name} cannot be read: {fault}") from fault


class Source:
    """text: of the main file (of the first configuration, where a function writes it); function: that one, or None;
    files: name -> text of all others that it includes; language: C, FORTRAN or CUDA."""

    def __init__(self, kernel_name, kernel_source, lang, compiler, first):
        self.name, self.function, self.files = kernel_name, None, {}
        if not isinstance(kernel_name, str) or not re.match(r"[A-Za-z_]", kernel_name):
            raise ArgumentError("kernel_name", f"{kernel_name!r} is no function's name")
        folder, suffix = pathlib.Path.cwd(), ""
        sources = list(kernel_source) if isinstance(kernel_source, (list, tuple)) else [kernel_source]
        if not sources:
            raise ArgumentError("kernel_source", "the list is empty")
        main = sources[0]
        if callable(main):
            self.function = main
            self.text = self.function_text(first)
        elif isinstance(main, pathlib.PurePath) or (isinstance(main, str) and is_file_name(main)):
            self.text = read_source(main)
            folder, suffix = pathlib.Path(main).resolve().parent, pathlib.Path(main).suffix
        elif isinstance(main, str):
            self.text = main
        else:
            raise ArgumentError("kernel_source", f"neither text, file, list nor function: {type(main).__name__}")
        for name in sources[1:]:
            self._add(str(name), read_source(name))
        self._collect(self.text, (folder, pathlib.Path.cwd()))
        self.language = self._language(lang, suffix.lower(), compiler)

    def function_text(self, configuration):
        """What the function writes for a configuration, which may be the text of a file's name."""
        try:
            text = self.function(configuration)
        except Exception as fault:
            raise ArgumentError("kernel_source", f"the function raises {type(fault).__name__}: {fault}") from fault
        if not isinstance(text, str):
            raise ArgumentError("kernel_source", f"the function returns {type(text).__name__}, no text")
        return read_source(text) if is_file_name(text) else text

    def _add(self, name, text):
        if pathlib.PurePath(name).is_absolute() or ".." in pathlib.PurePath(name).parts:
            name = pathlib.PurePath(name).name
        self.files[name] = text

    def _collect(self, text, folders):
        """The files that #include "..." names, beside the source or in the current folder."""
        for name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', text, re.M):
            if name in self.files or ".." in pathlib.PurePath(name).parts:
                continue
            for folder in folders:
                if (folder / name).is_file():
                    self._add(name, read_source(folder / name))
                    self._collect(self.files[name], ((folder / name).parent, *folders))
                    break

    def _language(self, lang, suffix, compiler):
        if lang is not None:
            known = _LANGUAGES.get(str(lang).upper())
            if known is None:
                raise ArgumentError("lang", f"{lang!r} is not supported", "C, C++, Fortran and CUDA are")
            if known != C:
                return known
        if pathlib.PurePath(compiler or "").name.startswith(_FORTRAN_COMPILERS) or suffix in _FORTRAN_SUFFIXES:
            return FORTRAN
        if lang is None and "__global__" in self.text:
            return CUDA
        if lang is None and "__kernel" in self.text:
            raise ArgumentError("lang", "OpenCL is not supported", "C, C++, Fortran and CUDA are")
        if re.search(r"\bcuda(Malloc|Memcpy)|<<<|#\s*include\s*[<\"]cuda", self.text):
            raise ArgumentError("kernel_source", "host code that calls CUDA itself is not supported",
                                "give the __global__ function as the kernel, or tune the program (tune --command)")
        return C

    @property
    def offloads(self):
        return bool(re.search(r"(#\s*pragma|!\$)\s*omp\s+target", self.text, re.I))

    @property
    def accelerates(self):
        return bool(re.search(r"(#\s*pragma\s+|!\$)acc\b", self.text, re.I))

    @property
    def returns_float(self):
        """Whether the function hands Kernel Tuner a time of its own."""
        if self.language == FORTRAN:
            return bool(re.search(rf"\bfunction\s+{re.escape(self.name)}\b", self.text, re.I))
        return bool(re.search(rf"\b(float|double)\s+{re.escape(self.name)}\s*\(", self.text))

    def argument_names(self, count):
        """The names in the function's signature, where it has so many; else argument_0 ..."""
        found = re.search(rf"\b{re.escape(self.name)}\s*\(([^()]*)\)", self._without_comments())
        names = []
        for one in found.group(1).split(",") if found else []:
            words = re.findall(r"[A-Za-z_]\w*", one.split("[")[0])
            names.append(words[-1].lower() if words else "")
        if len(names) != count or len(set(names)) != count or not all(
                re.fullmatch(r"[a-z]\w*", name) and name not in _RESERVED for name in names):
            return [f"argument_{at}" for at in range(count)]
        return names

    def _without_comments(self):
        text = re.sub(r"&[ \t]*(![^\n]*)?\n[ \t]*&?", " ", self.text) if self.language == FORTRAN else self.text
        return re.sub(r"![^\n]*" if self.language == FORTRAN else r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)

    def fortran(self, names_count):
        """Gives a Fortran procedure's symbol by gfortran's rules, and for each argument whether it goes by value."""
        text = self._without_comments()
        head = re.search(rf"\b(?:subroutine|function)\s+{re.escape(self.name)}\s*\(([^()]*)\)([^\n]*)", text, re.I)
        if not head:
            raise ArgumentError("kernel_name", f"the source has no subroutine or function {self.name}")
        dummies = [name.strip().lower() for name in head.group(1).split(",") if name.strip()]
        if len(dummies) != names_count:
            raise ArgumentError("arguments", f"{self.name} takes {len(dummies)} arguments, and {names_count} are given")
        body = text[head.end():]
        body = body[:re.search(r"\bend\s*(subroutine|function)\b|\Z", body, re.I).start()]
        by_value = []
        for dummy in dummies:
            declared = re.search(rf"^([^\n]*?)::[^\n]*\b{dummy}\b([^\n]*)", body, re.I | re.M)
            line = declared.group(0) if declared else ""
            if re.search(rf"\b{dummy}\s*\(\s*:", line, re.I) or re.search(r"dimension\s*\(\s*:", line, re.I):
                raise ArgumentError("kernel_source", f"{dummy} of {self.name} is an assumed-shape array",
                                    "give it a size: dimension(n)")
            by_value.append(bool(declared and re.search(r"\bvalue\b", declared.group(1), re.I)))
        bound = re.search(r'bind\s*\(\s*c\s*(?:,\s*name\s*=\s*["\']([^"\']+)["\'])?\s*\)', head.group(2), re.I)
        if bound:
            return bound.group(1) or self.name.lower(), by_value
        module = None
        for found in re.finditer(r"^[ \t]*(end[ \t]+)?module[ \t]+(?!procedure\b)(\w+)", text[:head.start()], re.I | re.M):
            module = None if found.group(1) else found.group(2).lower()
        return (f"__{module}_MOD_{self.name.lower()}" if module else self.name.lower() + "_"), by_value


_RESERVED = set("""alignas alignof and asm auto bitand bitor bool break case catch char class compl concept const
consteval constexpr constinit continue decltype default delete do double else enum explicit export extern false float for
friend goto if in inline int long mutable namespace new noexcept not nullptr operator or private protected public register
requires return short signed sizeof static struct switch template this throw true try typedef typeid typename union
unsigned using virtual void volatile while xor pi""".split())
