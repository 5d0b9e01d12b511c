// tune list: the available choices. tune doctor: what on this computer affects results, and the
// cures. tune records: looks after written records.
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
#include "report/figures.h"
#include "report/text_table.h"
#include "roofline/machine_json.h"
#include "search/strategy.h"
#include "store/record_care.h"
#include "store/study_store.h"
#include "study/find_study.h"
#include "study/machines.h"
#include "study/platform.h"

namespace rooftune::cli {
namespace {

/// `rows`: an array of objects with the same members.
struct Listing {
  const char* name;
  Json (*rows)(const ListOptions& options);
};

Json kernels(const ListOptions&) {
  return members(kernel_names(home()), [](const auto& name) {
    const Kernel kernel = find_kernel(name, home());
    return Json{{"name", kernel.name},
                {"back_ends", members(kernel.backends, &Backend::name)},
                {"title", kernel.title}};
  });
}

bool is_here(const Machine& machine) {
  if (!machine.is_gpu() || !machine.gpu) return why_not_here(machine).empty();
  return why_no_card(machine, {}).empty();
}

Json machines(const ListOptions&) {
  Json rows = Json::array();
  for (const auto& [name, file] : machine_files()) {
    Json row{
        {"name", name}, {"kind", nullptr}, {"here", false}, {"ceilings", 0}, {"description", ""}};
    try {
      const Machine machine = read_machine(file);
      row["kind"] = to_text(machine.kind);
      row["here"] = is_here(machine);
      row["ceilings"] = machine.ceilings.size();
      row["description"] = machine.description;
    } catch (const Error& error) {
      row["description"] = std::string("unreadable: ") + error.what();
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json strategy_rows(const ListOptions&) {
  return members(strategies(), [](const auto& row) {
    return Json{{"name", row.name},
                {"summary", std::string(row.summary) +
                                (row.name == std::string(default_strategy) ? " (default)" : "")}};
  });
}

Json counters(const ListOptions&) {
  return members(counter_providers(), [](const auto& row) {
    const Availability availability = row.availability();
    return Json{{"name", row.name},
                {"available", availability.available},
                {"what_it_counts", row.summary},
                {"here", availability.reason},
                {"cure", availability.cure}};
  });
}

Json backends(const ListOptions&) { return encode(backends_here()); }

Json exporter_rows(const ListOptions&) {
  return members(export_formats(), [](const auto& form) {
    return Json{{"name", form.name}, {"summary", form.summary}};
  });
}

Json member_of(const Json& json, const char* name) {
  return json.contains(name) ? json.at(name) : Json();
}

/// Straight from the space files: values that depend on machine and problem show as expressions.
Json knobs(const ListOptions& options) {
  Json rows = Json::array();
  Texts names = kernel_names(home());
  if (!options.subject.kernel.empty()) names = {options.subject.kernel};
  for (const auto& name : names) {
    const Kernel kernel = find_kernel(name, home());
    if (!kernel.backend(options.subject.backend)) continue;
    const Json space = read_json(find_space(kernel, options.subject.backend, home()));
    for (const auto& knob : space.at("knobs"))
      rows.push_back({{"kernel", kernel.name},
                      {"knob", text_of(knob, "name")},
                      {"kind", text_of(knob, "kind")},
                      {"values", knob.contains("values") ? knob.at("values") : "of the machine"},
                      {"breaks", member_of(knob, "breaks")},
                      {"what_it_does", text_of(knob, "doc")}});
  }
  return rows;
}

/// The studies on record here, the latest last.
Json studies_on_record(const ListOptions& options) {
  std::vector<Json> rows;
  const fs::path results = results_directory(options.results);
  for (const StudyFiles& files : study_files(results)) {
    if (!options.subject.kernel.empty() && files.kernel != options.subject.kernel) continue;
    const auto study = read_digest(results, files);
    if (!study) continue;
    rows.push_back({{"id", files.id},
                    {"subject", files.kernel},
                    {"back_end", files.backend},
                    {"machine", study->head.header.machine},
                    {"problem", study->head.header.problem},
                    {"trials", study->trials},
                    {"best_seconds", study->best ? Json(*study->best) : Json()},
                    {"last_trial", study->last}});
  }
  stable_sort(rows, {}, [](const Json& row) { return text_of(row, "last_trial"); });
  return rows;
}

std::string text_of_cell(const Json& cell) {
  if (cell.is_null()) return {};
  if (cell.is_boolean()) return cell.get<bool>() ? "yes" : "no";
  if (cell.is_object()) return excerpt(json_text(cell));
  if (cell.is_number_float()) return significant(cell.get<double>(), 4);
  if (!cell.is_array()) return to_text(value_from_json(cell));
  return joined(members(cell, [](const Json& value) { return to_text(value_from_json(value)); }),
                " ");
}

void print(const Json& rows) {
  if (rows.empty()) return;
  constexpr int uncut = 10000;
  TextTable text(uncut, 0);
  std::vector<TextTable::Cell> cells;
  for (const auto& [column, cell] : rows.front().items()) {
    cells.push_back({column});
    std::ranges::replace(cells.back().text, '_', ' ');
  }
  text.row(std::move(cells));
  for (const Json& row : rows) {
    cells.clear();
    for (const auto& [column, cell] : row.items()) cells.push_back({text_of_cell(cell)});
    text.row(std::move(cells));
  }
  fmt::print("{}", text.str(false, uncut));
}

constexpr Listing listing_rows[] = {{"kernels", kernels},          {"machines", machines},
                                    {"strategies", strategy_rows}, {"knobs", knobs},
                                    {"backends", backends},        {"counters", counters},
                                    {"exporters", exporter_rows},  {"studies", studies_on_record}};

using State = HostCheck::State;

/// Ordered as the states, with and without Unicode.
struct Sign {
  const char *unicode, *ascii;
  Ink ink;
};
constexpr Sign signs[] = {{"\u2714", "+", Ink::green},
                          {"?", "?", Ink::faint},
                          {"!", "!", Ink::yellow},
                          {"-", "-", Ink::faint},
                          {"\u2718", "x", Ink::red}};

std::string text_of_checks(const HostChecks& checks, const TerminalStyle& style) {
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

std::string verdict_of_checks(const HostChecks& checks) {
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
    throw Error("there are no records", (results / "records"), "name the directory with --results");
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
  const Json rows = listing->rows(options);
  options.json ? void(fmt::print("{}\n", json_text(rows, 2))) : print(rows);
  return 0;
}

int doctor_command(const DoctorOptions& options) {
  const HostChecks checks = host_checks(fs::absolute(results_directory(options.results)));
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
