// Exported libraries in time loops: arrays that change roles are right in every variant, and every
// other call is an error that says why.
#include <catch2/catch.hpp>

#include "../../../kernels/include/rooftune/library_fault.h"
#include "exports/kernel_library.h"
#include "os/subprocess.h"
#include "support/scratch_folder.h"

using namespace rooftune;

namespace {

/// un = a times u turned round, with `own` in a layout of its own, an element later.
constexpr const char* turning = R"(#include <cstdint>
#include <map>
#include <vector>
#include "rooftune/kept.h"
struct State { std::map<const void*, std::vector<double>> own; };
static rooftune::Kept<State> kept;
void NAME_prepare(std::int64_t n, double, const double* u, double* un) {
#if KNOB_OWN
  kept->own[un].resize(n + 1);
  kept->own[u].resize(n + 1);
  for (std::int64_t i = 0; i < n; ++i) kept->own[u][i + 1] = u[i];
#endif
}
void NAME(std::int64_t n, double a, const double* u, double* un) {
#if KNOB_OWN
  u = kept->own[u].data() + 1;
  un = kept->own[un].data() + 1;
#endif
  for (std::int64_t i = 0; i < n; ++i) un[i] = a * u[n - 1 - i];
}
void NAME_finish(std::int64_t n, double, const double*, double* un) {
#if KNOB_OWN
  for (std::int64_t i = 0; i < n; ++i) un[i] = kept->own[un][i + 1];
#endif
}
)";

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at))
    text.replace(at, word.size(), by);
  return text;
}

/// Variants v1 with the layout of its own and the untuned form without.
LibrarySource loop_library(const testing::ScratchFolder& folder, const std::string& name,
                           const std::string& swap) {
  const std::string in = name + ".kernel/";
  folder.write(in + "kernel.json", R"({
    "schema": "rooftune-kernel-1", "name": ")" +
                                       name + R"(", "title": "turns",
    "parameters": [{"name": "n", "type": "integer", "default": 500, "doc": "elements"},
                   {"name": "a", "type": "real", "default": 1.5, "doc": "factor"}],
    "arguments": [{"name": "n", "type": "int64", "value": "n"},
                  {"name": "a", "type": "double", "value": "a"},
                  {"name": "u", "type": "double*", "count": "n", "access": "read",
                   "fill": {"kind": "uniform", "low": 1, "high": 2, "seed": 1}},
                  {"name": "un", "type": "double*", "count": "n", "access": "write"}],
    )" + swap + R"( "work": {"least": {"fp64": "n"}},
    "traffic": {"read": "8*n", "write": "8*n", "footprint": "16*n"},
    "reference": "openmp.cpp",
    "backends": {"openmp": {"source": "openmp.cpp", "prepare": true, "finish": true}}})");
  folder.write(in + "openmp.cpp", replaced(turning, "NAME", name));
  LibrarySource source;
  source.kernel = read_kernel(folder.path() / in);
  source.backend = *source.kernel.backend("openmp");
  source.problem = problem_parameters(source.kernel, {});
  source.slots = slots(source.kernel, source.problem);
  LibraryVariant variant;
  variant.settings.scalars = {500, 1.5, nullptr, nullptr};
  for (const bool own : {true, false}) {
    variant.name = own ? "v1" : "baseline";
    variant.about = "made up";
    variant.threads = own ? 1 : 0;
    variant.configuration.set("own", own);
    variant.macros = {{"KNOB_OWN", own ? "1" : "0"}};
    source.variants.push_back(variant);
  }
  return source;
}

/// Prints what each call gives.
constexpr const char* program = R"(#include <stdio.h>
#include <stdlib.h>
#include "tuned_fixed.h"
#include "tuned_loop.h"
enum { n = 500 };
static double u[n], un[n], other[n];
static void say(const char* what, int code) { printf("%s: %d %s\n", what, code, code ? tuned_loop_error() : ""); }
int main(void) {
  double *from = u, *to = un, *swap;
  int i, step, wrong = 0;
  tuned_loop* p;
  tuned_fixed* q;
  for (i = 0; i < n; ++i) u[i] = i + 1;
  p = tuned_loop_prepare(0, n, 1.5, u, un);
  if (!p) return 2;
  for (step = 0; step < 10; ++step) {
    if (tuned_loop_run(p, n, 1.5, from, to) != 0) return 3;
    swap = from, from = to, to = swap;
  }
  if (tuned_loop_finish(p, n, 1.5, from, to) != 0) return 4;
  for (i = 0; i < n; ++i) {
    double last = i + 1, before = n - i;
    for (step = 0; step < 10; ++step) last *= 1.5;
    for (step = 0; step < 9; ++step) before *= 1.5;
    wrong += from[i] != last || to[i] != before;
  }
  printf("%s: %d wrong\n", tuned_loop_variant(p), wrong);
  say("one array", tuned_loop_run(p, n, 1.5, u, u));
  say("foreign", tuned_loop_run(p, n, 1.5, other, un));
  say("shorter", tuned_loop_run(p, n - 1, 1.5, u, un));
  say("finish foreign", tuned_loop_finish(p, n, 1.5, u, other));
  say("no problem", tuned_loop_run(NULL, n, 1.5, u, un));
  printf("prepare one array: %s", tuned_loop_prepare(0, n, 1.5, u, u) ? "taken" : tuned_loop_error());
  puts("");
  tuned_loop_free(p);
  q = tuned_fixed_prepare(0, n, 1.5, u, un);
  say("fixed", tuned_fixed_run(q, n, 2.0, u, un));
  i = tuned_fixed_run(q, n, 1.5, un, u);
  printf("fixed exchanged: %d %s\n", i, tuned_fixed_error());
  tuned_fixed_free(q);
  return 0;
}
)";

constexpr const char* fortran_program = R"(program app
  use tuned_loop
  implicit none
  integer(c_int64_t), parameter :: n = 500
  real(c_double) :: u(n), un(n)
  type(c_ptr) :: p
  integer :: step
  u = 1
  p = tuned_loop_prepare(0, n, 1.5_c_double, u, un)
  do step = 1, 5
    if (tuned_loop_run(p, n, 1.5_c_double, u, un) /= 0) error stop 2
    if (tuned_loop_run(p, n, 1.5_c_double, un, u) /= 0) error stop 3
  end do
  if (tuned_loop_finish(p, n, 1.5_c_double, u, un) /= 0) error stop 4
  if (any(u /= 1.5_c_double**10) .or. any(un /= 1.5_c_double**9)) error stop 5
  if (tuned_loop_run(p, n, 1.5_c_double, u, u) >= 0) error stop 6
  print '(a)', tuned_loop_text(tuned_loop_error())
  call tuned_loop_free(p)
end program app
)";

constexpr const char* python_program = R"(import array, tuned_loop
u, un = array.array("d", [1] * 500), array.array("d", [0] * 500)
with tuned_loop.Problem(500, 1.5, u, un) as problem:
    for step in range(5):
        problem.run(500, 1.5, u, un)
        problem.run(500, 1.5, un, u)
    problem.finish()
    assert set(u) == {1.5**10} and set(un) == {1.5**9}, (u[0], un[0])
    try:
        problem.run(500, 1.5, u, array.array("d", un))
        print("taken")
    except RuntimeError as fault:
        print(fault)
)";

std::string said_by(const std::vector<std::string>& words, const testing::ScratchFolder& folder,
                    const std::string& variant = "v1") {
  Command command;
  command.argv = words;
  command.directory = folder.path();
  command.environment = {{"TUNED_LOOP_VARIANT", variant}, {"TUNED_FIXED_VARIANT", variant}};
  command.limit = std::chrono::minutes(5);
  const Finished finished = execute(command);
  INFO(finished.status.text() << "\n" << finished.output);
  REQUIRE(finished.status.ok());
  return finished.output;
}

}  // namespace

TEST_CASE("a time loop is right with every variant of a library, and misuse is an error") {
  const testing::ScratchFolder folder;
  for (const auto& [name, swap] : {std::pair("loop", R"("swap": [["u", "un"]],)"), {"fixed", ""}})
    write_library(folder.path() / name, library_files(loop_library(folder, name, swap)));
  folder.write("main.c", program);
  folder.write("app.f90", fortran_program);
  folder.write("app.py", python_program);
  said_by({"sh", "-c",
           "set -e; for l in loop fixed; do g++ -std=c++20 -O0 -Wall -Wextra -Werror "
           "-Wno-unused-parameter -shared -fPIC "
           "-fopenmp -I$l/include -I$l/src $l/src/*.cpp -o libtuned_$l.so; done; "
           "gcc -std=c99 -Wall -Wextra -Wpedantic -Werror -Iloop/include -Ifixed/include main.c -o "
           "main -L. -ltuned_loop -ltuned_fixed -Wl,-rpath,.; "
           "g++ -std=c++20 -O0 -fopenmp -Iloop/include -Iloop/src -Iloop/test "
           "loop/test/self_test.cpp -o "
           "self_test -L. -ltuned_loop -Wl,-rpath,. -ldl"},
          folder);
  for (const std::string variant : {"v1", "baseline"}) {
    const std::string said = said_by({(folder.path() / "main").string()}, folder, variant);
    INFO(said);
    const auto says = [&](const std::string& text) { return said.find(text) != std::string::npos; };
    CHECK(says(variant + ": 0 wrong\n"));
    CHECK(says("one array: -3 argument un is not what the problem was prepared with"));
    CHECK(says("foreign: -3 argument u is not"));
    CHECK(says("shorter: -3 argument n is not"));
    CHECK(says("finish foreign: -3 argument un is not"));
    CHECK(says("no problem: -3 there is no problem"));
    CHECK(says("prepare one array: u and un are one array, and they change roles"));
    // Values may differ from call to call; without "swap" no array may.
    CHECK(says("fixed: 0"));
    CHECK(says("fixed exchanged: -3 argument u is not what the problem was prepared with"));
    CHECK(says("with \"swap\" in kernel.json"));
    CHECK(said_by({(folder.path() / "self_test").string(), variant}, folder, variant) ==
          variant + ": as the reference\n");
  }
  // Two objects against each other.
  const std::string object = (folder.path() / "libtuned_loop.so").string();
  CHECK(said_by({(folder.path() / "self_test").string(), object, object}, folder, "v1")
            .starts_with("round "));
  const auto has = [&](const std::string& tool) {
    Command command;
    command.argv = {tool, "--version"};
    const bool there = execute(command).status.ok();
    if (!there) WARN("skipped: " + tool + " is not installed");
    return there;
  };
  if (has("gfortran")) {
    said_by({"gfortran", "loop/include/tuned_loop.f90", "app.f90", "-o", "app", "-L.",
             "-ltuned_loop", "-Wl,-rpath,."},
            folder);
    CHECK(said_by({(folder.path() / "app").string()}, folder).find("argument un is not") !=
          std::string::npos);
  }
  if (has("python3")) {
    said_by({"sh", "-c", "cp libtuned_loop.so loop/python/; cp app.py loop/python/"}, folder);
    CHECK(said_by({"python3", "-B", "loop/python/app.py"}, folder).find("argument un is not") !=
          std::string::npos);
  }
}

namespace {

/// A kernel with two pairs of arrays that change roles.
struct TwoPairs {
  const char *u, *un, *v, *vn;
};
[[maybe_unused]] const char* changed(const TwoPairs& call, const TwoPairs& prepared, bool) {
  if (call.u != prepared.u) return "u";
  if (call.un != prepared.un) return "un";
  if (call.v != prepared.v) return "v";
  return call.vn != prepared.vn ? "vn" : nullptr;
}
[[maybe_unused]] TwoPairs exchanged(const TwoPairs& all) { return {all.un, all.u, all.vn, all.v}; }

}  // namespace

TEST_CASE("all pairs of arrays are exchanged at once, or none") {
  const char memory[4] = {};
  const char *const a = memory, *const b = a + 1, *const c = a + 2, *const d = a + 3;
  const TwoPairs prepared{a, b, c, d};
  const auto code = [&](const TwoPairs& call) {
    return rooftune_library::guarded(
        [&] { rooftune_library::require_prepared(call, prepared, true); });
  };
  CHECK(code({a, b, c, d}) == 0);
  CHECK(code({b, a, d, c}) == 0);
  for (const TwoPairs& half : {TwoPairs{b, a, c, d}, TwoPairs{a, b, d, c}}) {
    CHECK(code(half) == rooftune_library::Fault::misused);
    CHECK_THAT(rooftune_library::last_fault(), Catch::Contains("not exchanged all at once"));
  }
}
