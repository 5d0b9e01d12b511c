// A machine with its ceilings: its page, and its text for a terminal.
#include "report/machine_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/list.h"
#include "core/text.h"
#include "core/units.h"
#include "core/version.h"
#include "report/charts.h"
#include "report/figures.h"
#include "report/roofline_view.h"
#include "report/study_page.h"
#include "report/terminal.h"
#include "report/text_table.h"

namespace rooftune::report {
namespace {

std::string level_text(const MemoryLevel& level) {
  std::string text = level.name;
  if (level.capacity) text += " " + to_text(Bytes(*level.capacity));
  if (level.reported && level.capacity && *level.reported != *level.capacity)
    text += fmt::format(" (the system says {})", to_text(Bytes(*level.reported)));
  if (level.instances > 1) text += fmt::format(" x{}", level.instances);
  return text;
}

std::string hardware_text(const Machine& machine) {
  return fmt::format("{}, {}, vectors of {} bits; {}", plural(machine.cores, "core"),
                     plural(machine.numa_nodes, "NUMA node"), machine.simd_bits,
                     list_text(members(machine.levels, level_text)));
}

void identity_section(Markup& page, const Machine& machine) {
  html_heading(page, "Identity");
  TextPairs entries{{"name", machine.name}, {"id", machine.id}, {"kind", to_text(machine.kind)}};
  append(entries, machine.identity);
  html_definitions(page, entries);
}

}  // namespace

HtmlTable ceilings_table(const Machine& machine, bool intervals) {
  HtmlTable table{.head = {{"ceiling"},
                           {.text = "kind", .from = page_only},
                           number_head("rate"),
                           {.text = "source", .from = 48},
                           {.text = "needs", .from = page_only},
                           number_head("clock", page_only)},
                  .sortable = true};
  for (const Ceiling& c : machine.ceilings) {
    const std::string dated = to_text(c.source.kind) + (" " + c.source.date.substr(0, 10));
    table.rows.push_back(
        {{.text = c.stable ? c.name : c.name + " (windows disagree)",
          .classes = c.stable ? "" : "failed",
          .brief = c.name,
          .ink = c.stable ? Ink::none : Ink::faint},
         {c.kind == Ceiling::Kind::in_core  ? c.precision
          : c.kind == Ceiling::Kind::launch ? "launch"
                                            : c.level},
         number_cell(c.rate.value, ceiling_text(c, intervals)),
         {.text = source_text(c.source),
          .brief = c.stable ? dated : "its windows disagree: the machine moved",
          .ink = c.stable ? Ink::faint : Ink::yellow},
         {list_text(words(c.requirements))},
         c.clock > 0 ? number_cell(c.clock, to_text(Hertz(c.clock))) : HtmlCell{"", "n"}});
  }
  return table;
}

std::string machine_page(const Machine& machine, const std::string& date) {
  Markup page;
  html_begin(page, "Roofline of " + machine.name);
  page.element("h1", {}, "Roofline of " + machine.name).newline();
  html_paragraph(page, machine.description + ". " + hardware_text(machine) + ".", "sub");
  for (const std::string& note : machine.notes) html_paragraph(page, note, "note");
  html_figure(page, machine_svg(machine));
  html_heading(page, fmt::format("{} ceilings", machine.ceilings.size()));
  html_table(page, ceilings_table(machine));
  identity_section(page, machine);
  return html_end(page, version, date);
}

std::string terminal_machine(const Machine& machine, const TerminalStyle& style, bool all) {
  std::string text = paragraph("", machine.name + ": " + machine.description, style.width);
  text += paragraph("", hardware_text(machine), style.width);
  Texts roofs;
  for (const RooflineLine& line : machine_view(machine).lines)
    if (line.roof) roofs.push_back(line.family + " " + line.rate_label);
  text += paragraph("roofs: ", roofs.empty() ? machine.why_no_ceilings() : list_text(roofs),
                    style.width);
  if (all && !machine.ceilings.empty())
    text += '\n' + terminal_table(ceilings_table(machine, style.width >= 64), style,
                                  std::max(16, style.width * 2 / 5));
  if (all)
    for (const std::string& note : machine.notes) text += paragraph("note: ", note, style.width);
  else if (!machine.ceilings.empty())
    text += paragraph("",
                      fmt::format("-v lists all {} ceilings and {} notes", machine.ceilings.size(),
                                  machine.notes.size()),
                      style.width);
  return style.unicode ? text : ascii_only(text);
}

}  // namespace rooftune::report
