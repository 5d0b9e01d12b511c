// What the runs of one configuration print alike, beside the figures: the output of another
// configuration is held against it.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/modules.h"
#include "space/search_space.h"

namespace rooftune::run {

/// What one run printed.
struct Printed {
  Texts lines;          ///< without those that hold its figures
  std::string refused;  ///< the line in which a run-time library did not take a setting; or empty
};
/// `is_figure`: whether a line holds a figure.
Printed printed(const std::string& output,
                const std::function<bool(const std::string&)>& is_figure);

class PrintedOutput {
 public:
  /// A time or a process id, different in each run, is not compared; nor is anything where line
  /// counts differ.
  void learn(const Printed& run);
  int runs() const { return runs_; }
  /// Why a run of another configuration is wrong; empty: it is right. `compared`: its lines have to
  /// agree, but for knob values that both may print.
  std::string fault(const Printed& run, bool compared, const SearchSpace& space,
                    const Configuration& configuration) const;

 private:
  /// Where lines differ, "sum 15.7790203 -> 15.7758017", the first few; empty: nowhere. Numbers
  /// agree within 1e-6.
  std::string difference(const Texts& lines,
                         const std::multimap<std::string, std::string>& echoes) const;

  /// A number and its text, or the text between numbers.
  struct Part {
    std::string text;
    double number = 0;
    bool is_number = false, varies = false;
  };
  using Line = std::vector<Part>;
  static Line parts(const std::string& line);
  static bool agree(const Part& one, const Part& other);

  std::vector<Line> lines_;
  std::string refused_;
  int runs_ = 0;
  bool comparable_ = true;
};

}  // namespace rooftune::run
