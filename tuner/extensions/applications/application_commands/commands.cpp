// Commands and forms of exports of this extension.
#include <CLI/CLI.hpp>
#include <memory>

#include "application_commands/extension.h"
#include "application_commands/options.h"
#include "cli/command_table.h"

namespace rooftune::application_commands {
namespace {

void add_kokkos(CLI::App& app, CommandLine& line) {
  CLI::App* kokkos = app.add_subcommand(
      "kokkos", "Which kernels of a Kokkos application are worth tuning, from its profile");
  const auto options = std::make_shared<KokkosOptions>();
  kokkos->callback([&line, options] {
    line.run = [options](const CommandLine&) { return kokkos_command(*options); };
  });
  kokkos
      ->add_option("profile", options->profile,
                   "Written by an application under KOKKOS_TOOLS_LIBS=librooftune_kokkos.so")
      ->required();
  kokkos
      ->add_option("--work", options->work,
                   "Work and traffic of one call of a kernel, by label (docs/exchange.md)")
      ->type_name("FILE");
  kokkos->add_option("-m,--machine", options->machine, "Machine whose ceilings bound them")
      ->capture_default_str()
      ->type_name("MACHINE");
  kokkos->add_flag("--all", options->all, "All kernels, not one screen of them");
}

}  // namespace

void add_applications() {
  extend_command_line(add_kokkos);
  add_export_form({"library", "Plain C++ of the variants that won, to build and link (a folder)",
                   nullptr, export_library});
}

}  // namespace rooftune::application_commands
