#include "scaffold/pragmas.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/list.h"

namespace rooftune::scaffold {
namespace {

/// The clauses behind the sentinel, each word with its brackets.
Texts clauses_of(std::string_view directive) {
  const Tokens words = tokens_of(directive.substr(directive.find("omp") + 3));
  Texts all;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].is(",")) continue;
    const size_t end = words[i + 1].is("(") ? closing(words, i + 1) + 1 : i + 1;
    all.push_back(spelt(words, i, end));
    i = end - 1;
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
  const Texts all = clauses_of(directive);
  const auto argument = [&](const std::string& name) -> std::optional<std::string> {
    const auto* const found = first_where(
        all, [&](const std::string& one) { return one == name || one.starts_with(name + "("); });
    return found ? std::optional(found->substr(name.size())) : std::nullopt;
  };
  const bool dealt = argument(language.loop).has_value(), vectors = argument("simd").has_value();
  const auto given = argument("collapse");
  const int count = given ? int(value_of(*given).value_or(1)) : 1;
  const int own = dealt || vectors || given ? count : 0;
  const bool foreign = argument("end") || argument("target") || argument("ordered");
  if (foreign || !(dealt || vectors || argument("parallel"))) return own;
  std::string text = language.sentinel;
  for (const std::string& one : all)
    if (!begins(one, "num_threads( simdlen( collapse( schedule(")) text += " " + one;
  if (dealt) text += " schedule(runtime)";
  if (const auto chosen = argument("schedule")) first_schedule = tokens_of(*chosen)[1].text;
  if (count > 1)
    text += fmt::format(" collapse({})", fmt::format(fmt::runtime(language.collapse), count));
  if (vectors)
    text = fmt::format("#if KNOB_SIMD > 1\n{0} simdlen(KNOB_SIMD)\n#else\n{0}\n#endif", text);
  edits.push_back({begin, end, text});
  loops.push_back(fmt::format("line {}: your omp pragma with knobs", line));
  parallel = parallel || dealt || argument("parallel");
  schedule = schedule || dealt;
  simd = simd || vectors;
  collapse = std::max(collapse, count);
  return own;
}

LoopKnobs loop_knobs(const Tokens& tokens, const FunctionSource& function,
                     const SourceText& source) {
  LoopKnobs knobs;
  const auto line = [&](const Token& one) { return source.at(one.begin).number; };
  int taken = 0;  // loops that the last directive still owns
  for (size_t i = function.open; i < function.close; ++i) {
    const Token& one = tokens[i];
    if (one.kind == Token::Kind::directive && contains(one.text, " omp "))
      taken = knobs.take(openmp_of_c, one.text, one.begin, one.end(), line(one));
    // The thread knob decides.
    if (one.is("omp_set_num_threads"))
      knobs.edits.push_back({one.begin, tokens[closing(tokens, i + 1)].end(), "(void)0"});
    if (!one.is("for")) continue;
    if (taken > 0) {
      --taken;
      continue;
    }
    const size_t body = closing(tokens, i + 1) + 1, end = statement_end(tokens, body);
    const bool innermost =
        std::none_of(tokens.begin() + ptrdiff_t(body), tokens.begin() + ptrdiff_t(end),
                     [](const Token& inner) { return inner.is("for"); });
    if (!innermost || tokens[i - 1].kind == Token::Kind::directive) continue;
    knobs.unroll = true;
    knobs.edits.push_back(unrolled(source.text, one.begin));
    knobs.loops.push_back(fmt::format("line {}: unroll", line(one)));
  }
  return knobs;
}

}  // namespace rooftune::scaffold
