"""Kernel Tuner's module observers: what a script's own observers are made of.

They are called around calls of each configuration that ran, after the study and in a process of its own; what
get_results() returns goes into the row, for metrics and objectives.
"""


class BenchmarkObserver:
    """Called around each of `iterations` calls of a configuration."""

    def register_device(self, dev):
        """dev.last_result: the time of the configuration by Rooftune's clock [ms]."""
        self.dev = dev

    def register_configuration(self, params):
        """Before the calls of a configuration."""

    def before_start(self):
        """Before a call."""

    def after_start(self):
        """Once a call has begun."""

    def during(self):
        """Again and again while it runs."""

    def after_finish(self):
        """After a call."""

    def get_results(self):
        """A dict for the row of the configuration."""
        raise NotImplementedError(f"{type(self).__name__} has no get_results")


class IterationObserver(BenchmarkObserver):
    """The same."""


class PrologueObserver(BenchmarkObserver):
    """The same: no call of an observer is one that is timed."""


class OutputObserver(BenchmarkObserver):
    """Sees what a configuration computes. Where one is given and no `verify`, results are not compared."""

    def process_output(self, answer, output):
        """answer: as the script gave it; output: arrays where there is an answer, else None."""
        raise NotImplementedError(f"{type(self).__name__} has no process_output")
