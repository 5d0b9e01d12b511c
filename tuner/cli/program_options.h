// Options of `tune --command`: a whole program in the place of a kernel.
#pragma once
#include <string>
#include <vector>

#include "study/spec.h"

namespace CLI {
class App;
}  // namespace CLI
namespace rooftune::cli {

/// As typed.
struct ProgramWords {
  Program program;
  std::string kokkos;  ///< the label of --kokkos
  std::string run_limit;
  std::vector<std::string> environment, work, traffic;
};

/// After the options of a study (--kernel, --backend, ...), incompatible with these.
void add_program(CLI::App& app, ProgramWords& words);
/// The program, if given; `finds_space`: from the program itself, without a file. Throws Error for
/// unreadable words, and for a missing space.
std::optional<Program> completed(const ProgramWords& words, bool finds_space);

}  // namespace rooftune::cli
