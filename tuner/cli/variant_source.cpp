// A variant as plain source, and the difference of two of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "build/flags.h"
#include "build/includes.h"
#include "cli/explain_trial.h"
#include "core/file.h"
#include "kernel/kernel.h"
#include "os/paths.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"
#include "study/model.h"

namespace rooftune::cli {
namespace {

Kernel kernel_of_study(const StudyRecord& study) {
  if (study.header.backend == command_backend)
    throw Error("a program's study has no kernel source", study.header.id,
                "sources are shown for studies of kernels");
  return read_kernel(study.require_setup().kernel_folder);
}

}  // namespace

VariantSource::VariantSource(const StudyRecord& study)
    : study_(study),
      kernel_(kernel_of_study(study)),
      space_(space_of(study)),
      backend_(kernel_.backend(study.header.backend)) {
  if (!backend_)
    throw Error("the kernel has no back end " + study.header.backend + " any more",
                kernel_.folder.string(), "tune it again with one that it has");
}

std::string VariantSource::text(const Configuration& configuration) const {
  const auto macros = build::knob_macros(space_, configuration);
  const auto half = [&](build::Side side) {
    const build::Amalgamation source =
        build::amalgamated(backend_->source, variant_include_directory(), macros, side);
    return source.includes() + source.text;
  };
  const auto flags = build::knob_flags(space_, configuration);
  std::string result = flags.empty() ? "" : fmt::format("// flags: {}\n", fmt::join(flags, " "));
  if (backend_->needs_gpu_compiler())
    return result + half(build::Side::kernels) + "\n// What launches them:\n" +
           half(build::Side::launching);
  return result + half(backend_->needs_kokkos() ? build::Side::kokkos : build::Side::host);
}

std::vector<std::string> VariantSource::changed() const {
  std::set<std::string> compiled{backend_->source.filename().string()};
  for (const auto& file : build::included_files(backend_->source, variant_include_directory()))
    compiled.insert(file.filename().string());
  std::vector<std::string> changed = changed_sources(study_);
  std::erase_if(changed, [&](const std::string& name) { return !compiled.contains(name); });
  return changed;
}

std::string VariantSource::difference(const Trial& trial) const {
  const auto program = find_program("diff");
  if (!program) throw Error("there is no program diff", "PATH", "install diffutils");
  const TemporaryDirectory folder;
  write_atomically(folder.path() / "before", text(space_.baseline()));
  write_atomically(folder.path() / "after", text(trial.configuration));
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

}  // namespace rooftune::cli
