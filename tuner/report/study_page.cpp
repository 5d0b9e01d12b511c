// The page of a study: headline, charts, gap, ledger, path, trials, provenance.
#include <fmt/format.h>

#include <algorithm>

#include "report/ablation.h"
#include "report/answer.h"
#include "report/bounds.h"
#include "report/chart.h"
#include "report/counted_rows.h"
#include "report/experiments.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/inputs_answer.h"
#include "report/machine_page.h"
#include "report/page.h"
#include "report/sentences.h"
#include "report/staircase.h"

namespace rooftune::inline report {
namespace {

std::string spoken(const char* word) {
  std::string text = word;
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

Configuration baseline_of(const StudyResult& report) {
  return report.baseline ? report.baseline->configuration : Configuration();
}

std::string range_text(const Estimate& ratio) {
  return fmt::format("[{}, {}]", significant(ratio.low, 3), significant(ratio.high, 3));
}

void card(Markup& page, const std::string& value, const std::string& name) {
  page.open("div", {{"class", "card"}})
      .element("b", {}, value)
      .element("span", {}, name)
      .close()
      .newline();
}

void answer(Markup& page, const StudyResult& report) {
  page.element("h1", {}, headline(report)).newline();
  const std::string title = report.identity.title.empty() ? "" : report.identity.title + ". ";
  html_paragraph(page, title + study_sentence(report) + ".", "sub");
  html_paragraph(
      page,
      facts_text(report.problem) + (report.facts.empty() ? "" : "; " + facts_text(report.facts)),
      "sub");
  page.open("div", {{"class", "cards"}}).newline();
  const Performance speed = performance(report.roofline.work);
  if (report.best) {
    const Estimate& seconds = report.best->seconds;
    card(page, seconds_text(seconds.value), "best time per call, " + seconds_range(seconds));
    card(page, rate_text(speed.rate(seconds.value), speed.unit), "nominal speed of the best");
    if (speed.unit == "flop" && report.roofline.work.items > 0)
      card(page, rate_text(report.roofline.work.items / seconds.value, report.roofline.work.item),
           "work done by the best");
  }
  if (report.speedup)
    card(page, ratio_text(report.speedup->value),
         "faster than the baseline, " + range_text(*report.speedup));
  if (report.best && report.bound.known())
    card(page, ratio_text(report.best->gap.total.value),
         "from the bound, " + range_text(report.best->gap.total));
  if (report.bound.known())
    card(page, seconds_text(report.bound.time.value()), "bound, by " + report.bound.ceiling);
  page.close().newline();
  const bool alarm = report.best && report.best->gap.above_roof;
  for (const std::string& flag : report.flags)
    html_paragraph(page, "Contradiction. " + flag + ".", "note alarm");
  for (const std::string& note : report.notes)
    html_paragraph(page, note, alarm ? "note alarm" : "note");
  html_paragraph(page, tie_sentence(report), "note");
  for (const std::string& sentence : promotion_sentences(report))
    html_paragraph(page, sentence, "note");
  html_paragraph(page, conversion_sentence(report), "note");
}

std::vector<HtmlCell> contender_row(const StudyResult& report, const std::string& name,
                                    const Contender& contender) {
  const Performance speed = performance(report.roofline.work);
  const auto factor = [](const std::optional<double>& value) {
    return HtmlCell{value ? significant(*value, 3) : "unknown", "n"};
  };
  const Gap& gap = contender.gap;
  return {{name},
          number_cell(contender.seconds.value, seconds_interval(contender.seconds)),
          number_cell(speed.rate(contender.seconds.value),
                      rate_text(speed.rate(contender.seconds.value), speed.unit)),
          report.bound.known() ? number_cell(gap.total.value, ratio_interval(gap.total))
                               : HtmlCell{"unknown", "n"},
          factor(gap.work),
          factor(gap.traffic),
          factor(gap.rate),
          {difference_text(contender.configuration, baseline_of(report)), "w", "", true}};
}

void gaps(Markup& page, const StudyResult& report) {
  html_heading(page, "Gap");
  html_paragraph(page,
                 (report.bound.known() ? "Bound " + seconds_text(report.bound.time.value()) + ": "
                                       : "Unknown: ") +
                     bound_sentence(report) + ".");
  HtmlTable table;
  table.head = {{""},
                {"time per call", "n"},
                {"speed", "n"},
                {"gap", "n"},
                {"= work", "n"},
                {"x traffic", "n"},
                {"x rate", "n"},
                {"configuration"}};
  if (report.best) table.rows.push_back(contender_row(report, "best", *report.best));
  for (const Contender& tie : report.ties) table.rows.push_back(contender_row(report, "tie", tie));
  if (report.baseline) table.rows.push_back(contender_row(report, "baseline", *report.baseline));
  html_table(page, table);
  if (report.best && !report.best->gap.unknown_because.empty())
    html_paragraph(page, "Unknown factors: " + report.best->gap.unknown_because + ".", "sub");
  if (!report.no_baseline_because.empty())
    html_paragraph(page, "No baseline: " + report.no_baseline_because + ".", "sub");
  HtmlTable parts;
  parts.slim = true;
  parts.head = {{"cannot be faster"}, {"least time", "n"}, {"for"}, {"because", "w"}};
  for (const BoundRow& row : bound_rows(report))
    parts.rows.push_back({{row.who},
                          number_cell(row.seconds.value, seconds_interval(row.seconds)),
                          {row.what},
                          {row.because, "w"}});
  if (parts.rows.size() > 1) html_table(page, parts);
  for (const std::string& missing : report.bound.missing)
    html_paragraph(page, "The bound leaves out " + missing + ": no ceiling applies.", "note");
}

void counted_section(Markup& page, const StudyResult& report) {
  const auto rows = counted_rows(report);
  if (rows.empty()) return;
  html_heading(page, "What was counted");
  HtmlTable table;
  table.head = {{"per call"}, {"least", "n"}, {"best", "n"}, {"baseline", "n"}};
  const auto cell = [](const std::optional<Estimate>& figure, const std::string& unit) {
    return figure ? number_cell(figure->value, counted_text(figure, unit)) : HtmlCell{"-", "n"};
  };
  for (const CountedRow& row : rows)
    table.rows.push_back(
        {{row.what},
         row.least ? cell(Estimate::exact(*row.least), row.unit) : HtmlCell{"", "n"},
         cell(row.best, row.unit),
         cell(row.baseline, row.unit)});
  html_table(page, table);
  for (const auto& contender : {report.best, report.baseline}) {
    if (!contender || !contender->counts) continue;
    html_paragraph(page, "Operations. " + operations_text(*contender->counts) + ".", "sub");
    const std::string walls = walls_text(report, *contender->counts);
    if (!walls.empty()) html_paragraph(page, "Walls in the counted traffic. " + walls + ".", "sub");
    for (const std::string& sentence : provenance_of(*contender->counts))
      html_paragraph(page, sentence + ".", "sub");
    break;
  }
}

void sample_section(Markup& page, const StudyResult& report) {
  const auto rows = sample_rows(report);
  if (rows.empty()) return;
  html_heading(page, "Work and traffic across the space");
  HtmlTable table;
  table.head = {{""},
                {"time per call", "n"},
                {"speed", "n"},
                {"gap", "n"},
                {"= work", "n"},
                {"x traffic", "n"},
                {"x rate", "n"},
                {"configuration"},
                {charted_level(report) + " bytes", "n"},
                {"flops", "n"}};
  for (const SampleRow& row : rows) {
    table.rows.push_back(contender_row(report, row.who, *row.contender));
    for (const auto& [figure, unit] : {std::pair(row.bytes, "B"), std::pair(row.flops, "")})
      table.rows.back().push_back(figure ? number_cell(figure->value, counted_text(figure, unit))
                                         : HtmlCell{"-", "n"});
  }
  html_table(page, table);
}

void ledger_section(Markup& page, const StudyResult& report) {
  if (report.ledger.empty()) return;
  html_heading(page, "Ceilings and walls between the baseline and the bound");
  HtmlTable table;
  table.head = {{"state"},           {"ceiling or wall"}, {"kind"},
                {"time there", "n"}, {"lacks"},           {"broken by"}};
  const LedgerDigest digest = ledger_digest(report);
  for (const auto& [entry, alike] : digest.rows)
    table.rows.push_back({{to_text(entry.state), to_text(entry.state)},
                          {full_name(entry)},
                          {spoken(to_text(entry.kind))},
                          number_cell(entry.time.value(), seconds_text(entry.time.value())),
                          {lacks_text(entry)},
                          {entry.doubt.empty() ? broken_by(entry) : entry.doubt, "w", "", true}});
  html_table(page, table);
  for (const std::string& remark : ledger_remarks(digest)) html_paragraph(page, remark, "note");
}

void path_section(Markup& page, const StudyResult& report) {
  if (report.path.empty()) return;
  html_heading(page, "The climb, step by step");
  const Performance speed = performance(report.roofline.work);
  HtmlTable table;
  table.head = {{"step", "n"},
                {"trial", "n"},
                {"time per call", "n"},
                {"speed", "n"},
                {"against step before", "n"},
                {"changes"},
                {"can break"}};
  double before = report.path.front().step.seconds.value;
  for (std::size_t i = 0; i < report.path.size(); ++i) {
    const PathStep& step = report.path[i];
    const double seconds = step.step.seconds.value;
    std::vector<Paradigm> breaks;
    for (const Step::Change& change : step.step.changes)
      for (const Paradigm one : change.breaks)
        if (std::find(breaks.begin(), breaks.end(), one) == breaks.end()) breaks.push_back(one);
    table.rows.push_back(
        {{std::to_string(i), "n"},
         {std::to_string(step.trial), "n"},
         number_cell(seconds, seconds_interval(step.step.seconds)),
         number_cell(speed.rate(seconds), rate_text(speed.rate(seconds), speed.unit)),
         number_cell(before / seconds, i == 0 ? "" : ratio_text(before / seconds)),
         {step.step.changes.empty() ? "baseline" : changes_text(step.step), "w", "",
          !step.step.changes.empty()},
         {list_text(words(breaks))}});
    before = seconds;
  }
  html_table(page, table);
}

std::vector<HtmlCell> trial_row(const StudyResult& report, const Trial& trial) {
  const Performance speed = performance(report.roofline.work);
  std::vector<HtmlCell> row{
      number_cell(static_cast<double>(trial.index), std::to_string(trial.index)),
      {spoken(to_text(trial.outcome)), trial.ok() ? "ok" : "failed"}};
  if (trial.ok()) {
    const Estimate& seconds = trial.measurement->seconds;
    row.push_back(number_cell(seconds.value, seconds_interval(seconds)));
    row.push_back(
        number_cell(speed.rate(seconds.value), rate_text(speed.rate(seconds.value), speed.unit)));
    const double bound = report.bound.time.value();
    row.push_back(bound > 0 ? number_cell(seconds.value / bound, ratio_text(seconds.value / bound))
                            : HtmlCell{});
  } else {
    for (int i = 0; i < 3; ++i) row.push_back({"", "n"});
  }
  row.push_back(number_cell(trial.cost.total, duration_text(trial.cost.total)));
  row.push_back({difference_text(trial.configuration, baseline_of(report)), "w", "", true});
  row.push_back({trial.detail, "w"});
  return row;
}

void trials_section(Markup& page, const StudyResult& report) {
  html_heading(page, fmt::format("All {} trials", report.trials.size()));
  html_paragraph(page,
                 outcome_sentence(report) + ". Configurations show what differs from the baseline.",
                 "sub");
  HtmlTable table;
  table.sortable = true;
  table.head = {{"trial", "n"}, {"outcome"},   {"time per call", "n"}, {"speed", "n"},
                {"gap", "n"},   {"cost", "n"}, {"configuration"},      {"detail"}};
  for (const Trial& trial : report.trials) {
    table.rows.push_back(trial_row(report, trial));
    table.row_classes.push_back(report.best && report.best->trial == trial.index ? "best" : "");
  }
  html_table(page, table);
}

std::string values_text(const Knob& knob) {
  std::string text;
  for (const Value& value : knob.values) text += (text.empty() ? "" : ", ") + to_text(value);
  return text;
}

void knobs_section(Markup& page, const StudyResult& report) {
  html_heading(page, "Knobs");
  html_paragraph(page,
                 fmt::format("{} allowed configurations of {}.", extent_text(report.space.extent),
                             count_text(report.space.cartesian_size)),
                 "sub");
  HtmlTable table;
  table.head = {{"knob"}, {"kind"},      {"values"},      {"default"},
                {"best"}, {"can break"}, {"what it does"}};
  for (const Knob& knob : report.space.knobs) {
    const std::string best = report.best && report.best->configuration.has(knob.name)
                                 ? to_text(report.best->configuration.at(knob.name))
                                 : "";
    table.rows.push_back(
        {{knob.name, "", "", true},
         {to_text(knob.kind)},
         {values_text(knob), "w"},
         {to_text(knob.fallback)},
         {best},
         {list_text(words(knob.breaks))},
         {knob.collapsed.empty() ? knob.doc : knob.doc + " (fixed: " + knob.collapsed + ")"}});
  }
  html_table(page, table);
}

void provenance_section(Markup& page, const StudyResult& report) {
  html_heading(page, "How it went, and where it comes from");
  const ResultIdentity& study = report.identity;
  std::vector<std::pair<std::string, std::string>> entries{
      {"stopped", report.stop.sentence.empty() ? report.stop.reason : report.stop.sentence},
      {"cost", cost_sentence(report.cost)},
      {"command", study.command},
      {"study", study.id},
      {"strategy", fmt::format("{}, seed {}", study.strategy, study.seed)},
      {"target gap", ratio_text(report.target_gap)},
      {"compiler", study.compiler},
      {"records", study.record_file},
      {"ended", study.date},
      {"machine",
       fmt::format("{} (id {})", report.roofline.machine.name, report.roofline.machine.id)}};
  if (report.transfer) entries.emplace_back("start", to_text(*report.transfer));
  for (const auto& [name, value] : report.roofline.machine.identity)
    entries.emplace_back(name, value);
  html_definitions(page, entries);
}

}  // namespace

std::string study_page(const StudyResult& report) {
  Markup page;
  html_begin(page, report.identity.kernel + " on " + report.roofline.machine.name);
  answer(page, report);
  if (report.inputs)
    inputs_section(page, *report.inputs,
                   report.best ? report.best->configuration : Configuration());
  if (report.bound.known()) {
    html_heading(page, "Roofline");
    html_figure(page, roofline_svg(report));
  }
  gaps(page, report);
  counted_section(page, report);
  sample_section(page, report);
  ledger_section(page, report);
  ablation_section(page, report);
  experiments_section(page, report);
  staircase_section(page, report);
  path_section(page, report);
  html_heading(page, "Convergence");
  html_figure(page, convergence_svg(report));
  trials_section(page, report);
  knobs_section(page, report);
  provenance_section(page, report);
  if (!report.roofline.machine.ceilings.empty()) {
    html_heading(page, "Ceilings of the machine");
    html_ceilings(page, report.roofline.machine);
  }
  return html_end(page, report.identity.version, report.identity.date);
}

}  // namespace rooftune::inline report
