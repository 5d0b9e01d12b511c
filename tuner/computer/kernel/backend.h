// The back ends of a kernel: the place of their variants and their builders. All other code asks
// here instead of comparing names.
#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::roofline {
enum class MachineKind;
}  // namespace rooftune::roofline
namespace rooftune::kernel {

/// The maker of a variant from a source.
enum class Builder { host_compiler, kokkos, gpu_compiler, own };

struct BackendRow {
  const char* name;
  Builder builder;
  /// nullopt: depends on the library at hand, or on the program.
  std::optional<MachineKind> runs_on;
};
/// Of programs with a build of their own (program.h).
inline constexpr const char* command_backend = "command";
std::span<const BackendRow> backend_table();
/// A name outside the table is C++ for the host's compiler.
const BackendRow& backend_row(const std::string& name);
/// Without a choice.
const char* default_backend(MachineKind machine);
bool runs_on_gpu(const std::string& name);

struct Backend {
  std::string name;  ///< "openmp"
  std::filesystem::path source;
  bool prepare = false, finish = false;  ///< <function>_prepare / _finish with the same arguments
  /// The launching half of a cuda.cu reads no array itself: those of an application may lie on the
  /// card.
  bool device_arrays = false;
  std::vector<std::string> flags;                           ///< extra compiler flags (allow-listed)
  std::vector<std::string> include_directories, libraries;  ///< of peers: absolute; "z" is libz

  /// A library with one start per process, and with its own compiler and flags.
  bool needs_kokkos() const { return backend_row(name).builder == Builder::kokkos; }
  /// The text of a CUDA kernel, compiled for one card and launched through the driver.
  bool needs_gpu_compiler() const { return backend_row(name).builder == Builder::gpu_compiler; }
};

}  // namespace rooftune::kernel
