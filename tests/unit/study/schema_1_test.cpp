// A record of the version before (rooftune-record-1) gives the figures that that version measured;
// bound, gaps and ledger are those of today's model. Approve a change of the model with
// ROOFTUNE_APPROVE=1.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "report/result_json.h"
#include "store/study_store.h"
#include "study/analyse.h"
#include "study/model.h"
#include "support/scratch_folder.h"

using namespace rooftune;

namespace {

const std::filesystem::path source = ROOFTUNE_SOURCE_DIR;
const std::filesystem::path fixture = source / "tests/unit/study/schema_1";

}  // namespace

TEST_CASE("a record of schema 1 has the figures that were measured when it was written") {
  const testing::ScratchFolder folder;
  const std::string id = "61e9a290b866d62c";
  folder.write("records/triad.openmp." + id + "/run.jsonl", read_text(fixture / "triad.jsonl"));
  auto study = read_study(folder.path(), "triad", "openmp", id);
  REQUIRE(study);
  for (const std::string& fault : study->faults) FAIL_CHECK(fault);
  REQUIRE_FALSE(study->require_setup().self_contained);
  study->setup->kernel_folder = source / study->setup->kernel_folder;
  study->setup->space.file = source / study->setup->space.file;
  complete_model(*study, "");
  const Json result = to_json(analyse(*study, ""));
  Json printed = read_json(fixture / "result.json");
  if (std::getenv("ROOFTUNE_APPROVE")) {
    for (auto& [member, expected] : printed.items()) expected = result.at(member);
    write_atomically(fixture / "result.json", json_text(printed, 1) + "\n");
  }
  for (const auto& [member, expected] : printed.items()) {
    INFO(member);
    CHECK(result.at(member).dump(1) == expected.dump(1));
  }
}
