// Numbers as programs print them, for people.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/modules.h"

namespace rooftune::run {

struct PrintedNumber {
  double value = 0;
  std::string unit;  ///< what stands behind it: "ms"; of clocks "s"; empty: nothing
};

/// 1.6D-02 (Fortran), 1,612.0 and 1_612 (thousands), 0,016 (a decimal comma), 16.02ms, 98.5 %; of
/// clocks 0m0.016s (bash), 0:01.60 and 1:02:03 (GNU time), in seconds. nan and inf are numbers.
/// nullopt for anything else, and for what may mean two: 1,612.
std::optional<PrintedNumber> printed_number(std::string_view text);

}  // namespace rooftune::run
