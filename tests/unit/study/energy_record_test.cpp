// The record of a study that ranks by energy says so, in whatever state it is read back.
#include <catch2/catch.hpp>

#include "store/study_store.h"
#include "study/find_study.h"
#include "synthetic_platform.h"

using namespace rooftune;
using namespace rooftune::synthetic;

TEST_CASE("what a study ranks by survives a record out of order, and strangers in it") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const StudySpec spec = kernel.spec();
  const FinishedStudy timed = run_study(spec, platform, {});
  StudySetup setup = *timed.record.setup;
  setup.objective = energy_objective;
  StudyHeader header = timed.record.header;
  header.id = "0123456789abcdef";
  const auto trial = [&](std::uint64_t index, double joules) {
    Trial one = timed.record.history.trials().at(index);
    one.measurement->card.emplace();
    one.measurement->card->joules = joules;
    return one;
  };
  {
    RecordWriter writer(spec.results, header);
    writer.append(setup);
    writer.append(trial(1, 1));
    writer.append(trial(0, 2));
    Trial stranger = trial(2, 0.5);
    stranger.configuration.set("x", Value(-1));
    writer.append(stranger);
  }
  StudyRecord read = *read_study(spec.results, header.kernel, header.backend, header.id);
  CHECK(read.history.ranked_by() == Figure::energy);
  REQUIRE(read.history.size() == 3);
  CHECK(read.history.best()->index == 2);
  remove_impossible_entries(read, *timed.study->first().space);
  CHECK(read.history.ranked_by() == Figure::energy);
  REQUIRE(read.history.size() == 2);
  CHECK(read.history.best()->index == 1);
}
