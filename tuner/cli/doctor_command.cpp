// tune doctor: properties of this computer with an effect on results, and their cures.
#include <fmt/format.h>

#include <algorithm>

#include "cli/console.h"
#include "cli/options.h"
#include "host/doctor.h"
#include "report/text_table.h"

namespace rooftune::cli {
namespace {

using State = HostCheck::State;

/// In the order of the states, with and without Unicode.
struct Sign {
  const char *unicode, *ascii;
  Ink ink;
};
constexpr Sign signs[] = {{"\u2714", "+", Ink::green},
                          {"?", "?", Ink::faint},
                          {"!", "!", Ink::yellow},
                          {"-", "-", Ink::faint},
                          {"\u2718", "x", Ink::red}};

std::string text_of_checks(const std::vector<HostCheck>& checks, const TerminalStyle& style) {
  TextTable table(style.width);
  for (const HostCheck& check : checks) {
    const Sign& sign = signs[static_cast<std::size_t>(check.state)];
    table.row({{style.unicode ? sign.unicode : sign.ascii, sign.ink},
               {check.what, Ink::strong},
               {check.found}});
    if (!check.effect.empty()) table.row({{""}, {""}, {check.effect}});
    if (!check.cure.empty()) table.row({{""}, {""}, {"cure: " + check.cure, Ink::faint}});
  }
  return table.str(style.colour);
}

std::string verdict_of_checks(const std::vector<HostCheck>& checks) {
  const auto count = [&](State state) {
    return std::count_if(checks.begin(), checks.end(),
                         [&](const HostCheck& check) { return check.state == state; });
  };
  if (const auto faults = count(State::fault); faults > 0)
    return fmt::format("Studies cannot run here: {} fault{}.", faults, faults == 1 ? "" : "s");
  const auto limits = count(State::limits);
  return limits == 0 ? "Studies run here, and nothing is in their way."
                     : fmt::format("Studies run here; {} thing{} make their results worse.", limits,
                                   limits == 1 ? "" : "s");
}

}  // namespace

int doctor_command(const DoctorOptions& options) {
  const std::vector<HostCheck> checks =
      host_checks(std::filesystem::absolute(results_directory(options.results)));
  const bool faulty = std::any_of(checks.begin(), checks.end(), [](const HostCheck& check) {
    return check.state == State::fault;
  });
  if (options.json)
    fmt::print("{}\n", json_text(json_of(checks), 2));
  else
    fmt::print("{}\n\n{}", verdict_of_checks(checks), text_of_checks(checks, style_of(1)));
  return static_cast<int>(faulty ? ExitCode::unavailable : ExitCode::ok);
}

}  // namespace rooftune::cli
