// The configurations of a kernel: all, the allowed ones, and the reasons against the others.
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
  /// The constraints of which none can be left out.
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
  /// more do, they tie too much together to count in 256 MB, an unknown name in a constraint, a
  /// default outside the values or against the constraints.
  SearchSpace(std::string name, Knobs knobs, Constraints constraints, Facts facts);
  /// For external spaces without defaults: the first allowed configuration becomes it. The
  /// fallbacks of `knobs` are ignored; conditional knobs are not for this.
  static SearchSpace without_defaults(std::string name, Knobs knobs, Constraints constraints,
                                      Facts facts);
  /// Exactly the configurations of a list, as in a recorded space; the first is the default. Throws
  /// Error: an empty list, a knob without such a value.
  static SearchSpace of_configurations(std::string name, Knobs knobs,
                                       const Configurations& configurations);

  const std::string& name() const { return name_; }
  const Knobs& knobs() const;
  const Constraints& constraints() const { return constraints_; }
  const Knob* knob(const std::string& name) const;
  /// The default of every knob: the baseline of a study.
  Configuration baseline() const;
  /// Product of value counts.
  double cartesian_size() const;
  /// Number of allowed (and distinct) configurations. Construction prunes with partial assignments
  /// and never walks the Cartesian product.
  uint64_t size() const;
  /// For each knob and each of its values: the number of allowed configurations with it. They add
  /// up to size() for each knob.
  std::vector<std::vector<uint64_t>> value_counts() const;
  /// index in [0, size()), in a fixed order, a function of the space only.
  Configuration configuration(uint64_t index) const;
  /// nullopt when not allowed; also for an inactive knob off its default.
  std::optional<uint64_t> index(const Configuration& configuration) const;
  bool allowed(const Configuration& configuration) const {
    return index(configuration).has_value();
  }
  /// First constraint against it, its reason and the values involved; empty when allowed.
  std::string why_not(const Configuration& configuration) const;
  /// Uniform over allowed configurations.
  Configuration sample(Rng& rng) const { return configuration(rng.below(size())); }
  /// Allowed configurations with exactly one active knob different (knobs activated by the change
  /// take their defaults), adjacent values of ordered (numeric) knobs first. Order is
  /// deterministic.
  Configurations neighbours(const Configuration& configuration) const;
  /// Sets inactive knobs to their default.
  Configuration normalised(Configuration configuration) const;

  // The same in value numbers, without texts: a search asks these thousands of times.
  Assignment assignment(uint64_t index) const;
  /// nullopt when not allowed.
  std::optional<uint64_t> index(const Assignment& assignment) const;
  Configuration configuration(const Assignment& assignment) const;
  std::vector<Assignment> neighbours(const Assignment& centre) const;
  void normalise(Assignment& assignment) const;
  /// The same object for copies of one space, another for any other living space.
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

/// Looks a name up among the knobs, then among the facts; both must outlive it.
Expression::Lookup knobs_and_facts(const Configuration& configuration, const Facts& facts);

/// For each constraint without a result (division by zero, overflow) for some values of its knobs,
/// the cause and the first such values, in words. Sought among the first 10,000 combinations of
/// each constraint's knobs.
Texts undefined_results(const Constraints& constraints, const Knobs& knobs, const Facts& facts);

/// The space of the configurations allowed for every one of several problems of a kernel.
/// Each knob keeps the values common to all; the defaults are those of the first problem whose
/// defaults all allow. The constraints of all hold, each with the facts of its own problem. Throws
/// Error when a knob has no value left, when nothing is allowed by all, or when the activity of
/// knobs depends on facts that differ.
SearchSpace common_space(const std::vector<SearchSpace>& spaces, const std::vector<Facts>& facts);

/// A small deterministic set of configurations with every value of every knob, and as many pairs of
/// values as its size allows. The baseline with each value of the knob `algorithm` (none when there
/// is no such knob), or the nearest allowed configuration, and for each of them at least `size`
/// others, more when single values need them. A value without a configuration is left out.
Configurations covering_sample(const SearchSpace& space, const std::string& algorithm, size_t size,
                               uint64_t seed);

/// Where its part "holds" is true, or absent, a variant moves at least so much.
struct LeastMovement {
  std::string what;  ///< a wall's name in kernel.json
  /// Expressions over knobs and facts, by member of the file: "holds", and of a movement of its own
  /// "read", "write", "footprint" [B], "passes", and "plain_stores", true where no store goes past
  /// the caches. Absent ones are the problem's own figures.
  ByName<Expression> parts = {};
};

struct LeastMovements {
  std::vector<LeastMovement> walls, moves;
  Facts facts;
  /// Every certain movement of a configuration, of a problem of this least traffic. A statement
  /// without a result (division by zero) is ignored.
  std::vector<Movement> compute(const Configuration& configuration, const Traffic& traffic) const;
  /// The knobs in the statements.
  TextSet knobs() const;
};

/// The members "walls" and "moves" of a search-space file (docs/formats.md); absent: none. Throws
/// Error with all faults: an expression with a syntax error, a name that is neither a knob of the
/// space nor a fact.
LeastMovements least_movements_from_json(const Json& json, const std::string& where,
                                         const SearchSpace& space, const Facts& facts);

/// The configuration with other values of knobs, each written as one of the knob's own. Throws
/// Error at `where` for an unknown knob or value.
Configuration with_values(Configuration configuration, const SearchSpace& space,
                          const Facts& values, const std::string& where);

}  // namespace rooftune::space
