// What an application links to ask, at its run time, for the tuned configuration of a kernel.
// Needs nothing but exported JSON files; whatever is wrong with them, it answers with defaults and
// says so.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace rooftune::inline runtime {

/// A knob's value or a problem parameter, in an application's own types.
using RuntimeValue = std::variant<bool, std::int64_t, double, std::string>;
using RuntimeValues = std::map<std::string, RuntimeValue>;

/// A configuration and how well it fits what was asked for.
struct TunedConfiguration {
  /// From the best fit to the worst: the answer is of the best class that the files offer.
  enum class Match { exact, other_problem, other_machine, defaults };
  RuntimeValues values;
  Match match = Match::defaults;
  std::string machine, study;  ///< where it was tuned; empty for defaults
  std::string reason;          ///< why it is no exact match, for a log; empty when it is

  /// The knob as a number, truth or text; `fallback` when it is absent or of another type.
  std::int64_t integer(const std::string& knob, std::int64_t fallback) const;
  double real(const std::string& knob, double fallback) const;
  bool truth(const std::string& knob, bool fallback) const;
  std::string text(const std::string& knob, const std::string& fallback) const;
};
const char* to_text(TunedConfiguration::Match match);

/// The exports that an application brings along. Never throws for what a file holds.
class TunedConfigurations {
 public:
  /// Reads a file that `tune export --format json` wrote, or every *.json of a directory. Returns
  /// false, and adds to `faults()`, when something could not be used; what could be is kept.
  bool add(const std::string& path);
  /// What could not be read, one sentence each.
  const std::vector<std::string>& faults() const { return faults_; }
  std::size_t size() const { return exports_.size(); }

  /// The configuration for (kernel, machine, problem). `machine`: the id or name that `tune list
  /// machines` shows; empty = the machine is not known, every export fits. Among exports of one
  /// machine the nearest problem wins: fewest differing texts, then the least sum of |log ratio| of
  /// the numbers. With no export of the kernel: `defaults`, as given.
  TunedConfiguration find(const std::string& kernel, const std::string& machine,
                          const RuntimeValues& problem, const RuntimeValues& defaults) const;

 private:
  struct Export {
    std::string kernel, machine, machine_id, study;
    RuntimeValues problem, values;
    std::size_t shared = 0;  ///< problems that the configuration was tuned for together; 0: one
  };
  void add_file(const std::string& file);
  std::vector<Export> exports_;
  std::vector<std::string> faults_;
};

}  // namespace rooftune::inline runtime
