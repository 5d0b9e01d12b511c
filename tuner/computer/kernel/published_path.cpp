// Reading a published path and placing its steps in a search space.
#include "kernel/published_path.h"

#include <fmt/format.h>

#include "core/fields.h"

namespace rooftune::kernel {
namespace {

constexpr const char* path_schema = "rooftune-path-1";

/// Sets one knob; refuses names and values unknown to the space.
void set(Configuration& configuration, const std::string& name, const Value& value,
         const SearchSpace& space, const std::string& where, std::string& impossible) {
  const Knob* knob = space.knob(name);
  if (!knob) {
    std::vector<std::string> names;
    for (const Knob& each : space.knobs()) names.push_back(each.name);
    throw Error(fmt::format("there is no knob \"{}\" in space {}", name, space.name()), where,
                did_you_mean(name, names));
  }
  for (const Value& known : knob->values)
    if (known == value) {
      configuration.set(name, known);
      return;
    }
  if (knob->collapsed.empty())
    throw Error(fmt::format("knob {} has no value {}", name, to_text(value)), where);
  impossible = fmt::format("{} = {}: {}", name, to_text(value), knob->collapsed);
}

}  // namespace

void fields(FieldsOf<PublishedFigures> auto& self, auto& visit) {
  for (const auto& [name, figure] :
       {std::pair("seconds", &self.seconds), std::pair("flops", &self.flops),
        std::pair("rate", &self.rate)})
    visit.defaulted(name, *figure).check(name, !*figure || **figure > 0, "must be above 0");
  visit("machine", self.machine)("source", self.source);
}

void fields(FieldsOf<PublishedStep> auto& self, auto& visit) {
  visit("name", self.name)("title", self.title)
      .defaulted("doc", self.doc)
      .defaulted("set", self.set)
      .defaulted("published", self.published);
}

void fields(FieldsOf<PublishedPath> auto& self, auto& visit) {
  std::string schema;
  visit("schema", schema)("kernel", self.kernel)("backend", self.backend)("title", self.title)(
      "source", self.source)
      .defaulted("problem", self.problem)
      .defaulted("steps", self.steps)
      .check("schema", schema == path_schema, fmt::format("must be \"{}\"", path_schema))
      .check("steps", !self.steps.empty(), "at least one step is needed");
}

std::filesystem::path published_path_file(const std::filesystem::path& kernel_folder,
                                          const std::string& backend) {
  return kernel_folder / fmt::format("published.{}.json", backend);
}

std::optional<PublishedPath> published_path(const Kernel& kernel, const std::string& backend) {
  const auto file = published_path_file(kernel.folder, backend);
  if (!std::filesystem::exists(file)) return std::nullopt;
  return published_path_from_json(read_json(file), file.string(), kernel.name, backend);
}

PublishedPath published_path_from_json(const Json& json, const std::string& where,
                                       const std::string& kernel, const std::string& backend) {
  Faults faults;
  const Place place(where, faults);
  PublishedPath path;
  decode(json, place, path);
  if (!path.kernel.empty() && path.kernel != kernel)
    place.member("kernel").fault(fmt::format("\"{}\" is not \"{}\"", path.kernel, kernel));
  if (!path.backend.empty() && path.backend != backend)
    place.member("backend").fault(fmt::format("\"{}\" is not \"{}\"", path.backend, backend));
  for (std::size_t i = 0; i < path.steps.size(); ++i)
    for (const auto& [knob, value] : path.steps[i].set)
      if (value.is_list())
        place.member("steps").element(i).member("set").member(knob).fault(
            "a knob's value is a number, a text or a truth");
  faults.raise();
  return path;
}

std::vector<PlacedStep> placed(const PublishedPath& path, const SearchSpace& space,
                               const std::string& where) {
  std::vector<PlacedStep> result;
  Configuration configuration = space.baseline();
  for (std::size_t s = 0; s < path.steps.size(); ++s) {
    PlacedStep step;
    for (const auto& [name, value] : path.steps[s].set)
      set(configuration, name, value, space, fmt::format("{}: /steps/{}/set", where, s),
          step.impossible);
    step.configuration = space.normalised(configuration);
    if (step.impossible.empty() && !space.allowed(step.configuration))
      step.impossible = space.why_not(step.configuration);
    result.push_back(std::move(step));
  }
  return result;
}

}  // namespace rooftune::kernel
