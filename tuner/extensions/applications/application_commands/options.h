// What the commands of this extension were asked for.
#pragma once
#include "cli/export_choice.h"
#include "cli/options.h"

namespace rooftune::application_commands {

struct KokkosOptions {
  std::string profile, work, machine = "host";
  bool all = false;
};

int kokkos_command(const KokkosOptions& options);
/// `tune export --format library`.
int export_library(std::vector<ExportChoice>& choices, const ExportOptions& options);

}  // namespace rooftune::application_commands
