// tune report: the page, chart or table of a study, and those of a machine.
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/study_files.h"
#include "core/file.h"
#include "report/page.h"
#include "report/terminal.h"
#include "study/machines.h"

namespace rooftune::cli {
namespace {

/// `forms`: the endings that a file may have here; without one it is a page.
PagePlace page_of(const ReportOptions& options, const std::filesystem::path& usual,
                  const std::vector<std::string>& forms = {".html", ".svg", ".md"}) {
  if (options.outputs.size() > 1)
    throw Error("a study or a machine has one page", "--output " + options.outputs[1],
                "several are for --sweep");
  if (options.outputs.empty()) return {usual};
  const std::string ending = std::filesystem::path(options.outputs.front()).extension().string();
  if (!ending.empty() && std::ranges::find(forms, ending) == forms.end())
    throw Error(fmt::format("no report ends with \"{}\"", ending),
                "--output " + options.outputs.front(),
                fmt::format("a report ends with {}", fmt::join(forms, ", ")));
  return {options.outputs.front(), true};
}

int machine_report(const ReportOptions& options, const std::filesystem::path& results) {
  const Machine machine = load_machine(options.machine);
  const PagePlace page =
      page_of(options, results / "reports" / fmt::format("machine.{}.html", machine.name),
              {".html", ".svg"});
  write_page(page, machine_page(machine, utc_now()), machine_svg(machine));
  fmt::print("{}report: {}\n", terminal_machine(machine, style_of(1), options.verbose),
             page.file.string());
  return 0;
}

}  // namespace

int report_command(const ReportOptions& options) {
  const std::filesystem::path results =
      std::filesystem::absolute(results_directory(options.results));
  if (options.instead) return options.instead(options);
  if (options.kernel.empty() && options.study.empty() && !options.machine.empty())
    return machine_report(options, results);
  const FoundStudy found = found_study(
      results, {.kernel = options.kernel, .machine = options.machine, .id = options.study});
  const StudyResult report = found.result(options.input);
  const PagePlace page = page_of(options, default_page(report, results));
  if (page.file.extension() == ".md") {
    if (page.file.has_parent_path()) make_folders(page.file.parent_path());
    write_for_user(page.file, paper_table(report));
  } else {
    write_study_page(found.record, report, page);
  }
  print_answer(report, options.verbose);
  fmt::print("report: {}\n", page.file.string());
  return 0;
}

}  // namespace rooftune::cli
