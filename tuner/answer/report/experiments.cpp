#include "report/experiments.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/sentences.h"
#include "report/text_table.h"

namespace rooftune::report {
namespace {

std::string verdict_text(const WallFinding& finding) {
  return readable(to_text(finding.conclusion.verdict));
}

/// The change made: "nt_store = true instead of false", "n = 13552 fits the caches".
std::string moved(const Experiment& experiment) {
  if (!experiment.problem.empty()) {
    std::string text;
    for (const auto& [name, value] : experiment.problem)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, to_text(value));
    return fmt::format("{} fits the caches, times in proportion to {}", text, experiment.per);
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

/// "capacity (best, baseline): reason; ...": each wall once for each reason.
std::string absent_text(const StudyResult& report) {
  std::vector<std::pair<std::string, std::string>> reasons;  // of a wall; its contenders
  for (const WallFinding& finding : report.walls) {
    if (finding.experiment.measured()) continue;
    const std::string reason = readable(finding.experiment.wall) + " ({}): " + remark(finding);
    const auto same = std::find_if(reasons.begin(), reasons.end(),
                                   [&](const auto& other) { return other.first == reason; });
    if (same == reasons.end())
      reasons.emplace_back(reason, finding.experiment.subject);
    else
      same->second += ", " + finding.experiment.subject;
  }
  std::string text;
  for (const auto& [reason, subjects] : reasons) {
    const std::size_t place = reason.find("{}");
    text +=
        (text.empty() ? "" : "; ") + reason.substr(0, place) + subjects + reason.substr(place + 2);
  }
  return text;
}

std::string experiments_opening(const StudyResult& report) {
  std::size_t rounds = 0;
  for (const WallFinding& finding : report.walls)
    rounds = std::max(rounds, finding.experiment.rounds.size());
  return fmt::format(
      "time with the wall over time without it, each beside the other in up to {} interleaved "
      "rounds",
      rounds);
}

Json finding_json(const WallFinding& finding) {
  const Experiment& experiment = finding.experiment;
  const Estimate& cost = finding.conclusion.cost;
  Json by;
  if (!experiment.knob.empty())
    by = {{"knob", experiment.knob},
          {"from", to_json(experiment.from)},
          {"to", to_json(experiment.to)},
          {"along", experiment.along}};
  if (!experiment.problem.empty()) {
    by = {{"problem", Json::object()}, {"per", experiment.per}};
    for (const auto& [name, value] : experiment.problem) by["problem"][name] = to_json(value);
  }
  Json json{{"wall", experiment.wall},
            {"subject", experiment.subject},
            {"source", "experiment"},
            {"verdict", to_text(finding.conclusion.verdict)},
            {"by", by},
            {"rounds", experiment.rounds.size()}};
  json["cost"] = experiment.measured()
                     ? Json{{"value", cost.value}, {"low", cost.low}, {"high", cost.high}}
                     : Json();
  json["counted"] = finding.level.empty() ? Json()
                                          : Json{{"level", finding.level},
                                                 {"with", finding.bytes_with},
                                                 {"without", finding.bytes_without}};
  json["doubt"] = finding.doubt.empty() ? Json() : Json(finding.doubt);
  json["absent_because"] = experiment.absent_because;
  return json;
}

}  // namespace

std::string experiments_text(const StudyResult& report, const TerminalStyle& style) {
  const bool any = std::any_of(report.walls.begin(), report.walls.end(),
                               [](const WallFinding& f) { return f.experiment.measured(); });
  if (!any) return {};
  TextTable table(style.width);
  for (const WallFinding& finding : report.walls) {
    const Experiment& experiment = finding.experiment;
    const std::string name = readable(experiment.wall) + ", " + experiment.subject;
    if (!experiment.measured()) continue;
    table.row({{verdict_text(finding), ink_of(finding.conclusion.verdict)},
               {cost_text(finding)},
               {name, Ink::strong},
               {remark(finding)}});
  }
  std::string text = paragraph("  ", experiments_opening(report), style.width) +
                     table.str(style.colour, std::max(16, style.width * 9 / 20));
  if (const std::string absent = absent_text(report); !absent.empty())
    text += paragraph("  ", "no experiment on " + absent, style.width);
  return text;
}

void experiments_section(Markup& page, const StudyResult& report) {
  if (report.walls.empty()) return;
  const HtmlFold fold(page, "Walls of traffic, by experiment");
  html_paragraph(page, "The wall's cost: " + experiments_opening(report) + ".", "sub");
  HtmlTable table;
  table.head = {{"wall"}, {"of"}, {"verdict"}, {"cost", "n"}, {"how it is known"}};
  for (const WallFinding& finding : report.walls)
    table.rows.push_back({{readable(finding.experiment.wall)},
                          {finding.experiment.subject},
                          {verdict_text(finding)},
                          {finding.experiment.measured() ? cost_text(finding) : "", "n"},
                          {remark(finding), "w"}});
  html_table(page, table);
}

Json experiments_json(const StudyResult& report) {
  if (report.walls.empty()) return {};
  Json json = Json::array();
  for (const WallFinding& finding : report.walls) json.push_back(finding_json(finding));
  return json;
}

std::vector<std::string> wall_sentences(const StudyResult& report, const std::string& subject) {
  std::vector<std::string> sentences;
  for (const WallFinding& finding : report.walls) {
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
