"""Studies as `tune` leaves them: results, exports and records, all of them JSON."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any, Mapping, Optional

from ._look_up import Configuration


class RooftuneError(Exception):
    """A file that is no document of Rooftune, or a run of `tune` that failed (`code`, its exit code)."""

    def __init__(self, message, code=None):
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Estimate:
    """A number with its interval."""
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Contender:
    """A configuration with what the study states for it."""
    configuration: Mapping[str, Any]
    seconds: Estimate   # per call
    gap: Estimate       # over the bound
    trial: int


@dataclass(frozen=True)
class Study:
    """The answer of a study; `document` holds all of it (docs/records.md)."""
    path: str
    id: str
    kernel: str
    backend: str
    machine: str
    machine_id: str
    problem: Mapping[str, Any]
    headline: str
    bound_seconds: float
    best: Optional[Contender]
    baseline: Optional[Contender]
    speedup: Optional[Estimate]
    stop: str           # "closed", "budget", "exhausted", "interrupted"
    document: Mapping[str, Any]


def _document(path, schema):
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as fault:
        raise RooftuneError(f"{path}: {fault}") from fault
    found = document.get("schema") if isinstance(document, dict) else None
    if found != schema:
        raise RooftuneError(f"{path}: is no {schema} document but {found!r}")
    return document


def _estimate(json_estimate):
    return json_estimate and Estimate(json_estimate["value"], json_estimate["low"], json_estimate["high"])


def _contender(found):
    if not found:
        return None
    gap, interval = found["gap"]["total"], found["gap"]["interval"]
    return Contender(found["configuration"], _estimate(found["seconds"]),
                     Estimate(gap, interval["low"], interval["high"]), found["trial"])


def read_study(path):
    """The result that `tune --json` wrote. Raises RooftuneError."""
    document = _document(path, "rooftune-result-1")
    try:
        return Study(os.fspath(path), document["study"]["id"], document["kernel"], document["backend"],
                     document["machine"], document["machine_id"], document["problem"], document["headline"],
                     document["bound"]["seconds"], _contender(document["best"]), _contender(document["baseline"]),
                     _estimate(document["speedup"]), document["stop"]["reason"], document)
    except (KeyError, TypeError) as fault:
        raise RooftuneError(f"{path}: lacks or damages the member {fault}") from fault


def read_export(path):
    """The configuration that `tune export --format json` wrote, whatever machine it is of. Raises RooftuneError."""
    document = _document(path, "rooftune-export-1")
    try:
        machine, provenance = document["machine"], document.get("provenance", {})
        return Configuration(document["configuration"], "exact", "", machine.get("id") or machine.get("name", ""),
                             provenance.get("study", ""), provenance.get("verdict", {}).get("sentence", ""))
    except (KeyError, TypeError, AttributeError, ValueError) as fault:
        raise RooftuneError(f"{path}: lacks or damages the member {fault}") from fault


def _record_files(path):
    """Of a study: from its result, one of its record files or the folder of them."""
    path = pathlib.Path(path)
    if path.suffix == ".json":
        records = pathlib.Path(_document(path, "rooftune-result-1").get("study", {}).get("records", ""))
        if not records.is_absolute() and not records.exists():
            records = path.parent / records
        path = records.parent
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files or not all(file.is_file() for file in files):
        raise RooftuneError(f"{path}: there are no records; name a result, a file or a folder of records")
    return files


def _events(files):
    for file in files:
        with open(file, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                try:
                    event = json.loads(line)
                    yield event["event"], event["body"]
                except (ValueError, KeyError, TypeError, RecursionError):
                    continue  # a line that a kill tore


def _trial(body):
    measured = body.get("measurement") or {}
    seconds = measured.get("seconds") or {}
    row = {"index": body["index"], "outcome": body["outcome"], "detail": body.get("detail", ""),
           "seconds": seconds.get("value"), "low": seconds.get("low"), "high": seconds.get("high"),
           "cost": (body.get("cost") or {}).get("total"), "started": body.get("started")}
    row.update(("knob." + name, value) for name, value in body["configuration"].items())
    return row


def trials(path, frame=None):
    """All trials of a study in their order, one row each: index, outcome, detail, seconds per call with
    low and high, cost [s], started, and knob.<name>.

    path: a result, one of the study's record files or their folder. A pandas.DataFrame where pandas is
    installed, else a list of dicts; frame=False always asks for the list. Raises RooftuneError.
    """
    rows, refuted = {}, []
    for event, body in _events(_record_files(path)):
        try:
            if event == "trial":
                rows.setdefault((body["index"], json.dumps(body["configuration"], sort_keys=True)), _trial(body))
            elif event == "refuted":
                refuted.append((json.dumps(body["configuration"], sort_keys=True), body.get("detail", "")))
        except (KeyError, TypeError, AttributeError):
            continue
    for key, detail in refuted:
        for (_, configuration), row in rows.items():
            if configuration == key:
                row.update(outcome="wrong_result", detail=detail, seconds=None, low=None, high=None)
    table = sorted(rows.values(), key=lambda row: row["index"])
    if frame is False:
        return table
    try:
        import pandas
    except ImportError:
        if frame:
            raise
        return table
    return pandas.DataFrame(table)


def _program():
    """`tune`: as told, of the same installation, or on the path."""
    if os.environ.get("ROOFTUNE_TUNE"):
        return os.environ["ROOFTUNE_TUNE"]
    # <prefix>/share/rooftune/python/rooftune/_study.py
    parents = pathlib.Path(__file__).resolve().parents
    if len(parents) > 4 and (parents[4] / "bin" / "tune").is_file():
        return str(parents[4] / "bin" / "tune")
    found = shutil.which("tune")
    if not found:
        raise RooftuneError("there is no program tune; install Rooftune or name it with ROOFTUNE_TUNE")
    return found


def _words(problem):
    return ",".join(f"{name}={_word(value)}" for name, value in problem.items())


def _word(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def _options(options):
    """strategy="random" as --strategy random, no_ablation=True as --no-ablation, lists as repetitions."""
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                yield option
            elif one is not None and one is not False:
                yield from (option, str(one))


def tune(kernel, budget=None, problem=None, machine="host", json_file=None, **options):
    """Runs `tune` and returns its Study. Raises RooftuneError with what it printed when it fails.

    problem: parameters by name, or a list of such for one configuration for all of them. Other
    options are those of `tune --help`, with _ for -. json_file: where the result stays; else it is
    read from a temporary file, and only Study.document keeps it.
    """
    with tempfile.TemporaryDirectory(prefix="rooftune-") as folder:
        target = os.fspath(json_file) if json_file else os.path.join(folder, "result.json")
        command = [_program(), "--kernel", os.fspath(kernel), "--machine", machine, "--json", target]
        if budget is not None:
            command += ["--budget", str(budget)]
        for one in [problem] if isinstance(problem, Mapping) else problem or []:
            command += ["--problem", _words(one)]
        command += _options(options)
        run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, errors="replace", check=False)
        if run.returncode != 0:
            raise RooftuneError(f"tune ended with exit code {run.returncode}:\n{run.stdout.strip()}", run.returncode)
        return read_study(target)
