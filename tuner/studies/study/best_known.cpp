#include "study/best_known.h"

#include <algorithm>
#include <cmath>

#include "core/list.h"

namespace rooftune::study {
namespace {

/// "AMD" from "AMD EPYC 9575F 64-Core Processor".
std::string vendor(const MachineClass& machine) {
  return machine.model.substr(0, machine.model.find_first_of(" ("));
}

/// How many doublings lie between two sizes.
double doublings(double a, double b) {
  if (a == b) return 0;
  return a > 0 && b > 0 ? std::abs(std::log2(a / b)) : 1;
}

/// The share of instruction sets that only one side has.
double share_differing(const Texts& a, const Texts& b) {
  const TextSet mine(a.begin(), a.end()), others(b.begin(), b.end());
  TextSet all = mine;
  all.insert(others.begin(), others.end());
  const auto differing = count_if(
      all, [&](const std::string& name) { return mine.count(name) != others.count(name); });
  return all.empty() ? 0 : double(differing) / double(all.size());
}

}  // namespace

MachineClass machine_class(const Machine& machine) {
  auto* cpu = value_at(machine.identity, "cpu");
  return {machine.kind, cpu && !machine.is_gpu() ? *cpu : machine.description, machine.cores,
          machine.simd_bits, machine.features};
}

double distance(const MachineClass& a, const MachineClass& b) {
  double far = a.model == b.model ? 0 : vendor(a) == vendor(b) ? 1 : 2;
  if (a.kind != b.kind) far += 8;
  far += doublings(std::max(1, a.simd_bits), std::max(1, b.simd_bits));
  far += share_differing(a.features, b.features);
  return far + doublings(a.cores, b.cores);
}

double distance(const Facts& a, const Facts& b) {
  double far = 0;
  const auto add_distance = [&far](const Facts& mine, const Facts& others, bool count_both) {
    for (const auto& [name, value] : mine) {
      auto* other = value_at(others, name);
      if (!other)
        far += 1;
      else if (count_both && value.is_number() && other->is_number())
        far += doublings(value.real(), other->real());
      else if (count_both && value != *other)
        far += 1;
    }
  };
  add_distance(a, b, true);
  add_distance(b, a, false);
  return far;
}

void add(BestKnown& known, KnownBest entry) {
  for (KnownBest& other : known.entries) {
    if (other.machine != entry.machine || other.problem != entry.problem) continue;
    if (entry.seconds < other.seconds) other = std::move(entry);
    return;
  }
  known.entries.push_back(std::move(entry));
}

}  // namespace rooftune::study
