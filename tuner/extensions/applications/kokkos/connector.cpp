// librooftune_kokkos.so: chooses team sizes, vector lengths and tiles for an unmodified Kokkos
// application. A Kokkos with tuning loads it (KOKKOS_TOOLS_LIBS; KOKKOS_PROFILE_LIBRARY before
// 3.7), names the sizes that its policies leave open and asks for their values. `tune --command ...
// --kokkos` first gets a list of these sizes, then how long the kernels take with the values that
// it tries; later the values come from exports.
//
// Kokkos knows no answer "your own choice": a tool that answers replaces that choice. Only taking
// the tool away for a kernel keeps Kokkos from asking; a shared Kokkos allows this.
//
// No exception leaves the library: observing must not end an application.
#include <dlfcn.h>
#include <rooftune/rooftune.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "kokkos/tools_interface.h"

#define ROOFTUNE_HOOK extern "C" __attribute__((visibility("default"))) void

ROOFTUNE_HOOK kokkosp_request_values(size_t, size_t, const rooftune::kokkos::tools::Variable*,
                                     size_t, rooftune::kokkos::tools::Variable*);

namespace rooftune::kokkos {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

/// A tile on the host has fewer points than this (max_tile_size_product in Kokkos' host spaces).
constexpr int64_t host_tile = 1024;
/// Most members that a team has in Kokkos' host spaces (HostThreadTeamData::max_team_members).
constexpr int most_members = 64;
/// Kokkos' numbers for kinds of devices, in the upper eight bits.
constexpr uint32_t serial = 0, openmp = 1;
/// Kokkos' own choice, as in its interface.
constexpr double own_choice = -1;

std::string environment(const char* variable) {
  const char* const text = std::getenv(variable);
  return text ? text : "";
}
bool has_exports() { return !environment("ROOFTUNE_EXPORTS").empty(); }

/// The values that `tune` tries in this process, "knob=value;knob=value"; nullopt: it tries none.
const std::optional<std::map<std::string, double>>& tried_values() {
  static const auto values = []() -> std::optional<std::map<std::string, double>> {
    if (!std::getenv("ROOFTUNE_KOKKOS_VALUES")) return std::nullopt;
    std::map<std::string, double> all;
    std::istringstream list(environment("ROOFTUNE_KOKKOS_VALUES"));
    for (std::string one; std::getline(list, one, ';');)
      if (const size_t equals = one.find('='); equals != std::string::npos)
        all[one.substr(0, equals)] = std::strtod(one.c_str() + equals + 1, nullptr);
    return all;
  }();
  return values;
}

/// The study's name as `tune --command` chooses it: from the program's file.
std::string study_name() {
  if (const std::string name = environment("ROOFTUNE_KOKKOS_STUDY"); !name.empty()) return name;
  std::error_code unknown;
  std::string name = std::filesystem::read_symlink("/proc/self/exe", unknown).stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-') c = '_';
  name.erase(0, name.find_first_not_of("_-"));
  return name.empty() ? "command" : name;
}

/// The best configuration for this program; never freed, for kernels may run in destructors, yet
/// always reachable.
const rooftune_answer& exported_values() {
  static const rooftune_answer best = [] {
    static const rooftune_exports* const all = rooftune_load(nullptr);
    for (size_t i = 0; i < rooftune_fault_count(all); ++i)
      std::fprintf(stderr, "rooftune: %s\n", rooftune_fault(all, i));
    return rooftune_look_up(all, study_name().c_str(), nullptr, nullptr, 0);
  }();
  return best;
}

/// The name in a search space and an export: lower case; all but letters, digits and _ becomes _.
std::string knob_name(const std::string& variable) {
  std::string name = variable;
  for (char& c : name)
    c = std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::tolower(c)) : '_';
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name.front())))
    name.insert(0, "kernel_");
  return name;
}

enum class Role { team_size, vector_length, tile_size };

/// A size that a policy leaves open. Kokkos asks for a position in its own list, as a fraction of
/// the list's length.
struct OpenSize {
  std::string variable;  ///< Kokkos' name: "jacobi_tile_size_1"
  std::string kernel;    ///< the label in it: "jacobi"
  Role role = Role::team_size;
  int dimension = 0;  ///< which side of a tile
  std::string knob;
  uint32_t device = 0;
  std::vector<double> positions;  ///< copied: Kokkos' range may be gone when a kernel asks
  std::optional<double> answer;   ///< a position; nullopt: nothing is chosen
};

/// nullopt for a variable that belongs to no policy.
std::optional<OpenSize> open_size(const std::string& variable) {
  for (const auto& [mark, role] : {std::pair("_team_size", Role::team_size),
                                   {"_vector_length", Role::vector_length},
                                   {"_tile_size_", Role::tile_size}}) {
    const size_t at = variable.rfind(mark), end = at + std::string(mark).size();
    const bool numbered = role == Role::tile_size;
    if (at == 0 || at == std::string::npos || end + (numbered ? 1 : 0) != variable.size()) continue;
    return OpenSize{variable,
                    variable.substr(0, at),
                    role,
                    numbered ? variable.back() - '0' : 0,
                    knob_name(variable),
                    0,
                    {},
                    {}};
  }
  return std::nullopt;
}

std::vector<double> positions_of(const tools::Declaration& info) {
  std::vector<double> positions;
  if (info.type != tools::type_real || info.quantity != tools::quantity_range) return positions;
  const tools::Range& range = info.candidates.range;
  const double lower = range.lower.real, upper = range.upper.real, step = range.step.real;
  const double count = std::floor((upper - lower) / step + 1e-9);
  constexpr double most_positions = 1000;
  if (!(step > 0) || !(count < most_positions)) return positions;
  for (double k = range.open_lower ? 1 : 0; k <= count; ++k)
    if (!range.open_upper || lower + k * step < upper - 1e-12 * step)
      positions.push_back(lower + k * step);
  return positions;
}

/// The sizes in Kokkos' order, where they are known: on the host. `taken`: how many points the tile
/// has in earlier dimensions.
std::vector<int64_t> sizes_of(const OpenSize& one, int64_t taken) {
  std::vector<int64_t> sizes;
  const uint32_t kind = one.device >> 24;
  if (kind != serial && kind != openmp) return sizes;
  if (one.role == Role::vector_length) return {1};
  if (one.role == Role::tile_size) {
    for (int64_t size = 1; size < host_tile / taken; size *= 2) sizes.push_back(size);
    return sizes;
  }
  const auto threads = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  const int members = kind == openmp && threads ? std::min(threads(), most_members) : 1;
  for (int64_t size = members; size >= 1; size /= 2) sizes.push_back(size);
  return sizes;
}

/// The position of a size, or on a device the position that a fraction names; nullopt: there is
/// none. `taken` is multiplied by a tile's size.
std::optional<double> position_of(const OpenSize& one, double choice, int64_t& taken) {
  const std::vector<int64_t> sizes = sizes_of(one, taken);
  const auto size = std::ranges::find(sizes, choice);
  if (!sizes.empty() && size == sizes.end()) return std::nullopt;
  if (!sizes.empty() && one.role == Role::tile_size) taken *= *size;
  const auto is_it = [&](double position) {
    if (sizes.empty()) return std::abs(position - choice) < 1e-4;
    // Kokkos takes the size at count * position.
    return std::floor(static_cast<double>(sizes.size()) * position) ==
           static_cast<double>(size - sizes.begin());
  };
  const auto found = std::ranges::find_if(one.positions, is_it);
  return found == one.positions.end() ? std::nullopt : std::optional(*found);
}

/// Kokkos::Tools::Experimental::set_request_output_values_callback(); nullptr in a program that
/// links Kokkos statically.
void (*callback_setter())(tools::RequestValues) {
  return reinterpret_cast<void (*)(tools::RequestValues)>(
      dlsym(RTLD_DEFAULT,
            "_ZN6Kokkos5Tools12Experimental34set_request_output_values_callback"
            "EPFvmmPK26Kokkos_Tools_VariableValuemPS2_E"));
}

/// Before 5.1, setting an MDRangePolicy's tile multiplies the new tile count by the old one:
/// elements are visited several times, and sums are wrong. An unknown version may be affected.
bool tiles_are_broken(const std::string& version) {
  int major = 0, minor = 0;
  std::sscanf(version.c_str(), "%d.%d", &major, &minor);
  return major < 5 || (major == 5 && minor < 1);
}

class Connector {
 public:
  /// Never destroyed: kernels may run in the application's destructors.
  static Connector& the_one() {
    static Connector& one = *new Connector;
    return one;
  }

  void set_version(const std::string& version) { version_ = version; }

  void begin(const char* label, uint32_t device, uint64_t* id) {
    const std::lock_guard lock(mutex_);
    kernel_ = label ? label : "";
    device_ = device;
    const auto known = kernels_.find(kernel_);
    let_ask(known != kernels_.end() && known->second.chosen && !known->second.refused);
    *id = next_++;
    if (tried_values()) running_[*id] = {kernel_, Clock::now()};
  }

  void end(uint64_t id) {
    const auto now = Clock::now();
    const std::lock_guard lock(mutex_);
    if (const auto ended = running_.extract(id))
      seconds_[ended.mapped().first] +=
          std::chrono::duration<double>(now - ended.mapped().second).count();
  }

  void declare(size_t id, const std::string& variable, const tools::Declaration& info) {
    const std::lock_guard lock(mutex_);
    std::optional<OpenSize> one = open_size(variable);
    if (!one) return;
    if (one->role == Role::tile_size && tiles_are_broken(version_)) return refuse(one->kernel);
    one->device = device_;
    one->positions = positions_of(info);
    if (one->positions.empty()) return;
    OfKernel& kernel = kernels_[one->kernel];
    if (one->role == Role::tile_size) ++kernel.dimensions;
    if (const double choice = chosen(*one, kernel); choice != own_choice) {
      one->answer = position_of(*one, choice, kernel.taken);
      kernel.chosen = kernel.chosen || one->answer;
      if (!one->answer)
        std::fprintf(stderr,
                     "rooftune: %s is to be %g, which Kokkos does not offer here: not applied\n",
                     variable.c_str(), choice);
    }
    if (one->kernel == kernel_) let_ask(kernel.chosen && !kernel.refused);
    open_.insert_or_assign(id, std::move(*one));
  }

  void answer(size_t count, tools::Variable* variables) {
    const std::lock_guard lock(mutex_);
    for (tools::Variable* one = variables; one < variables + count; ++one) {
      const auto found = open_.find(one->id);
      if (found == open_.end()) continue;
      const OpenSize& size = found->second;
      std::optional<double> value = size.answer;
      // Nothing is chosen, Kokkos' choice cannot be kept, and the passed value is a tile with one
      // point.
      if (!value && size.role == Role::tile_size) {
        const size_t dimensions = kernels_[size.kernel].dimensions;
        const int64_t usual = dimensions <= 2 ? 16 : dimensions == 3 ? 8 : dimensions == 4 ? 4 : 2;
        int64_t taken = 1;
        for (int d = 0; d < size.dimension; ++d) taken *= usual;
        value = position_of(size, static_cast<double>(usual), taken);
      }
      if (value) one->value.real = *value;
    }
  }

  void finish() {
    const std::lock_guard lock(mutex_);
    if (const std::string file = environment("ROOFTUNE_KOKKOS_LIST"); !file.empty()) list(file);
    double seconds = 0;
    for (const auto& [label, kernel] : kernels_) seconds += kernel.tried ? seconds_[label] : 0;
    const auto is_chosen = [](const auto& one) { return one.second.chosen; };
    if (tried_values())
      std::fprintf(stderr, "rooftune: %.9g s in tuned kernels\n", seconds);
    else if (has_exports())
      std::fprintf(stderr, "rooftune: tuned values for %td of %zu kernels that can have some\n",
                   std::ranges::count_if(kernels_, is_chosen), kernels_.size());
  }

 private:
  struct OfKernel {
    bool refused = false, chosen = false;
    bool tried = false;  ///< `tune` has a knob for it
    int64_t taken = 1;   ///< points in the tile so far
    size_t dimensions = 0;
  };

  static double chosen(const OpenSize& one, OfKernel& kernel) {
    if (const auto& values = tried_values()) {
      const auto found = values->find(one.knob);
      kernel.tried = kernel.tried || found != values->end();
      return found == values->end() ? own_choice : found->second;
    }
    return has_exports() ? rooftune_knob_real(&exported_values(), one.knob.c_str(), own_choice)
                         : own_choice;
  }

  void let_ask(bool asks) {
    if (!set_ask_ || asks == asks_) return;
    set_ask_(asks ? kokkosp_request_values : nullptr);
    asks_ = asks;
  }

  void refuse(const std::string& kernel) {
    kernels_[kernel].refused = true;
    let_ask(false);
    if (said_refused_) return;
    said_refused_ = true;
    std::fprintf(stderr,
                 "rooftune: Kokkos %s computes wrong results when a tool sets the tiles of an "
                 "MDRangePolicy, as of \"%s\" (5.1 does not): %s\n",
                 version_.empty() ? "of an unknown version" : version_.c_str(), kernel.c_str(),
                 set_ask_ ? "they stay Kokkos' own choice"
                          : "it is linked statically, so that nothing can keep it from that, and "
                            "this process ends before they are wrong. Unset KOKKOS_TUNE_INTERNALS, "
                            "or link a shared Kokkos");
    if (set_ask_) return;
    std::fflush(nullptr);
    std::abort();
  }

  /// For `tune`: what is open, with the values that can be chosen. Renamed into place, for each
  /// process in a parallel job writes it.
  void list(const std::string& file) const {
    Json all = Json::array();
    for (const auto& [id, one] : open_) {
      const std::vector<int64_t> sizes = sizes_of(one, 1);
      all.push_back({{"knob", one.knob},
                     {"variable", one.variable},
                     {"kernel", one.kernel},
                     {"values", sizes.empty() ? Json(one.positions) : Json(sizes)}});
    }
    const std::string part = file + "." + std::to_string(getpid());
    // Labels come from the application: any bytes.
    std::ofstream(part) << all.dump(1, ' ', true, Json::error_handler_t::replace);
    std::rename(part.c_str(), file.c_str());
  }

  void (*const set_ask_)(tools::RequestValues) = callback_setter();
  std::mutex mutex_;
  std::string version_, kernel_;
  uint32_t device_ = 0;
  bool asks_ = true, said_refused_ = false;
  std::map<std::string, OfKernel> kernels_;
  std::map<size_t, OpenSize> open_;
  uint64_t next_ = 1;
  std::map<uint64_t, std::pair<std::string, Clock::time_point>> running_;
  std::map<std::string, double> seconds_;
};

}  // namespace
}  // namespace rooftune::kokkos

using namespace rooftune::kokkos;

ROOFTUNE_HOOK kokkosp_declare_metadata(const char* name, const char* value) try {
  if (std::string(name) == "Kokkos Version") Connector::the_one().set_version(value);
} catch (...) {
}
ROOFTUNE_HOOK kokkosp_finalize_library() try { Connector::the_one().finish(); } catch (...) {
}
#define ROOFTUNE_KERNELS(pattern)                                                   \
  ROOFTUNE_HOOK kokkosp_begin_parallel_##pattern(const char* name, uint32_t device, \
                                                 uint64_t* id) try {                \
    Connector::the_one().begin(name, device, id);                                   \
  } catch (...) {                                                                   \
  }                                                                                 \
  ROOFTUNE_HOOK kokkosp_end_parallel_##pattern(uint64_t id) try {                   \
    Connector::the_one().end(id);                                                   \
  } catch (...) {                                                                   \
  }
ROOFTUNE_KERNELS(for)
ROOFTUNE_KERNELS(reduce)
ROOFTUNE_KERNELS(scan)
ROOFTUNE_HOOK kokkosp_request_tool_settings(uint32_t, tools::Settings* settings) {
  // Timing kernels on a device needs it.
  settings->requires_global_fencing = tried_values().has_value();
}
ROOFTUNE_HOOK kokkosp_declare_output_type(const char* name, size_t id,
                                          tools::Declaration* info) try {
  if (name && info) Connector::the_one().declare(id, name, *info);
} catch (...) {
}
ROOFTUNE_HOOK kokkosp_request_values(size_t, size_t, const tools::Variable*, size_t count,
                                     tools::Variable* variables) try {
  Connector::the_one().answer(count, variables);
} catch (...) {
}
