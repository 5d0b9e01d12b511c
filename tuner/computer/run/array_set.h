// The arguments of a kernel in memory: guarded arrays, their contents, and who may change them.
// The caller refills before every call whose outputs count. While foreign code runs, arrays that
// are only read cannot be written: an attempt ends the process at once, and explain_faults() names
// it.
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
  /// Some array is read and written.
  bool updates() const;
  /// The input that the arrays hold or began with.
  int input() const { return input_; }
  /// What was written beside an array, or empty.
  std::string damage() const;
  const std::vector<GuardedArray>& arrays() const { return arrays_; }
  /// Why a wish of the placement was not granted, or empty.
  const std::string& note() const { return note_; }
  /// Tells sets apart that were made after each other.
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
  bool untouched_ = true;  ///< as the constructor has filled it: nobody has a pointer yet
};

/// What a forbidden access at `address` was to an array of any set of this process; see
/// GuardedArray.
std::optional<VariantFault> forbidden_access(const void* address, bool writing);

}  // namespace rooftune::run
