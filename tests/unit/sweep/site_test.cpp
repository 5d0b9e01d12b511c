#include <catch2/catch.hpp>

#include "os/temporary_directory.h"
#include "report/figures.h"
#include "support/chromium.h"
#include "support/page_checks.h"
#include "support/scratch_folder.h"
#include "support/sweep_nights.h"
#include "sweep/formats.h"

using namespace rooftune;
using Catch::Contains;
using rooftune::testing::ScratchFolder;

namespace {

SweepHistory simulated_history(int kernels, int machines, int nights) {
  TemporaryDirectory folder;
  test::simulate(folder.path(), kernels, machines, nights);
  return read_history(folder.path());
}

}  // namespace

TEST_CASE("the pages of sweeps are well-formed, self-contained and lead to each other") {
  SweepHistory history = simulated_history(4, 3, 30);
  const std::string judged = history.series[0].key;
  history.series[0].nights.back().verdict = {.key = "key",
                                             .finding = Standing::regressed,
                                             .sentence = "a <sentence>",
                                             .code = Estimate{1.3, 1.2, 1.4},
                                             .raced = true};
  history.series[0].baselines = {{"s", "2020-01-01T00:00:00Z", "me", "new <code>",
                                  history.series[0].nights[0].seconds.value()}};
  history.faults = {"torn.json: <is torn>"};
  const auto site = sweep_site(history, {judged}, "2026-11-23");
  REQUIRE(site.size() == 13);
  for (const auto& [name, text] : site) {
    INFO(name);
    sample::check_self_contained(text);
  }
  const std::string& index = site.at("index.html");
  for (const Series& series : history.series)
    CHECK_THAT(index, Contains("href=\"series/" + series.key + ".html\""));
  CHECK_THAT(index, Contains("href=\"studies/" + judged + ".html\""));
  CHECK_THAT(index, Contains("regressed 1.30x") && Contains("a &lt;sentence&gt;") &&
                        Contains("torn.json"));
  const std::string& page = site.at("series/" + judged + ".html");
  CHECK_THAT(page, Contains("../index.html") && Contains("new &lt;code&gt;") &&
                       Contains("../studies/" + judged + ".html"));
}

TEST_CASE("a figure in doubt says so, and why") {
  SweepHistory history = simulated_history(1, 1, 2);
  Night& night = history.series[0].nights.back();
  REQUIRE(night.speedup);
  CHECK_THAT(sweep_site(history, {}, "").at("index.html"), !Contains("x ?"));
  night.doubts.speedup = {"between 2x and 4x (95 % interval)"};
  CHECK_THAT(sweep_site(history, {}, "").at("index.html"),
             Contains(ratio_text(*night.speedup) + " ?") &&
                 Contains("speed-up in doubt: between 2x and 4x"));
}

TEST_CASE("ten thousand nights take less than five megabytes") {
  SweepHistory history = simulated_history(20, 3, 1);
  for (Series& series : history.series) {
    series.nights.assign(167, series.nights[0]);
    for (int i = 0; i < 167; ++i) {
      Night& night = series.nights[static_cast<std::size_t>(i)];
      night.date = fmt::format("2020-{:02}-{:02}T03:00:00Z", 1 + i / 28, 1 + i % 28);
      night.run = night.run.parent_path() / night.date;
      if (night.seconds) night.seconds->value *= 1 + 1e-3 * (i % 7);
    }
  }
  std::size_t size = 0;
  for (const auto& [name, text] : sweep_site(history, {}, "")) size += text.size();
  CHECK(size < 5'000'000);
}

TEST_CASE("nights without dates, figures or company make pages too") {
  SweepHistory history = simulated_history(1, 1, 1);
  Series& series = history.series[0];
  CHECK(sweep_site(history, {}, "").size() == 2);
  series.nights[0].date = "last night";
  series.nights.push_back(series.nights[0]);
  series.nights.back().seconds.reset();
  series.nights.back().gap.reset();
  series.nights.back().ceiling_rate.reset();
  for (const auto& [name, text] : sweep_site(history, {}, "")) sample::check_self_contained(text);
  series.nights.erase(series.nights.begin());
  // The page of the series has its times.
  auto pages = sweep_site(history, {}, "");
  pages.erase("index.html");
  REQUIRE(pages.size() == 1);
  CHECK_THAT(pages.begin()->second, Contains("nothing was measured"));
}

TEST_CASE("a browser shows the pages without a complaint") {
  const ScratchFolder folder;
  for (const auto& [name, text] : sweep_site(simulated_history(20, 3, 30), {}, "2026-11-23"))
    folder.write(name, text);
  const std::string address = "file://" + (folder.path() / "index.html").string();
  const auto all = testing::browsed(address, {"--dump-dom"});
  if (!all) return;
  CHECK_THAT(*all, Contains("60 series"));
  CHECK(all->find("CONSOLE") == std::string::npos);
}
