// Which values the variables of an application are to have: those that `tune` tries, else those of
// exports.
#pragma once
#include <optional>
#include <string>

#include "kokkos/candidates.h"

namespace rooftune::kokkos {

/// What a search space and an export call a variable: small letters, digits and _ are kept, all
/// else becomes _.
std::string knob_name(const std::string& variable);

/// "-1": Kokkos' own choice, as in its interface.
constexpr const char* own_choice = "-1";

/// `tune` runs this process to try values: ROOFTUNE_KOKKOS_VALUES is set.
bool is_trial();
/// There are exports to take values from: ROOFTUNE_EXPORTS is set.
bool has_exports();

/// Of ROOFTUNE_KOKKOS_VALUES ("knob=value;knob=value"), else of the exports that ROOFTUNE_EXPORTS
/// names: of a study that is called like this program (or ROOFTUNE_KOKKOS_STUDY), then of one that
/// is called like the kernel's label. nullopt: Kokkos' own choice.
std::optional<std::string> chosen_value(const std::string& variable, const VariableName& name);

}  // namespace rooftune::kokkos
