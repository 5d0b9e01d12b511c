// The module for Python as its users run it: studies, recordings, and scripts of Kernel Tuner.
#include <catch2/catch.hpp>

#include "os/subprocess.h"
#include "support/recorded_samples.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

constexpr int skipped = 77;

/// Runs tests/e2e/python/NAME, whole or only some of its cases.
void run_python(const User& user, const std::string& name,
                const std::vector<std::string>& cases = {}) {
  // Debian's own interpreter has the packages of Debian.
  const auto interpreter =
      find_program("/usr/bin/python3") ? "/usr/bin/python3" : std::string("python3");
  if (!find_program(interpreter)) {
    WARN("skipped: python3 is not installed");
    return;
  }
  std::vector<std::string> words{ROOFTUNE_SOURCE_DIR "/tests/e2e/python/" + name};
  words.insert(words.end(), cases.begin(), cases.end());
  const Ran ran = user.python(interpreter, words, 540);
  if (ran.code == skipped) {
    WARN("skipped: " << ran.output);
    return;
  }
  INFO(ran.output);
  CHECK(ran.code == 0);
}

}  // namespace

TEST_CASE("Python reads typed results, and opens and replays recordings") {
  const User user;
  user.write("cache.json", test::cachefile_sample);
  run_python(user, "studies.py");
}

TEST_CASE("a kernel and a program are tuned from Python alone") { run_python(User(), "own.py"); }

TEST_CASE("notebooks run from the first cell to the last, and show the answer and its picture") {
  const std::string name = GENERATE("first_kernel", "matrix_and_roofline", "fortran_program");
  run_python(User(), "notebooks.py", {name});
}

TEST_CASE("the type hints of the module hold") {
  const User user;
  const Ran ran = user.python(
      "/usr/bin/python3",
      {"-m", "mypy", "--ignore-missing-imports", "--cache-dir", user.path("mypy").string(),
       ROOFTUNE_SOURCE_DIR "/tuner/extensions/applications/bindings/python/rooftune",
       ROOFTUNE_SOURCE_DIR "/tests/e2e/python/hints.py"},
      300);
  if (ran.says("No module named")) {
    WARN("skipped: mypy is not installed");
    return;
  }
  INFO(ran.output);
  CHECK(ran.code == 0);
}

TEST_CASE("scripts of Kernel Tuner run a call, and tune C and C++") {
  run_python(User(), "kernel_tuner.py", {"Runs"});
}

TEST_CASE("scripts of Kernel Tuner judge their kernels by functions, and observe them") {
  run_python(User(), "kernel_tuner.py", {"Judges"});
}

TEST_CASE("scripts of Kernel Tuner tune Fortran") {
  run_python(User(), "kernel_tuner.py", {"Fortran"});
}

TEST_CASE("restrictions and faults of Kernel Tuner's scripts are what Python says") {
  run_python(User(), "kernel_tuner.py", {"Faults"});
  run_python(User(), "kernel_tuner_modules.py");
}

TEST_CASE("scripts of Kernel Tuner in CUDA are emulated when asked, and name what is wrong") {
  run_python(User(), "kernel_tuner_cuda.py", {"Emulated", "Faults"});
}
