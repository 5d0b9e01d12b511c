// Time, speed and gap of every step, its changes, the ceilings it broke, and its source's report.
#include "report/staircase.h"

#include <fmt/format.h>

#include "core/units.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/sentences.h"
#include "report/text_table.h"

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
double gain(const Staircase& stairs, std::size_t i) {
  for (std::size_t before = i; before-- > 0;)
    if (stairs.steps[before].seconds)
      return stairs.steps[i].seconds
                 ? stairs.steps[before].seconds->value / stairs.steps[i].seconds->value
                 : 0;
  return 0;
}

std::string staircase_opening(const StudyResult& report) {
  const Staircase& stairs = *report.staircase;
  std::string text = stairs.title + " (" + stairs.source + ")";
  if (stairs.rounds > 0) text += fmt::format("; times from {} interleaved rounds", stairs.rounds);
  const std::string intensities = intensities_text(report);
  if (!intensities.empty()) text += "; " + intensities;
  return text + "; speeds from nominal flops";
}

std::vector<TextTable::Cell> row(const StudyResult& report, std::size_t i, bool wide) {
  const StairStep& step = report.staircase->steps[i];
  const Performance speed = performance(report.roofline.work);
  const double faster = gain(*report.staircase, i);
  std::vector<TextTable::Cell> cells{{step.published.name, Ink::strong}};
  if (step.seconds) {
    cells.push_back({seconds_text(step.seconds->value), Ink::none, true});
    cells.push_back(
        {faster > 0 ? ratio_text(faster) : "", faster > 1 ? Ink::green : Ink::none, true});
    if (wide)
      cells.push_back({rate_text(speed.rate(step.seconds->value), speed.unit), Ink::none, true});
    cells.push_back({ratio_text(step.gap), Ink::none, true});
  } else {
    cells.insert(cells.end(), {{"-", Ink::yellow, true}, {""}});
    if (wide) cells.push_back({""});
    cells.push_back({""});
  }
  std::string text = step.published.title;
  if (const std::string knobs = knobs_text(step); !knobs.empty()) text += " [" + knobs + "]";
  if (!step.absent_because.empty()) text += "; NOT RUN: " + step.absent_because;
  if (!step.broken.empty()) text += "; broke " + list_text(short_names(step.broken));
  if (const std::string there = figures_text(step.published); !there.empty())
    text += "; published " + there;
  cells.push_back({text});
  return cells;
}

Json figures_json(const PublishedFigures& figures) {
  const auto value = [](const std::optional<double>& number) {
    return number ? Json(*number) : Json();
  };
  return {{"seconds", value(figures.seconds)},
          {"flops", value(figures.flops)},
          {"rate", value(figures.rate)},
          {"machine", figures.machine},
          {"source", figures.source}};
}

}  // namespace

std::string intensities_text(const StudyResult& report) {
  if (report.roofline.work.nominal.value() <= 0) return {};
  std::string text;
  for (const auto& level : report.roofline.machine.levels)
    if (const double bytes = least_bytes(report, level.name); bytes > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", level.name,
                          significant(report.roofline.work.nominal.value() / bytes, 3));
  return text.empty() ? "" : "highest intensity at " + text + " flop/B";
}

std::string staircase_text(const StudyResult& report, const TerminalStyle& style) {
  if (!report.staircase) return {};
  std::string text = paragraph("  ", staircase_opening(report), style.width);
  TextTable table(style.width);
  const bool wide = style.width >= 76;
  std::vector<TextTable::Cell> head{
      {"step", Ink::faint}, {"time", Ink::faint, true}, {"gain", Ink::faint, true}};
  if (wide) head.push_back({"speed", Ink::faint, true});
  head.insert(head.end(), {{"gap", Ink::faint, true}, {"what changed", Ink::faint}});
  table.row(std::move(head));
  for (std::size_t i = 0; i < report.staircase->steps.size(); ++i) table.row(row(report, i, wide));
  return text + table.str(style.colour, 24);
}

void staircase_section(Markup& page, const StudyResult& report) {
  if (!report.staircase) return;
  const Performance speed = performance(report.roofline.work);
  const HtmlFold fold(page, "The published path on this machine");
  html_paragraph(page, staircase_opening(report) + ".", "sub");
  HtmlTable table;
  table.head = {{"step"},       {"what changed"}, {"time per call", "n"}, {"gain", "n"},
                {"speed", "n"}, {"gap", "n"},     {"ceilings broken"},    {"published"}};
  for (std::size_t i = 0; i < report.staircase->steps.size(); ++i) {
    const StairStep& step = report.staircase->steps[i];
    const double faster = gain(*report.staircase, i);
    std::string what = step.published.title;
    if (const std::string knobs = knobs_text(step); !knobs.empty()) what += " [" + knobs + "]";
    if (!step.published.doc.empty()) what += ". " + step.published.doc;
    const double seconds = step.seconds ? step.seconds->value : 0;
    table.rows.push_back(
        {{step.published.name},
         {what, "w"},
         {step.seconds ? seconds_interval(*step.seconds) : "not run: " + step.absent_because, "n"},
         {faster > 0 ? ratio_text(faster) : "", "n"},
         {step.seconds ? rate_text(speed.rate(seconds), speed.unit) : "", "n"},
         {step.seconds ? ratio_text(step.gap) : "", "n"},
         {list_text(short_names(step.broken)), "w"},
         {figures_text(step.published), "w"}});
  }
  html_table(page, table);
}

Json staircase_json(const StudyResult& report) {
  if (!report.staircase) return {};
  Json steps = Json::array();
  for (const StairStep& step : report.staircase->steps) {
    Json json{{"name", step.published.name}, {"title", step.published.title}};
    json["trial"] = step.trial ? Json(*step.trial) : Json();
    json["seconds"] = step.seconds ? Json{{"value", step.seconds->value},
                                          {"low", step.seconds->low},
                                          {"high", step.seconds->high}}
                                   : Json();
    json["gap"] = step.seconds ? Json(step.gap) : Json();
    json["absent"] = step.absent_because;
    json["changes"] = knobs_text(step);
    json["broken"] = short_names(step.broken);
    json["published"] = step.published.published ? figures_json(*step.published.published) : Json();
    steps.push_back(std::move(json));
  }
  return {{"title", report.staircase->title},
          {"source", report.staircase->source},
          {"rounds", report.staircase->rounds},
          {"steps", steps}};
}

}  // namespace rooftune::report
