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

/// Where a figure stands in a program's output.
class FigureSource {
 public:
  /// wall, regex:PATTERN with a group, or json:/POINTER. Throws Error at `option`.
  FigureSource(const std::string& text, const std::string& option);
  bool is_wall() const { return kind_ == Kind::wall; }
  /// Each match of the pattern's first group, line by line, or each member; as printed.
  std::vector<std::string> find(const std::string& output) const;

 private:
  enum class Kind { wall, regex, json };
  Kind kind_ = Kind::wall;
  std::optional<Pattern> pattern_;
  Json::json_pointer pointer_;
};

class Metric {
 public:
  /// `program`: its metric and its unit; `amount`: a run's work in the unit of a rate
  /// (kernel::metric_amount). A figure of another kind stands for its value in seconds, or for the
  /// inverse where more is better. Throws Error: an unreadable word, pattern or pointer.
  Metric(const Program& program, double amount);

  /// The clock tells it, not the output.
  bool is_wall() const { return source_.is_wall(); }
  struct Reading {
    std::vector<double> seconds;  ///< one for each figure; of the clock one
    std::string fault;            ///< why there is none: the figure is absent, or no time above 0
  };
  /// `output`: everything printed by the run; `wall` [s].
  Reading read(const std::string& output, double wall) const;

 private:
  /// Adds the time of a figure, or the reason why it is none.
  void add(const std::string& figure, Reading& reading) const;

  std::string text_;
  MetricUnit unit_;
  std::string unit_name_;
  double amount_;
  FigureSource source_;
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
