// A machine's roofs and ceilings for the terminal.
#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "report/figures.h"
#include "report/terminal_chart.h"
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

std::string dated(const Source& source) {
  return std::string(to_text(source.kind)) +
         (source.date.empty() ? "" : " " + source.date.substr(0, 10));
}

std::string ceilings(const Machine& machine, const TerminalStyle& style) {
  TextTable table(style.width);
  std::vector<std::string> sources;
  for (const Ceiling& ceiling : machine.ceilings) {
    const std::string source = source_text(ceiling.source);
    if (std::find(sources.begin(), sources.end(), source) == sources.end())
      sources.push_back(source);
    std::vector<TextTable::Cell> cells{{ceiling.name, ceiling.stable ? Ink::none : Ink::faint},
                                       {ceiling_text(ceiling, style.width >= 64)}};
    if (style.width >= 48)
      cells.push_back(
          {ceiling.stable ? dated(ceiling.source) : "its windows disagree: the machine moved",
           ceiling.stable ? Ink::faint : Ink::yellow});
    table.row(cells);
  }
  std::string text = table.str(style.colour, std::max(16, style.width * 2 / 5)) + '\n';
  // A probe words the source of each ceiling apart: then only the page has room for them.
  constexpr std::size_t few = 8;
  if (sources.size() > few)
    return text + paragraph("  sources: ", "every ceiling has its own; tune report writes them all",
                            style.width);
  for (const std::string& source : sources) text += paragraph("  source: ", source, style.width);
  return text;
}

}  // namespace

std::string terminal_machine(const Machine& machine, const TerminalStyle& style, bool all) {
  std::string text =
      paragraph("", fmt::format("{}: {}", machine.name, machine.description), style.width);
  std::vector<std::string> levels;
  for (const MemoryLevel& level : machine.levels) levels.push_back(level_text(level));
  text += paragraph(
      "",
      fmt::format("{} core{}, {} NUMA node{}, vectors of {} bits; {}", machine.cores,
                  machine.cores == 1 ? "" : "s", machine.numa_nodes,
                  machine.numa_nodes == 1 ? "" : "s", machine.simd_bits, list_text(levels)),
      style.width);
  const RooflineView view = machine_view(machine);
  if (view.lines.empty())
    text += "\nno ceiling has been measured (tune probe)\n";
  else
    text += '\n' + roofline_characters(view, style);
  if (all && !machine.ceilings.empty()) text += '\n' + ceilings(machine, style);
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
