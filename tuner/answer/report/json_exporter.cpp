// The exporter of the file that applications read through rooftune/rooftune.h.
#include <sstream>

#include "core/estimate_json.h"
#include "report/exporter.h"
#include "report/figures.h"

namespace rooftune::report {
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

/// Bytes of one instance by level, of the text of an identity: "L1 48 KiB x 2, L2 1024 KiB x 2".
Json caches_json(const std::string& text) {
  Json caches = Json::object();
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::istringstream words(part);
    std::string level;
    std::int64_t kibibytes = 0;
    if (words >> level >> kibibytes) caches[level] = kibibytes * 1024;
  }
  return caches;
}

/// Data for an application to judge whether the configuration may serve on its own machine.
Json class_json(const BestConfiguration& best) {
  const MachineClass& can = best.machine_class;
  Json json{{"kind", to_text(can.kind)},
            {"model", can.model},
            {"cores", can.cores},
            {"simd_bits", can.simd_bits},
            {"features", can.features}};
  const auto& identity = best.machine_identity;
  std::int64_t threads = 0;
  if (identity.contains("cpus") && std::istringstream(identity.at("cpus")) >> threads)
    json["threads"] = threads;
  if (identity.contains("caches"))
    if (Json caches = caches_json(identity.at("caches")); !caches.empty()) json["caches"] = caches;
  return json;
}

/// Quality of the configuration and objections to it, in a line for logs.
std::string verdict_sentence(const BestConfiguration& best) {
  std::string sentence;
  if (!best.inconclusive.empty()) sentence = "inconclusive (" + best.inconclusive.front() + "): ";
  if (best.baseline_stands)
    sentence += "nothing beats the defaults beyond the noise, ";
  else if (best.saving)
    sentence += ratio_interval(*best.saving) + " less energy than the baseline, ";
  else if (best.speedup)
    sentence += ratio_interval(*best.speedup) + " faster than the baseline, ";
  return sentence + (best.bound.value() > 0 ? ratio_interval(best.gap.total) + " from the bound"
                                            : std::string("no limit was given"));
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
  json["speedup"] = estimate_or_null(best.speedup);
  if (best.joules) json["joules"] = estimate_json(*best.joules);
  if (best.saving) json["saving"] = estimate_json(*best.saving);
  // Without work or traffic there is no limit.
  if (best.bound.value() > 0) {
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
  } else {
    json["bound"] = json["gap"] = Json();
  }
  json["verdict"] = {{"sentence", verdict_sentence(best)},
                     {"conclusive", best.inconclusive.empty()},
                     {"inconclusive", best.inconclusive},
                     {"baseline_stands", best.baseline_stands}};
  json["flags"] = best.flags;
  json["notes"] = best.notes;
  return json;
}

}  // namespace

std::string json_export(const BestConfiguration& best) {
  Json json{{"schema", "rooftune-export-1"},
            {"kernel", best.identity.kernel},
            {"backend", best.identity.backend},
            {"machine",
             {{"name", best.machine},
              {"id", best.machine_id},
              {"class", class_json(best)},
              {"identity", best.machine_identity}}},
            {"problem", facts_json(best.problem)},
            {"configuration", to_json(best.configuration)},
            {"defaults", to_json(best.baseline)},
            {"knobs", knobs_json(best.knobs)},
            {"provenance", provenance(best)}};
  for (const Facts& problem : best.problems) json["problems"].push_back(facts_json(problem));
  return json_text(json, 2) + '\n';
}

}  // namespace rooftune::report
