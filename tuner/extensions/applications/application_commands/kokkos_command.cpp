// tune kokkos: kernels of a Kokkos application worth tuning, from the profile of
// librooftune_kokkos.so, and their distance from the machine's limit where their work is given.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "application_commands/options.h"
#include "cli/console.h"
#include "core/file.h"
#include "core/units.h"
#include "report/figures.h"
#include "report/text_table.h"
#include "roofline/roofline.h"
#include "study/machines.h"

namespace rooftune::application_commands {
namespace {

constexpr const char* profile_schema = "rooftune-kokkos-1";
constexpr const char* work_schema = "rooftune-kokkos-work-1";

struct ProfiledKernel {
  std::string name, pattern, device;
  std::int64_t calls = 0;
  double seconds = 0;          ///< of all calls
  std::optional<Bound> bound;  ///< of one call
  /// Time of all calls beyond their bound; without a bound all of it [s].
  double beyond() const {
    return bound ? seconds - static_cast<double>(calls) * bound->time.value() : seconds;
  }
};

struct KokkosProfile {
  std::string version;
  double seconds = 0;
  std::vector<ProfiledKernel> kernels;
};

void require_schema(const Json& json, const char* schema, const std::string& file,
                    const char* hint) {
  if (!json.is_object() || json.value("schema", Json()) != schema)
    throw Error(fmt::format("is no {} document", schema), file, hint);
}

KokkosProfile read_profile(const std::string& file) {
  const Json json = read_json(file);
  require_schema(json, profile_schema, file,
                 "KOKKOS_TOOLS_LIBS=librooftune_kokkos.so ./application writes one");
  KokkosProfile profile;
  Faults faults;
  ObjectReader reader(json, file, faults);
  reader.know("schema");
  reader.know("tunables");
  profile.version = reader.text("kokkos", "");
  profile.seconds = reader.real("seconds");
  reader.each("kernels", [&](ObjectReader& one) {
    ProfiledKernel kernel;
    kernel.name = one.text("name");
    kernel.pattern = one.text("pattern");
    kernel.device = one.text("device", "");
    kernel.calls = one.integer("calls");
    kernel.seconds = one.real("seconds");
    one.real("least", 0);
    if (kernel.calls < 1) one.fault("calls", "is not above 0");
    if (!(kernel.seconds >= 0) || !std::isfinite(kernel.seconds))
      one.fault("seconds", "is no time");
    one.finish();
    profile.kernels.push_back(std::move(kernel));
  });
  reader.finish();
  faults.raise();
  return profile;
}

/// Threads of its measured ceilings.
int most_threads(const Machine& machine) {
  int most = 1;
  for (const Ceiling& ceiling : machine.ceilings) most = std::max(most, ceiling.threads);
  return most;
}

/// Work and traffic of one call, by label.
void read_work(const std::string& file, const Machine& machine, KokkosProfile& profile) {
  const Json json = read_json(file);
  require_schema(json, work_schema, file,
                 "{\"schema\": \"rooftune-kokkos-work-1\", \"kernels\": {\"label\": {\"flops\": "
                 "{\"fp64\": 1e6}, \"read\": 8e6, \"write\": 4e6}}}, of one call");
  Faults faults;
  ObjectReader reader(json, file, faults);
  reader.know("schema");
  std::vector<std::string> labels;
  for (const ProfiledKernel& kernel : profile.kernels) labels.push_back(kernel.name);
  reader.object("kernels", [&](ObjectReader& kernels) {
    for (const auto& [label, ignored] : kernels.json().items()) {
      if (std::find(labels.begin(), labels.end(), label) == labels.end())
        kernels.fault(label, "no kernel of the profile has this label",
                      did_you_mean(label, labels));
      kernels.object(label, [&](ObjectReader& one) {
        Roofline roofline{{}, {}, machine, most_threads(machine)};
        one.object("flops", [&](ObjectReader& flops) {
          for (const auto& [precision, count] : flops.json().items())
            roofline.work.least[precision] = Flops(flops.real(precision));
        });
        roofline.traffic.read = Bytes(one.real("read", 0));
        roofline.traffic.write = Bytes(one.real("write", 0));
        roofline.traffic.footprint = roofline.traffic.read + roofline.traffic.write;
        one.finish();
        for (ProfiledKernel& kernel : profile.kernels)
          if (kernel.name == label) kernel.bound = roofline.bound();
      });
    }
  });
  reader.finish();
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

}  // namespace

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

}  // namespace rooftune::application_commands
