// tune report: the page and chart of a study, or of a machine.
#include <fmt/format.h>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/study_files.h"
#include "core/file.h"
#include "report/chart.h"
#include "report/page.h"
#include "report/terminal.h"
#include "study/machines.h"

namespace rooftune::inline cli {
namespace {

int machine_report(const ReportOptions& options, const std::filesystem::path& results) {
  const Machine machine = load_machine(options.machine);
  const std::filesystem::path page =
      options.output.empty() ? results / "reports" / fmt::format("machine.{}.html", machine.name)
                             : std::filesystem::path(options.output);
  write_page(page, machine_page(machine, utc_now()), machine_svg(machine));
  fmt::print("{}report: {}\n", terminal_machine(machine, style_of(1)), page.string());
  return 0;
}

}  // namespace

int report_command(const ReportOptions& options) {
  const std::filesystem::path results =
      std::filesystem::absolute(results_directory(options.results));
  if (options.kernel.empty() && options.study.empty() && !options.machine.empty())
    return machine_report(options, results);
  RecordFilter filter;
  filter.kernel = options.kernel;
  filter.machine = options.machine;
  filter.id = options.study;
  const StudyResult report =
      found_study(results, filter, options.current_model).result(options.input);
  const std::filesystem::path page =
      write_study_page(report, options.output.empty() ? default_page(report, results)
                                                      : std::filesystem::path(options.output));
  fmt::print("{}report: {}\n", terminal_summary(report, style_of(1)), page.string());
  return 0;
}

}  // namespace rooftune::inline cli
