#include "os/host_settings.h"

#include <fstream>

namespace rooftune::os {
namespace {

std::optional<std::string> first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line) || line.empty()) return std::nullopt;
  return line;
}

std::optional<bool> is_on(const std::filesystem::path& file) {
  const auto line = first_line(file);
  if (!line) return std::nullopt;
  return *line != "0";
}

/// The word in brackets of "always [madvise] never".
std::optional<std::string> chosen_word(const std::filesystem::path& file) {
  const auto line = first_line(file);
  if (!line) return std::nullopt;
  const std::size_t begin = line->find('['), end = line->find(']');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return std::nullopt;
  return line->substr(begin + 1, end - begin - 1);
}

}  // namespace

HostSettings host_settings(const std::filesystem::path& root) {
  const std::filesystem::path cpu = root / "sys/devices/system/cpu";
  HostSettings settings;
  settings.governor = first_line(cpu / "cpu0/cpufreq/scaling_governor");
  settings.boost = is_on(cpu / "cpufreq/boost");
  // Intel's driver says the opposite in a file of its own.
  if (const auto off = is_on(cpu / "intel_pstate/no_turbo")) settings.boost = !*off;
  settings.huge_pages = chosen_word(root / "sys/kernel/mm/transparent_hugepage/enabled");
  settings.numa_balancing = is_on(root / "proc/sys/kernel/numa_balancing");
  settings.smt = is_on(cpu / "smt/active");
  std::ifstream load(root / "proc/loadavg");
  if (double value = 0; load >> value) settings.load = value;
  return settings;
}

}  // namespace rooftune::os
