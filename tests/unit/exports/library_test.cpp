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
  const double* sizes;
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
  std::vector<std::atomic<bool>> told(all.size());
  const TimedVariant& one = rooftune_library::chosen(
      variants.data(), static_cast<int>(all.size()), 0, asked, told.data(),
      [](const TimedVariant&) { return true; },
      [](const TimedVariant& variant) { return variant.machine; });
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
static constexpr int n = 9000;
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
  CHECK(chosen_for(1.9e4, all) == "v1");
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
  auto second = library_files(small_library(small_kernel(folder, "second", true)));
  // As another version of Rooftune could have it: no variant is near enough.
  std::string& choice = second.at("src/rooftune/library_choice.h");
  const std::string sum = "  Distance all;\n";
  choice.replace(choice.find(sum), sum.size(), "  Distance all;\n  return {HUGE_VAL, HUGE_VAL};\n");
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
  const std::string said = ran({(folder.path() / "two").string()}, folder.path(),
                               {{"OMP_NUM_THREADS", "2"}, {"ROOFTUNE_VERBOSE", "1"}});
  INFO(said);
  const auto says = [&](const std::string& text) {
    const std::size_t at = said.find(text);
    return at != std::string::npos && said.find(text, at + 1) == std::string::npos;
  };
  CHECK(says("second: baseline\n"));
  CHECK(says("first: v1, timed at n = 1000\n"));
  CHECK(says("tuned_first: v1, timed at n = 1000, for n = 9000\n"));
  CHECK(says("tuned_second: baseline, for n = 9000: no other is right"));
  for (const char* right : {"of one thread", "second here", "first here", "first",
                            "first prepared here", "second anew", "first after all"}) {
    INFO(right);
    CHECK(says(std::string("\n") + right + ": right\n"));
  }
  CHECK(says("second prepared here: signal 6\n"));
  CHECK(says("the problem was prepared by 2 threads before fork()"));
}

TEST_CASE("a library may take the place of one with the same interface only") {
  const testing::ScratchFolder folder;
  const LibrarySource source = small_library(small_kernel(folder, "small", false));
  const Json now = record_of(source).interface;
  CHECK(interface_difference(now, now).empty());
  Json other = now;
  other["arguments"] = "int64_t n, const double* x";
  CHECK(interface_difference(other, now).find("arguments: \"int64_t n, const double* x\" there") ==
        0);
  other = now;
  other["prepares"] = true;
  CHECK(interface_difference(other, now) == "prepares: true there, false now");
  // Another promise may follow: its bit is given by no application that was compiled before.
  other = now;
  other["promises"] = {"symmetric > 0"};
  CHECK(interface_difference(now, other).empty());
  CHECK(interface_difference(other, now).empty());
  Json third = now;
  third["promises"] = {"sorted > 0", "symmetric > 0"};
  CHECK(interface_difference(other, third) ==
        "promise 1: \"symmetric > 0\" there, \"sorted > 0\" now");
  CHECK_FALSE(interface_difference(Json::object(), now).empty());
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
