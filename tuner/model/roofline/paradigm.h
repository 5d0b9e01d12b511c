// Paradigms: ways for a program to get past a ceiling or wall (Williams, Waterman, Patterson, CACM
// 52(4), 2009). A ceiling requires some; a knob breaks a limit in lack of one.
#pragma once
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::core {
class ObjectReader;
}  // namespace rooftune::core
namespace rooftune::roofline {

/// In alphabetical order, so a set of them prints sorted.
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

/// The word of files and reports, and one sentence for people.
struct ParadigmRow {
  Paradigm paradigm;
  const char* word;
  const char* meaning;
};
/// All of them, in the order of the enum.
std::span<const ParadigmRow> paradigm_table();
std::vector<std::string> paradigm_words();

const char* to_text(Paradigm paradigm);

/// The words of a set or list, in its order.
template <class Range>
std::vector<std::string> words(const Range& paradigms) {
  std::vector<std::string> result;
  for (const Paradigm paradigm : paradigms) result.emplace_back(to_text(paradigm));
  return result;
}

/// Whether a knob able to break `breaks` suits a limit in lack of `lacks`.
bool breaks_one(const std::vector<Paradigm>& breaks, const Paradigms& lacks);

/// nullopt when the table has no such word.
std::optional<Paradigm> paradigm_of(const std::string& word);
/// The words of member `key`, a list, in the order of the file; an unknown one is a fault with a
/// suggestion.
std::vector<Paradigm> read_paradigms(ObjectReader& reader, const std::string& key);
/// The word of the required member `key`.
Paradigm read_paradigm(ObjectReader& reader, const std::string& key);

}  // namespace rooftune::roofline
