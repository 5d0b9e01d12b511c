// The loops of a function, what they do to its arrays, and their pragmas.
#include <fmt/format.h>

#include <algorithm>

#include "scaffold/function.h"

namespace rooftune::scaffold {
namespace {

bool assigns(const Token& mark) {
  static const std::set<std::string_view> all = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};
  return mark.kind == Token::Kind::mark && all.contains(mark.text);
}

/// Calls that read their arguments only.
bool is_pure(std::string_view word) {
  static const std::set<std::string_view> all = {
      "abs",   "fabs",   "fabsf",       "sqrt",   "sqrtf", "exp",    "expf",  "log",
      "logf",  "sin",    "sinf",        "cos",    "cosf",  "tan",    "tanh",  "pow",
      "powf",  "min",    "max",         "fmin",   "fmax",  "fma",    "floor", "ceil",
      "round", "hypot",  "cbrt",        "atan",   "atan2", "sizeof", "if",    "for",
      "while", "switch", "static_cast", "double", "float", "int",    "long",  "size_t"};
  return all.contains(word);
}

/// Behind the statement or block that begins at `at`.
std::size_t statement_end(const Tokens& tokens, std::size_t at) {
  if (at >= tokens.size()) return tokens.size();
  if (tokens[at].is("{")) return closing(tokens, at) + 1;
  const bool headed = tokens[at].is("for") || tokens[at].is("if") || tokens[at].is("while");
  if (headed && at + 1 < tokens.size()) {
    std::size_t end = statement_end(tokens, closing(tokens, at + 1) + 1);
    if (tokens[at].is("if") && end < tokens.size() && tokens[end].is("else"))
      end = statement_end(tokens, end + 1);
    return end;
  }
  return std::min(first_of(tokens, at, tokens.size(), {";"}) + 1, tokens.size());
}

/// The tokens [begin, end) that are names of variables defined there: a and b of "double a = f(1,
/// 2), b;".
std::set<std::size_t> defined_names(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::set<std::size_t> names;
  for (std::size_t i = begin; i + 1 < end; ++i) {
    const Token& before = tokens[i - 1];
    if (!tokens[i].is_word() || !before.is_word() || before.is("return") || before.is("else") ||
        tokens[i + 1].is_word())
      continue;
    names.insert(i);
    for (std::size_t at = i; (at = first_of(tokens, at + 1, end, {",", ";", ")"})) < end;) {
      if (!tokens[at].is(",")) break;
      names.insert(at + 1);
    }
  }
  return names;
}

bool has_word(const std::string& text, const std::string& word) {
  return std::ranges::any_of(tokens_of(text), [&](const Token& one) { return one.is(word); });
}

}  // namespace

LoopNest::LoopNest(const Tokens& tokens, const FunctionSource& function)
    : tokens_(tokens), function_(function), short_(tokens) {
  find_loops();
  find_uses();
  find_locals();
}

void LoopNest::find_loops() {
  for (std::size_t i = function_.open; i < function_.close; ++i) {
    if (tokens_[i].kind == Token::Kind::directive &&
        tokens_[i].text.find("omp") != std::string_view::npos)
      has_pragmas_ = true;
    if (!tokens_[i].is("for") || i + 1 >= function_.close) continue;
    LoopText loop = loop_at(i);
    for (LoopText& outer : loops_)
      if (outer.body <= i && i < outer.end) {
        outer.innermost = false;
        loop.outermost = false;
      }
    loops_.push_back(std::move(loop));
  }
}

LoopText LoopNest::loop_at(std::size_t token) const {
  LoopText loop;
  loop.begin = token;
  const std::size_t close = closing(tokens_, token + 1);
  loop.body = close + 1;
  loop.end = statement_end(tokens_, loop.body);
  const std::size_t first = first_of(tokens_, token + 2, close, {";"}),
                    second = first_of(tokens_, first + 1, close, {";"}),
                    set = first_of(tokens_, token + 2, close, {"="}),
                    compared = first_of(tokens_, first + 1, close, {"<", "<=", ">=", ">", "!="});
  if (set >= first || compared >= second || !tokens_[set - 1].is_word()) return loop;
  loop.variable = tokens_[set - 1].text;
  if (!tokens_[first + 1].is(loop.variable) || compared != first + 2) return loop;
  const std::string start = joined(tokens_, set + 1, first);
  const std::string stop = joined(tokens_, compared + 1, second);
  const Token& sign = tokens_[compared];
  const bool down = sign.is(">") || sign.is(">=");
  const std::string last = sign.is("<") || sign.is("!=") ? "(" + stop + ") - 1"
                           : sign.is(">")                ? "(" + stop + ") + 1"
                                                         : "(" + stop + ")";
  loop.low = down ? last : start;
  loop.high = down ? start : last;
  return loop;
}

void LoopNest::find_uses() {
  for (std::size_t i = function_.open + 1; i < function_.close; ++i) {
    const auto parameter = std::ranges::find_if(
        function_.parameters,
        [&](const FunctionParameter& one) { return one.array && tokens_[i].is(one.name); });
    if (parameter == function_.parameters.end()) continue;
    ArrayUse use;
    use.token = i;
    std::size_t at = i + 1;
    while (tokens_[at].is("[")) {
      use.index.push_back(joined(tokens_, at + 1, closing(tokens_, at)));
      at = closing(tokens_, at) + 1;
    }
    const bool before = tokens_[i - 1].is("++") || tokens_[i - 1].is("--");
    use.written = use.index.empty() || assigns(tokens_[at]) || before;
    use.read = use.index.empty() || !tokens_[at].is("=");
    uses_[parameter->name].push_back(std::move(use));
  }
}

void LoopNest::find_locals() {
  const auto names = defined_names(tokens_, function_.open + 1, function_.close);
  for (std::size_t i = function_.open + 1; i + 1 < function_.close; ++i) {
    if (!tokens_[i].is_word()) continue;
    if (tokens_[i - 1].is("++") || tokens_[i - 1].is("--")) changed_.emplace(tokens_[i].text);
    if (!assigns(tokens_[i + 1])) continue;
    const std::string name(tokens_[i].text);
    const std::size_t end = first_of(tokens_, i + 2, function_.close, {";", ","});
    if (!names.contains(i) || !locals_.emplace(name, joined(tokens_, i + 2, end)).second)
      changed_.insert(name);
  }
  for (const LoopText& loop : loops_) changed_.insert(loop.variable);
  for (const std::string& name : changed_) locals_.erase(name);
}

bool LoopNest::only_written(const std::string& array) const {
  const auto found = uses_.find(array);
  return found != uses_.end() &&
         std::ranges::none_of(found->second, [](const ArrayUse& use) { return use.read; });
}

std::map<std::string, bool> LoopNest::changed_scalars(const LoopText& loop) const {
  std::set<std::string> own = {loop.variable};
  for (const std::size_t name : defined_names(tokens_, loop.body, loop.end))
    own.emplace(tokens_[name].text);
  std::map<std::string, bool> changed, others;
  for (std::size_t i = loop.body; i + 1 < loop.end; ++i) {
    const std::string name(tokens_[i].text);
    if (!tokens_[i].is_word() || own.contains(name) || uses_.contains(name)) continue;
    const bool adds = tokens_[i + 1].is("+=");
    if (!adds) others[name] = true;
    if (assigns(tokens_[i + 1]) || tokens_[i - 1].is("++") || tokens_[i - 1].is("--"))
      changed[name] = true;
  }
  for (auto& [name, adds] : changed) adds = !others.contains(name);
  return changed;
}

std::vector<std::string> LoopNest::sums(const LoopText& loop) const {
  std::vector<std::string> all;
  for (const auto& [name, adds] : changed_scalars(loop))
    if (adds) all.push_back(name);
  return all;
}

std::string LoopNest::dependence(const LoopText& loop) const {
  if (loop.variable.empty()) return "it is not counted";
  const auto inside = [&](std::size_t token) { return loop.body <= token && token < loop.end; };
  for (std::size_t i = loop.body; i < loop.end; ++i) {
    const Token& one = tokens_[i];
    if (one.is("break") || one.is("return") || one.is("goto"))
      return fmt::format("\"{}\" ends it", one.text);
    if (one.is_word() && tokens_[i + 1].is("(") && !is_pure(one.text) && !short_.has(one.text))
      return fmt::format("it calls {}", one.text);
    if (one.is("*") && tokens_[i + 1].is_word() && assigns(tokens_[i + 2]) &&
        (tokens_[i - 1].is(";") || tokens_[i - 1].is("{") || tokens_[i - 1].is(")")))
      return fmt::format("it writes through {}", tokens_[i + 1].text);
  }
  for (const auto& [scalar, adds] : changed_scalars(loop))
    if (!adds) return fmt::format("every pass changes {}", scalar);
  for (const auto& [array, uses] : uses_) {
    const auto write = std::ranges::find_if(
        uses, [&](const ArrayUse& use) { return inside(use.token) && use.written; });
    if (write == uses.end()) continue;
    if (write->index.empty()) return fmt::format("it hands {} on", array);
    std::string index;
    for (const std::string& side : write->index) index += short_.expanded(side) + " ";
    for (const auto& [name, text] : locals_)
      if (has_word(index, name)) index += " " + short_.expanded(text);
    if (!has_word(index, loop.variable))
      return fmt::format("every pass writes the same element of {}", array);
    if (index.find_first_of("[%/&>") != std::string::npos)
      return fmt::format("passes may meet in {}[{}]", array, write->index.front());
    for (const ArrayUse& use : uses)
      if (inside(use.token) && use.index != write->index)
        return fmt::format("{} is used at [{}] and written at [{}]", array,
                           fmt::join(use.index, "]["), fmt::join(write->index, "]["));
  }
  return {};
}

LoopNest::Pragmas LoopNest::pragmas(const LoopText& loop) const {
  Pragmas result;
  if (has_pragmas_) return result;
  const bool independent = (loop.outermost || loop.innermost) && dependence(loop).empty();
  result.parallel = loop.outermost && independent;
  result.simd = loop.innermost && independent;
  result.unroll = loop.innermost && !result.parallel;
  return result;
}

std::string LoopNest::with_pragmas(std::string_view source) const {
  std::string text(source);
  for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop) {
    const Pragmas use = pragmas(*loop);
    const std::string parallel = use.parallel ? " parallel for" : "";
    const std::vector<std::string> added = sums(*loop);
    const std::string clause =
        (use.parallel ? " schedule(runtime)" : "") +
        (added.empty() ? "" : fmt::format(" reduction(+ : {})", fmt::join(added, ", ")));
    const std::string plain = use.parallel ? "#pragma omp parallel for" + clause + "\n" : "";
    std::string lines;
    if (use.simd)
      lines = fmt::format("#if KNOB_SIMD > 1\n#pragma omp{} simd{} simdlen(KNOB_SIMD)\n", parallel,
                          clause);
    if (use.unroll)
      lines += fmt::format("#{} KNOB_UNROLL > 1\n#pragma GCC unroll KNOB_UNROLL\n",
                           use.simd ? "elif" : "if");
    if (!lines.empty() && !plain.empty()) lines += "#else\n" + plain;
    lines = lines.empty() ? plain : lines + "#endif\n";
    if (lines.empty()) continue;
    // A line of its own, whatever stands before the loop.
    const std::size_t at = tokens_[loop->begin].begin;
    const std::size_t line = text.rfind('\n', at) + 1;
    const bool alone = text.find_first_not_of(" \t", line) == at;
    text.insert(alone ? line : at, alone ? lines : "\n" + lines);
  }
  return text;
}

}  // namespace rooftune::scaffold
