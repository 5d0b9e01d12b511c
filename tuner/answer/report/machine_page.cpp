#include "report/machine_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "core/version.h"
#include "report/chart.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/page.h"

namespace rooftune::report {
namespace {

/// The three best; a machine file may hold hundreds.
std::string samples_text(const Ceiling& ceiling) {
  constexpr std::ptrdiff_t shown = 3;
  const auto count = std::min(shown, static_cast<std::ptrdiff_t>(ceiling.samples.size()));
  return rate_list({ceiling.samples.begin(), ceiling.samples.begin() + count}, rate_unit(ceiling));
}

void levels_section(Markup& page, const Machine& machine) {
  if (machine.levels.empty()) return;
  html_heading(page, "Memory levels");
  HtmlTable table;
  table.slim = true;
  table.head = {
      {"level"}, {"effective capacity", "n"}, {"the system reports", "n"}, {"instances", "n"}};
  for (const MemoryLevel& level : machine.levels) {
    const auto bytes = [](const std::optional<double>& value) {
      return value ? number_cell(*value, to_text(Bytes(*value))) : HtmlCell{"", "n"};
    };
    table.rows.push_back({{level.name},
                          bytes(level.capacity),
                          bytes(level.reported),
                          {std::to_string(level.instances), "n"}});
  }
  html_table(page, table);
}

void identity_section(Markup& page, const Machine& machine) {
  html_heading(page, "Identity");
  std::vector<std::pair<std::string, std::string>> entries{
      {"name", machine.name}, {"id", machine.id}, {"kind", to_text(machine.kind)}};
  for (const auto& [name, value] : machine.identity) entries.emplace_back(name, value);
  html_definitions(page, entries);
}

}  // namespace

void html_ceilings(Markup& page, const Machine& machine) {
  HtmlTable table;
  table.sortable = true;
  table.head = {{"ceiling"}, {"kind"},       {"rate", "n"},        {"source"},
                {"needs"},   {"clock", "n"}, {"best samples", "n"}};
  for (const Ceiling& c : machine.ceilings) {
    table.rows.push_back(
        {{c.stable ? c.name : c.name + " (windows disagree)", c.stable ? "" : "failed"},
         {c.kind == Ceiling::Kind::in_core  ? c.precision
          : c.kind == Ceiling::Kind::launch ? "launch"
                                            : c.level},
         number_cell(c.rate.value, ceiling_text(c, true)),
         {source_text(c.source)},
         {list_text(words(c.requirements))},
         c.clock > 0 ? number_cell(c.clock, to_text(Hertz(c.clock))) : HtmlCell{"", "n"},
         {samples_text(c), "n"}});
    table.row_classes.emplace_back();
  }
  html_table(page, table);
}

std::string machine_page(const Machine& machine, const std::string& date) {
  Markup page;
  html_begin(page, "Roofline of " + machine.name);
  page.element("h1", {}, "Roofline of " + machine.name).newline();
  html_paragraph(
      page,
      fmt::format("{}. {} core{}, {} NUMA node{}, vectors of {} bits.", machine.description,
                  machine.cores, machine.cores == 1 ? "" : "s", machine.numa_nodes,
                  machine.numa_nodes == 1 ? "" : "s", machine.simd_bits),
      "sub");
  for (const std::string& note : machine.notes) html_paragraph(page, note, "note");
  html_figure(page, machine_svg(machine));
  if (!machine.ceilings.empty()) html_figure(page, ladder_svg(machine));
  html_heading(page, fmt::format("{} ceilings", machine.ceilings.size()));
  html_ceilings(page, machine);
  levels_section(page, machine);
  identity_section(page, machine);
  return html_end(page, version, date);
}

}  // namespace rooftune::report
