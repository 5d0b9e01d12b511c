// Results of experiments on walls of traffic: one row per contender and wall, for the terminal, the
// page, JSON and `tune explain`.
#include <fmt/format.h>

#include <algorithm>

#include "core/estimate_json.h"
#include "core/units.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/study_evidence.h"

namespace rooftune::report {
namespace {

std::string verdict_text(const WallFinding& finding) {
  return readable(to_text(finding.conclusion.verdict));
}

/// The change made: "nt_store = true instead of false", "n = 13552 fits the caches".
std::string moved(const Experiment& experiment) {
  if (!experiment.problem.empty()) {
    std::vector<std::string> texts;
    for (const auto& [name, value] : experiment.problem)
      texts.push_back(name + " = " + to_text(value));
    return fmt::format("{} fits the caches, times in proportion to {}", fmt::join(texts, ", "),
                       experiment.per);
  }
  std::string text = fmt::format("{} = {} instead of {}", experiment.knob, to_text(experiment.to),
                                 to_text(experiment.from));
  if (!experiment.along.empty())
    text += fmt::format(", with {}, inactive there", list_text(experiment.along));
  return text;
}

std::string counted(const WallFinding& finding) {
  if (finding.level.empty()) return {};
  return fmt::format("; counted at {}: {} with the wall, {} without", finding.level,
                     to_text(Bytes(finding.bytes_with)), to_text(Bytes(finding.bytes_without)));
}

std::string remark(const WallFinding& finding) {
  const Experiment& experiment = finding.experiment;
  if (!experiment.measured()) return experiment.absent_because;
  std::string text = moved(experiment) + counted(finding);
  if (!finding.doubt.empty()) text += "; " + finding.doubt;
  if (finding.conclusion.verdict == WallVerdict::costs_nothing && finding.conclusion.cost.high < 1)
    text += "; what spares it costs more than it";
  if (!experiment.problem.empty() && finding.conclusion.verdict == WallVerdict::stands)
    text += "; the most that reuse could win, as the first pass over the data stays";
  return text;
}

std::string cost_text(const WallFinding& finding) {
  return finding.experiment.measured() ? ratio_interval(finding.conclusion.cost) : "-";
}

Ink ink_of(WallVerdict verdict) {
  switch (verdict) {
    case WallVerdict::broken:
      return Ink::green;
    case WallVerdict::stands:
      return Ink::red;
    case WallVerdict::cannot_tell:
      return Ink::yellow;
    case WallVerdict::costs_nothing:
    case WallVerdict::no_experiment:
      break;
  }
  return Ink::none;
}

Json finding_json(const WallFinding& finding) {
  const Experiment& experiment = finding.experiment;
  Json by;
  if (!experiment.knob.empty())
    by = {{"knob", experiment.knob},
          {"from", to_json(experiment.from)},
          {"to", to_json(experiment.to)},
          {"along", experiment.along}};
  if (!experiment.problem.empty())
    by = {{"problem", facts_json(experiment.problem)}, {"per", experiment.per}};
  Json json{{"wall", experiment.wall},
            {"subject", experiment.subject},
            {"source", "experiment"},
            {"verdict", to_text(finding.conclusion.verdict)},
            {"by", by},
            {"rounds", experiment.rounds.size()}};
  json["cost"] = experiment.measured() ? estimate_json(finding.conclusion.cost) : Json();
  json["counted"] = finding.level.empty() ? Json()
                                          : Json{{"level", finding.level},
                                                 {"with", finding.bytes_with},
                                                 {"without", finding.bytes_without}};
  json["doubt"] = finding.doubt.empty() ? Json() : Json(finding.doubt);
  json["absent_because"] = experiment.absent_because;
  return json;
}

}  // namespace

std::optional<Section> experiments_section(const StudyResult& result) {
  std::size_t rounds = 0;
  for (const WallFinding& finding : result.walls)
    rounds = std::max(rounds, finding.experiment.rounds.size());
  if (rounds == 0) return std::nullopt;
  Section section{
      "Walls of traffic, by experiment",
      fmt::format("The wall's cost: time with the wall over time without it, each beside the other "
                  "in up to {} interleaved rounds.",
                  rounds),
      {.head = {{"wall"}, {"of"}, {"verdict"}, number_head("cost"), {"how it is known"}}}};
  for (const WallFinding& finding : result.walls)
    section.table.rows.push_back(
        {{readable(finding.experiment.wall)},
         {finding.experiment.subject},
         {.text = verdict_text(finding), .ink = ink_of(finding.conclusion.verdict)},
         {cost_text(finding), "n"},
         {remark(finding), "w"}});
  return section;
}

Json experiments_json(const StudyResult& result) {
  if (result.walls.empty()) return {};
  Json json = Json::array();
  for (const WallFinding& finding : result.walls) json.push_back(finding_json(finding));
  return json;
}

std::vector<std::string> wall_sentences(const StudyResult& result, const std::string& subject) {
  std::vector<std::string> sentences;
  for (const WallFinding& finding : result.walls) {
    const Experiment& experiment = finding.experiment;
    if (!subject.empty() && experiment.subject != subject) continue;
    std::string text = fmt::format("wall {} ({}): {}", readable(experiment.wall),
                                   experiment.subject, verdict_text(finding));
    if (experiment.measured()) text += fmt::format(", {}, by experiment", cost_text(finding));
    sentences.push_back(text + ": " + remark(finding));
  }
  return sentences;
}

}  // namespace rooftune::report
