#include "probe/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "core/list.h"
#include "probe/bench.h"
#include "probe/in_core_kernels.h"
#include "roofline/roofline.h"

namespace rooftune::probe {
namespace {

std::string width_word(int bits) { return bits == 64 ? "scalar" : std::to_string(bits); }

Ceiling in_core(const InCoreKernel& kernel, int threads) {
  Ceiling ceiling;
  ceiling.kind = Ceiling::Kind::in_core;
  ceiling.precision = kernel.precision;
  ceiling.mix = kernel.mix;
  ceiling.simd_bits = kernel.simd_bits;
  ceiling.ilp = kernel.ilp;
  ceiling.threads = threads;
  ceiling.name = fmt::format("{} {} {} ilp{} {}t", kernel.precision, kernel.mix,
                             width_word(kernel.simd_bits), kernel.ilp, threads);
  if (kernel.simd_bits > 64) ceiling.requirements.insert(Paradigm::simd);
  if (kernel.fused > 0) ceiling.requirements.insert(Paradigm::fma);
  if (kernel.ilp > 1) ceiling.requirements.insert(Paradigm::ilp);
  if (threads > 1) ceiling.requirements.insert(Paradigm::tlp);
  return ceiling;
}

/// `shared` has what ceilings with the same level, kind of pages and thread count share.
Ceiling walking(const Ceiling& shared, const std::string& mix, double reads,
                const std::string& what) {
  Ceiling result = shared;
  result.mix = mix;
  result.reads = reads;
  result.name = fmt::format("{} {}{}{} {}t", shared.level, what, shared.huge_pages ? " huge" : "",
                            shared.remote ? " remote" : "", shared.threads);
  return result;
}

void add_streams(CeilingList& plan, const LevelPlace& place, const Ceiling& shared,
                 const CpuFeatures& features) {
  for (const StreamKernel& kernel : stream_kernels(features)) {
    if (kernel.non_temporal && !place.memory) continue;
    // arithmetic limits the triad only in the innermost level
    if (kernel.mix == StreamMix::load2_store1 && !place.innermost) continue;
    Ceiling ceiling = walking(shared, word(kernel.mix), kernel.reads,
                              fmt::format("{}{} {}", word(kernel.mix),
                                          kernel.non_temporal ? " nt" : "", kernel.simd_bits));
    ceiling.non_temporal = kernel.non_temporal;
    ceiling.requirements.insert({Paradigm::unit_stride, Paradigm::prefetch});
    if (kernel.non_temporal) ceiling.requirements.insert(Paradigm::nt_store);
    plan.push_back(std::move(ceiling));
  }
}

void add_strides(CeilingList& plan, const Ceiling& shared) {
  for (const int stride : strides()) {
    Ceiling ceiling =
        walking(shared, word(StreamMix::load), 1, fmt::format("load stride{}", stride));
    ceiling.stride = stride;
    ceiling.requirements.insert(Paradigm::prefetch);
    plan.push_back(std::move(ceiling));
  }
}

void add_random(CeilingList& plan, const Ceiling& shared) {
  for (const int misses : misses_in_flight()) {
    Ceiling ceiling = walking(shared, random_walk, 1, fmt::format("random mlp{}", misses));
    ceiling.stride = double(line_bytes);
    if (misses > 1) ceiling.requirements.insert(Paradigm::ilp);
    plan.push_back(std::move(ceiling));
  }
}

constexpr int scalar_bits = 64;

/// First come the roofs with one lane and with the widest vectors, with many chains; a single chain
/// for latencies and for the ceiling without ILP.
bool is_needed_first(const Ceiling& ceiling, int widest, int most_chains) {
  constexpr std::string_view fused = "fma";
  static const TextSet rare{"fma2_add", "fma_mul"};
  const auto is_mixed = [](const Ceiling& one) { return contains(one.mix, '_'); };
  const bool scalar = ceiling.simd_bits == scalar_bits, floating = ceiling.precision[0] == 'f';
  if (!floating && (!scalar || ceiling.ilp == 1)) return scalar && ceiling.threads == 1;
  if (!floating) return true;
  if (!scalar && ceiling.simd_bits != widest) return false;
  if (ceiling.ilp == 1)
    return ceiling.mix == fused || (!scalar && ceiling.threads == 1 && !is_mixed(ceiling));
  if (scalar) return ceiling.ilp == most_chains && !rare.contains(ceiling.mix);
  return ceiling.ilp == most_chains;
}

/// First come streams over the fastest pages here, in memory over base pages too; latencies, and in
/// memory a stride and many misses at once.
bool is_needed_first(const Ceiling& ceiling, const LevelPlace& place, int most_threads) {
  const bool one = ceiling.threads == 1, all = ceiling.threads == most_threads;
  const bool best_pages = ceiling.huge_pages == place.huge_pages.front();
  if (ceiling.mix == random_walk) {
    const int misses = misses_of(ceiling);
    return best_pages && ((one && misses == 1) || (place.memory && misses == most_misses));
  }
  if (ceiling.stride > 8) return place.memory && best_pages && all && ceiling.stride > 1024;
  if (!place.memory)
    return best_pages && !(place.innermost && ceiling.mix == word(StreamMix::triad));
  return best_pages || all ||
         (!ceiling.non_temporal && ceiling.mix != word(StreamMix::copy) &&
          ceiling.mix != word(StreamMix::store));
}

}  // namespace

CeilingList in_core_plan(const CpuFeatures& features, const Integers& threads, Extent extent,
                         const std::string& precision) {
  InCoreKernels kernels = in_core_kernels(features);
  // one width after another, for when the width changes, the core pauses and its clock changes; the
  // widest first, for time may run out on a busy machine
  stable_sort(kernels, std::greater(), &InCoreKernel::simd_bits);
  const InCoreKernels integers = integer_kernels(features);
  append(kernels, integers);
  const int widest = kernels.empty() ? 0 : kernels.front().simd_bits;
  const auto chains = [&](const InCoreKernel& of) {
    int most = 0;
    for (const InCoreKernel& kernel : kernels)
      if (kernel.precision == of.precision && kernel.mix == of.mix &&
          kernel.simd_bits == of.simd_bits)
        most = std::max(most, kernel.ilp);
    return most;
  };
  CeilingList plan;
  const auto add = [&](const InCoreKernel& kernel, int count) {
    Ceiling ceiling = in_core(kernel, count);
    const bool wanted = precision.empty()
                            ? extent == Extent::full || kernel.precision != single_precision
                            : kernel.precision == precision;
    // Vectors of whole numbers are measured only when asked for.
    const bool asked = is_of_integers(precision);
    if (wanted &&
        (asked || extent == Extent::full || is_needed_first(ceiling, widest, chains(kernel))))
      plan.push_back(std::move(ceiling));
  };
  for (const int count : threads)
    for (const InCoreKernel& kernel : kernels) add(kernel, count);
  return plan;
}

Ceiling as_latency(Ceiling walk) {
  constexpr std::string_view word = "random mlp1";
  walk.kind = Ceiling::Kind::latency;
  walk.name.replace(walk.name.find(word), word.size(), "latency");
  return walk;
}

CeilingList memory_plan(const LevelPlace& place, const CpuFeatures& features, int numa_nodes,
                        Extent extent) {
  CeilingList plan;
  for (const bool huge : place.huge_pages)
    for (const LevelPlace::Walked& walked : place.walked) {
      const auto walk = [&](double bytes, bool remote) {
        Ceiling shared;
        shared.kind = Ceiling::Kind::bandwidth;
        shared.level = place.level;
        shared.threads = walked.threads;
        shared.huge_pages = huge;
        shared.remote = remote;
        shared.working_set = walked.threads * bytes;
        if (walked.threads > 1) shared.requirements.insert(Paradigm::tlp);
        if (huge) shared.requirements.insert(Paradigm::huge_pages);
        if (numa_nodes > 1 && !remote) shared.requirements.insert(Paradigm::numa);
        return shared;
      };
      for (const double bytes : walked.streams)
        add_streams(plan, place, walk(bytes, false), features);
      add_strides(plan, walk(walked.bytes, false));
      add_random(plan, walk(walked.bytes, false));
      if (!place.remote || !huge) continue;
      for (const double bytes : walked.streams)
        add_streams(plan, place, walk(bytes, true), features);
      add_random(plan, walk(walked.bytes, true));
    }
  int most = 1;
  for (const LevelPlace::Walked& walked : place.walked) most = std::max(most, walked.threads);
  if (extent == Extent::quick)
    std::erase_if(plan, [&](const Ceiling& one) { return !is_needed_first(one, place, most); });
  return plan;
}

LevelPlace::Walked walked_sizes(const MemoryLevels& levels, size_t index, int threads, int cores,
                                double limit) {
  if (index + 1 == levels.size()) return {threads, limit, {limit}};
  const MemoryLevel& level = levels[index];
  // threads share an instance between them
  const double sharing = std::max(1.0, double(threads) / level.instances);
  const double smt = std::max(1.0, double(threads) / cores);
  const double capacity = level.capacity.value_or(limit) / sharing;
  LevelPlace::Walked result{threads, 0.7 * capacity, {}};
  double inside = 0;
  if (index > 0) {
    const MemoryLevel& inner = levels[index - 1];
    const double inner_bytes =
        std::max(inner.capacity.value_or(0), inner.reported.value_or(0)) / smt;
    const double most = 0.4 * capacity;
    // a level hardly larger than the next one in: halfway between the two sizes, not within the
    // inner level
    result.bytes = most < 2 * inner_bytes ? std::sqrt(inner_bytes * capacity)
                                          : std::min(4 * inner_bytes, most);
    inside = Machine::most_held(inner) / smt;
  }
  Numbers wanted{result.bytes};
  for (const auto& bytes : {level.capacity, level.at_most})
    for (const double share : {0.25, 0.5, 0.75})
      if (bytes) wanted.push_back(share * *bytes / sharing);
  sort(wanted);
  constexpr double clear = 3, distinct = 1.2;
  Numbers& streams = result.streams;
  for (const double bytes : wanted)
    if (bytes >= clear * inside && (streams.empty() || bytes >= distinct * streams.back()))
      streams.push_back(bytes);
  if (streams.empty()) streams.push_back(result.bytes);
  return result;
}

size_t memory_per_thread(const Topology& topology, Extent extent) {
  constexpr double mebi = 0x1p20;
  const bool full = extent == Extent::full;
  double bytes = (full ? 1024 : 512) * mebi;
  if (topology.hypervisor.empty() && !topology.caches.empty())
    bytes = std::max(bytes, (full ? 4 : 2) * double(topology.caches.back().bytes));
  const int kinds = topology.numa_nodes.size() > 1 ? 3 : 2;
  const double fair =
      double(topology.memory_bytes) / 4 / kinds / double(std::max<size_t>(1, topology.cpus.size()));
  return size_t(std::max(4 * mebi, std::min(bytes, fair)));
}

Integers thread_counts(const Topology& topology) {
  Integers counts{1};
  const int cpus = int(topology.cpus.size());
  for (const int count : {topology.cores, cpus})
    if (count > counts.back()) counts.push_back(count);
  return counts;
}

}  // namespace rooftune::probe
