// A kernel's configurations: all, the allowed ones, and the reasons against the others.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "core/rng.h"
#include "roofline/roofline.h"
#include "space/knob.h"

namespace rooftune::space {

/// No configuration satisfies the constraints: an Error with a minimal conflicting set, kept for
/// programs that count.
class EmptySpace : public Error {
 public:
  EmptySpace(const Error& error, Knobs knobs, Texts conflict)
      : Error(error), knobs_(std::move(knobs)), conflict_(std::move(conflict)) {}
  const Knobs& knobs() const { return knobs_; }
  /// The constraints that contradict each other; none can be left out.
  const Texts& conflict() const { return conflict_; }

 private:
  Knobs knobs_;
  Texts conflict_;
};

/// Inactive knobs are normalised to their default, so no two configurations mean the same. A
/// constraint without a result (division by zero) does not hold; so for `active`.
class SearchSpace {
 public:
  /// Throws Error: no configuration satisfies the constraints (names the conflicting ones), 2^64 or
  /// more do, the constraints tie too many knobs together to count in 256 MB, an unknown name in a
  /// constraint, a default outside the values or against the constraints.
  SearchSpace(std::string name, Knobs knobs, Constraints constraints, Facts facts);
  /// For external spaces without defaults: the first allowed configuration becomes the default. The
  /// knobs' own fallbacks are ignored; conditional knobs are not for this.
  static SearchSpace without_defaults(std::string name, Knobs knobs, Constraints constraints,
                                      Facts facts);
  /// Exactly the listed configurations, as in a recorded space; the first is the default. Throws
  /// Error: an empty list, a knob without such a value.
  static SearchSpace of_configurations(std::string name, Knobs knobs,
                                       const Configurations& configurations);

  const std::string& name() const { return name_; }
  const Knobs& knobs() const;
  const Constraints& constraints() const { return constraints_; }
  const Knob* knob(const std::string& name) const;
  /// Every knob's default: a study's baseline.
  Configuration baseline() const;
  /// Product of value counts.
  double cartesian_size() const;
  /// How many configurations are allowed (and distinct). Construction prunes with partial
  /// assignments and never walks the Cartesian product.
  uint64_t size() const;
  /// For each knob and value: how many allowed configurations have it. They add up to size() for
  /// each knob.
  ValueCounts value_counts() const;
  /// index in [0, size()), in a fixed order that only the space decides.
  Configuration configuration(uint64_t index) const;
  /// nullopt when not allowed; also for an inactive knob off its default.
  std::optional<uint64_t> index(const Configuration& configuration) const;
  bool allowed(const Configuration& configuration) const {
    return index(configuration).has_value();
  }
  /// Why it is not allowed: an unknown knob or value, an inactive knob off its default, the first
  /// constraint against it with reason and values, or that the recorded list lacks it. Empty when
  /// allowed.
  std::string why_not(const Configuration& configuration) const;
  /// Uniform over allowed configurations.
  Configuration sample(Rng& rng) const { return configuration(rng.below(size())); }
  /// Allowed configurations in which exactly one active knob differs (knobs that the change
  /// activates take their defaults), adjacent values on ordered (numeric) knobs first. Order is
  /// deterministic.
  Configurations neighbours(const Configuration& configuration) const;
  /// Sets inactive knobs to their default.
  Configuration normalised(Configuration configuration) const;

  // The same in value numbers, without texts: a search asks these thousands of times.
  Assignment assignment(uint64_t index) const;
  /// nullopt when not allowed.
  std::optional<uint64_t> index(const Assignment& assignment) const;
  Configuration configuration(const Assignment& assignment) const;
  Assignments neighbours(const Assignment& centre) const;
  void normalise(Assignment& assignment) const;
  /// The same object for all copies of a space, another for any other living space.
  std::shared_ptr<const void> identity() const;

 private:
  struct Index;
  static std::shared_ptr<Index> built(const std::string& name, Knobs knobs,
                                      const Constraints& constraints, Facts facts);
  SearchSpace(std::string name, Constraints constraints, std::shared_ptr<const Index> index)
      : name_(std::move(name)), constraints_(std::move(constraints)), index_(std::move(index)) {}

  std::string name_;
  Constraints constraints_;
  std::shared_ptr<const Index> index_;
};
using SearchSpaces = std::vector<SearchSpace>;

/// Looks a name up among the knobs, then among the facts; both must outlive it.
Expression::Lookup knobs_and_facts(const Configuration& configuration, const Facts& facts);

/// For each constraint that has no result (division by zero, overflow) with some knob values: the
/// cause and the first such values, in words. Sought among the first 10,000 combinations that each
/// constraint's knobs have.
Texts undefined_results(const Constraints& constraints, const Knobs& knobs, const Facts& facts);

/// The space of configurations that all of several problems allow, for one kernel. Each knob keeps
/// the values that all share; the defaults come from the first problem whose defaults all allow.
/// All constraints hold, each with its own problem's facts. Throws Error when a knob has no value
/// left, when nothing suits all, or when a knob's activity depends on facts that differ.
SearchSpace common_space(const SearchSpaces& spaces, const FactsList& facts);

/// A small deterministic set of configurations with every value of every knob, and as many pairs of
/// values as its size allows. It has the baseline with each value of the knob `algorithm` (just the
/// baseline without such a knob), or the nearest allowed configuration, and for each at least
/// `size` others, more when single values need them. A value without a configuration is left out.
Configurations covering_sample(const SearchSpace& space, const std::string& algorithm, size_t size,
                               uint64_t seed);

/// Where its part "holds" is true, or absent, a variant moves at least so much.
struct LeastMovement {
  std::string what;  ///< a wall's name in kernel.json
  /// Expressions over knobs and facts, by the file's member: "holds", and for a movement "read",
  /// "write", "footprint" [B], "passes", and "plain_stores", true where no store goes past the
  /// caches. Absent reads and writes are the problem's own, and absent passes follow from them; an
  /// absent footprint is the problem's only where neither read nor write is stated.
  ByName<Expression> parts = {};
};

struct LeastMovements {
  std::vector<LeastMovement> walls, moves;
  Facts facts;
  /// Every movement that is certain for a configuration, on a problem with this least traffic. A
  /// statement without a result (division by zero) is ignored.
  std::vector<Movement> compute(const Configuration& configuration, const Traffic& traffic) const;
  /// The knobs in the statements.
  TextSet knobs() const;
};

/// Reads "walls" and "moves" from a search-space file (docs/formats.md); absent: none. Throws Error
/// with all faults: an expression with a syntax error, a name that is neither a knob in the space
/// nor a fact.
LeastMovements least_movements_from_json(const Json& json, const std::string& where,
                                         const SearchSpace& space, const Facts& facts);

/// The configuration with other knob values, each written as the knob writes its own. Throws Error
/// at `where` for an unknown knob or value.
Configuration with_values(Configuration configuration, const SearchSpace& space,
                          const Facts& values, const std::string& where);

}  // namespace rooftune::space
