// What newcomers tried first with code of their own: unfinished folders, checks that could not
// fail, programs whose results change, configurations of one's own, C and Fortran.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

TEST_CASE("an unfinished folder names all that is missing in one line") {
  const User user;
  user.write(
      "gather.cpp",
      "void f(int n, const int* p, const double* a, const double* b, double* d) { for (int i "
      "= 0; i < n; ++i) d[p[i]] = a[p[i]] + b[p[i]]; }");
  const std::vector<std::string> words{"new", "g", "--from", "gather.cpp:f", "--problem", "n=100"};
  CHECK(
      user.tune(words).says("fill in: elements_of_p, elements_of_a, elements_of_b, elements_of_d"));
  const Ran open = user.tune({"check", "./g"});
  CHECK(open.code == 2);
  CHECK(open.says("4 unknown names in formulas, to be filled in: elements_of_p, elements_of_d"));
  CHECK(open.output.size() < 500);
  std::filesystem::remove_all(user.path("g"));
  auto all = words;
  all.back() += ",elements_of_p=n,elements_of_a=n,elements_of_b=n,elements_of_d=n";
  const Ran made = user.tune(all);
  CHECK(made.says("p            filled with a permutation"));
  CHECK(user.tune({"check", "./g"}).says("\nok\n"));
}

TEST_CASE("a check that cannot tell right from wrong does not say ok") {
  const User user;
  const auto kernel = [&](const char* fill, const char* body) {
    user.write("k/kernel.json",
               std::string(R"({"schema": "rooftune-kernel-1", "name": "k", "parameters":
      [{"name": "n", "type": "integer", "default": 1000}], "arguments": [
      {"name": "n", "type": "int32", "value": "n"},
      {"name": "p", "type": "int32*", "count": "n", "access": "read", "fill": )") +
                   fill + R"(},
      {"name": "a", "type": "double*", "count": "n", "access": "read",
       "fill": {"kind": "uniform", "low": 0, "high": 1, "seed": 3}},
      {"name": "b", "type": "double*", "count": "n", "access": "write"}],
      "work": {"least": {}}, "traffic": {"read": "8*n", "write": "8*n", "footprint": "16*n"},
      "reference": "reference.cpp", "backends": {"openmp": {"source": "openmp.cpp"}}})");
    for (const char* name : {"k/reference.cpp", "k/openmp.cpp"})
      user.write(name, std::string("void k(int n, const int* p, const double* a, double* b) { for "
                                   "(int i = 0; i < n; ++i) b[i] = ") +
                           body + "; }");
    user.write("k/k.openmp.json", R"({"schema": "rooftune-space-1", "kernel": "k", "backend":
      "openmp", "knobs": [{"name": "threads", "kind": "openmp", "values": [1], "default": 1,
      "breaks": ["tlp"]}]})");
    return user.tune({"check", "./k"});
  };
  const Ran zeros = kernel(R"({"kind": "zero"})", "a[p[i]]");
  CHECK(zeros.says("this check cannot tell right from wrong: all 1000 elements of b are equal"));
  CHECK_FALSE(zeros.says("\nok\n"));
  CHECK(kernel(R"({"kind": "index"})", "p[i]").says("other random numbers in its inputs"));
  CHECK(kernel(R"({"kind": "permutation", "of": "n", "seed": 2})", "a[p[i]]").says("\nok\n"));
}

TEST_CASE("a program whose output changes is a wrong result") {
  const User user;
  user.write("p.sh", "echo \"sum $1\"\necho 'time: 0.00'$((3 - $2))'1 s'\n");
  user.write("space.json", R"({"knobs": [{"name": "a", "values": [1, 2], "default": 1},
    {"name": "nodes", "values": [4], "default": 4}]})");
  const auto run = [&](const char* command, const std::vector<std::string>& more) {
    std::vector<std::string> words{"--command",  command,    "--space",
                                   "space.json", "--metric", R"(regex:time: (\S+) s)",
                                   "--budget",   "4",        "--fresh"};
    words.insert(words.end(), more.begin(), more.end());
    return user.tune(words);
  };
  // The value of the knob itself may be printed.
  const Ran echoed = run("sh p.sh {a} {a}", {});
  CHECK(echoed.says("a 1 -> 2"));
  const Ran changed = run("sh p.sh 1{a} {a}", {});
  CHECK(changed.says("1 wrong result (a=2)"));
  CHECK(user.tune({"explain", "1"}).says("sum 11 -> 12"));
  CHECK(run("sh p.sh 1{a} {a}", {"--check", "none"}).says("a 1 -> 2"));
}

TEST_CASE("configurations of one's own are tried first, from the command line and the space") {
  const User user;
  user.write("p.sh", "echo \"time: 0.0$1 s\"\n");
  const auto space = [&](const std::string& more) {
    user.write("space.json", R"({"knobs": [{"name": "a", "values": [9, 8, 7, 6, 5, 4, 3, 2, 1],
      "default": 9}])" + more + "}");
  };
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"--command",  "sh p.sh {a}", "--space",
                                   "space.json", "--metric",    R"(regex:time: (\S+) s)",
                                   "--fresh"};
    words.insert(words.end(), more.begin(), more.end());
    return user.tune(words);
  };
  space("");
  const Ran two =
      run({"--budget", "3", "--strategy", "random", "--start", "a=2", "--start", "a=4"});
  INFO(two.output);
  CHECK(two.says("started from 2 of your own"));
  CHECK(two.says("a 9 -> 2"));
  CHECK(run({"--start", "a=10", "--budget", "2"}).says("knob a has no value 10"));
  CHECK(run({"--start", "b=1", "--budget", "2"}).says("there is no knob b"));
  space(R"(, "start": [{"a": 3}])");
  CHECK(run({"--budget", "2", "--strategy", "random"}).says("a 9 -> 3"));
  space(R"(, "constraints": [{"expression": "a > 1"}], "start": [{"a": 1}])");
  CHECK(run({"--budget", "2"}).says("a=1 is not allowed"));
  // One with a condition stands where that holds and the space allows it.
  space(R"(, "constraints": [{"expression": "a > 1"}], "start": [
    {"when": "true", "set": {"a": 1}}, {"when": "1 > 2", "set": {"a": 2}},
    {"when": "2 > 1", "set": {"a": 4}}])");
  const Ran conditional = run({"--budget", "2", "--strategy", "random"});
  INFO(conditional.output);
  CHECK(conditional.says(": 1 of your own"));
  CHECK(conditional.says("a 9 -> 4"));
  space(R"(, "start": [{"when": "unheard_of > 1", "set": {"a": 4}}])");
  CHECK(run({"--budget", "2"}).says("unheard_of"));
  space(R"(, "start": {"a": 4})");
  CHECK(run({"--budget", "2"}).says("is no array"));
}

TEST_CASE("one configuration of a program is for several inputs") {
  const User user;
  user.write("p.sh", "echo \"time: 0.$((1000 + 10 * $1 / $2)) s\"\n");
  user.write("space.json", R"({"knobs": [{"name": "a", "values": [1, 2, 4], "default": 1}]})");
  const Ran both =
      user.tune({"--command", "sh p.sh {n} {a}", "--space", "space.json", "--problem", "n=20",
                 "--problem", "n=40", "--metric", R"(regex:time: (\S+) s)", "--budget", "3"});
  INFO(both.output);
  CHECK(both.says("over 2 inputs is"));
  CHECK(both.says("a 1 -> 4"));
  CHECK_FALSE(both.says("inf"));
}

TEST_CASE("work on whole numbers is bound by what the machine can do") {
  const User user;
  for (const char* name : {"k/reference.cpp", "k/openmp.cpp"})
    user.write(name,
               "#include <cstdint>\nvoid k(std::int32_t n, const std::int32_t* a, std::int32_t* "
               "b) { for (int i = 0; i < n; ++i) { std::int32_t x = a[i]; for (int j = 0; j < "
               "200; ++j) x = x * 5 + j; b[i] = x; } }");
  user.write("k/kernel.json", R"({"schema": "rooftune-kernel-1", "name": "k", "parameters":
    [{"name": "n", "type": "integer", "default": 4000}], "arguments": [
    {"name": "n", "type": "int32", "value": "n"},
    {"name": "a", "type": "int32*", "count": "n", "access": "read",
     "fill": {"kind": "uniform", "low": 0, "high": 1000, "seed": 3}},
    {"name": "b", "type": "int32*", "count": "n", "access": "write"}],
    "work": {"least": {"int32": "400*n"}},
    "traffic": {"read": "4*n", "write": "4*n", "footprint": "8*n"},
    "reference": "reference.cpp", "backends": {"openmp": {"source": "openmp.cpp"}}})");
  user.write("k/k.openmp.json", R"({"schema": "rooftune-space-1", "kernel": "k", "backend":
    "openmp", "knobs": [{"name": "optimisation", "kind": "flag", "values": ["O2", "O3"],
    "flags": [["-O2"], ["-O3"]], "default": "O2", "breaks": ["simd"]}]})");
  CHECK(user.tune({"check", "./k"}).says("1.6e+06 operation (int32)"));
  const Json bound = user.tuned({"--kernel", "./k", "--budget", "3"}).at("bound");
  INFO(bound.dump(1));
  CHECK(bound.at("ceiling").get<std::string>().starts_with("int32"));
  CHECK(bound.at("rate").at("unit") == "operation/s");
}

TEST_CASE("a Fortran subroutine is a kernel") {
  const User user;
  const std::string body = R"(subroutine scale(n, s, a, b)
  implicit none
  integer(4) :: n, i
  real(8) :: s, a(n), b(n)
)";
  user.write("k/reference.f90", body + "  b = s * a\nend subroutine\n");
  user.write("k/openmp.f90", body + R"(!$omp parallel do simd simdlen(KNOB_SIMD)
  do i = 1, n
    b(i) = s * a(i)
  end do
end subroutine
)");
  user.write("k/kernel.json", R"({"schema": "rooftune-kernel-1", "name": "scale", "parameters":
    [{"name": "n", "type": "integer", "default": 1000}], "arguments": [
    {"name": "n", "type": "int32", "value": "n"}, {"name": "s", "type": "double", "value": "0.5"},
    {"name": "a", "type": "double*", "count": "n", "access": "read",
     "fill": {"kind": "uniform", "low": 0, "high": 1, "seed": 3}},
    {"name": "b", "type": "double*", "count": "n", "access": "write"}],
    "work": {"least": {"fp64": "n"}},
    "traffic": {"read": "8*n", "write": "8*n", "footprint": "16*n"},
    "reference": "reference.f90", "backends": {"openmp": {"source": "openmp.f90"}}})");
  user.write("k/scale.openmp.json", R"json({"schema": "rooftune-space-1", "kernel": "scale",
    "backend": "openmp", "knobs": [{"name": "threads", "kind": "openmp",
    "values": "=powers(1, machine_threads)", "default": 1, "breaks": ["tlp"]},
    {"name": "simd", "kind": "compile", "values": [2, 4], "default": 2, "breaks": ["simd"]}]})json");
  const Ran checked = user.tune({"check", "./k", "--sample", "4"});
  INFO(checked.output);
  CHECK(checked.says("\nok\n"));
  user.tuned({"--kernel", "./k", "--budget", "3"});
}
