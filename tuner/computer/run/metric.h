// Where a program's run time comes from: the clock, or figures in its output.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/expression.h"
#include "core/json.h"
#include "core/list.h"
#include "core/modules.h"
#include "core/pattern.h"
#include "kernel/program.h"

namespace rooftune::run {

struct PrintedNumber {
  double value = 0;
  std::string unit;  ///< what stands behind it: "ms"; clocks have "s"; empty: nothing
};

/// 1.6D-02 (Fortran), 1,612.0 and 1_612 (thousands), 0,016 (a decimal comma), 16.02ms, 98.5 %;
/// clock times 0m0.016s (bash), 0:01.60 and 1:02:03 (GNU time), in seconds. nan and inf are
/// numbers. nullopt for anything else, and for what may mean two: 1,612.
std::optional<PrintedNumber> printed_number(std::string_view text);

/// Where a figure stands in a program's output.
class FigureSource {
 public:
  FigureSource() = default;  ///< wall
  /// wall, regex:PATTERN with a group, or json:/POINTER. Throws Error at `option`.
  FigureSource(const std::string& text, const std::string& option);
  bool is_wall() const { return kind_ == Kind::wall; }
  /// Whether this line alone shows the figure; in JSON, whether it names the last member in the
  /// pointer.
  bool stands_in(const std::string& line) const;
  /// What the first group in the pattern matches, line by line, or each member; as printed.
  Texts find(const std::string& output) const;

 private:
  enum class Kind { wall, regex, json };
  Kind kind_ = Kind::wall;
  std::optional<Pattern> pattern_;
  Json::json_pointer pointer_;
};

/// A run's figures, in base units where one is printed (16.02ms is 0.01602); "wall": its time [s].
using Figures = NamedNumbers;

/// A program's further figures.
class ProgramFigures {
 public:
  /// Throws Error at --metric: an unreadable pattern or pointer, a name that is none.
  explicit ProgramFigures(const Program& program);
  /// The last match counts. Throws Error for a figure that is absent or no number.
  Figures read(const std::string& output, double wall) const;
  /// Medians over several runs, leaving out figures that are no finite number.
  Figures medians(const std::vector<Figures>& runs) const;
  bool stand_in(const std::string& line) const;
  /// Over these figures. Throws Error at `option`: unreadable, or with a name that is none.
  Expression formula(const std::string& text, const std::string& option) const;

 private:
  ByName<FigureSource> sources_;
};
/// What a formula over figures yields. Throws Error where it has no value.
Value value_of(const Expression& formula, const Figures& figures);

class OutputCheck {
 public:
  /// `program`: its check and figures. Throws Error at --check or --metric: an unreadable pattern
  /// or condition, a name without a figure.
  explicit OutputCheck(const Program& program);
  /// Why a run is wrong; empty: it is right, as far as its output and its figures tell.
  std::string fault(const std::string& output, const Figures& figures) const;

 private:
  std::string text_;
  std::optional<Pattern> pattern_;
  Expression condition_;
};

class Metric {
 public:
  /// `program`: its metric, a source or a formula over its figures, and its unit; `amount`: a run's
  /// work in a rate's unit (kernel::metric_amount). A figure of another kind stands for its value
  /// in seconds, or for the inverse where more is better. Throws Error: an unreadable word,
  /// formula, pattern or pointer.
  Metric(const Program& program, double amount);

  /// The clock tells it, not the output.
  bool is_wall() const { return formula_.empty() && source_.is_wall(); }
  bool is_time() const { return unit_.is_time(); }
  struct Reading {
    Numbers seconds;    ///< one for each figure; the clock gives one
    std::string fault;  ///< why there is none: the figure is absent, or no time above 0
  };
  /// `output`: everything that the run printed; `wall` [s]; `figures`: the run's.
  Reading read(const std::string& output, double wall, const Figures& figures = {}) const;
  bool stands_in(const std::string& line) const { return source_.stands_in(line); }

 private:
  /// Adds the time from a figure, or the reason why it gives none.
  void add(const std::string& figure, Reading& reading) const;
  /// The same, from the figure's value in base units.
  void add(const std::string& figure, double base, Reading& reading) const;

  std::string text_;
  MetricUnit unit_;
  std::string unit_name_;
  double amount_;
  FigureSource source_;
  Expression formula_;
};

/// The rest after a prefix, such as "regex:"; nullopt when the text does not begin so.
std::optional<std::string> after(const std::string& text, std::string_view prefix);
/// The last lines with text, for a person's diagnosis.
std::string last_lines(const std::string& output);
/// The last line with words.
std::string last_line(const std::string& output);
/// `what`, then the last line of the output.
std::string with_last_line(const std::string& what, const std::string& output);

}  // namespace rooftune::run
