"""Results in Kernel Tuner's forms, and its files of them."""

import json
import os
import platform
import sys

from ._faults import ArgumentError


class ErrorConfig(str):
    """In the place of a time: the configuration has none."""

    def __new__(cls):
        return super().__new__(cls, cls.__name__)


class InvalidConfig(ErrorConfig):
    """Cannot be launched."""


class CompilationFailedConfig(ErrorConfig):
    """Does not compile."""


class RuntimeFailedConfig(ErrorConfig):
    """Crashed, took too long, or gave a wrong result; `error` of its row says which."""


class Results(list):
    """The rows; study: what Rooftune found beside them (None of a simulation)."""

    def __init__(self, rows, study):
        super().__init__(rows)
        self.study = study

    def _repr_html_(self):
        return self.study._repr_html_() if self.study else None


def with_json_suffix(name):
    return name if name.endswith(".json") else name + ".json"


def json_value(value):
    """Whatever JSON cannot write: lists of arrays, texts of all else."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _write(name, document):
    with open(name, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1, default=json_value)


_TIMES = {"compile_time": "compilation_time", "benchmark_time": "benchmark", "framework_time": "framework",
          "strategy_time": "search_algorithm", "verification_time": "validation", "times": "runtimes"}
_OTHERS = ("timestamp", "error", *_TIMES)


def store_output_file(output_filename, results, tune_params, objective="time"):
    """Writes results as T4 (1.0.0), with .json behind the name where it lacks it."""
    rows = []
    for row in results:
        failed = isinstance(row["time"], ErrorConfig)
        validity = {CompilationFailedConfig: "compile", InvalidConfig: "constraints"}.get(type(row["time"]), "runtime")
        if str(row.get("error", "")).startswith("wrong_result"):
            validity = "correctness"
        rows.append({"timestamp": row["timestamp"], "configuration": {name: row[name] for name in tune_params},
                     "times": {name: row[key] for key, name in _TIMES.items()},
                     "invalidity": validity if failed else "correct", "correctness": 0 if failed else 1,
                     "measurements": [{"name": name, "value": value, "unit": "ms" if name.startswith("time") else ""}
                                      for name, value in row.items() if name not in tune_params and name not in _OTHERS],
                     "objectives": [objective]})
    _write(with_json_suffix(output_filename), {"results": rows, "schema_version": "1.0.0"})


def store_metadata_file(metadata_filename):
    """Writes hardware and software as T4's metadata, as far as Python knows them."""
    machine = {"system": platform.platform(), "machine": platform.machine(), "cpus": os.cpu_count()}
    _write(with_json_suffix(metadata_filename),
           {"metadata": {"hardware": {"lshw": [machine]},
                         "environment": {"device_query": {}, "requirements": [f"python=={sys.version.split()[0]}"]}},
            "schema_version": "1.0.0"})


def _order(objective, higher):
    if isinstance(objective, (list, tuple)):
        objective, choose = objective
        return objective, choose is max
    objective = objective or "time"
    return objective, bool(higher) if higher is not None else objective != "time"


def store_results(results_filename, kernel_name, kernel_string, tune_params, problem_size, results, env, top=3,
                  objective=None, objective_higher_is_better=None):
    """Adds the best `top` per cent to a file of results, for create_device_targets."""
    objective, higher = _order(objective, objective_higher_is_better)
    ran = [row for row in results if objective in row and not isinstance(row[objective], ErrorConfig)]
    if not ran:
        raise ArgumentError("results", f"none has {objective}")
    best = (max if higher else min)(row[objective] for row in ran)
    near = [row for row in ran if (row[objective] >= best * (1 - top / 100) if higher
                                   else row[objective] <= best * (1 + top / 100))]
    document = _read(results_filename) if os.path.isfile(results_filename) else {
        "version_number": "1.0", "tunable_parameters": list(tune_params), "kernel_name": kernel_name,
        "kernel_string": kernel_string if isinstance(kernel_string, str) else "", "objective": objective,
        "objective_higher_is_better": higher, "data": []}
    if document.get("kernel_name") != kernel_name or document.get("tunable_parameters") != list(tune_params):
        raise ArgumentError("results_filename", f"{results_filename} is of another kernel or other parameters")
    sizes = "x".join(str(size) for size in (problem_size if isinstance(problem_size, (list, tuple)) else [problem_size]))
    device = env["device_name"].strip().replace(" ", "_")
    data = [row for row in document["data"] if (row["device_name"], row["problem_size"]) != (device, sizes)]
    document["data"] = data + [{"device_name": device, "problem_size": sizes,
                                **{name: row[name] for name in (*tune_params, objective)}} for row in near]
    _write(results_filename, document)


def _read(name):
    try:
        with open(name, encoding="utf-8") as file:
            document = json.load(file)
        document["data"], document["tunable_parameters"]
        return document
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise ArgumentError("results_filename", f"{name} is no file of store_results: {fault}") from fault


def create_device_targets(header_filename, results_filename, objective=None, objective_higher_is_better=None):
    """Writes a header that chooses the parameters by -DTARGET_GPU=<device>, with one set for all as the default."""
    document = _read(results_filename)
    objective, higher = _order(objective or document.get("objective"), objective_higher_is_better
                               if objective_higher_is_better is not None else document.get("objective_higher_is_better"))
    names, rows = document["tunable_parameters"], document["data"]
    if not rows or any(objective not in row for row in rows):
        raise ArgumentError("results_filename", f"{results_filename} has no {objective}")

    def lines(of):
        """The configuration that is among the best most often, then the best of these."""
        groups = {}
        for row in of:
            groups.setdefault(tuple(row[name] for name in names), []).append(row[objective])
        often = max(map(len, groups.values()))
        sums = {key: sum(values) for key, values in groups.items() if len(values) == often}
        chosen = (max if higher else min)(sums, key=sums.get)
        return "".join(f"#define {name} {value}\n" for name, value in zip(names, chosen))
    text = "/* header file generated by Kernel Tuner's interface of Rooftune, do not modify by hand */\n#pragma once\n"
    text += "#ifndef kernel_tuner /* only use these when not tuning */\n\n"
    for at, device in enumerate(dict.fromkeys(row["device_name"] for row in rows)):
        text += f"#{'elif' if at else 'ifdef TARGET_GPU' + chr(10) + '#if'} TARGET_GPU == {_macro(device)}\n"
        text += lines([row for row in rows if row["device_name"] == device])
    text += f"#else\n{lines(rows)}#endif\n#else /* TARGET_GPU */\n{lines(rows)}#endif /* TARGET_GPU */\n\n"
    with open(header_filename, "w", encoding="utf-8") as file:
        file.write(text + "#endif /* kernel_tuner */\n")


def _macro(device):
    return "".join(letter if letter.isalnum() else "_" for letter in device)
