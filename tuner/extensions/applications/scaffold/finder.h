// Finds one function in a file and makes one of the kernel's kind of it: parameters that are
// numbers and arrays, and nothing of the file that it does not reach.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/list.h"
#include "scaffold/function.h"

namespace rooftune::scaffold {

class Finder {
 public:
  Finder(const Tokens& tokens, const SourceText& source, const std::string& file)
      : tokens_(tokens),
        source_(source),
        file_(file),
        names_(names_in(tokens)),
        declarations_(declarations_in(tokens)) {}

  FunctionSource find(const std::string& given);

 private:
  using Needed = std::set<std::string, std::less<>>;
  std::string place(size_t token) const { return source_.place(tokens_[token].begin); }
  /// The tokens from `first` to `last` give way to the text.
  void edit(size_t first, size_t last, const std::string& text) {
    function_.edits.push_back({tokens_[first].begin, tokens_[last].end(), text});
  }

  /// Whether the function is the one around the line `number` of the file.
  bool is_around(const Declaration& one, const std::string& number) const;
  Error absent(const std::string& wanted, const Texts& names) const;
  /// The lines that capture a call of a function whose parameters open at `open`.
  std::string capture_of(const std::string& name, size_t open) const;
  /// The token of the class whose function is defined; 0: it is of none.
  size_t class_of(const Declaration& one) const;
  std::string class_name(const Declaration& one) const;
  /// Gives the parameters of the template at `begin` their meaning: the ones given, else double for
  /// each type. Returns the token behind its head.
  size_t instantiate(size_t begin);
  /// Makes a free function of one of a class: the members that it names become parameters.
  void take_members(const Declaration& one, size_t token);
  /// The brace of the class or structure that one of the words [from, to) names; 0: none does.
  size_t class_body(size_t from, size_t to) const;
  /// Members of the class at `body` that are `used`, as parameters. Throws Error for one that no
  /// kernel can have.
  std::vector<FunctionParameter> members_of(size_t body, const Needed& used) const;
  /// The first of the members of a structure that has numbers of one type alone, and how many.
  std::optional<std::pair<FunctionParameter, int64_t>> numbers_in(size_t body) const;
  /// The members of an object, where the function uses nothing else of it.
  std::optional<Needed> members_used(const std::string& object) const;
  /// Makes parameters of them; returns their declarations.
  Texts take_object(const std::string& name, size_t body, const Needed& used, bool constant);
  /// A parameter of the source, or the members of one.
  void take_parameter(size_t from, size_t to);
  /// Adds a parameter, which may be a member of an object, and what counts its elements; its uses
  /// and what declares it follow.
  std::string add(FunctionParameter one, const std::string& object = {});
  void edit_use(const FunctionParameter& one, bool number, size_t from, size_t behind);
  bool is_assigned(const std::string& name) const;
  FunctionSource read(const Declaration& one);
  /// The body tells: a pointer without type has that of its cast; one that is only read
  /// through * is a number.
  void settle(FunctionParameter& one, size_t from, size_t to);
  void add_words(Needed& needed, size_t begin, size_t end) const;
  /// Takes out all that the function at `root` does not reach.
  void keep_reached(const Declaration& root);
  /// Pragmas of OpenMP outside of functions go, but for variables that stay.
  void keep_pragmas(const Needed& needed, Needed& own);
  bool is_outside(const Token& directive) const;
  /// A function of another file that returns nothing does nothing here.
  void stand_in(const Declaration& one, const Needed& defined);
  /// Arrays of the file that the function names become pointers, and parameters of the kernel.
  void take_arrays(const Declaration& one, const Needed& own);
  /// The numbers and arrays of a declaration; none where it declares something else.
  std::vector<FunctionParameter> declared_in(size_t begin, size_t end) const;
  FunctionParameter parameter(size_t from, size_t to, size_t number) const;
  Texts resolved(Texts words) const;
  /// The type of the tokens [from, to); `what` has it.
  FunctionParameter type_of(size_t from, size_t to, const std::string& what, bool returned) const;

  const Tokens& tokens_;
  const SourceText& source_;
  std::string file_;
  NamedTexts names_;
  std::vector<Declaration> declarations_;
  Texts given_;              ///< arguments of the template
  FunctionSource function_;  ///< as far as it is read
};

}  // namespace rooftune::scaffold
