"""Rows of results in Kernel Tuner's form."""

from ._faults import ArgumentError
from ._results import CompilationFailedConfig, ErrorConfig, RuntimeFailedConfig

_FAILURES = {"build_failed": CompilationFailedConfig, "wrong_result": RuntimeFailedConfig}


def row_of(body, space):
    """A trial in Kernel Tuner's form: times in milliseconds."""
    cost = {name: 1e3 * (body.get("cost") or {}).get(name, 0) for name in ("build", "validate", "time", "total")}
    row = space.parameters_of(body["configuration"])
    measured = body.get("measurement")
    if measured and body["outcome"] in ("ok", "unstable"):
        row["time"] = measured["seconds"]["value"] * 1e3
        row["times"] = [sample[0] * 1e3 for sample in measured["samples"]]
    else:
        row["time"] = _FAILURES.get(body["outcome"], RuntimeFailedConfig)()
        row["times"] = []
        row["error"] = f"{body['outcome']}: {body.get('detail', '')}"
    row.update(compile_time=cost["build"], verification_time=cost["validate"], benchmark_time=cost["time"],
               strategy_time=0.0, framework_time=max(0.0, cost["total"] - cost["build"] - cost["validate"] - cost["time"]),
               timestamp=body.get("started", ""))
    return row


def measure(rows, metrics):
    """Adds the metrics to the rows that ran; a text is an expression over the row."""
    for row in rows:
        if isinstance(row["time"], ErrorConfig):
            continue
        for name, metric in (metrics or {}).items():
            try:
                row[name] = metric(row) if callable(metric) else eval(metric, {}, row)  # noqa: S307
            except Exception as fault:
                raise ArgumentError("metrics", f"{name} raises {type(fault).__name__}: {fault}") from fault
