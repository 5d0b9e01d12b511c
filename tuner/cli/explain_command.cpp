// tune explain [TRIAL]: everything on record about a study or a trial; a variant as plain source.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "build/artefact.h"
#include "build/flags.h"
#include "build/includes.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/study_files.h"
#include "core/file.h"
#include "core/list.h"
#include "core/number.h"
#include "core/split.h"
#include "core/units.h"
#include "counters/provider.h"
#include "host/cards.h"
#include "host/host_platform.h"
#include "kernel/kernel.h"
#include "os/paths.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"
#include "report/answer.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/study_evidence.h"
#include "study/find_study.h"
#include "study/findings.h"
#include "study/model.h"
#include "study/result.h"

namespace rooftune::cli {
namespace {

/// Indents every line by four columns.
std::string indented(const std::string& text) {
  const std::string lines = text.substr(0, text.find_last_not_of(" \n") + 1);
  return "    " + joined(split(lines), "\n    ") + "\n";
}

/// Prints everything on record about a trial.
struct TrialStory {
  const StudyRecord& study;
  const StudyResult& report;
  const Trial& trial;

  /// What the trial changes against the baseline, with the ceilings that each knob can break.
  void print_changes() const {
    if (!report.baseline || report.baseline->trial == trial.index) return;
    fmt::print("  against the baseline:\n");
    for (const Step::Change& change :
         changes(report.baseline->configuration, trial.configuration, report.space.knobs))
      fmt::print("    {:<18} {} -> {}{}\n", change.knob, to_text(change.from), to_text(change.to),
                 change.breaks.empty()
                     ? ""
                     : fmt::format("   (can break: {})", joined(words(change.breaks))));
  }

  void print_time() const {
    const Measurement& measured = *trial.measurement;
    const auto dirty = std::ranges::count(measured.samples, false, &Sample::clean);
    fmt::print(
        "  {} {}: lower quartile of {} samples of {} calls, {} of them disturbed{}; {} {}, median "
        "{}\n",
        figure_name(report.own_figure), figure_interval(report.own_figure, measured.seconds),
        measured.samples.size(), measured.repeats, dirty,
        measured.disturbed ? " (too few clean ones: all count)" : "",
        report.own_figure ? "best" : "fastest", figure_text(report.own_figure, measured.best),
        figure_text(report.own_figure, measured.median));
    if (const std::string memory = measured.memory(); !memory.empty())
      fmt::print("  it {}, and the times are those on new data\n", memory);
    if (measured.prepare_seconds > 0)
      fmt::print("  preparing its data{} took {} (not part of the time)\n",
                 report.roofline.machine.is_gpu() ? " on the card" : " layout",
                 seconds_text(measured.prepare_seconds));
    for (const auto& [name, value] : measured.figures) fmt::print("  {} {:.6g}\n", name, value);
    fmt::print("  largest error in validation: {:.2g}\n", measured.max_error);
  }

  /// What else the machine did during the trial, and whether the core was slower than in the probe.
  void print_environment() const {
    auto* found = value_at(study.trial_environments, trial.index);
    if (!found) return;
    fmt::print("  {}\n", found->note);
    if (const std::string drop = clock_drop(*found, report.roofline.machine); !drop.empty())
      fmt::print("  {}\n", drop);
  }

  void print_bound() const {
    fmt::print("  no code is faster than {} (the slowest of):\n",
               seconds_text(report.bound.time.value()));
    for (const CeilingTime& part : report.bound.parts)
      fmt::print("    {:<6} {:>10}  {}{}\n", part.level, seconds_text(part.time.value()),
                 part.ceiling, part.ceiling == report.bound.ceiling ? "   <- binds" : "");
  }

  /// For the best and the baseline: prints the time from the race, as in the report.
  void print_raced() const {
    for (const auto* one : {&report.best, &report.baseline}) {
      if (!*one || (*one)->trial != trial.index) continue;
      if ((*one)->seconds != trial.measurement->seconds)
        fmt::print("  raced {} per call beside the others\n", seconds_interval((*one)->seconds));
      return;
    }
  }

  /// For the best: prints how busy the machine's parts are and what they leave, where that is
  /// known.
  void print_busy() const {
    if (!report.best || trial.index != report.best->trial) return;
    const Claims said = claims(report);
    for (const Claim::Kind kind : {Claim::Kind::busy, Claim::Kind::more})
      if (const Claim* const claim = claim_of(said, kind)) fmt::print("  {}\n", words_of(*claim));
  }

  void print_artefact(const Kernel& kernel) const {
    const Backend* backend = kernel.backend(study.header.backend);
    if (!backend) return;
    ArtefactCache cache(cache_directory() / "artefacts", host_compiler());
    if (backend->needs_gpu_compiler())
      use_gpu_compiler(cache, report.roofline.machine, study.header.backend);
    const Artefact artefact =
        cache.described(kernel, *backend, space_of(study), trial.configuration);
    fmt::print("  artefact {}{}\n",
               trial.artefact.empty() ? "none (nothing was built)" : trial.artefact,
               trial.artefact.empty() || artefact.key == trial.artefact
                   ? ""
                   : " (sources or compiler have changed since)");
    if (!artefact.command.empty()) fmt::print("  built by:\n{}", indented(artefact.command));
    for (const KernelResources& one : kernel_resources(artefact.image, backend->name))
      fmt::print("  {}: {} registers, {} B stack, {} B spilled, {} B shared (static)\n", one.kernel,
                 one.registers, one.stack_bytes, one.spill_stores + one.spill_loads,
                 one.shared_bytes);
    if (!artefact.cached)
      fmt::print("  the build is not in the cache\n");
    else
      fmt::print("  compiler's output:\n{}",
                 indented(artefact.log.empty() ? "(nothing)" : artefact.log));
    fmt::print("  what its key is made of now:\n{}", indented(artefact.explanation));
  }

  void print_key() const {
    // The words behind the study's id already name the program.
    if (study.header.backend == command_backend) return;
    try {
      print_artefact(read_kernel(study.setup->kernel_folder));
    } catch (const Error& error) {
      fmt::print("  artefact {}; how it was built cannot be told here: {}\n", trial.artefact,
                 error.what());
    }
  }

  /// To explain the build needs the kernel's folder; it is left out where the folder is gone.
  void print() const {
    fmt::print("trial {} of study {} ({}): {}\n  {}\n", trial.index, report.header.id,
               trial.started, to_text(trial.outcome), trial.configuration.key());
    if (!trial.because.empty()) fmt::print("  tried after the search: {}\n", trial.because);
    if (!trial.detail.empty()) fmt::print("  detail:\n{}", indented(trial.detail));
    print_changes();
    if (trial.measurement) {
      print_time();
      print_environment();
    }
    if (trial.measurement && report.bound.known()) {
      print_raced();
      print_bound();
      print_busy();
    }
    fmt::print("  cost: build {}, validate {}, time {}, total {}\n",
               duration_text(trial.cost.build), duration_text(trial.cost.validate),
               duration_text(trial.cost.time), duration_text(trial.cost.total));
    print_key();
  }
};

Kernel kernel_of_study(const StudyRecord& study) {
  if (study.header.backend == command_backend)
    throw Error("a program's study has no kernel source", study.header.id,
                "sources are shown for studies of kernels");
  return read_kernel(study.require_setup().kernel_folder);
}

}  // namespace

const Trial& chosen_trial(const StudyResult& report, const std::string& word) {
  for (const auto& [name, contender, absent] :
       {std::tuple("best", &report.best, std::string("nothing was measured")),
        std::tuple("baseline", &report.baseline, report.no_baseline_because)})
    if (word == name) {
      if (!*contender) throw Error("the study has no " + word, "trial", absent);
      return *find_trial(report, (*contender)->trial);
    }
  const auto index = number_in<uint64_t>(word);
  if (const Trial* const trial = index ? find_trial(report, *index) : nullptr) return *trial;
  throw Error(fmt::format("the study has no trial \"{}\"", word), "trial",
              fmt::format("{}; or a number below {}", did_you_mean(word, {"best", "baseline"}),
                          report.trials.size()));
}

VariantSource::VariantSource(const StudyRecord& study)
    : study_(study),
      kernel_(kernel_of_study(study)),
      space_(space_of(study)),
      backend_(kernel_.backend(study.header.backend)) {
  if (!backend_)
    throw Error("the kernel has no back end " + study.header.backend + " any more", kernel_.folder,
                "tune it again with one that it has");
}

std::string VariantSource::text(const Configuration& configuration) const {
  const auto macros = build::knob_macros(space_, configuration);
  const auto half = [&](build::Side side) {
    const build::Amalgamation source =
        build::amalgamated(backend_->source, variant_include_directory(), macros, side);
    return source.includes() + source.text;
  };
  const auto flags = build::knob_flags(space_, configuration);
  std::string result = flags.empty() ? "" : fmt::format("// flags: {}\n", joined(flags, " "));
  if (backend_->needs_gpu_compiler())
    return result + half(build::Side::kernels) + "\n// What launches them:\n" +
           half(build::Side::launching);
  return result + half(backend_->needs_kokkos() ? build::Side::kokkos : build::Side::host);
}

Texts VariantSource::changed() const {
  TextSet compiled{file_name(backend_->source)};
  for (const auto& file : build::included_files(backend_->source, variant_include_directory()))
    compiled.insert(file_name(file));
  Texts changed = changed_sources(study_);
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

int explain_command(const ExplainOptions& options) {
  const StudyRecord study = find_study(fs::absolute(options.spec.results),
                                       {{options.spec.kernel}, options.study, options.spec.inputs});
  const StudyResult report = analyse(study, options.input);
  if (options.trial.empty()) {
    fmt::print("study {} of {} on {}\n  what its id is made of:\n{}", report.header.id,
               report.header.kernel, report.roofline.machine.name,
               indented(study.header.explanation));
    print_answer(report, true);
    return 0;
  }
  const Trial& trial = chosen_trial(report, options.trial);
  if (!options.source && !options.diff) {
    TrialStory{study, report, trial}.print();
    return 0;
  }
  const VariantSource variants(study);
  if (const auto changed = variants.changed(); !changed.empty())
    fmt::print(stderr, "note: of today's files; changed since the study: {}\n", joined(changed));
  fmt::print("{}",
             options.source ? variants.text(trial.configuration) : variants.difference(trial));
  return 0;
}

}  // namespace rooftune::cli
