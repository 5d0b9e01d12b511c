#include "cli/variant_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "build/amalgamation.h"
#include "build/flags.h"
#include "build/includes.h"
#include "core/file.h"
#include "kernel/kernel.h"
#include "os/paths.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"
#include "study/model.h"

namespace rooftune::cli {

namespace {

/// Sources, flags and knobs of a study's variants, read once.
struct VariantParts {
  explicit VariantParts(const StudyRecord& study)
      : kernel(kernel_of_study(study)), space(space_of(study)) {
    backend = kernel.backend(study.header.backend);
    if (!backend)
      throw Error("the kernel has no back end " + study.header.backend + " any more",
                  kernel.folder.string(), "tune it again with one that it has");
  }
  std::string text(const Configuration& configuration) const;

  Kernel kernel;
  SearchSpace space;
  const Backend* backend = nullptr;

 private:
  static Kernel kernel_of_study(const StudyRecord& study) {
    const StudySetup& setup = study.require_setup();
    if (study.header.backend == command_backend)
      throw Error("a program's study has no kernel source", study.header.id,
                  "sources are shown for studies of kernels");
    return read_kernel(setup.kernel_folder);
  }
};

std::string VariantParts::text(const Configuration& configuration) const {
  const auto macros = build::knob_macros(space, configuration);
  const auto half = [&](build::Side side) {
    const build::Amalgamation source =
        build::amalgamated(backend->source, variant_include_directory(), macros, side);
    return source.includes() + source.text;
  };
  const auto flags = build::knob_flags(space, configuration);
  std::string result = flags.empty() ? "" : fmt::format("// flags: {}\n", fmt::join(flags, " "));
  if (backend->needs_gpu_compiler())
    return result + half(build::Side::kernels) + "\n// What launches them:\n" +
           half(build::Side::launching);
  return result + half(backend->needs_kokkos() ? build::Side::kokkos : build::Side::host);
}

std::vector<std::string> changed_files(const VariantParts& parts, const StudyRecord& study) {
  std::set<std::string> compiled{parts.backend->source.filename().string()};
  for (const auto& file : build::included_files(parts.backend->source, variant_include_directory()))
    compiled.insert(file.filename().string());
  std::vector<std::string> changed = changed_sources(study);
  std::erase_if(changed, [&](const std::string& name) { return !compiled.contains(name); });
  return changed;
}

std::string difference(const VariantParts& parts, const Trial& trial) {
  const auto program = find_program("diff");
  if (!program) throw Error("there is no program diff", "PATH", "install diffutils");
  const TemporaryDirectory folder;
  write_atomically(folder.path() / "before", parts.text(parts.space.baseline()));
  write_atomically(folder.path() / "after", parts.text(trial.configuration));
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

}  // namespace

std::string variant_source(const StudyRecord& study, const Configuration& configuration) {
  return VariantParts(study).text(configuration);
}

std::vector<std::string> changed_variant_sources(const StudyRecord& study) {
  return changed_files(VariantParts(study), study);
}

std::string source_difference(const StudyRecord& study, const Trial& trial) {
  return difference(VariantParts(study), trial);
}

std::string own_source_difference(const StudyRecord& study, const Trial& trial) {
  const VariantParts parts(study);
  return changed_files(parts, study).empty() ? difference(parts, trial) : std::string();
}

}  // namespace rooftune::cli
