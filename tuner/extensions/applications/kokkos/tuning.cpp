#include "kokkos/tuning.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "kokkos/chosen_values.h"

namespace rooftune::kokkos {
namespace {

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
