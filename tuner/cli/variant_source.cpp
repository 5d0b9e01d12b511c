#include "cli/variant_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "build/flags.h"
#include "core/file.h"
#include "exports/amalgamation.h"
#include "kernel/kernel.h"
#include "os/paths.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"
#include "study/model.h"

namespace rooftune::inline cli {

std::string variant_source(const StudyRecord& study, const Configuration& configuration) {
  const StudySetup& setup = study.require_setup();
  if (study.header.backend == command_backend)
    throw Error("a program's study has no kernel source", study.header.id,
                "sources are shown for studies of kernels");
  const Kernel kernel = read_kernel(setup.kernel_folder);
  const Backend* const backend = kernel.backend(study.header.backend);
  if (!backend)
    throw Error("the kernel has no back end " + study.header.backend + " any more",
                setup.kernel_folder.string(), "tune it again with one that it has");
  const SearchSpace space = space_of(study);
  const auto macros = build::knob_macros(space, configuration);
  const auto text = [&](exports::Side side) {
    const exports::Amalgamation source =
        exports::amalgamated(backend->source, variant_include_directory(), macros, side);
    return source.includes() + source.text;
  };
  const auto flags = build::knob_flags(space, configuration);
  std::string result = flags.empty() ? "" : fmt::format("// flags: {}\n", fmt::join(flags, " "));
  if (backend->needs_nvrtc())
    return result + text(exports::Side::kernels) + "\n// What launches them:\n" +
           text(exports::Side::launching);
  return result + text(backend->needs_kokkos() ? exports::Side::kokkos : exports::Side::host);
}

std::string source_difference(const StudyRecord& study, const Trial& trial) {
  const auto program = find_program("diff");
  if (!program) throw Error("there is no program diff", "PATH", "install diffutils");
  const TemporaryDirectory folder;
  write_atomically(folder.path() / "before", variant_source(study, space_of(study).baseline()));
  write_atomically(folder.path() / "after", variant_source(study, trial.configuration));
  Command command;
  command.argv = {program->string(), "-u",      "--label",
                  "baseline",        "--label", fmt::format("trial {}", trial.index),
                  "before",          "after"};
  command.directory = folder.path();
  command.kept_output = 4 << 20;
  const Finished finished = execute(command);
  if (finished.status.code != 0 && finished.status.code != 1)  // 1: they differ
    throw Error("diff ended with " + finished.status.text() + ": " + finished.output);
  return finished.output;
}

}  // namespace rooftune::inline cli
