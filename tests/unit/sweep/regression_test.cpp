#include "sweep/regression.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>

#include "core/file.h"
#include "os/temporary_directory.h"
#include "sweep/outcome.h"
#include "sweep/schedule.h"

using namespace rooftune;

namespace {

Baseline accepted_then() {
  Baseline baseline;
  baseline.key = "triad.openmp.host.0123";
  baseline.accepted = {"5f", "2026-11-01T02:00:00Z", "me", "first", {1e-3, 0.9e-3, 1.1e-3}};
  baseline.roofs = {{"DRAM read", 40e9}};
  return baseline;
}

/// After a change of sources and compiler.
Rematch measured(const Estimate& rebuilt, const Estimate& best = {1.0, 0.99, 1.01}) {
  Rematch rematch;
  rematch.best = best;
  rematch.rebuilt = rebuilt;
  rematch.now = Estimate{1e-3, 0.9e-3, 1.1e-3};
  rematch.roofs = {{"DRAM read", 36e9}};
  rematch.rounds = 45;
  rematch.changed = {"source openmp.cpp", "compiler version"};
  return rematch;
}

SeriesVerdict verdict(const Rematch& rematch) { return judge(accepted_then(), rematch, 0.03); }

}  // namespace

TEST_CASE("nights that differ by little need no race") {
  CHECK(is_suspicious({1.0, 1.0}, 1.0, 0.03));
  CHECK_FALSE(is_suspicious({1.0, 1.01, 0.99}, 1.01, 0.03));
  CHECK(is_suspicious({1.0, 1.01, 0.99}, 1.02, 0.03));
  CHECK(is_suspicious({1.0, 1.01, 0.99}, 0.98, 0.03));
  // Only the latest ten count.
  std::vector<double> faster(20, 2.0);
  faster.insert(faster.end(), 10, 1.0);
  CHECK_FALSE(is_suspicious(faster, 1.0, 0.03));
}

TEST_CASE("slower code beyond noise and threshold is a regression, and what changed is named") {
  const SeriesVerdict slower = verdict(measured({1.08, 1.06, 1.1}));
  CHECK(slower.finding == Standing::regressed);
  CHECK(slower.sentence.find("the kernel changed (source openmp.cpp) and the toolchain changed "
                             "(compiler version)") != std::string::npos);
  CHECK(slower.ratio() == Estimate{1.08, 1.06, 1.1});
  CHECK(verdict(measured({1.02, 1.01, 1.03})).finding == Standing::none);
  // After a change silence needs an interval within the threshold.
  CHECK(verdict(measured({1.01, 0.98, 1.04})).finding == Standing::inconclusive);
  CHECK(verdict(measured({1.05, 0.99, 1.2})).finding == Standing::inconclusive);
  CHECK(verdict(measured({0.9, 0.88, 0.92})).finding == Standing::improved);
  Baseline then = accepted_then();
  then.setup.revision = "0123456789ab";
  CHECK(judge(then, measured({1.08, 1.06, 1.1}), 0.03, "ba9876543210")
            .sentence.find("revision 0123456789ab then, ba9876543210 now") != std::string::npos);
}

TEST_CASE("the search alone neither makes a regression nor hides one") {
  // A wide interval of the rebuilt one beside a miss was an alarm once, and so was a faster one.
  for (const Estimate& best : {Estimate{1.24, 1.09, 1.6}, Estimate{65.9, 2.2, 94.8}})
    for (const Estimate& rebuilt : {Estimate{1.0, 0.93, 1.03}, Estimate{0.99, 0.7, 1.02}}) {
      const SeriesVerdict missed = verdict(measured(rebuilt, best));
      CHECK(missed.finding == Standing::none);
      CHECK(missed.sentence.find("the search found nothing as fast") != std::string::npos);
    }
  CHECK(verdict(measured({1.25, 1.2, 1.3}, {0.98, 0.96, 1.0})).finding == Standing::regressed);
  const SeriesVerdict better = verdict(measured({1.0, 0.99, 1.01}, {0.8, 0.78, 0.82}));
  CHECK(better.finding == Standing::better);
  CHECK(better.ratio() == Estimate{0.8, 0.78, 0.82});
}

TEST_CASE("where nothing changed the same machine code shows the noise, and nothing regresses") {
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> any(0.3, 3);
  for (int night = 0; night < 2000; ++night) {
    const auto made_up = [&] {
      std::array<double, 3> at{any(generator), any(generator), any(generator)};
      std::ranges::sort(at);
      return Estimate{at[1], at[0], at[2]};
    };
    Rematch rematch = measured(made_up(), made_up());
    rematch.same_code = true;
    rematch.changed.clear();
    const Standing finding = verdict(rematch).finding;
    CHECK((finding == Standing::none || finding == Standing::better));
  }
  Rematch same = measured({1.2, 1.1, 1.3}, {1.3, 1.2, 1.4});
  same.same_code = true;
  CHECK(verdict(same).sentence.find("the same machine code, takes 1.20x") != std::string::npos);
}

TEST_CASE("rounds that decided nothing show no ratio") {
  const Estimate wild{1.46, 0, 1313336};
  Rematch same = measured(wild, wild);
  same.same_code = true;
  for (const Rematch& rematch : {same, measured({1.0, 0.99, 1.01}, wild), measured(wild)}) {
    const SeriesVerdict nothing = verdict(rematch);
    CHECK_FALSE(nothing.ratio());
    CHECK(ratio_of(nothing) == ", not decided");
    CHECK(nothing.sentence.find("not decided in 45 rounds") != std::string::npos);
    CHECK(nothing.sentence.find("1313336") == std::string::npos);
    CHECK(nothing.code);  // It stays on record.
  }
  CHECK(ratio_of(verdict(measured({20, 15, 25}))) == " 20.00x [15.00, 25.00]");
}

TEST_CASE("an accepted configuration that is gone is not judged by what the search found") {
  Rematch gone = measured({1, 1, 1}, {1.2, 1.15, 1.3});
  gone.rebuilt.reset();
  CHECK(verdict(gone).finding == Standing::inconclusive);
  gone.best = Estimate{0.9, 0.88, 0.92};
  CHECK(verdict(gone).finding == Standing::better);
}

TEST_CASE("a machine that became slower is told from a kernel that did, with its roof") {
  Rematch rematch = measured({1.0, 0.99, 1.01});
  rematch.now = Estimate{1.2e-3, 1.15e-3, 1.3e-3};
  const SeriesVerdict slow = verdict(rematch);
  CHECK(slow.finding == Standing::machine);
  CHECK(slow.sentence.find("1.20 times") != std::string::npos);
  CHECK(slow.sentence.find("DRAM read at 0.90 of its rate then") != std::string::npos);
}

TEST_CASE("a baseline that cannot run again decides nothing") {
  Rematch rematch;
  rematch.fault = "the accepted variant does not run tonight: crashed";
  const SeriesVerdict none = verdict(rematch);
  CHECK(none.finding == Standing::inconclusive);
  CHECK(none.sentence.find("crashed") != std::string::npos);
}

static StudyOutcome made_up_night(const std::string& date, double seconds) {
  StudyOutcome night;
  night.name = "triad";
  night.seconds = 9;
  night.verdict = SeriesVerdict{.key = "K"};
  StudyFigures& figures = night.result.emplace();
  figures.kernel = "triad";
  figures.date = date;
  figures.seconds = Estimate::exact(seconds);
  return night;
}

TEST_CASE("the nights of a series are those since its baseline was accepted") {
  const TemporaryDirectory folder;
  const auto write = [&](const char* run, const std::string& text) {
    make_folders(folder.path() / run);
    write_atomically(folder.path() / run / "triad.json", text);
  };
  const auto night = [](const std::string& date, double seconds) {
    return json_text(encode(made_up_night(date, seconds)));
  };
  write("1.a", night("2026-11-01", 1.5));
  write("2.a", night("2026-11-02", 1.6));
  write("3.b", "{ torn");
  write("4.b", night("2026-11-04", 1.7));
  CHECK(nights_since(folder.path(), "triad", "K", "2026-11-02") == std::vector<double>{1.6, 1.7});
  CHECK(nights_since(folder.path(), "triad", "other", "2026-11-02").empty());
  // One that decided nothing does not tell what is usual.
  StudyOutcome undecided = made_up_night("2026-11-05", 1.8);
  undecided.verdict->finding = Standing::inconclusive;
  write("4.c", json_text(encode(undecided)));
  CHECK(nights_since(folder.path(), "triad", "K", "2026-11-02") == std::vector<double>{1.6, 1.7});
  Plan plan;
  plan.studies.emplace_back().name = "triad";
  plan.studies.emplace_back().name = "never";
  const auto last = last_nights(folder.path(), plan);
  REQUIRE(last.count("triad"));
  CHECK(last.at("triad").run == "4.c");
  CHECK(last.at("triad").seconds == 9);
}

TEST_CASE("a clock that is set back leaves the nights in their order and asks for a race") {
  const TemporaryDirectory folder;
  const auto night = [&](const std::string& run, const std::string& date, double seconds) {
    make_folders(folder.path() / run);
    write_atomically(folder.path() / run / "triad.json",
                     json_text(encode(made_up_night(date, seconds))));
  };
  night("1.a", "2026-11-02", 1.0);
  night("2.a", "2036-11-03", 1.1);
  night("3.a", "2026-11-04", 1.2);
  night("4.a", "2026-11-05", 1.3);
  CHECK(nights_since(folder.path(), "triad", "K", "2026-11-01") == std::vector<double>{1.2, 1.3});
}

TEST_CASE("a race has a reason in words, and no reason is no race") {
  const std::vector<double> nights{1.0, 1.01, 0.99};
  CHECK(reason_to_race(nights, 1.0, 0.03, {}).empty());
  CHECK(reason_to_race(nights, 1.0, 0.03, {"compiler"}) == "compiler changed since");
  CHECK(reason_to_race(nights, 1.1, 0.03, {}).find("1.100 of the median") != std::string::npos);
  CHECK(reason_to_race({1.0}, 1.0, 0.03, {}).find("1 nights are known") != std::string::npos);
}
