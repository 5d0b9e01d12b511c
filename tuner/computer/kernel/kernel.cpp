// Work and traffic of a kernel for one problem: its formulas, evaluated; the back end table; and
// the folders where kernels and their search spaces lie.
#include "kernel/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <sstream>

#include "core/error.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/list.h"
#include "core/split.h"
#include "core/text.h"

namespace rooftune::kernel {
namespace {

constexpr std::array<BackendRow, 4> backends{{
    {"openmp", Builder::host_compiler, MachineKind::cpu},
    {"kokkos", Builder::kokkos, std::nullopt},
    {"cuda", Builder::gpu_compiler, MachineKind::gpu},
    {command_backend, Builder::own, std::nullopt},
}};

/// The formulas of a kernel for one problem; `pointer`: where each stands in its manifest.
struct Formulas {
  const Kernel& kernel;
  const Facts& facts;

  std::string place(const std::string& pointer) const {
    if (kernel.program) return "what the command does at least: /" + pointer;
    return (kernel.folder / "kernel.json").string() + ": /" + pointer;
  }

  Value value(const Expression& expression, const std::string& pointer) const {
    return expression.evaluate(lookup_in(facts), place(pointer));
  }

  /// A count of bytes, flops or items: finite, not negative.
  double amount(const Expression& expression, const std::string& pointer) const {
    if (expression.empty()) return 0;
    const Value result = value(expression, pointer);
    const auto complain = [&](const std::string& what) -> Error {
      return {"\"" + expression.text() + "\" is " + to_text(result) + ", " + what, place(pointer),
              "it must be a number that is at least 0 for every problem"};
    };
    if (!result.is_number()) throw complain("no number");
    const double number = result.real();
    if (!std::isfinite(number)) throw complain("not finite");
    if (number < 0) throw complain("negative");
    return number;
  }

  double elements(size_t position) const {
    const Expression& formula = kernel.arguments[position].count;
    const std::string pointer = "arguments/" + std::to_string(position) + "/count";
    const double count = amount(formula, pointer);
    if (count != std::floor(count))
      throw Error("\"" + formula.text() + "\" is " + to_text(Value(count)) +
                      ", no whole number of elements",
                  place(pointer), "use // to divide without remainder");
    return count;
  }
};

/// The factors between the `*` in a formula; nothing for 1.
Texts factors(const std::string& formula) {
  Texts all;
  for (const std::string& part : split(formula, '*')) all.emplace_back(trimmed(part));
  if (all == Texts{"1"}) return {};
  return all;
}

bool is_kernel(const fs::path& folder) { return is_file(folder / "kernel.json"); }

bool is_path(const std::string& text) { return contains(text, '/') || text == "." || text == ".."; }

}  // namespace

std::span<const BackendRow> backend_table() { return backends; }

const BackendRow& backend_row(const std::string& name) {
  const auto* const found = first_with(backends, &BackendRow::name, name);
  return found ? *found : backends.front();
}

const char* default_backend(MachineKind machine) {
  return first_with(backends, &BackendRow::runs_on, machine)->name;
}

bool runs_on_gpu(const std::string& name) { return backend_row(name).runs_on == MachineKind::gpu; }

bool Kernel::captured() const {
  return any_of(arguments, [](const Argument& one) { return !one.result.empty(); });
}

const Backend* Kernel::backend(const std::string& wanted) const {
  return first_with(backends, &Backend::name, wanted);
}

Texts unknown_names(const Kernel& kernel, const SearchSpace& space) {
  TextSet known(kernel.facts.begin(), kernel.facts.end());
  for (const Parameter& parameter : kernel.parameters) known.insert(parameter.name);
  for (const Knob& knob : space.knobs()) known.insert(knob.name);
  Texts unknown;
  for (const Argument& argument : kernel.arguments)
    for (const std::string& name : argument.value.names())
      if (known.insert(name).second) unknown.push_back(name);
  return unknown;
}

Work work(const Kernel& kernel, const Facts& facts) {
  const Formulas formulas{kernel, facts};
  Work result;
  for (const auto& [precision, flops] : kernel.least_work)
    result.least[precision] = Flops(formulas.amount(flops, "work/least/" + precision));
  for (const auto& [precision, kinds] : kernel.least_operations)
    for (const auto& [kind, count] : kinds)
      result.operations[precision][kind] =
          formulas.amount(count, "work/operations/" + precision + "/" + kind);
  result.partial = kernel.states_part;
  result.nominal = Flops(formulas.amount(kernel.nominal_flops, "work/nominal"));
  result.items = formulas.amount(kernel.items, "work/items");
  result.item = kernel.item;
  return result;
}

Traffic traffic(const Kernel& kernel, const Facts& facts) {
  const Formulas formulas{kernel, facts};
  Traffic result;
  result.read = Bytes(formulas.amount(kernel.read, "traffic/read"));
  result.write = Bytes(formulas.amount(kernel.write, "traffic/write"));
  result.footprint = Bytes(formulas.amount(kernel.footprint, "traffic/footprint"));
  if (result.footprint < std::max(result.read, result.write))
    throw Error("the footprint of " + to_text(Value(result.footprint.value())) +
                    " B is smaller than the " +
                    to_text(Value(std::max(result.read, result.write).value())) +
                    " distinct bytes that are read or written",
                formulas.place("traffic/footprint"),
                "least traffic counts each distinct byte once, so it lies within the footprint");
  result.warm = kernel.warm;
  for (const size_t i : indices(kernel.walls)) {
    const WallFormula& wall = kernel.walls[i];
    const std::string pointer = "walls/" + std::to_string(i);
    if (!wall.when.empty() && !formulas.value(wall.when, pointer + "/when").truth()) continue;
    result.walls.push_back({wall.name, wall.lacks, wall.level,
                            Bytes(formulas.amount(wall.read, pointer + "/read")),
                            Bytes(formulas.amount(wall.write, pointer + "/write"))});
  }
  return result;
}

std::optional<Facts> validation_problem(const Kernel& kernel, const Facts& facts) {
  constexpr double most_reference_seconds = 60, flops_per_second = 1e9, bytes_per_second = 1e9;
  if (kernel.reference.empty() || kernel.program) return std::nullopt;
  for (const Parameter& parameter : kernel.parameters)
    if (parameter.required) return std::nullopt;
  const Traffic moved = traffic(kernel, facts);
  const double seconds = work(kernel, facts).nominal.value() / flops_per_second +
                         (moved.read + moved.write).value() / bytes_per_second;
  if (seconds <= most_reference_seconds) return std::nullopt;
  Facts small = problem_parameters(kernel, {});
  const bool same =
      all_of(small, [&](const auto& one) { return facts.at(one.first) == one.second; });
  return same ? std::nullopt : std::optional(std::move(small));
}

Texts constants(const Kernel& kernel) {
  Texts all;
  for (const Argument& one : kernel.arguments)
    if (one.is_constant()) all.push_back(one.name + " = " + one.value.text());
  return all;
}

double array_bytes(const Kernel& kernel, const Facts& facts) {
  double bytes = 0;
  for (const size_t i : indices(kernel.arguments)) {
    const Argument& argument = kernel.arguments[i];
    if (argument.pointer && !argument.from_problem)
      bytes += Formulas{kernel, facts}.elements(i) * double(argument.type.size());
  }
  return bytes;
}

std::optional<Texts> block_knobs_of_launch(const Kernel& kernel, const Knobs& knobs) {
  Texts all;
  for (const char* side : {"block_x", "block_y", "block_z"}) {
    const auto* const argument = first_where(
        kernel.arguments, [&](const Argument& a) { return a.name == side && !a.pointer; });
    if (!argument) return std::nullopt;
    for (const std::string& factor : factors(argument->value.text())) {
      if (!contains(knobs, factor, &Knob::name)) return Texts();
      all.push_back(factor);
    }
  }
  return all;
}

Texts kernel_names(const fs::path& home) {
  Texts names;
  for (const fs::path& entry : entries_of(home / "kernels"))
    if (is_kernel(entry)) names.push_back(file_name(entry));
  sort(names);
  return names;
}

Kernel find_kernel(const std::string& name_or_path, const fs::path& home) {
  if (is_path(name_or_path)) {
    fs::path folder = name_or_path;
    if (folder.filename() == "kernel.json") folder = folder.parent_path();
    return read_kernel(folder);
  }
  if (!name_or_path.empty() && is_kernel(home / "kernels" / name_or_path))
    return read_kernel(home / "kernels" / name_or_path);
  const auto names = kernel_names(home);
  const std::string near = nearest_word(name_or_path, names);
  std::string hint = near.empty() ? "" : "did you mean " + near + "? ";
  if (!name_or_path.empty() && is_kernel(name_or_path))
    hint = "for the folder of that name here, write ./" + name_or_path + "; ";
  throw Error("there is no kernel \"" + name_or_path + "\"", {},
              hint + "kernels: " + (names.empty() ? "none" : joined(names)) +
                  "; or the path of a folder with a kernel.json");
}

const Backend& require_backend(const Kernel& kernel, const std::string& name) {
  if (const Backend* backend = kernel.backend(name)) return *backend;
  throw Error(fmt::format("kernel {} has no back end \"{}\"", kernel.name, name), "--backend",
              did_you_mean(name, members(kernel.backends, &Backend::name)));
}

fs::path find_space(const Kernel& kernel, const std::string& backend, const fs::path& home) {
  const std::string name = kernel.name + "." + require_backend(kernel, backend).name + ".json";
  const Paths places = {kernel.folder / name, kernel.folder / "search_spaces" / name,
                        home / "search_spaces" / name};
  std::string tried;
  for (const fs::path& place : places) {
    if (is_file(place)) return place;
    join(tried, place.string());
  }
  throw Error("no search space for kernel " + kernel.name + " and back end " + backend, {},
              "looked for " + tried);
}

}  // namespace rooftune::kernel
