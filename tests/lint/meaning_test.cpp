// Meaning is an enum: text is compared where it is read, and nowhere else.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <regex>

#include "lint/tree.h"

using rooftune::lint::files;
using rooftune::lint::SourceFile;

namespace {

/// Ends of paths of files that read text of others, with the owner of the words.
struct Border {
  const char* words;
  std::vector<std::string> files;
};
const std::vector<Border> borders{
    {"words of assemblers, compilers and the preprocessor",
     {"build/compilation.cpp", "build/kokkos.cpp", "kokkos/connector.cpp"}},
    {"output of other programs", {"/trace_table.cpp", "/likwid_csv.cpp", "cuda/ncu_csv.cpp"}},
    {"files of the operating system",
     {"/cpu_identity.cpp", "os/process_tree.cpp", "os/sysfs_topology.cpp", "os/topology.cpp",
      "host/doctor.cpp"}},
    {"documents of other tuners",
     {"/t1_kernel.cpp", "/t1_space.cpp", "/t4_reader.cpp", "/ktt_reader.cpp",
      "/cachefile_reader.cpp", "/time_unit.cpp", "/recording_writer.cpp"}},
    {"the language of expressions, and numbers unknown to JSON",
     {"core/expression_parser.cpp", "core/fields.cpp", "core/value.cpp", "exports/conditions.cpp",
      "roofline/counts_json.cpp", "trial/trial.cpp"}},
    {"documents of this program, at their reader",
     {"kernel/manifest.cpp", "kernel/manifest_arguments.cpp", "space/space_reader.cpp",
      "sweep/plan.cpp", "sweep/matrix.cpp", "runtime/exported.cpp", "roofline/machine_reader.cpp",
      "run/metric.cpp"}},
    {"options and their placeholders",
     {"cli/completion.cpp", "cli/main.cpp", "cli/plot_command.cpp", "/replay_command.cpp",
      "/console.cpp"}},
};

/// Comparisons left elsewhere: names of machines, levels, precisions, mixes and units, which stand
/// in machine files, and words without an enum yet. A new one belongs into an enum with words().
const std::map<std::string, int> left{
    {"amalgamation.cpp", 1},
    {"answer.cpp", 1},
    {"applicable.cpp", 1},
    {"arithmetic.cpp", 5},
    {"baseline.cpp", 1},
    {"baseline_command.cpp", 2},
    {"bench.cpp", 2},
    {"bench_command.cpp", 3},
    {"campaign.cpp", 1},
    {"campaign_levels.cpp", 2},
    {"cards.cpp", 2},
    {"check_command.cpp", 1},
    {"command_evaluator.cpp", 4},
    {"commands.cpp", 1},
    {"comparison.cpp", 2},
    {"contradiction.cpp", 1},
    {"counted_bound.cpp", 1},
    {"counted_quantities.cpp", 5},
    {"counted_rows.cpp", 2},
    {"counts.cpp", 2},
    {"effect.cpp", 9},
    {"energy.cpp", 1},
    {"experiment.cpp", 2},
    {"explain_trial.cpp", 3},
    {"export_choice.cpp", 1},
    {"export_command.cpp", 2},
    {"figures.cpp", 2},
    {"gap.cpp", 1},
    {"glossary.cpp", 1},
    {"gpu_bench.cpp", 2},
    {"gpu_campaign.cpp", 1},
    {"header_exporter.cpp", 1},
    {"import_command.cpp", 1},
    {"in_core_kernels.cpp", 8},
    {"instruction.cpp", 2},
    {"instruction.h", 1},
    {"json_exporter.cpp", 1},
    {"kernel_library.cpp", 1},
    {"knob.cpp", 1},
    {"kokkos_app.cpp", 1},
    {"launch_settings.cpp", 11},
    {"launcher.cpp", 1},
    {"library_package.cpp", 3},
    {"machines.cpp", 2},
    {"memory_exercise.cpp", 4},
    {"model.cpp", 2},
    {"plan.cpp", 1},
    {"probe.cpp", 2},
    {"probe_card.cpp", 1},
    {"provider_table.cpp", 2},
    {"rates.cpp", 4},
    {"recording_file.cpp", 2},
    {"replay_knowledge.cpp", 1},
    {"roofline_chart.cpp", 1},
    {"scale.cpp", 2},
    {"self_check.cpp", 1},
    {"slurm_command.cpp", 1},
    {"study_input.cpp", 1},
    {"study_page.cpp", 1},
    {"sweep_command.cpp", 4},
    {"terminal.cpp", 1},
    {"terminal_chart.cpp", 6},
    {"text.cpp", 1},
    {"text_exporters.cpp", 1},
    {"text_table.cpp", 1},
    {"tune_command.cpp", 1},
    {"wall_experiments.cpp", 1},
    {"wall_findings.cpp", 2},
    {"weaving.cpp", 8},
};

bool is_border(const std::string& path) {
  return std::any_of(borders.begin(), borders.end(), [&](const Border& border) {
    return std::any_of(border.files.begin(), border.files.end(),
                       [&](const std::string& end) { return path.ends_with(end); });
  });
}

/// Comparisons with a literal word; endings of files and schemas are names.
int comparisons(const SourceFile& file) {
  static const std::regex word(R"re([\w)\]] [!=]= "[^"]*[A-Za-z][^"]*")re");
  static const std::regex name(R"re(extension\(\)|filename\(\)|"rooftune-)re");
  return static_cast<int>(std::count_if(file.lines.begin(), file.lines.end(), [](const auto& line) {
    return std::regex_search(line, word) && !std::regex_search(line, name);
  }));
}

}  // namespace

TEST_CASE("no answer depends on a word compared") {
  std::map<std::string, int> found;
  for (const SourceFile& file : files("tuner", {".h", ".cpp"})) {
    const std::string path = file.path.string();
    if (const int count = comparisons(file); count > 0 && !is_border(path))
      found[file.path.filename().string()] += count;
  }
  for (const auto& [name, count] : found) {
    INFO(name);
    const auto known = left.find(name);
    CHECK(count <= (known == left.end() ? 0 : known->second));
  }
}
