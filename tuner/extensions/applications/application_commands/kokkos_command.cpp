// tune kokkos: shares of time of the kernels of a Kokkos application, from the profile of
// librooftune_kokkos.so.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "application_commands/extension.h"
#include "cli/command_table.h"
#include "cli/console.h"
#include "core/fields.h"
#include "core/file.h"
#include "report/figures.h"
#include "report/text_table.h"

namespace rooftune::application_commands {
namespace {

struct ProfiledKernel {
  std::string name, pattern, device;
  std::int64_t calls = 0;
  double seconds = 0;  ///< of all calls
  static void fields(auto& self, auto& visit) {
    visit("name", self.name)("pattern", self.pattern).defaulted("device", self.device);
    visit("calls", self.calls)("seconds", self.seconds).open();
    visit.check("calls", self.calls >= 1, "is not above 0");
    visit.check("seconds", self.seconds >= 0 && std::isfinite(self.seconds), "is no time");
  }
};

struct KokkosProfile {
  std::string version;
  double seconds = 0;
  std::vector<ProfiledKernel> kernels;
  static void fields(auto& self, auto& visit) {
    visit.schema("rooftune-kokkos-1",
                 "is no profile of a Kokkos application: "
                 "KOKKOS_TOOLS_LIBS=librooftune_kokkos.so ./application writes one");
    visit.defaulted("kokkos", self.version)("seconds", self.seconds).open();
    visit.defaulted("kernels", self.kernels);
  }
};

struct KokkosOptions {
  std::string profile;
  bool all = false;
};

int kokkos_command(const KokkosOptions& options) {
  auto profile = decoded<KokkosProfile>(read_json(options.profile), options.profile);
  std::ranges::stable_sort(profile.kernels, std::ranges::greater(), &ProfiledKernel::seconds);
  constexpr std::size_t screen = 15;
  const std::size_t most = options.all ? profile.kernels.size() : screen;
  const TerminalStyle style = style_of(1);
  double all = 0;
  for (const ProfiledKernel& kernel : profile.kernels) all += kernel.seconds;
  fmt::print("{} in kernels of {} in all{}\n", duration_text(all), duration_text(profile.seconds),
             profile.version.empty() ? "" : ", Kokkos " + profile.version);
  TextTable table(style.width);
  table.row({{"kernel", Ink::faint},
             {"", Ink::faint},
             {"calls", Ink::faint},
             {"time", Ink::faint},
             {"share", Ink::faint},
             {"per call", Ink::faint}});
  for (std::size_t i = 0; i < std::min(most, profile.kernels.size()); ++i) {
    const ProfiledKernel& kernel = profile.kernels[i];
    const auto calls = static_cast<double>(kernel.calls);
    table.row({{kernel.name, Ink::strong},
               {kernel.pattern + " " + kernel.device},
               {count_text(calls)},
               {duration_text(kernel.seconds)},
               {fmt::format("{:.0f} %", all > 0 ? 100 * kernel.seconds / all : 0)},
               {seconds_text(kernel.seconds / calls)}});
  }
  fmt::print("{}", table.str(style.colour));
  if (profile.kernels.size() > most)
    fmt::print("and {} more: --all\n", profile.kernels.size() - most);
  return 0;
}

void add_kokkos(CLI::App& app, CommandLine& line) {
  CLI::App* kokkos = app.add_subcommand(
      "kokkos", "Which kernels of a Kokkos application are worth tuning, from its profile");
  KokkosOptions& options = options_of(*kokkos, line, kokkos_command);
  kokkos
      ->add_option("profile", options.profile,
                   "Written by an application under KOKKOS_TOOLS_LIBS=librooftune_kokkos.so")
      ->required();
  kokkos->add_flag("--all", options.all, "All kernels, not one screen of them");
}

}  // namespace

void add_applications() {
  extend_command_line(add_kokkos);
  extend_command_line(add_new);
  add_export_form({"library", "Plain C++ of the variants that won, to build and link (a folder)",
                   nullptr, export_library, update_library});
}

}  // namespace rooftune::application_commands
