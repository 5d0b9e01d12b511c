// Configurations as files of `tune export --format json` hold them.
#pragma once
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/host.h"

namespace rooftune::runtime {

struct NamedValue {
  std::string name;
  std::variant<bool, std::int64_t, double, std::string> value;
  /// Of a number above 0; else NaN.
  double logarithm = std::numeric_limits<double>::quiet_NaN();
};
/// In the order of their names.
using NamedValues = std::vector<NamedValue>;

struct Exported {
  std::string kernel, machine, machine_id, study, date, verdict;
  MachineIdentity identity;
  std::optional<CapabilityClass> can;  ///< absent: not in the file
  NamedValues knobs;
  std::vector<NamedValues> problems;  ///< tuned for together, or one
  std::string content;  ///< a hash of the document: a sort key independent of the computer
};

/// Throws Error for anything but an export of this version.
Exported read_exported(const std::filesystem::path& file);

/// The value as a number, if it is one: a truth is 0 or 1.
std::optional<double> number_of(const NamedValue& value);

}  // namespace rooftune::runtime
