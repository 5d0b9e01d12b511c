// What a function does with the names in its body, above all with the arrays that it is given.
#pragma once
#include <string>
#include <vector>

#include "core/list.h"
#include "scaffold/function.h"

namespace rooftune::scaffold {

/// A place in a body that names a variable, or an object's member: the tokens [at, end).
struct Use {
  size_t at = 0, end = 0;
  std::string object, name;  ///< "g" and "u" of g->u; this->u is plain u
  size_t behind = 0;         ///< the token behind the brackets, if any
  bool assigned = false;     ///< it gets a new value
  /// What is done with the elements of an array; both: changed, or handed on.
  bool read = false, written = false;
};
std::vector<Use> uses_in(const Syntax& source, size_t open, size_t close);

class ArrayUses {
 public:
  ArrayUses(const Syntax& source, const FunctionSource& function);

  /// Whether the function writes to an array and never reads from it or hands it on.
  bool only_written(const std::string& array) const { return no_use(array, &Use::read); }
  /// Whether it reads from an array and does nothing else with it.
  bool only_read(const std::string& array) const { return no_use(array, &Use::written); }
  /// What its elements stand for, where they are whole numbers.
  Contents contents(const std::string& array) const;

 private:
  bool no_use(const std::string& array, bool Use::*other) const;
  /// Whether the array is named in the range, or in an expression assigned to a variable there.
  bool names(Range range, const std::string& array, int depth = 0) const;

  const Syntax& source_;  ///< must outlive it
  /// Their names: a member counts as the parameter that it becomes, a pointer into an array as the
  /// array.
  std::vector<Use> uses_;
  ByName<Ranges> assigned_;  ///< all that each variable is assigned
};

}  // namespace rooftune::scaffold
