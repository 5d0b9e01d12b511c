// The arguments of a kernel in memory: guarded arrays, their contents, their write protection. The
// caller refills before every call with outputs that count. While foreign code runs, read-only
// arrays cannot be written: an attempt ends the process at once, and explain_faults() names it.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "os/mapped_file.h"
#include "run/guarded_array.h"
#include "run/loaded_variant.h"
#include "run/openmp_runtime.h"

namespace rooftune::run {

/// "<folder>/<name>.bin"
std::filesystem::path array_file(const std::filesystem::path& folder, const std::string& name);

class ArraySet {
 public:
  /// Allocates and fills everything, first touched by a team of placement.touch_threads. Throws
  /// std::bad_alloc, or Error when an array of the problem is missing.
  ArraySet(const Setup& setup, const Placement& placement, const OpenMpRuntime& openmp);

  /// One pointer per argument, as rt_call takes them; scalars from `scalars`.
  std::vector<void*> pointers(const Json& scalars);
  ~ArraySet();
  ArraySet(const ArraySet&) = delete;
  ArraySet& operator=(const ArraySet&) = delete;

  /// Fills update arrays and poisons write arrays; first read arrays too when the input (from 0,
  /// below setup.inputs) is another one than before.
  void refill(int input = 0);
  /// Whether some array is both read and written.
  bool updates() const;
  /// The input now in the arrays, or at their start.
  int input() const { return input_; }
  /// Describes a write beside an array; empty: none.
  std::string damage() const;
  const std::vector<GuardedArray>& arrays() const { return arrays_; }
  /// Why a requested placement was not granted, or empty.
  const std::string& note() const { return note_; }
  /// Tells apart sets made one after the other.
  std::uint64_t serial() const { return serial_; }

 private:
  void place(const Mapping& mapping, const Placement& placement);
  void fill(GuardedArray& array) const;
  void poison(GuardedArray& array) const;

  const Setup& setup_;
  const OpenMpRuntime& openmp_;
  int touch_threads_;
  std::vector<GuardedArray> arrays_;
  std::vector<std::size_t> array_of_slot_;
  std::vector<std::int64_t> scalars_;  ///< bytes of the scalar arguments
  std::string note_;
  std::uint64_t serial_;
  int input_ = 0;
  bool untouched_ = true;  ///< as filled by the constructor, before any pointer is given out
};

/// Describes a forbidden access at `address` to an array of any set of this process; see
/// GuardedArray.
std::optional<VariantFault> forbidden_access(const void* address, bool writing);

}  // namespace rooftune::run
