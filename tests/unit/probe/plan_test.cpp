// Tests of the list of ceilings that a probe measures.
#include "probe/plan.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "probe/bench.h"

using namespace rooftune;
using namespace rooftune;

namespace {

constexpr double kibi = 1024, mebi = 1024 * kibi;

CpuFeatures wide() {
  CpuFeatures features;
  features.fma = features.avx2 = features.avx512 = true;
  features.simd_bits = 512;
  return features;
}

std::vector<MemoryLevel> levels() {
  return {{"L1", 40 * kibi, 48 * kibi, 2},
          {"L2", 1.25 * mebi, 2 * mebi, 2},
          {"L3", 32 * mebi, 480 * mebi, 1},
          {"DRAM", std::nullopt, std::nullopt, 1}};
}

std::vector<Ceiling> whole_plan(int numa_nodes, Extent extent = Extent::full,
                                const std::vector<int>& threads = {1, 2, 4}) {
  std::vector<Ceiling> plan = in_core_plan(wide(), threads, extent);
  for (std::size_t i = 0; i < levels().size(); ++i) {
    LevelPlace place;
    place.level = levels()[i].name;
    place.innermost = i == 0;
    place.memory = i == 3;
    place.remote = place.memory && numa_nodes > 1;
    place.huge_pages = {true, false};
    for (const int count : threads) place.walked.push_back({count, 64 * kibi, {64 * kibi}});
    for (Ceiling& ceiling : memory_plan(place, wide(), numa_nodes, extent)) plan.push_back(ceiling);
  }
  return plan;
}

}  // namespace

TEST_CASE("Names are unique over the whole plan, latency and remote memory included") {
  for (const int nodes : {1, 2}) {
    std::vector<Ceiling> plan = whole_plan(nodes);
    const std::vector<Ceiling> walks = plan;
    for (const Ceiling& walk : walks)
      if (misses_of(walk) == 1) plan.push_back(as_latency(walk));
    std::set<std::string> names;
    for (const Ceiling& ceiling : plan) {
      CAPTURE(ceiling.name);
      CHECK(names.insert(ceiling.name).second);
      CHECK((ceiling.kind != Ceiling::Kind::in_core) == (ceiling.working_set > 0));
      CHECK(ceiling.requirements.count(Paradigm::tlp) == (ceiling.threads > 1 ? 1 : 0));
      CHECK(ceiling.requirements.count(Paradigm::huge_pages) == (ceiling.huge_pages ? 1 : 0));
    }
  }
}

TEST_CASE("The quick lattice is a part of the full one and keeps its corners") {
  std::set<std::string> full;
  for (const Ceiling& ceiling : whole_plan(1)) full.insert(ceiling.name);
  std::set<std::string> quick;
  for (const Ceiling& ceiling : whole_plan(1, Extent::quick)) {
    CHECK(full.count(ceiling.name) == 1);
    quick.insert(ceiling.name);
  }
  for (const char* corner :
       {"fp64 fma scalar ilp1 4t", "fp64 fma 512 ilp24 4t", "fp64 add 512 ilp1 1t",
        "fp64 div scalar ilp12 1t", "int64 mul scalar ilp6 4t", "instructions any scalar ilp6 1t",
        "L1 load 512 huge 1t", "L2 update 512 huge 4t", "L3 random mlp1 huge 1t",
        "DRAM random mlp16 huge 4t", "DRAM triad nt 512 huge 1t", "DRAM store nt 512 4t"})
    CHECK(quick.count(corner) == 1);
  // A computer whose cores have one thread each, with the latencies.
  const auto small = whole_plan(1, Extent::quick, {1, 2});
  CHECK(small.size() + levels().size() <= 120);
}

TEST_CASE("A precision that the quick lattice leaves out has one of its own") {
  const auto precisions = [](const std::vector<Ceiling>& plan) {
    std::set<std::string> all;
    for (const Ceiling& ceiling : plan) all.insert(ceiling.precision);
    return all;
  };
  CHECK(precisions(in_core_plan(wide(), {1}, Extent::quick)).count("fp32") == 0);
  const auto asked = in_core_plan(wide(), {1}, Extent::quick, "fp32");
  CHECK(precisions(asked) == std::set<std::string>{"fp32"});
  CHECK(asked.size() > 10);
  CHECK(in_core_plan(wide(), {1}, Extent::quick, "fp16").empty());
  const auto integers = in_core_plan(wide(), {1}, Extent::quick, "int32");
  CHECK(precisions(integers) == std::set<std::string>{"int32"});
}

TEST_CASE("Requirements name the paradigms that a kernel exploits") {
  std::map<std::string, Paradigms> by_name;
  for (const Ceiling& ceiling : whole_plan(1)) by_name[ceiling.name] = ceiling.requirements;
  using P = Paradigm;
  CHECK(by_name.at("fp64 add scalar ilp1 1t") == Paradigms{});
  CHECK(by_name.at("fp64 fma 512 ilp12 4t") == Paradigms{P::simd, P::fma, P::ilp, P::tlp});
  CHECK(by_name.at("fp64 fma_add 512 ilp24 1t") == Paradigms{P::simd, P::fma, P::ilp});
  CHECK(by_name.at("fp32 sqrt scalar ilp12 1t") == Paradigms{P::ilp});
  CHECK(by_name.at("fp32 mul 128 ilp1 1t") == Paradigms{P::simd});
  CHECK(by_name.at("L2 load 512 1t") == Paradigms{P::unit_stride, P::prefetch});
  CHECK(by_name.at("DRAM store nt 512 huge 2t") ==
        Paradigms{P::unit_stride, P::prefetch, P::nt_store, P::huge_pages, P::tlp});
  CHECK(by_name.at("DRAM load stride256 1t") == Paradigms{P::prefetch});
  CHECK(by_name.at("DRAM random mlp1 1t") == Paradigms{});
  CHECK(by_name.at("DRAM random mlp8 1t") == Paradigms{P::ilp});
  CHECK(by_name.count("L2 store nt 512 1t") == 0);
  CHECK(by_name.count("L1 load2_store1 512 1t") == 1);
  CHECK(by_name.count("L2 load2_store1 512 1t") == 0);
}

TEST_CASE("With several nodes local memory is a paradigm and remote memory its absence") {
  std::size_t remote = 0;
  for (const Ceiling& ceiling : whole_plan(2)) {
    CAPTURE(ceiling.name);
    if (ceiling.kind == Ceiling::Kind::in_core) continue;
    CHECK(ceiling.requirements.count(Paradigm::numa) == (ceiling.remote ? 0 : 1));
    remote += ceiling.remote ? 1 : 0;
  }
  CHECK(remote > 0);
  for (const Ceiling& ceiling : whole_plan(1)) {
    CHECK_FALSE(ceiling.remote);
    CHECK(ceiling.requirements.count(Paradigm::numa) == 0);
  }
}

TEST_CASE("Shares of reads are those of the mixes") {
  const std::map<std::string, double> shares{{"load", 1},
                                             {"store", 0},
                                             {"copy", 0.5},
                                             {"triad", 2.0 / 3},
                                             {"update", 0.5},
                                             {"random", 1},
                                             {"load2_store1", 2.0 / 3}};
  for (const Ceiling& ceiling : whole_plan(1))
    if (ceiling.kind == Ceiling::Kind::bandwidth) CHECK(ceiling.reads == shares.at(ceiling.mix));
}

TEST_CASE("A working set lies in its level and outside the one before") {
  const auto machine = levels();
  constexpr double limit = 256 * mebi;
  for (const int threads : {1, 2}) {
    const auto own = [&](std::size_t i) {
      return walked_sizes(machine, i, threads, 2, limit).bytes;
    };
    CHECK(own(0) < 40 * kibi);
    CHECK(own(0) > 20 * kibi);
    CHECK(own(1) >= 4 * 40 * kibi);
    CHECK(own(1) <= 0.5 * 1.25 * mebi);
    CHECK(own(2) > 2 * mebi);
    CHECK(own(2) * threads <= 32 * mebi);
    CHECK(own(3) == limit);
  }
}

TEST_CASE("Hyperthreads of a core share its caches") {
  const auto machine = levels();
  CHECK(walked_sizes(machine, 0, 4, 2, 1e9).bytes ==
        Approx(walked_sizes(machine, 0, 2, 2, 1e9).bytes / 2));
}

TEST_CASE("A level hardly larger than the one inside lies between the two") {
  auto machine = levels();
  machine[2].capacity = 4 * mebi;
  const double bytes = walked_sizes(machine, 2, 1, 2, 1e9).bytes;
  CHECK(bytes > 2 * mebi);
  CHECK(bytes < 4 * mebi);
}

TEST_CASE("Threads are one, one per core, and one per CPU where that differs") {
  Topology topology;
  topology.cpus = {0};
  topology.cores = 1;
  CHECK(thread_counts(topology) == std::vector<int>{1});
  topology.cpus = {0, 1};
  topology.cores = 2;
  CHECK(thread_counts(topology) == std::vector<int>{1, 2});
  topology.cpus = {0, 1, 2, 3};
  CHECK(thread_counts(topology) == std::vector<int>{1, 2, 4});
  topology.cores = 1;
  topology.cpus = {0, 1};
  CHECK(thread_counts(topology) == std::vector<int>{1, 2});
}

TEST_CASE("Streams of a level are walked at several sizes that the level inside cannot hold") {
  std::vector<MemoryLevel> here = levels();
  here[0].at_most = 48 * kibi;
  here[1].at_most = 2 * mebi;
  const auto sizes = walked_sizes(here, 1, 1, 2, 512 * mebi).streams;
  REQUIRE(sizes.size() >= 3);
  CHECK(std::is_sorted(sizes.begin(), sizes.end()));
  CHECK(sizes.front() >= 3 * 48 * kibi);
  CHECK(sizes.front() <= 0.3 * 1.25 * mebi);
  CHECK(sizes.back() == 1.5 * mebi);
  // a shared cache is divided among its threads
  CHECK(walked_sizes(here, 2, 2, 2, 512 * mebi).streams.back() == 12 * mebi);
  CHECK(walked_sizes(here, 3, 1, 2, 512 * mebi).streams == std::vector<double>{512 * mebi});
  // a level hardly larger than the one inside of it
  here[2].capacity = 3 * mebi;
  CHECK(walked_sizes(here, 2, 1, 2, 512 * mebi).streams ==
        std::vector<double>{walked_sizes(here, 2, 1, 2, 512 * mebi).bytes});
}
