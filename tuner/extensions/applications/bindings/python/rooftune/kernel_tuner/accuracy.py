"""Kernel Tuner's module accuracy: arguments that a parameter chooses, and observers of the error."""

import re

import numpy

from ._faults import ArgumentError
from .observers import OutputObserver

_FLOATS = {"half": "float16", "f16": "float16", "float": "float32", "single": "float32", "f32": "float32",
           "double": "float64", "f64": "float64"}


class Tunable(dict):
    """An argument of which a parameter chooses the array: {value of the parameter: array}, or a list of arrays. param_key:
    the parameter, an expression over parameters, or a function of them."""

    def __init__(self, param_key, arrays):
        super().__init__(enumerate(arrays) if isinstance(arrays, (list, tuple)) else arrays)
        self.param_key = param_key

    def option(self, params):
        """Which of the keys a configuration chooses."""
        chosen = self.param_key(params) if callable(self.param_key) else eval(self.param_key, {}, params)  # noqa: S307
        if chosen not in self:
            raise ArgumentError("arguments", f"{self.param_key} chooses {chosen!r}, which is none of "
                                f"{', '.join(map(str, self))}")
        return chosen

    def __call__(self, params):
        return self[self.option(params)]


class TunablePrecision(Tunable):
    """The same numbers in several types: those of dtypes (half, float and double)."""

    def __init__(self, param_key, array, dtypes=None):
        dtypes = dtypes or ("half", "float", "double")
        types = dtypes if hasattr(dtypes, "items") else {name: _FLOATS.get(name, name) for name in dtypes}
        super().__init__(param_key, {name: numpy.asarray(array).astype(one) for name, one in types.items()})


_OF = {"": lambda a, b, least: numpy.abs(a - b),
       "relative": lambda a, b, least: numpy.abs(a - b) / numpy.maximum(numpy.abs(a), least),
       "log": lambda a, b, least: numpy.abs(numpy.log10(a + least) - numpy.log10(b + least))}
_SHORT = {"mse": "mean squared", "rmse": "root mean squared", "nrmse": "normalized root mean squared", "mae": "mean",
          "mre": "mean relative", "rmsre": "root mean squared relative", "male": "mean log",
          "rmsle": "root mean squared log"}
_WORDS = {"average": "mean", "avg": "mean", "square": "squared", "sq": "squared", "maximum": "max", "rel": "relative",
          "logarithmic": "log", "abs": "", "absolute": "", "error": ""}


def error_metric_from_name(user_key, EPS=1e-8):
    """A function of the right array and a computed one, by its name: RMSE, "mean relative error", "max" ..."""
    name = _SHORT.get(user_key.lower().strip(), user_key.lower())
    words = [word for word in (_WORDS.get(one, one) for one in re.split(r"[\s_-]+", name)) if word]
    of = _OF[words.pop()] if words and words[-1] in _OF else _OF[""]
    reduce = {"": numpy.mean, "mean": numpy.mean, "max": numpy.max, "mean squared": lambda e: numpy.mean(e**2),
              "root mean squared": lambda e: numpy.mean(e**2) ** 0.5}.get(" ".join(words).replace("normalized ", ""))
    if reduce is None:
        raise ArgumentError("metric", f"there is no error {user_key!r}", f"one of {', '.join(_SHORT)}, max, max relative")

    def metric(right, computed):
        right = right.astype(numpy.float64)
        scale = numpy.mean(right**2) ** 0.5 if "normalized" in words else 1
        return reduce(of(right, computed.astype(numpy.float64), EPS)) / scale
    return metric


class AccuracyObserver(OutputObserver):
    """Adds the largest error of the outputs to the row, as `key`. metric: a name, or a function of two arrays."""

    def __init__(self, metric=None, key="error", *, atol=1e-8):
        self.key, self.result = key, None
        self.metric = metric if callable(metric) else error_metric_from_name(metric or "rmse", atol)

    def process_output(self, answer, output):
        self.result = max(self.metric(right, computed) for right, computed in zip(answer, output) if right is not None)

    def get_results(self):
        return {self.key: self.result}
