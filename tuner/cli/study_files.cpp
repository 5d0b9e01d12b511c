// Studies run from the terminal, and their pages: tune report.
#include "cli/study_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "cli/console.h"
#include "cli/options.h"
#include "core/file.h"
#include "core/list.h"
#include "core/seconds_since.h"
#include "core/units.h"
#include "counters/provider.h"
#include "host/host_platform.h"
#include "host/slurm_nodes.h"
#include "os/file_lock.h"
#include "os/interruption.h"
#include "os/topology.h"
#include "report/charts.h"
#include "report/comparison.h"
#include "report/machine_report.h"
#include "report/staircase.h"
#include "report/study_page.h"
#include "report/terminal.h"
#include "report/trials_csv.h"
#include "store/study_store.h"
#include "study/find_study.h"
#include "study/machines.h"
#include "study/own_code.h"
#include "study/platform.h"
#include "study/prepare.h"

namespace rooftune::cli {
namespace {

/// Announces the search to come.
void announce(const PreparedStudy& study, const StudyRecord& record, ProgressPrinter& printer) {
  for (const auto& input : study.inputs)
    printer.say(fmt::format(
        "{} on {}: {} configurations, {}{}", study.kernel.name, study.machine.name,
        input->space->size(),
        input->bound.known()
            ? fmt::format("bound {} ({})", to_text(input->bound.time), input->bound.ceiling)
            : fmt::format("no bound ({})", input->roofline.why_no_bound()),
        study.objective ? ", " + input->model.name : ""));
  if (study.objective)
    printer.say(fmt::format("one configuration for {} inputs: {} is minimised", study.inputs.size(),
                            described(study.objective->aim())));
  // It is hard to see which input changed.
  if (const auto [latest, parts] = study.kernel.program && record.history.size() == 0
                                       ? difference_from_latest(study.spec.results, study.header)
                                       : Difference{};
      !parts.empty())
    printer.say(fmt::format("a new study, not {}: another {}", latest.substr(0, 8),
                            joined(parts, ", another ")));
  for (const std::string& limit : topology().limited_by) printer.say("note: " + limit);
  if (record.history.size() > 0)
    printer.say(fmt::format("resuming study {}: {} trials are on record", study.header.id,
                            record.history.size()));
}

/// <results>/reports/<kernel>.<backend>.<id>.html
fs::path default_page(const StudyResult& result, const fs::path& results) {
  const StudyHeader& study = result.header;
  return results / "reports" / fmt::format("{}.{}.{}.html", study.kernel, study.backend, study.id);
}

void write_page_of(TunedStudy& tuned, const fs::path& results) {
  try {
    const PagePlace page{default_page(tuned.result, results)};
    write_study_page(tuned.record, tuned.result, page);
    tuned.page = page.file;
  } catch (const std::exception& error) {
    tuned.warnings.push_back(fmt::format("the page was not written: {}", as_error(error).what()));
  }
}

/// Probes a new host if the study is compared with its ceilings.
void probe_where_needed(const StudySpec& spec, bool quiet) {
  if (spec.program) {
    Program program = *spec.program;
    add_stated(program);
    if (!program.states_limit()) return;
  }
  probe_if_never_probed(spec.machine, quiet);
}

/// `forms`: the endings that a file may have here; a file without an ending is a page.
PagePlace page_of(const ReportOptions& options, const fs::path& usual,
                  const Texts& forms = {".html", ".svg", ".md", ".csv"}) {
  if (options.outputs.size() > 1)
    throw Error("a study or a machine has one page", "--output " + options.outputs[1],
                "several are for --sweep");
  if (options.outputs.empty()) return {usual};
  const std::string ending = fs::path(options.outputs.front()).extension().string();
  if (!ending.empty() && !contains(forms, ending))
    throw Error(fmt::format("no report ends with \"{}\"", ending),
                "--output " + options.outputs.front(), "a report ends with " + joined(forms));
  return {options.outputs.front(), true};
}

int machine_report(const ReportOptions& options, const fs::path& results) {
  const Machine machine = load_machine(options.subject.machine);
  const PagePlace page =
      page_of(options, results / "reports" / fmt::format("machine.{}.html", machine.name),
              {".html", ".svg"});
  write_page(page, machine_page(machine, utc_now()), machine_svg(machine));
  fmt::print("{}report: {}\n", terminal_machine(machine, style_of(1), options.verbose),
             page.file.string());
  return 0;
}

/// The study that was typed: its id, or the folder with its records.
StudyRecord study_of(const fs::path& results, const std::string& subject) {
  if (!fs::is_directory(subject)) {
    if (!has_any_of(subject, "./")) return find_study(results, {{}, subject});
    throw Error("is neither a study nor a file of a recording", subject,
                "tune list studies shows ids");
  }
  // results/records/<kernel>.<backend>.<id>
  const fs::path folder = fs::canonical(subject);
  return find_study(folder.parent_path().parent_path(),
                    {{}, folder.extension().string().substr(1)});
}

int compare(const fs::path& results, const ReportOptions& options) {
  if (options.subjects.size() > 2 || !options.outputs.empty() || options.watch)
    throw Error("two studies are compared, in the terminal", "tune report", "pages are of one");
  std::vector<StudyResult> studies;
  for (const std::string& subject : options.subjects)
    studies.push_back(analyse(study_of(results, subject), options.input));
  fmt::print("{}", terminal_comparison(studies[0], studies[1], style_of(1)));
  return 0;
}

/// Writes the page again and again, for a browser that loads it anew, until nobody runs the study.
void watch(const StudyHeader& header, const fs::path& results, const PagePlace& page) {
  constexpr std::chrono::seconds pause(3);
  SteadyClock::time_point next;
  lock_or_wait(study_directory(results, header) / "lock", "the study", true, {}, [&] {
    if (SteadyClock::now() < next) return;
    const StudyResult result = analyse(find_study(results, {{}, header.id}));
    std::string text = study_page(result);
    constexpr std::string_view head = "<head>";
    text.insert(text.find(head) + head.size(), R"(<meta http-equiv="refresh" content="3"/>)");
    write_page(page, text, study_svg(result));
    if (next == SteadyClock::time_point())
      print_note("watching until the study ends: " + page.file.string());
    next = SteadyClock::now() + pause;
  });
}

}  // namespace

TunedStudy tune(const StudySpec& spec, Shown shown) {
  // A wrong name is reported before anything takes time.
  const CounterProviderRow* counters = counter_provider(spec.counters);
  chosen_providers(spec.counters, counters && counters->on_card());
  make_strategy(spec.strategy);
  other_nodes_of(spec);
  probe_where_needed(spec, shown == Shown::nothing);
  std::optional<ProgressPrinter> printer;
  StudyObserver observer;
  observer.begin = [&](const PreparedStudy& study, const StudyRecord& record) {
    remember_own_code(record);
    printer.emplace(shown < Shown::line, study);
    if (shown == Shown::all) announce(study, record, *printer);
  };
  observer.progress = [&](const Progress& progress) { printer->show(progress); };
  observer.say = [&](const std::string& text) {
    // Before there is a study, it may show which process it waits for.
    if (!printer && shown != Shown::nothing) print_note(text);
    if (printer && shown == Shown::all) printer->say(text);
  };
  HostPlatform platform;
  TunedStudy tuned{run_study(spec, platform, observer), {}, {}};
  printer.reset();
  write_page_of(tuned, fs::absolute(spec.results));
  return tuned;
}

/// Empty if sources are gone or have changed since the study, and if the user interrupted, for that
/// would end the programs that compare.
std::string best_source_difference(const StudyRecord& study, const StudyResult& result) {
  if (!result.best || study.header.backend == command_backend) return {};
  try {
    const VariantSource variants(study);
    if (!variants.changed().empty()) return {};
    return variants.difference(*find_trial(result, result.best->trial));
  } catch (const Error&) {
    return {};
  } catch (const Interrupted&) {
    return {};
  }
}

void write_study_page(const StudyRecord& study, const StudyResult& result, const PagePlace& page) {
  write_page(page, study_page(result, best_source_difference(study, result)), study_svg(result));
}

void write_page(const PagePlace& page, const std::string& text, const std::string& chart) {
  fs::path file = page.file;
  if (!page.typed)
    folder_below(file.parent_path().parent_path(), file.parent_path().filename());
  else if (file.has_parent_path())
    make_folders(file.parent_path());
  if (file.extension() != ".svg")
    page.typed ? write_for_user(file, text) : write_atomically(file, text);
  // There is no place beside /dev/stdout.
  if (!is_written_through(file)) write_atomically(file.replace_extension(".svg"), chart);
}

int report_command(const ReportOptions& options) {
  const fs::path results = fs::absolute(results_directory(options.results));
  if (options.instead) return options.instead(options);
  if (options.subjects.size() > 1) return compare(results, options);
  if (options.subjects.empty() && options.subject.kernel.empty() &&
      !options.subject.machine.empty())
    return machine_report(options, results);
  if (!options.subjects.empty() && options.of_file && fs::is_regular_file(options.subjects[0]))
    return options.of_file(options);
  StudyRecord study = options.subjects.empty() ? find_study(results, {options.subject})
                                               : study_of(results, options.subjects[0]);
  StudyResult report = analyse(study, options.input);
  const PagePlace page = page_of(options, default_page(report, results));
  if (options.watch) {
    watch(study.header, results, page);
    study = find_study(results, {{}, study.header.id});
    report = analyse(study, options.input);
  }
  const bool paper = page.file.extension() == ".md";
  if (paper || page.file.extension() == ".csv") {
    if (page.file.has_parent_path()) make_folders(page.file.parent_path());
    write_for_user(page.file, paper ? paper_table(report) : trials_csv(report));
  } else {
    write_study_page(study, report, page);
  }
  print_answer(report, options.verbose);
  fmt::print("report: {}\n", page.file.string());
  return 0;
}

}  // namespace rooftune::cli
