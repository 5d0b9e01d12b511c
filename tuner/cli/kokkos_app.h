// `tune --command APP --kokkos`: an unmodified Kokkos application, with team sizes, vector lengths
// and tiles set by librooftune_kokkos.so by kernel label.
#pragma once
#include "cli/options.h"

namespace rooftune::cli {

/// The program with the connector in its environment and the time in its kernels as its metric,
/// unless one is named. Without a space the program is run once to learn its choices, and the space
/// is written below the results. Throws Error for a missing connector, and for an application
/// without choices from outside.
StudySpec with_connector(const TuneOptions& options);

}  // namespace rooftune::cli
