// Paradigms: what a ceiling requires of a program, a wall lacks and a knob can bring.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "core/fields.h"
#include "core/list.h"

namespace rooftune::roofline {

/// In alphabetical order, so a set prints sorted. docs/formats.md explains each.
ROOFTUNE_ENUM(Paradigm, balance, capacity, coalesced, compulsory, conflict, fma, huge_pages, ilp,
              issue, nt_store, numa, occupancy, prefetch, simd, tensor, tlb, tlp, unit_stride, work,
              write_allocate)
using Paradigms = std::set<Paradigm>;

/// An unknown word is a fault with a suggestion.
void decode(const Place& place, Paradigm& paradigm);

/// A set's or list's words, in its order.
template <class Range>
Texts words(const Range& paradigms) {
  Texts result;
  for (const Paradigm paradigm : paradigms) result.emplace_back(to_text(paradigm));
  return result;
}

/// Whether a knob that can break `breaks` suits a limit that lacks `lacks`.
bool breaks_one(const std::vector<Paradigm>& breaks, const Paradigms& lacks);

}  // namespace rooftune::roofline
