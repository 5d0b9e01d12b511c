// A finished result does not change with the files that it came from; and what a plan says is a
// value.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;
namespace fs = std::filesystem;

namespace {

/// A copy of a kernel with its space, as somebody's own.
fs::path own_kernel(const User& user) {
  const fs::path root = ROOFTUNE_SOURCE_DIR, copy = user.path("mine/triad");
  fs::create_directories(copy.parent_path());
  fs::copy(root / "kernels/triad", copy, fs::copy_options::recursive);
  fs::copy(root / "search_spaces/triad.openmp.json", copy / "triad.openmp.json");
  return copy;
}

/// The line of the gap, and whatever else the command says of it.
std::string bound_of(const Ran& ran) {
  REQUIRE(ran.code == 0);
  const std::size_t begin = ran.output.find("bound");
  REQUIRE(begin != std::string::npos);
  return ran.output.substr(begin, ran.output.find('\n', begin) - begin);
}

}  // namespace

TEST_CASE("an edit of kernel.json after a study changes no figure of it, and is told") {
  const User user;
  const fs::path kernel = own_kernel(user);
  user.tuned({"--kernel", kernel.string(), "--problem", "n=200000", "--threads", "1", "--budget",
              "3", "--no-staircase"});
  const std::vector<std::string> explain{"explain", "--kernel", "triad"};
  const Ran before = user.tune(explain);
  CHECK_FALSE(before.says("has changed since"));

  Json manifest = read_json(kernel / "kernel.json");
  manifest["traffic"] = {{"read", "32*n"}, {"write", "16*n"}, {"footprint", "48*n"}};
  manifest["work"]["least"]["fp64"] = "4*n";
  write_atomically(kernel / "kernel.json", manifest.dump(1));
  const Ran after = user.tune(explain);
  CHECK(bound_of(after) == bound_of(before));
  const Ran report = user.tune({"report", "--kernel", "triad", "-v"});
  CHECK(bound_of(report) == bound_of(user.tune({"report", "--kernel", "triad", "-v"})));
  CHECK(report.says("kernel.json"));

  fs::rename(kernel, user.path("elsewhere"));
  CHECK(bound_of(user.tune(explain)) == bound_of(before));
  const Ran exported = user.tune(
      {"export", "--kernel", "triad", "--format", "json", "-o", "best.json", "--as-recorded"});
  INFO(exported.output);
  CHECK(exported.code == 0);
  CHECK(read_json(user.path("best.json")).at("kernel") == "triad");
  const Ran best = user.tune({"explain", "--kernel", "triad", "best"});
  CHECK(best.code == 0);
  CHECK(best.says("how it was built cannot be told here"));
}

TEST_CASE("a plan names a matrix whose path holds a comma and an equals sign") {
  const User user;
  fs::create_directories(user.path("dir"));
  user.write("dir/x,y=1.mtx",
             "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 2\n2 2 3\n3 3 4\n"
             "1 3 0.5\n3 1 0.25\n");
  user.write("plan.json", R"({"schema": "rooftune-sweep-1", "name": "comma", "studies": [
    {"kernel": "spmv", "problem": {"matrix": "dir/x,y=1.mtx"}, "budget": 2, "threads": 1}]})");
  const Ran ran = user.tune({"sweep", "plan.json", "--json", "summary.json"});
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  const Json summary = read_json(user.path("summary.json"));
  CHECK(summary.dump().find("dir/x,y=1.mtx") != std::string::npos);
}

TEST_CASE("records of a newer version are refused with what to do, and stay as they are") {
  const User user;
  const std::vector<std::string> words{"--kernel", "triad",     "--problem",
                                       "n=2000",   "--threads", "1",
                                       "--budget", "2",         "--no-staircase"};
  user.tuned(words);
  const auto records = user.files("results/records", ".jsonl");
  REQUIRE(records.size() == 1);
  const std::string text = read_text(records[0]);
  const std::string newer = text + R"({"schema": "rooftune-record-9", "event": "trial"})" + "\n";
  write_atomically(records[0], newer);
  for (const std::vector<std::string>& command :
       {words, {"report", "--kernel", "triad"}, {"export", "--kernel", "triad"}}) {
    const Ran ran = user.tune(command);
    INFO(ran.output);
    CHECK(ran.code == 2);
    CHECK(ran.says("rooftune-record-9"));
    CHECK(ran.says("--fresh"));
  }
  CHECK(read_text(records[0]) == newer);
}
