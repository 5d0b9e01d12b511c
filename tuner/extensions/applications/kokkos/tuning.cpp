#include "kokkos/tuning.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <rooftune/rooftune.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace rooftune::kokkos {
namespace {

constexpr const char* values_variable = "ROOFTUNE_KOKKOS_VALUES";

std::map<std::string, std::string> tried_values() {
  std::map<std::string, std::string> values;
  std::istringstream list(environment(values_variable));
  for (std::string one; std::getline(list, one, ';');)
    if (const std::size_t equals = one.find('='); equals != std::string::npos)
      values[one.substr(0, equals)] = one.substr(equals + 1);
  return values;
}

/// As `tune --command` calls a study: by the program's file.
std::string study_name() {
  if (const std::string name = environment("ROOFTUNE_KOKKOS_STUDY"); !name.empty()) return name;
  std::error_code unknown;
  std::string name = std::filesystem::read_symlink("/proc/self/exe", unknown).stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-') c = '_';
  name.erase(0, name.find_first_not_of("_-"));
  return name.empty() ? "command" : name;
}

/// Loaded at the first question, never freed: kernels may run in destructors.
const rooftune_exports* exports() {
  static const rooftune_exports* const loaded = [] {
    const rooftune_exports* const all = rooftune_load(nullptr);
    for (std::size_t i = 0; i < rooftune_fault_count(all); ++i)
      std::fprintf(stderr, "rooftune: %s\n", rooftune_fault(all, i));
    return all;
  }();
  return loaded;
}

std::string text_of(const rooftune_value& value) {
  if (value.kind == ROOFTUNE_TEXT) return value.text;
  if (value.kind == ROOFTUNE_REAL) return fmt::format("{:.17g}", value.real);
  return std::to_string(value.integer);
}

std::optional<std::string> exported_value(const std::string& kernel, const std::string& knob) {
  const rooftune_answer best = rooftune_look_up(exports(), kernel.c_str(), nullptr, nullptr, 0);
  for (std::size_t i = 0; i < rooftune_knob_count(&best); ++i)
    if (const rooftune_value value = rooftune_knob(&best, i); value.name == knob)
      return text_of(value);
  return std::nullopt;
}

/// "-1": Kokkos' own choice, as in its interface.
constexpr const char* own_choice = "-1";

/// Name of a variable in a search space and an export: small letters, digits and _ are kept, all
/// else becomes _.
std::string knob_name(const std::string& variable) {
  std::string name = variable;
  for (char& c : name)
    c = std::isalnum(static_cast<unsigned char>(c))
            ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
            : '_';
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name.front())))
    name.insert(0, "kernel_");
  return name;
}

/// Of ROOFTUNE_KOKKOS_VALUES ("knob=value;knob=value"), else of the exports in ROOFTUNE_EXPORTS: of
/// a study with this program's name (or ROOFTUNE_KOKKOS_STUDY), then of one with the kernel's label
/// as name. nullopt: Kokkos' own choice.
std::optional<std::string> chosen_value(const std::string& variable, const VariableName& name) {
  static const std::map<std::string, std::string> tried = tried_values();
  const std::string knob = knob_name(variable);
  std::optional<std::string> value;
  if (is_trial()) {
    if (const auto found = tried.find(knob); found != tried.end()) value = found->second;
  } else if (has_exports()) {
    value = exported_value(study_name(), knob);
    if (!value && name.role != Role::other)
      value = exported_value(name.kernel, knob_name(variable.substr(name.kernel.size() + 1)));
  }
  return value == own_choice ? std::nullopt : value;
}

/// Of a team of Kokkos' host spaces (HostThreadTeamData::max_team_members).
constexpr int most_members = 64;
/// Numbers of Kokkos' kinds of devices, in the upper eight bits.
constexpr std::uint32_t serial = 0, openmp = 1;

/// Kokkos::Tools::Experimental::set_request_output_values_callback(); nullptr in a program with
/// Kokkos linked into it statically.
void (*callback_setter())(tools::RequestValues) {
  return reinterpret_cast<void (*)(tools::RequestValues)>(
      dlsym(RTLD_DEFAULT,
            "_ZN6Kokkos5Tools12Experimental34set_request_output_values_callback"
            "EPFvmmPK26Kokkos_Tools_VariableValuemPS2_E"));
}

Place place_of(std::uint32_t device) {
  const std::uint32_t kind = device >> 24;
  Place place;
  place.on_host = kind == serial || kind == openmp;
  if (kind != openmp) return place;
  const auto threads = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  place.most_threads = threads ? std::min(threads(), most_members) : 1;
  return place;
}

/// Before 5.1 setting the tile of an MDRangePolicy multiplies its number of tiles by the old one:
/// elements are visited several times, and sums are wrong. An unknown version may be such a one.
bool tiles_are_broken(const std::string& version) {
  int major = 0, minor = 0;
  std::sscanf(version.c_str(), "%d.%d", &major, &minor);
  return major < 5 || (major == 5 && minor < 1);
}

}  // namespace

std::string environment(const char* variable) {
  const char* const text = std::getenv(variable);
  return text ? text : "";
}
bool is_trial() { return std::getenv(values_variable) != nullptr; }
bool has_exports() { return !environment("ROOFTUNE_EXPORTS").empty(); }

Tuning::Tuning(tools::RequestValues ask) : ask_(ask), set_ask_(callback_setter()) {}

void Tuning::let_ask(bool asks) {
  if (!set_ask_ || asks == asks_) return;
  set_ask_(asks ? ask_ : nullptr);
  asks_ = asks;
}

void Tuning::begin_kernel(const char* label, std::uint32_t device) {
  const std::lock_guard lock(mutex_);
  kernel_ = label ? label : "";
  place_ = place_of(device);
  ++depth_;
  const auto known = kernels_.find(kernel_);
  let_ask(known != kernels_.end() && known->second.chosen && !known->second.refused);
}

void Tuning::end_kernel() {
  const std::lock_guard lock(mutex_);
  if (depth_ > 0) --depth_;
}

void Tuning::begin_context() {
  const std::lock_guard lock(mutex_);
  if (depth_ == 0) let_ask(true);
}

void Tuning::refuse(const std::string& kernel) {
  kernels_[kernel].refused = true;
  let_ask(false);
  if (said_refused_) return;
  said_refused_ = true;
  std::fprintf(stderr,
               "rooftune: Kokkos %s computes wrong results when a tool sets the tiles of an "
               "MDRangePolicy, as of \"%s\" (5.1 does not): ",
               version_.empty() ? "of an unknown version" : version_.c_str(), kernel.c_str());
  if (set_ask_) {
    std::fputs("they stay Kokkos' own choice\n", stderr);
    return;
  }
  std::fputs(
      "it is linked statically, so that nothing can keep it from that, and this process ends "
      "before they are wrong. Unset KOKKOS_TUNE_INTERNALS, or link a shared Kokkos\n",
      stderr);
  std::fflush(nullptr);
  std::abort();
}

void Tuning::declare(std::size_t id, const std::string& variable, const tools::Declaration& info) {
  const std::lock_guard lock(mutex_);
  const VariableName name = variable_name(variable);
  if (name.role == Role::tile_size && tiles_are_broken(version_)) return refuse(name.kernel);
  Candidates candidates(name, info);
  if (candidates.empty()) return;
  OfKernel& kernel = kernels_[name.kernel];
  if (name.role == Role::tile_size) ++kernel.dimensions;
  Tunable tunable{variable, knob_name(variable), std::move(candidates), place_, {}};
  if (const auto choice = chosen_value(variable, name)) {
    tunable.answer = tunable.candidates.answer(*choice, place_, kernel.taken);
    kernel.chosen = kernel.chosen || tunable.answer;
    if (!tunable.answer)
      std::fprintf(stderr,
                   "rooftune: %s is to be %s, which Kokkos does not offer here: not applied\n",
                   variable.c_str(), choice->c_str());
  }
  tunables_.insert_or_assign(id, std::move(tunable));
  if (depth_ > 0 && name.kernel == kernel_) let_ask(kernel.chosen && !kernel.refused);
}

void Tuning::answer(std::size_t count, tools::Variable* variables) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < count; ++i) {
    const auto found = tunables_.find(variables[i].id);
    if (found == tunables_.end()) continue;
    const Tunable& tunable = found->second;
    const VariableName& name = tunable.candidates.name();
    std::optional<tools::Value> value = tunable.answer;
    // The passed value is a tile of one point.
    if (!value && name.role == Role::tile_size) {
      std::int64_t taken = 1;
      const std::int64_t size = Candidates::usual_tile(kernels_[name.kernel].dimensions);
      for (int d = 0; d < name.dimension; ++d) taken *= size;
      value = tunable.candidates.answer(std::to_string(size), tunable.place, taken);
    }
    if (value) variables[i].value = *value;
  }
}

std::vector<Tunable> Tuning::tunables() const {
  const std::lock_guard lock(mutex_);
  std::vector<Tunable> all;
  for (const auto& [id, tunable] : tunables_) all.push_back(tunable);
  return all;
}

std::pair<std::size_t, std::size_t> Tuning::tuned_kernels() const {
  const std::lock_guard lock(mutex_);
  const auto chosen = std::count_if(kernels_.begin(), kernels_.end(),
                                    [](const auto& one) { return one.second.chosen; });
  return {static_cast<std::size_t>(chosen), kernels_.size()};
}

}  // namespace rooftune::kokkos
