#include <catch2/catch.hpp>

#include "core/file.h"
#include "os/temporary_directory.h"
#include "support/environment_variable.h"
#include "sweep/regression.h"

using namespace rooftune;

namespace {

ExportVerdict after(const Estimate& exported_over_best) {
  return judge_export({exported_over_best, 15, {}}, 0.03);
}

}  // namespace

TEST_CASE("only what is faster beyond noise and threshold is better than an export") {
  CHECK(after({1.3, 1.2, 1.4}).finding == ExportFinding::better);
  CHECK(after({1.02, 1.01, 1.03}).finding == ExportFinding::no_better);
  CHECK(after({0.9, 0.8, 1.0}).finding == ExportFinding::no_better);
  const ExportVerdict open = after({1.2, 0.9, 1.6});
  CHECK(open.finding == ExportFinding::inconclusive);
  CHECK(open.sentence.find("which tells nothing") != std::string::npos);
  const ExportVerdict fault = judge_export({{}, 0, "it hangs"}, 0.03);
  CHECK(fault.finding == ExportFinding::inconclusive);
  CHECK(fault.sentence == "could not be raced: it hangs");
}

TEST_CASE("exports lie where the option says, else where the environment does") {
  const testing::EnvironmentVariable known("ROOFTUNE_EXPORTS", "/a:/b");
  CHECK(export_places("/c").size() == 1);
  CHECK(export_places("").size() == 2);
  const testing::EnvironmentVariable unknown("ROOFTUNE_EXPORTS", "");
  CHECK(export_places("").empty());
}

TEST_CASE("what is no export is said, and what lies beside exports is none") {
  const TemporaryDirectory folder;
  write_atomically(folder.path() / "a.json", R"({"schema": "rooftune-export-1",
    "configuration": {"mode": "well"}})");
  write_atomically(folder.path() / "b.json", "{");
  write_atomically(folder.path() / "c.json", R"({"schema": "rooftune-export-2"})");
  write_atomically(folder.path() / "a.json.until-2026", "{");
  const auto faults = checked_exports({{folder.path()}, true, 0.03});
  REQUIRE(faults.size() == 2);
  CHECK(faults[0].find("b.json") != std::string::npos);
  CHECK(faults[1].find("rooftune-export-1") != std::string::npos);
  CHECK_THROWS_AS(checked_exports({{folder.path() / "none"}, false, 0.03}), Error);
  CHECK_THROWS_AS(checked_exports({{}, true, 0.03}), Error);
}
