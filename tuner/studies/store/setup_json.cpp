// The setup of a study as JSON: all inputs of bound, gap, ledger and walls.
#include "store/event_json.h"

namespace rooftune::store {
namespace {

Json values_json(const Facts& facts) {
  Json json = Json::object();
  for (const auto& [name, value] : facts) json[name] = to_json(value);
  return json;
}

Json work_json(const Work& work) {
  Json least = Json::object();
  for (const auto& [precision, flops] : work.least) least[precision] = flops.value();
  Json json{{"least", least},
            {"nominal", work.nominal.value()},
            {"items", work.items},
            {"item", work.item}};
  if (!work.operations.empty()) json["operations"] = work.operations;
  return json;
}

Json traffic_json(const Traffic& traffic) {
  Json walls = Json::array();
  for (const Wall& wall : traffic.walls)
    walls.push_back({{"name", wall.name},
                     {"breaks", to_text(wall.lacks)},
                     {"level", wall.level},
                     {"read", wall.read.value()},
                     {"write", wall.write.value()}});
  return {{"read", traffic.read.value()},
          {"write", traffic.write.value()},
          {"footprint", traffic.footprint.value()},
          {"warm", traffic.warm},
          {"walls", walls}};
}

Json input_json(const InputModel& input) {
  Json json{{"name", input.name},
            {"problem", values_json(input.problem)},
            {"facts", values_json(input.facts)},
            {"work", work_json(input.work)},
            {"traffic", traffic_json(input.traffic)}};
  if (!input.reference.empty()) json["reference"] = input.reference;
  return json;
}

Facts facts_from(ObjectReader& reader, const std::string& key) {
  Facts facts;
  reader.object(key, [&](ObjectReader& object) {
    for (const auto& [name, value] : object.json().items()) {
      object.know(name);
      if (value.is_primitive() && !value.is_null())
        facts[name] = value_from_json(value);
      else
        object.fault(name, "must be a number, text or truth");
    }
  });
  return facts;
}

Work work_from(ObjectReader& reader) {
  Work work;
  reader.object("least", [&](ObjectReader& least) {
    for (const auto& [precision, ignored] : least.json().items())
      work.least[precision] = Flops(least.real(precision));
  });
  reader.object("operations", [&](ObjectReader& operations) {
    for (const auto& [precision, ignored] : operations.json().items())
      operations.object(precision, [&](ObjectReader& kinds) {
        for (const auto& [kind, count] : kinds.json().items())
          work.operations[precision][kind] = kinds.real(kind);
      });
  });
  work.nominal = Flops(reader.real("nominal"));
  work.items = reader.real("items", 0);
  work.item = reader.text("item", "");
  return work;
}

Traffic traffic_from(ObjectReader& reader) {
  Traffic traffic;
  traffic.read = Bytes(reader.real("read"));
  traffic.write = Bytes(reader.real("write"));
  traffic.footprint = Bytes(reader.real("footprint"));
  traffic.warm = reader.truth("warm", true);
  reader.each("walls", [&](ObjectReader& one) {
    Wall wall;
    wall.name = one.text("name");
    wall.lacks = read_paradigm(one, "breaks");
    wall.level = one.text("level", "");
    wall.read = Bytes(one.real("read"));
    wall.write = Bytes(one.real("write"));
    traffic.walls.push_back(std::move(wall));
  });
  return traffic;
}

InputModel input_from(ObjectReader& reader) {
  InputModel input;
  input.name = reader.text("name", "");
  input.problem = facts_from(reader, "problem");
  input.facts = facts_from(reader, "facts");
  input.reference = reader.text("reference", "");
  const auto required = [&](const char* key, const auto& read) {
    if (!reader.object(key, read)) reader.fault(key, "is missing");
  };
  required("work", [&](ObjectReader& work) { input.work = work_from(work); });
  required("traffic", [&](ObjectReader& traffic) { input.traffic = traffic_from(traffic); });
  return input;
}

}  // namespace

Json recorded_machine(Machine machine) {
  for (Ceiling& ceiling : machine.ceilings) ceiling.samples.clear();
  machine.slurm.reset();
  return to_json(machine);
}

Json to_json(const StudySetup& setup) {
  Json inputs = Json::array();
  for (const InputModel& input : setup.inputs) inputs.push_back(input_json(input));
  Json json{{"version", setup.version},
            {"command", setup.command},
            {"compiler", setup.compiler},
            {"title", setup.title},
            {"kernel_folder", setup.kernel_folder.string()},
            {"space", {{"file", setup.space.file.string()}, {"content", setup.space.content}}},
            {"published", setup.published},
            {"machine", recorded_machine(setup.machine)},
            {"target_gap", setup.target_gap},
            {"amortize", setup.amortize},
            {"builders", setup.builders},
            {"objective", setup.objective},
            {"inputs", inputs},
            {"not_counted_because", setup.not_counted_because}};
  if (setup.transfer) json["transfer"] = to_json(*setup.transfer);
  return json;
}

StudySetup setup_from_json(const Json& json, const std::string& where) {
  Faults faults;
  ObjectReader reader(json, where, faults);
  StudySetup setup;
  setup.version = reader.text("version", "");
  setup.command = reader.texts("command");
  setup.compiler = reader.text("compiler", "");
  setup.title = reader.text("title", "");
  setup.kernel_folder = reader.text("kernel_folder");
  if (!reader.object("space", [&](ObjectReader& space) {
        setup.space.file = space.text("file");
        setup.space.content = space.member("content");
      }))
    reader.fault("space", "is missing");
  setup.published = reader.member("published");
  reader.each("inputs", [&](ObjectReader& input) { setup.inputs.push_back(input_from(input)); });
  if (setup.inputs.empty()) reader.fault("inputs", "at least one is needed");
  setup.target_gap = reader.real("target_gap", 1.05);
  setup.amortize = reader.real("amortize", 0);
  setup.builders = static_cast<int>(reader.integer("builders", 1));
  setup.objective = reader.text("objective", "");
  setup.not_counted_because = reader.text("not_counted_because", "");
  const Json& machine = reader.member("machine");
  const Json& transfer = reader.member("transfer");
  faults.raise();
  // A program without a stated limit needs no probe of its host.
  setup.machine = machine_from_json(machine, where + "/machine", false);
  if (!transfer.is_null()) setup.transfer = transfer_from_json(transfer, where + "/transfer");
  return setup;
}

}  // namespace rooftune::store
