// Machines in a few lines, for tests of the roofline: figures are given where they are used.
#pragma once
#include "core/rng.h"
#include "roofline/machine.h"
#include "roofline/roofline.h"

namespace rooftune::test {

inline Estimate around(double value, double share = 0) {
  return {value, value * (1 - share), value * (1 + share)};
}

inline Ceiling core_ceiling(std::string name, double rate, int threads = 1,
                            Paradigms requirements = {}, std::string precision = "fp64",
                            std::string mix = "fma") {
  Ceiling c;
  c.name = std::move(name);
  c.kind = Ceiling::Kind::in_core;
  c.precision = std::move(precision);
  c.mix = std::move(mix);
  c.threads = threads;
  c.rate = around(rate);
  c.source = {Source::Kind::declared, "test", ""};
  c.requirements = std::move(requirements);
  return c;
}

inline Ceiling stream(std::string name, std::string level, double reads, double rate,
                      int threads = 1, Paradigms requirements = {}, std::string mix = "stream") {
  Ceiling c;
  c.name = std::move(name);
  c.kind = Ceiling::Kind::bandwidth;
  c.level = std::move(level);
  c.mix = std::move(mix);
  c.reads = reads;
  c.threads = threads;
  c.rate = around(rate);
  c.source = {Source::Kind::declared, "test", ""};
  c.requirements = std::move(requirements);
  return c;
}

/// 100 flop/s, DRAM at 10 B/s for every mix, no cache.
inline Machine plain_machine() {
  Machine m;
  m.name = "plain";
  m.levels = {{"DRAM", std::nullopt, std::nullopt, 1}};
  m.ceilings = {core_ceiling("peak", 100), stream("DRAM", "DRAM", 1, 10)};
  return m;
}

inline Work flops(double fp64) {
  Work work;
  work.least["fp64"] = Flops(fp64);
  work.nominal = Flops(fp64);
  return work;
}

inline Traffic moved(double read, double write, bool warm = true) {
  Traffic traffic;
  traffic.read = Bytes(read);
  traffic.write = Bytes(write);
  traffic.footprint = Bytes(read + write);
  traffic.warm = warm;
  return traffic;
}

/// Three levels, one or two threads, random rates, intervals and mixes; a quarter of the bandwidths
/// was not measured, unless it is to be complete.
inline Machine random_machine(Rng& rng, bool complete = false) {
  Machine m;
  m.name = "random";
  m.levels = {{"L1", 100 + 900 * rng.unit(), std::nullopt, 2},
              {"L2", 2000 + 8000 * rng.unit(), std::nullopt, 1},
              {"DRAM", std::nullopt, std::nullopt, 1}};
  const double shares[] = {0, 0.5, 2.0 / 3, 1};
  const bool updates = rng.below(2) == 0;  // of one thread and of two, as a probe measures them
  for (const int threads : {1, 2}) {
    for (const char* precision : {"fp64", "fp32"})
      for (const char* mix : {"fma", "add"}) {
        Ceiling c = core_ceiling(std::string(precision) + mix + std::to_string(threads),
                                 10 + 100 * rng.unit(), threads, {}, precision, mix);
        c.rate = around(c.rate.value, 0.1 * rng.unit());
        if (threads > 1) c.requirements.insert(Paradigm::tlp);
        if (c.mix == "fma") c.requirements.insert(Paradigm::fma);
        m.ceilings.push_back(c);
      }
    for (const auto& level : m.levels)
      for (const double share : shares) {
        if (!complete && rng.below(4) == 0) continue;
        Ceiling c = stream(level.name + std::to_string(share) + std::to_string(threads), level.name,
                           share, 1 + 20 * rng.unit(), threads, {Paradigm::prefetch});
        c.rate = around(c.rate.value, 0.1 * rng.unit());
        if (threads > 1) c.requirements.insert(Paradigm::tlp);
        if (share < 1 && rng.below(2) == 0) c.requirements.insert(Paradigm::nt_store);
        if (share == 0.5 && updates) c.mix = "update";
        m.ceilings.push_back(c);
      }
  }
  return m;
}

}  // namespace rooftune::test
