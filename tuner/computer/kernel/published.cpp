// Reads published paths and peers, and places a path's steps in a search space.
#include "kernel/published.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/fields.h"
#include "core/json.h"
#include "core/list.h"
#include "core/object_reader.h"
#include "core/pattern.h"
#include "core/text.h"
#include "kernel/manifest_reader.h"

namespace rooftune::kernel {
namespace {

/// Sets one knob; refuses names and values unknown to the space.
void set(Configuration& configuration, const std::string& name, const Value& value,
         const SearchSpace& space, const std::string& where, std::string& impossible) {
  const Knob* knob = space.knob(name);
  if (!knob)
    throw Error(fmt::format("there is no knob \"{}\" in space {}", name, space.name()), where,
                did_you_mean(name, members(space.knobs(), &Knob::name)));
  for (const Value& known : knob->values)
    if (known == value) {
      configuration.set(name, known);
      return;
    }
  if (knob->collapsed.empty())
    throw Error(fmt::format("knob {} has no value {}", name, to_text(value)), where);
  impossible = fmt::format("{} = {}: {}", name, to_text(value), knob->collapsed);
}

constexpr const char* peers_schema = "rooftune-peers-1";
constexpr const char* cuda_backend = "cuda";

bool is_library(const std::string& name) {
  return !name.empty() &&
         all_of(name, [](char c) { return is_name_char(c) || c == '+' || c == '.'; });
}

bool is_on_card(ObjectReader& reader) {
  const std::string backend = reader.text("backend", "");
  if (!backend.empty() && backend != cuda_backend)
    reader.fault("backend", fmt::format("\"{}\" has no peers", backend),
                 "\"cuda\": it runs on a card; without the member it runs on the CPU");
  return backend == cuda_backend;
}

Backend source(ObjectReader& reader, const Kernel& kernel, bool on_card) {
  Backend backend = read_backend(reader, kernel.folder);
  const bool has_kernels = backend.source.extension() == ".cu";
  if (has_kernels && !on_card)
    reader.fault("source", "is CUDA, and the peer runs on the CPU", "add \"backend\": \"cuda\"");
  backend.name = has_kernels ? cuda_backend : "peer";
  reader.read("libraries", backend.libraries);
  for (const std::string& library : backend.libraries)
    if (!is_library(library))
      reader.fault("libraries", fmt::format("\"{}\" is no name of a library", library),
                   "\"z\" stands for libz");
  for (const std::string& directory : reader.get<Texts>("include_directories")) {
    if (!directory.starts_with('/'))
      reader.fault("include_directories", fmt::format("\"{}\" is no absolute path", directory));
    backend.include_directories.push_back(directory);
  }
  return backend;
}

PeerProgram program(ObjectReader& reader) {
  PeerProgram result;
  result.name = reader.text("program");
  reader.read("arguments", result.arguments);
  result.pattern = reader.text("pattern");
  try {
    if (Pattern(result.pattern).groups() < 1)
      reader.fault("pattern", "needs a group for the number, as in \"time: ([0-9.]+) s\"");
  } catch (const PatternError& error) {
    reader.fault("pattern", fmt::format("is no regular expression: {}", error.what()));
  }
  result.seconds = reader.expression("seconds", reader.formula("seconds", "value"));
  return result;
}

}  // namespace

void fields(FieldsOf<PublishedFigures> auto& self, auto& visit) {
  for (const auto& [name, figure] :
       {std::pair("seconds", &self.seconds), std::pair("flops", &self.flops),
        std::pair("rate", &self.rate)})
    visit.defaulted(name, *figure).check(name, !*figure || **figure > 0, "must be above 0");
  ROOFTUNE_EACH(visit, self, machine, source);
}

void fields(FieldsOf<PublishedStep> auto& self, auto& visit) {
  ROOFTUNE_EACH(visit, self, name, title);
  ROOFTUNE_EACH(visit.defaulted, self, doc, set, published);
}

void fields(FieldsOf<PublishedPath> auto& self, auto& visit) {
  visit.schema("rooftune-path-1", "this is no published path");
  ROOFTUNE_EACH(visit, self, kernel, backend, title, source);
  ROOFTUNE_EACH(visit.defaulted, self, problem, steps);
  visit.check("steps", !self.steps.empty(), "at least one step is needed");
}

fs::path published_path_file(const fs::path& kernel_folder, const std::string& backend) {
  return kernel_folder / fmt::format("published.{}.json", backend);
}

PublishedPath published_path_from_json(const Json& json, const std::string& where,
                                       const std::string& kernel, const std::string& backend) {
  Faults faults;
  const Place place(json, where, faults);
  PublishedPath path;
  decode(place, path);
  if (!path.kernel.empty() && path.kernel != kernel)
    place.member("kernel").fault(fmt::format("\"{}\" is not \"{}\"", path.kernel, kernel));
  if (!path.backend.empty() && path.backend != backend)
    place.member("backend").fault(fmt::format("\"{}\" is not \"{}\"", path.backend, backend));
  for (const size_t i : indices(path.steps))
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
  for (const size_t s : indices(path.steps)) {
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

Peers read_peers(const Kernel& kernel) {
  const auto file = kernel.folder / "peers.json";
  if (!fs::exists(file)) return {};
  const Json json = read_json(file);
  if (!json.is_object()) throw Error("a list of peers is a JSON object", file);
  Faults faults;
  ObjectReader root(json, file.string(), faults);
  if (root.text("schema") != peers_schema && root.has("schema"))
    root.fault("schema", fmt::format("must be \"{}\"", peers_schema));
  Peers peers;
  root.each("peers", [&](ObjectReader& reader) {
    Peer peer;
    peer.name = reader.text("name");
    peer.title = reader.text("title");
    peer.cure = reader.text("cure");
    if (const std::string when = reader.text("when", ""); !when.empty())
      peer.when = reader.expression("when", when);
    peer.on_card = is_on_card(reader);
    if (reader.has("program") == reader.has("source"))
      reader.fault("", "a peer has either \"source\" or \"program\"");
    else if (reader.has("program"))
      peer.program = program(reader);
    else
      peer.source = source(reader, kernel, peer.on_card);
    reader.finish();
    peers.push_back(std::move(peer));
  });
  root.finish();
  faults.raise();
  return peers;
}

}  // namespace rooftune::kernel
