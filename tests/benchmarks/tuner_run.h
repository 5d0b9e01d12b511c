// Runs the real `tune` for benchmarks, in a folder of their own.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/json.h"

namespace rooftune::testing {

/// "name=value" words of a command line over defaults; exits with 2 and the known names for others.
std::map<std::string, std::string> arguments(int argc, char** argv,
                                             std::map<std::string, std::string> defaults);

/// Text without its "name" column spread by hand: splits at commas.
std::vector<std::string> listed(const std::string& text);

/// Results and documents of `tune` below one folder.
class TunerRun {
 public:
  TunerRun(std::filesystem::path tune, std::filesystem::path folder);
  /// Runs `tune words --quiet --json`; throws Error with its output when it does not end with 0.
  Json tuned(std::vector<std::string> words) const;
  std::filesystem::path results() const { return folder_ / "results"; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path tune_, folder_;
};

/// Machine, processor, load and date of now, for published results.
Json environment_now(const Json& machine);

}  // namespace rooftune::testing
