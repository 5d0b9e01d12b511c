// Settings of this computer with an effect on times, from the kernel's files.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "core/modules.h"

namespace rooftune::os {

/// Absent: the file is not there or cannot be read, as on most virtual machines.
struct HostSettings {
  std::optional<std::string> governor;    ///< of the first core: "performance", "powersave" ...
  std::optional<bool> boost;              ///< clocks above the nominal one are allowed
  std::optional<std::string> huge_pages;  ///< transparent ones: "always", "madvise", "never"
  std::optional<bool> numa_balancing;     ///< the kernel moves pages while a program runs
  std::optional<bool> smt;                ///< two threads share a core
  std::optional<double> load;             ///< average of the last minute [runnable processes]
};

/// `root`: stands for / (a test's own /sys and /proc).
HostSettings host_settings(const std::filesystem::path& root = "/");

}  // namespace rooftune::os
