// The allow-lists of compiler flags and environment variables.
#include "space/allow_list.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace rooftune::space {
namespace {

/// -f options to load code, or to write or read files beside the artefact.
constexpr std::array<std::string_view, 16> refused_flags{
    "plugin",        "dump",     "save",       "profile",
    "auto-profile",  "opt-info", "callgraph",  "stack-usage",
    "compare-debug", "wpa",      "ltrans",     "time-trace",
    "modules",       "sanitize", "instrument", "proc-stat-report"};

bool consists_of(std::string_view text, std::string_view extra) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || extra.find(c) != std::string_view::npos;
  });
}

/// name, or name=value where the value is no path.
bool option(std::string_view text, std::string_view extra_in_name) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  if (name.empty() || !consists_of(name, extra_in_name)) return false;
  if (equals == std::string_view::npos) return true;
  const std::string_view value = text.substr(equals + 1);
  return !value.empty() && value.find("..") == std::string_view::npos &&
         consists_of(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_,.+-");
}

/// Options of NVRTC with an effect on the code only.
bool cuda_option(std::string_view text) {
  constexpr std::array<std::string_view, 11> words{
      "--fmad=true",      "--fmad=false",
      "--ftz=true",       "--ftz=false",
      "--prec-div=true",  "--prec-div=false",
      "--prec-sqrt=true", "--prec-sqrt=false",
      "--use_fast_math",  "--extra-device-vectorization",
      "--restrict"};
  constexpr std::string_view registers = "--maxrregcount=";
  if (text.starts_with(registers)) {
    const std::string_view count = text.substr(registers.size());
    return !count.empty() && count.size() <= 3 &&
           count.find_first_not_of("0123456789") == std::string_view::npos;
  }
  return std::find(words.begin(), words.end(), text) != words.end();
}

}  // namespace

const char* const allowed_flags_hint =
    "allowed are -O levels, -f options and -m options that read and write no files; for CUDA "
    "--fmad, --ftz, --prec-div, --prec-sqrt, --use_fast_math, --maxrregcount";
const char* const allowed_variables_hint = "allowed are OMP_*, GOMP_*, KMP_* and MALLOC_*";

bool allowed_flag(const std::string& flag) {
  const std::string_view text = flag;
  if (text.starts_with("--")) return cuda_option(text);
  if (text.starts_with("-O")) {
    constexpr std::array<std::string_view, 8> level_names{"", "0", "1", "2", "3", "s", "g", "fast"};
    return std::find(level_names.begin(), level_names.end(), text.substr(2)) != level_names.end();
  }
  if (text.starts_with("-m")) return option(text.substr(2), "0123456789-.");
  if (!text.starts_with("-f") || !option(text.substr(2), "0123456789-")) return false;
  std::string_view name = text.substr(2);
  if (name.starts_with("no-")) name.remove_prefix(3);
  return std::none_of(refused_flags.begin(), refused_flags.end(),
                      [&](std::string_view refused) { return name.starts_with(refused); });
}

bool allowed_variable(const std::string& variable) {
  constexpr std::array<std::string_view, 4> families{"OMP_", "GOMP_", "KMP_", "MALLOC_"};
  return std::any_of(families.begin(), families.end(), [&](std::string_view family) {
    return variable.size() > family.size() && std::string_view(variable).starts_with(family) &&
           std::all_of(variable.begin(), variable.end(), [](char c) {
             return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
           });
  });
}

}  // namespace rooftune::space
