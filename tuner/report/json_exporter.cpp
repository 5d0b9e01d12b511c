// The exporter that writes what runtime/best_configuration.h reads.
#include "core/estimate_json.h"
#include "report/exporter.h"

namespace rooftune::inline report {
namespace {

Json knobs_json(const std::vector<Knob>& knobs) {
  Json json = Json::object();
  for (const Knob& knob : knobs) {
    Json entry{{"kind", to_text(knob.kind)}};
    if (!knob.setting.empty()) entry["setting"] = knob.setting;
    if (!knob.doc.empty()) entry["doc"] = knob.doc;
    json[knob.name] = entry;
  }
  return json;
}

Json provenance(const BestConfiguration& best) {
  const ResultIdentity& study = best.identity;
  Json json{{"study", study.id},
            {"date", study.date},
            {"tool", "rooftune " + study.version},
            {"strategy", study.strategy},
            {"seed", study.seed},
            {"threads", best.threads},
            {"cache", study.cache_state},
            {"compiler", study.compiler}};
  json["seconds"] = estimate_json(best.seconds);
  json["speedup"] = best.speedup ? estimate_json(*best.speedup) : Json();
  json["bound"] = {{"seconds", best.bound.value()},
                   {"ceilings", best.ceilings},
                   {"source",
                    {{"kind", to_text(best.ceiling_source.kind)},
                     {"text", best.ceiling_source.text},
                     {"date", best.ceiling_source.date}}}};
  json["gap"] = {{"total", best.gap.total.value},
                 {"low", best.gap.total.low},
                 {"high", best.gap.total.high},
                 {"work", number_or_null(best.gap.work)},
                 {"traffic", number_or_null(best.gap.traffic)},
                 {"rate", number_or_null(best.gap.rate)}};
  json["verdict"] = {{"conclusive", best.inconclusive.empty()},
                     {"inconclusive", best.inconclusive},
                     {"baseline_stands", best.baseline_stands}};
  json["flags"] = best.flags;
  json["notes"] = best.notes;
  return json;
}

}  // namespace

std::string json_export(const BestConfiguration& best) {
  Json identity = Json::object();
  for (const auto& [name, value] : best.machine_identity) identity[name] = value;
  Json json{{"schema", "rooftune-export-1"},
            {"kernel", best.identity.kernel},
            {"backend", best.identity.backend},
            {"machine", {{"name", best.machine}, {"id", best.machine_id}, {"identity", identity}}},
            {"problem", facts_json(best.problem)},
            {"configuration", to_json(best.configuration)},
            {"defaults", to_json(best.baseline)},
            {"knobs", knobs_json(best.knobs)},
            {"provenance", provenance(best)}};
  for (const Facts& problem : best.problems) json["problems"].push_back(facts_json(problem));
  return json_text(json, 2) + '\n';
}

}  // namespace rooftune::inline report
