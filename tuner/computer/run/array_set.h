// A kernel's arguments in memory: guarded arrays, their contents, their write protection. The
// caller refills before every call with outputs that count. While foreign code runs, read-only
// arrays cannot be written: an attempt ends the process at once, and forbidden_access() names it.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/callback.h"
#include "core/rng.h"
#include "core/scalar.h"
#include "core/unique.h"
#include "run/guarded_array.h"
#include "run/loaded_variant.h"
#include "run/message.h"

namespace rooftune::run {

/// "<folder>/<name>.bin"
fs::path array_file(const fs::path& folder, const std::string& name);

/// The bytes of a scalar argument, whatever its type.
using Scalar = std::array<int64_t, 2>;

class ArraySet : Unique {
 public:
  /// Allocates and fills everything, first touched by a team with placement.touch_threads. Throws
  /// std::bad_alloc, or Error when a problem array is missing.
  ArraySet(const Setup& setup, const Placement& placement, const OpenMpRuntime& openmp);

  /// One pointer per argument, as rt_call takes them; scalars from `scalars`.
  Arguments pointers(const Json& scalars);
  /// The same for every second call, where arrays change roles between calls; else empty.
  Arguments exchanged(Arguments arguments) const;
  ~ArraySet();

  /// Puts an input (see Setup::inputs) into the arrays, and poison into all outputs.
  void refill(int input = 0);
  /// The same, but leaves the outputs as they are. Fills read arrays where the input is another
  /// one, or one without a reference; update arrays always.
  void use(int input);
  /// Only what is read, for a call that has run and whose outputs are yet to be finished.
  void change_reads(int input);
  /// A team with this many threads puts the update arrays back; each thread fills its part.
  void restore(int threads);
  /// Such a team reads a word from every line in all arrays, for warm caches.
  void read_through(int threads) const;
  /// Whether the calls so far have changed an update array on input 0.
  bool updated() const;
  void poison_outputs();
  /// Poisons a few elements in every output that is not updated.
  void poison_some(Rng& random);
  /// Whether some array is both read and written.
  bool updates() const;
  /// The input now in the arrays, or the one that they began with.
  int input() const { return input_; }
  /// Whether what a kernel reads gets other numbers on an input without a reference.
  bool renews() const;
  /// Describes a write beside an array; empty: none.
  std::string damage() const;
  const std::vector<GuardedArray>& arrays() const { return arrays_; }
  std::vector<GuardedArray>& arrays() { return arrays_; }
  /// The array that has these bytes among its elements; null: none.
  GuardedArray* holding(const void* start, int64_t bytes);
  /// Calls GuardedArray::stay() on all arrays; come_home() opens those that are away.
  void stay();
  void come_home();
  const Setup& setup() const { return setup_; }
  const OpenMpRuntime& openmp() const { return openmp_; }
  /// Why a requested placement was not granted, or empty.
  const std::string& note() const { return note_; }
  /// Tells sets apart that were made one after the other.
  uint64_t serial() const { return serial_; }

 private:
  void place(const Mapping& mapping, const Placement& placement);
  /// An array as it was before any call: the problem's file, or a copy.
  struct Original {
    std::optional<MappedFile> file;
    std::vector<unsigned char> copy;
    const void* data() const { return file ? file->data() : copy.data(); }
  };

  /// Opens the problem's file for an array. Throws Error when it has another size.
  MappedFile problem_file(const GuardedArray& array) const;
  void fill(GuardedArray& array) const;
  void shrink(GuardedArray& array) const;
  /// Each team member copies its part; `from` has as many bytes as the array.
  void copy(const void* from, GuardedArray& array, int threads) const;
  /// The elements in which input 1 is not input 0.
  void fill_changed(GuardedArray& array) const;
  void restore(GuardedArray& array, int threads) const;
  void poison(GuardedArray& array) const;
  /// Opens an array for `body`; on a card it is kept then.
  void write(GuardedArray& array, const Callback& body) const;

  const Setup& setup_;
  const OpenMpRuntime& openmp_;
  int touch_threads_;
  std::vector<GuardedArray> arrays_;
  std::map<const GuardedArray*, Original> originals_;  ///< for update arrays
  Indices array_of_slot_;
  std::vector<Scalar> scalars_;
  std::string note_;
  uint64_t serial_;
  int input_ = 0;
  bool untouched_ = true;  ///< as filled by the constructor, before any pointer is given out
};

/// Describes a forbidden access at `address` to an array in any set in this process; see
/// GuardedArray.
std::optional<VariantFault> forbidden_access(const void* address, bool writing);
/// After an access that the system refused: opens the kept array at `address`, in any set in this
/// process. True: the access is to be tried again. Throws what fetching throws.
bool opened_by_access(const void* address);

}  // namespace rooftune::run
