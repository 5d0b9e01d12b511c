#include "store/event_json.h"

#include <charconv>
#include <cmath>

#include "core/fields.h"
#include "core/version.h"

namespace rooftune::store {
namespace {

// Bodies as JSON, one function per event without one of its own.

Json to_json(const StudyHeader& header) {
  return Json{{"id", header.id},
              {"kernel", header.kernel},
              {"backend", header.backend},
              {"machine", header.machine},
              {"machine_id", header.machine_id},
              {"strategy", header.strategy},
              {"seed", std::to_string(header.seed)},  // 64 bits without sign are no JSON number
              {"problem", header.problem},
              {"threads", header.threads},
              {"cache_state", header.cache_state},
              {"explanation", header.explanation},
              {"rooftune", version}};
}

Json to_json(const Proposed& together) {
  Json configurations = Json::array();
  for (const Configuration& configuration : together.configurations)
    configurations.push_back(rooftune::to_json(configuration));
  return {{"configurations", configurations}};
}

template <class Attempt>
Json attempt_json(const Attempt& attempt) {
  return Json{{"index", attempt.index},
              {"configuration", rooftune::to_json(attempt.configuration)}};
}
Json to_json(const Started& started) { return attempt_json(started); }
Json to_json(const GivenUp& given_up) { return attempt_json(given_up); }

Json to_json(const Refuted& refuted) {
  return {{"configuration", rooftune::to_json(refuted.configuration)}, {"detail", refuted.detail}};
}

Json to_json(const Environment& environment) {
  Json clock = Json::array();
  for (const auto& reading : environment.clock)
    clock.push_back(reading ? Json(std::round(*reading)) : Json());
  return {{"note", environment.note}, {"clock", clock}};
}

Json to_json(const TrialEnvironment& one) {
  Json json = to_json(one.environment);
  json["trial"] = one.trial;
  return json;
}

Json anchor_json(const std::vector<Ceiling>& anchors) {
  Json json = Json::array();
  for (const Ceiling& anchor : anchors)
    json.push_back({{"name", anchor.name},
                    {"level", anchor.level},
                    {"precision", anchor.precision},
                    {"stable", anchor.stable},
                    {"rate", anchor.rate.value},
                    {"low", anchor.rate.low},
                    {"high", anchor.rate.high}});
  return json;
}
Json to_json(const AnchorReadings& readings) {
  return {{"start", anchor_json(readings.start)},
          {"end", anchor_json(readings.end)},
          {"between", anchor_json(readings.between)}};
}

Json to_json(const InputCounts& counts) {
  Json json = rooftune::to_json(counts.runs);
  json["input"] = counts.input;
  return json;
}

Json to_json(const InputExperiments& experiments) {
  Json json = rooftune::to_json(experiments.experiments);
  json["input"] = experiments.input;
  if (!experiments.absent_because.empty()) json["absent_because"] = experiments.absent_because;
  return json;
}

Json to_json(const PublishedRace& published) { return rooftune::to_json(published.race); }

Json to_json(const Stopped& stopped) { return encode(stopped); }

Json to_json(const Waited& run) { return {{"seconds", run.seconds}}; }

// And back.

Event proposed_from_json(const Json& body, const std::string& where) {
  Faults faults;
  ObjectReader reader(body, where, faults);
  const Json& configurations = reader.member("configurations");
  if (!configurations.is_array()) reader.fault("configurations", "must be a list");
  faults.raise();
  Proposed together;
  for (const Json& one : configurations)
    together.configurations.push_back(configuration_from_json(one, where + "/configurations"));
  return together;
}

template <class Attempt>
Event attempt_from_json(const Json& body, const std::string& where) {
  Faults faults;
  ObjectReader reader(body, where, faults);
  const std::int64_t index = reader.integer("index");
  const Json& configuration = reader.member("configuration");
  if (index < 0) reader.fault("index", "must not be negative");
  faults.raise();
  return Attempt{configuration_from_json(configuration, where + "/configuration"),
                 static_cast<std::uint64_t>(index)};
}

Event refuted_from_json(const Json& body, const std::string& where) {
  Faults faults;
  ObjectReader reader(body, where, faults);
  const Json& configuration = reader.member("configuration");
  Refuted refuted{{}, reader.text("detail")};
  faults.raise();
  refuted.configuration = configuration_from_json(configuration, where + "/configuration");
  return refuted;
}

Environment environment_from_json(const Json& body, const std::string& where) {
  Faults faults;
  ObjectReader reader(body, where, faults);
  Environment environment;
  environment.note = reader.text("note", "");
  const Json& clock = reader.member("clock");
  for (std::size_t i = 0; clock.is_array() && i < environment.clock.size() && i < clock.size(); ++i)
    if (clock[i].is_number() && clock[i].get<double>() > 0)
      environment.clock[i] = clock[i].get<double>();
  faults.raise();
  return environment;
}

TrialEnvironment trial_environment_from_json(const Json& body, const std::string& where) {
  Faults faults;
  ObjectReader reader(body, where, faults);
  const std::int64_t trial = reader.integer("trial");
  if (trial < 0) reader.fault("trial", "must not be negative");
  faults.raise();
  return {static_cast<std::uint64_t>(trial), environment_from_json(body, where)};
}

std::vector<Ceiling> anchors_from_json(ObjectReader& reader, const std::string& key) {
  std::vector<Ceiling> anchors;
  reader.each(key, [&](ObjectReader& one) {
    Ceiling anchor;
    anchor.name = one.text("name");
    anchor.level = one.text("level", "");
    anchor.precision = one.text("precision", "");
    anchor.kind = anchor.level.empty() ? Ceiling::Kind::in_core : Ceiling::Kind::bandwidth;
    anchor.stable = one.truth("stable", true);
    anchor.rate = {one.real("rate"), one.real("low"), one.real("high")};
    if (!(anchor.rate.low > 0 && anchor.rate.value > 0)) one.fault("rate", "must be above 0");
    anchors.push_back(std::move(anchor));
  });
  return anchors;
}

Event readings_from_json(const Json& body, const std::string& where) {
  Faults faults;
  ObjectReader reader(body, where, faults);
  AnchorReadings readings{anchors_from_json(reader, "start"), anchors_from_json(reader, "end"),
                          anchors_from_json(reader, "between")};
  faults.raise();
  return readings;
}

Event stopped_from_json(const Json& body, const std::string& where) {
  return decoded<Stopped>(body, where);
}

Event waited_from_json(const Json& body, const std::string& where) {
  Faults faults;
  ObjectReader reader(body, where, faults);
  const Waited run{reader.real("seconds")};
  if (run.seconds < 0) reader.fault("seconds", "must not be negative");
  faults.raise();
  return run;
}

/// The input (from 0) of a body.
std::size_t input_of(const Json& body, const std::string& where) {
  Faults faults;
  ObjectReader reader(body, where, faults);
  const std::int64_t input = reader.integer("input", 0);
  if (input < 0) reader.fault("input", "must not be negative");
  faults.raise();
  return static_cast<std::size_t>(input);
}

Event counts_from_body(const Json& body, const std::string& where) {
  return InputCounts{input_of(body, where), counted_runs_from_json(body, where)};
}

Event experiments_from_body(const Json& body, const std::string& where) {
  const std::size_t input = input_of(body, where);
  Faults faults;
  const std::string absent = ObjectReader(body, where, faults).text("absent_because", "");
  faults.raise();
  return InputExperiments{input, experiments_from_json(body, where), absent};
}

/// One row per event: its name, its index in Event, and how its body is read.
struct Form {
  const char* name;
  Event (*read)(const Json& body, const std::string& where);
};
const std::array<Form, std::variant_size_v<Event>> forms{{
    {"study", [](const Json& b, const std::string& w) -> Event { return header_from_json(b, w); }},
    {"setup", [](const Json& b, const std::string& w) -> Event { return setup_from_json(b, w); }},
    {"proposed", proposed_from_json},
    {"started", attempt_from_json<Started>},
    {"given up", attempt_from_json<GivenUp>},
    {"trial", [](const Json& b, const std::string& w) -> Event { return trial_from_json(b, w); }},
    {"refuted", refuted_from_json},
    {"trial environment",
     [](const Json& b, const std::string& w) -> Event {
       return trial_environment_from_json(b, w);
     }},
    {"environment",
     [](const Json& b, const std::string& w) -> Event { return environment_from_json(b, w); }},
    {"anchors", readings_from_json},
    {"race", [](const Json& b, const std::string& w) -> Event { return race_from_json(b, w); }},
    {"ablation",
     [](const Json& b, const std::string& w) -> Event { return ablation_from_json(b, w); }},
    {"counts", counts_from_body},
    {"experiments", experiments_from_body},
    {"choice",
     [](const Json& b, const std::string& w) -> Event { return specialisation_from_json(b, w); }},
    {"published race",
     [](const Json& b, const std::string& w) -> Event {
       return PublishedRace{race_from_json(b, w)};
     }},
    {"stopped", stopped_from_json},
    {"waited", waited_from_json},
}};

}  // namespace

const char* event_name(const Event& event) { return forms[event.index()].name; }

Json body_json(const Event& event) {
  return std::visit([](const auto& one) { return to_json(one); }, event);
}

Json record(const Event& event) {
  return Json{{"schema", record_schema}, {"event", event_name(event)}, {"body", body_json(event)}};
}

std::optional<Event> event_from_json(const std::string& name, const Json& body,
                                     const std::string& where) {
  for (const Form& form : forms) {
    if (name != form.name) continue;
    if (!body.is_object()) throw Error("the body of \"" + name + "\" is no object", where);
    return form.read(body, where);
  }
  return std::nullopt;
}

StudyHeader header_from_json(const Json& json, const std::string& where) {
  if (!json.is_object()) throw Error("a study header is a JSON object", where);
  Faults faults;
  ObjectReader reader(json, where, faults);
  StudyHeader header;
  header.id = reader.text("id");
  header.kernel = reader.text("kernel");
  header.backend = reader.text("backend");
  header.machine = reader.text("machine");
  header.machine_id = reader.text("machine_id");
  header.strategy = reader.text("strategy");
  const std::string seed = reader.text("seed");
  const char* end = seed.data() + seed.size();
  if (const auto read = std::from_chars(seed.data(), end, header.seed);
      read.ec != std::errc{} || read.ptr != end)
    reader.fault("seed", "must be a whole number of 64 bits, as text");
  header.problem = reader.member("problem");
  const std::int64_t threads = reader.integer("threads");
  header.threads = static_cast<int>(threads);
  if (header.threads != threads) reader.fault("threads", "is out of range");
  header.cache_state = reader.text("cache_state");
  header.explanation = reader.text("explanation");
  faults.raise();
  return header;
}

}  // namespace rooftune::store
