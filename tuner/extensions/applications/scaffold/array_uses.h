// What a function does with the arrays that it is given.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/list.h"
#include "scaffold/function.h"

namespace rooftune::scaffold {

class ArrayUses {
 public:
  /// Both must outlive it.
  ArrayUses(const Tokens& tokens, const FunctionSource& function);

  /// Whether the function writes to an array and never reads from it or hands it on.
  bool only_written(const std::string& array) const;
  /// Whether it reads from an array and does nothing else with it.
  bool only_read(const std::string& array) const;
  /// What its elements stand for, where they are whole numbers.
  Contents contents(const std::string& array) const;

 private:
  using Range = std::pair<size_t, size_t>;  ///< first token, one past the last
  struct Use {
    std::string array;
    Range index;
    bool read = false, written = false;  ///< both: changed, or handed on
  };
  /// The array or variable that the word at `at` names, and the token behind the name: an object's
  /// member counts as the parameter that it becomes, a pointer into an array as the array.
  std::string name_at(size_t at, size_t* behind = nullptr) const;
  /// Whether the array is used, and never as `other`.
  bool no_use(const std::string& array, bool Use::*other) const;
  /// Whether the array is named in the range, or in an expression assigned to a variable there.
  bool names(Range range, const std::string& array, int depth = 0) const;
  void read(size_t at);

  const Tokens& tokens_;
  const FunctionSource& function_;
  std::vector<Use> uses_;
  ByName<std::vector<Range>> assigned_;  ///< all that each variable is assigned
  NamedTexts pointers_;                  ///< into which array they point
  std::vector<Range> pointed_;           ///< what those pointers are assigned
  std::vector<size_t> loops_;            ///< tokens: each `for`
};

/// How many elements an array has, if all sides stand in its brackets; else empty.
std::string elements(const FunctionParameter& array, const NamedTexts& constants);

}  // namespace rooftune::scaffold
