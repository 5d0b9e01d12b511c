#include "scaffold/fortran.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "core/text.h"

namespace rooftune::scaffold {
namespace {

constexpr const char *intent_in = "in", *intent_out = "out";
constexpr const char* assumed = ":";  ///< a side whose length the caller gives

using build::Statement;
using build::statements_of;

/// The module that the statement names behind `word`, "module" or "use"; empty: none.
std::string module_name(const Syntax& words, const char* word) {
  const size_t at = words.is(1, "::") ? 2 : words.is(1, ",") ? 4 : 1;
  const bool none = !words.is(0, word) || words.is(at, "procedure") || words.is(1, ",");
  return none ? "" : std::string(words[at].text);
}

/// Turns fixed form into free form, line by line.
std::string free_form(const std::string& fixed) {
  constexpr size_t mark = 5, end = 72;  // columns in fixed form
  Texts lines;
  size_t last = 0;  // the last line, which a continuation extends
  std::istringstream source(fixed);
  for (std::string line; std::getline(source, line); lines.push_back(line)) {
    const bool comment = !line.empty() && contains("cC*!", line[0]);
    const bool pragma = comment && lower_case(line.substr(1, 4)) == "$omp";
    if (comment) line[0] = '!';
    if ((comment && !pragma) || line.starts_with('#') || trimmed(line).empty()) continue;
    line.resize(std::min(line.size(), end));
    if (!contains(line, '\'') && !contains(line, '"'))
      line.erase(std::min(line.find('!', pragma ? 1 : 0), line.size()));
    if (line.size() > mark && !contains(" 0", line[mark])) {
      if (last < lines.size()) lines[last] += " &";
      line.replace(pragma ? mark : 0, pragma ? 1 : mark + 1, "  ");
    }
    last = lines.size();
  }
  return joined(lines, "\n") + "\n";
}

/// The file's text, preceded by the files with the modules that it uses; `own`: where its text
/// begins.
std::string with_modules(const fs::path& file, const Texts& flags, TextSet& known, size_t& own) {
  std::string text = preprocessed(file, flags).text, before;
  if (lower_case(file.extension().string()) == ".f") text = free_form(text);
  const auto statements = statements_of(text);
  for (const Statement& one : statements) known.insert(module_name(Syntax(one.text), "module"));
  Edits edits;
  for (const Statement& one : statements) {
    const std::string name = module_name(Syntax(one.text), "use");
    if (name.empty() || begins(name, "iso_ omp_lib") || known.contains(name)) continue;
    const fs::path folder = fs::absolute(file).parent_path();
    for (const fs::path& place : {folder, folder.parent_path()})
      for (const auto& entry : fs::directory_iterator(place)) {
        if (known.contains(name) || !entry.is_regular_file() ||
            build::language_of(entry.path()) != build::Language::fortran)
          continue;
        for (const Statement& other : statements_of(read_text(entry.path())))
          if (module_name(Syntax(other.text), "module") == name) {
            before += with_modules(entry.path(), flags, known, own);
            break;
          }
      }
    // Nobody has the module, but its names may not be needed.
    if (!known.contains(name)) edits.push_back({one.begin, one.end, ""});
  }
  own = before.size();
  return before + edited(text, std::move(edits));
}

class Subroutine {
 public:
  Subroutine(Sketch& sketch, const SourceName& from) : sketch_(sketch), from_(from) {
    TextSet known;
    text_ = with_modules(from.file, from.flags, known, own_);
    statements_ = statements_of(text_);
    for (const Statement& one : statements_) lines_.emplace_back(one.text);
    read_units();
    const std::string wanted = lower_case(from.function);
    Texts names;
    for (const Unit& one : units_) {
      if (!lines_[one.first].has("subroutine")) continue;
      names.push_back(one.name);
      if (one.name == wanted) unit_ = one;
    }
    if (unit_.name.empty())
      throw Error(fmt::format("defines no subroutine \"{}\"", from.function), from.file,
                  did_you_mean(wanted, names));
  }

  void take() {
    read_declarations();
    const Syntax& head = lines_[unit_.first];
    for (const auto& [begin, end] : head.parts_in(head.first_of("("))) {
      const std::string name(head[begin].text);
      const auto* found = value_at(declared_, name);
      if (!found || end != begin + 1)
        throw fault(fmt::format("dummy \"{}\" has no declaration that a kernel can have", name));
      constants_.erase(name);
      sketch_.arguments.push_back(argument(name, *found));
    }
    for (size_t i = unit_.first; i < unit_.last; ++i)
      if (const Statement& one = statements_[i]; one.is_pragma())
        sketch_.knobs.take(openmp_of_fortran, one.text, one.begin, one.end, line(one));
    sketch_.function = unit_.name;
    sketch_.extension = ".f90";
    sketch_.origin = unit_.name + " of " + file_name(from_.file);
    sketch_.take_text(text_, unreached());
  }

 private:
  /// A procedure or main program: statements [first, last].
  struct Unit {
    std::string name;
    size_t first = 0, last = 0;
  };
  struct Declared {
    std::optional<ElementType> type;
    Texts sides;  ///< empty: any number
    Names lows;   ///< names in lower bounds
    std::string intent;
  };

  void read_units() {
    constexpr const char* kinds = "subroutine function program";
    int depth = 0;  // of procedures in procedures
    bool interface = false;
    for (const size_t i : indices(lines_)) {
      const Syntax& words = lines_[i];
      const bool ends = words[0].text.starts_with("end");
      if (words.is(0, "interface endinterface") || words.is(1, "interface")) interface = !ends;
      if (interface || statements_[i].is_pragma()) continue;
      const std::string last = ends ? words.spelt(0, 2).substr(3) : "";
      const bool closes = last.empty() ? ends : begins(trimmed(last), kinds);
      if (closes && depth > 0 && --depth == 0) units_.back().last = i;
      const size_t at = words.first_of(kinds);
      const bool opens =
          words[at + 1].is_word() && (words.is(at + 2, "(") || at + 2 == words.size());
      if (!ends && at < 9 && opens && depth++ == 0)
        units_.push_back({std::string(words[at + 1].text), i, i});
    }
  }

  /// The line number in the user's file, whatever modules stand before it.
  int64_t line(const Statement& one) const {
    return 1 + std::ranges::count(std::string_view(text_).substr(own_, one.begin - own_), '\n');
  }

  Error fault(const std::string& what) const {
    return {what, from_.file.string(),
            "a kernel takes numbers and arrays of explicit shape, a(n, m): write a subroutine that "
            "is given these, and calls it"};
  }

  /// A kind's size [B]: 8, c_double, or a parameter.
  int kind(const std::string& text) const {
    if (const auto number = value_of(text)) return int(*number);
    if (any_word("double 64 long d0 15 size_t", [&](auto part) { return contains(text, part); }))
      return 8;
    const auto* constant = value_at(constants_, text);
    return constant ? kind(*constant) : 4;
  }

  static bool is_declaration(const Syntax& words) {
    return words.is(0, "integer real double complex logical character type class dimension") &&
           !words.is(1, "=");
  }

  /// `at`: behind the type.
  std::optional<ElementType> type_of(const Syntax& words, size_t& at) const {
    static const ByName<Element> floating = {{"real4", Element::float32},
                                             {"real8", Element::float64},
                                             {"double8", Element::float64},
                                             {"complex4", Element::complex_float},
                                             {"complex8", Element::complex_double}};
    const std::string name(words[0].text);
    const bool is_double = words.is(0, "double");
    at = is_double ? 2 : 1;
    int bytes = is_double ? 8 : 4;
    if (words.is(at, "*")) {
      bytes = kind(std::string(words[at + 1].text)) / (words.is(0, "complex") ? 2 : 1);
      at += 2;
    } else if (words.is(at, "(")) {
      const size_t close = words.partner(at);
      bytes = kind(words.spelt(at + (words.is(at + 2, "=") ? 3 : 1), close));
      at = close + 1;
    }
    if (words.is(0, "integer logical")) return ElementType::named(fmt::format("int{}", 8 * bytes));
    const auto* found = value_at(floating, name + std::to_string(bytes));
    return found ? std::optional<ElementType>(*found) : std::nullopt;
  }

  static void take_sides(Declared& one, const Syntax& words, size_t open) {
    constexpr const char *first = "1", *any = "*";
    one.sides.clear();
    for (const auto& [begin, end] : words.parts_in(open)) {
      const size_t colon = words.find(begin, end, ":");
      const std::string low = colon < end ? words.spelt(begin, colon) : first,
                        high = words.spelt(colon < end ? colon + 1 : begin, end);
      if (colon < end) words.add_words(one.lows, begin, colon);
      one.sides.push_back(high.empty()   ? assumed
                          : high == any  ? ""
                          : low == first ? high
                                         : fmt::format("({}) - ({}) + 1", high, low));
    }
  }

  /// Reads the modules' constants and everything that the subroutine declares.
  void read_declarations() {
    for (const size_t i : indices(lines_)) {
      const Syntax& words = lines_[i];
      if (!is_declaration(words)) continue;
      size_t at = 0;
      Declared common;
      common.type = type_of(words, at);
      bool constant = false;
      const size_t names = words.find(at, words.size(), "::");
      for (; names < words.size() && at < names; ++at) {
        constant = constant || words.is(at, "parameter");
        if (words.is(at, "intent")) common.intent = words.spelt(at + 2, words.partner(at + 1));
        if (words.is(at, "dimension")) take_sides(common, words, at + 1);
        if (words.is(at, "(")) at = words.partner(at);
      }
      if (names < words.size()) at = names + 1;
      for (const auto& [begin, end] : words.parts({at, words.size()})) {
        const std::string name(words[begin].text);
        const size_t equals = words.find(begin, end, "=");
        if (constant && equals < end) constants_[name] = words.spelt(equals + 1, end);
        if (i <= unit_.first || unit_.last <= i) continue;
        Declared& one = declared_[name] = common;
        if (words.is(begin + 1, "(")) take_sides(one, words, begin + 1);
      }
    }
  }

  SketchArgument argument(const std::string& name, const Declared& declared) {
    SketchArgument one;
    one.name = name;
    if (!declared.type) throw fault(fmt::format("dummy \"{}\" is no number and no array", name));
    if (contains(declared.sides, assumed))
      throw fault(fmt::format("dummy \"{}\" has an assumed shape", name));
    one.type = *declared.type;
    one.access = access(name, declared);
    one.array = !declared.sides.empty() || one.access != Argument::Access::read;
    if (!one.array) return one;
    one.set_count(declared.sides.empty() ? "1" : elements(declared.sides, constants_));
    for (const std::string_view low : declared.lows) sketch_.lows.emplace(low);
    return one;
  }

  Argument::Access access(const std::string& name, const Declared& declared) const {
    bool written = declared.intent == intent_out, read = !written && declared.intent == intent_in;
    const bool known = written || read;
    for (size_t i = unit_.first + 1; i < unit_.last && !known; ++i) {
      const Syntax& words = lines_[i];
      if (statements_[i].is_pragma() || words.is(0, "do") || is_declaration(words)) continue;
      const bool handed = words.has("call") && !declared.sides.empty();
      const size_t equals = words.find(0, words.size(), "=");
      for (const size_t k : indices(words)) {
        if (!words.is(k, name)) continue;
        const size_t behind = words.is(k + 1, "(") ? words.partner(k + 1) + 1 : k + 1;
        const bool assigned = behind == equals && equals < words.size();
        written = written || assigned || handed;
        read = read || !assigned;
      }
    }
    return !written ? Argument::Access::read
           : read   ? Argument::Access::update
                    : Argument::Access::write;
  }

  /// Edits that take out procedures which nothing reaches, and lists that name them.
  Edits unreached() const {
    Names words{unit_.name};
    std::set<const Unit*> kept;
    for (bool more = true; std::exchange(more, false);)
      for (const Unit& one : units_)
        if (words.contains(one.name) && kept.insert(&one).second) {
          more = true;
          for (size_t i = one.first; i <= one.last; ++i)
            lines_[i].add_words(words, 0, lines_[i].size());
        }
    Edits edits;
    for (const Unit& one : units_)
      if (!kept.contains(&one))
        edits.push_back({statements_[one.first].begin, statements_[one.last].end, ""});
    for (const size_t i : indices(lines_))
      if (lines_[i].is(0, "public private"))
        edits.push_back({statements_[i].begin, statements_[i].end, ""});
    return edits;
  }

  Sketch& sketch_;
  const SourceName& from_;
  std::string text_;
  size_t own_ = 0;  ///< where the user's file begins in it
  std::vector<Statement> statements_;
  std::vector<Syntax> lines_;  ///< the same as words
  std::vector<Unit> units_;
  Unit unit_;
  ByName<Declared> declared_;
  NamedTexts constants_;
};

}  // namespace

void take_subroutine(Sketch& sketch, const SourceName& from) { Subroutine(sketch, from).take(); }

}  // namespace rooftune::scaffold
