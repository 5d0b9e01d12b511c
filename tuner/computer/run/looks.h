// Looks at a variant between its timed calls: a result that is right only where it is expected to
// be looked at is found. A look poisons a few elements of the outputs, at times changes a few of
// the inputs, makes a call as the timed ones are, and compares.
#pragma once
#include <string>
#include <vector>

#include "core/rng.h"
#include "run/array_set.h"
#include "run/loaded_variant.h"
#include "run/message.h"

namespace rooftune::run {

/// A variant ready to be called again and again.
struct Calls {
  const Task& task;
  ArraySet& arrays;
  const LoadedVariant& variant;
  std::vector<void*> arguments;
  std::vector<void*> exchanged;  ///< see ArraySet
  /// Update arrays are put back before each call, since a call changes them and the kernel does not
  /// evolve.
  bool restored = false;
  mutable std::int64_t made = 0;
  mutable bool turned = false;  ///< the last call had the arguments as they are
  void call() const {
    ++made;
    turned = !turned && !exchanged.empty();
    variant.call(turned || exchanged.empty() ? arguments : exchanged);
  }
  /// The next call is the first on an input.
  void begin() const { turned = false; }
};

/// When the next look is due, and what the looks of a variant have seen.
class Looks {
 public:
  /// Looks take a small share of `elapsed`, the time of the samples so far [s]; `call` is the time
  /// of one call [s].
  bool due(double elapsed, double call) const;
  /// The kinds take turns. Quick: right after other calls; the times of the others are compared.
  enum class Kind { quick, same, changed };
  static constexpr int kinds = 3;
  Kind kind() const { return static_cast<Kind>(number_ % kinds); }
  int number() const { return number_; }
  Rng& random() { return random_; }
  /// A call on the input of this look took `call` of the `all` seconds of a look.
  void add(double call, double all);
  /// A call on a changed input takes much longer than one on an input seen before: the variant
  /// keeps results, or the CPU has learned the branches. Empty: it does not, or there were too few
  /// looks to tell.
  std::string remembers() const;

 private:
  Rng random_{1, 0};
  int number_ = 0;
  double seconds_ = 0;
  double fastest_[kinds] = {};  ///< call of each kind [s]
};

}  // namespace rooftune::run
