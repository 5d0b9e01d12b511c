// Exported libraries in programs: the choice by sizes, two libraries in one program, children of
// fork(), and projects of all kinds.
#include <catch2/catch.hpp>

#include "../../../kernels/include/rooftune/library_choice.h"
#include "core/file.h"
#include "exports/kernel_library.h"
#include "os/subprocess.h"
#include "support/scratch_folder.h"
#include "support/small_library.h"

using namespace rooftune;
namespace fs = std::filesystem;

namespace {

struct TimedVariant {
  const char* name;
  const double* facts;
  double machine = 0;
  bool right = true;
  unsigned promises = 0;
  bool fits(int) const { return right; }
};

/// What is said of the choice for a size.
std::string chosen_for(double n, const std::vector<TimedVariant>& all) {
  std::vector<const TimedVariant*> variants;
  for (const TimedVariant& one : all) variants.push_back(&one);
  static const char* const names[] = {"n"};
  const rooftune_library::Asked asked{"tuned_test", "ROOFTUNE_TEST_NO_VARIANT", names, &n, 1, 0};
  const TimedVariant& one =
      all[static_cast<std::size_t>(rooftune_library::nearest(
                                       variants.data(), static_cast<int>(all.size()), 0, asked,
                                       [](const TimedVariant&) { return true; },
                                       [](const TimedVariant& variant) { return variant.machine; })
                                       .place)];
  char text[80];
  rooftune_library::describe(one, asked, text, sizeof text);
  return text;
}

std::string ran(const std::vector<std::string>& words, const fs::path& folder,
                const std::map<std::string, std::string>& environment = {}) {
  Command command;
  command.argv = words;
  command.directory = folder;
  command.environment = environment;
  command.limit = std::chrono::minutes(5);
  const Finished finished = execute(command);
  INFO(finished.status.text() << "\n" << finished.output);
  REQUIRE(finished.status.ok());
  return finished.output;
}

/// Chooses in both libraries, then calls them in children.
constexpr const char* two_libraries = R"(#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include "tuned_first.h"
#include "tuned_second.h"
static constexpr int n = 1050;
static double x[n], y[n];
static int32_t k[n];
static const char* check(const char* said) {
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += y[i] != 2.0 * i + 1;
  std::memset(y, 0, sizeof y);
  return wrong == 0 ? said : "wrong";
}
template <class Call>
static void in_child(const char* name, const Call& call) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    call();
    std::printf("%s: %s\n", name, check("right"));
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::printf("%s: signal %d\n", name, WTERMSIG(status));
}
int main() {
  for (int i = 0; i < n; ++i) {
    x[i] = i;
    k[i] = 1;
  }
  tuned_second* const second = tuned_second_prepare(0, n, 2, x, k, y);
  std::printf("second: %s\n", tuned_second_variant(second));
  tuned_first* const first = tuned_first_prepare(0, n, 2, x, k, y);
  std::printf("first: %s\n", tuned_first_variant(first));
  in_child("of one thread", [] { tuned_first_call(n, 2, x, k, y); });
  (void)!tuned_second_run(second, n, 2, x, k, y);
  std::printf("second here: %s\n", check("right"));
  tuned_first_call(n, 2, x, k, y);
  std::printf("first here: %s\n", check("right"));
  in_child("first", [] { tuned_first_call(n, 2, x, k, y); });
  in_child("first prepared here", [=] { (void)!tuned_first_run(first, n, 2, x, k, y); });
  in_child("second anew", [=] {
    tuned_second_free(second);
    tuned_second* const anew = tuned_second_prepare(0, n, 2, x, k, y);
    (void)!tuned_second_run(anew, n, 2, x, k, y);
  });
  in_child("second prepared here", [=] { (void)!tuned_second_run(second, n, 2, x, k, y); });
  tuned_first_call(n, 2, x, k, y);
  std::printf("first after all: %s\n", check("right"));
}
)";

}  // namespace

TEST_CASE(
    "a library takes the variant of the nearest sizes, at any distance, and says where it was "
    "timed") {
  static const double small[] = {1e4}, middle[] = {1e6}, large[] = {1e8}, none[] = {0};
  const std::vector<TimedVariant> all{
      {"v1", small}, {"v2", middle}, {"v3", large}, {"baseline", nullptr}};
  CHECK(chosen_for(1e4, all) == "v1");
  CHECK(chosen_for(1.09e4, all) == "v1");
  CHECK(chosen_for(1.2e4, all) == "v1, timed at n = 10000");
  CHECK(chosen_for(9e4, all) == "v1, timed at n = 10000");
  CHECK(chosen_for(1.1e5, all) == "v2, timed at n = 1000000");
  CHECK(chosen_for(9e6, all) == "v2, timed at n = 1000000");
  CHECK(chosen_for(1.1e7, all) == "v3, timed at n = 100000000");
  CHECK(chosen_for(1e12, all) == "v3, timed at n = 100000000");
  CHECK(chosen_for(2, all) == "v1, timed at n = 10000");
  CHECK(chosen_for(0, all) == "baseline");
  // Where it is wrong, the next one; timed on the same machine far away goes behind another's near.
  CHECK(chosen_for(1e12, {{"v1", large, 0, false}, {"v2", small}, {"baseline", nullptr}}) ==
        "v2, timed at n = 10000");
  CHECK(chosen_for(1e12, {{"v1", large, 0, false}, {"baseline", nullptr}}) == "baseline");
  CHECK(chosen_for(1e6, {{"v1", small, 0}, {"v2", middle, 1}, {"baseline", nullptr}}) == "v2");
  CHECK(chosen_for(1e6, {{"v1", small, -1}, {"v2", none}, {"baseline", nullptr}}) == "baseline");
}

TEST_CASE(
    "two libraries in one program choose for themselves, and their children have one thread") {
  const testing::ScratchFolder folder;
  const auto first = library_files(small_library(small_kernel(folder, "first", false)));
  CHECK(first.at("include/tuned_first.h").find("gives them no parameter: zero = 0\n") !=
        std::string::npos);
  const auto second = library_files(small_library(small_kernel(folder, "second", true)));
  write_library(folder.path() / "first", first);
  write_library(folder.path() / "second", second);
  folder.write("main.cpp", two_libraries);
  ran({"sh", "-c",
       "for l in second first; do for f in $l/src/*.cpp; do "
       "g++ -std=c++20 -O0 -fopenmp -I$l/include -I$l/src -c $f -o $l.$(basename $f).o; done; "
       "done; "
       "g++ -std=c++20 -O0 -fopenmp -Ifirst/include -Isecond/include main.cpp second.*.o first.*.o "
       "-o two"},
      folder.path());
  const std::string said = ran(
      {(folder.path() / "two").string()}, folder.path(),
      {{"OMP_NUM_THREADS", "2"}, {"ROOFTUNE_VERBOSE", "1"}, {"TUNED_SECOND_VARIANT", "baseline"}});
  INFO(said);
  const auto says = [&](const std::string& text) {
    const std::size_t at = said.find(text);
    return at != std::string::npos && said.find(text, at + 1) == std::string::npos;
  };
  CHECK(says("second: baseline\n"));
  CHECK(says("first: v1\n"));
  CHECK(says("tuned_first: v1, for n = 1050\n"));
  CHECK(says("tuned_second: baseline, for n = 1050\n"));
  for (const char* right : {"of one thread", "second here", "first here", "first",
                            "first prepared here", "second anew", "first after all"}) {
    INFO(right);
    CHECK(says(std::string("\n") + right + ": right\n"));
  }
  CHECK(says("second prepared here: signal 6\n"));
  CHECK(says("the problem was prepared by 2 threads before fork()"));
}

namespace {

/// A program that prepares two sizes far from what was timed, and misuses a handle.
constexpr const char* far_away = R"(#include <cstdio>
#include <initializer_list>
#include "tuned_small.h"
static double x[50000], y[50000];
static int32_t k[50000];
int main() {
  for (const int n : {50000, 20000}) {
    y[0] = -7;
    tuned_small* const one = tuned_small_prepare(0, n, 2, x, k, y);
    std::printf("%d: %s, y %g\n", n, tuned_small_variant(one), y[0]);
    static double other[50000];
    const bool any = tuned_small_run(one, n, 2, x, k, other) == 0;
    const bool held = tuned_small_run(one, n - 1, 2, x, k, y) != 0;
    std::printf("other vectors %d, other sizes %d\n", any, held);
    tuned_small_free(one);
    const int code = tuned_small_run(one, n, 2, x, k, y);
    std::printf("freed: %d, %s\n", code < 0, tuned_small_error());
    tuned_small_free(one);
  }
})";

/// The kernel with a knob: `slow` does the work again and again. No layout holds x, k or y.
LibrarySource uneven_library(const testing::ScratchFolder& folder, const char* slow_variant) {
  const fs::path in = folder.path() / "small.kernel";
  small_kernel(folder, "small", true);
  Json manifest = read_json(in / "kernel.json");
  manifest["backends"]["openmp"]["holds"] = Json::array();
  folder.write("small.kernel/kernel.json", manifest.dump());
  std::string text = read_text(in / "openmp.cpp");
  const std::string loop = "  int there = 0;\n";
  text.insert(text.find(loop), "  for (int i = 0; i < KNOB_SLOW; ++i) asm volatile(\"\");\n");
  folder.write("small.kernel/openmp.cpp", text);
  LibrarySource source = small_library(read_kernel(in));
  for (LibraryVariant& one : source.variants)
    one.macros = {{"KNOB_SLOW", one.name == slow_variant ? "20000000" : "0"}};
  return source;
}

std::string far_away_says(const testing::ScratchFolder& folder,
                          std::map<std::string, std::string> environment) {
  // Threads that wait for each other on a busy machine take longer than any slow variant.
  environment["OMP_NUM_THREADS"] = "1";
  ran({"sh", "-c",
       "g++ -std=c++20 -O1 -fopenmp -Ilibrary/include -Ilibrary/src main.cpp library/src/*.cpp -o "
       "far"},
      folder.path());
  return ran({(folder.path() / "far").string()}, folder.path(), environment);
}

}  // namespace

TEST_CASE("far from what was timed the fastest is taken, the untuned form too, and remembered") {
  for (const std::string slow : {"v1", "baseline"}) {
    const testing::ScratchFolder folder;
    write_library(folder.path() / "library", library_files(uneven_library(folder, slow.c_str())));
    folder.write("main.cpp", far_away);
    const std::string chosen = slow == "v1" ? "baseline" : "v1";
    const std::string said =
        far_away_says(folder, {{"TUNED_SMALL_CHOICES", folder.path() / "choices"}});
    INFO(said);
    CHECK(said.find("50000: " + chosen) != std::string::npos);
    CHECK(said.find("raced here, y -7\nother vectors 1, other sizes 1\nfreed: 1, the problem is "
                    "there no more: it was freed\n") != std::string::npos);
    CHECK(said.find("20000: " + chosen) != std::string::npos);
    const std::string choices = read_text(folder.path() / "choices");
    CHECK(std::ranges::count(choices, '\n') == 2);
    CHECK(choices.find(slow == "v1" ? " 50000 baseline" : " 50000 v1") != std::string::npos);
  }
}

TEST_CASE("a choice of the user's file is taken without a race") {
  const testing::ScratchFolder folder;
  write_library(folder.path() / "library", library_files(uneven_library(folder, "v1")));
  folder.write("main.cpp", far_away);
  const std::map<std::string, std::string> environment{
      {"TUNED_SMALL_CHOICES", folder.path() / "choices"}, {"ROOFTUNE_VERBOSE", "1"}};
  far_away_says(folder, environment);
  std::string choices = read_text(folder.path() / "choices");
  choices.replace(choices.find("baseline"), 8, "v1");
  folder.write("choices", choices);
  const std::string said = far_away_says(folder, environment);
  INFO(said);
  CHECK(said.find("won an earlier race") != std::string::npos);
  CHECK(said.find("50000: v1") != std::string::npos);
}

TEST_CASE(
    "a library has the name it was given, its licence in each file, and shows its functions") {
  const testing::ScratchFolder folder;
  LibrarySource source = small_library(small_kernel(folder, "small", false));
  source.name = "mesh_sum";
  const auto files = library_files(source);
  REQUIRE(files.contains("include/mesh_sum.h"));
  const std::string& header = files.at("include/mesh_sum.h");
  CHECK(header.find("mesh_sum_prepare(unsigned promises") != std::string::npos);
  CHECK(header.find("#define MESH_SUM_VERSION_MAJOR 1\n") != std::string::npos);
  CHECK(header.find("tuned_small") == std::string::npos);
  CHECK(files.at("src/exports.map").find("global: mesh_sum_*; local: *;") != std::string::npos);
  CHECK(files.at("LICENSE").find("its author's terms hold") != std::string::npos);
  CHECK(files.at("src/v1.cpp").find("LicenseRef-kernel AND MIT-0") != std::string::npos);
  source.variants.front().conditions = {
      {"x is the same in all calls between prepare and finish", "", ""}};
  const std::string fortran = library_files(source).at("include/mesh_sum.f90");
  const std::string promise = "MESH_SUM_PROMISE_X_IS_THE_SAME_IN_ALL_CALLS_BETWEEN_PREPARE_";
  CHECK(fortran.find(promise.substr(0, 60) + " = 1\n") != std::string::npos);
  for (const auto& [file, text] : files) {
    INFO(file);
    if (file.extension() != ".json") CHECK(text.find("MIT-0") != std::string::npos);
  }
}

TEST_CASE("two exports of one kernel enter one program, each by its name") {
  const testing::ScratchFolder folder;
  LibrarySource source = small_library(small_kernel(folder, "small", true));
  write_library(folder.path() / "one", library_files(source));
  source.name = "mesh_sum";
  write_library(folder.path() / "two", library_files(source));
  folder.write("main.cpp", R"(#include <cstdio>
#include "mesh_sum.h"
#include "tuned_small.h"
int main() {
  double x[] = {1, 2}, y[] = {0, 0}, z[] = {0, 0};
  int32_t k[] = {3, 4};
  tuned_small* const one = tuned_small_prepare(0, 2, 2, x, k, y);
  mesh_sum* const two = mesh_sum_prepare(0, 2, 10, x, k, z);
  const int codes = tuned_small_run(one, 2, 2, x, k, y) + mesh_sum_run(two, 2, 10, x, k, z);
  std::printf("%d %g %g %g %g\n", codes, y[0], y[1], z[0], z[1]);
  tuned_small_free(one);
  mesh_sum_free(two);
})");
  ran({"sh", "-c",
       "for l in one two; do for f in $l/src/*.cpp; do "
       "g++ -std=c++20 -O0 -fopenmp -I$l/include -I$l/src -c $f -o $l.$(basename $f).o; done; "
       "done; g++ -O0 -fopenmp -Ione/include -Itwo/include main.cpp *.o -o both"},
      folder.path());
  CHECK(ran({(folder.path() / "both").string()}, folder.path()) == "0 5 8 13 24\n");
}

TEST_CASE("an exported library enters projects of C, C++, Fortran and Python, static and shared") {
  const testing::ScratchFolder folder;
  write_library(folder.path() / "library",
                library_files(small_library(small_kernel(folder, "small", false))));
  const std::string said =
      ran({ROOFTUNE_SOURCE_DIR "/tests/package/library/consumers.sh",
           (folder.path() / "library").string(), (folder.path() / "work").string()},
          folder.path());
  CHECK(said.find("all consumers are right") != std::string::npos);
  for (std::size_t at = said.find("skipped: "); at != std::string::npos;
       at = said.find("skipped: ", at + 1))
    WARN(said.substr(at, said.find('\n', at) - at));
}
