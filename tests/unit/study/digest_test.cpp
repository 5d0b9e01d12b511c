// A study's digest is what its records say, whatever happened to either.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "store/record_writer.h"
#include "study/find_study.h"
#include "synthetic_platform.h"

using namespace rooftune;
using namespace rooftune::synthetic;

namespace {

namespace fs = std::filesystem;

StudyDigest digest_in(const fs::path& results) {
  const auto studies = study_files(results);
  REQUIRE(studies.size() == 1);
  const auto digest = read_digest(results, studies.front());
  REQUIRE(digest);
  return *digest;
}

/// The last ok trial again, as another writer's with a better time.
void add_faster_trial(const fs::path& results, const StudyRecord& record) {
  RecordWriter writer(results, record.header);
  Trial faster = **record.history.fastest(1).begin();
  faster.index = record.history.size();
  Estimate& seconds = faster.measurement->seconds;
  seconds = {seconds.value / 8, seconds.low / 8, seconds.high / 8};
  faster.started = "2099-01-01T00:00:00Z";
  writer.append(faster);
}

}  // namespace

TEST_CASE("a digest is of the records as they are, and serves without reading their trials") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const FinishedStudy study = run_study(kernel.spec(20), platform, {});
  const fs::path folder = study.record.place.parent_path();
  const fs::path results = folder.parent_path().parent_path(), file = folder / "digest.json";
  REQUIRE(fs::exists(file));
  const StudyDigest kept = digest_in(results);
  const History& history = study.record.history;
  CHECK(encode(kept.head.header) == encode(study.record.header));
  CHECK(encode(*kept.head.setup) == encode(*study.record.setup));
  CHECK(kept.trials == history.size());
  CHECK(kept.best == study.result.best->seconds.value);
  CHECK(kept.inconclusive == study.result.inconclusive);
  CHECK(kept.fastest.front() == history.best()->configuration);

  // What is made again is the same, to the last digit.
  const Json first = encode(kept);
  const std::string text = read_text(file);
  for (const std::string& damage : {std::string("{"), std::string("[]"), text.substr(0, 200)}) {
    write_atomically(file, damage);
    CHECK(encode(digest_in(results)) == first);
    CHECK(read_text(file) == text);
  }
  fs::remove(file);
  CHECK(encode(digest_in(results)) == first);

  // Records of the same size and time are not read.
  const std::string records = read_text(study.record.place);
  const auto written = fs::last_write_time(study.record.place);
  write_atomically(study.record.place, std::string(records.size(), ' '));
  fs::last_write_time(study.record.place, written);
  CHECK(encode(digest_in(results)) == first);
  write_atomically(study.record.place, records);
  CHECK(encode(digest_in(results)) == first);

  add_faster_trial(results, study.record);
  const StudyDigest later = digest_in(results);
  CHECK(later.trials == history.size() + 1);
  CHECK(later.last == "2099-01-01T00:00:00Z");
  CHECK(later.fingerprint != kept.fingerprint);

  // A newer version's records are no longer those of the digest.
  write_atomically(folder / "99990101T000000.000000Z.node.1.jsonl",
                   "{\"schema\": \"rooftune-record-9\", \"event\": \"trial\", \"body\": {}}\n");
  CHECK_THROWS_WITH(digest_in(results).head.require_setup(), Catch::Contains("newer version"));
  CHECK(digest_in(results).trials == history.size() + 1);
}

TEST_CASE("a digest is made of records that may only be read") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const FinishedStudy study = run_study(kernel.spec(10), platform, {});
  const fs::path folder = study.record.place.parent_path();
  fs::remove(folder / "digest.json");
  // Also nobody with all rights makes a file of a folder's name.
  fs::create_directory(folder / "digest.json");
  CHECK(digest_in(folder.parent_path().parent_path()).best == study.result.best->seconds.value);
  CHECK(fs::is_directory(folder / "digest.json"));
}
