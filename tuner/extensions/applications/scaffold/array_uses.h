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
  ArrayUses(const Tokens& tokens, const FunctionSource& function);

  /// Whether the function writes elements of an array and never reads one or hands it on.
  bool only_written(const std::string& array) const;
  /// The array that the elements of this one are indices of; empty: they are none.
  std::string indexed_by(const std::string& array) const;

 private:
  struct Use {
    std::string index;  ///< the text in brackets; empty: it is handed on
    bool read = false;
  };
  std::map<std::string, std::vector<Use>> uses_;
  NamedTexts assigned_;  ///< all that variables get
};

/// The number of elements of an array whose sides all stand in its brackets; else empty.
std::string elements(const FunctionParameter& array, const NamedTexts& constants);

}  // namespace rooftune::scaffold
