// A study's result as data.
#include <algorithm>

#include "core/fields.h"
#include "report/answer.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/staircase.h"
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

/// The binding ceiling's rate, and its rate during the study; null when the machine has no such
/// ceiling.
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
  FieldWriter source, of_bound;
  ROOFTUNE_EACH(source, bound.source, kind, text);
  source("date", text_or_null(bound.source.date));
  of_bound("seconds", bound.time);
  ROOFTUNE_EACH(of_bound, bound, low, high, ceiling, also);
  of_bound("rate", ceiling_rate_json(result))("source", source.json);
  ROOFTUNE_EACH(of_bound, bound, parts, missing);
  of_bound("reached", bound.reached ? Json{{"ceiling", bound.reached->ceiling},
                                           {"seconds", bound.reached->time.value()}}
                                    : Json());
  of_bound("space", result.space_bound ? Json{{"seconds", result.space_bound->time.time.value()},
                                              {"ceiling", result.space_bound->time.ceiling},
                                              {"because", result.space_bound->because}}
                                       : Json());
  return of_bound.json;
}

Json gap_json(const Gap& gap) {
  FieldWriter of_gap;
  of_gap("total", gap.total.value);
  of_gap("interval", Json{{"low", gap.total.low}, {"high", gap.total.high}});
  ROOFTUNE_EACH(of_gap, gap, work, traffic, rate);
  of_gap("unknown_because", text_or_null(gap.unknown_because));
  of_gap("counted_by", text_or_null(gap.counted_by))("above_roof", gap.above_roof);
  return of_gap.json;
}

/// Speeds in base units; null where the kernel has no such amount.
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
  FieldWriter one;
  ROOFTUNE_EACH(one, contender, configuration, trial, seconds);
  one("gap", result.bound.known() ? gap_json(contender.gap) : Json());
  ROOFTUNE_EACH(one, contender, reach, counts);
  one("rates", rates_json(result, contender.seconds.value));
  if (const Trial* trial = find_trial(result, contender.trial); trial && trial->measurement) {
    ROOFTUNE_EACH(one, trial->measurement.value(), prepare_seconds, amortised_seconds);
    one.sparse("figures", trial->measurement->figures);
  }
  return one.json;
}

Json ledger_json(const StudyResult& result) {
  Json json = Json::array();
  for (const LedgerEntry& entry : result.ledger) {
    FieldWriter one;
    one("name", full_name(entry))("kind", entry.kind)("seconds", entry.time);
    ROOFTUNE_EACH(one, entry, lacks, passed_by, broken_by, paired);
    json.push_back(one.json);
  }
  return json;
}

Json trials_json(const StudyResult& result) {
  Json json = Json::object();
  for (const Outcome outcome : enumerators<Outcome>())
    json[to_text(outcome)] = counts(result)[outcome];
  return json;
}

Json study_json(const StudyResult& result) {
  const StudyHeader& study = result.header;
  const StudySetup& setup = result.setup;
  FieldWriter all;
  all("id", study.id)("version", setup.version)("strategy", study.strategy)("seed", study.seed);
  all("threads", result.roofline.threads)("cache", study.cache_state);
  ROOFTUNE_EACH(all, setup, amortize, compiler, revision);
  all("command", joined(setup.command, " "))("records", result.place)("date", result.date);
  all("race_rounds", result.race_rounds)("target_gap", setup.target_gap);
  ROOFTUNE_EACH(all.sparse, result, own_figure, goals);
  return all.json;
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

void add_answer(FieldWriter& all, const StudyResult& result) {
  const auto contender = [&](const std::optional<Contender>& one) {
    return one ? contender_json(result, *one) : Json();
  };
  Json ties = Json::array();
  for (const Contender& tie : result.ties) ties.push_back(contender_json(result, tie));
  all("baseline", contender(result.baseline))("best", contender(result.best));
  ROOFTUNE_EACH(all, result, speedup, paired_gap, baseline_stands, busy);
  all("ties", ties)("absent", Json{{"baseline", result.no_baseline_because},
                                   {"speedup", result.no_speedup_because}});
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
  const Claims said = claims(result);
  const Machine& machine = result.roofline.machine;
  FieldWriter all;
  all.schema(result_schema, "")("kernel", result.header.kernel);
  all("problem", result.problem)("facts", result.facts);
  all("machine", machine.name)("machine_id", machine.id)("backend", result.header.backend);
  all("headline", headline(said))("claims", said);
  all("staircase", staircase_json(result, said))("bound", bound_json(result));
  add_answer(all, result);
  all("ledger", ledger_json(result));
  all("stop", Json{{"reason", word(result.stop.reason)}, {"sentence", result.stop.sentence}});
  Json cost = encode(result.cost);
  cost["wall"] = result.waited > 0 ? Json(result.waited) : Json();
  all("trials", trials_json(result))("cost", cost)("space", space_json(result.space));
  if (!result.nodes.empty()) all("nodes", result.nodes);
  all("study", study_json(result));
  if (!result.goals.empty()) all("trade_offs", members(trade_offs(result), &Trial::index));
  all("inputs", result.inputs)("transfer", result.setup.transfer)("anchors", result.drifts);
  ROOFTUNE_EACH(all, result, inconclusive, flags, notes);
  return all.json;
}

}  // namespace rooftune::report
