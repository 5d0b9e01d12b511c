// Paradigms: ways for a program to get past a ceiling or wall (Williams, Waterman, Patterson, CACM
// 52(4), 2009). A ceiling requires some; a knob breaks a limit in lack of one.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "core/fields.h"

namespace rooftune::roofline {

/// In alphabetical order, so a set of them prints sorted. docs/formats.md explains each.
enum class Paradigm {
  balance,
  capacity,
  coalesced,
  compulsory,
  conflict,
  fma,
  huge_pages,
  ilp,
  issue,
  nt_store,
  numa,
  occupancy,
  prefetch,
  simd,
  tensor,
  tlb,
  tlp,
  unit_stride,
  work,
  write_allocate,
};
using Paradigms = std::set<Paradigm>;

inline Words words(Paradigm) {
  static constexpr const char* all[] = {
      "balance", "capacity", "coalesced", "compulsory",  "conflict",  "fma",           "huge_pages",
      "ilp",     "issue",    "nt_store",  "numa",        "occupancy", "prefetch",      "simd",
      "tensor",  "tlb",      "tlp",       "unit_stride", "work",      "write_allocate"};
  return all;
}
/// An unknown one is a fault with a suggestion.
void decode(const Json& json, const Place& place, Paradigm& paradigm);

/// The words of a set or list, in its order.
template <class Range>
std::vector<std::string> words(const Range& paradigms) {
  std::vector<std::string> result;
  for (const Paradigm paradigm : paradigms) result.emplace_back(to_text(paradigm));
  return result;
}

/// Whether a knob able to break `breaks` suits a limit in lack of `lacks`.
bool breaks_one(const std::vector<Paradigm>& breaks, const Paradigms& lacks);

}  // namespace rooftune::roofline
