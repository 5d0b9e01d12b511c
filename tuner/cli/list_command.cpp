// tune list: the available choices. tune doctor: properties of this computer with an effect on
// results, and their cures. tune records: the care of written records.
#include <fmt/format.h>

#include <algorithm>

#include "cli/console.h"
#include "cli/export_choice.h"
#include "cli/options.h"
#include "cli/study_files.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/list.h"
#include "core/text.h"
#include "core/value.h"
#include "counters/provider.h"
#include "host/cards.h"
#include "host/doctor.h"
#include "host/host_platform.h"
#include "kernel/kernel.h"
#include "os/paths.h"
#include "report/text_table.h"
#include "search/strategy.h"
#include "store/record_care.h"
#include "store/study_store.h"
#include "study/platform.h"

namespace rooftune::cli {
namespace {

/// Rows of texts: the first row holds the names of the columns.
using Table = std::vector<Texts>;

struct Listing {
  const char* name;
  Table (*rows)(const ListOptions& options);
};

Table kernels(const ListOptions&) {
  Table table{{"name", "back ends", "title"}};
  for (const auto& name : kernel_names(home())) {
    const Kernel kernel = find_kernel(name, home());
    table.push_back(
        {kernel.name, joined(members(kernel.backends, &Backend::name), " "), kernel.title});
  }
  return table;
}

bool is_here(const Machine& machine) {
  if (!machine.is_gpu() || !machine.gpu) return why_not_here(machine).empty();
  return why_no_card(machine, {}).empty();
}

Table machines(const ListOptions&) {
  Table table{{"name", "kind", "here", "ceilings", "description"}};
  for (const auto& [name, file] : machine_files()) {
    try {
      const Machine machine = read_machine(file);
      table.push_back({name, to_text(machine.kind), is_here(machine) ? "yes" : "no",
                       std::to_string(machine.ceilings.size()), machine.description});
    } catch (const Error& error) {
      table.push_back({name, "?", "no", "0", std::string("unreadable: ") + error.what()});
    }
  }
  return table;
}

Table strategy_table(const ListOptions&) {
  Table table{{"name", "summary"}};
  for (const auto& row : strategies())
    table.push_back(
        {row.name, std::string(row.summary) +
                       (row.name == std::string(default_strategy) ? " (default)" : "")});
  return table;
}

Table counters(const ListOptions&) {
  Table table{{"name", "available", "what it counts", "here", "cure"}};
  for (const auto& row : counter_providers()) {
    const Availability availability = row.availability();
    table.push_back({row.name, availability.available ? "yes" : "no", row.summary,
                     availability.reason, availability.cure});
  }
  return table;
}

Table backends(const ListOptions&) {
  Table table{{"name", "available", "with", "cure"}};
  for (const BackendHere& row : backends_here())
    table.push_back({row.name, row.available ? "yes" : "no", row.with, row.cure});
  return table;
}

Table exporter_table(const ListOptions&) {
  Table table{{"name", "summary"}};
  for (const ExportForm& form : export_formats()) table.push_back({form.name, form.summary});
  return table;
}

std::string listed(const Json& values) {
  if (values.is_string()) return values.get<std::string>();
  std::string text;
  for (const auto& value : values) join(text, to_text(value_from_json(value)), " ");
  return text;
}

/// Straight from the space files: values dependent on machine and problem show as their
/// expressions.
Table knobs(const ListOptions& options) {
  Table table{{"kernel", "knob", "kind", "values", "breaks", "what it does"}};
  Texts names = kernel_names(home());
  if (!options.kernel.empty()) names = {options.kernel};
  for (const auto& name : names) {
    const Kernel kernel = find_kernel(name, home());
    if (!kernel.backend(options.backend)) continue;
    const Json space = read_json(find_space(kernel, options.backend, home()));
    for (const auto& knob : space.at("knobs"))
      table.push_back({kernel.name, text_of(knob, "name"), text_of(knob, "kind"),
                       knob.contains("values") ? listed(knob.at("values")) : "",
                       knob.contains("breaks") ? listed(knob.at("breaks")) : "",
                       text_of(knob, "doc")});
  }
  return table;
}

void print(const Table& table) {
  constexpr int uncut = 10000;
  TextTable text(uncut, 0);
  for (const auto& row : table) {
    std::vector<TextTable::Cell> cells;
    for (const std::string& cell : row) cells.push_back({cell});
    text.row(std::move(cells));
  }
  fmt::print("{}", text.str(false, uncut));
}

void print_json(const Table& table) {
  Json json = Json::array();
  for (size_t r = 1; r < table.size(); ++r) {
    Json row = Json::object();
    for (const size_t c : indices(table[r])) row[table[0][c]] = table[r][c];
    json.push_back(row);
  }
  fmt::print("{}\n", json_text(json, 2));
}

/// On record here, the latest last.
Table studies_on_record(const ListOptions& options) {
  Table table{{"id", "subject", "back end", "machine", "problem", "trials", "last trial"}};
  std::vector<Texts> rows;
  const fs::path results = results_directory({});
  for (const StudyFiles& files : study_files(results)) {
    if (!options.kernel.empty() && files.kernel != options.kernel) continue;
    const auto study = read_study(results, files.kernel, files.backend, files.id);
    if (!study) continue;
    const auto& trials = study->history.trials();
    rows.push_back({files.id.substr(0, 8), files.kernel, files.backend, study->header.machine,
                    excerpt(json_text(study->header.problem)), std::to_string(trials.size()),
                    trials.empty() ? "" : trials.back().started});
  }
  std::ranges::stable_sort(rows, {}, [](const auto& row) { return row.back(); });
  append(table, rows);
  return table;
}

constexpr Listing listing_rows[] = {{"kernels", kernels},           {"machines", machines},
                                    {"strategies", strategy_table}, {"knobs", knobs},
                                    {"backends", backends},         {"counters", counters},
                                    {"exporters", exporter_table},  {"studies", studies_on_record}};

using State = HostCheck::State;

/// In the order of the states, with and without Unicode.
struct Sign {
  const char *unicode, *ascii;
  Ink ink;
};
constexpr Sign signs[] = {{"\u2714", "+", Ink::green},
                          {"?", "?", Ink::faint},
                          {"!", "!", Ink::yellow},
                          {"-", "-", Ink::faint},
                          {"\u2718", "x", Ink::red}};

std::string text_of_checks(const std::vector<HostCheck>& checks, const TerminalStyle& style) {
  TextTable table(style.width);
  for (const HostCheck& check : checks) {
    const Sign& sign = signs[size_t(check.state)];
    table.row({{style.unicode ? sign.unicode : sign.ascii, sign.ink},
               {check.what, Ink::strong},
               {check.found}});
    if (!check.effect.empty()) table.row({{""}, {""}, {check.effect}});
    if (!check.cure.empty()) table.row({{""}, {""}, {"cure: " + check.cure, Ink::faint}});
  }
  return table.str(style.colour);
}

std::string verdict_of_checks(const std::vector<HostCheck>& checks) {
  const auto count = [&](State state) {
    return std::ranges::count(checks, state, &HostCheck::state);
  };
  if (const auto faults = count(State::fault); faults > 0)
    return fmt::format("Studies cannot run here: {}.", plural(faults, "fault"));
  const auto limits = count(State::limits);
  return limits == 0 ? "Studies run here, and nothing is in their way."
                     : fmt::format("Studies run here; {} make their results worse.",
                                   plural(limits, "thing"));
}

fs::path results_with_records(const std::string& option) {
  fs::path results = fs::absolute(results_directory(option));
  if (!fs::exists(results / "records"))
    throw Error("there are no records", (results / "records").string(),
                "name the directory with --results");
  return results;
}

}  // namespace

Texts listings() {
  Texts names;
  for (const Listing& listing : listing_rows) names.emplace_back(listing.name);
  return names;
}

int list_command(const ListOptions& options) {
  const Listing* const listing = first_with(listing_rows, &Listing::name, options.what);
  const Table rows = listing->rows(options);
  options.json ? print_json(rows) : print(rows);
  return 0;
}

int doctor_command(const DoctorOptions& options) {
  const std::vector<HostCheck> checks =
      host_checks(fs::absolute(results_directory(options.results)));
  const bool faulty = contains(checks, State::fault, &HostCheck::state);
  if (options.json)
    fmt::print("{}\n", json_text(json_of(checks), 2));
  else
    fmt::print("{}\n\n{}", verdict_of_checks(checks), text_of_checks(checks, style_of(1)));
  return int(faulty ? ExitCode::unavailable : ExitCode::ok);
}

int verify_command(const VerifyOptions& options) {
  const RecordCheck check = verify_records(results_with_records(options.results));
  for (const RecordFinding& finding : check.findings)
    fmt::print("{}\n  hint: {}\n", finding.text, cure(finding.kind));
  fmt::print("{} studies, {} files, {} records: {}\n", check.studies, check.files, check.records,
             check.findings.empty() ? "all are sound"
             : check.sound()        ? "sound, some are there twice"
                                    : "not all are sound");
  return int(check.sound() ? ExitCode::ok : ExitCode::failure);
}

int gc_command(const GcOptions& options) {
  const fs::path results = results_with_records(options.results);
  if (!options.older_than)
    throw Error("nothing says what is old", "tune records gc", "--older-than 90d");
  OldRecords old = old_records(results, *options.older_than);
  if (!options.dry_run) remove(old);
  for (const auto* paths : {&old.studies, &old.runs, &old.nights, &old.pages, &old.parts})
    for (const fs::path& path : *paths)
      fmt::print("{}{}\n", options.dry_run ? "would remove " : "removed ", path.string());
  for (const std::string& note : old.notes) fmt::print("{}\n", note);
  fmt::print("{}\n", to_text(old));
  return int(ExitCode::ok);
}

}  // namespace rooftune::cli
