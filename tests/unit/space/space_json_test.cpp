// Search-space files: what they may say, and every fault at its pointer.
#include <catch2/catch.hpp>

#include "space/knob.h"
#include "space/space_reader.h"
#include "support/scratch_folder.h"
#include "unit/space/space_samples.h"

namespace rooftune {
namespace {

using samples::fault_of;

const Facts given_facts{
    {"n", 1000}, {"machine_threads", 6}, {"machine_numa_nodes", 1}, {"machine_simd_bits", 256}};

/// A space file with these knobs (and constraints).
std::string file(const std::string& knobs, const std::string& constraints = "") {
  return R"json({"schema": "rooftune-space-1", "kernel": "triad", "backend": "openmp", "knobs": [)json" +
         knobs + "], \"constraints\": [" + constraints + "]}";
}

SearchSpace read(const std::string& text) {
  return space_from_json(parse_json(text, "s.json"), "s.json", given_facts);
}

std::string knob_fault(const std::string& knob) {
  return fault_of([&] { read(file(knob)); });
}

}  // namespace

TEST_CASE("a space file is read with computed values, rules and collapses") {
  const SearchSpace space = read(file(
      R"json({"name": "unroll", "kind": "compile", "values": [1, 2, 4, 8], "default": 1, "breaks": ["ilp"], "doc": "d"},
         {"name": "optimise", "kind": "flag", "values": ["O2", "O3"], "flags": [["-O2"], ["-O3", "-ffast-math"]], "default": "O3", "breaks": ["simd"]},
         {"name": "threads", "kind": "openmp", "setting": "threads", "values": "=powers(1, machine_threads)", "default": "=machine_threads", "breaks": ["tlp"]},
         {"name": "chunk", "kind": "openmp", "setting": "chunk", "values": [0, "=n // 10", "=n // 10", 7], "default": 0, "breaks": ["balance"], "active": "threads > 1"},
         {"name": "binding", "kind": "environment", "setting": "OMP_PROC_BIND", "values": ["false", "close"], "default": "false", "breaks": ["numa"]},
         {"name": "numa_policy", "kind": "memory", "setting": "numa_policy", "values": ["local", "interleave"], "default": "local", "breaks": ["numa"],
          "applicable": {"if": "machine_numa_nodes > 1", "reason": "this machine has one NUMA node"}},
         {"name": "width", "kind": "compile", "values": [1, 4, 8], "default": 1, "breaks": ["simd"]})json",
      R"json({"expression": "width * 64 <= machine_simd_bits", "reason": "no such vectors"})json"));
  CHECK(space.name() == "triad.openmp");
  const Knob& threads = *space.knob("threads");
  CHECK(threads.values == std::vector<Value>{1, 2, 4, 6});
  CHECK(threads.fallback == Value(6));
  CHECK(space.knob("chunk")->values == std::vector<Value>{0, 100, 7});
  CHECK(space.knob("numa_policy")->values == std::vector<Value>{"local"});
  CHECK(space.knob("numa_policy")->collapsed == "this machine has one NUMA node");
  CHECK(space.knob("optimise")->flags ==
        std::vector<std::vector<std::string>>{{"-O2"}, {"-O3", "-ffast-math"}});
  CHECK(space.knob("binding")->setting == "OMP_PROC_BIND");
  CHECK(space.knob("unroll")->doc == "d");
  CHECK(space.constraints()[0].reason == "no such vectors");
  CHECK(space.size() == 4 * 2 * (1 + 3 * 3) * 2 * 2);
}

TEST_CASE("flags follow their values when computed values coincide or collapse") {
  const SearchSpace space = read(file(
      R"json({"name": "o", "kind": "flag", "values": [1, "=n // 1000", 2], "flags": [["-O1"], ["-O0"], ["-O2"]], "default": 2, "breaks": ["simd"]},
         {"name": "p", "kind": "flag", "values": [1, 2], "flags": [["-O1"], ["-O2"]], "default": 2, "breaks": ["simd"],
          "applicable": {"if": "n < 0", "reason": "never"}})json"));
  CHECK(space.knob("o")->flags == std::vector<std::vector<std::string>>{{"-O1"}, {"-O2"}});
  CHECK(space.knob("p")->flags == std::vector<std::vector<std::string>>{{"-O2"}});
}

TEST_CASE("all faults of a file come at once, each at its pointer") {
  CHECK(fault_of([] {
          read(R"json({"schema": "rooftune-space-2", "kernel": "triad", "knbs": [],
                   "knobs": [
                     {"name": "unroll", "kind": "compil", "values": [1, 1], "default": 3, "breaks": ["ipl"]},
                     {"name": "n", "kind": "argument", "values": "=powers(1, machine_thread)", "default": "=1 +", "breaks": ["ilp"]},
                     {"name": "2Bad", "kind": "argument", "values": [], "default": [1], "breaks": []},
                     {"name": "unroll", "kind": "argument", "values": [1, null], "breaks": ["ilp"], "active": "nn > 1"},
                     7],
                   "constraints": [{"expression": "unrol > 1"}, {"expression": "1 +"}, {"reason": "x"}]})json");
        }) == R"json(22 faults
s.json: /schema: unknown schema "rooftune-space-2"
hint: rooftune-space-1
s.json: /backend: is missing (a text)
s.json: /knobs/0/kind: unknown kind "compil"
hint: did you mean "compile"?
s.json: /knobs/0/breaks/0: unknown paradigm "ipl"
hint: did you mean "ilp"?
s.json: /knobs/0/values/1: value 1 appears twice
s.json: /knobs/0/default: 3 is none of the values
hint: one of [1]
s.json: /knobs/1/values: unknown name "machine_thread"
hint: did you mean "machine_threads"?
s.json: /knobs/1/default: expected a value, found the end at column 4 of "1 +"
s.json: /knobs/2/name: "2Bad" is no name for a knob
hint: a name starts with a letter and has only letters, digits and _
s.json: /knobs/2/breaks: names no ceiling or wall that this knob can break
hint: one or more of balance, capacity, coalesced, compulsory, conflict, fma, huge_pages, ilp, issue, nt_store, numa, occupancy, prefetch, simd, tensor, tlb, tlp, unit_stride, work, write_allocate
s.json: /knobs/2/values: is empty
s.json: /knobs/2/default: expected a number, text or truth
s.json: /knobs/3/values/1: expected a number, text or truth
s.json: /knobs/3/default: is missing (one of the values)
s.json: /knobs/4: expected an object, got 7
s.json: /constraints/0/expression: unknown name "unrol"
hint: did you mean "unroll"?
s.json: /constraints/1/expression: expected a value, found the end at column 4 of "1 +"
s.json: /constraints/2/expression: is missing (a text)
s.json: /knobs/1/name: "n" is the name of a problem parameter or fact
hint: rename the knob
s.json: /knobs/3/active: unknown name "nn"
hint: known are the knobs, problem parameters and facts
s.json: /knobs/3/name: knob "unroll" appears twice
s.json: /knbs: unknown member "knbs"
hint: did you mean "knobs"?)json");
}

TEST_CASE("names of knobs may have capitals, but differ by more") {
  const std::string knob =
      R"json({"name": "MWG", "kind": "compile", "values": [16, 32], "default": 32, "breaks": ["ilp"]})json";
  const SearchSpace space = read(file(knob, R"json({"expression": "MWG > 16"})json"));
  CHECK(space.size() == 1);
  CHECK(macro_name(space.knobs().front().name) == "KNOB_MWG");
  CHECK_THAT(
      knob_fault(
          knob +
          R"json(,{"name": "mwg", "kind": "openmp", "setting": "threads", "values": [1], "default": 1, "breaks": ["tlp"]})json"),
      Catch::Contains("/knobs/1/name: knobs \"MWG\" and \"mwg\" differ by capitals alone"));
}

TEST_CASE("each kind has its settings and values") {
  CHECK(
      knob_fault(
          R"json({"name": "a", "kind": "compile", "values": ["x y"], "default": "x y", "breaks": ["ilp"]})json") ==
      "s.json: /knobs/0/values: value x y is not allowed here\n"
      "hint: expected letters, digits and _ + - . (it becomes a macro)");
  CHECK(
      knob_fault(
          R"json({"name": "a", "kind": "openmp", "setting": "thread", "values": [1], "default": 1, "breaks": ["tlp"]})json") ==
      "s.json: /knobs/0/setting: unknown setting \"thread\"\nhint: did you mean \"threads\"?");
  CHECK(
      knob_fault(
          R"json({"name": "chunks", "kind": "openmp", "values": [1], "default": 1, "breaks": ["tlp"]})json") ==
      "s.json: /knobs/0/setting: unknown setting \"chunks\"\nhint: did you mean \"chunk\"?");
  CHECK(
      knob_fault(
          R"json({"name": "a", "kind": "compile", "setting": "x", "values": [1], "default": 1, "breaks": ["tlp"]})json") ==
      "s.json: /knobs/0/setting: has no meaning for a knob of kind \"compile\"");
  CHECK(
      knob_fault(
          R"json({"name": "a", "kind": "compile", "flags": [], "values": [1], "default": 1, "breaks": ["tlp"]})json") ==
      "s.json: /knobs/0/flags: has no meaning but for kind \"flag\"");
  CHECK(
      knob_fault(
          R"json({"name": "a", "kind": "openmp", "setting": "threads", "values": [0], "default": 0, "breaks": ["tlp"]})json") ==
      "s.json: /knobs/0/values: value 0 is not allowed here\nhint: expected an integer from 1 to "
      "65536");
  CHECK(
      knob_fault(
          R"json({"name": "a", "kind": "openmp", "setting": "schedule", "values": ["fast"], "default": "fast", "breaks": ["tlp"]})json") ==
      "s.json: /knobs/0/values: value fast is not allowed here\nhint: expected static, dynamic, "
      "guided or auto");
  CHECK(
      knob_fault(
          R"json({"name": "a", "kind": "memory", "setting": "offset", "values": [4], "default": 4, "breaks": ["conflict"]})json") ==
      "s.json: /knobs/0/values: value 4 is not allowed here\nhint: expected bytes, a multiple of "
      "8");
  CHECK(
      knob_fault(
          R"json({"name": "a", "kind": "memory", "setting": "huge_pages", "values": [1], "default": 1, "breaks": ["tlb"]})json") ==
      "s.json: /knobs/0/values: value 1 is not allowed here\nhint: expected true or false");
  CHECK(
      knob_fault(
          R"json({"name": "a", "kind": "environment", "setting": "LD_PRELOAD", "values": ["x"], "default": "x", "breaks": ["numa"]})json") ==
      "s.json: /knobs/0/setting: environment variable \"LD_PRELOAD\" is not allowed\n"
      "hint: allowed are OMP_*, GOMP_*, KMP_* and MALLOC_*");
  CHECK(
      knob_fault(
          R"json({"name": "a", "kind": "environment", "setting": "OMP_PLACES", "values": ["a\nb"], "default": "a\nb", "breaks": ["numa"]})json") ==
      "s.json: /knobs/0/values: value a?b is not allowed here\n"
      "hint: expected letters, digits and _ + - . , : ( ) { }");
  CHECK(
      knob_fault(
          R"json({"name": "a", "kind": "flag", "values": [1], "flags": [["-O2", "-DX"]], "default": 1, "breaks": ["simd"]})json") ==
      "s.json: /knobs/0/flags/0/1: compiler flag \"-DX\" is not allowed\n"
      "hint: allowed are -O levels, and the -f and -m options that change the code of functions; "
      "for CUDA "
      "--fmad, --ftz, --prec-div, --prec-sqrt, --use_fast_math, --maxrregcount");
  CHECK(
      knob_fault(
          R"json({"name": "a", "kind": "flag", "values": [1, 2], "flags": [["-O2"]], "default": 1, "breaks": ["simd"]})json") ==
      "s.json: /knobs/0/flags: expected one list of compiler flags for each value");
  CHECK(
      knob_fault(
          R"json({"name": "lambda", "kind": "argument", "values": [1], "default": 1, "breaks": ["simd"]})json") ==
      "s.json: /knobs/0/name: \"lambda\" is no name for a knob\n"
      "hint: the name is a word of the expression language");
  CHECK(
      knob_fault(
          R"json({"name": "a", "kind": "argument", "values": [1, "=range(2)"], "default": 1, "breaks": ["simd"]
})json") ==
      "s.json: /knobs/0/values/1: the expression gives a list\n"
      "hint: write \"values\": \"=...\" for a computed list");
  CHECK(
      knob_fault(
          R"json({"name": "a", "kind": "argument", "values": "=n", "default": 1, "breaks": ["simd"]})json") ==
      "s.json: /knobs/0/values: the expression gives no list");
  CHECK(
      knob_fault(
          R"json({"name": "a", "kind": "argument", "values": [1], "default": 1, "breaks": ["simd"], "applicable": {"if": "zz > 1"}})json") ==
      "2 faults\ns.json: /knobs/0/applicable/reason: is missing (a text)\n"
      "s.json: /knobs/0/applicable/if: unknown name \"zz\"\n"
      "hint: known are the knobs, problem parameters and facts");
}

TEST_CASE("macros of compile knobs must differ") {
  CHECK(
      knob_fault(
          R"json({"name": "a", "kind": "compile", "values": ["x+y", "x-y"], "default": "x+y", "breaks": ["ilp"]})json") ==
      "s.json: /knobs/0: value \"x+y\" of knob \"a\" and value \"x-y\" of knob \"a\" are one "
      "macro, "
      "KNOB_A_X_Y");
  CHECK(
      knob_fault(
          R"json({"name": "a", "kind": "compile", "values": ["b"], "default": "b", "breaks": ["ilp"]},
               {"name": "a_b", "kind": "compile", "values": [1], "default": 1, "breaks": ["ilp"]})json") ==
      "s.json: /knobs/1: value \"b\" of knob \"a\" and knob \"a_b\" are one macro, KNOB_A_B");
}

TEST_CASE("faults that need the whole space carry the name of the file") {
  const std::string a =
      R"json({"name": "a", "kind": "argument", "values": [1, 2], "default": 2, "breaks": ["ilp"]})json";
  CHECK(fault_of([&] { read(file(a, R"json({"expression": "a > 2", "reason": "r"})json")); }) ==
        "s.json: no configuration satisfies this constraint:\n  \"a > 2\" (r)\n"
        "hint: no values of its knobs make it true");
  CHECK(fault_of([&] { read(file(a, R"json({"expression": "a < 2", "reason": "r"})json")); }) ==
        "s.json: the defaults are not allowed: constraint \"a < 2\" (r) does not hold: a=2");
}

TEST_CASE("read_space reads a file") {
  const testing::ScratchFolder folder;
  const auto path = folder.write(
      "space.json",
      file(
          R"json({"name": "a", "kind": "argument", "values": [1, 2], "default": 2, "breaks": ["ilp"]})json"));
  CHECK(read_space(path, given_facts).size() == 2);
  folder.write("space.json", "{");
  CHECK_THROWS_WITH(read_space(path, given_facts), Catch::StartsWith(path.string() + ":1:"));
}

TEST_CASE("the space of a program needs neither kernel nor kinds") {
  const testing::ScratchFolder folder;
  const auto plain = folder.write("app.json", R"json({"schema": "rooftune-space-1",
    "work": {"fp64": "2*n"}, "traffic": {"read": "8*n"},
    "knobs": [{"name": "a", "values": [1, 2, 3], "default": 2},
              {"name": "b", "kind": "flag", "values": ["x"], "flags": [["-O2"]], "default": "x"}],
    "constraints": [{"expression": "a < 3", "reason": "r"}]})json");
  const Json json = read_command_space(plain, "app");
  const SearchSpace space = space_from_json(json, "app.json", {});
  CHECK(space.size() == 2);
  CHECK(space.knob("a")->kind == Knob::Kind::argument);
  CHECK(space.knob("b")->kind == Knob::Kind::flag);
  CHECK(space.baseline().at("a") == Value(2));
  // A kernel's file must still say all of it.
  CHECK(fault_of([&] { space_from_json(read_json(plain), "app.json", {}); }).find("/backend") !=
        std::string::npos);
  for (const char* other : {"7", "\"openmp\""}) {
    folder.write("app.json", std::string("{\"backend\": ") + other + "}");
    CHECK_THROWS_WITH(read_command_space(plain, "app"),
                      Catch::Contains("/backend") && Catch::Contains(other));
  }
}

TEST_CASE("flags and variables are held against the allow-lists") {
  for (const char* flag : {"-O",
                           "-O0",
                           "-O3",
                           "-Ofast",
                           "-Os",
                           "-ffast-math",
                           "-funroll-loops",
                           "-fno-tree-vectorize",
                           "-mavx2",
                           "-march=x86-64-v3",
                           "-mprefer-vector-width=512",
                           "-fvect-cost-model=unlimited",
                           "-msse4.2",
                           "-mno-avx512f",
                           "-fprefetch-loop-arrays",
                           "-fopenmp",
                           "-fopenacc",
                           "-ftree-vectorize",
                           "-fschedule-insns2",
                           "-fno-if-conversion2",
                           "-ffp-contract=fast",
                           "-mtune=native",
                           "-mfma"})
    CHECK(allowed_flag(flag));
  for (const char* flag : {"",
                           "-",
                           "-D",
                           "-DX=1",
                           "-I/etc",
                           "-o",
                           "-O4",
                           "-Ofoo",
                           "@file",
                           "-fplugin=x",
                           "-fplugin-arg-x-y",
                           "-fpass-plugin=x.so",
                           "-fcs-profile-generate",
                           "-fmemory-profile",
                           "-frandomize-layout-seed-file=x",
                           "-fresolution=x",
                           "-fdepfile-entry=x",
                           "-fmodule-mapper=x",
                           "-fcrash-diagnostics-dir=x",
                           "-ftest-coverage",
                           "-fbranch-probabilities",
                           "-fstack-usage",
                           "-fcompare-debug",
                           "-funknown",
                           "-mllvm",
                           "-m32",
                           "-mdump-tune-features",
                           "-fdump-tree-all",
                           "-fprofile-use=x",
                           "-fno-plugin",
                           "-fsave-optimization-record",
                           "-f",
                           "-m",
                           "-f=x",
                           "-fx=",
                           "-fx=/etc/passwd",
                           "-fx=..",
                           "-fFoo",
                           "-Wl,-x",
                           "-x",
                           "-L.",
                           "-lfoo",
                           "-specs=x",
                           "-B.",
                           "-include",
                           "-fx y",
                           "-mx;y",
                           "-fuse-ld=../x"})
    CHECK_FALSE(allowed_flag(flag));
  for (const char* name : {"OMP_PROC_BIND", "GOMP_SPINCOUNT", "KMP_AFFINITY", "MALLOC_TOP_PAD_"})
    CHECK(allowed_variable(name));
  for (const char* name :
       {"", "PATH", "LD_PRELOAD", "OMP_", "omp_x", "OMP_X=1", "OMP_a", "XOMP_A", "OMP_A\n"})
    CHECK_FALSE(allowed_variable(name));
}

TEST_CASE("a knob of kind compiler has the compilers of the machine as its values") {
  const std::string knob = R"({"name": "made_by", "kind": "compiler", "breaks": ["issue"])";
  const auto read_with = [&](const Facts& facts) {
    return space_from_json(parse_json(file(knob + "}"), "s.json"), "s.json", facts);
  };
  const SearchSpace both = read_with({{compilers_fact, ValueList{"clang++", "g++"}}});
  CHECK(both.knob("made_by")->values == ValueList{"clang++", "g++"});
  CHECK(both.baseline().at("made_by") == Value("clang++"));
  const SearchSpace one = read_with({{compilers_fact, ValueList{"g++"}}});
  CHECK(one.knob("made_by")->collapsed == "no second compiler builds variants here");
  CHECK(read_with({}).size() == 1);

  CHECK(contains(knob_fault(knob + R"(, "values": ["g++"]})"), "unknown member \"values\""));
  CHECK(contains(knob_fault(knob + R"(, "setting": "g++"})"), "no meaning"));
  CHECK(
      contains(knob_fault(knob + "}, " + R"({"name": "b", "kind": "compiler", "breaks": ["ilp"]})"),
               "two knobs choose the compiler"));
  CHECK(chooses_compiler(parse_json(file(knob + "}"), "s")));
  CHECK_FALSE(chooses_compiler(parse_json(file(""), "s")));
  CHECK_FALSE(chooses_compiler(parse_json(R"({"knobs": [1, {"kind": 2}, {}]})", "s")));
  CHECK_FALSE(chooses_compiler(parse_json("[]", "s")));
}

}  // namespace rooftune
