"""rooftune.kernel and rooftune.program. Run in a user's folder, by python_test.cpp; ends with 77 where NumPy is not."""

import sys
import unittest

try:
    import numpy
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)

import rooftune
from rooftune.kernel_tuner import ArgumentError

QUICK = {"no_staircase": True, "no_anchors": True, "counters": "none", "threads": 1}
SCALE = "void scale(double* x, int n) { for (int i = 0; i < n; ++i) x[i] *= factor; }\n"


def twice(x, n):
    x *= 2


class Own(unittest.TestCase):
    def test_a_kernel_is_compared_with_a_function_of_python(self):
        x = numpy.arange(1000.0)
        study = rooftune.kernel(SCALE, [x, numpy.int32(1000)], {"factor": [2, 3]}, twice, tune_options=QUICK)
        self.assertEqual(study.best.configuration, {"factor": 2})
        self.assertEqual([row["outcome"] for row in study.trials(frame=False)], ["ok", "wrong_result"])
        self.assertEqual(x[3], 3, "the caller's array has changed")

    def test_what_cannot_be_meant_is_an_error_that_names_the_argument(self):
        x = numpy.ones(4)
        for argument, call in {
                "name": lambda: rooftune.kernel(SCALE + SCALE.replace("scale", "other"), [x, numpy.int32(4)], {}),
                "reference": lambda: rooftune.kernel(SCALE, [x, numpy.int32(4)], {}, lambda x, n: 2 * x),
                "kernel_source": lambda: rooftune.kernel("absent.cpp", [x], {})}.items():
            with self.assertRaises(ArgumentError) as raised:
                call()
            self.assertEqual(raised.exception.argument, argument)

    def test_a_program_is_tuned_over_a_dict(self):
        study = rooftune.program("sh -c 'echo time: {B}'", {"B": [3, 2, 1]}, constraints=["B != 2"],
                                 metric=r"regex:time: (\S+)", budget=3)
        self.assertEqual(study.best.configuration, {"B": 1})
        self.assertEqual(len(study.trials(frame=False)), 2)
        with self.assertRaisesRegex(rooftune.RooftuneError, "C"):
            rooftune.program("echo {C}", {"B": [1]})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
