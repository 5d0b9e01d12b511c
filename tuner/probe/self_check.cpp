#include "probe/self_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/units.h"
#include "probe/exercise.h"

namespace rooftune::microbench {
namespace {

constexpr double most_per_cycle = 4;  // no core issues more vector instructions or moves
constexpr double clock_slack = 0.02;  // the chain's own error
constexpr double agreement = 0.05;
constexpr double clock_agreement = 0.10;  // turbo moves by a few bins while a probe runs

bool in_core(const Ceiling& ceiling) { return ceiling.kind == Ceiling::Kind::in_core; }

std::string place(const Ceiling& ceiling) {
  return ceiling.precision + ' ' + ceiling.mix + ' ' + std::to_string(ceiling.simd_bits) + ' ' +
         std::to_string(ceiling.ilp);
}

/// Everything but the level and the kind of pages: what two levels are compared under.
std::string pattern(const Ceiling& ceiling) {
  return fmt::format("{} {} {} {} {} {}", to_text(ceiling.kind), ceiling.mix, ceiling.stride,
                     ceiling.remote, ceiling.non_temporal, misses_of(ceiling));
}

class Checks {
 public:
  Checks(const Machine& machine, int vector_bits) : machine_(machine), vector_bits_(vector_bits) {}

  std::vector<Contradiction> run() {
    for (std::size_t i = 0; i < ceilings().size(); ++i) issue(i);
    siblings();
    clocks();
    scaling();
    levels();
    return std::move(found_);
  }

 private:
  const std::vector<Ceiling>& ceilings() const { return machine_.ceilings; }
  void add(std::size_t index, std::string text) { found_.push_back({index, std::move(text)}); }

  void issue(std::size_t i) {
    const Ceiling& ceiling = ceilings()[i];
    if (ceiling.clock <= 0) return;
    const double vector_bytes = vector_bits_ / 8.0;
    const double rate = in_core(ceiling)
                            ? instructions_per_cycle(ceiling)
                            : ceiling.rate.value / ceiling.threads / ceiling.clock / vector_bytes;
    // a line counted whole costs one access of 8 bytes
    const bool lines = !in_core(ceiling) && ceiling.stride > 8;
    if (rate > most_per_cycle * (1 + clock_slack) * (lines ? 64 / vector_bytes : 1))
      add(i, fmt::format("{:.2f} {} per cycle and core are more than any core does", rate,
                         in_core(ceiling) ? "instructions" : "vectors"));
  }

  void siblings() {
    std::map<std::pair<std::string, int>, std::size_t> doubles;
    for (std::size_t i = 0; i < ceilings().size(); ++i)
      if (in_core(ceilings()[i]) && ceilings()[i].precision == "fp64")
        doubles[{place(ceilings()[i]).substr(4), ceilings()[i].threads}] = i;
    for (std::size_t i = 0; i < ceilings().size(); ++i) {
      const Ceiling& ceiling = ceilings()[i];
      if (!in_core(ceiling) || ceiling.precision != "fp32") continue;
      const auto twin = doubles.find({place(ceiling).substr(4), ceiling.threads});
      if (twin == doubles.end()) continue;
      const double own = instructions_per_cycle(ceiling);
      const double other = instructions_per_cycle(ceilings()[twin->second]);
      if (own <= 0 || other <= 0 || std::abs(own / other - 1) <= agreement) continue;
      // precision does not change throughput: the slower of the two did not reach its roof
      add(own < other ? i : twin->second,
          fmt::format("takes {:.1f} % more cycles than its sibling of the other precision",
                      100 * (std::max(own, other) / std::min(own, other) - 1)));
    }
  }

  void clocks() {
    std::map<std::tuple<int, std::string, int>, std::vector<double>> families;
    for (const Ceiling& ceiling : ceilings())
      if (in_core(ceiling) && ceiling.clock > 0)
        families[{ceiling.simd_bits, ceiling.mix, ceiling.threads}].push_back(ceiling.clock);
    for (auto& [key, family] : families) std::sort(family.begin(), family.end());
    for (std::size_t i = 0; i < ceilings().size(); ++i) {
      const Ceiling& ceiling = ceilings()[i];
      const auto family = families.find({ceiling.simd_bits, ceiling.mix, ceiling.threads});
      if (!in_core(ceiling) || ceiling.clock <= 0 || family == families.end()) continue;
      const double median = family->second[family->second.size() / 2];
      if (std::abs(ceiling.clock / median - 1) > clock_agreement)
        add(i, fmt::format("its clock of {} is far from its siblings' {}",
                           to_text(Hertz(ceiling.clock)), to_text(Hertz(median))));
    }
  }

  void scaling() {
    const auto key = [](const Ceiling& c) {
      return fmt::format("{} {} {} {}", place(c), c.level, c.huge_pages, pattern(c));
    };
    std::map<std::string, std::size_t> singles;
    for (std::size_t i = 0; i < ceilings().size(); ++i)
      if (ceilings()[i].threads == 1) singles[key(ceilings()[i])] = i;
    for (const Ceiling& ceiling : ceilings()) {
      const auto single = singles.find(key(ceiling));
      if (ceiling.threads == 1 || single == singles.end()) continue;
      const Ceiling& one = ceilings()[single->second];
      // turbo may have moved between the two
      const double clocks =
          one.clock > 0 && ceiling.clock > 0 ? std::max(1.0, ceiling.clock / one.clock) : 1;
      if (ceiling.rate.low > ceiling.threads * one.rate.value * clocks * (1 + agreement))
        add(single->second,
            fmt::format("{0} threads are more than {0} times as fast", ceiling.threads));
    }
  }

  /// The fastest ceiling of a level for a pattern and number of threads, over the kinds of pages.
  std::map<std::tuple<std::string, std::string, int>, std::size_t> fastest() const {
    std::map<std::tuple<std::string, std::string, int>, std::size_t> result;
    for (std::size_t i = 0; i < ceilings().size(); ++i) {
      const Ceiling& ceiling = ceilings()[i];
      if (in_core(ceiling) || ceiling.non_temporal) continue;
      const auto [entry, added] =
          result.try_emplace({ceiling.level, pattern(ceiling), ceiling.threads}, i);
      if (!added && ceilings()[entry->second].rate.value < ceiling.rate.value) entry->second = i;
    }
    return result;
  }

  void levels() {
    const auto best = fastest();
    for (std::size_t level = 0; level + 1 < machine_.levels.size(); ++level)
      for (const auto& [key, inner] : best) {
        if (std::get<0>(key) != machine_.levels[level].name) continue;
        const auto outer =
            best.find({machine_.levels[level + 1].name, std::get<1>(key), std::get<2>(key)});
        if (outer == best.end()) continue;
        const Ceiling& near = ceilings()[inner];
        const Ceiling& far = ceilings()[outer->second];
        if (far.rate.value > near.rate.value * (1 + agreement))
          add(inner, fmt::format("slower than \"{}\", which is further out", far.name));
      }
  }

  const Machine& machine_;
  int vector_bits_;
  std::vector<Contradiction> found_;
};

}  // namespace

double instructions_per_cycle(const Ceiling& ceiling) {
  if (ceiling.clock <= 0) return 0;
  const int element = ceiling.precision == "fp32" ? 32 : 64;
  const double lanes = ceiling.simd_bits <= 64 ? 1 : ceiling.simd_bits / element;
  const double flops = ceiling.mix == "fma" ? 2 : 1;
  return ceiling.rate.value / ceiling.threads / ceiling.clock / (lanes * flops);
}

std::vector<Contradiction> contradictions(const Machine& machine, int vector_bits) {
  return Checks(machine, vector_bits).run();
}

}  // namespace rooftune::microbench
