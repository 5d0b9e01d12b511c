"""Studies as `tune` leaves them: results, exports and records, all of them JSON."""

import html
import json
import os
import pathlib
import tempfile
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional

from . import _tune
from ._look_up import Configuration
from ._tune import RooftuneError


@dataclass(frozen=True)
class Estimate:
    """A number with its interval; of a claim with its unit: "s", "x" (a ratio), "%", "B"."""
    value: float
    low: float
    high: float
    unit: str = ""


@dataclass(frozen=True)
class Contender:
    """A configuration with what the study states for it."""
    configuration: Mapping[str, Any]
    seconds: Estimate            # per call
    gap: Optional[Estimate]      # over the bound; None without one
    trial: int


@dataclass(frozen=True)
class Bound:
    """The least time of a call on this machine [s], and the ceiling behind it."""
    seconds: float
    low: float
    high: float
    ceiling: str


@dataclass(frozen=True)
class Claim:
    """A statement of the answer: its kind ("faster", "at_limit", "next_tried"), what it is about, its figures by name,
    each with its interval and unit, the names behind it, why it may be wrong, and its words."""
    kind: str
    subject: str
    figures: Mapping[str, Estimate]
    evidence: tuple
    doubts: tuple
    text: str

    def __str__(self):
        return self.text


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
    bound: Optional[Bound]
    best: Optional[Contender]
    baseline: Optional[Contender]
    speedup: Optional[Estimate]
    claims: tuple
    stop: str           # "closed", "budget", "exhausted", "interrupted"
    document: Mapping[str, Any] = field(repr=False)

    def __str__(self):
        return self.headline

    @property
    def records(self):
        """A file of the study's records. Raises RooftuneError where it is gone."""
        return record_files(self.path, self.document)[0]

    @property
    def page(self):
        """The page that `tune` wrote, results/reports/*.html; None where it is gone."""
        # results/records/<kernel>.<backend>.<id>/*.jsonl
        folder = self.records.parent
        page = folder.parent.parent / "reports" / (folder.name + ".html")
        return page if page.is_file() else None

    def trials(self, frame=None):
        """All trials in their order, as rooftune.trials() gives them."""
        return _tune.frame_of(_rows(record_files(self.path, self.document)), frame)

    def open(self):
        """Shows the page in a browser and returns its path. Raises RooftuneError where there is none."""
        page = self.page
        if page is None:
            raise RooftuneError(f"study {self.id} has no page; tune report {self.id} writes it")
        return _tune.show_page(page)

    def export(self, form="header", output=None, **named):
        """`tune export --format FORM`: the text of it, or None where `output` names a file or folder."""
        words = ["export", "--study", self.id, "--kernel", self.kernel, "--backend", self.backend,
                 "--machine", self.machine, "--results", str(self.records.parents[2]), "--format", form]
        if output is None:
            return _tune.ask([*words, *_tune.options(named)])
        _tune.run([*words, "-o", os.fspath(output), *_tune.options(named)])
        return None

    def _repr_html_(self):
        """The headline, the staircase, and the roofline of the page."""
        rows = []
        for step in self.document["staircase"]["steps"]:
            changes = ", ".join(f"{one['knob']} {one['from']} -> {one['to']}" for one in step["changes"])
            rows.append((step["seconds"] and step["seconds"]["value"], step["gain"] and step["gain"]["value"],
                         changes or "baseline", "; ".join(step["broke"])))
        for name, one in (("baseline", self.baseline), ("best", self.best)):
            if one and not self.document["staircase"]["steps"]:
                rows.append((one.seconds.value, None, name, ""))
        table = "".join(f"<tr><td>{f'{seconds * 1e3:.4g}' if seconds else ''}</td><td>{f'{gain:.2f}x' if gain else ''}"
                        f"</td><td>{html.escape(step)}</td><td>{html.escape(broke)}</td></tr>"
                        for seconds, gain, step, broke in rows)
        try:
            drawn = _tune.picture(self.page)
        except RooftuneError:
            drawn = ""  # the records are gone
        return (f"<p>{html.escape(self.headline)}</p><table><tr><th>time [ms]</th><th>gain</th><th>step</th>"
                f"<th>broke</th></tr>"
                f"{table}</table>{drawn}")


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
    return json_estimate and Estimate(json_estimate["value"], json_estimate["low"], json_estimate["high"],
                                      json_estimate.get("unit", ""))


def _claim(found):
    return Claim(found["kind"], found["subject"], {name: _estimate(one) for name, one in found["figures"].items()},
                 tuple(found["evidence"]), tuple(found["doubts"]), found["text"])


def _contender(found):
    if not found:
        return None
    gap = found["gap"] and Estimate(found["gap"]["total"], found["gap"]["interval"]["low"],
                                    found["gap"]["interval"]["high"])
    return Contender(found["configuration"], _estimate(found["seconds"]), gap, found["trial"])


def _bound(found):
    return found and Bound(found["seconds"], found["low"], found["high"], found["ceiling"])


def read_study(path):
    """The result that `tune --json` wrote. Raises RooftuneError."""
    document = _document(path, "rooftune-result-2")
    try:
        claims = tuple(_claim(one) for one in document["claims"])
        return Study(os.fspath(path), document["study"]["id"], document["kernel"], document["backend"],
                     document["machine"], document["machine_id"], document["problem"], document["headline"],
                     _bound(document["bound"]), _contender(document["best"]), _contender(document["baseline"]),
                     _estimate(document["speedup"]), claims, document["stop"]["reason"], document)
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


def record_files(path, document=None):
    """Reads a study from its result, one of its record files or the folder of them."""
    path = pathlib.Path(path)
    if document is not None or path.suffix == ".json":
        document = document or _document(path, "rooftune-result-2")
        records = pathlib.Path(document.get("study", {}).get("records", ""))
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


def trial_bodies(files):
    """The bodies of all trials in their order, each once; what a later check refuted is a wrong result."""
    bodies, refuted = {}, []
    for event, body in _events(files):
        try:
            key = json.dumps(body["configuration"], sort_keys=True) if event in ("trial", "refuted") else ""
            if event == "trial":
                bodies.setdefault((body["index"], key), body)
            elif event == "refuted":
                refuted.append((key, body.get("detail", "")))
        except (KeyError, TypeError, AttributeError):
            continue
    for key, detail in refuted:
        for (_, configuration), body in bodies.items():
            if configuration == key:
                body.update(outcome="wrong_result", detail=detail, measurement=None)
    return sorted(bodies.values(), key=lambda body: body["index"])


def _rows(files):
    rows = []
    for body in trial_bodies(files):
        try:
            rows.append(_trial(body))
        except (KeyError, TypeError, AttributeError):
            continue
    return rows


def trials(path, frame=None):
    """All trials of a study in their order, one row each: index, outcome, detail, seconds per call with
    low and high, cost [s], started, and knob.<name>.

    path: a result, one of the study's record files or their folder, or a recording of another tuner. A
    pandas.DataFrame where pandas is installed, else a list of dicts; frame=False always asks for the list. Raises
    RooftuneError.
    """
    where = pathlib.Path(path)
    if where.suffix == ".jsonl" or where.is_dir():
        return _tune.frame_of(_rows(record_files(path)), frame)
    from ._recording import open_file
    opened = open_file(path)
    if not hasattr(opened, "trials"):
        raise RooftuneError(f"{path}: is an export, which has no trials; name a result, records or a recording")
    return opened.trials(frame)


def _words(problem):
    return ",".join(f"{name}={_word(value)}" for name, value in problem.items())


def _word(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def run_study(words, json_file=None, results=None, show=False, environment=None):
    """Runs a study by these words of `tune` and reads its result. Raises RooftuneError."""
    folder = pathlib.Path(results) if results else _tune.results_folder()
    if results:
        words = [*words, "--results", os.fspath(results)]
    with tempfile.TemporaryDirectory(prefix="rooftune-") as temporary:
        written = os.fspath(json_file) if json_file else os.path.join(temporary, "result.json")
        # A script would have to do the same: wait.
        _tune.run([*words, "--wait", "--json", written], show, environment)
        study = read_study(written)
        if json_file:
            return study
        # The result stays beside the records, so that trials() and pages find it later.
        kept = folder / "answers" / f"{study.kernel}.{study.backend}.{study.id}.json"
        kept.parent.mkdir(parents=True, exist_ok=True)
        document = dict(study.document)
        document["study"] = {**document["study"], "records": os.path.abspath(document["study"]["records"])}
        kept.write_text(json.dumps(document), encoding="utf-8")
        return read_study(os.path.abspath(kept))


def tune(kernel=None, budget=None, problem=None, machine="host", json_file=None, show=False, **options):
    """Runs `tune` and returns its Study. Raises RooftuneError with what it printed when it fails.

    kernel: a name or a folder; a whole program has command="./app {B}", space="app.json" instead. problem: parameters
    by name, or a list of such for one configuration for all of them. Other options are those of `tune --help`, with _
    for -. json_file: where the result goes instead of <results>/answers/. show: print what `tune` prints.
    """
    words = ["--machine", machine] + (["--kernel", os.fspath(kernel)] if kernel is not None else [])
    if budget is not None:
        words += ["--budget", str(budget)]
    for one in [problem] if isinstance(problem, Mapping) else problem or []:
        words += ["--problem", _words(one)]
    results = options.pop("results", None)
    return run_study([*words, *_tune.options(options)], json_file, results, show)
