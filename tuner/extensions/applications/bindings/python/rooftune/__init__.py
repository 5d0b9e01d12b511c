"""Rooftune from Python: tune kernels, read what was found, and ask for it at run time.

    import rooftune
    study = rooftune.tune(kernel="spmv", budget="1min")        # runs `tune`
    print(study, study.best.configuration, study.bound)
    study.trials()                                             # pandas.DataFrame where pandas is
    rooftune.open("cache.json.gz").best                        # a recording of another tuner

    best = rooftune.lookup("triad", {"n": 1000}, {"unroll": 1})    # what ROOFTUNE_EXPORTS names
    best["unroll"], best.match, best.reason

    import rooftune.kernel_tuner as kernel_tuner               # scripts of Kernel Tuner (docs/python.md)
"""

from ._look_up import Configuration, Machine, lookup, reload, this_machine
from ._own import kernel, program
from ._recording import Recording, open_file
from ._study import (Bound, Claim, Contender, Estimate, Study, read_export, read_study, trials, tune)
from ._tune import RooftuneError

open = open_file  # rooftune.open(path)

__all__ = ["Bound", "Claim", "Configuration", "Contender", "Estimate", "Machine", "Recording", "RooftuneError", "Study",
           "kernel", "lookup", "open", "program", "read_export", "read_study", "reload", "this_machine", "trials",
           "tune"]
