#include "roofline/paradigm.h"

#include <algorithm>
#include <array>

#include "core/json.h"

namespace rooftune::roofline {
namespace {

constexpr std::array<ParadigmRow, 20> table{{
    {Paradigm::balance, "balance", "every thread or block gets equal work"},
    {Paradigm::capacity, "capacity", "data is used again while a cache still holds it"},
    {Paradigm::coalesced, "coalesced", "the threads of a warp access neighbouring addresses"},
    {Paradigm::compulsory, "compulsory", "the data itself is smaller: format, precision, indices"},
    {Paradigm::conflict, "conflict", "addresses spread over the sets and banks of a memory"},
    {Paradigm::fma, "fma",
     "as many multiplications as additions, fused where the machine has the instruction"},
    {Paradigm::huge_pages, "huge_pages", "arrays lie in huge pages"},
    {Paradigm::ilp, "ilp", "independent operations are in flight at once"},
    {Paradigm::issue, "issue", "fewer instructions surround the arithmetic, or more issue at once"},
    {Paradigm::nt_store, "nt_store", "stores go past the caches"},
    {Paradigm::numa, "numa", "threads use the memory of their own NUMA node"},
    {Paradigm::occupancy, "occupancy", "enough warps reside on each multiprocessor"},
    {Paradigm::prefetch, "prefetch", "loads start before their data is needed"},
    {Paradigm::simd, "simd", "one instruction works on a whole vector"},
    {Paradigm::tensor, "tensor", "tensor cores multiply small matrices"},
    {Paradigm::tlb, "tlb", "few pages are in use at a time"},
    {Paradigm::tlp, "tlp", "all cores or hardware threads work"},
    {Paradigm::unit_stride, "unit_stride", "consecutive accesses go to consecutive addresses"},
    {Paradigm::work, "work", "fewer operations give the same result"},
    {Paradigm::write_allocate, "write_allocate", "a line is not read before it is overwritten"},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (static_cast<std::size_t>(table[i].paradigm) != i) return false;
  return true;
}
static_assert(in_order(), "a row stands at the number of its paradigm");

std::string unknown(const std::string& word) { return "unknown paradigm \"" + excerpt(word) + '"'; }

}  // namespace

std::span<const ParadigmRow> paradigm_table() { return table; }

const char* to_text(Paradigm paradigm) { return table[static_cast<std::size_t>(paradigm)].word; }

std::vector<std::string> paradigm_words() {
  std::vector<std::string> result;
  for (const ParadigmRow& row : table) result.emplace_back(row.word);
  return result;
}

bool breaks_one(const std::vector<Paradigm>& breaks, const Paradigms& lacks) {
  return std::any_of(breaks.begin(), breaks.end(),
                     [&](Paradigm paradigm) { return lacks.contains(paradigm); });
}

std::optional<Paradigm> paradigm_of(const std::string& word) {
  for (const ParadigmRow& row : table)
    if (word == row.word) return row.paradigm;
  return std::nullopt;
}

std::vector<Paradigm> read_paradigms(ObjectReader& reader, const std::string& key) {
  std::vector<Paradigm> result;
  const std::vector<std::string> given = reader.texts(key);
  for (std::size_t i = 0; i < given.size(); ++i)
    if (const auto known = paradigm_of(given[i]))
      result.push_back(*known);
    else
      reader.fault(key, i, unknown(given[i]), did_you_mean(given[i], paradigm_words()));
  return result;
}

Paradigm read_paradigm(ObjectReader& reader, const std::string& key) {
  const std::string word = reader.text(key);
  const auto known = paradigm_of(word);
  if (!known && reader.has(key))
    reader.fault(key, unknown(word), did_you_mean(word, paradigm_words()));
  return known.value_or(Paradigm{});
}

}  // namespace rooftune::roofline
