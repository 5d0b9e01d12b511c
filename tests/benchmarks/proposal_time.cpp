// How long a strategy thinks about one proposal: taking note of the last trial and choosing the
// next one, as a study does it, on spaces of 4,000, 100,000 and 1e18 configurations:
//   proposal_time [strategies=all] [spaces=4e3,1e5,1e18] [trials=1000] [searches=3]
//   [out=proposals.json]
// Figures are CPU seconds of the thread, so that other work on the machine counts little. Build it
// with optimisation.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/file.h"
#include "support/synthetic_study.h"
#include "trial/statistics.h"
#include "tuner_run.h"

using namespace rooftune;
using namespace rooftune::test;
using namespace rooftune::testing;

namespace {

/// Histories at whose end a figure is given.
const std::vector<std::size_t> lengths{100, 300, 1000};
/// The part of a history, from its end, whose proposals are counted: it holds what is done once in
/// a while, as learning a model anew.
constexpr double window = 0.2;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Twelve knobs of a sparse kernel, some of them conditional.
SearchSpace sparse_space(const std::vector<Value>& shared) {
  std::vector<Knob> knobs{knob("format", {"csr", "bcsr", "sell"}, "csr"),
                          knob("rows", {1, 2, 3, 4}, 1, "format == 'bcsr'"),
                          knob("cols", {1, 2, 3, 4}, 1, "format == 'bcsr'"),
                          knob("chunk", {4, 8, 16, 32}, 8, "format == 'sell'"),
                          knob("sigma", {1, 64, 1024}, 1, "format == 'sell'")};
  for (const char* name : {"unroll", "simd_width", "prefetch", "threads", "schedule"})
    knobs.push_back(knob(name, shared, 1));
  for (const char* name : {"huge_pages", "nt_store"})
    knobs.push_back(knob(name, {false, true}, false));
  return space_with("sparse", std::move(knobs), {"unroll * simd_width <= 32"});
}

/// Thirty knobs of four values; neighbours are tied together.
SearchSpace chain_space() {
  std::vector<Knob> knobs;
  std::vector<std::string> constraints;
  for (int k = 0; k < 30; ++k) {
    knobs.push_back(knob(fmt::format("k{}", k), {1, 2, 3, 4}, 1));
    if (k > 0) constraints.push_back(fmt::format("k{} + k{} < 8", k - 1, k));
  }
  return space_with("chain", std::move(knobs), constraints);
}

SearchSpace space_of(const std::string& name) {
  if (name == "4e3") return sparse_space({1, 4});
  if (name == "1e5") return sparse_space({1, 2, 4, 8});
  if (name == "1e18") return chain_space();
  fmt::print(stderr, "spaces: there is no \"{}\"; there are 4e3, 1e5, 1e18\n", name);
  std::exit(2);
}

/// Times with an optimum somewhere along every knob, ties between neighbouring knobs, 2 % of noise
/// and one failure in ten.
Trial tried(const SearchSpace& s, const Configuration& configuration, std::uint64_t seed) {
  if (noise(configuration, seed) < 0.1) return failed(configuration, Outcome::crashed);
  const Assignment point = s.assignment(s.index(configuration).value());
  double log_seconds = 0.02 * noise(configuration, seed + 1), before = 0;
  for (std::size_t k = 0; k < point.size(); ++k) {
    const auto values = static_cast<double>(s.knobs()[k].values.size());
    Rng rng(seed, k);
    const double off = point[k] / std::max(1.0, values - 1) - rng.unit();
    log_seconds += rng.unit() * off * off + 0.3 * rng.unit() * off * before;
    before = off;
  }
  return timed(configuration, std::exp(log_seconds));
}

struct Figures {
  double mean = 0, median = 0, worst = 0;  ///< of the last fifth of the history [s]
  double overall = 0;                      ///< mean since the first trial [s]
};

/// By search: CPU seconds of each proposal.
std::vector<double> proposal_seconds(const SearchSpace& s, const std::string& name,
                                     std::size_t trials, std::uint64_t seed) {
  const auto strategy = make_strategy(name);
  History history;
  std::vector<double> seconds;
  while (seconds.size() < trials) {
    const double begin = cpu_seconds();
    Rng rng(seed, history.size());
    const auto proposal = strategy->propose(s, history, rng);
    seconds.push_back(cpu_seconds() - begin);
    if (!proposal) break;
    history.append(tried(s, *proposal, seed));
  }
  return seconds;
}

/// nullopt where no search got so far.
std::optional<Figures> figures(const std::vector<std::vector<double>>& searches,
                               std::size_t length) {
  std::vector<double> last;
  Figures result;
  double counted = 0;
  for (const std::vector<double>& seconds : searches) {
    if (seconds.size() < length) continue;
    const auto from = static_cast<std::size_t>((1 - window) * static_cast<double>(length));
    for (std::size_t i = 0; i < length; ++i) {
      result.overall += seconds[i];
      if (i >= from) last.push_back(seconds[i]);
    }
    counted += static_cast<double>(length);
  }
  if (last.empty()) return std::nullopt;
  result.overall /= counted;
  for (const double one : last) result.mean += one / static_cast<double>(last.size());
  result.median = quantile(last, 0.5);
  result.worst = *std::max_element(last.begin(), last.end());
  return result;
}

Json measured(const std::string& name, const SearchSpace& s, const std::string& label,
              std::size_t trials, std::size_t searches) {
  std::vector<std::vector<double>> all;
  for (std::size_t seed = 1; seed <= searches; ++seed)
    all.push_back(proposal_seconds(s, name, trials, seed));
  Json histories = Json::array();
  std::string line = fmt::format("  {:<17}", name);
  for (const std::size_t length : lengths) {
    const auto found = figures(all, length);
    if (!found) continue;
    line += fmt::format("  {:>7.3f} {:>7.3f} {:>7.2f}", 1e3 * found->mean, 1e3 * found->median,
                        1e3 * found->worst);
    histories.push_back({{"history", length},
                         {"mean_s", found->mean},
                         {"median_s", found->median},
                         {"worst_s", found->worst},
                         {"mean_since_begin_s", found->overall}});
  }
  fmt::print("{}\n", line);
  std::fflush(stdout);
  return {{"strategy", name}, {"space", label}, {"histories", histories}};
}

}  // namespace

int main(int argc, char** argv) {
  const auto words = arguments(argc, argv,
                               {{"strategies", "all"},
                                {"spaces", "4e3,1e5,1e18"},
                                {"trials", "1000"},
                                {"searches", "3"},
                                {"out", ""}});
  std::vector<std::string> names;
  if (words.at("strategies") == "all")
    for (const StrategyRow& row : strategies()) names.emplace_back(row.name);
  else
    names = listed(words.at("strategies"));
  Json rows = Json::array(), spaces = Json::array();
  for (const std::string& label : listed(words.at("spaces"))) {
    const SearchSpace s = space_of(label);
    const std::uint64_t size = s.size();
    fmt::print("{} configurations of {} knobs; [ms] mean, median and worst of the last fifth", size,
               s.knobs().size());
    fmt::print(" of histories of 100, 300, 1000\n");
    spaces.push_back({{"space", label}, {"configurations", size}, {"knobs", s.knobs().size()}});
    for (const std::string& name : names)
      rows.push_back(measured(name, s, label, std::stoul(words.at("trials")),
                              std::stoul(words.at("searches"))));
  }
  if (words.at("out").empty()) return 0;
  Json json = environment_now(Json::object());
  json["schema"] = "rooftune-proposals-1";
  json["searches"] = std::stoul(words.at("searches"));
  json["spaces"] = spaces;
  json["proposals"] = rows;
  write_atomically(words.at("out"), json.dump(2) + "\n");
  return 0;
}
