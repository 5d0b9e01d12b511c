"""Typed results and recordings. Run in a user's folder with cache.json, by python_test.cpp."""

import gzip
import os
import sys
import unittest

import rooftune


class Studies(unittest.TestCase):
    def test_a_result_is_typed_and_its_trials_stay(self):
        study = rooftune.tune(kernel="triad", problem={"n": 2000}, budget=2, no_staircase=True, no_anchors=True,
                              counters="none", threads=1)
        self.assertEqual(str(study), study.headline)
        self.assertLess(len(repr(study)), 5000)
        self.assertTrue(study.bound.ceiling)
        self.assertIn(study.claims[0].kind, ("faster", "baseline_best", "undecided"))
        self.assertIn("time", study.claims[0].figures)
        self.assertTrue(all(str(claim) == claim.text for claim in study.claims))
        rows = study.trials(frame=False)
        self.assertGreaterEqual(len(rows), 2)
        # The result stays where it was written, for whoever has its path alone.
        self.assertEqual(rooftune.trials(study.path, frame=False), rows)
        self.assertEqual(rooftune.open(study.path).id, study.id)
        self.assertTrue(study.page.is_file())
        self.assertIn("data:image/svg", study._repr_html_())
        self.assertIn("ROOFTUNE_TRIAD_", study.export("header", as_recorded=True))

    def test_errors_name_place_and_cure(self):
        with self.assertRaises(rooftune.RooftuneError) as raised:
            rooftune.tune(kernel="triad", problem={"m": 1})
        self.assertEqual(raised.exception.code, 2)
        self.assertTrue(raised.exception.where and raised.exception.hint, raised.exception)
        os.environ["ROOFTUNE_TUNE"], kept = "/nowhere/tune", os.environ["ROOFTUNE_TUNE"]
        try:
            with self.assertRaisesRegex(rooftune.RooftuneError, "/nowhere/tune"):
                rooftune.tune(kernel="triad")
        finally:
            os.environ["ROOFTUNE_TUNE"] = kept

    def test_recordings_are_opened_and_replayed(self):
        with open("cache.json", "rb") as file:
            text = file.read()
        with gzip.open("cache.json.gz", "wb") as file:
            file.write(text)
        for name in ("cache.json", "cache.json.gz"):
            recording = rooftune.open(name)
            self.assertEqual(len(recording), 3)
            self.assertEqual(recording.best["seconds"], 2e-3)
            self.assertEqual([row["outcome"] for row in recording.trials(frame=False)], ["ok", "ok", "crashed"])
            self.assertEqual(rooftune.trials(name, frame=False)[0]["metric.GFLOP/s"], 1948.5)
        self.assertIn("2 ms", recording._repr_html_())
        self.assertIn("data:image/svg", recording._repr_html_())
        self.assertEqual(recording.page.name, "recorded.cache.html")
        self.assertIn("bx=32", recording.page.read_text(encoding="utf-8"))
        found = recording.replay("random", seeds=2, budget=3)
        self.assertEqual(found["schema"], "rooftune-replay-1")
        for wrong in ("absent.json", os.path.abspath(__file__)):
            with self.assertRaises(rooftune.RooftuneError):
                rooftune.trials(wrong)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
