// The values for the variables of an application: those on trial by `tune`, else those of exports.
#pragma once
#include <optional>
#include <string>

#include "kokkos/candidates.h"

namespace rooftune::kokkos {

/// Name of a variable in a search space and an export: small letters, digits and _ are kept, all
/// else becomes _.
std::string knob_name(const std::string& variable);

/// "-1": Kokkos' own choice, as in its interface.
constexpr const char* own_choice = "-1";

/// `tune` runs this process to try values: ROOFTUNE_KOKKOS_VALUES is set.
bool is_trial();
/// There are exports to take values from: ROOFTUNE_EXPORTS is set.
bool has_exports();

/// Of ROOFTUNE_KOKKOS_VALUES ("knob=value;knob=value"), else of the exports in ROOFTUNE_EXPORTS: of
/// a study with this program's name (or ROOFTUNE_KOKKOS_STUDY), then of one with the kernel's label
/// as name. nullopt: Kokkos' own choice.
std::optional<std::string> chosen_value(const std::string& variable, const VariableName& name);

}  // namespace rooftune::kokkos
