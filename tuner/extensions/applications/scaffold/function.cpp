#include "scaffold/function.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "core/file.h"
#include "scaffold/formulas.h"
#include "scaffold/reached.h"
#include "scaffold/uses.h"

namespace rooftune::scaffold {
namespace {

/// Finds one function in a file and turns it into one that a kernel can call: its parameters are
/// numbers and arrays, and the file keeps only what it reaches.
class FunctionReader {
 public:
  FunctionReader(const Syntax& syntax, const SourceText& source, const std::string& file)
      : syntax_(syntax),
        source_(source),
        file_(file),
        meanings_(syntax.meanings()),
        declarations_(syntax.declarations(0, syntax.size())) {}

  FunctionSource find(const std::string& given) {
    std::string wanted;
    bool is_argument = false;
    // "Stream<float>::copy", "scale<double, 4>".
    for (const Token& one : build::tokens_of(given))
      if (one.is("< >"))
        is_argument = one.is("<");
      else if (!is_argument)
        wanted += one.text;
      else if (!one.is(","))
        given_.emplace_back(one.text);
    std::vector<const Declaration*> found;
    Texts names, places;
    for (const Declaration& one : declarations_) {
      if (!one.is_definition()) continue;
      const std::string owner = one.owner > 0 ? text(one.owner) + "::" : "";
      names.push_back(one.scope + owner + text(one.name));
      if (!("::" + names.back()).ends_with("::" + wanted) && !is_around(one, wanted)) continue;
      found.push_back(&one);
      places.push_back(place(one.name));
    }
    if (found.empty()) throw absent(wanted, names);
    if (found.size() > 1)
      throw Error(
          fmt::format("defines {} functions \"{}\": {}", found.size(), wanted, joined(places)),
          file_, fmt::format("name one by its line, {}", places.front()));
    return read(*found.front());
  }

 private:
  std::string text(size_t token) const { return std::string(syntax_[token].text); }
  std::string place(size_t token) const { return source_.place(syntax_[token].begin); }
  void edit(size_t first, size_t last, const std::string& by) {
    function_.edit(syntax_, first, last, by);
  }
  auto declared_in(Range range) const { return declared(syntax_, range, meanings_); }

  /// Whether the function stands around line `number` in the file.
  bool is_around(const Declaration& one, const std::string& number) const {
    if (!is_only_of(number, "0123456789")) return false;
    const auto first = source_.at(syntax_[one.begin].begin),
               last = source_.at(syntax_[one.end - 1].begin);
    const int64_t line = std::stoll(number);
    return first.file == file_ && first.number <= line && line <= last.number;
  }

  Error absent(const std::string& wanted, const Texts& names) const {
    const std::string last = wanted.substr(wanted.rfind(':') + 1);
    for (const Declaration& one : declarations_)
      if (is_class(one))
        for (const Declaration& member : members_of(one.body))
          if (member.name > 0 && syntax_.is(member.name, last))
            return {fmt::format("\"{}\" is a function of a class", wanted), place(member.name),
                    capture_of(member.name)};
    std::string hint = did_you_mean(wanted, names);
    if (is_file(file_) && contains(read_text(file_), last))
      hint = fmt::format(
          "the file has the word: is it behind an #if? --cxxflags \"-D...\" gives "
          "the flags of its own build; {}",
          hint);
    return {fmt::format("defines no function \"{}\" outside of classes", wanted), file_, hint};
  }

  /// The lines that capture a call to the function with this name.
  std::string capture_of(size_t name) const {
    Texts given{text(name)};
    for (const Range& range : syntax_.parts_in(name + 1)) {
      const FunctionParameter one = declared_in(range).front();
      given.push_back(one.array ? fmt::format("ROOFTUNE_ARRAY({}, COUNT)", one.name) : one.name);
    }
    return fmt::format(
        "capture a call of it where your application makes one, with numbers and arrays in place "
        "of objects: #include <rooftune/capture.h> and ROOFTUNE_CAPTURE(1, {}); then tune new "
        "NAME --from capture",
        joined(given));
  }

  Error unfit(const std::string& what, const std::string& spelling, size_t token) const {
    return {
        fmt::format("{} is a {}, and a kernel takes numbers and arrays of them", what, spelling),
        place(token)};
  }

  FunctionSource read(const Declaration& one) {
    function_.name = text(one.name);
    function_.scope = one.scope;
    function_.open = one.body;
    function_.close = syntax_.partner(one.body);
    const size_t begin = syntax_.is(one.begin, "template") ? instantiate(one.begin) : one.begin;
    uses_ = uses_in(syntax_, function_.open, function_.close);
    try {
      const auto returned =
          typed(syntax_, {{begin, one.owner > 0 ? one.owner : one.name}}, meanings_);
      if (returned.c_type != "void" || returned.array) {
        if (!returned.fits || returned.array || returned.reference)
          throw unfit("the result of " + function_.name + "()", returned.spelling, begin);
        function_.returns = returned;
      }
      for (const auto& [from, to] : syntax_.parts_in(one.name + 1))
        if (!(to == from + 1 && syntax_.is(from, "void"))) take_parameter(from, to);
      if (one.owner > 0) take_members(one);
    } catch (const Error& error) {
      throw Error(error.message(), error.where(), capture_of(one.name));
    }
    function_.constants = meanings_;
    keep_reached(syntax_, declarations_, one, function_);
    for (const FunctionParameter& parameter : function_.parameters)
      function_.constants.erase(parameter.name);
    if (function_.parameters.empty())
      throw Error(fmt::format("\"{}\" has no parameters and no arrays of the file", function_.name),
                  place(one.name), "name a function of numbers and arrays of numbers");
    return std::move(function_);
  }

  /// Gives the parameters of the template at `begin` their values: the given ones, else double for
  /// each type. Returns the token behind the template's head.
  size_t instantiate(size_t begin) {
    std::string head;
    size_t at = begin + 1;
    for (size_t i = 0; !syntax_.is(at, ">"); ++i) {
      const size_t name = at + 2;
      const bool type = syntax_.is(at + 1, "class typename");
      at = syntax_.find(at + 1, syntax_.size(), ", >");
      if (at <= name || !syntax_[name].is_word() || (!type && i >= given_.size()))
        throw Error(fmt::format("\"{}\" is a template", function_.name), place(begin),
                    fmt::format("name an instance of it: {}<8>", function_.name));
      const std::string value = i < given_.size() ? given_[i] : "double";
      meanings_[text(name)] = value;
      head += type ? fmt::format("using {} = {};\n", text(name), value)
                   : fmt::format("constexpr {} {} = {};\n", text(name - 1), text(name), value);
    }
    edit(begin, at, head);
    return at + 1;
  }

  Declarations members_of(size_t brace) const {
    return syntax_.declarations(brace + 1, syntax_.partner(brace));
  }

  bool is_class(const Declaration& one) const {
    return one.name == 0 && syntax_.find(one.begin, one.body, "class struct") < one.body;
  }

  /// The brace of the class or structure that the token names; 0: it names none.
  size_t class_of(size_t token) const {
    const std::string name = text(token), meaning = copy_at(meanings_, name).value_or(name);
    // The last word: grid::Grid, struct Grid.
    const std::string last = meaning.substr(meaning.find_last_of(" :") + 1);
    for (const Declaration& one : declarations_)
      if (is_class(one) && (one.names.contains(name) || one.names.contains(last))) return one.body;
    return 0;
  }

  /// The members in `used` from the class at `brace`, as parameters.
  FunctionParameters members_of(size_t brace, const Names& used) const {
    FunctionParameters all;
    for (const Declaration& one : members_of(brace)) {
      const auto* const name =
          first_where(one.names, [&](std::string_view each) { return used.contains(each); });
      if (!name) continue;
      auto members = declared_in({one.begin, one.end - 1});
      if (one.name > 0 || !members.front().fits)
        throw Error(fmt::format("\"{}\" of its class is no number and no array: {}", *name,
                                syntax_.spelt(one.begin, one.end - 1)),
                    place(one.begin));
      for (FunctionParameter& member : members)
        if (used.contains(member.name)) all.push_back(std::move(member));
    }
    return all;
  }

  /// If a structure holds only numbers that share one type: its first member.
  std::optional<FunctionParameter> numbers_in(size_t brace) const {
    std::optional<FunctionParameter> first;
    for (const Declaration& one : members_of(brace))
      for (const FunctionParameter& member : declared_in({one.begin, one.end - 1})) {
        if (!first) first = member;
        const bool counted =
            !member.array || value_of(elements(member.sides, meanings_)).has_value();
        if (!member.fits || !counted || first->type != member.type) return std::nullopt;
      }
    return first;
  }

  /// Takes a parameter as the source has it, or what replaces it.
  void take_parameter(size_t from, size_t to) {
    FunctionParameter one = declared_in({from, to}).front();
    if (one.name.empty()) one.name = fmt::format("argument_{}", function_.parameters.size() + 1);
    size_t type = from;
    while (type + 1 < to && class_of(type) == 0) ++type;
    if (const size_t brace = class_of(type); brace > 0) {
      one.constant = syntax_.is(from, "const");
      if (take_object(one, brace, {from, to})) return;
      const auto number = numbers_in(brace);
      const bool plain = one.form == Form::plain && one.sides.empty();
      if (number && one.array && plain) {
        one.record = text(type);
        one.c_type = number->c_type;
        one.type = number->type;
        add(std::move(one));
        return;
      }
    }
    settle(one, from);
    const bool plain = one.form == Form::plain;
    const std::string declared = add(std::move(one));
    if (!plain) edit(from, to - 1, declared);
  }

  /// Turns the members that the function uses into parameters; false: it hands the object on.
  bool take_object(const FunctionParameter& object, size_t brace, Range range) {
    Names used;
    for (const Use& use : uses_) {
      if (use.object == object.name) used.insert(syntax_[use.end - 1].text);
      if (use.object.empty() && use.name == object.name) return false;
    }
    Texts declared;
    for (FunctionParameter& member : members_of(brace, used)) {
      const bool owned = member.form == Form::vector || !member.sides.empty();
      member.constant = member.constant || (owned && object.constant);
      declared.push_back(add(std::move(member), object.name));
    }
    if (declared.size() < used.size())
      throw Error(
          fmt::format("a member of \"{}\" is no number and no array of its class", object.name),
          place(brace));
    if (declared.empty()) declared.push_back(add({.name = object.name, .c_type = "int"}));
    edit(range.first, range.second - 1, joined(declared));
    return true;
  }

  /// Turns a member function into a free one: the members that it names become parameters.
  void take_members(const Declaration& one) {
    Names used;
    for (const Use& use : uses_)
      used.insert(syntax_[use.object.empty() ? use.end - 1 : use.at].text);
    used.erase(function_.name);
    std::string declared;
    if (const size_t brace = class_of(one.owner); brace > 0)
      for (FunctionParameter& member : members_of(brace, used)) {
        member.reference = !member.array && is_assigned({}, member.name);
        join(declared, add(std::move(member)));
      }
    const size_t close = syntax_.partner(one.name + 1);
    if (!declared.empty() && close > one.name + 2) declared = ", " + declared;
    edit(one.owner, one.name - 1, "");
    // The edit also drops a "const" behind the parentheses.
    function_.edits.push_back({syntax_[close].begin, syntax_[one.body].begin, declared + ") "});
  }

  bool is_assigned(const std::string& object, const std::string& name) const {
    return any_of(uses_, [&](const Use& use) {
      return use.object == object && use.name == name && use.assigned;
    });
  }

  /// Lets the body decide: a pointer without a type gets its cast's type; a pointer that is only
  /// read through * is a number.
  void settle(FunctionParameter& one, size_t from) {
    const bool unknown = one.c_type == "void" && one.array;
    bool numbers = one.array && one.sides.empty() && one.form == Form::plain, used = false;
    for (const Use& use : uses_) {
      if (!use.object.empty() || use.name != one.name) continue;
      used = true;
      const size_t before = use.at - 1;
      numbers = numbers && syntax_.is(before, "*") && !syntax_[before - 1].is_word() &&
                !syntax_.is(before - 1, ") ]") && use.behind == use.end && !use.assigned;
      if (!unknown || !syntax_.is(before, ")")) continue;
      const size_t open = syntax_.partner(before);
      size_t end = open + 1;
      while (syntax_[end].is_word()) ++end;
      const auto cast = typed(syntax_, {{open + 1, end}}, meanings_);
      one.type = cast.type;
      one.c_type = cast.c_type;
      one.fits = cast.fits;
    }
    if (unknown && !one.fits)
      throw Error(fmt::format("parameter \"{}\" is a {}, and no cast tells of what", one.name,
                              one.spelling),
                  place(from));
    if (!one.fits) throw unfit("parameter \"" + one.name + "\"", one.spelling, from);
    if (!numbers || !used) return;
    one.address = one.constant = true;
    one.array = false;
  }

  /// Adds a parameter, which may be an object's member, and the parameter that counts its elements;
  /// edits its uses. Returns the declarations.
  std::string add(FunctionParameter one, const std::string& object = {}) {
    const std::string name = one.name;
    one.name = member_name(object, name);
    const bool number = !object.empty() && !one.array && is_assigned(object, name);
    if (number) {
      one.array = true;
      one.sides = {"1"};
    }
    FunctionParameter count{.name = row_elements, .c_type = "long", .type = Element::int64};
    if (one.form == Form::vector) {
      count.name = member_name(one.name, "size");
      one.sides = {count.name};
    }
    for (const Use& use : uses_) {
      const bool called = one.form == Form::vector && object.empty() && use.object == name;
      if (called || (use.name == name && use.object == object))
        edit_use(one, number, use.at, called ? use.at + 1 : use.end);
    }
    std::string text = one.declaration();
    const bool counted = one.form != Form::plain &&
                         !contains(function_.parameters, count.name, &FunctionParameter::name);
    function_.parameters.push_back(std::move(one));
    if (counted) {
      join(text, count.declaration());
      function_.parameters.push_back(std::move(count));
    }
    return text;
  }

  /// `from` to `behind`: the name, with the object in front of it.
  void edit_use(const FunctionParameter& one, bool number, size_t from, size_t behind) {
    const bool bracket = syntax_.is(behind, "[");
    if (one.form == Form::rows) {
      if (!bracket)
        throw Error(fmt::format("the rows of \"{}\" are handed on", one.name), place(from));
      const size_t close = syntax_.partner(behind);
      edit(from, behind, fmt::format("({} + (long)(", one.name));
      edit(close, close, fmt::format(") * {})", row_elements));
    } else if (one.form == Form::vector && !bracket) {
      const Token& member = syntax_[behind + 1];
      if (!syntax_.is(behind, ".") || !member.is("size data begin end"))
        throw Error(fmt::format("the vector \"{}\" is handed on", one.name), place(from));
      const std::string size = member_name(one.name, "size");
      edit(from, syntax_.partner(behind + 2),
           member.is("size")  ? size
           : member.is("end") ? fmt::format("({} + {})", one.name, size)
                              : one.name);
    } else if (from + 1 < behind) {
      edit(from, behind - 1, number ? fmt::format("(*{})", one.name) : one.name);
    }
  }

  const Syntax& syntax_;
  const SourceText& source_;
  std::string file_;
  NamedTexts meanings_;
  Declarations declarations_;
  Texts given_;              ///< template arguments
  std::vector<Use> uses_;    ///< in the function's body
  FunctionSource function_;  ///< as far as it has been read
};

}  // namespace

FunctionSource function_in(const Syntax& syntax, const SourceText& source, const std::string& file,
                           const std::string& name) {
  return FunctionReader(syntax, source, file).find(name);
}

}  // namespace rooftune::scaffold
