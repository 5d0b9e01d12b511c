"""Scripts of Kernel Tuner on Rooftune. Run in a user's folder, by python_test.cpp; ends with 77 where NumPy is not."""

import json
import os
import shutil
import subprocess
import sys
import unittest
import warnings

try:
    import numpy
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)

import rooftune
from rooftune.kernel_tuner import (ArgumentError, CompilationFailedConfig, Difference, RuntimeFailedConfig,
                                   create_device_targets, run_kernel, store_metadata_file, store_output_file,
                                   store_results, tune_kernel)
from rooftune.kernel_tuner import tune_cache, wrappers
from rooftune.kernel_tuner.accuracy import AccuracyObserver, Tunable, TunablePrecision
from rooftune.kernel_tuner.observers import BenchmarkObserver
from rooftune.kernel_tuner._source import Source

SIZE = 1000
QUICK = {"no_staircase": True, "no_anchors": True, "counters": "none", "threads": 1}
ADD = """
extern "C" float vector_add(float *c, float *a, float *b, int n) {
  for (int i = 0; i < n; i += step)
    for (int k = i; k < i + step && k < n; ++k) c[k] = a[k] + b[k] + (mode == wrong ? 1 : 0);
  return 0;
}
"""


def vectors():
    a = numpy.arange(SIZE, dtype=numpy.float32)
    b = numpy.full(SIZE, 2, dtype=numpy.float32)
    return [numpy.zeros(SIZE, numpy.float32), a, b, numpy.int32(SIZE)]


class Runs(unittest.TestCase):
    def test_arguments_come_back_as_a_call_leaves_them(self):
        arguments = vectors()
        source = "enum { right, wrong };" + ADD
        after = run_kernel("vector_add", source, SIZE, arguments, {"step": 4, "mode": "right"})
        self.assertTrue(numpy.array_equal(after[0], arguments[1] + 2))
        self.assertEqual(after[3], SIZE)
        self.assertFalse(arguments[0].any(), "the caller's array has changed")

    def test_arrays_of_many_types_are_compared(self):
        source = """
        #include <complex>
        #include <cstdint>
        void many(std::uint8_t* image, std::complex<float>* signal, _Float16* half, bool* mask, std::uint64_t n) {
          for (std::uint64_t i = 0; i < n; ++i) {
            image[i] += 200; signal[i] *= std::complex<float>(0, 2); half[i] *= (_Float16)0.5;
            mask[i] = image[i] > 201 + wrong;
          }
        }"""
        n = 8
        image, half = numpy.arange(n, dtype=numpy.uint8), numpy.arange(n, dtype=numpy.float16)
        signal, mask = numpy.arange(n).astype(numpy.complex64), numpy.zeros(n, numpy.bool_)
        results, _ = tune_kernel("many", source, n, [image, signal, half, mask, numpy.uint64(n)], {"wrong": [0, 1]},
                                 answer=[image + 200, signal * 2j, half / 2, image > 1, None],
                                 quiet=True, tune_options=QUICK)
        self.assertEqual([one["wrong"] for one in results if isinstance(one["time"], float)], [0], results)

    def test_all_types_and_both_orders(self):
        source = """
        template <class T> void twice(T* x, int n) { for (int i = 0; i < n; ++i) x[i] += x[i]; }
        void all(signed char* a, unsigned short* b, double* c, long* d, double factor, bool yes) {
          twice(a, 4); twice(b, 4); twice(d, 4);
          for (int i = 0; i < 6; ++i) c[i] = yes ? c[i] * factor + i : 0;
        }"""
        c = numpy.asfortranarray(numpy.ones((2, 3)))
        after = run_kernel("all", source, 1, [numpy.ones(4, numpy.int8), numpy.ones(4, numpy.uint16), c,
                                              numpy.ones(4, numpy.int64), numpy.float64(0.5), numpy.bool_(True)], {})
        for at in (0, 1, 3):
            self.assertEqual(after[at].tolist(), [2, 2, 2, 2])
        self.assertEqual(after[2].tolist(), [[0.5, 2.5, 4.5], [1.5, 3.5, 5.5]])

    def test_functions_of_arrays_get_a_wrapper(self):
        source = "template <class T, int n> void f(T (&y)[n], const T (&x)[n], int s) { y[n - 1] = s * x[n - 1]; }"
        arguments = [numpy.zeros(3), numpy.arange(3.0), numpy.int32(5)]
        wrapped = wrappers.cpp("f", source, arguments, convert_to_array=[True, True, False])
        after = run_kernel("f_wrapper", wrapped, 1, arguments, {}, lang="C")
        self.assertEqual(after[0].tolist(), [0, 0, 10])

    def test_a_crash_and_a_fault_of_the_source_are_exceptions(self):
        with self.assertRaisesRegex(rooftune.RooftuneError, "signal"):
            run_kernel("f", "void f(double* x) { __builtin_trap(); }", 1, [numpy.ones(1)], {})
        with self.assertRaisesRegex(rooftune.RooftuneError, "(?s)does not compile.*nothing"):
            run_kernel("f", "void f(double* x) { x[0] = nothing; }", 1, [numpy.ones(1)], {})

    def test_sources_are_texts_files_lists_and_functions(self):
        with open("value.h", "w", encoding="utf-8") as file:
            file.write("#define value (2 * base)\n")
        text = '#include "value.h"\nvoid f(int* x) { x[0] = value; }\n'
        with open("f.cpp", "w", encoding="utf-8") as file:
            file.write(text)
        x = [numpy.zeros(1, numpy.int32)]

        def of(source, params, **more):
            return int(run_kernel("f", source, 1, x, params, **more)[0][0])
        self.assertEqual(of(text, {"base": 3}), 6)
        self.assertEqual(of("f.cpp", {"base": 4}), 8)
        self.assertEqual(of(["f.cpp", "value.h"], {"base": 5}), 10)
        self.assertEqual(of(lambda p: f"void f(int* x) {{ x[0] = {p['base']}; }}", {"base": 7}), 7)
        self.assertEqual(of("void f(int* x) { x[0] = grid_size_x * 100 + block_size_y + kernel_tuner; }",
                            {"block_size_x": 16}), 102)
        self.assertEqual(of("void f(int* x) { x[0] = twice; }", {"n": 4}, defines={"twice": lambda p: 2 * p["n"]}), 8)
        self.assertEqual(of("void f(int* x) { x[0] = ten; }", {}, compiler_options=["-O2", "-Dten=10"]), 10)

    def test_kernels_are_tuned_against_the_answer(self):
        arguments = vectors()
        answer = [arguments[1] + arguments[2], None, None, None]
        tune_params = {"step": [4], "mode": ["right", "wrong", "none"]}
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            results, env = tune_kernel("vector_add", "enum { right, wrong };" + ADD, SIZE, arguments, tune_params,
                                       answer=answer, metrics={"twice": lambda p: 2 * p["time"], "four": "2*twice"},
                                       cache="kept", quiet=True, tune_options=QUICK)
        self.assertTrue(any("own clock" in str(one.message) and one.category is Difference for one in said))
        self.assertEqual([row["mode"] for row in results], tune_params["mode"])
        right, wrong, none = results
        self.assertEqual(wrong["time"], "RuntimeFailedConfig")
        self.assertIsInstance(wrong["time"], RuntimeFailedConfig)
        self.assertIn("wrong_result", wrong["error"])
        self.assertIsInstance(none["time"], CompilationFailedConfig)
        self.assertEqual(right["four"], 4 * right["time"])
        self.assertTrue(right["times"] and right["timestamp"])
        self.assertEqual(env["best_config"]["mode"], "right")
        study = results.study
        self.assertEqual(study.document["bound"]["seconds"], study.bound.seconds)
        self.assertEqual(len(study.trials(frame=False)), 3)
        self.assertTrue(study.page.is_file())
        self.assertIn(study.headline, str(study))
        self.assertIn("svg", study._repr_html_())
        json.dumps(env, default=str)
        with open("kept.json", encoding="utf-8") as file:
            cache = json.load(file)
        self.assertEqual(cache["tune_params_keys"], ["step", "mode"])
        # What was written is what the field reads.
        store_output_file("output", results, tune_params)
        store_metadata_file("metadata")
        for name in ("kept.json", "output.json"):
            self.assertEqual([row["outcome"] for row in rooftune.trials(name, frame=False)][0], "ok", name)
        again, _ = tune_kernel("vector_add", ADD, SIZE, arguments, tune_params, cache="kept.json", simulation_mode=True)
        self.assertAlmostEqual(again[0]["time"] / right["time"], 1)
        store_results("best.json", "vector_add", ADD, tune_params, SIZE, results, env)
        create_device_targets("targets.h", "best.json")
        with open("targets.h", encoding="utf-8") as file:
            self.assertIn("#define mode right", file.read())
        subprocess.run(["g++", "-fsyntax-only", "-Werror", "-include", "targets.h", "-x", "c++", os.devnull], check=True)

    def test_without_an_answer_the_first_configuration_stands_in(self):
        source = "void f(double* x, double* y, int n) { for (int i = 0; i < n; ++i) y[i] = x[i] + (v == 2); }"
        arguments = [numpy.ones(100), numpy.zeros(100), numpy.int32(100)]
        results, _ = tune_kernel("f", source, 100, arguments, {"v": [0, 2]}, quiet=True, tune_options=QUICK)
        self.assertNotIsInstance(results[0]["time"], str)
        self.assertIn("wrong_result", results[1]["error"])

    def test_what_nobody_compares_may_differ(self):
        source = """void f(double* y, short* scratch, int n) {
          for (int i = 0; i < n; ++i) scratch[i] += v, y[i] = i; }"""
        arguments = [numpy.zeros(100), numpy.zeros(100, numpy.int16), numpy.int32(100)]
        results, _ = tune_kernel("f", source, 100, arguments, {"v": [1]}, answer=[numpy.arange(100.0), None, None],
                                 quiet=True, tune_options=QUICK)
        self.assertNotIsInstance(results[0]["time"], str)


class Judges(unittest.TestCase):
    def test_a_function_of_the_script_says_what_is_right(self):
        source = "void f(double* y, const int* x, int n) { for (int i = 0; i < n; ++i) y[i] = x[i] + v / 1e3; }"
        x, tolerated = numpy.arange(100, dtype=numpy.int32), []

        def verify(answer, output, atol):
            tolerated.append(atol)
            return output[1] is None and abs(answer[0] - output[0]).max() < 2.5e-3
        with self.assertWarnsRegex(Difference, "roofline.*does the work of pso; popsize"):
            results, env = tune_kernel("f", source, 100, [numpy.zeros(100), x, numpy.int32(100)], {"v": [0, 2, 3]},
                                       answer=[x.astype(float), None, None], verify=verify, atol=0.5, seed=5, quiet=True,
                                       strategy="pso", strategy_options={"popsize": 3}, tune_options=QUICK)
        by_value = {row["v"]: row for row in results}
        self.assertNotIsInstance(by_value[2]["time"], str)
        self.assertEqual(by_value[3]["error"], "wrong_result: verify does not take it")
        self.assertEqual(set(tolerated), {0.5})
        self.assertNotEqual(env["best_config"]["v"], 3)

    def test_observers_see_calls_and_their_figures_are_objectives(self):
        class Counting(BenchmarkObserver):
            def register_configuration(self, params):
                self.value, self.calls = params["v"], []

            def before_start(self):
                self.calls.append("before")

            def after_start(self):
                self.calls.append("start")

            def during(self):
                self.calls.append("during")

            def after_finish(self):
                self.calls.append("finish")

            def get_results(self):
                return {"calls": [call for call in self.calls if call != "during"], "ours": self.dev.last_result,
                        "score": -self.value}
        source = "void f(double* y) { for (int i = 0; i < 100; ++i) y[i] = i; }"
        results, env = tune_kernel("f", source, 1, [numpy.zeros(100)], {"v": [1, 2]}, observers=[Counting()], iterations=3,
                                   objectives={"score": False, "again": False}, metrics={"again": lambda p: p["score"] * 2},
                                   quiet=True, tune_options=QUICK)
        self.assertEqual(results[0]["calls"], ["before", "start", "finish"] * 3)
        self.assertEqual(results[0]["ours"], results[0]["time"])
        self.assertEqual([row["v"] for row in env["best_config"]], [2])
        self.assertTrue(env["best_config"][0]["optimal"])
        with self.assertRaisesRegex(ArgumentError, "observers: Broken raises NotImplementedError"):
            tune_kernel("f", source, 1, [numpy.zeros(100)], {"v": [1, 2]}, observers=[type("Broken", (BenchmarkObserver,), {})()],
                        cache="observed", quiet=True, tune_options=QUICK)
        again, _ = tune_cache("observed", objective="time")
        self.assertEqual([row["v"] for row in again], [1, 2])

    def test_parameters_choose_arrays_and_errors_are_measured(self):
        source = """template <class T> static void third(T* y, const T* x) { for (int i = 0; i < 100; ++i) y[i] = x[i] / 3; }
        extern "C" void f(real* y, const real* x) { third(y, x); }"""
        x = numpy.arange(100.0)
        for more in ({"observers": [AccuracyObserver("max rel")]}, {}):
            results, _ = tune_kernel("f", source, 1, [TunablePrecision("real", 0 * x, ["float", "double"]),
                                                      TunablePrecision("real", x, ["float", "double"])],
                                     {"real": ["float", "double"]}, answer=[x / 3, None], quiet=True,
                                     tune_options=QUICK, **more)
            self.assertNotIsInstance(results[1]["time"], str)
            if "observers" in more:
                self.assertEqual(results[1]["error"], 0)
                self.assertTrue(1e-9 < results[0]["error"] < 1e-6, results[0])


@unittest.skipUnless(shutil.which("gfortran"), "gfortran is not installed")
class Fortran(unittest.TestCase):
    def test_a_subroutine_of_a_module_is_tuned(self):
        with open("scale.F90", "w", encoding="utf-8") as file:
            file.write("""module m
use iso_c_binding
contains
subroutine scale(y, x, n, s)
  integer(c_int), intent(in) :: n
  real(c_double), value :: s
  real(c_double), intent(in) :: x(n)
  real(c_double), intent(out) :: y(n)
  integer :: i
  do i = 1, n  ! it is N, too
    y(i) = s * x(i) * BLOCK
  end do
end subroutine
end module
""")
        arguments = [numpy.zeros(100), numpy.arange(100.0), numpy.int32(100), numpy.float64(3)]
        after = run_kernel("scale", "scale.F90", 100, arguments, {"BLOCK": 2}, lang="fortran")
        self.assertEqual(after[0].tolist(), (6 * numpy.arange(100.0)).tolist())
        results, _ = tune_kernel("scale", "scale.F90", 100, arguments, {"BLOCK": [2, 3]}, compiler="gfortran",
                                 answer=[6 * numpy.arange(100.0), None, None, None], quiet=True, tune_options=QUICK)
        self.assertNotIsInstance(results[0]["time"], str)
        self.assertIn("wrong_result", results[1]["error"])

    def test_symbols_and_the_ways_of_scalars_follow_the_declarations(self):
        bound = """subroutine f(x, &
  n, s) bind(c, name="g")  ! not this: end subroutine
  integer, value :: n
  real :: s
  real :: x(n)
end subroutine"""
        for text, expected in ((bound, ("g", [False, True, False])),
                               (bound.replace(', name="g"', ""), ("f", [False, True, False])),
                               (bound.replace('bind(c, name="g")', ""), ("f_", [False, True, False])),
                               ("module M\ncontains\n" + bound.replace('bind(c, name="g")', "") + "\nend module",
                                ("__m_MOD_f", [False, True, False]))):
            self.assertEqual(Source("f", text + "\n", "fortran", None, {}).fortran(3), expected)
        with self.assertRaisesRegex(ArgumentError, "assumed-shape"):
            Source("f", bound.replace("x(n)", "x(:)") + "\n", "fortran", None, {}).fortran(3)


class Faults(unittest.TestCase):
    def call(self, argument, words, **changes):
        call = {"kernel_name": "f", "kernel_source": "void f(double* x) { x[0] = 1; }", "problem_size": 1,
                "arguments": [numpy.zeros(4)], "tune_params": {"v": [1, 2]}, "quiet": True, **changes}
        with self.assertRaisesRegex(ArgumentError, words) as raised:
            tune_kernel(**call)
        self.assertTrue(raised.exception.argument.startswith(argument), raised.exception.argument)

    def test_the_argument_is_named(self):
        x = numpy.zeros(4)
        self.call("arguments[0]", "not contiguous", arguments=[numpy.zeros(8)[::2]])
        self.call("arguments[0]", "list", arguments=[[1.0]])
        self.call("arguments[0]", "float128|longdouble", arguments=[numpy.zeros(4, numpy.longdouble)])
        self.call("arguments", "at least one", arguments=[])
        self.call("answer", "2 entries, and arguments has 1", answer=[x, None])
        self.call("answer[0]", r"shape \(5,\)", answer=[numpy.zeros(5)])
        self.call("answer[0]", "complex", answer=[numpy.zeros(4, complex)])
        self.call("answer[0]", "finite", answer=[x + numpy.nan])
        self.call("tune_params", "twice", tune_params={"v": [1, 1]})
        self.call("tune_params", "macro", tune_params={"a b": [1]})
        self.call("restrictions", "names w", restrictions=["w > 1"])
        self.call("restrictions", "no configuration", restrictions=["v > 2"])
        self.call("restrictions", "ZeroDivisionError", restrictions=[lambda p: 1 // (p["v"] - p["v"]) == 0])
        self.call("kernel_source", "no.cpp cannot be read", kernel_source="no.cpp")
        self.call("lang", "OpenCL", lang="OpenCL")
        self.call("compiler", "no program no_compiler", compiler="no_compiler")
        self.call("compiler_options", "--wrong", compiler_options=["--wrong"])
        self.call("strategy", "one of.*hybrid_vndx", strategy="particles")
        self.call("answr", "no argument of tune_kernel(.|\n)*mean answer", answr=[x])
        self.call("objectives", "a dict", objectives=["time"])
        self.call("objectives", "GFLOP", objectives={"GFLOP/s": True})
        self.call("strategy_options", "popsize", strategy_options={"popsize": 3})
        self.call("objective", "GFLOP/s", objective="GFLOP/s")
        self.call("verify", "raises ZeroDivisionError", verify=lambda ref, ans, atol: 1 / 0)
        self.call("arguments", "chooses 1, which is none of 7",
                  arguments=[Tunable("v", {7: numpy.zeros(4)})])
        self.call("cache", "needs the file", simulation_mode=True)
        with open("other.json", "w", encoding="utf-8") as file:
            file.write("{}")
        self.call("cache", "not from here", cache="other.json")
        self.call("arguments", "changes none", kernel_source="void f(double* x) {}")


if __name__ == "__main__":
    unittest.main()
