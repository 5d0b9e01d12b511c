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

using build::Statement;
using build::statements_of;

/// A procedure or main program: statements [first, last].
struct Unit {
  std::string name;
  size_t first = 0, last = 0;
};

std::vector<Unit> units_of(const std::vector<Statement>& statements) {
  std::vector<Unit> all;
  int depth = 0;  // of procedures in procedures
  bool interface = false;
  for (const size_t i : indices(statements)) {
    const Tokens words = tokens_of(statements[i].text);
    const bool ends = words[0].text.starts_with("end");
    if (words[0].is("interface endinterface") || words[1].is("interface")) interface = !ends;
    if (interface || statements[i].is_pragma()) continue;
    const std::string last =
        ends ? std::string(words[0].text.substr(3)) + std::string(words[1].text) : "";
    const bool closes =
        (words.size() == 1 && words[0].is("end")) || begins(last, "subroutine function program");
    if (closes && depth > 0 && --depth == 0) all.back().last = i;
    for (size_t k = 0; !ends && k + 1 < words.size() && k < 6; ++k)
      if (words[k].is("subroutine function program") && words[k + 1].is_word() &&
          (words[k + 2].is("(") || k + 2 >= words.size())) {
        if (depth++ == 0) all.push_back({std::string(words[k + 1].text), i, i});
        break;
      }
  }
  return all;
}

/// The module that the statement names behind `word`, "module" or "use"; empty: none.
std::string module_name(const Statement& statement, const char* word) {
  const Tokens words = tokens_of(statement.text);
  if (!words[0].is(word)) return {};
  const size_t at = words[1].is("::") ? 2 : words[1].is(",") ? 4 : 1;
  return words[at].is("procedure") || words[1].is(",") ? "" : std::string(words[at].text);
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
  return fmt::format("{}\n", joined(lines, "\n"));
}

/// The file's text, preceded by the files with the modules that it uses; `own`: where its text
/// begins.
std::string with_modules(const fs::path& file, const Texts& flags, TextSet& known, size_t& own) {
  std::string text = preprocessed(file, flags).text, before;
  if (lower_case(file.extension().string()) == ".f") text = free_form(text);
  const auto statements = statements_of(text);
  for (const Statement& one : statements) known.insert(module_name(one, "module"));
  std::vector<Edit> edits;
  for (const Statement& one : statements) {
    const std::string name = module_name(one, "use");
    if (name.empty() || begins(name, "iso_ omp_lib") || known.contains(name)) continue;
    const fs::path folder = fs::absolute(file).parent_path();
    for (const fs::path& place : {folder, folder.parent_path()})
      for (const auto& entry : fs::directory_iterator(place)) {
        if (known.contains(name) || !entry.is_regular_file() ||
            build::language_of(entry.path()) != build::Language::fortran)
          continue;
        for (const Statement& other : statements_of(read_text(entry.path())))
          if (module_name(other, "module") == name) {
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

bool is_declaration(const Tokens& words) {
  return words[0].is("integer real double complex logical character type class dimension") &&
         !words[1].is("=");
}

class Subroutine {
 public:
  Subroutine(Sketch& sketch, const SourceName& from) : sketch_(sketch), from_(from) {
    TextSet known;
    text_ = with_modules(from.file, from.flags, known, own_);
    statements_ = statements_of(text_);
    units_ = units_of(statements_);
    const std::string wanted = lower_case(from.function);
    Texts names;
    for (const Unit& one : units_) {
      names.push_back(one.name);
      if (one.name == wanted) unit_ = one;
    }
    if (unit_.name.empty())
      throw Error(fmt::format("defines no subroutine \"{}\"", from.function), from.file,
                  did_you_mean(wanted, names));
  }

  void take() {
    read_declarations();
    const Tokens head = tokens_of(statements_[unit_.first].text);
    for (const auto& [begin, end] : parts_of(head, first_of(head, 0, head.size(), "("))) {
      const std::string name(head[begin].text);
      const auto* found = value_at(declared_, name);
      if (!found || end != begin + 1)
        throw fault(fmt::format("dummy \"{}\" has no declaration that a kernel can have", name));
      sketch_.arguments.push_back(argument(name, *found));
    }
    for (size_t i = unit_.first; i < unit_.last; ++i)
      if (const Statement& one = statements_[i]; one.is_pragma())
        sketch_.knobs.take(openmp_of_fortran, one.text, one.begin, one.end, line(one));
    std::vector<Edit> reached = unreached(), edits = sketch_.knobs.edits;
    append(edits, reached);
    sketch_.function = unit_.name;
    sketch_.extension = ".f90";
    sketch_.origin = fmt::format("{} of {}", unit_.name, file_name(from_.file));
    sketch_.reference = fmt::format("! {}: every variant is compared with it.\n{}", sketch_.origin,
                                    edited(text_, std::move(reached)));
    sketch_.variant =
        fmt::format("! {}, with knobs.\n{}", sketch_.origin, edited(text_, std::move(edits)));
  }

 private:
  struct Declared {
    std::optional<ElementType> type;
    Texts low, high;  ///< each side's
    std::string intent;
  };

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

  std::optional<ElementType> type_of(const Tokens& words, size_t& at) const {
    const std::string name(words[0].text);
    at = 1;
    int bytes = name == "double" ? 8 : 4;
    if (name == "double") ++at;
    if (words[at].is("*")) {
      bytes = int(value_of(std::string(words[at + 1].text)).value_or(4));
      if (name == "complex") bytes /= 2;
      at += 2;
    } else if (words[at].is("(")) {
      const size_t close = closing(words, at), from = words[at + 2].is("=") ? at + 3 : at + 1;
      bytes = kind(spelt(words, from, close));
      at = close + 1;
    }
    if (name == "integer" || name == "logical")
      return ElementType::named(fmt::format("int{}", 8 * bytes));
    if (name == "complex") return bytes == 8 ? Element::complex_double : Element::complex_float;
    if (name == "real" || name == "double") return bytes == 8 ? Element::float64 : Element::float32;
    return std::nullopt;
  }

  void take_sides(Declared& one, const Tokens& words, size_t open) const {
    one.low.clear();
    one.high.clear();
    for (const auto& [begin, end] : parts_of(words, open)) {
      const size_t colon = first_of(words, begin, end, ":");
      one.low.push_back(colon < end ? spelt(words, begin, colon) : "1");
      one.high.push_back(spelt(words, colon < end ? colon + 1 : begin, end));
    }
  }

  /// Reads the modules' constants and everything that the subroutine declares.
  void read_declarations() {
    for (const size_t i : indices(statements_)) {
      const Tokens words = tokens_of(statements_[i].text);
      if (!is_declaration(words)) continue;
      size_t at = 0;
      Declared common;
      common.type = type_of(words, at);
      bool constant = false;
      size_t names = first_of(words, at, words.size(), "::");
      for (; names < words.size() && at < names; ++at) {
        constant = constant || words[at].is("parameter");
        if (words[at].is("intent")) common.intent = spelt(words, at + 2, closing(words, at + 1));
        if (words[at].is("dimension")) take_sides(common, words, at + 1);
        if (words[at].is("(")) at = closing(words, at);
      }
      if (names < words.size()) at = names + 1;
      const bool own = unit_.first < i && i < unit_.last;
      for (size_t end = at; at < words.size(); at = end + 1) {
        end = first_of(words, at, words.size(), ",");
        const std::string name(words[at].text);
        const size_t equals = first_of(words, at, end, "=");
        if (constant && equals < end) constants_[name] = spelt(words, equals + 1, end);
        if (!own) continue;
        Declared one = common;
        if (words[at + 1].is("(")) take_sides(one, words, at + 1);
        declared_[name] = one;
      }
    }
  }

  /// Replaces constants in the formula by what they stand for.
  std::string resolved(const std::string& formula) const {
    std::string result;
    for (const Token& one : tokens_of(formula)) {
      const auto constant = constants_.find(std::string(one.text));
      result += constant == constants_.end() || declared_.contains(constant->first)
                    ? std::string(one.text) + " "
                    : fmt::format("({}) ", resolved(constant->second));
    }
    return result;
  }

  SketchArgument argument(const std::string& name, const Declared& declared) {
    SketchArgument one;
    one.name = name;
    if (!declared.type) throw fault(fmt::format("dummy \"{}\" is no number and no array", name));
    one.type = *declared.type;
    one.access = access(name, declared.intent);
    one.array = !declared.high.empty() || one.access != Argument::Access::read;
    if (!one.array) return one;
    for (const size_t i : indices(declared.high)) {
      const std::string &low = declared.low[i], &high = declared.high[i];
      if (high.empty()) throw fault(fmt::format("dummy \"{}\" has an assumed shape", name));
      one.to_fill_in = one.to_fill_in || high == "*";
      one.count += (i > 0 ? "*" : "") +
                   (low == "1" ? fmt::format("({})", resolved(high))
                               : fmt::format("(({}) - ({}) + 1)", resolved(high), resolved(low)));
      for (const Token& word : tokens_of(low))
        if (word.is_word()) sketch_.lows.emplace(word.text);
    }
    if (one.to_fill_in)
      one.count = "elements_of_" + name;
    else
      one.count = trimmed(one.count.empty() ? "1" : formula_of(one.count));
    return one;
  }

  Argument::Access access(const std::string& name, const std::string& intent) const {
    if (intent == "in") return Argument::Access::read;
    if (intent == "out") return Argument::Access::write;
    bool written = false, read = false;
    for (size_t i = unit_.first + 1; i < unit_.last; ++i) {
      const Tokens words = tokens_of(statements_[i].text);
      if (statements_[i].is_pragma() || words[0].is("do") || is_declaration(words)) continue;
      const bool calls = words.has("call");
      const size_t equals = first_of(words, 0, words.size(), "=");
      for (const size_t k : indices(words)) {
        if (!words[k].is(name)) continue;
        const size_t behind = words[k + 1].is("(") ? closing(words, k + 1) + 1 : k + 1;
        const bool assigned = behind == equals && equals < words.size();
        const bool handed = calls && !declared_.at(name).high.empty();
        written = written || assigned || handed;
        read = read || !assigned;
      }
    }
    return !written ? Argument::Access::read
           : read   ? Argument::Access::update
                    : Argument::Access::write;
  }

  /// Edits that take out procedures which nothing reaches, and lists that name them.
  std::vector<Edit> unreached() const {
    std::set<std::string, std::less<>> words;
    std::set<const Unit*> kept;
    const auto keep = [&](const Unit& unit) {
      kept.insert(&unit);
      for (size_t i = unit.first; i <= unit.last; ++i)
        for (const Token& one : tokens_of(statements_[i].text)) words.emplace(one.text);
    };
    words.insert(unit_.name);
    for (bool more = true; std::exchange(more, false);)
      for (const Unit& one : units_)
        if (!kept.contains(&one) && words.contains(one.name)) {
          keep(one);
          more = true;
        }
    std::vector<Edit> edits;
    for (const Unit& one : units_)
      if (!kept.contains(&one))
        edits.push_back({statements_[one.first].begin, statements_[one.last].end, ""});
    for (const Statement& one : statements_)
      if (one.begins("public private")) edits.push_back({one.begin, one.end, ""});
    return edits;
  }

  Sketch& sketch_;
  const SourceName& from_;
  std::string text_;
  size_t own_ = 0;  ///< where the user's file begins in it
  std::vector<Statement> statements_;
  std::vector<Unit> units_;
  Unit unit_;
  ByName<Declared> declared_;
  NamedTexts constants_;
};

}  // namespace

void take_subroutine(Sketch& sketch, const SourceName& from) { Subroutine(sketch, from).take(); }

}  // namespace rooftune::scaffold
