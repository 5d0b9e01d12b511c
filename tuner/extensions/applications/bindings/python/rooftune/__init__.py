"""Rooftune from Python: tune kernels, read what was found, and ask for it at run time.

    import rooftune
    study = rooftune.tune(kernel="spmv", budget="1min")        # runs `tune`
    print(study.headline, study.best.configuration)
    rooftune.trials(study.path)                                # pandas.DataFrame where pandas is

    best = rooftune.lookup("triad", {"n": 1000}, {"unroll": 1})    # what ROOFTUNE_EXPORTS names
    best["unroll"], best.match, best.reason
"""

from ._look_up import Configuration, Machine, lookup, this_machine
from ._study import Contender, Estimate, RooftuneError, Study, read_export, read_study, trials, tune

__all__ = ["Configuration", "Contender", "Estimate", "Machine", "RooftuneError", "Study", "lookup", "read_export",
           "read_study", "this_machine", "trials", "tune"]
