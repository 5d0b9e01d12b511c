// `tune --command APP --kokkos`: an unmodified Kokkos application, for whose kernels
// librooftune_kokkos.so sets team sizes, vector lengths and tiles.
#include <fmt/format.h>

#include <algorithm>

#include "cli/study_files.h"
#include "core/file.h"
#include "core/json.h"
#include "core/list.h"
#include "host/host_platform.h"
#include "os/paths.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"
#include "run/command_template.h"

namespace rooftune::cli {
namespace {

constexpr const char* kokkos_option = "--kokkos";
constexpr auto longest_look = std::chrono::minutes(10);

fs::path connector() {
  constexpr const char* name = "librooftune_kokkos.so";
  const fs::path bin = self().parent_path();
  for (const char* folder : {"../lib", "../" ROOFTUNE_LIBRARY_FOLDER})
    if (const fs::path file = (bin / folder / name).lexically_normal(); fs::exists(file))
      return file;
  throw Unavailable(fmt::format("there is no {} beside this tune", name), kokkos_option,
                    "build or install the whole project");
}

/// The environment in which the application always runs; Kokkos before 3.7 knows the variable's old
/// name.
NamedTexts tools() {
  const std::string file = connector().string();
  return {{"KOKKOS_TOOLS_LIBS", file},
          {"KOKKOS_PROFILE_LIBRARY", file},
          {"KOKKOS_TUNE_INTERNALS", "1"}};
}

/// Runs the program once with nothing chosen; returns the sizes that its kernels leave open.
Json open_sizes(const Program& program, const Facts& problem) {
  const TemporaryDirectory folder;
  const fs::path list = folder.path() / "open_sizes.json";
  Command command;
  command.argv =
      CommandTemplate::parse(program.command, "--command").filled([&](const std::string& name) {
        auto* value = value_at(problem, name);
        if (value) return std::vector{to_text(*value)};
        throw Error(fmt::format("{{{}}} is no problem parameter", name), "--command",
                    "knobs of the program itself need a space that names them and "
                    "those of its kernels: --space FILE");
      });
  command.environment = tools();
  command.environment.insert(program.environment.begin(), program.environment.end());
  command.environment["ROOFTUNE_KOKKOS_LIST"] = list.string();
  command.without = {"ROOFTUNE_EXPORTS", "ROOFTUNE_KOKKOS_VALUES"};
  command.limit = longest_look;
  command.keeps_end = true;
  const Finished finished = execute(command);
  if (!finished.status.ok())
    throw Error(
        fmt::format("the program {}; {}", finished.status.text(), last_lines(finished.output)),
        "--command", "run it by hand; its output stands above");
  if (!fs::exists(list))
    throw Error(
        "the program loaded no tool: it is no Kokkos application, or Kokkos was built "
        "without tools; " +
            last_lines(finished.output),
        kokkos_option, "tune it without --kokkos, or let it initialise and finalise Kokkos");
  return read_json(list);
}

/// Kokkos takes a kernel's sizes together, and a tile on the host has at most 512 points.
void add_constraints(const std::vector<std::pair<std::string, bool>>& knobs, Json& constraints) {
  std::string product;
  for (const auto& [name, whole] : knobs) {
    if (&name != &knobs.front().first)
      constraints.push_back(
          {{"expression", fmt::format("({} == -1) == ({} == -1)", knobs.front().first, name)},
           {"reason", "the sizes of a kernel are chosen together or not at all"}});
    if (whole && contains(name, "_tile_size_")) join(product, name, " * ");
  }
  if (contains(product, '*'))
    constraints.push_back(
        {{"expression", fmt::format("{} == -1 or {} <= 512", knobs.front().first, product)},
         {"reason", "Kokkos has no larger tiles on the host"}});
}

Json discovered_space(const Json& sizes, const std::string& label) {
  Json knobs = Json::array(), constraints = Json::array();
  ByName<std::vector<std::pair<std::string, bool>>> by_kernel;
  Texts labels;
  for (const Json& one : sizes) {
    const std::string kernel = one.at("kernel"), name = one.at("knob");
    labels.push_back(kernel);
    auto values = one.at("values").get<std::vector<Json>>();
    if (values.size() < 2 || (!label.empty() && kernel != label)) continue;
    const bool whole = values.front().is_number_integer();
    std::ranges::sort(values);
    values.insert(values.begin(), whole ? Json(-1) : Json(-1.0));
    knobs.push_back(
        {{"name", name},
         {"values", values},
         {"default", values.front()},
         {"doc", one.at("variable").get<std::string>() + " of Kokkos; -1: its own choice"}});
    by_kernel[kernel].emplace_back(name, whole);
  }
  if (knobs.empty() && !label.empty() && !labels.empty())
    throw Error(fmt::format("nothing can be chosen for a kernel \"{}\"", label), kokkos_option,
                did_you_mean(label, labels));
  if (knobs.empty())
    throw Error("this application has nothing that can be chosen from outside", kokkos_option,
                "Kokkos and it must be built with Kokkos_ENABLE_TUNING, and a policy leave its "
                "team size, vector length or tile open (Kokkos::AUTO)");
  for (const auto& [kernel, names] : by_kernel) add_constraints(names, constraints);
  return {{"schema", "rooftune-space-1"}, {"knobs", knobs}, {"constraints", constraints}};
}

/// "knob={knob};..." for a space that a person may have written: the study reports its faults.
std::string placeholders(const Json& space) {
  std::string values;
  const Json knobs = space.contains("knobs") ? space.at("knobs") : Json();
  for (const Json& knob : knobs)
    if (const std::string name = text_of(knob, "name"); !name.empty())
      join(values, fmt::format("{0}={{{0}}}", name), ";");
  return values;
}

}  // namespace

StudySpec with_connector(const TuneOptions& options) {
  StudySpec spec = options.spec;
  if (!options.kokkos) return spec;
  Program& program = *spec.program;
  const Facts problem = spec.inputs.empty() ? Facts{} : spec.inputs.front().parameters;
  if (!program.build.empty())
    throw Error("a Kokkos application is run as it is", "--build",
                "build it before, or set its knobs by --env and --space without --kokkos");
  if (program.space.empty()) {
    const Json space = discovered_space(open_sizes(program, problem), *options.kokkos);
    program.space = folder_below(spec.results, "kokkos") /
                    (program_kernel(program, problem).name + ".kokkos.json");
    write_atomically(program.space, json_text(space, 1) + "\n");
  }
  for (const auto& [variable, text] : tools()) program.environment.emplace(variable, text);
  program.environment["ROOFTUNE_KOKKOS_VALUES"] = placeholders(read_json(program.space));
  if (program.metric == Program().metric)
    program.metric = "regex:^rooftune: (\\S+) s in tuned kernels";
  return spec;
}

}  // namespace rooftune::cli
