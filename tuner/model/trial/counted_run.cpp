// Records of counting runs as JSON.
#include "trial/counted_run.h"

namespace rooftune::trial {

Json to_json(const CountedRun& run) {
  Json json{{"configuration", to_json(run.configuration)},
            {"provider", run.provider},
            {"seconds", run.seconds}};
  if (run.counts)
    json["counts"] = to_json(*run.counts);
  else
    json["absent_because"] = run.absent_because;
  return json;
}

CountedRun counted_run_from_json(const Json& json, const std::string& where) {
  if (!json.is_object()) throw Error("a counting run is an object", where);
  Faults faults;
  ObjectReader reader(json, where, faults);
  CountedRun run;
  run.provider = reader.text("provider");
  run.seconds = reader.real("seconds", 0);
  run.absent_because = reader.text("absent_because", "");
  const Json& configuration = reader.member("configuration");
  const Json& counts = reader.member("counts");
  faults.raise();
  run.configuration = configuration_from_json(configuration, where + "/configuration");
  if (!counts.is_null()) run.counts = counts_from_json(counts, where + "/counts");
  return run;
}

Json to_json(const std::vector<CountedRun>& runs) {
  Json list = Json::array();
  for (const CountedRun& run : runs) list.push_back(to_json(run));
  return {{"runs", list}};
}

std::vector<CountedRun> counted_runs_from_json(const Json& json, const std::string& where) {
  if (!json.is_object() || !json.contains("runs") || !json.at("runs").is_array())
    throw Error("counts hold an array \"runs\"", where);
  std::vector<CountedRun> runs;
  for (const Json& run : json.at("runs"))
    runs.push_back(counted_run_from_json(run, where + "/runs/" + std::to_string(runs.size())));
  return runs;
}

}  // namespace rooftune::trial
