// Time, speed and gap of every step, its changes, the ceilings it broke, and its source's report.
#include <fmt/format.h>

#include "core/fields.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/study_evidence.h"

namespace rooftune::report {
namespace {

std::string figures_text(const PublishedStep& step) {
  if (!step.published) return {};
  const PublishedFigures& figures = *step.published;
  std::vector<std::string> words;
  if (figures.seconds) words.push_back(seconds_text(*figures.seconds));
  if (figures.flops) words.push_back(significant(*figures.flops / 1e12, 3) + " TFLOP");
  if (figures.rate) words.push_back(rate_text(*figures.rate, "flop"));
  return list_text(words) + " on " + figures.machine;
}

std::string knobs_text(const StairStep& step) {
  return step.changes.empty() ? "" : changes_text({{}, step.changes});
}

/// Time of the step before over this one's; 0 where one of them is unknown.
double gain(const PublishedStairs& stairs, std::size_t i) {
  for (std::size_t before = i; before-- > 0;)
    if (stairs.steps[before].seconds)
      return stairs.steps[i].seconds
                 ? stairs.steps[before].seconds->value / stairs.steps[i].seconds->value
                 : 0;
  return 0;
}

/// "Highest intensity at L2 1.2, DRAM 0.08 flop/B": nominal flops over least bytes, per level with
/// traffic; empty without flops.
std::string intensities_text(const StudyResult& result) {
  const double flops = result.roofline.work.nominal.value();
  std::vector<std::string> texts;
  for (const auto& level : result.roofline.machine.levels)
    if (const double bytes = least_bytes(result, level.name); bytes > 0 && flops > 0)
      texts.push_back(level.name + " " + significant(flops / bytes, 3));
  if (texts.empty()) return {};
  return fmt::format("; highest intensity at {} flop/B", fmt::join(texts, ", "));
}

/// Changes of the step, the ceilings it broke, and figures of its source.
std::string what_changed(const StairStep& step) {
  std::string text = step.published.title;
  if (const std::string knobs = knobs_text(step); !knobs.empty()) text += " [" + knobs + "]";
  if (!step.absent_because.empty()) text += "; NOT RUN: " + step.absent_because;
  if (!step.broken.empty()) text += "; broke " + list_text(short_names(step.broken));
  if (const std::string there = figures_text(step.published); !there.empty())
    text += "; published " + there;
  return text;
}

Json figures_json(const PublishedFigures& figures) {
  return {{"seconds", encode(figures.seconds)},
          {"flops", encode(figures.flops)},
          {"rate", encode(figures.rate)},
          {"machine", figures.machine},
          {"source", figures.source}};
}

}  // namespace

std::optional<Section> staircase_section(const StudyResult& result) {
  if (!result.published_stairs) return std::nullopt;
  const PublishedStairs& stairs = *result.published_stairs;
  const Performance speed = performance(result.roofline.work);
  Section section{
      "The published path on this machine",
      fmt::format(
          "{} ({}){}{}; speeds from nominal flops.", stairs.title, stairs.source,
          stairs.rounds > 0 ? fmt::format("; times from {} interleaved rounds", stairs.rounds) : "",
          intensities_text(result)),
      {.head = {{"step"},
                number_head("time"),
                number_head("gain"),
                number_head("speed", 76),
                number_head("gap"),
                {"what changed"}}}};
  for (std::size_t i = 0; i < stairs.steps.size(); ++i) {
    const StairStep& step = stairs.steps[i];
    const double faster = gain(stairs, i);
    auto& row = section.table.rows.emplace_back();
    row.push_back({.text = step.published.name, .ink = Ink::strong});
    if (step.seconds)
      row.insert(row.end(), {{.text = seconds_interval(*step.seconds),
                              .classes = "n",
                              .brief = seconds_text(step.seconds->value)},
                             {.text = faster > 0 ? ratio_text(faster) : "",
                              .classes = "n",
                              .ink = faster > 1 ? Ink::green : Ink::none},
                             {rate_text(speed.rate(step.seconds->value), speed.unit), "n"},
                             {ratio_text(step.gap), "n"}});
    else
      row.insert(row.end(), {{.text = "-", .classes = "n", .ink = Ink::yellow}, {}, {}, {}});
    row.push_back(
        {.text = what_changed(step) + (step.published.doc.empty() ? "" : ". " + step.published.doc),
         .classes = "w",
         .brief = what_changed(step)});
  }
  return section;
}

Json staircase_json(const StudyResult& result) {
  if (!result.published_stairs) return {};
  Json steps = Json::array();
  for (const StairStep& step : result.published_stairs->steps) {
    Json json{{"name", step.published.name}, {"title", step.published.title}};
    json["trial"] = step.trial ? Json(*step.trial) : Json();
    json["seconds"] = encode(step.seconds);
    json["gap"] = step.seconds ? Json(step.gap) : Json();
    json["absent"] = step.absent_because;
    json["changes"] = knobs_text(step);
    json["broken"] = short_names(step.broken);
    json["published"] = step.published.published ? figures_json(*step.published.published) : Json();
    steps.push_back(std::move(json));
  }
  return {{"title", result.published_stairs->title},
          {"source", result.published_stairs->source},
          {"rounds", result.published_stairs->rounds},
          {"steps", steps}};
}

}  // namespace rooftune::report
