// Kokkos' values for one of its variables, and the meaning of a number or text among them.
#pragma once
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

}  // namespace rooftune::kokkos
