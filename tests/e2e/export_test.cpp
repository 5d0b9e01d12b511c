// From a study to an application: which study is exported, and the library that an application
// links.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "core/value.h"
#include "rogue.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> study_words(const std::string& kernel, const std::string& problem,
                                     const std::string& trials, const std::string& threads = "1") {
  return {"--kernel",      kernel,       "--problem", problem,          "--budget",
          trials,          "--threads",  threads,     "--no-staircase", "--no-anchors",
          "--no-transfer", "--counters", "none"};
}

std::string built_and_tested(const User& user, const std::string& folder,
                             const std::string& instructions) {
  build_project(user, folder, folder + ".build", {"-DTUNED_ISA=" + instructions});
  return output_of(user, {"ctest", "--test-dir", folder + ".build", "--output-on-failure"});
}

/// A study of a kernel whose untuned form has these values.
void tune_with(const User& user, const std::string& kernel, const std::string& problem,
               const std::map<std::string, Json>& wanted, const std::string& threads = "1") {
  const fs::path root = ROOFTUNE_SOURCE_DIR, mine = user.path("mine/" + kernel);
  fs::create_directories(mine.parent_path());
  fs::copy(root / "kernels" / kernel, mine, fs::copy_options::recursive);
  const std::string space = kernel + ".openmp.json";
  Json json = read_json(root / "search_spaces" / space);
  for (Json& knob : json["knobs"])
    if (const auto value = wanted.find(knob["name"]); value != wanted.end())
      knob["default"] = value->second;
  write_atomically(mine / space, json.dump(1));
  const Ran ran = user.tune(study_words(mine.string(), problem, "4", threads));
  INFO(ran.output);
  REQUIRE(ran.code == 0);
}

/// Two matrices are prepared, and each is multiplied after the other was.
constexpr const char* two_matrices = R"(#include <stdio.h>
#include "tuned_spmv.h"
int main(void) {
  /* Diagonal matrices: 2 and 3 times x, of different sizes. */
  enum { n = 70, m = 45 };
  static int32_t pointer[n + 1], column[n];
  static double two[n], three[m], x[n], y[n];
  tuned_spmv *a, *b;
  int i, round, wrong = 0;
  for (i = 0; i < n; ++i) {
    pointer[i + 1] = i + 1;
    column[i] = i;
    two[i] = 2;
    if (i < m) three[i] = 3;
  }
  a = tuned_spmv_prepare(0, n, n, n, pointer, column, two, x, y);
  b = tuned_spmv_prepare(0, m, m, m, pointer, column, three, x, y);
  if (!a || !b) return 2;
  for (round = 0; round < 3; ++round) {
    for (i = 0; i < n; ++i) x[i] = i + round;
    wrong += tuned_spmv_run(a, n, n, n, pointer, column, two, x, y) != 0;
    for (i = 0; i < n; ++i) wrong += y[i] != 2 * x[i];
    wrong += tuned_spmv_run(b, m, m, m, pointer, column, three, x, y) != 0;
    for (i = 0; i < m; ++i) wrong += y[i] != 3 * x[i];
  }
  printf("%s: %d wrong\n", tuned_spmv_variant(a), wrong);
  tuned_spmv_free(a);
  tuned_spmv_free(b);
  return 0;
}
)";

}  // namespace

TEST_CASE("the best study is exported, not the newest, and several problems are asked about") {
  const User user;
  double best = 1e9;
  std::string id;
  for (const char* seed : {"1", "2"}) {
    std::vector<std::string> words = study_words("triad", "n=20000", "5");
    words.insert(words.end(), {"--seed", seed});
    const Json result = user.tuned(words);
    // A conclusive one goes before any other.
    const double seconds = result.at("best").at("seconds").at("value").get<double>() +
                           (result.at("inconclusive").empty() ? 0 : 1e6);
    if (seconds < best) {
      best = seconds;
      id = result.at("study").at("id");
    }
  }
  const std::vector<std::string> words{"export", "--kernel", "triad",     "--format",
                                       "json",   "-o",       "best.json", "--as-recorded"};
  REQUIRE(user.tune(words).code == 0);
  CHECK(read_json(user.path("best.json")).at("provenance").at("study") == id);

  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return user.tune(more);
  };
  REQUIRE(user.tune(study_words("triad", "n=40000", "3")).code == 0);
  const Ran several = with({});
  CHECK(several.code == 2);
  CHECK(several.says("2 studies fit"));
  CHECK(several.says("--study "));
  CHECK(with({"--problem", "n=20000"}).code == 0);
  CHECK(with({"--study", id.substr(0, 8)}).code == 0);
  // Options that no study was made with are no decoration.
  for (const std::vector<std::string>& other :
       {std::vector<std::string>{"--threads", "2"}, {"--cache", "cold"}, {"--amortize", "5"}}) {
    INFO(other.front());
    const Ran none = with({"--problem", "n=20000", other[0], other[1]});
    CHECK(none.code == 2);
    CHECK(none.says("no study of kernel triad"));
  }
  std::string broken = read_text(user.path("best.json"));
  CHECK(broken.find("\"verdict\"") != std::string::npos);
}

TEST_CASE("a library of triad builds, is right and finds its variant") {
  const User user;
  tune_with(user, "triad", "n=200000", {{"unroll", 4}, {"nt_store", true}}, "2");
  const Ran exported = user.tune(
      {"export", "--kernel", "triad", "--format", "library", "-o", "lib", "--as-recorded"});
  INFO(exported.output);
  REQUIRE(exported.code == 0);
  CHECK(built_and_tested(user, "lib", "levels").find("100% tests passed") != std::string::npos);
  for (const fs::path& file : user.files("lib/src", ".cpp"))
    CHECK(read_text(file).find("KNOB_") == std::string::npos);
  // What was written is a function of the study.
  const std::string before = read_text(user.path("lib/src/v1.cpp"));
  REQUIRE(user.tune({"export", "--kernel", "triad", "--format", "library", "-o", "lib",
                     "--as-recorded"})
              .code == 0);
  CHECK(read_text(user.path("lib/src/v1.cpp")) == before);
  // Nothing but the folder itself is touched, and one of something else is left alone.
  user.write("lib.old/notes.txt", "mine");
  REQUIRE(user.tune({"export", "--kernel", "triad", "--format", "library", "-o", "lib/",
                     "--as-recorded"})
              .code == 0);
  CHECK(read_text(user.path("lib.old/notes.txt")) == "mine");
  CHECK(user.files("lib", ".cpp").size() == 4);
  user.write("other/notes.txt", "mine");
  const Ran refused = user.tune(
      {"export", "--kernel", "triad", "--format", "library", "-o", "other", "--as-recorded"});
  CHECK(refused.code == 2);
  CHECK(refused.says("something else"));
  CHECK(read_text(user.path("other/notes.txt")) == "mine");
}

TEST_CASE("a library has the sizes asked for, and where none was tuned the bests are raced") {
  const User user;
  write_rogue(user, "own", {"late", "well"});
  for (const char* n : {"n=1000", "n=100000"})
    user.tuned({"--kernel", "./own", "--problem", n, "--budget", "2", "-q"});
  const auto exported = [&](const std::string& format, const std::string& sizes) {
    return user.tune({"export", "--kernel", "own", "--as-recorded", "--format", format, "--sizes",
                      sizes, "-o", "lib"});
  };
  const Ran ran = exported("library", "1e3,1e4");
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  CHECK(ran.says("no study of n=10000: the bests of the others are raced there"));
  CHECK(ran.says("2 variants of own and the untuned form"));
  const Json studies = read_json(user.path("lib/provenance.json"));
  REQUIRE(studies.size() == 2);
  for (const Json& study : studies) CHECK(study.at("configuration").at("mode") == "well");
  CHECK(studies.at(0).at("problem").at("n") == 1000);
  CHECK(studies.at(1).at("problem").at("n") == 10000);
  const Ran again = exported("library", "n=10000,100000");
  CHECK(again.code == 0);
  CHECK_FALSE(again.says("no study of"));
  const auto refused = [&](const Ran& fault, const std::string& why) {
    INFO(fault.output);
    CHECK(fault.code == 2);
    CHECK(fault.says(why));
  };
  refused(exported("json", "1e3"), "only a library has variants for several sizes");
  refused(exported("library", "m=1e3"), "m");
  refused(exported("library", "1e3,many"), "many");
  refused(exported("library", "n="), "names no size");
}

TEST_CASE("a kernel that keeps one state prepares one problem at a time, and its library says so") {
  const User user;
  user.write("mine/kernel.json", R"({
    "schema": "rooftune-kernel-1", "name": "mine", "title": "y = a x",
    "parameters": [{"name": "n", "type": "integer", "default": 5000}],
    "arguments": [{"name": "n", "type": "int64", "value": "n"},
                  {"name": "x", "type": "double*", "count": "n", "access": "read",
                   "fill": {"kind": "uniform", "low": 0, "high": 1, "seed": 1}},
                  {"name": "y", "type": "double*", "count": "n", "access": "write"}],
    "work": {"least": {"fp64": "n"}, "items": "n", "item": "element"},
    "traffic": {"read": "8*n", "write": "8*n", "footprint": "16*n"},
    "tolerance": {"relative": 1e-13, "scale": "max"},
    "reference": "reference.cpp",
    "backends": {"openmp": {"source": "openmp.cpp", "prepare": true}}})");
  const std::string signature = "(std::int64_t n, const double* x, double* y)";
  const std::string loop = " { for (std::int64_t i = 0; i < n; ++i) y[i] = 2 * x[i]; }\n";
  user.write("mine/reference.cpp", "#include <cstdint>\nvoid mine" + signature + loop);
  user.write("mine/openmp.cpp",
             "#include <cstdint>\nstatic double factor = 0;\nvoid mine_prepare(std::int64_t, const "
             "double*, double*) { factor = 2; }\nvoid mine" +
                 signature + " { for (std::int64_t i = 0; i < n; ++i) y[i] = factor * x[i]; }\n");
  user.write("mine/mine.openmp.json", R"({
    "schema": "rooftune-space-1", "kernel": "mine", "backend": "openmp",
    "knobs": [{"name": "unroll", "kind": "compile", "values": [1, 2], "default": 1,
               "breaks": ["ilp"], "doc": "nothing"}], "constraints": []})");
  user.tuned({"--kernel", "./mine", "--budget", "2"});
  const Ran exported = user.tune(
      {"export", "--kernel", "./mine", "--format", "library", "-o", "lib", "--as-recorded"});
  INFO(exported.output);
  REQUIRE(exported.code == 0);
  CHECK(read_text(user.path("lib/include/tuned_mine.h")).find("or a problem is prepared already") !=
        std::string::npos);
  build_project(user, "lib", "lib.build", {"-DCMAKE_BUILD_TYPE=Debug"});
  user.write("one.c", R"(#include <stdio.h>
#include "tuned_mine.h"
int main(void) {
  static double x[5000], y[5000];
  tuned_mine* const first = tuned_mine_prepare(0, 5000, x, y);
  tuned_mine* const second = tuned_mine_prepare(0, 5000, x, y);
  tuned_mine_free(first);
  tuned_mine* const third = tuned_mine_prepare(0, 5000, x, y);
  printf("%d %d %d\n", first != NULL, second != NULL, third != NULL);
  tuned_mine_free(third);
  return 0;
}
)");
  output_of(user,
            {"sh", "-c",
             "gcc -std=c99 -Ilib/include one.c -o one $(find lib.build -name '*.a') -lstdc++ -lm "
             "-fopenmp"});
  CHECK(output_of(user, {user.path("one").string()}) == "1 0 1\n");
}

TEST_CASE("a solver links the library of spmv, with two matrices at a time") {
  const User user;
  tune_with(user, "spmv", "kind=stencil27,n=24", {{"format", "sell"}});
  const Ran exported = user.tune(
      {"export", "--kernel", "spmv", "--format", "library", "-o", "lib", "--as-recorded"});
  INFO(exported.output);
  REQUIRE(exported.code == 0);
  CHECK(built_and_tested(user, "lib", "native").find("100% tests passed") != std::string::npos);
  output_of(user, {"cmake", "--install", "lib.build", "--prefix", user.path("prefix").string()});
  user.write("two.c", two_matrices);
  output_of(
      user,
      {"sh", "-c",
       "gcc -std=c99 -Wall -Wextra -Werror two.c -o two $(PKG_CONFIG_PATH=prefix/lib/pkgconfig "
       "pkg-config --cflags --libs tuned_spmv)"});
  CHECK(output_of(user, {"env", "TUNED_SPMV_VARIANT=baseline", "./two"}) == "baseline: 0 wrong\n");
  build_project(user, example("solver"), "solver", {"-DTUNED_SPMV=" + user.path("lib").string()});
  const std::string said = output_of(user, {user.path("solver/solver").string(), "16", "1"});
  INFO(said);
  for (const char* solver : {"CG ", "CG, later", "BiCGStab", "GMRES(30)", "multigrid"})
    CHECK(said.find(solver) != std::string::npos);
  if (!find_program("gfortran")) return;
  const std::string fortran = output_of(user, {user.path("solver/fortran_solver").string()});
  INFO(fortran);
  for (const char* solver : {"CG with", "BiCGStab with", "GMRES(30) with", "multigrid with"})
    CHECK(fortran.find(solver) != std::string::npos);
}

TEST_CASE("a library has variants for applications that cannot promise all that the best needs") {
  const User user;
  user.write("mine/kernel.json", R"({
    "schema": "rooftune-kernel-1", "name": "mine", "title": "y = 2 x",
    "parameters": [{"name": "n", "type": "integer", "default": 20000, "min": 1, "max": 1000000, "doc": "n"}],
    "arguments": [{"name": "n", "type": "int64", "value": "n"},
                  {"name": "x", "type": "double*", "count": "n", "access": "read",
                   "fill": {"kind": "uniform", "low": 1, "high": 2, "seed": 1}},
                  {"name": "y", "type": "double*", "count": "n", "access": "write"}],
    "work": {"least": {"fp64": "n"}, "nominal": "n", "items": "n", "item": "product"},
    "traffic": {"read": "8*n", "write": "8*n", "footprint": "16*n"},
    "cache": "warm", "tolerance": {"relative": 1e-14, "absolute": 0},
    "reference": "reference.cpp", "backends": {"openmp": {"source": "openmp.cpp"}}})");
  user.write("mine/mine.openmp.json", R"({
    "schema": "rooftune-space-1", "kernel": "mine", "backend": "openmp", "constraints": [],
    "knobs": [{"name": "a", "kind": "compile", "values": [0, 1], "default": 0, "breaks": ["ilp"],
               "doc": "does less", "promise": "x stays"},
              {"name": "b", "kind": "compile", "values": [0, 1], "default": 0, "breaks": ["ilp"],
               "doc": "does much less", "promise": "nobody else calls"}]})");
  const std::string head =
      "#include <cstdint>\nvoid mine(std::int64_t n, const double* x, double* y) {\n";
  const std::string body =
      "  for (std::int64_t i = 0; i < n; ++i) {\n    y[i] = 2 * x[i];\n"
      "    asm volatile(\"\" ::: \"memory\");\n  }\n}\n";
  user.write("mine/reference.cpp", head + body);
  user.write("mine/openmp.cpp",
             head + "  for (int k = 0; k < (KNOB_A ? 1 : 20) * (KNOB_B ? 1 : 400); ++k)\n" + body);
  std::vector<std::string> words = study_words("./mine", "n=300", "4");
  words.insert(words.end(), {"--strategy", "exhaustive"});
  user.tuned(words);
  const Ran exported = user.tune(
      {"export", "--kernel", "./mine", "--format", "library", "-o", "lib", "--as-recorded"});
  INFO(exported.output);
  REQUIRE(exported.code == 0);
  // a and b, b alone, a alone, neither.
  CHECK(exported.says("4 variants of mine"));
  const std::string header = read_text(user.path("lib/include/tuned_mine.h"));
  CHECK(header.find("#define TUNED_MINE_PROMISE_X_STAYS 1u") != std::string::npos);
  CHECK(header.find("#define TUNED_MINE_PROMISE_NOBODY_ELSE_CALLS 2u") != std::string::npos);
  CHECK(read_text(user.path("lib/README.md")).find("a=1 b=1") <
        read_text(user.path("lib/README.md")).find("knobs: b=1"));
}

TEST_CASE("Jacobi sweeps link the library of diffusion") {
  const User user;
  tune_with(user, "diffusion", "n=20000,steps=16,a=0.333333333333", {{"staging", "fused"}});
  const Ran exported = user.tune(
      {"export", "--kernel", "diffusion", "--format", "library", "-o", "lib", "--as-recorded"});
  INFO(exported.output);
  REQUIRE(exported.code == 0);
  build_project(user, example("jacobi"), "jacobi",
                {"-DTUNED_DIFFUSION=" + user.path("lib").string()});
  const std::string said = output_of(user, {user.path("jacobi/jacobi").string(), "20000", "3"});
  INFO(said);
  CHECK(said.find("variant ") != std::string::npos);
  CHECK(said.find("faster, solutions differ by") != std::string::npos);
}
