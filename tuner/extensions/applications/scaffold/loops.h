// The loops of a function, what they do to its arrays, and the pragmas that they can get.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scaffold/function.h"

namespace rooftune::scaffold {

struct LoopText {
  std::size_t begin = 0;            ///< token: its `for`
  std::size_t body = 0, end = 0;    ///< tokens: of its statement or block, end behind it
  std::string variable, low, high;  ///< formulas of its first and last value; empty: not counted
  bool outermost = true, innermost = true;
};

/// One use of an array of the function.
struct ArrayUse {
  std::size_t token = 0;           ///< its name
  std::vector<std::string> index;  ///< the texts in brackets; empty: it is handed on
  bool read = false, written = false;
};

class LoopNest {
 public:
  LoopNest(const Tokens& tokens, const FunctionSource& function);

  const std::vector<LoopText>& loops() const { return loops_; }
  /// Whether its passes touch different elements, as far as the text shows: no element of another
  /// pass is changed, and no scalar but sums(). Empty: they do; else why not.
  std::string dependence(const LoopText& loop) const;
  /// Numbers that the passes only add to.
  std::vector<std::string> sums(const LoopText& loop) const;
  /// The function has OpenMP pragmas of its own.
  bool has_pragmas() const { return has_pragmas_; }
  /// Whether the function writes an array and never reads it.
  bool only_written(const std::string& array) const;
  /// A formula over the integer parameters, of the fewest elements an array needs for the loops;
  /// empty where the text does not tell.
  std::string elements(const FunctionParameter& array) const;
  /// The source with the pragmas of the knobs in front of these loops.
  struct Pragmas {
    bool parallel = false, simd = false, unroll = false;
  };
  Pragmas pragmas(const LoopText& loop) const;
  std::string with_pragmas(std::string_view source) const;

 private:
  void find_loops();
  void find_uses();
  void find_locals();
  LoopText loop_at(std::size_t token) const;
  /// Numbers outside of the loop that its passes change: true where each only adds to it.
  std::map<std::string, bool> changed_scalars(const LoopText& loop) const;
  const LoopText* around(const std::string& variable, std::size_t token) const;

  const Tokens& tokens_;
  const FunctionSource& function_;
  ShortFunctions short_;
  std::vector<LoopText> loops_;
  std::map<std::string, std::vector<ArrayUse>> uses_;
  std::map<std::string, std::string> locals_;  ///< whole numbers defined once
  std::set<std::string> changed_;              ///< numbers that are not
  bool has_pragmas_ = false;
};

}  // namespace rooftune::scaffold
