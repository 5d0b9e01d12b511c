#include "scaffold/pragmas.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/list.h"
#include "scaffold/formulas.h"

namespace rooftune::scaffold {
namespace {

/// The clauses behind the sentinel: each word, and its brackets.
TextPairs clauses_of(std::string_view directive) {
  const Syntax words(directive.substr(directive.find("omp") + 3));
  TextPairs all;
  for (size_t i = 0, end = 0; i < words.size(); i = end) {
    end = words.is(i + 1, "(") ? words.partner(i + 1) + 1 : i + 1;
    if (!words.is(i, ",")) all.emplace_back(words.spelt(i, i + 1), words.spelt(i + 1, end));
  }
  return all;
}

/// Puts the pragma on its own line, whatever stands in front of the loop at `at`.
Edit unrolled(const std::string& source, size_t at) {
  const size_t line = source.rfind('\n', at) + 1;
  const bool alone = source.find_first_not_of(" \t", line) == at;
  const size_t begin = alone ? line : at;
  return {begin, begin,
          fmt::format("{}#if KNOB_UNROLL > 1\nPRAGMA(GCC unroll KNOB_UNROLL)\n#endif\n",
                      alone ? "" : "\n")};
}

}  // namespace

int LoopKnobs::take(const OpenMp& language, std::string_view directive, size_t begin, size_t end,
                    int64_t line) {
  const TextPairs all = clauses_of(directive);
  const auto clause = [&](const char* word) {
    return first_with(all, &TextPairs::value_type::first, word);
  };
  const bool dealt = clause(language.loop), vectors = clause("simd");
  const auto* given = clause("collapse");
  const int count = given ? int(value_of(given->second).value_or(1)) : 1;
  const int own = dealt || vectors || given ? count : 0;
  const bool foreign = clause("end") || clause("target") || clause("ordered");
  if (foreign || !(dealt || vectors || clause("parallel"))) return own;
  std::string text = language.sentinel;
  for (const auto& [word, brackets] : all)
    if (!is_among(word, "num_threads simdlen collapse schedule")) text += " " + word + brackets;
  if (dealt) text += " schedule(runtime)";
  if (const auto* chosen = clause("schedule")) first_schedule = Syntax(chosen->second)[1].text;
  if (count > 1)
    text += fmt::format(" collapse({})", fmt::format(fmt::runtime(language.collapse), count));
  if (vectors)
    text = fmt::format("#if KNOB_SIMD > 1\n{0} simdlen(KNOB_SIMD)\n#else\n{0}\n#endif", text);
  edits.push_back({begin, end, text});
  loops.push_back(fmt::format("line {}: your omp pragma with knobs", line));
  parallel = parallel || dealt || clause("parallel");
  schedule = schedule || dealt;
  simd = simd || vectors;
  collapse = std::max(collapse, count);
  return own;
}

LoopKnobs loop_knobs(const Syntax& syntax, const FunctionSource& function,
                     const SourceText& source) {
  LoopKnobs knobs;
  int taken = 0;  // loops that the last directive still owns
  for (size_t i = function.open; i < function.close; ++i) {
    const Token& one = syntax[i];
    const int64_t line = source.at(one.begin).number;
    if (one.kind == Token::Kind::directive && contains(one.text, " omp "))
      taken = knobs.take(openmp_of_c, one.text, one.begin, one.end(), line);
    // The thread knob decides.
    if (one.is("omp_set_num_threads"))
      knobs.edits.push_back({one.begin, syntax[syntax.partner(i + 1)].end(), "(void)0"});
    if (!one.is("for")) continue;
    if (taken > 0) {
      --taken;
      continue;
    }
    Names inner;
    const size_t body = syntax.partner(i + 1) + 1;
    syntax.add_words(inner, body, syntax.statement_end(body));
    if (inner.contains("for") || syntax[i - 1].kind == Token::Kind::directive) continue;
    knobs.unroll = true;
    knobs.edits.push_back(unrolled(source.text, one.begin));
    knobs.loops.push_back(fmt::format("line {}: unroll", line));
  }
  return knobs;
}

}  // namespace rooftune::scaffold
