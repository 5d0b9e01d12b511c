// Commands, forms of exports and of search spaces of this extension.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/command_table.h"
#include "cli/study_files.h"
#include "replay/recording.h"
#include "replay/t1_space.h"
#include "replay_commands/extension.h"
#include "replay_commands/options.h"
#include "search/strategy.h"
#include "space/search_space.h"

namespace rooftune::replay_commands {
namespace {

void add_space(CLI::App& app, CommandLine& line) {
  CLI::App* space =
      app.add_subcommand("space", "Size of a search space: Rooftune's, T1, plain or recorded");
  const auto options = std::make_shared<SpaceOptions>();
  space->callback([&line, options] {
    line.run = [options](const CommandLine&) { return space_command(*options); };
  });
  space->add_option("file", options->file, "File of the space (plain or .gz)")->required();
  space->add_flag("--count", options->count, "How often each value is allowed, too");
  space->add_flag("--json", options->json, "As JSON");
  space->add_option("-m,--machine", options->machine, "Machine whose facts the space may name")
      ->capture_default_str()
      ->type_name("MACHINE");
  space->add_option("--problem", options->problem, "Problem parameters: name=value[,...]")
      ->type_name("K=V,...");
}

void add_replay(CLI::App& app, CommandLine& line) {
  CLI::App* replay = app.add_subcommand(
      "replay", "Compare strategies on recorded spaces (T4, cachefile, KTT output)");
  const auto options = std::make_shared<ReplayOptions>();
  replay->callback([&line, options] {
    line.run = [options](const CommandLine&) { return replay_command(*options); };
  });
  replay->add_option("files", options->files, "Recorded spaces (plain or .gz)")->required();
  options->strategy = default_strategy;
  replay->add_option("--strategy", options->strategy, "Strategies between commas, or all")
      ->capture_default_str()
      ->type_name("STRATEGY");
  replay->add_option("--seeds", options->seeds, "Searches of each strategy")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  replay->add_option("--budget", options->budget, "Evaluations of each search")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000000));
  replay
      ->add_option("--block-size-names", options->block_size_names,
                   "Knobs between commas whose product is the threads of a block, where a file has "
                   "them; default: block_size_x, block_size_y, block_size_z (strategy roofline)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("KNOB,...");
  DescribedOptions described(*replay);
  described("until_within", options->until_within,
            {"End searches that are sure as `tune --until-within` does, e.g. 5%, and count how "
             "many of them were wrong",
             "SHARE"});
  described("confidence", options->confidence, {"How likely, for --until-within", "SHARE", "95%"});
  replay->add_flag("--json", options->json, "As JSON");
}

void add_import(CLI::App& app, CommandLine& line) {
  CLI::App* imported =
      app.add_subcommand("import", "Read results of other tuners and write them in another form");
  const auto options = std::make_shared<ImportOptions>();
  imported->callback([&line, options] {
    line.run = [options](const CommandLine&) { return import_command(*options); };
  });
  imported->add_option("file", options->file, "T4, cachefile, KTT output (.gz too)")->required();
  imported
      ->add_option("--format", options->format,
                   "t4 or cachefile; kernel: a folder from a T1 file with its CUDA source")
      ->capture_default_str();
  imported->add_option("-o,--output", options->output, "File to write (default: standard output)")
      ->type_name("FILE");
}

/// tune report FILE.
void add_recording_report(CLI::App& app, CommandLine& line) {
  CLI::App* report = app.get_subcommand("report");
  CLI::Option* recording = report->add_option_function<std::string>(
      "recording",
      [&line](const std::string& file) {
        line.report.instead = [file](const ReportOptions& options) {
          return recording_report(options, file);
        };
      },
      "Recording of another tuner (T4, cachefile, KTT output, plain or .gz)");
  for (const char* other : {"--kernel", "--machine", "--study", "--input"})
    recording->excludes(report->get_option(other));
}

}  // namespace

void add_replay() {
  extend_command_line(add_space);
  extend_command_line(add_replay);
  extend_command_line(add_import);
  extend_command_line(add_recording_report);
  add_space_form({is_t1, [](const Json& json, const std::string& where) {
                    return t1_from_json(json, where).space;
                  }});
  for (const RecordingFormat& row : recording_formats())
    add_export_form(
        {row.name, row.summary,
         [write = row.write](const StudyRecord& study) { return write(recording_of(study)); },
         nullptr});
}

}  // namespace rooftune::replay_commands
