// The knobs of loops: pragmas in front of them, and in the user's own.
#include <fmt/format.h>

#include <algorithm>

#include "core/list.h"
#include "scaffold/function.h"

namespace rooftune::scaffold {
namespace {

Texts clauses(const Token& directive) {
  return clauses_of(directive.text.substr(directive.text.find("omp") + 3));
}

bool has(const Texts& all, const std::string& name) {
  return std::ranges::any_of(
      all, [&](const std::string& one) { return one == name || one.starts_with(name + "("); });
}

std::string list(const char* clause, const Texts& names) {
  return names.empty() ? "" : fmt::format(" {}({})", clause, fmt::join(names, ", "));
}

std::string collapsed(int most) {
  return most > 1 ? fmt::format(" collapse(KNOB_COLLAPSE > {0} ? {0} : KNOB_COLLAPSE)", most) : "";
}

}  // namespace

Texts clauses_of(std::string_view directive) {
  const Tokens words = tokens_of(directive);
  Texts all;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].is(",")) continue;
    const size_t end = words[i + 1].is("(") ? closing(words, i + 1) + 1 : i + 1;
    all.push_back(joined(words, i, end));
    i = end - 1;
  }
  return all;
}

std::string kept_clauses(const Texts& clauses) {
  std::string words;
  for (const std::string& one : clauses) {
    if (!begins(one, "num_threads( simdlen( collapse( schedule(")) words += " " + one;
  }
  return words;
}

void LoopNest::Pragmas::add(const Pragmas& other) {
  parallel = parallel || other.parallel;
  schedule = schedule || other.schedule;
  simd = simd || other.simd;
  unroll = unroll || other.unroll;
  collapse = std::max(collapse, other.collapse);
}

/// The loop that is all of a loop's body, its ends the same in each pass; nullptr: there is none.
const LoopText* LoopNest::nested(const LoopText& loop) const {
  const size_t first = loop.body + (tokens_[loop.body].is("{") ? 1 : 0);
  for (const LoopText& inner : loops_) {
    if (inner.begin != first || inner.pragma > 0 || inner.variable.empty()) continue;
    if (inner.end + (first > loop.body ? 1 : 0) != loop.end) return nullptr;
    for (size_t i = inner.begin; i < inner.body; ++i)
      if (tokens_[i].is(loop.variable)) return nullptr;
    return &inner;
  }
  return nullptr;
}

/// How many loops may be one: those of the user's pragma, or those that are independent.
int LoopNest::depth(const LoopText& loop) const {
  if (loop.pragma > 0) {
    for (const std::string& clause : clauses(tokens_[loop.pragma]))
      if (clause.starts_with("collapse("))
        return static_cast<int>(value_of(clause.substr(8), lookup_in({})).value_or(1));
    return 1;
  }
  const LoopText* const inner = nested(loop);
  return inner && dependence(*inner).empty() ? 2 : 1;
}

/// The loop whose pragma may take this one along, as its `level`-th.
const LoopText* LoopNest::collapser(const LoopText& loop, int& level) const {
  for (const LoopText& outer : loops_) {
    if (!(outer.body <= loop.begin && loop.end <= outer.end)) continue;
    level = 1;
    for (const LoopText* inner = &outer; inner; inner = nested(*inner), ++level)
      if (inner == &loop && level <= pragmas(outer).collapse) return &outer;
  }
  return nullptr;
}

bool LoopNest::inside_parallel(const LoopText& loop) const {
  return std::ranges::any_of(loops_, [&](const LoopText& outer) {
    return outer.body <= loop.begin && loop.end <= outer.end && pragmas(outer).parallel;
  });
}

LoopNest::Pragmas LoopNest::pragmas(const LoopText& loop) const {
  Pragmas result;
  if (loop.pragma > 0) {
    const auto all = clauses(tokens_[loop.pragma]);
    if (has(all, "target") || has(all, "ordered")) return result;
    result.parallel = has(all, "for");
    result.schedule = result.parallel;
    result.simd = loop.innermost && dependence(loop).empty();
    result.collapse = depth(loop);
    return result;
  }
  const bool independent = dependence(loop).empty();
  // A loop over steps in time leaves the pragma to the loop inside, but not to a few vectors.
  result.parallel = result.schedule =
      independent && !in_region_ && (loop.outermost || !loop.innermost) && !inside_parallel(loop);
  result.simd =
      loop.innermost && independent &&
      std::ranges::none_of(privates(loop), [&](auto& one) { return uses_.contains(one); });
  result.unroll = loop.innermost && !result.parallel;
  if (result.parallel) result.collapse = depth(loop);
  return result;
}

/// The user's directive with the knobs in place of its own clauses.
Edit LoopNest::pragma_changed(const LoopText& loop) const {
  const Token& directive = tokens_[loop.pragma];
  const Pragmas use = pragmas(loop);
  std::string words = kept_clauses(clauses(directive));
  if (use.schedule) words += " schedule(runtime)";
  words += collapsed(use.collapse);
  std::string text = "#pragma omp" + words;
  if (use.simd) {
    std::string vector = words;
    if (!has(clauses(directive), "simd")) vector.insert(vector.find(" for") + 4, " simd");
    text = fmt::format("#if KNOB_SIMD > 1\n#pragma omp{} simdlen(KNOB_SIMD)\n#else\n{}\n#endif",
                       vector, text);
  }
  return {directive.begin, directive.end(), text};
}

std::string LoopNest::pragma_lines(const LoopText& loop) const {
  const Pragmas use = pragmas(loop);
  const std::string parallel = use.parallel ? " parallel for" : "";
  const std::string clause =
      (use.parallel ? " schedule(runtime)" : "") +
      list("reduction", sums(loop).empty()
                            ? Texts()
                            : std::vector{fmt::format("+ : {}", fmt::join(sums(loop), ", "))}) +
      list("private", privates(loop)) + collapsed(use.collapse);
  const std::string plain = use.parallel ? "#pragma omp parallel for" + clause + "\n" : "";
  int level = 0;
  const LoopText* const outer = collapser(loop, level);
  const std::string taken = outer ? fmt::format(" && KNOB_COLLAPSE < {}", level) : "";
  std::string lines;
  if (use.simd)
    lines = fmt::format("#if KNOB_SIMD > 1{}\n#pragma omp{} simd{} simdlen(KNOB_SIMD)\n", taken,
                        parallel, clause);
  if (use.unroll)
    lines += fmt::format("#{} KNOB_UNROLL > 1{}\nPRAGMA(GCC unroll KNOB_UNROLL)\n",
                         use.simd ? "elif" : "if", taken);
  if (!lines.empty() && !plain.empty()) lines += "#else\n" + plain;
  return lines.empty() ? plain : lines + "#endif\n";
}

std::vector<Edit> LoopNest::pragma_edits(const std::string& source) const {
  std::vector<Edit> edits;
  for (const LoopText& loop : loops_) {
    if (!pragmas(loop).any()) continue;
    if (loop.pragma > 0) {
      edits.push_back(pragma_changed(loop));
      continue;
    }
    // A line of its own, whatever stands before the loop.
    const size_t at = tokens_[loop.begin].begin;
    const size_t line = source.rfind('\n', at) + 1;
    const bool alone = source.find_first_not_of(" \t", line) == at;
    edits.push_back(
        {alone ? line : at, alone ? line : at, (alone ? "" : "\n") + pragma_lines(loop)});
  }
  // The knob of the threads decides.
  for (size_t i = function_.open; i < function_.close; ++i)
    if (tokens_[i].is("omp_set_num_threads"))
      edits.push_back({tokens_[i].begin, tokens_[closing(tokens_, i + 1)].end(), "(void)0"});
  return edits;
}

}  // namespace rooftune::scaffold
