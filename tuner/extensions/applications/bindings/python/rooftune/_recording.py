"""Recordings of other tuners (T4, cachefiles, KTT), read through `tune`."""

import html
import json
import os
import pathlib
import tempfile

from . import _tune
from ._study import read_export, read_study
from ._tune import RooftuneError

_OUTCOMES = {"correct": "ok", "compile": "build_failed", "timeout": "timed_out", "correctness": "wrong_result",
             "constraints": "pruned"}


class Recording:
    """A recorded space. results: its configurations with times in milliseconds, in the form T4, whatever form the file
    has; notes: where the file deviates from its form."""

    def __init__(self, path):
        self.path = os.fspath(path)
        with tempfile.TemporaryDirectory(prefix="rooftune-") as folder:
            written = os.path.join(folder, "t4.json")
            said = _tune.run(["import", self.path, "--format", "t4", "-o", written])
            with open(written, encoding="utf-8") as file:
                self.document = json.load(file)
        self.results = self.document["results"]
        self.notes = [line[6:] for line in said.splitlines() if line.startswith("note: ")]

    def __repr__(self):
        return f"Recording({self.path!r}, {len(self.results)} configurations)"

    def __len__(self):
        return len(self.results)

    def trials(self, frame=None):
        """One row each: index, outcome, seconds, cost [s], started, knob.<name>, and metric.<name>."""
        return _tune.frame_of([_row(index, result) for index, result in enumerate(self.results)], frame)

    @property
    def best(self):
        """The row of the fastest configuration; None where nothing ran."""
        ran = [row for row in self.trials(frame=False) if row["seconds"] is not None]
        return min(ran, key=lambda row: row["seconds"]) if ran else None

    @property
    def page(self):
        """A page of all trials, which `tune report` writes: results/reports/recorded.*.html."""
        said = _tune.ask(["report", self.path])
        return pathlib.Path(said.rpartition("report: ")[2].strip())

    def open(self):
        """Shows the page in a browser and returns its path."""
        return _tune.show_page(self.page)

    def replay(self, strategy="roofline", seeds=50, budget=400, **options):
        """What `tune replay` finds: searches of these strategies on this recording (docs/exchange.md)."""
        words = ["replay", self.path, "--strategy", strategy, "--seeds", str(seeds), "--budget", str(budget), "--json"]
        return json.loads(_tune.ask([*words, *_tune.options(options)]))

    def _repr_html_(self):
        best = self.best
        said = "nothing ran" if best is None else f"best {best['seconds'] * 1e3:.6g} ms with " + ", ".join(
            f"{name[5:]}={value}" for name, value in best.items() if name.startswith("knob."))
        return (f"<p>{html.escape(self.path)}: {len(self)} configurations, {html.escape(said)}</p>"
                f"{_tune.picture(self.page)}")


def _row(index, result):
    outcome = _OUTCOMES.get(result.get("invalidity"), "crashed")
    row = {"index": index, "outcome": result.get("rooftune_outcome", outcome), "seconds": None,
           "started": result.get("timestamp")}
    times = result.get("times", {})
    known = [times[name] for name in ("compilation_time", "benchmark", "framework", "search_algorithm", "validation")
             if isinstance(times.get(name), (int, float))]
    row["cost"] = sum(known) / 1e3
    row.update(("knob." + name, value) for name, value in result["configuration"].items())
    for measured in result["measurements"]:
        if measured["name"] != "time":
            row["metric." + measured["name"]] = measured["value"]
        elif outcome == "ok" and isinstance(measured["value"], (int, float)):
            row["seconds"] = measured["value"] / 1e3
    return row


def open_file(path):
    """What a file holds: a Study (a result), a Configuration (an export), or a Recording (T4, cachefile, KTT;
    plain or gzip). Raises RooftuneError."""
    path = pathlib.Path(path)
    if not path.exists():
        raise RooftuneError(f"{path}: is not there")
    if path.suffix == ".json":
        try:
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
            schema = document.get("schema") if isinstance(document, dict) else None
        except (OSError, UnicodeDecodeError, ValueError, RecursionError):
            schema = None  # `tune` reads unclosed cachefiles, too, and names all other faults
        if schema == "rooftune-result-2":
            return read_study(path)
        if schema == "rooftune-export-1":
            return read_export(path)
    return Recording(path)
