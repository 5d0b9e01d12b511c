// Counts a call by the trace that its own machine code leaves behind: operations and accesses
// exactly, traffic by a model of the machine's caches.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "core/error.h"
#include "core/rng.h"
#include "counters/provider.h"
#include "counters/tracing.h"
#include "os/topology.h"

namespace rooftune::inline counters {
namespace {

/// Simulated accesses that cost about a second; beyond, only some classes of sets are simulated.
constexpr double simulated_accesses = 3e6;
constexpr int least_classes = 4;
constexpr int likely_ways = 8;

/// Of a level whose machine file does not tell.
int ways_here(const std::string& level) {
  for (const ReportedCache& cache : topology().caches)
    if (cache.name == level && cache.ways > 0) return cache.ways;
  return likely_ways;
}

std::vector<CacheShape> shapes(const CountingPlan& plan) {
  std::vector<CacheShape> result;
  for (const MemoryLevel& level : plan.levels) {
    // The true size: what a sweep found effective is a matter of the moment.
    const auto bytes = level.at_most    ? level.at_most
                       : level.capacity ? level.capacity
                                        : level.reported;
    if (!bytes) break;
    const int ways = level.ways > 0 ? level.ways : ways_here(level.name);
    result.push_back({level.name, static_cast<std::size_t>(*bytes), ways, level.instances});
  }
  return result;
}

double estimate_error(const std::vector<double>& classes, std::size_t all) {
  const auto n = static_cast<double>(classes.size());
  if (classes.size() == all || classes.size() < 2) return 0;
  double mean = 0, squares = 0;
  for (const double one : classes) mean += one / n;
  for (const double one : classes) squares += (one - mean) * (one - mean);
  // Cochran 1977, simple random sampling of clusters, with the correction for a finite population;
  // 3 standard errors, because few classes are sampled.
  const double variance = squares / (n - 1) * (1 - n / static_cast<double>(all)) / n;
  return 3 * std::sqrt(variance) * static_cast<double>(all);
}

class Instrumented : public CallCounter {
 public:
  explicit Instrumented(const CountingPlan& plan) : plan_(plan), begin_(Clock::now()) {}
  void attach(const DynamicLibrary& library) override { tracing_.attach(library); }
  Counts count(const Launch& launch) override;

 private:
  using Clock = std::chrono::steady_clock;

  void begin_simulation();
  Counts counts() const;
  void count_operations(Counts& counts) const;
  void count_accesses(Counts& counts) const;
  void count_traffic(Counts& counts) const;
  Estimate level_bytes(const CacheModel& model, std::size_t level,
                       std::uint64_t CacheTraffic::*member) const;
  std::string sampling() const;

  CountingPlan plan_;
  Clock::time_point begin_;
  Tracing tracing_;
  std::unique_ptr<CacheModel> model_;
  std::unique_ptr<CacheModel> scattered_;  ///< the same caches, free of conflicts
  std::vector<int> classes_;
  TraceTally tally_;
};

void Instrumented::begin_simulation() {
  tracing_.drain();
  // The validating call told how many accesses there are.
  const auto accesses = static_cast<double>(tracing_.reader().tally().accesses);
  model_ = std::make_unique<CacheModel>(shapes(plan_), plan_.threads);
  scattered_ = std::make_unique<CacheModel>(shapes(plan_), plan_.threads, true);
  for (int one = 0; one < CacheModel::classes; ++one) classes_.push_back(one);
  if (accesses > simulated_accesses) {
    Rng rng(1, 0);
    for (std::size_t i = classes_.size(); i > 1; --i)
      std::swap(classes_[i - 1], classes_[rng.below(i)]);
    const double share = simulated_accesses / accesses * CacheModel::classes;
    classes_.resize(
        std::max(static_cast<std::size_t>(least_classes), static_cast<std::size_t>(share)));
    model_->sample(classes_);
    scattered_->sample(classes_);
  }
  tracing_.reader().simulate({model_.get(), scattered_.get()});
}

Estimate Instrumented::level_bytes(const CacheModel& model, std::size_t level,
                                   std::uint64_t CacheTraffic::*member) const {
  std::vector<double> parts;
  double sum = 0;
  for (const int one : classes_) {
    parts.push_back(static_cast<double>(model.traffic(level, one).*member));
    sum += parts.back();
  }
  const double all = CacheModel::classes;
  const double value = sum * all / static_cast<double>(classes_.size());
  const double error = estimate_error(parts, CacheModel::classes);
  return {value, std::max(0.0, value - error), value + error};
}

std::string Instrumented::sampling() const {
  if (classes_.size() == CacheModel::classes) return "every line";
  return fmt::format("{} of {} classes of lines, drawn at random, scaled by {:.4g}",
                     classes_.size(), CacheModel::classes,
                     CacheModel::classes / static_cast<double>(classes_.size()));
}

void Instrumented::count_operations(Counts& counts) const {
  const TraceTable& table = tracing_.table();
  std::vector<std::uint64_t> operations = tally_.masked;
  std::uint64_t instructions = 0;
  std::vector<std::uint64_t> calls(table.calls.size()), unknown(table.unknown.size());
  for (std::size_t b = 0; b < table.blocks.size(); ++b) {
    const std::uint64_t times = tally_.blocks[b];
    instructions += times * table.blocks[b].instructions;
    for (const auto& [kind, lanes] : table.blocks[b].operations) operations[kind] += times * lanes;
    for (const std::size_t name : table.blocks[b].calls) calls[name] += times;
    for (const std::size_t name : table.blocks[b].unknown) unknown[name] += times;
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto& [precision, kind] = table.operations[i];
    if (operations[i] > 0)
      counts.operations[precision][kind] = Estimate::exact(static_cast<double>(operations[i]));
  }
  // Counted, and there are none: that is a figure as well.
  if (counts.operations.empty()) counts.operations["fp64"]["add"] = Estimate::exact(0);
  counts.details["instructions"] = Estimate::exact(static_cast<double>(instructions));
  // The run-time library of OpenMP computes nothing of the kernel's.
  static constexpr std::array<const char*, 6> aside{"GOMP_", "omp_", "__kmpc_", "_Zn", "_Zd", "__"};
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const bool skip = std::any_of(aside.begin(), aside.end(), [&](const char* begin) {
      return table.calls[i].starts_with(begin);
    });
    if (calls[i] > 0 && !skip)
      counts.notes.push_back(fmt::format("{} calls of {} outside of the variant are not counted",
                                         calls[i], table.calls[i]));
  }
  for (std::size_t i = 0; i < unknown.size(); ++i)
    if (unknown[i] > 0)
      counts.flags.push_back(
          fmt::format("{} executions of {} were not understood and are missing in all figures",
                      unknown[i], table.unknown[i]));
}

void Instrumented::count_accesses(Counts& counts) const {
  const auto exact = [](std::uint64_t value) {
    return Estimate::exact(static_cast<double>(value));
  };
  counts.loads = AccessCount{exact(tally_.loads.instructions), exact(tally_.loads.bytes)};
  counts.stores = AccessCount{exact(tally_.stores.instructions), exact(tally_.stores.bytes)};
  counts.details["loads from arrays"] = exact(tally_.array_loads.instructions);
  counts.details["bytes loaded from arrays"] = exact(tally_.array_loads.bytes);
  counts.details["stores to arrays"] = exact(tally_.array_stores.instructions);
  counts.details["bytes stored to arrays"] = exact(tally_.array_stores.bytes);
  if (tally_.streamed_bytes > 0) counts.details["bytes streamed"] = exact(tally_.streamed_bytes);
  if (tally_.prefetches > 0) counts.details["prefetches"] = exact(tally_.prefetches);
}

void Instrumented::count_traffic(Counts& counts) const {
  if (plan_.levels.empty()) return;
  const Source registers{
      Source::Kind::instrumented, "bytes of every load and store of the traced machine code", {}};
  counts.traffic[plan_.levels[0].name] = {counts.loads->bytes, counts.stores->bytes, registers};
  const Source source{Source::Kind::modelled,
                      fmt::format("traced accesses on a model of the caches ({}; write-allocate, "
                                  "least recently used); {}",
                                  model_->description(), sampling()),
                      {}};
  for (std::size_t level = 0; level < model_->levels() && level + 1 < plan_.levels.size();
       ++level) {
    const std::string& name = plan_.levels[level + 1].name;
    counts.traffic[name] = {level_bytes(*model_, level, &CacheTraffic::read),
                            level_bytes(*model_, level, &CacheTraffic::written), source};
    counts.details[name + allocated_suffix] = level_bytes(*model_, level, &CacheTraffic::allocated);
    const Estimate read = level_bytes(*scattered_, level, &CacheTraffic::read);
    const Estimate written = level_bytes(*scattered_, level, &CacheTraffic::written);
    counts.details[name + scattered_suffix] = {read.value + written.value, read.low + written.low,
                                               read.high + written.high};
  }
}

Counts Instrumented::count(const Launch& launch) {
  begin_simulation();
  launch.settle();
  tracing_.drain();
  // What the walk through other memory did is not traced: it left nothing of the variant's behind.
  for (CacheModel* const model : {model_.get(), scattered_.get()}) {
    if (!plan_.warm) model->flush();
    model->reset_traffic();
  }
  tracing_.reader().reset();
  launch.call();
  tracing_.drain();
  if (!plan_.warm) {
    model_->flush();
    scattered_->flush();
  }
  tally_ = tracing_.reader().tally();
  return counts();
}

Counts Instrumented::counts() const {
  Counts counts;
  counts.provider = "instrumented";
  const std::string method =
      "the variant's own machine code with a trace of its blocks and addresses woven in";
  counts.operations_source = {Source::Kind::instrumented, method, {}};
  counts.access_source = counts.operations_source;
  count_operations(counts);
  count_accesses(counts);
  count_traffic(counts);
  counts.notes.push_back(
      "the model knows no hardware prefetcher and no translation; pushes, pops and returns are not "
      "counted");
  if (!plan_.warm) counts.notes.push_back("what is dirty at the end counts as written");
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  counts.details["seconds of counting"] = Estimate::exact(seconds);
  return counts;
}

}  // namespace

Availability instrumented_availability() {
#if defined(__x86_64__)
  return {true, "variants are built once more, with a trace woven into their machine code", {}};
#else
  return {false, "only x86-64 machine code can be traced", "count with perf on this machine"};
#endif
}

std::unique_ptr<CallCounter> open_instrumented(const CountingPlan& plan) {
  return std::make_unique<Instrumented>(plan);
}

}  // namespace rooftune::inline counters
