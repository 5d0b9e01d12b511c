// The tuning half of the connector: Kokkos' values for its variables, and the meaning of a number
// or text among them; answers Kokkos' questions with the chosen values, and keeps Kokkos from
// asking where its own choice is to stay.
//
// There is no answer "your own choice": a tool present for answers replaces it. Only taking the
// tool away for a kernel keeps Kokkos from asking; a shared Kokkos allows this.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kokkos/tools_interface.h"

namespace rooftune::kokkos {

/// Role of a variable. Kokkos names those of its own policies after the kernel's label.
enum class Role { team_size, vector_length, tile_size, other };

/// A variable's name taken apart: "jacobi_tile_size_1" is of the kernel jacobi.
struct VariableName {
  std::string kernel;  ///< its label; the whole name where Role is `other`
  Role role = Role::other;
  int dimension = 0;  ///< of a tile
};
VariableName variable_name(const std::string& name);

/// Place of the kernel's run: it limits the sizes.
struct Place {
  bool on_host = false;
  int most_threads = 1;  ///< of a team
};

/// Copied from Kokkos: its own lists may be gone when a kernel asks.
class Candidates {
 public:
  Candidates(VariableName name, const tools::Declaration& info);
  const VariableName& name() const { return name_; }
  bool empty() const { return values_.empty(); }
  /// The choices for a person: sizes where Kokkos' positions are known to be sizes, else the values
  /// themselves.
  std::vector<std::string> choices(const Place& place) const;
  /// The candidate of `choice`; `taken` is the product of the tile's sizes in earlier dimensions,
  /// multiplied by this one. nullopt: it is none.
  std::optional<tools::Value> answer(const std::string& choice, const Place& place,
                                     std::int64_t& taken) const;
  /// The tile's size in each dimension where none is chosen and Kokkos' own cannot be kept.
  static std::int64_t usual_tile(std::size_t dimensions);

 private:
  /// Sizes in Kokkos' order, where they are known.
  std::vector<std::int64_t> sizes(const Place& place, std::int64_t taken) const;
  bool is_position() const;
  std::string text(const tools::Value& value) const;

  VariableName name_;
  int type_;
  double step_ = 0;
  std::vector<tools::Value> values_;
};

/// Its value; empty where it is unset.
std::string environment(const char* variable);
/// `tune` runs this process to try values: ROOFTUNE_KOKKOS_VALUES is set.
bool is_trial();
/// There are exports to take values from: ROOFTUNE_EXPORTS is set.
bool has_exports();

/// A variable with a choice.
struct Tunable {
  std::string variable, knob;
  Candidates candidates;
  Place place;
  std::optional<tools::Value> answer;  ///< nullopt: nothing is chosen
};

class Tuning {
 public:
  /// `ask`: the answering function, as Kokkos found it in this tool.
  explicit Tuning(tools::RequestValues ask);
  void set_version(const std::string& version) { version_ = version; }
  void begin_kernel(const char* label, std::uint32_t device);
  void end_kernel();
  /// Outside of kernels an application may ask for variables of its own.
  void begin_context();
  void declare(std::size_t id, const std::string& variable, const tools::Declaration& info);
  void answer(std::size_t count, tools::Variable* variables);
  /// In Kokkos' order of naming them.
  std::vector<Tunable> tunables() const;
  /// Kernels with a chosen value, and all with a possible one.
  std::pair<std::size_t, std::size_t> tuned_kernels() const;

 private:
  struct OfKernel {
    bool refused = false, chosen = false;
    std::int64_t taken = 1;  ///< points of a tile so far
    std::size_t dimensions = 0;
  };
  void refuse(const std::string& kernel);
  void let_ask(bool asks);

  const tools::RequestValues ask_;
  void (*const set_ask_)(tools::RequestValues);  ///< of a shared Kokkos
  mutable std::mutex mutex_;
  std::string version_, kernel_;
  Place place_;
  int depth_ = 0;
  bool asks_ = true, said_refused_ = false;
  std::map<std::string, OfKernel> kernels_;
  std::map<std::size_t, Tunable> tunables_;
};

}  // namespace rooftune::kokkos
