// The arguments of a kernel in memory: guarded arrays, their contents, and who may change them.
// The caller refills before every call whose outputs count.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "os/mapped_file.h"
#include "run/guarded_array.h"
#include "run/openmp_runtime.h"

namespace rooftune::inline run {

/// "<folder>/<name>.bin"
std::filesystem::path array_file(const std::filesystem::path& folder, const std::string& name);

class ArraySet {
 public:
  /// Allocates and fills everything, first touched by a team of placement.touch_threads. Throws
  /// std::bad_alloc, or Error when an array of the problem is missing.
  ArraySet(const Setup& setup, const Placement& placement, const OpenMpRuntime& openmp);

  /// One pointer per argument, as rt_call takes them; scalars from `scalars`.
  std::vector<void*> pointers(const Json& scalars);
  /// Fills update arrays and poisons write arrays.
  void refill();
  /// What was written beside an array, or empty.
  std::string damage() const;
  /// Which read-only array has changed, and where; or empty.
  std::string changed_input() const;
  const std::vector<GuardedArray>& arrays() const { return arrays_; }
  /// Why a wish of the placement was not granted, or empty.
  const std::string& note() const { return note_; }
  /// Tells sets apart that were made after each other.
  std::uint64_t serial() const { return serial_; }

 private:
  void fill(GuardedArray& array) const;
  void poison(GuardedArray& array) const;

  const Setup& setup_;
  const OpenMpRuntime& openmp_;
  int touch_threads_;
  std::vector<GuardedArray> arrays_;
  std::vector<std::size_t> array_of_slot_;
  std::vector<std::string> fingerprints_;  ///< of read arrays, else empty
  std::vector<std::int64_t> scalars_;      ///< bytes of the scalar arguments
  std::string note_;
  std::uint64_t serial_;
};

}  // namespace rooftune::inline run
