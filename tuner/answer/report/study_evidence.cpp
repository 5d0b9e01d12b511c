#include "report/study_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "report/ablation.h"
#include "report/bounds.h"
#include "report/counted_rows.h"
#include "report/experiments.h"
#include "report/figures.h"
#include "report/glossary.h"
#include "report/machine_page.h"
#include "report/sentences.h"
#include "report/staircase.h"

namespace rooftune::report {
namespace {

std::vector<HtmlCell> contender_row(const StudyResult& report, const std::string& name,
                                    const Contender& contender) {
  const Performance speed = performance(report.roofline.work);
  const auto factor = [](const std::optional<double>& value) {
    return HtmlCell{value ? significant(*value, 3) : "unknown", "n factor"};
  };
  const Gap& gap = contender.gap;
  HtmlCell rate = number_cell(speed.rate(contender.seconds.value),
                              rate_text(speed.rate(contender.seconds.value), speed.unit));
  rate.classes += " speed";
  return {{name},
          number_cell(contender.seconds.value, seconds_interval(contender.seconds)),
          rate,
          report.bound.known() ? number_cell(gap.total.value, ratio_interval(gap.total))
                               : HtmlCell{"unknown", "n"},
          factor(gap.work),
          factor(gap.traffic),
          factor(gap.rate),
          {changed_knobs(report, contender.configuration), "w", "", true}};
}

void bound_section(Markup& page, const StudyResult& report) {
  const HtmlFold fold(page, "Why nothing can be faster");
  html_paragraph(page,
                 (report.bound.known() ? "Bound " + seconds_text(report.bound.time.value()) + ": "
                                       : "Unknown: ") +
                     bound_sentence(report) + ".");
  HtmlTable parts;
  parts.slim = true;
  parts.head = {{"cannot be faster"}, {"least time", "n"}, {"for"}, {"because", "w"}};
  for (const BoundRow& row : bound_rows(report))
    parts.rows.push_back({{row.subject},
                          number_cell(row.seconds.value, seconds_interval(row.seconds)),
                          {row.quantity},
                          {row.because, "w"}});
  if (parts.rows.size() > 1) html_table(page, parts);
  for (const std::string& missing : report.bound.missing)
    html_paragraph(page, "The bound leaves out " + missing + ": no ceiling applies.", "note");
}

void counted_section(Markup& page, const StudyResult& report) {
  const auto rows = counted_rows(report);
  if (rows.empty()) return;
  const HtmlFold fold(page, "What was counted");
  HtmlTable table;
  table.head = {{"per call"}, {"least", "n"}, {"best", "n"}, {"baseline", "n"}};
  const auto cell = [](const std::optional<Estimate>& figure, const std::string& unit) {
    return figure ? number_cell(figure->value, counted_text(figure, unit)) : HtmlCell{"-", "n"};
  };
  for (const CountedRow& row : rows)
    table.rows.push_back(
        {{row.quantity},
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
  const HtmlFold fold(page, "Work and traffic across the space");
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
    table.rows.push_back(contender_row(report, row.subject, *row.contender));
    for (const auto& [figure, unit] : {std::pair(row.bytes, "B"), std::pair(row.flops, "")})
      table.rows.back().push_back(figure ? number_cell(figure->value, counted_text(figure, unit))
                                         : HtmlCell{"-", "n"});
  }
  html_table(page, table);
}

void ledger_section(Markup& page, const StudyResult& report) {
  if (report.ledger.empty()) return;
  const HtmlFold fold(page, "Ceilings and walls between the baseline and the bound");
  HtmlTable table;
  table.head = {{"state"},           {"ceiling or wall"}, {"kind"},
                {"time there", "n"}, {"lacks"},           {"broken by"}};
  const LedgerDigest digest = ledger_digest(report);
  for (const auto& [entry, alike] : digest.rows)
    table.rows.push_back({{to_text(entry.state), to_text(entry.state)},
                          {full_name(entry)},
                          {readable(to_text(entry.kind))},
                          number_cell(entry.time.value(), seconds_text(entry.time.value())),
                          {lacks_text(entry)},
                          {entry.doubt.empty() ? broken_by(entry) : entry.doubt, "w", "", true}});
  html_table(page, table);
  for (const std::string& remark : ledger_remarks(digest)) html_paragraph(page, remark, "note");
}

std::string values_text(const Knob& knob) {
  std::string text;
  for (const Value& value : knob.values) text += (text.empty() ? "" : ", ") + to_text(value);
  return text;
}

void knobs_section(Markup& page, const StudyResult& report) {
  const HtmlFold fold(page, "Knobs");
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
        {{knob.name, "whole", "", true},
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
  const HtmlFold fold(page, "How it went, and where it comes from");
  const ResultIdentity& study = report.identity;
  std::vector<std::pair<std::string, std::string>> entries{
      {"stopped", report.stop.sentence.empty() ? word(report.stop.reason) : report.stop.sentence},
      {"cost", cost_sentence(report)},
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

void remarks_section(Markup& page, const StudyResult& report) {
  std::vector<std::string> remarks{tie_sentence(report), conversion_sentence(report)};
  for (const std::string& sentence : promotion_sentences(report)) remarks.push_back(sentence);
  remarks.insert(remarks.end(), report.notes.begin(), report.notes.end());
  std::erase(remarks, "");
  if (remarks.empty()) return;
  const HtmlFold fold(page, "Remarks");
  for (const std::string& remark : remarks) html_paragraph(page, remark, "note");
}

/// The rows of the glossary's table: word and meaning.
void glossary_section(Markup& page) {
  const HtmlFold fold(page, "Words");
  page.open("dl", {{"id", "words"}}).newline();
  for (const GlossaryEntry& entry : glossary()) {
    page.element("dt", {{"id", glossary_link(entry.word).substr(1)}}, entry.word)
        .element("dd", {}, entry.meaning)
        .newline();
  }
  page.close().newline();
}

}  // namespace

void contenders_table(Markup& page, const StudyResult& report) {
  HtmlTable table;
  table.classes = "contenders";
  table.head = {{""},
                {"time per call", "n"},
                {"speed", "n"},
                {"gap", "n", "", false, "#word-gap"},
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
}

void path_section(Markup& page, const StudyResult& report) {
  if (report.path.size() < 2) return;
  constexpr std::size_t most = 3;
  html_heading(page, "The path to the best");
  html_paragraph(page,
                 "Trials that improved on what was known, by their own times; the chart has their "
                 "numbers.",
                 "sub");
  HtmlTable table;
  table.head = {{"step", "n"},   {"trial", "n"}, {"time per call", "n"},
                {"faster", "n"}, {"changes"},    {"broke"}};
  std::optional<Estimate> before;
  for (std::size_t i = 0; i < report.path.size(); ++i) {
    const PathStep& step = report.path[i];
    const Estimate own = own_seconds(report, step);
    const double factor = before ? before->value / own.value : 1;
    std::vector<std::string> broken = short_names(step.broken);
    const std::size_t more = broken.size() - std::min(most, broken.size());
    if (more > 0) broken.resize(most);
    if (more > 0) broken.push_back(fmt::format("{} more", more));
    table.rows.push_back({{std::to_string(i), "n"},
                          {std::to_string(step.trial), "n"},
                          number_cell(own.value, seconds_interval(own)),
                          !before ? HtmlCell{}
                                  : number_cell(factor, before->overlaps(own) ? "within the noise"
                                                                              : ratio_text(factor)),
                          {step.step.changes.empty() ? "baseline" : changes_text(step.step), "w",
                           "", !step.step.changes.empty()},
                          {fmt::format("{}", fmt::join(broken, "; ")), "w"}});
    before = own;
  }
  html_table(page, table);
}

void evidence(Markup& page, const StudyResult& report) {
  remarks_section(page, report);
  bound_section(page, report);
  counted_section(page, report);
  sample_section(page, report);
  ledger_section(page, report);
  ablation_section(page, report);
  experiments_section(page, report);
  staircase_section(page, report);
  knobs_section(page, report);
  provenance_section(page, report);
  glossary_section(page);
  if (report.roofline.machine.ceilings.empty()) return;
  const HtmlFold fold(
      page, fmt::format("All {} ceilings of the machine", report.roofline.machine.ceilings.size()));
  html_ceilings(page, report.roofline.machine);
}

}  // namespace rooftune::report
