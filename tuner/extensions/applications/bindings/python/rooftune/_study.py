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
    """A number with its interval."""
    value: float
    low: float
    high: float


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
    """A row of the ledger: a ceiling or wall, its state (broken, touching, above, uncertain), the knobs behind it, and
    how that is known (none, ablation, search)."""
    name: str
    kind: str
    state: str
    knobs: tuple
    evidence: str


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
            raise RooftuneError(f"study {self.id} has no page; tune report --study {self.id} writes it")
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
        """The sentence, the times, and the roofline of the page."""
        rows = [("bound", self.bound.seconds, "", self.bound.ceiling)] if self.bound else []
        for name, one in (("best", self.best), ("baseline", self.baseline)):
            if one:
                knobs = ", ".join(f"{knob}={value}" for knob, value in one.configuration.items())
                rows.append((name, one.seconds.value, f"{one.gap.value:.2f}" if one.gap else "", knobs))
        table = "".join(f"<tr><td>{name}</td><td>{seconds * 1e3:.6g}</td><td>{gap}</td><td>{html.escape(text)}</td></tr>"
                        for name, seconds, gap, text in rows)
        try:
            drawn = _tune.picture(self.page)
        except RooftuneError:
            drawn = ""  # the records are gone
        return (f"<p>{html.escape(self.headline)}</p><table><tr><th></th><th>time [ms]</th><th>gap</th><th></th></tr>"
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
    return json_estimate and Estimate(json_estimate["value"], json_estimate["low"], json_estimate["high"])


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
    document = _document(path, "rooftune-result-1")
    try:
        claims = tuple(Claim(row["name"], row["kind"], row["state"], tuple(row["knobs"]), row["evidence"])
                       for row in document["ledger"])
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
    """Of a study: from its result, one of its record files or the folder of them."""
    path = pathlib.Path(path)
    if document is not None or path.suffix == ".json":
        document = document or _document(path, "rooftune-result-1")
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
        _tune.run([*words, "--json", written], show, environment)
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
