// A machine as `tune probe` would measure it: 2 cores, 4 levels, about 60 ceilings, one of them
// unstable. For tests only; every figure is made up but of the right order.
#pragma once
#include <fmt/format.h>

#include "roofline/machine.h"

namespace rooftune::sample {

inline Estimate within(double value, double share) {
  return {value, value * (1 - share), value * (1 + share / 3)};
}

inline Source measured() {
  return {Source::Kind::measured, "tune probe 0.1.0: best of 300 windows of 1 ms",
          "2026-11-21T09:30:00Z"};
}

inline Ceiling in_core(const std::string& precision, int bits, const std::string& mix, int ilp,
                       int threads, double rate) {
  Ceiling c;
  c.name = fmt::format("{} {} {} ilp{} {}t", precision, mix,
                       bits == 64 ? std::string("scalar") : std::to_string(bits), ilp, threads);
  c.kind = Ceiling::Kind::in_core;
  c.precision = precision;
  c.mix = mix;
  c.threads = threads;
  c.simd_bits = bits;
  c.ilp = ilp;
  c.rate = within(rate, 0.004);
  c.source = measured();
  c.clock = bits == 512 ? 3.39e9 : 3.59e9;
  if (bits > 64) c.requirements.insert(Paradigm::simd);
  if (mix == "fma") c.requirements.insert(Paradigm::fma);
  if (ilp > 1) c.requirements.insert(Paradigm::ilp);
  if (threads > 1) c.requirements.insert(Paradigm::tlp);
  c.samples = {rate, rate * 0.999, rate * 0.998};
  return c;
}

inline Ceiling stream(const std::string& level, const std::string& mix, double reads, int threads,
                      double rate, double set, bool nt = false, bool huge = false) {
  Ceiling c;
  c.name = fmt::format("{} {}{}{} {}t", level, mix, nt ? " nt" : "", huge ? " huge" : "", threads);
  c.kind = Ceiling::Kind::bandwidth;
  c.level = level;
  c.mix = mix;
  c.reads = reads;
  c.threads = threads;
  c.non_temporal = nt;
  c.huge_pages = huge;
  c.stride = mix == "random" ? 64 : 8;
  c.rate = within(rate, 0.02);
  c.source = measured();
  c.working_set = set;
  if (mix != "random") c.requirements = {Paradigm::unit_stride, Paradigm::prefetch};
  if (threads > 1) c.requirements.insert(Paradigm::tlp);
  if (nt) c.requirements.insert(Paradigm::nt_store);
  if (huge) c.requirements.insert(Paradigm::huge_pages);
  c.samples = {rate, rate * 0.995, rate * 0.991};
  return c;
}

inline void add_in_core(Machine& m) {
  for (const int threads : {1, 2})
    for (const int bits : {64, 128, 256, 512}) {
      const double lanes = bits / 64.0, fma = 14.4 * lanes * (bits == 512 ? 0.943 : 1) * threads;
      for (const int ilp : {1, 4, 12})
        m.ceilings.push_back(in_core("fp64", bits, "fma", ilp, threads,
                                     1e9 * fma *
                                         (ilp == 1   ? 0.125
                                          : ilp == 4 ? 0.5
                                                     : 1)));
      m.ceilings.push_back(in_core("fp64", bits, "add", 12, threads, 1e9 * fma / 2));
      m.ceilings.push_back(
          in_core("fp32", bits, "fma", 12, threads, 2e9 * fma * (bits == 64 ? 0.5 : 1)));
    }
}

inline void add_streams(Machine& m) {
  for (const int t : {1, 2}) {
    m.ceilings.push_back(stream("L1", "load", 1, t, 4.6e11 * t * 0.97, 32e3 * t));
    m.ceilings.push_back(stream("L1", "copy", 0.5, t, 3.9e11 * t, 32e3 * t));
    m.ceilings.push_back(stream("L2", "load", 1, t, 1.8e11 * t, 1e6 * t));
    m.ceilings.push_back(stream("L2", "triad", 2.0 / 3, t, 1.4e11 * t, 1e6 * t));
    m.ceilings.push_back(stream("L3", "load", 1, t, 3.1e10 * t, 8e6 * t));
    m.ceilings.push_back(stream("DRAM", "load", 1, t, 1.62e10 * t, 2.56e8));
    m.ceilings.push_back(stream("DRAM", "load", 1, t, 1.7e10 * t, 2.56e8, false, true));
    m.ceilings.push_back(stream("DRAM", "store", 0, t, 9.4e9 * t, 2.56e8));
    m.ceilings.push_back(stream("DRAM", "store", 0, t, 2.3e10 * t, 2.56e8, true, true));
    m.ceilings.push_back(stream("DRAM", "triad", 2.0 / 3, t, 1.25e10 * t, 2.56e8));
    m.ceilings.push_back(stream("DRAM", "triad", 2.0 / 3, t, 1.71e10 * t, 2.56e8, true, true));
    m.ceilings.push_back(stream("DRAM", "random", 1, t, 2.6e9 * t, 2.56e8));
  }
  m.ceilings.back().stable = false;
}

inline Machine machine() {
  Machine m;
  m.name = "sample";
  m.description = "2 cores of a virtual machine with AVX-512, 24 GiB";
  m.id = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";
  m.identity = {{"cpu", "Sample CPU @ 2.60GHz"},
                {"hostname", "sample-host"},
                {"hypervisor", "kvm"},
                {"features", "fma avx2 avx512f"},
                {"kernel", "6.1.0"}};
  m.cores = 2;
  m.simd_bits = 512;
  m.features = {"fma", "avx2", "avx512f"};
  m.levels = {{"L1", 49152.0, 49152.0, 2},
              {"L2", 1572864.0, 2097152.0, 2},
              {"L3", 33554432.0, 503316480.0, 1},
              {"DRAM", std::nullopt, std::nullopt, 1}};
  m.notes = {"the system reports 480 MiB of L3, the sweep finds 32 MiB"};
  add_in_core(m);
  add_streams(m);
  return m;
}

}  // namespace rooftune::sample
