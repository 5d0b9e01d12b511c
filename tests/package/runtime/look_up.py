"""The application of look_up.c in Python. Usage: look_up.py FOLDER [RESULT], which holds an export of this host."""

import importlib.metadata
import os
import sys
import threading

import rooftune

folder = sys.argv[1]
assert importlib.metadata.version("rooftune").count(".") == 2
here = rooftune.this_machine()
assert len(here.id) == 32 and here.cores >= 1, here

best = rooftune.lookup("triad", {"n": 1000, "layout": "soa"}, {"unroll": 1, "own": 9}, exports=folder)
assert best == {"unroll": 4, "nt": True, "ratio": 0.5, "schedule": "static", "own": 9}, best
assert (best.match, best.reason, best.machine, best.study) == ("exact", "", here.id, "5d0c"), vars(best)
assert "faster" in best.verdict and not best.faults

near = rooftune.lookup("triad", {"n": 2000.0}, exports=folder)
assert near.match == "other problem" and "n=1000" in near.reason
none = rooftune.lookup("triad", {"n": 1000}, {"unroll": 7}, machine="nobody", exports=folder)
assert none == {"unroll": 7} and none.match == "defaults" and none.reason
absent = rooftune.lookup("triad", defaults={"unroll": 7}, exports="/nowhere")
assert absent == {"unroll": 7} and "/nowhere" in absent.faults[0]

assert rooftune.reload(folder) == [] and "/nowhere" in rooftune.reload("/nowhere")[0]
assert rooftune.lookup("triad", {"n": 1000}, exports=folder)["unroll"] == 4

os.environ["ROOFTUNE_EXPORTS"] = folder
answers = []
threads = [threading.Thread(target=lambda: answers.append(rooftune.lookup("triad", {"n": 1000}))) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(answers) == 8 and all(answer["unroll"] == 4 for answer in answers)

export = rooftune.read_export(os.path.join(folder, "triad.json"))
assert export["schedule"] == "static" and export.study == "5d0c"
for wrong in (folder, "/nowhere", __file__):
    try:
        rooftune.read_study(wrong)
        raise AssertionError(wrong + " was read")
    except rooftune.RooftuneError as fault:
        assert wrong in str(fault)
print("Python: match", best.match + ", unroll", best["unroll"])
