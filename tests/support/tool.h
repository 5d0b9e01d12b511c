// Programs that a test asks for their opinion, where they are installed.
#pragma once
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "os/subprocess.h"

namespace rooftune::testing {

/// The program; nullopt, and the test says that it skipped this, when it is not installed.
inline std::optional<std::string> tool(const std::string& name) {
  const auto found = find_program(name);
  if (!found) WARN("skipped: " << name << " is not installed");
  return found ? std::optional(found->string()) : std::nullopt;
}

inline Finished run_tool(const std::vector<std::string>& argv,
                         const std::filesystem::path& directory = {}) {
  Command command;
  command.argv = argv;
  command.directory = directory;
  command.limit = std::chrono::seconds(120);
  command.kept_output = std::size_t{4} << 20;
  return execute(command);
}

/// A Python that has all of these modules ("json, yaml"); nullopt, and the test says so, when none
/// has. The system's has what packages installed, another one may stand first on the PATH.
inline std::optional<std::string> python_with(const std::string& modules) {
  for (const char* python : {"/usr/bin/python3", "python3"})
    if (const auto found = find_program(python);
        found && run_tool({found->string(), "-c", "import " + modules}).status.ok())
      return found->string();
  WARN("skipped: no Python has " << modules);
  return std::nullopt;
}

}  // namespace rooftune::testing
