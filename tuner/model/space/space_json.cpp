// Search-space files ("rooftune-space-1"): reading the document.
#include <fmt/format.h>

#include "core/error.h"
#include "space/search_space.h"
#include "space/space_form.h"
#include "space/space_reader.h"

namespace rooftune::space {
namespace {

std::vector<SpaceForm>& forms() {
  static std::vector<SpaceForm> all;
  return all;
}

}  // namespace

void add_space_form(const SpaceForm& form) { forms().push_back(form); }

const SpaceForm* foreign_form(const Json& json) {
  for (const SpaceForm& form : forms())
    if (form.recognises(json)) return &form;
  return nullptr;
}

SearchSpace space_of_file(const std::string& name, const std::string& where,
                          const std::function<SearchSpace()>& make) {
  const auto place = [&](const Error& error) {
    const std::string& inner = error.where();
    return inner.starts_with(name) ? where + inner.substr(name.size()) : where;
  };
  try {
    return make();
  } catch (const EmptySpace& empty) {
    throw EmptySpace(Error(empty.message(), place(empty), empty.hint()), empty.knobs(),
                     empty.conflict());
  } catch (const Error& error) {
    throw Error(error.message(), place(error), error.hint());
  }
}

SearchSpace space_from_json(const Json& json, const std::string& where, const Facts& facts) {
  if (const SpaceForm* form = foreign_form(json)) return form->read(json, where);
  Faults faults;
  ObjectReader object(json, where, faults);
  const std::string schema = object.text("schema");
  if (!schema.empty() && schema != "rooftune-space-1")
    object.fault("schema", fmt::format("unknown schema \"{}\"", schema), "rooftune-space-1");
  const std::string kernel = object.text("kernel");
  const std::string backend = object.text("backend");
  const bool of_command = backend == command_space;
  const SpaceReader reader(facts, faults, !of_command);
  std::vector<Knob> knobs;
  std::vector<Constraint> constraints;
  if (!object.has("knobs")) object.fault("knobs", "is missing (an array of objects)");
  object.each("knobs", [&](ObjectReader& knob) { knobs.push_back(reader.knob(knob)); });
  object.each("constraints", [&](ObjectReader& constraint) {
    constraints.push_back(reader.constraint(constraint, knobs));
  });
  reader.check_together(object, knobs);
  // Read for pruning and for experiments: least_movements.h, wall_experiment.h.
  object.know("walls");
  object.know("moves");
  object.know("experiments");
  for (const char* limit : {"work", "traffic"})
    if (of_command) object.know(limit);
  object.finish();
  faults.raise();
  const std::string name = kernel + "." + backend;
  return space_of_file(name, where, [&] {
    return SearchSpace(name, std::move(knobs), std::move(constraints), facts);
  });
}

Json read_command_space(const std::filesystem::path& file, const std::string& name) {
  Json space = read_json(file);
  if (foreign_form(space) || !space.is_object()) return space;
  space.emplace("kernel", name);
  space["backend"] = command_space;
  if (const auto knobs = space.find("knobs"); knobs != space.end() && knobs->is_array())
    for (Json& knob : *knobs)
      if (knob.is_object()) knob.emplace("kind", to_text(Knob::Kind::argument));
  return space;
}

SearchSpace read_space(const std::filesystem::path& file, const Facts& facts) {
  return space_from_json(read_json(file), file.string(), facts);
}

}  // namespace rooftune::space
