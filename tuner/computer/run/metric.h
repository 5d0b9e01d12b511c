// The source of a program's run time: the clock, or figures in its output.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/pattern.h"
#include "kernel/program.h"

namespace rooftune::run {

class Metric {
 public:
  /// `program`: its metric and its unit; `amount`: a run's work in the unit of a rate
  /// (kernel::metric_amount). Throws Error: an unreadable word, pattern or pointer.
  Metric(const Program& program, double amount);

  /// The clock tells it, not the output.
  bool is_wall() const { return kind_ == Kind::wall; }
  struct Reading {
    std::vector<double> seconds;  ///< one for each figure; of the clock one
    std::string fault;            ///< why there is none: the figure is absent, or no time above 0
  };
  /// `output`: everything printed by the run; `wall` [s].
  Reading read(const std::string& output, double wall) const;

 private:
  /// Each match of the pattern's first group, line by line.
  Reading matches(const std::string& output) const;
  Reading members(const std::string& output) const;
  /// Adds the time of a figure, or the reason why it is none.
  void add(const std::string& figure, Reading& reading) const;

  std::string text_;
  MetricUnit unit_;
  double amount_;
  enum class Kind { wall, regex, json };
  Kind kind_ = Kind::wall;
  std::optional<Pattern> pattern_;
  Json::json_pointer pointer_;
};

/// The rest after a prefix, such as "regex:"; nullopt when the text does not begin so.
std::optional<std::string> after(const std::string& text, std::string_view prefix);
/// The pattern is found in one of the lines.
bool found_in_lines(const Pattern& pattern, const std::string& output);
/// Throws Error at `option` for an unreadable pattern.
Pattern pattern_of(const std::string& text, const std::string& option);
/// The last lines with text, for a person's diagnosis.
std::string last_lines(const std::string& output);

}  // namespace rooftune::run
