// Reading a published path and placing its steps in a search space.
#include "kernel/published_path.h"

#include <fmt/format.h>

#include "core/json.h"

namespace rooftune::kernel {
namespace {

constexpr const char* path_schema = "rooftune-path-1";

std::optional<double> figure(ObjectReader& reader, const std::string& key) {
  if (!reader.has(key)) return std::nullopt;
  const double value = reader.real(key);
  if (!(value > 0)) reader.fault(key, "must be above 0");
  return value;
}

PublishedFigures figures(ObjectReader& reader) {
  PublishedFigures result;
  result.seconds = figure(reader, "seconds");
  result.flops = figure(reader, "flops");
  result.rate = figure(reader, "rate");
  result.machine = reader.text("machine");
  result.source = reader.text("source");
  reader.finish();
  return result;
}

PublishedStep step(ObjectReader& reader) {
  PublishedStep result;
  result.name = reader.text("name");
  result.title = reader.text("title");
  result.doc = reader.text("doc", "");
  reader.object("set", [&](ObjectReader& set) {
    for (const auto& [knob, value] : set.json().items()) {
      set.know(knob);
      if (value.is_primitive() && !value.is_null())
        result.set[knob] = value_from_json(value);
      else
        set.fault(knob, "a knob's value is a number, a text or a truth");
    }
  });
  reader.object("published", [&](ObjectReader& inner) { result.published = figures(inner); });
  reader.finish();
  return result;
}

void identity(ObjectReader& root, const std::string& kernel, const std::string& backend) {
  const auto must_be = [&](const char* key, const std::string& wanted) {
    if (const std::string found = root.text(key); root.has(key) && found != wanted)
      root.fault(key, fmt::format("\"{}\" is not \"{}\"", found, wanted));
  };
  must_be("schema", path_schema);
  must_be("kernel", kernel);
  must_be("backend", backend);
}

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
  if (!json.is_object()) throw Error("a published path is a JSON object", where);
  Faults faults;
  ObjectReader root(json, where, faults);
  identity(root, kernel, backend);
  PublishedPath path;
  path.title = root.text("title");
  path.source = root.text("source");
  root.object("problem", [&](ObjectReader& problem) {
    for (const auto& [name, value] : problem.json().items()) {
      problem.know(name);
      path.problem[name] = value_from_json(value);
    }
  });
  root.each("steps", [&](ObjectReader& reader) { path.steps.push_back(step(reader)); });
  if (path.steps.empty()) root.fault("steps", "at least one step is needed");
  root.finish();
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
