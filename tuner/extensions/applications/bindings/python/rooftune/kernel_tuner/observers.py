"""Kernel Tuner's module observers: what a script's own observers are made of."""


class BenchmarkObserver:
    """Is called around each of `iterations` calls of a configuration that ran, after the study and in a process of its own.
    get_results() gives a dict for the row, which metrics and objectives may name. dev.last_result: the configuration's
    time by Rooftune's clock [ms]."""

    def register_device(self, dev):
        self.dev = dev

    def _pass(self, *_):
        """Observers replace what they need: `during` comes again and again while a call runs."""

    register_configuration = before_start = after_start = during = after_finish = _pass

    def get_results(self):
        raise NotImplementedError(f"{type(self).__name__} has no get_results")


IterationObserver = PrologueObserver = BenchmarkObserver


class OutputObserver(BenchmarkObserver):
    """process_output(answer, output) sees what a configuration computes: arrays where there is an answer, else None. Where
    one is given and no `verify`, results are not compared."""
