// Functions, lambdas and macros of one expression, such as IDX(i, j): put in where they are called.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "scaffold/cpp_tokens.h"

namespace rooftune::scaffold {

class ShortFunctions {
 public:
  /// Those of a file.
  explicit ShortFunctions(const Tokens& tokens);
  bool has(std::string_view name) const { return functions_.contains(std::string(name)); }
  /// The text with their expressions in place of their calls, a few deep.
  std::string expanded(const std::string& text) const;

 private:
  struct Function {
    std::vector<std::string> parameters;
    std::string result;
  };
  void add(const std::string& name, const Tokens& tokens, std::size_t open, std::string result);
  std::string once(const std::string& text) const;

  std::map<std::string, Function> functions_;
};

}  // namespace rooftune::scaffold
