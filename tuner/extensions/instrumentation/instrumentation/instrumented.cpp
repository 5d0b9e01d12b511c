// Counts a call by a trace that its own machine code writes: operations and accesses exactly,
// traffic by a model of the machine's caches.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/callback.h"
#include "core/list.h"
#include "core/rng.h"
#include "core/seconds_since.h"
#include "instrumentation/extension.h"
#include "instrumentation/thread_calls.h"
#include "instrumentation/trace.h"
#include "instrumentation/weaving.h"
#include "roofline/roofline.h"

namespace rooftune::instrumentation {
namespace {

/// Beyond this, only some classes of lines are simulated.
constexpr double simulated_accesses = 3e6;
constexpr double least_classes = 4;

/// Costs that estimate whether a call fits its limit [s]; high for a machine today.
constexpr double seconds_per_word = 5e-9, seconds_per_simulated = 2e-7;
/// A longer call is read in so many parts, each a few buffers long.
constexpr size_t windows = 16, least_buffers = 8;
constexpr double least_share = 0.002, most_share = 0.5;

/// The error when the sum over `all` parts is estimated from a `sample`: Cochran 1977, simple
/// random sampling of clusters, corrected for a finite population; 3 standard errors, for few parts
/// are drawn.
double estimate_error(const Numbers& sample, double all) {
  const auto n = double(sample.size());
  if (n >= all || n < 2) return 0;
  double mean = 0, squares = 0;
  for (const double one : sample) mean += one / n;
  for (const double one : sample) squares += (one - mean) * (one - mean);
  return 3 * std::sqrt(squares / (n - 1) * (1 - n / all) / n) * all;
}

class Instrumented : public CallCounter {
 public:
  explicit Instrumented(const CountingPlan& plan) : plan_(plan), begin_(SteadyClock::now()) {}
  void attach(const DynamicLibrary& library) override {
    tracing_.attach(library);
    // GNU's run-time library has this function, and LLVM's for compatibility.
    start_region_ = reinterpret_cast<StartRegion>(library.find("GOMP_parallel"));
  }
  void watch(const Callback& call) override {
    const auto begin = SteadyClock::now();
    words_ = double(tracing_.measure(call));
    watched_seconds_ = seconds_since(begin);
  }

  Counts count(const Launch& launch) override {
    const TraceWindows parts = windows_within_limit();
    begin_simulation(words_ * parts.share);
    take(launch, parts);
    return counts();
  }

 private:
  /// The windows that fit into the time limit.
  TraceWindows windows_within_limit() const {
    const double least = double(windows * least_buffers * trace_buffer_words) *
                         std::max(plan_.threads, 1) / std::max(words_, 1.0);
    if (plan_.seconds <= 0 || least > most_share) return {};
    const double reading =
        words_ * seconds_per_word + std::min(words_, simulated_accesses) * seconds_per_simulated;
    // Besides the counted call, one call fills the caches, and one validates again.
    const double left = plan_.seconds - seconds_since(begin_);
    if (3 * watched_seconds_ + 2 * reading < left) return {};
    const double share = (left - 2 * watched_seconds_) / reading;
    return {windows, std::clamp(share, std::max(least, least_share), most_share)};
  }

  void begin_simulation(double words) {
    model_ = std::make_unique<CacheModel>(cache_shapes(plan_.levels), plan_.threads);
    scattered_ = std::make_unique<CacheModel>(cache_shapes(plan_.levels), plan_.threads, true);
    classes_.resize(CacheModel::classes);
    std::iota(classes_.begin(), classes_.end(), 0);
    if (words > simulated_accesses) {
      const auto order = shuffled(classes_.size(), Rng(1, 0));
      classes_.assign(order.begin(), order.end());
      classes_.resize(
          size_t(std::max(least_classes, simulated_accesses / words * CacheModel::classes)));
      model_->sample(classes_);
      scattered_->sample(classes_);
    }
    if (model_->levels() > 0) tracing_.reader().simulate({model_.get(), scattered_.get()});
    touched_.emplace(classes_);
  }

  void take(const Launch& launch, const TraceWindows& parts) {
    const auto flush_when_cold = [&] {
      if (plan_.warm) return;
      model_->flush();
      scattered_->flush();
    };
    plan_.warm&& parts.whole() ? tracing_.read(launch.settle) : launch.restore();
    tracing_.reader().reset(parts.number);
    tracing_.reader().watch(parts.whole() ? &*touched_ : nullptr);
    tracing_.read(launch.call, parts);
    tracing_.reader().watch(nullptr);
    if (parts.whole()) flush_when_cold();
    tallies_.clear();
    double read = 0;
    for (size_t window = 0; window < parts.number; ++window) {
      tallies_.push_back(tracing_.reader().tally(window));
      read += double(tallies_.back().words);
    }
    scale_ = parts.whole() ? 1 : std::max(1.0, words_ / std::max(read, 1.0));
  }

  /// Estimates a figure for the whole call from its values per window.
  Estimate estimate(const Numbers& parts) const {
    const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
    if (parts.size() == 1) return Estimate::exact(sum);
    // Windows with equal counts may still miss work at the ends of a call or a loop.
    constexpr double resolution = 1e-3;
    const double error =
        std::max(resolution * sum * scale_, estimate_error(parts, double(parts.size()) * scale_));
    return {sum * scale_, std::max(sum, sum * scale_ - error), sum * scale_ + error};
  }

  template <class Figure>
  Estimate estimate_of(const Figure& figure) const {
    Numbers parts;
    for (const TraceTally& tally : tallies_) parts.push_back(double(figure(tally)));
    return estimate(parts);
  }

  Estimate level_bytes(const CacheModel& model, size_t level,
                       uint64_t CacheTraffic::*member) const {
    const double by_class = CacheModel::classes / double(classes_.size());
    Numbers of_class(classes_.size()), of_window(tallies_.size());
    for (const size_t window : indices(tallies_))
      for (const size_t i : indices(classes_)) {
        const auto bytes = double(model.traffic(level, classes_[i], window).*member);
        of_class[i] += bytes * scale_;
        of_window[window] += bytes * by_class;
      }
    const Estimate sum = estimate(of_window);
    // Lines and windows are sampled independently.
    const double error =
        std::hypot(sum.high - sum.value, estimate_error(of_class, CacheModel::classes));
    return {sum.value, std::max(0.0, sum.value - error), sum.value + error};
  }

  /// "; 12 % of the call ...", or nothing.
  std::string part_of_the_call() const {
    if (tallies_.size() == 1) return {};
    return fmt::format("; {:.2g} % of the call in {} windows, scaled, with 3 standard errors",
                       100 / scale_, tallies_.size());
  }

  std::string sampling() const {
    if (classes_.size() == CacheModel::classes) return "every line" + part_of_the_call();
    return fmt::format("{} of {} classes of lines, drawn at random, scaled by {:.4g}{}",
                       classes_.size(), CacheModel::classes,
                       CacheModel::classes / double(classes_.size()), part_of_the_call());
  }

  /// Sums a block's figure over every time that a block ran.
  template <class Figure>
  uint64_t over_blocks(const TraceTally& tally, const Figure& figure) const {
    uint64_t sum = 0;
    for (const size_t b : indices(tally.blocks))
      sum += tally.blocks[b] * figure(tracing_.table().blocks[b]);
    return sum;
  }

  void count_operations(Counts& counts) const {
    const TraceTable& table = tracing_.table();
    for (const size_t kind : indices(table.operations)) {
      const Estimate count = estimate_of([&](const TraceTally& tally) {
        return tally.masked[kind] + over_blocks(tally, [&](const TraceBlock& block) {
                 return block.lanes([&](size_t one, uint64_t) { return one == kind; });
               });
      });
      const auto& [precision, name] = table.operations[kind];
      if (!(count.value > 0)) continue;
      if (is_integer(kind))
        counts.details[precision + " " + name] = count;
      else
        counts.operations[precision][name] = count;
    }
    count_vectors(counts);
    count_chains(counts);
    // No operation was found, but they were counted: 0 is a figure as well.
    if (counts.operations.empty()) counts.operations["fp64"]["add"] = Estimate::exact(0);
    counts.details[instructions_detail] = estimate_of([&](const TraceTally& tally) {
      return over_blocks(tally, [](const TraceBlock& block) { return block.instructions; });
    });
    Numbers calls(table.calls.size()), unknown(table.unknown.size());
    for (const size_t b : indices(table.blocks)) {
      const double times = estimate_of([&](const TraceTally& one) { return one.blocks[b]; }).value;
      for (const size_t name : table.blocks[b].calls) calls[name] += times;
      for (const size_t name : table.blocks[b].unknown) unknown[name] += times;
    }
    count_threads(counts, calls);
    note_missing(counts, calls, unknown);
  }

  bool is_integer(size_t operation) const {
    return is_of_integers(tracing_.table().operations[operation].first);
  }

  /// Counts the links that lead from one loop iteration to the next.
  void count_chains(Counts& counts) const {
    const auto& links = tracing_.table().links;
    counts.details[dependent_loads_detail] = Estimate::exact(0);
    for (const size_t link : indices(links))
      counts.details[dependent_prefix + links[link]] = estimate_of([&](const TraceTally& tally) {
        return over_blocks(tally, [&](const TraceBlock& block) {
          uint64_t all = 0;
          for (const auto& [which, count] : block.chain) all += which == link ? count : 0;
          return all;
        });
      });
  }

  /// Masked operations count as vector operations: only vectors have masks.
  void count_vectors(Counts& counts) const {
    const Estimate vectors = estimate_of([&](const TraceTally& tally) {
      return std::accumulate(tally.masked.begin(), tally.masked.end(), uint64_t{0}) +
             over_blocks(tally, [&](const TraceBlock& block) {
               return block.lanes(
                   [&](size_t kind, uint64_t lanes) { return lanes > 1 && !is_integer(kind); });
             });
    });
    double all = 0;
    for (const auto& [precision, kinds] : counts.operations)
      for (const auto& [kind, count] : kinds) all += count.value;
    if (all > 0) counts.details[vector_share] = Estimate::exact(std::min(1.0, vectors.value / all));
  }

  /// Parallel regions and their cost, and the busiest thread's share. When threads ask for work,
  /// tracing changes who gets it: then no thread is called the busiest.
  void count_threads(Counts& counts, const Numbers& calls) const {
    const ThreadCalls found = thread_calls(tracing_.table().calls, calls);
    counts.details[counted_threads] = Estimate::exact(plan_.threads);
    // Regions begin between windows as well as within.
    if (tallies_.size() == 1) counts.details[parallel_regions] = Estimate::exact(found.regions);
    if (found.regions > 0 && plan_.threads > 1 && start_region_)
      counts.details[empty_region] =
          Estimate::exact(empty_region_seconds(start_region_, plan_.threads));
    if (found.dealt) return;
    Estimate most;
    for (size_t thread = 0; thread < size_t(plan_.threads); ++thread) {
      const Estimate one = estimate_of([&](const TraceTally& tally) {
        return thread < tally.instructions.size() ? tally.instructions[thread] : 0;
      });
      if (one.value > most.value) most = one;
    }
    counts.details[busiest_thread] = most;
  }

  void note_missing(Counts& counts, const Numbers& calls, const Numbers& unknown) const {
    const TraceTable& table = tracing_.table();
    // Run-time libraries (OpenMP's, the compiler's, new and delete) do no work for the kernel.
    for (const size_t i : indices(calls)) {
      if (calls[i] > 0 && !begins(table.calls[i], "GOMP_ omp_ __kmpc_ _Zn _Zd __"))
        counts.notes.push_back(fmt::format(
            "{:.0f} calls of {} outside of the variant are not counted", calls[i], table.calls[i]));
    }
    for (const size_t i : indices(unknown))
      if (unknown[i] > 0)
        counts.flags.push_back(fmt::format(
            "{:.0f} executions of {} were not understood and are missing in all figures",
            unknown[i], table.unknown[i]));
  }

  void count_accesses(Counts& counts) const {
    const auto tally = [&](AccessTally TraceTally::*which) {
      return AccessCount{
          estimate_of([&](const TraceTally& all) { return (all.*which).instructions; }),
          estimate_of([&](const TraceTally& all) { return (all.*which).bytes; })};
    };
    counts.loads = tally(&TraceTally::loads);
    counts.stores = tally(&TraceTally::stores);
    const auto add = [&](const char* name, uint64_t TraceTally::*figure) {
      counts.details[name] = estimate_of([&](const TraceTally& all) { return all.*figure; });
    };
    add("bytes loaded from arrays", &TraceTally::array_loaded);
    add(stored_bytes, &TraceTally::array_stored);
    if (tallies_.size() == 1) {
      counts.details[bytes_read_first] = Estimate::exact(touched_->bytes_read_first());
      counts.details[bytes_left_written] = Estimate::exact(touched_->bytes_left_written());
    }
    add(streamed_bytes, &TraceTally::streamed_bytes);
    if (counts.details[streamed_bytes].value == 0) counts.details.erase(streamed_bytes);
    add(scattered_loads, &TraceTally::scattered_loads);
  }

  void count_traffic(Counts& counts) const {
    if (plan_.levels.empty()) return;
    const Source registers{
        Source::Kind::instrumented,
        "bytes of every load and store of the traced machine code" + part_of_the_call(),
        {}};
    counts.traffic[plan_.levels[0].name] = {counts.loads->bytes, counts.stores->bytes, registers};
    const Source source{Source::Kind::modelled,
                        fmt::format("traced accesses on a model of the caches ({}; write-allocate, "
                                    "least recently used); {}",
                                    model_->description(), sampling()),
                        {}};
    for (size_t level = 0; level < model_->levels() && level + 1 < plan_.levels.size(); ++level) {
      const std::string& name = plan_.levels[level + 1].name;
      counts.traffic[name] = {level_bytes(*model_, level, &CacheTraffic::read),
                              level_bytes(*model_, level, &CacheTraffic::written), source};
      counts.details[name + allocated_suffix] =
          level_bytes(*model_, level, &CacheTraffic::allocated);
      counts.details[name + scattered_suffix] =
          level_bytes(*scattered_, level, &CacheTraffic::read) +
          level_bytes(*scattered_, level, &CacheTraffic::written);
    }
  }

  Counts counts() const {
    Counts counts;
    counts.provider = "instrumented";
    const std::string method =
        "the variant's own machine code with a trace of its blocks and addresses woven in" +
        part_of_the_call();
    counts.operations_source = {Source::Kind::instrumented, method, {}};
    counts.access_source = counts.operations_source;
    count_operations(counts);
    count_accesses(counts);
    count_traffic(counts);
    counts.notes.push_back(
        "the model knows no hardware prefetcher and no translation; pushes, pops and returns are "
        "not "
        "counted");
    if (tallies_.size() > 1)
      counts.notes.push_back(
          "the whole call does not fit the time that counting may take: each window begins with "
          "the "
          "caches as the one before left them, and its first half only fills them");
    else if (!plan_.warm)
      counts.notes.push_back("what is dirty at the end counts as written");
    counts.details["seconds of counting"] = Estimate::exact(seconds_since(begin_));
    return counts;
  }

  CountingPlan plan_;
  SteadyClock::time_point begin_;
  StartRegion start_region_ = nullptr;  ///< null where the variant has no OpenMP
  Tracing tracing_;
  double words_ = 0, watched_seconds_ = 0;  ///< the watched call's; 0: no call was watched
  std::unique_ptr<CacheModel> model_;
  std::unique_ptr<CacheModel> scattered_;  ///< the same caches, free of conflicts
  Integers classes_;
  std::optional<TouchedWords> touched_;
  std::vector<TraceTally> tallies_;  ///< each window's
  double scale_ = 1;                 ///< the call's words over all windows' words
};

Availability availability() {
#if defined(__x86_64__)
  return {true, "variants are built once more, with a trace woven into their machine code", {}};
#else
  return {false, "only x86-64 machine code can be traced", "count with perf on this machine"};
#endif
}

}  // namespace

std::unique_ptr<CallCounter> open_instrumented(const CountingPlan& plan) {
  return std::make_unique<Instrumented>(plan);
}

void add_instrumentation() {
  add_counter_provider(
      {.name = "instrumented",
       .summary =
           "the variant's own machine code with a trace woven in, run on a model of the caches",
       .availability = availability,
       .open = open_instrumented,
       .weave = counting_assembly,
       .weaving_version = weaving_version});
}

}  // namespace rooftune::instrumentation
