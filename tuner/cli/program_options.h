// Options of `tune --command`: a whole program in the place of a kernel.
#pragma once
#include <string>
#include <vector>

#include "study/spec.h"

namespace CLI {
class App;
}  // namespace CLI
namespace rooftune::cli {

/// As people type it.
struct ProgramWords {
  Program program;
  std::string kokkos;  ///< the label of --kokkos
  std::string run_limit;
  std::vector<std::string> environment, work, traffic;
};

/// After the options of a study (--kernel, --backend, ...), with which these do not go.
void add_program(CLI::App& app, ProgramWords& words);
/// The program, when one was asked for; `finds_space`: of what it is, and no file need say it.
/// Throws Error for words that cannot be read, and where the space is missing.
std::optional<Program> completed(const ProgramWords& words, bool finds_space);

}  // namespace rooftune::cli
