// tune kokkos: kernels of a Kokkos application worth tuning, from the profile of
// librooftune_kokkos.so, and their distance from the machine's limit where their work is given.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "application_commands/extension.h"
#include "application_commands/library_source.h"
#include "cli/command_table.h"
#include "cli/console.h"
#include "core/fields.h"
#include "core/file.h"
#include "core/units.h"
#include "report/figures.h"
#include "report/text_table.h"
#include "roofline/rates.h"
#include "study/machines.h"

namespace rooftune::application_commands {
namespace {

struct KokkosOptions {
  std::string profile, work, machine = "host";
  bool all = false;
};

struct ProfiledKernel {
  std::string name, pattern, device;
  std::int64_t calls = 0;
  double seconds = 0;          ///< of all calls
  std::optional<Bound> bound;  ///< of one call
  /// Time of all calls beyond their bound; without a bound all of it [s].
  double beyond() const {
    return bound ? seconds - static_cast<double>(calls) * bound->time.value() : seconds;
  }
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
    visit.defaulted("kokkos", self.version)("seconds", self.seconds).open();
    visit.defaulted("kernels", self.kernels);
  }
};

/// Work and traffic of one call [flop], [B].
struct CallWork {
  std::map<std::string, double> flops;
  double read = 0, write = 0;
  static void fields(auto& self, auto& visit) {
    visit.defaulted("flops", self.flops).defaulted("read", self.read);
    visit.defaulted("write", self.write);
  }
};

/// A file of work: by the label of the kernel.
struct KernelWorks {
  std::map<std::string, CallWork> kernels;
  static void fields(auto& self, auto& visit) {
    visit.schema("rooftune-kokkos-work-1", "is no work of kernels")
        .defaulted("kernels", self.kernels);
  }
};

Json read_document(const std::string& file, const char* schema, const char* hint) {
  Json json = read_json(file);
  if (!json.is_object() || json.value("schema", Json()) != schema)
    throw Error(fmt::format("is no {} document", schema), file, hint);
  return json;
}

KokkosProfile read_profile(const std::string& file) {
  return decoded<KokkosProfile>(
      read_document(file, "rooftune-kokkos-1",
                    "KOKKOS_TOOLS_LIBS=librooftune_kokkos.so ./application writes one"),
      file);
}

/// Work and traffic of one call, by label.
void read_work(const std::string& file, const Machine& machine, KokkosProfile& profile) {
  const Json json =
      read_document(file, "rooftune-kokkos-work-1",
                    "{\"schema\": \"rooftune-kokkos-work-1\", \"kernels\": {\"label\": {\"flops\": "
                    "{\"fp64\": 1e6}, \"read\": 8e6, \"write\": 4e6}}}, of one call");
  Faults faults;
  const Place all(file, faults), place = all.member("kernels");
  KernelWorks given;
  decode(json, all, given);
  std::vector<std::string> labels;
  for (const ProfiledKernel& kernel : profile.kernels) labels.push_back(kernel.name);
  for (const auto& [label, work] : given.kernels) {
    if (std::find(labels.begin(), labels.end(), label) == labels.end())
      place.member(label).fault("no kernel of the profile has this label",
                                did_you_mean(label, labels));
    Roofline roofline{{}, {}, machine, most_threads(machine)};
    for (const auto& [precision, count] : work.flops) roofline.work.least[precision] = Flops(count);
    roofline.traffic.read = Bytes(work.read);
    roofline.traffic.write = Bytes(work.write);
    roofline.traffic.footprint = roofline.traffic.read + roofline.traffic.write;
    for (ProfiledKernel& kernel : profile.kernels)
      if (kernel.name == label) kernel.bound = roofline.bound();
  }
  faults.raise();
}

void print(const KokkosProfile& profile, std::size_t most) {
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
             {"per call", Ink::faint},
             {"from the bound", Ink::faint}});
  for (std::size_t i = 0; i < std::min(most, profile.kernels.size()); ++i) {
    const ProfiledKernel& kernel = profile.kernels[i];
    const double each = kernel.seconds / static_cast<double>(kernel.calls);
    table.row({{kernel.name, Ink::strong},
               {kernel.pattern + " " + kernel.device},
               {count_text(static_cast<double>(kernel.calls))},
               {duration_text(kernel.seconds)},
               {fmt::format("{:.0f} %", all > 0 ? 100 * kernel.seconds / all : 0)},
               {seconds_text(each)},
               {kernel.bound ? fmt::format("{} ({})", ratio_text(each / kernel.bound->time.value()),
                                           kernel.bound->ceiling)
                             : "?"}});
  }
  fmt::print("{}", table.str(style.colour));
  if (profile.kernels.size() > most)
    fmt::print("and {} more: --all\n", profile.kernels.size() - most);
  if (profile.kernels.empty()) return;
  const ProfiledKernel& first = profile.kernels.front();
  if (first.bound)
    fmt::print("most to gain: {}, {} beyond its bound\n", first.name,
               duration_text(std::max(0.0, first.beyond())));
  else
    fmt::print("most time: {}; give its work and traffic with --work to see what it could gain\n",
               first.name);
}

int kokkos_command(const KokkosOptions& options) {
  KokkosProfile profile = read_profile(options.profile);
  if (!options.work.empty()) read_work(options.work, load_machine(options.machine), profile);
  std::stable_sort(
      profile.kernels.begin(), profile.kernels.end(),
      [](const ProfiledKernel& a, const ProfiledKernel& b) { return a.beyond() > b.beyond(); });
  constexpr std::size_t screen = 15;
  print(profile, options.all ? profile.kernels.size() : screen);
  return 0;
}

void add_kokkos(CLI::App& app, CommandLine& line) {
  CLI::App* kokkos = app.add_subcommand(
      "kokkos", "Which kernels of a Kokkos application are worth tuning, from its profile");
  const auto options = std::make_shared<KokkosOptions>();
  kokkos->callback([&line, options] {
    line.run = [options](const CommandLine&) { return kokkos_command(*options); };
  });
  kokkos
      ->add_option("profile", options->profile,
                   "Written by an application under KOKKOS_TOOLS_LIBS=librooftune_kokkos.so")
      ->required();
  kokkos
      ->add_option("--work", options->work,
                   "Work and traffic of one call of a kernel, by label (docs/exchange.md)")
      ->type_name("FILE");
  kokkos->add_option("-m,--machine", options->machine, "Machine whose ceilings bound them")
      ->capture_default_str()
      ->type_name("MACHINE");
  kokkos->add_flag("--all", options->all, "All kernels, not one screen of them");
}

}  // namespace

void add_applications() {
  extend_command_line(add_kokkos);
  extend_command_line(add_new);
  add_export_form({"library", "Plain C++ of the variants that won, to build and link (a folder)",
                   nullptr, export_library, update_library});
}

}  // namespace rooftune::application_commands
