#include "cli/command_table.h"

#include <fmt/format.h>

#include <functional>

#include "cli/choices.h"
#include "cli/options.h"
#include "core/list.h"
#include "core/version.h"
#include "kernel/manifest_reader.h"

namespace rooftune::cli {
namespace {

std::vector<AddCommands>& extensions() {
  static std::vector<AddCommands> all;
  return all;
}

const char* const exit_codes =
    R"(Exit codes: 0 done, 1 a study or check failed, 2 usage or bad input, 3 machine, device or service
not here, 74 files cannot be written, 75 the same command later, 130 interrupted.)";

/// The metric is the --metric without a name, else the first; the named ones are further figures.
TextCallback metric_reader(Program& program) {
  return [&program, stated = false](const std::string& text) mutable {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos || !is_name(name)) {
      if (stated)
        throw Error(
            "two metrics without a name", "--metric",
            "one is tuned; further figures are named: --metric 'energy=regex:energy: (.*)'");
      program.metric = text;
      stated = true;
      return;
    }
    const std::string source = text.substr(equals + 1);
    if (!stated && program.figures.empty())
      program.metric = source.substr(0, source.size() - metric_words(source).source.size()) + name;
    if (!program.figures.try_emplace(name, source).second)
      throw Error("two figures are called " + name, "--metric", "rename one");
  };
}

/// Adds --command and its company, after a study's options (--kernel, --backend, ...), which
/// exclude them.
void add_program(CLI::App& app, TuneOptions& tune) {
  Program& program = tune.program;
  DescribedOptions add(app);
  std::vector<CLI::Option*> all;
  const auto visit = [&]<class T>(const char* name, T& member, const Option& option) {
    const auto is = [&](const auto& one) { return static_cast<const void*>(&member) == &one; };
    if (is(program.figures)) return;  // --metric fills them
    if (is(program.metric))
      all.push_back(
          add.reads(name, option, metric_reader(program))->trigger_on_parse()->default_str("wall"));
    else if constexpr (std::same_as<T, NamedTexts>)
      all.push_back(
          add.reads(name, option,
                    [&program, &member, name](const std::string& text) {
                      const std::string typed = std::string("--") + name;
                      // A variable's text or a pattern may hold commas.
                      if (&member == &program.environment)
                        return add_variable(text, typed, "BLOCK={BLOCK}", member);
                      const char* example =
                          &member == &program.work ? "'fp64=2*n'" : "'read=8*n,write=8*n'";
                      for (const auto& [word, formula] : assignments({text}, typed, example))
                        member[word] = to_text(formula);
                    })
              ->trigger_on_parse());
    else
      all.push_back(add(name, member, option));
  };
  Program::fields(program, visit);
  app.get_option("--template")->allow_extra_args(false);
  CLI::Option* command = all.front();
  for (const char* other : {"--kernel", "--backend", "--amortize", "--objective", "--path"})
    command->excludes(app.get_option(other));
  all.push_back(
      add("kokkos", tune.kokkos,
          {"A Kokkos application: team sizes, vector lengths and tiles of its kernels, or only of "
           "the one with this label",
           "[LABEL]"}));
  for (CLI::Option* option : all) {
    if (option != command) option->needs(command);
    option->group(program_group);
  }
}

void add_records(CLI::App& app, CommandLine& line) {
  CLI::App& records = *app.add_subcommand("records", "Check and clear the records");
  records.require_subcommand(1);
  add_command(records, line, "verify",
              "Read everything; report torn, damaged, repeated and newer records", verify_command);
  add_command(records, line, "gc", "Remove old records", gc_command);
}

void add_commands(CLI::App& app, CommandLine& line) {
  add_command(app, line, "probe",
              "Measure the ceilings of this host, or of a GPU, and write the machine file",
              probe_command);
  CLI::App& report = *app.add_subcommand(
      "report", "Write the page, chart or table of a study, of a machine or of sweeps");
  report.callback([&line] {
    line.run = [](const CommandLine& typed) { return report_command(typed.report); };
  });
  DescribedOptions add(report);
  ReportOptions::fields(line.report, add);
  report.get_option("--output")->allow_extra_args(false);
  for (const char* other : {"--kernel", "--machine"})
    report.get_option("studies")->excludes(report.get_option(other));
  add_command(app, line, "list",
              "List kernels, machines, strategies, knobs, counters, exporters and more",
              list_command)
      .get_option("what")
      ->check(one_of(listings()));
  add_command(app, line, "check", "Validate a kernel folder: manifest, builds, reference, bound",
              check_command);
  CLI::App& explain =
      add_command(app, line, "explain", "Tell the whole story of a trial: build, key, times, bound",
                  explain_command);
  for (const char* part : {"--source", "--diff"})
    explain.get_option(part)->needs(explain.get_option("trial"));
  explain.get_option("--source")->excludes(explain.get_option("--diff"));
  add_command(app, line, "export", "Write the best validated configuration for an application",
              export_command);
  add_command(app, line, "bench",
              "Compare the best found with the untuned form and other codes, interleaved",
              bench_command)
      .get_option("--peers")
      ->delimiter(',');
  add_command(app, line, "doctor",
              "Say how this computer changes results or forbids them, with the cure",
              doctor_command);
  add_records(app, line);
}

}  // namespace

void extend_command_line(AddCommands add) { extensions().push_back(add); }

void add_study(CLI::App& app, StudySpec& spec) {
  DescribedOptions options(app);
  StudySpec::selection(spec, options);
}

void add_all(CLI::App& app, CommandLine& line, int width) {
  app.description("Rooftune: an autotuner that knows how fast a kernel could run.");
  app.name("tune");
  app.footer(exit_codes);
  app.set_version_flag("-V,--version", std::string("tune ") + version);
  set_help_format(app, width);
  app.require_subcommand(0, 1);
  DescribedOptions add(app);
  TuneOptions::fields(line.tune, add);
  app.get_option("--dry-run")->excludes(app.get_option("--json"));
  add_program(app, line.tune);
  add_commands(app, line);
  for (const AddCommands extend : extensions()) extend(app, line);
}

}  // namespace rooftune::cli
