// `tune --command APP --kokkos`: an unmodified Kokkos application, whose team sizes, vector lengths
// and tiles librooftune_kokkos.so sets by kernel label.
#pragma once
#include "cli/options.h"

namespace rooftune::cli {

/// The program with the connector in its environment and the time in its kernels as its metric,
/// where none is named. Without a space the program is run once to learn what can be chosen, and
/// the space is written below the results. Throws Error where the connector is missing, and where
/// the application has nothing that can be chosen from outside.
StudySpec with_connector(const TuneOptions& options);

}  // namespace rooftune::cli
