// The result of a study as data.
#include <algorithm>

#include "core/fields.h"
#include "report/answer.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/study_evidence.h"
#include "report/study_tables.h"

namespace rooftune::report {
namespace {

constexpr const char* result_schema = "rooftune-result-2";

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

/// null for 0.
Json rate_or_null(double amount, double seconds) {
  return amount > 0 ? Json(amount / seconds) : Json();
}

/// The rate of the binding ceiling, and its rate meanwhile; null when it is none of the machine's.
Json ceiling_rate_json(const StudyResult& result) {
  const Ceiling* ceiling = ceiling_named(result.roofline.machine.ceilings, result.bound.ceiling);
  if (!ceiling) return {};
  Json json = encode(ceiling->rate);
  json["unit"] = rate_unit(*ceiling) + "/s";
  json["meanwhile"] = encode(given_rate(result, *ceiling));
  return json;
}

Json bound_json(const StudyResult& result) {
  const Bound& bound = result.bound;
  if (!bound.known()) return {};
  Json json{{"seconds", bound.time.value()},
            {"low", bound.low.value()},
            {"high", bound.high.value()},
            {"ceiling", bound.ceiling},
            {"also", bound.also},
            {"rate", ceiling_rate_json(result)},
            {"source",
             {{"kind", to_text(bound.source.kind)},
              {"text", bound.source.text},
              {"date", text_or_null(bound.source.date)}}}};
  json["parts"] = Json::array();
  for (const CeilingTime& part : bound.parts)
    json["parts"].push_back(
        {{"ceiling", part.ceiling},
         {"level", part.level},
         {"seconds", encode(Estimate{part.time.value(), part.low.value(), part.high.value()})}});
  json["missing"] = bound.missing;
  json["reached"] = bound.reached ? Json{{"ceiling", bound.reached->ceiling},
                                         {"seconds", bound.reached->time.value()}}
                                  : Json();
  json["space"] = result.space_bound ? Json{{"seconds", result.space_bound->time.time.value()},
                                            {"ceiling", result.space_bound->time.ceiling},
                                            {"because", result.space_bound->because}}
                                     : Json();
  return json;
}

Json gap_json(const Gap& gap) {
  return {{"total", gap.total.value},
          {"interval", {{"low", gap.total.low}, {"high", gap.total.high}}},
          {"work", encode(gap.work)},
          {"traffic", encode(gap.traffic)},
          {"rate", encode(gap.rate)},
          {"unknown_because", text_or_null(gap.unknown_because)},
          {"counted_by", text_or_null(gap.counted_by)},
          {"above_roof", gap.above_roof}};
}

/// Speeds in base units; null where the kernel has none of the kind.
Json rates_json(const StudyResult& result, double seconds) {
  const Work& work = result.roofline.work;
  const std::string level = charted_level(result);
  return {{"flops_per_second", rate_or_null(work.nominal.value(), seconds)},
          {"items_per_second", rate_or_null(work.items, seconds)},
          {"item", text_or_null(work.item)},
          {"least_bytes_per_second", rate_or_null(least_bytes(result, level), seconds)},
          {"level", text_or_null(level)}};
}

Json contender_json(const StudyResult& result, const Contender& contender) {
  Json json{{"configuration", to_json(contender.configuration)},
            {"trial", contender.trial},
            {"seconds", encode(contender.seconds)},
            {"gap", result.bound.known() ? gap_json(contender.gap) : Json()},
            {"reach", contender.reach ? encode(*contender.reach) : Json()},
            {"counts", contender.counts ? to_json(*contender.counts) : Json()},
            {"rates", rates_json(result, contender.seconds.value)}};
  if (const Trial* trial = find_trial(result, contender.trial); trial && trial->measurement) {
    json["prepare_seconds"] = trial->measurement->prepare_seconds;
    json["amortised_seconds"] = trial->measurement->amortised_seconds;
    if (!trial->measurement->figures.empty()) json["figures"] = trial->measurement->figures;
  }
  return json;
}

Json place_or_null(const std::optional<size_t>& place) { return place ? Json(*place) : Json(); }

Json ledger_json(const StudyResult& result) {
  Json json = Json::array();
  for (const LedgerEntry& entry : result.ledger)
    json.push_back({{"name", full_name(entry)},
                    {"kind", to_text(entry.kind)},
                    {"seconds", entry.time.value()},
                    {"lacks", words(entry.lacks)},
                    {"passed_by", place_or_null(entry.passed_by)},
                    {"broken_by", place_or_null(entry.broken_by)},
                    {"paired", entry.paired}});
  return json;
}

Json trials_json(const StudyResult& result) {
  Json json = Json::object();
  for (const Outcome outcome : enumerators<Outcome>())
    json[to_text(outcome)] = counts(result)[outcome];
  return json;
}

Json anchors_json(const StudyResult& result) {
  Json json = Json::array();
  for (const Drift& drift : result.drifts)
    json.push_back({{"ceiling", drift.ceiling},
                    {"low", drift.low},
                    {"high", drift.high},
                    {"sentence", drift.sentence}});
  return json;
}

Json study_json(const StudyResult& result) {
  const ResultIdentity& study = result.identity;
  return {{"id", study.id},
          {"version", study.version},
          {"strategy", study.strategy},
          {"seed", study.seed},
          {"threads", result.roofline.threads},
          {"cache", study.cache_state},
          {"amortize", study.amortize},
          {"compiler", study.compiler},
          {"revision", study.revision},
          {"command", study.command},
          {"records", study.record_file},
          {"date", study.date},
          {"race_rounds", result.race_rounds},
          {"target_gap", result.target_gap}};
}

Json space_json(const SpaceSummary& space) {
  Json fixed = Json::array();
  for (const Knob& knob : space.knobs)
    if (!knob.collapsed.empty())
      fixed.push_back(
          {{"knob", knob.name}, {"value", to_json(knob.fallback)}, {"reason", knob.collapsed}});
  Json size = space.size;
  if (space.size < 0x1p53) size = uint64_t(space.size);
  return {{"cartesian", space.cartesian_size}, {"size", size}, {"fixed", fixed}};
}

void add_answer(Json& json, const StudyResult& result) {
  json["baseline"] = result.baseline ? contender_json(result, *result.baseline) : Json();
  json["best"] = result.best ? contender_json(result, *result.best) : Json();
  json["speedup"] = encode(result.speedup);
  json["paired_gap"] = encode(result.paired_gap);
  json["baseline_stands"] = result.baseline_stands;
  json["busy"] = result.busy;
  json["ties"] = Json::array();
  for (const Contender& tie : result.ties) json["ties"].push_back(contender_json(result, tie));
  json["absent"] = {{"baseline", result.no_baseline_because},
                    {"speedup", result.no_speedup_because}};
}

}  // namespace

std::optional<double> given_rate(const StudyResult& result, const Ceiling& ceiling) {
  if (result.paired_gap && result.best)
    return result.paired_gap->value / result.best->gap.total.value * ceiling.rate.value;
  for (const Drift& drift : result.drifts)
    if (covers(drift, ceiling)) return drift.given() * ceiling.rate.value;
  return std::nullopt;
}

Json to_json(const StudyResult& result) {
  Json json{{"schema", result_schema},
            {"kernel", result.identity.kernel},
            {"problem", facts_json(result.problem)},
            {"facts", facts_json(result.facts)},
            {"machine", result.roofline.machine.name},
            {"machine_id", result.roofline.machine.id},
            {"backend", result.identity.backend}};
  const std::vector<Claim> said = claims(result);
  json["headline"] = headline(said);
  json["claims"] = Json::array();
  for (const Claim& claim : said) json["claims"].push_back(to_json(claim));
  json["staircase"] = staircase_json(result, said);
  json["bound"] = bound_json(result);
  add_answer(json, result);
  json["ledger"] = ledger_json(result);
  json["stop"] = {{"reason", word(result.stop.reason)}, {"sentence", result.stop.sentence}};
  json["trials"] = trials_json(result);
  json["cost"] = {
      {"build", result.cost.build},     {"validate", result.cost.validate},
      {"time", result.cost.time},       {"total", result.cost.total},
      {"waiting", result.cost.waiting}, {"wall", result.waited > 0 ? Json(result.waited) : Json()}};
  json["space"] = space_json(result.space);
  json["study"] = study_json(result);
  if (result.own_figure) json["study"]["own_figure"] = encode(*result.own_figure);
  if (!result.goals.empty()) {
    json["study"]["goals"] = result.goals;
    json["trade_offs"] = Json::array();
    for (const Trial* trial : trade_offs(result)) json["trade_offs"].push_back(trial->index);
  }
  json["inputs"] = result.inputs ? to_json(*result.inputs) : Json();
  json["transfer"] = encode(result.transfer);
  json["anchors"] = anchors_json(result);
  json["inconclusive"] = result.inconclusive;
  json["flags"] = result.flags;
  json["notes"] = result.notes;
  return json;
}

}  // namespace rooftune::report
