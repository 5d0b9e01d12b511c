"""Kernel Tuner's modules and spaces on Rooftune, without a study. Run as kernel_tuner.py is."""

import json
import os
import shutil
import subprocess
import sys
import time
import unittest

try:
    import numpy
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)

from rooftune.kernel_tuner import ArgumentError, Difference, RuntimeFailedConfig, run_kernel, util
from rooftune.kernel_tuner.accuracy import error_metric_from_name
from rooftune.kernel_tuner.utils import directives
from rooftune.kernel_tuner._search import best_of
from rooftune.kernel_tuner._space import Space


class Scripts(unittest.TestCase):
    def test_kernels_are_cut_out_of_programs(self):
        program = """#define N 100
#include <stdlib.h>
int main(void) {
  #pragma tuner initialize
  int shift = 1;
  #pragma tuner stop
  #pragma tuner start add a(float*:N) b(float*:M,2) c(float*:N) n(int:N)
  #pragma acc parallel loop vector_length(nthreads)
  for (int i = 0; i < n; i++) c[i] = a[i] + b[i] + shift;
  #pragma tuner stop
}
"""
        sources, arguments = directives.process_directives(directives.Code(directives.OpenACC(), directives.Cxx()), program,
                                                           user_dimensions={"M": 50})
        with self.assertWarnsRegex(Difference, "nvc.. is not used: g.. compiles.*-fast -acc=gpu has no effect"):
            after = run_kernel("add", sources["add"], 0, arguments["add"], {"nthreads": 32}, compiler="nvc++",
                               compiler_options=["-fast", "-acc=gpu"])
        self.assertTrue(numpy.array_equal(after[2], arguments["add"][0] + arguments["add"][1] + 1))
        self.assertEqual(arguments["add"][3], 100)
        with self.assertRaisesRegex(ArgumentError, "has no stop"):
            directives.extract_directive_code(program.replace("tuner stop", "tuner"), directives.Code(None, directives.Cxx()))
        with self.assertRaisesRegex(ArgumentError, "the size K"):
            directives.allocate_signature_memory({"a": ["float*", "K"]})

    @unittest.skipUnless(shutil.which("gfortran"), "gfortran is not installed")
    def test_kernels_are_cut_out_of_programs_in_fortran(self):
        program = """#define N 100
  !$tuner start add A(double*:N) B(double*:N) s(double:N) i(int:N)
  do i = 1, N
    B(i) = A(i) * s
  end do
  !$tuner stop
"""
        sources, arguments = directives.process_directives(directives.Code(directives.OpenMP(), directives.Fortran()), program)
        after = run_kernel("add", sources["add"], 0, arguments["add"], {}, compiler="nvfortran")
        self.assertTrue(numpy.array_equal(after[1], arguments["add"][0] * 100))

    def test_errors_have_names(self):
        right, computed = numpy.array([1.0, 10.0]), numpy.array([1.0, 11.0])
        for name, error in (("MSE", 0.5), ("root mean square error", 0.5**0.5), ("mean absolute error", 0.5),
                            ("MRE", 0.05), ("max", 1), ("maximum relative error", 0.1)):
            self.assertAlmostEqual(error_metric_from_name(name)(right, computed), error)
        with self.assertRaisesRegex(ArgumentError, "no error"):
            error_metric_from_name("most")

    def test_rows_have_words(self):
        rows = [{"time": RuntimeFailedConfig(), "v": 1}, {"time": 2.0, "v": 2}, {"time": 1.0, "v": 3}]
        self.assertEqual(util.get_best_config(rows, "time")["v"], 3)
        self.assertEqual(util.get_best_config(rows, "time", True)["v"], 2)
        self.assertEqual(util.get_config_string(rows[1], units={"time": "ms"}), "time=2.0ms, v=2")
        self.assertEqual(util.get_config_string(rows[1], ["v"]), "v=2")
        self.assertEqual(util.get_instance_string({"a": 1, "b": "x"}), "1_x")

    def test_the_front_of_several_objectives_is_what_nothing_beats(self):
        rows = [{"time": time, "size": size} for time, size in ((1, 5), (2, 4), (2, 5), (3, 4), (4, 1), (1, 5))]
        front = best_of(rows, {"time": False, "size": False})
        self.assertEqual([(row["time"], row["size"]) for row in front], [(1, 5), (2, 4), (4, 1), (1, 5)])
        self.assertEqual(best_of(rows, {"size": True})["time"], 1)

    def test_the_end_of_a_script_is_the_end_of_its_tune(self):
        with open("long.py", "w", encoding="utf-8") as file:
            file.write("import rooftune\nrooftune.program('sleep {B}', {'B': list(range(5, 90))}, show=True)\n")
        script = subprocess.Popen([sys.executable, "long.py"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        script.stdout.readline()  # `tune` runs
        with open(f"/proc/{script.pid}/task/{script.pid}/children", encoding="utf-8") as file:
            tune = file.read().split()[0]
        script.terminate()
        script.wait()

        def runs():
            try:
                with open(f"/proc/{tune}/stat", encoding="utf-8") as file:
                    return file.read().rsplit(")", 1)[1].split()[0] != "Z"  # whoever adopts it may leave it so
            except FileNotFoundError:
                return False
        for _ in range(600):
            if not runs():
                break
            time.sleep(0.1)
        self.assertFalse(runs(), "tune outlives its script")
        script.stdout.close()


class Spaces(unittest.TestCase):
    def test_restrictions_mean_in_the_space_what_they_mean_in_python(self):
        tune_params = {"block_size_x": [16, 32, 64], "Tile": [1, 2, 3, 4], "form": ["float", "double"],
                       "share": [0.25, 0.5], "any": [1, "x"]}

        def named(block_size_x, Tile):
            return block_size_x % Tile == 0 and Tile != 1
        for restrictions, evaluated in (
                (["block_size_x*Tile <= 64", "form == 'float' or share > 0.3"], 0),
                (lambda p: p["block_size_x"] * p["Tile"] >= 48, 0),
                ([lambda p: p["block_size_x"] > 16 or p["any"] == "x", named, "Tile not in (2, 3)"], 3),
                (["any == 'x'", lambda p: p["form"] == "double" and 2 < p["Tile"] < 4], 2)):
            space = Space(tune_params, restrictions)
            self.assertEqual(len(space.evaluated), evaluated)
            with open("space.json", "w", encoding="utf-8") as file:
                json.dump(space.json("k", "openmp"), file)
            counted = subprocess.run([os.environ["ROOFTUNE_TUNE"], "space", "space.json", "--count", "--json"],
                                     stdout=subprocess.PIPE, check=True, text=True).stdout
            self.assertEqual(json.loads(counted)["valid"], len(list(space.configurations())), restrictions)

    def test_a_huge_space_needs_no_enumeration(self):
        space = Space({f"p{i}": list(range(100)) for i in range(10)}, ["p0 + p1 > 2", lambda p: p["p2"] <= p["p3"]])
        self.assertEqual(space.evaluated, [])
        with self.assertRaisesRegex(ArgumentError, "restrictions: .*too large"):
            Space({f"p{i}": list(range(100)) for i in range(10)}, lambda p: sum(p.values()) > 5)


if __name__ == "__main__":
    unittest.main()
