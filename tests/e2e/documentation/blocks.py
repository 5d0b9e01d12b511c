#!/usr/bin/env python3
"""Executes every fenced block of README.md, docs/*.md and docs/examples/*/README.md in the current folder, which is a
user's: commands run, with the `tune` beside this file in the place of the real one; code compiles; JSON is read. A
block that cannot run says why in the line above it: <!-- not run: why -->; its `tune` commands are parsed all the same.

Usage: blocks.py SOURCE_DIRECTORY RUNTIME_LIBRARY, with DOCUMENTED_TUNE and DOCUMENTED_PARSER in the environment."""
import collections
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

source, runtime = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
here = pathlib.Path.cwd()
beside = pathlib.Path(__file__).resolve().parent
log = here / "documented.log"
os.environ.update(PATH=f"{beside}:{os.environ['PATH']}", DOCUMENTED_LOG=str(log), ROOFTUNE_TUNE=str(beside / "tune"),
                  ROOFTUNE_LIBRARY=str(runtime), PYTHONDONTWRITEBYTECODE="1",
                  PYTHONPATH=str(source / "tuner/extensions/applications/bindings/python"))

Block = collections.namedtuple("Block", "place language lines above")


def blocks(page):
    lines = page.read_text().splitlines()
    at = 0
    while at < len(lines):
        if lines[at].lstrip().startswith("```"):
            begin = at
            at += 1
            while lines[at].strip() != "```":
                at += 1
            yield Block(f"{page.relative_to(source)}:{begin + 1}", lines[begin].strip()[3:], lines[begin + 1:at],
                        lines[begin - 1] if begin else "")
        at += 1


def run(arguments, text=None):
    ended = subprocess.run(arguments, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "" if ended.returncode == 0 else f"{arguments[0]} ended with {ended.returncode}\n{ended.stdout[-3000:]}"


def shell(block, page):
    """In the folder that the page is about: an example's README stands in its example."""
    folder = here / page.parent.relative_to(source) if page.parent.name != "docs" and page.name == "README.md" else here
    first = block.lines[0]
    if "docs/examples" in "\n".join(block.lines) or page == source / "README.md":
        folder = here
    return run(["bash", "-euo", "pipefail", "-c", f"cd '{folder}'\n" + "\n".join(block.lines)]) if first else ""


def parsed_only(block):
    """Its commands of `tune` as the parser sees them, each by itself."""
    text = re.sub(r"\\\n|&&\n", lambda found: " " if found.group(0)[0] == "\\" else "&& ", "\n".join(block.lines))
    found = ""
    for command in re.findall(r"(?:^|[ ;])(tune (?:-|[a-z])[^\n;&#]*)", text, re.M):
        words = re.sub(r"\$k\b", "spmv", command.split(" :::")[0])
        words = re.sub(r'"?\$(i|PBS_ARRAY_INDEX)\b|\{\}', "1", words).replace('/8"', "/8")
        found += run(["bash", "-c", f"'{os.environ['DOCUMENTED_PARSER']}' {words[5:]}"])
    return found


def code(suffix, compiler, before, after=""):
    def check(block, page):
        file = here / f"block.{suffix}"
        file.write_text(before + "\n".join(block.lines) + "\n" + after)
        return run([*compiler, str(file)])
    return check


# Debian's own interpreter has the packages of Debian.
interpreter = next((one for one in ("/usr/bin/python3", sys.executable) if shutil.which(one)), sys.executable)
has_numpy = not run([interpreter, "-c", "import numpy"])


def python(block, page):
    return run([interpreter, "-"], "import rooftune\nn = 1000\n" + "\n".join(block.lines))


def document(block, page):
    text = "\n".join(block.lines)
    try:
        read = json.loads(f"{{{text}}}" if text.startswith('"') else text)
    except ValueError as fault:
        return str(fault)
    if read.get("schema") != "rooftune-sweep-1":
        return ""
    (here / "documented.json").write_text(json.dumps(read))
    return run([os.environ["DOCUMENTED_TUNE"], "sweep", "documented.json", "--check"])


def quoted(block, page):
    """A literal part of a file that is built, read or run by tests of its own."""
    file = source / "docs" / block.above[len("<!-- from "):-len(" -->")]
    return "" if "\n".join(block.lines) in file.read_text() else f"{file.name} does not hold it"


headers = ["-I", str(source / "tuner/extensions/applications/runtime/include"), "-fsyntax-only"]
fortran = ["gfortran", "-fsyntax-only", "-J", str(here)]
checks = {
    "sh": shell, "json": document, "python": python,
    "c": code("c", ["gcc", *headers], "#include <rooftune/rooftune.h>\nvoid block(int64_t n) {\n", "}\n"),
    "cpp": code("cpp", ["g++", "-std=c++17", *headers],
                "#include <rooftune/tuned_configurations.h>\nvoid block(std::int64_t n) {\n", "}\n"),
    "fortran": code("f90", fortran, """use rooftune
type(rooftune_exports) :: tuned
type(rooftune_answer) :: best
integer(8) :: n, unroll
n = 1000
""", "end\n"),
}

# What a reader has where the pages begin: the examples, a matrix, a program, a plan, a recorded space, two studies.
shutil.copytree(source / "docs/examples", here / "docs/examples")
shutil.copytree(source / "docs/examples/mykernel", here / "mykernel")
shutil.copy(source / "docs/examples/nightly/nightly.json", here)
for name in ("A.mtx", "a.mtx", "b.mtx"):
    (here / name).write_text("%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 2\n2 2 2\n3 3 2\n1 3 1\n")
for name in ("app", "application"):
    (here / name).write_text("#!/bin/sh\necho time: 0.01 s\n")
    (here / name).chmod(0o755)
faults = []
(here / "cache.json.gz").write_bytes(gzip.compress((here / "cache.json").read_bytes()))
prelude = "tune --kernel spmv; tune --kernel triad"
if shutil.which("gfortran"):
    prelude += f"; gfortran -fsyntax-only -J '{here}' '{source}/tuner/extensions/applications/bindings/fortran/rooftune.f90'"
if fault := run(["bash", "-ec", prelude]):
    sys.exit(fault)

pages = [source / "README.md", source / "CONTRIBUTING.md", *sorted((source / "docs").glob("*.md")),
         *sorted((source / "docs/examples").glob("*/README.md"))]
counts = collections.Counter()
not_run = []
for page in pages:
    for block in blocks(page):
        fault, began = "", time.monotonic()
        mark = re.fullmatch(r"<!-- not run: (.+) -->", block.above)
        if block.language == "text":
            counts["shown"] += 1
            continue
        if mark:
            counts["not run"] += 1
            not_run.append(f"{block.place}: {mark.group(1)}")
            fault = parsed_only(block)
        elif block.above.startswith("<!-- from "):
            counts["quoted"] += 1
            fault = quoted(block, page)
        elif block.language not in checks:
            fault = f"its language \"{block.language}\" is none of text, {', '.join(sorted(checks))}"
        elif block.language == "fortran" and not shutil.which("gfortran"):
            not_run.append(f"{block.place}: gfortran is not installed")
        elif block.language == "python" and "import numpy" in block.lines and not has_numpy:
            not_run.append(f"{block.place}: NumPy is not installed")
        else:
            counts["executed"] += 1
            fault = checks[block.language](block, page)
        if os.environ.get("DOCUMENTED_TIMES"):
            print(f"{time.monotonic() - began:6.2f} s  {block.place}", flush=True)
        if fault:
            faults.append(f"{block.place}: {fault}")

commands = collections.Counter(line.split("\t")[0] for line in log.read_text().splitlines())
reasons = collections.Counter(line.split("\t")[1] for line in log.read_text().splitlines() if line.startswith("PARSED"))
print(f"{len(pages)} pages: " + ", ".join(f"{number} blocks {what}" for what, number in sorted(counts.items())))
print(f"commands of tune: {commands['RUN']} run, {commands['PARSED']} parsed "
      f"({', '.join(f'{number} {why}' for why, number in sorted(reasons.items()))})")
print("not run:", *not_run, sep="\n  ")
if faults or counts["executed"] < 20:
    sys.exit("\n".join(["faults:", *faults]) if faults else "hardly any block was found")
