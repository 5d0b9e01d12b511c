#include "probe/memory.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>
#include <string>
#include <thread>

#include "core/error.h"
#include "core/list.h"
#include "core/rng.h"

namespace rooftune::probe {
namespace {

constexpr size_t huge_page = size_t{2} << 20;

size_t rounded_up(size_t bytes) { return (bytes + huge_page - 1) / huge_page * huge_page; }

Mapping mapped(size_t bytes) {
  try {
    return {bytes, huge_page};
  } catch (const std::bad_alloc&) {
    throw Unavailable("cannot map " + std::to_string(bytes >> 20) + " MiB", "probe",
                      "free memory or raise the limit (ulimit -v)");
  }
}

/// Element i in filled memory: in [1/8, 7/8), different from its neighbours.
double finite(size_t i) { return 0.125 + 0.75 * double((i * 0x9E3779B97F4A7C15U) >> 11) * 0x1p-53; }

/// Room for the gaps between a stream's arrays.
constexpr size_t gaps = size_t{64} << 10;

int cpu_of_another_node(const std::vector<Cpus>& nodes, int cpu) {
  for (const size_t i : indices(nodes))
    if (contains(nodes[i], cpu)) return nodes[(i + 1) % nodes.size()].front();
  return nodes.front().front();
}

}  // namespace

Memory::Memory(size_t bytes, bool huge_pages) : mapping_(mapped(rounded_up(bytes))) {
  // A refusal shows in huge_share(), which callers use.
  mapping_.advise_huge_pages(huge_pages);
}

double Memory::huge_share() const {
  const auto low = reinterpret_cast<uintptr_t>(begin());
  std::ifstream smaps("/proc/self/smaps");
  std::string line;
  bool inside = false;
  double backed = 0;
  constexpr std::string_view key = "AnonHugePages:";
  while (std::getline(smaps, line)) {
    uintptr_t start = 0, end = 0;
    // "7f00-7f80 rw-p ..." begins a mapping.
    if (std::sscanf(line.c_str(), "%lx-%lx ", &start, &end) == 2)
      inside = start < low + size() && end > low;
    else if (inside && line.compare(0, key.size(), key) == 0)
      backed += 1024 * std::strtod(line.c_str() + key.size(), nullptr);
  }
  return std::min(1.0, backed / double(std::max(huge_page, rounded_up(touched_))));
}

void Memory::touch(size_t bytes) {
  bytes = std::min(bytes, size());
  auto* values = reinterpret_cast<double*>(begin());
  for (size_t i = touched_ / sizeof(double); i < bytes / sizeof(double); ++i) values[i] = finite(i);
  touched_ = std::max(touched_, bytes);
}

void Memory::fill(size_t bytes) {
  touch(bytes);
  auto* values = reinterpret_cast<double*>(begin());
  constexpr size_t line = line_bytes / sizeof(double);
  for (size_t i = 0; i < linked_ / sizeof(double); i += line)
    values[i] = finite(i);  // addresses are denormal numbers
  linked_ = 0;
}

void Memory::link(size_t bytes) {
  bytes = std::min(bytes, size());
  if (linked_ == bytes) return;
  fill(bytes);
  const size_t lines = bytes / line_bytes;
  const Indices order = shuffled(lines, Rng(20261121, lines));
  const auto address = [&](size_t i) -> void* { return begin() + line_bytes * order[i % lines]; };
  for (const size_t i : indices(order)) {
    void* next = address(i + 1);
    std::memcpy(address(i), &next, sizeof next);
  }
  for (const size_t i : indices(heads_)) heads_[i] = address(lines * i / most_misses);
  linked_ = bytes;
  ++cycles_;
}

Arena::Arena(const Cpus& cpus, const Topology& topology, size_t bytes) : bytes_(bytes) {
  for (auto& kind : mappings_) kind.resize(cpus.size());
  if (topology.numa_nodes.size() < 2) return;
  for (const int cpu : cpus) remote_cpus_.push_back(cpu_of_another_node(topology.numa_nodes, cpu));
}

Memory& Arena::memory(Kind kind, int thread) {
  auto& mapping = mappings_[int(kind)][thread];
  if (mapping) return *mapping;
  if (kind == Kind::remote)
    mapping = remote_memory(thread);
  else
    mapping = std::make_unique<Memory>(bytes_ + gaps, kind == Kind::huge);
  return *mapping;
}

std::unique_ptr<Memory> Arena::remote_memory(int thread) const {
  if (remote_cpus_.empty()) throw Unavailable("there is one NUMA node: no remote memory", "probe");
  auto memory = std::make_unique<Memory>(bytes_ + gaps, true);
  bool pinned = false;
  // first touch decides the node
  std::thread([&] {
    pinned = bind_thread({remote_cpus_[thread]});
    memory->touch(memory->size());
  }).join();
  if (!pinned) throw Unavailable("cannot touch memory of another NUMA node", "probe");
  return memory;
}

double Arena::huge_share(Kind kind) const {
  double least = 1;
  bool any = false;
  for (const auto& mapping : mappings_[int(kind)]) {
    if (!mapping) continue;
    any = true;
    least = std::min(least, mapping->huge_share());
  }
  return any ? least : 0;
}

}  // namespace rooftune::probe
