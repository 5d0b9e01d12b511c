// Input files of a program with placeholders in them: namelist, YAML, INI, anything. Each run finds
// them filled in.
#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "run/command_template.h"
#include "run/program_builds.h"

namespace rooftune::run {

class InputTemplates {
 public:
  InputTemplates() = default;
  /// As typed, from the current folder. input.nml.in becomes input.nml, every other file one of its
  /// own name; one from elsewhere lies at the top of the run's folder. Throws Error for a file that
  /// cannot be read, and for two of one name.
  explicit InputTemplates(const std::vector<std::string>& files);

  bool empty() const { return files_.empty(); }
  /// With the places of their placeholders.
  std::vector<const CommandTemplate*> texts() const;
  bool has(const std::string& knob) const;
  /// Names, relative to a run's folder, and contents.
  std::vector<std::pair<std::filesystem::path, std::string>> filled(
      const CommandTemplate::Lookup& lookup) const;
  /// Makes them in a run's folder; what is there by their names is replaced, a link as such. Throws
  /// Error where a file cannot be written.
  void write(const CommandTemplate::Lookup& lookup, const std::filesystem::path& folder) const;

 private:
  std::vector<std::pair<std::filesystem::path, CommandTemplate>> files_;
};

/// A folder below `scratch` for runs that write their input files: a copy of the current one, under
/// its name, with links to its neighbours for paths that begin with "..". Large files are links;
/// `left_out` is not there. Throws std::filesystem::filesystem_error.
PreparedFolder folder_of_runs(const std::filesystem::path& scratch,
                              std::vector<std::filesystem::path> left_out);

}  // namespace rooftune::run
