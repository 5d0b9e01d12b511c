#include "report/study_evidence.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/list.h"
#include "core/units.h"
#include "report/answer.h"
#include "report/figures.h"
#include "report/machine_report.h"
#include "report/sentences.h"
#include "report/staircase.h"
#include "report/study_page.h"
#include "report/study_tables.h"

namespace rooftune::report {
namespace {

/// A lower bound on the time: what it applies to, its quantity, and the amount and rate behind it.
HtmlRow bound_row(const char* subject, const std::string& quantity, const CeilingTime& part,
                  const std::string& because) {
  const Estimate seconds = part.seconds();
  return {
      {subject}, number_cell(seconds.value, seconds_interval(seconds)), {quantity}, {because, "w"}};
}

HtmlRow part_row(const Roofline& roofline, const CeilingTime& part) {
  if (roofline.machine.level(part.level))
    return bound_row(
        "any code", part.level + " traffic", part,
        fmt::format("{} must cross, each distinct byte once less what caches keep; no "
                    "measured stream of such a mix is faster than \"{}\"",
                    decimal_text(roofline.least_traffic(part.level).total()), part.ceiling));
  if (roofline.work.least.contains(part.level))
    return bound_row("any code", part.level + " work", part,
                     fmt::format("{} {}; no measured mix of instructions is faster than \"{}\"",
                                 count_text(roofline.work.least.at(part.level).value()),
                                 roofline.work.operations.contains(part.level)
                                     ? "flop, each kind of operation at its fastest"
                                     : work_unit(part.level) + std::string(" in whatever mix"),
                                 part.ceiling));
  if (part.level == to_text(Ceiling::Kind::launch))
    return bound_row("any code", "launch", part,
                     fmt::format("a call launches at least one kernel; no empty one was launched "
                                 "faster than \"{}\"",
                                 part.ceiling));
  return bound_row("any code", part.level, part, fmt::format("at \"{}\"", part.ceiling));
}

void bound_section(Markup& page, const StudyResult& result) {
  const HtmlFold fold(page, "Why nothing can be faster");
  html_paragraph(page,
                 (result.bound.known() ? "Bound " + seconds_text(result.bound.time.value()) + ": "
                                       : "Unknown: ") +
                     bound_sentence(result) + ".");
  HtmlTable parts{
      .head = {{"cannot be faster"}, number_head("least time"), {"for"}, {"because", "w"}},
      .classes = "slim"};
  for (const CeilingTime& part : result.bound.parts)
    parts.rows.push_back(part_row(result.roofline, part));
  if (!space_sentence(result).empty())
    parts.rows.push_back(bound_row("this space", "what its variants move", result.space_bound->time,
                                   result.space_bound->because));
  // The loosest first.
  stable_sort(parts.rows, {}, [](const auto& row) { return std::stod(row[1].sort_value); });
  if (const auto& reached = result.bound.reached)
    parts.rows.push_back(
        bound_row("a micro-kernel (seen)", "the slowest part of the bound", *reached,
                  fmt::format("no bound: \"{}\" does as much in that time", reached->ceiling)));
  if (parts.rows.size() > 1) html_table(page, parts);
  for (const std::string& missing : result.bound.missing)
    html_paragraph(page, "The bound leaves out " + missing + ": no ceiling applies.", "note");
}

/// "step 2: format csr -> bcsr (needs step 1)", "passed by step 3", "ahead".
HtmlCell standing_cell(const StudyResult& result, const LedgerEntry& entry) {
  if (entry.broken_by && entry.passed_by && result.staircase) {
    const auto& stairs = result.staircase->stairs;
    const size_t step = *entry.passed_by;
    std::string text =
        fmt::format("step {}: {}", step,
                    step < stairs.size() ? step_text(stairs[step].changes, stairs[step].gain) : "");
    if (entry.broken_by < entry.passed_by)
      text += fmt::format(" (needs step {})", *entry.broken_by);
    return {.text = text, .classes = "broken", .ink = Ink::green};
  }
  if (entry.passed_by) return {.text = fmt::format("passed by step {}", *entry.passed_by)};
  const bool behind = result.best && result.best->seconds.high < entry.beside.value();
  return {.text = behind ? "passed" : "ahead"};
}

std::optional<Section> ledger_section(const StudyResult& result) {
  const LedgerDigest digest = ledger_digest(result);
  if (digest.rows.empty()) return std::nullopt;
  Section section{"Ceilings and walls, slowest first",
                  "",
                  {.head = {number_head("time there"), {"ceiling or wall"}, {"broken by"}}}};
  if (any_of(digest.rows, [](const LedgerRow& row) {
        return row.entry.kind == LedgerEntry::Kind::wall && row.entry.passed_by;
      }))
    section.remarks.emplace_back("Code that moves fewer bytes than a wall is past it.");
  if (digest.beyond > 0)
    section.remarks.push_back(
        fmt::format("{} more beyond the bound, out of reach.", digest.beyond));
  for (const auto& [entry, alike] : digest.rows) {
    const std::string wall = entry.kind == LedgerEntry::Kind::wall ? "wall: " : "",
                      more = alike > 0 ? fmt::format(" (+{})", alike) : "";
    section.table.rows.push_back(
        {number_cell(entry.beside.value(), seconds_text(entry.beside.value())),
         {.text = wall + full_name(entry) + more, .brief = wall + short_name(entry) + more},
         standing_cell(result, entry)});
  }
  return section;
}

std::optional<Section> steps_section(const StudyResult& result) {
  if (!result.staircase) return std::nullopt;
  const Staircase& staircase = *result.staircase;
  Section section{
      "Each step in full",
      staircase.title.empty() ? "" : fmt::format("{} ({}).", staircase.title, staircase.source),
      {.head = {number_head("time"), number_head("gain"), {.text = "step, because, broke"}}}};
  for (const auto& row : staircase_table(result).rows) {
    // The last four columns are gain, step, because and broke.
    const auto gain = row.end() - 4;
    std::string text = gain[1].text;
    if (!gain[2].text.empty()) text += "; " + gain[2].text;
    if (!gain[3].text.empty())
      text += (gain[3].text.starts_with("past ") ? "; " : "; broke ") + gain[3].text;
    section.table.rows.push_back(
        {{row.front().text, "n"}, {gain->text, "n"}, {.text = text, .classes = "w"}});
  }
  section.remarks.push_back(fmt::format(
      "{} interleaved rounds{}; the steps' gains multiply to the whole.", staircase.rounds,
      staircase.dropped > 0 ? fmt::format(", {} of them disturbed and left out", staircase.dropped)
                            : ""));
  return section;
}

void knobs_section(Markup& page, const StudyResult& result) {
  const HtmlFold fold(page, "Knobs");
  html_paragraph(page,
                 fmt::format("{} allowed configurations of {}.", count_text(result.space.size),
                             count_text(result.space.cartesian_size)),
                 "sub");
  HtmlTable table;
  table.head = {{"knob"}, {"kind"},      {"values"},      {"default"},
                {"best"}, {"can break"}, {"what it does"}};
  for (const Knob& knob : result.space.knobs) {
    const std::string best = result.best && result.best->configuration.has(knob.name)
                                 ? to_text(result.best->configuration.at(knob.name))
                                 : "";
    table.rows.push_back(
        {{knob.name, "whole", "", true},
         {to_text(knob.kind)},
         {joined(texts_of(knob.values)), "w"},
         {to_text(knob.fallback)},
         {best},
         {list_text(words(knob.breaks))},
         {knob.collapsed.empty() ? knob.doc : knob.doc + " (fixed: " + knob.collapsed + ")"}});
  }
  html_table(page, table);
}

void provenance_section(Markup& page, const StudyResult& result) {
  const HtmlFold fold(page, "How it went, and where it comes from");
  auto entries = course(result);
  entries.emplace_back("machine", fmt::format("{} (id {})", result.roofline.machine.name,
                                              result.roofline.machine.id));
  append(entries, result.roofline.machine.identity);
  html_definitions(page, entries);
}

/// The glossary: words and meanings.
void glossary_section(Markup& page) {
  const HtmlFold fold(page, "Words");
  page.open("dl", {{"id", "words"}}).newline();
  for (const GlossaryEntry& entry : glossary()) {
    page.element("dt", {{"id", glossary_link(entry.word).substr(1)}}, entry.word)
        .element("dd", {}, entry.meaning)
        .newline();
  }
  page.close_line();
}

/// The section as a fold.
void html_section(Markup& page, const Section& section) {
  const HtmlFold fold(page, section.title);
  html_paragraph(page, section.opening, "sub");
  html_table(page, section.table);
  for (const std::string& remark : section.remarks) html_paragraph(page, remark, "sub");
}

}  // namespace

TextPairs course(const StudyResult& result) {
  const StudyHeader& study = result.header;
  const StudySetup& setup = result.setup;
  Texts problem{facts_text(result.problem), facts_text(result.facts)};
  std::erase(problem, "");
  TextPairs entries{
      {"kernel", setup.title},
      {"on", study_sentence(result)},
      {"problem", joined(problem, "; ")},
      {"stopped", result.stop.sentence.empty() ? word(result.stop.reason) : result.stop.sentence},
      {"trials", fmt::format("{}: {}", result.trials.size(), outcome_sentence(result))},
      {"cost", cost_sentence(result)}};
  const auto add = [&](const char* name, const std::string& text) {
    entries.emplace_back(name, text);
  };
  if (!result.nodes.empty()) add("nodes", nodes_sentence(result));
  if (result.space.cartesian_size > 0)
    add("space", count_text(result.space.size) + " allowed configurations of " +
                     count_text(result.space.cartesian_size));
  for (const std::string& knob : collapsed_knobs(result)) add("fixed", knob);
  for (const std::string& missing : result.bound.missing)
    add("note", "the bound leaves out " + missing + ": no ceiling applies (tune probe)");
  if (setup.transfer) add("start", to_text(*setup.transfer));
  for (const Drift& drift : result.drifts) add("anchor", drift.sentence);
  add("tie", tie_sentence(result));
  for (const std::string& note : result.notes) add("note", note);
  add("study", fmt::format("{}, strategy {}, seed {}", study.id, study.strategy, study.seed));
  add("target gap", ratio_text(setup.target_gap));
  add("compiler", setup.compiler);
  if (!setup.revision.empty()) add("revision", setup.revision);
  add("command", joined(setup.command, " "));
  add("records", result.place.string());
  add("ended", result.date);
  return entries;
}

std::vector<Section> measured_sections(const StudyResult& result) {
  std::vector<Section> sections;
  for (const auto& section :
       {steps_section(result), counted_section(result), ledger_section(result)})
    if (section) sections.push_back(*section);
  return sections;
}

void evidence(Markup& page, const StudyResult& result) {
  bound_section(page, result);
  for (const Section& section : measured_sections(result)) html_section(page, section);
  knobs_section(page, result);
  provenance_section(page, result);
  glossary_section(page);
  if (result.roofline.machine.ceilings.empty()) return;
  const HtmlFold fold(
      page, fmt::format("All {} ceilings of the machine", result.roofline.machine.ceilings.size()));
  html_table(page, ceilings_table(result.roofline.machine));
}

}  // namespace rooftune::report
