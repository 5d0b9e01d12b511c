"""Kernel Tuner's module accuracy: arguments that a parameter chooses, and observers of the error."""

import re

import numpy

from ._faults import ArgumentError
from .observers import OutputObserver

_FLOATS = {"half": numpy.float16, "f16": numpy.float16, "float": numpy.float32, "single": numpy.float32,
           "f32": numpy.float32, "double": numpy.float64, "f64": numpy.float64}


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

    def select_for_configuration(self, params):
        return self[self.option(params)]

    __call__ = select_for_configuration


class TunablePrecision(Tunable):
    """The same numbers in several types: those of dtypes (half, float and double)."""

    def __init__(self, param_key, array, dtypes=None):
        types = {name: _FLOATS.get(name, name) for name in dtypes or ("half", "float", "double")}
        types.update(dtypes if hasattr(dtypes, "items") else {})
        super().__init__(param_key, {name: numpy.asarray(array).astype(one) for name, one in types.items()})


def _mean(of):
    return lambda a, b, least: numpy.mean(of(a, b, least))


def _root(of):
    return lambda a, b, least: numpy.sqrt(numpy.mean(of(a, b, least) ** 2))


def _difference(a, b, _):
    return numpy.abs(a - b)


def _relative(a, b, least):
    return numpy.abs(a - b) / numpy.maximum(numpy.abs(a), least)


def _logarithmic(a, b, least):
    return numpy.abs(numpy.log10(a + least) - numpy.log10(b + least))


_METRICS = {"mse": lambda a, b, _: numpy.mean((a - b) ** 2), "rmse": _root(_difference),
            "nrmse": lambda a, b, _: numpy.sqrt(numpy.mean((a - b) ** 2) / numpy.mean(a**2)), "mae": _mean(_difference),
            "mre": _mean(_relative), "rmsre": _root(_relative), "male": _mean(_logarithmic), "rmsle": _root(_logarithmic),
            "max": lambda a, b, _: numpy.max(_difference(a, b, _)), "max rel": lambda *all: numpy.max(_relative(*all))}
_WORDS = {"average": "mean", "avg": "mean", "square": "squared", "sq": "squared", "maximum": "max", "relative": "rel",
          "absolute": "abs", "logarithmic": "log"}
_LONG = {"mean squared": "mse", "root mean squared": "rmse", "normalized root mean squared": "nrmse", "abs": "mae",
         "mean abs": "mae", "rel": "mre", "mean rel": "mre", "root mean squared rel": "rmsre", "mean abs log": "male",
         "root mean squared log": "rmsle", "max abs": "max"}


def error_metric_from_name(user_key, EPS=1e-8):
    """A function of the right array and a computed one, by its name: RMSE, "mean relative error", "max" ..."""
    words = [word for word in re.split(r"[\s_-]+", user_key.lower()) if word and word != "error"]
    name = " ".join(_WORDS.get(word, word) for word in words)
    metric = _METRICS.get(_LONG.get(name, name))
    if metric is None:
        raise ArgumentError("metric", f"there is no error {user_key!r}", f"one of {', '.join(_METRICS)}")
    return lambda right, computed: metric(right.astype(numpy.float64), computed.astype(numpy.float64), EPS)


class AccuracyObserver(OutputObserver):
    """Adds the largest error of the outputs to the row, as `key`. metric: a name, or a function of two arrays."""

    def __init__(self, metric=None, key="error", *, atol=1e-8):
        self.key, self.result = key, None
        self.metric = metric if callable(metric) else error_metric_from_name(metric or "rmse", atol)

    def process_output(self, answer, output):
        self.result = max(self.metric(right, computed) for right, computed in zip(answer, output) if right is not None)

    def get_results(self):
        return {self.key: self.result}
