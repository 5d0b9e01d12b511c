// Finds one function in a file and turns it into one that a kernel can call: its parameters are
// numbers and arrays, and the file keeps only what it reaches.
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
  /// Replaces the tokens from `first` to `last`, both included.
  void edit(size_t first, size_t last, const std::string& text) {
    function_.edits.push_back({tokens_[first].begin, tokens_[last].end(), text});
  }

  /// Whether the function stands around line `number` in the file.
  bool is_around(const Declaration& one, const std::string& number) const;
  Error absent(const std::string& wanted, const Texts& names) const;
  /// The lines that capture a call to a function whose parameters open at `open`.
  std::string capture_of(const std::string& name, size_t open) const;
  /// The token that names the class whose function is defined; 0: a free function.
  size_t class_of(const Declaration& one) const;
  std::string class_name(const Declaration& one) const;
  /// Gives the parameters of the template at `begin` their values: the given ones, else double for
  /// each type. Returns the token behind the template's head.
  size_t instantiate(size_t begin);
  /// Turns a member function into a free one: the members that it names become parameters.
  void take_members(const Declaration& one, size_t token);
  /// The brace that opens the class or structure which a word in [from, to) names; 0: none does.
  size_t class_body(size_t from, size_t to) const;
  /// The members in `used` from the class at `body`, as parameters. Throws Error for a member that
  /// no kernel can have.
  std::vector<FunctionParameter> members_of(size_t body, const Needed& used) const;
  /// If a structure holds only numbers that share one type: its first member and how many numbers
  /// it has.
  std::optional<std::pair<FunctionParameter, int64_t>> numbers_in(size_t body) const;
  /// The members that the function uses of an object; nullopt: it also uses the object as a whole.
  std::optional<Needed> members_used(const std::string& object) const;
  /// Turns the used members into parameters; returns their declarations.
  Texts take_object(const std::string& name, size_t body, const Needed& used, bool constant);
  /// Takes a parameter as the source has it, or the members that replace it.
  void take_parameter(size_t from, size_t to);
  /// Adds a parameter, which may be an object's member, and the parameter that counts its elements;
  /// edits its uses. Returns the declarations.
  std::string add(FunctionParameter one, const std::string& object = {});
  void edit_use(const FunctionParameter& one, bool number, size_t from, size_t behind);
  bool is_assigned(const std::string& name) const;
  FunctionSource read(const Declaration& one);
  /// Lets the body decide: a pointer without a type gets its cast's type; a pointer that is only
  /// read through * is a number.
  void settle(FunctionParameter& one, size_t from, size_t to);
  void add_words(Needed& needed, size_t begin, size_t end) const;
  /// Takes out everything that the function at `root` does not reach.
  void keep_reached(const Declaration& root);
  /// Takes out OpenMP pragmas outside functions, except threadprivate for variables that stay.
  void keep_pragmas(const Needed& needed, Needed& own);
  bool is_outside(const Token& directive) const;
  /// Gives a void function from another file an empty body.
  void stand_in(const Declaration& one, const Needed& defined);
  /// Turns the file's arrays that the function names into pointers and kernel parameters.
  void take_arrays(const Declaration& one, const Needed& own);
  /// The numbers and arrays that [begin, end) declares; none where it declares something else.
  std::vector<FunctionParameter> declared_in(size_t begin, size_t end) const;
  FunctionParameter parameter(size_t from, size_t to, size_t number) const;
  Texts resolved(Texts words) const;
  /// The type that the tokens [from, to) spell; `what` has it.
  FunctionParameter type_of(size_t from, size_t to, const std::string& what, bool returned) const;

  const Tokens& tokens_;
  const SourceText& source_;
  std::string file_;
  NamedTexts names_;
  std::vector<Declaration> declarations_;
  Texts given_;              ///< template arguments
  FunctionSource function_;  ///< as far as it has been read
};

}  // namespace rooftune::scaffold
