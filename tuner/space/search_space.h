// Which configurations exist, which are allowed, and why not.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/rng.h"
#include "space/configuration.h"
#include "space/knob.h"

namespace rooftune {

/// Names that values, defaults, applicability and constraints may use besides knobs: problem
/// parameters and facts by their own name, machine_cores machine_threads machine_numa_nodes
/// machine_simd_bits machine_l1_bytes machine_l2_bytes machine_l3_bytes machine_huge_pages.
using Facts = std::map<std::string, Value>;

/// Inactive knobs are normalised to their default, so that no two configurations mean the same.
class SearchSpace {
 public:
  /// Throws Error: no configuration satisfies the constraints (names the constraints that kill all),
  /// an unknown name in a constraint, a default outside the values or against the constraints.
  SearchSpace(std::string name, std::vector<Knob> knobs, std::vector<Constraint> constraints,
              Facts facts);

  const std::string& name() const { return name_; }
  const std::vector<Knob>& knobs() const { return knobs_; }
  const std::vector<Constraint>& constraints() const { return constraints_; }
  const Knob* knob(const std::string& name) const;
  /// The default of every knob: the baseline of a study.
  Configuration baseline() const;
  /// Product of value counts.
  double cartesian_size() const;
  /// Number of allowed (and distinct) configurations, exact. Construction prunes with partial
  /// assignments and never walks the Cartesian product.
  std::uint64_t size() const;
  /// index in [0, size()), in lexicographic order of knobs and values as declared.
  Configuration configuration(std::uint64_t index) const;
  /// nullopt when not allowed.
  std::optional<std::uint64_t> index(const Configuration& configuration) const;
  bool allowed(const Configuration& configuration) const { return index(configuration).has_value(); }
  /// First constraint that forbids it, its reason and the values involved; empty when allowed.
  std::string why_not(const Configuration& configuration) const;
  /// Uniform over allowed configurations.
  Configuration sample(Rng& rng) const;
  /// Allowed configurations that differ in exactly one active knob (knobs activated by the change
  /// take their defaults), adjacent values of ordered (numeric) knobs first. Order is deterministic.
  std::vector<Configuration> neighbours(const Configuration& configuration) const;
  /// Sets inactive knobs to their default.
  Configuration normalised(Configuration configuration) const;

 private:
  std::string name_;
  std::vector<Knob> knobs_;
  std::vector<Constraint> constraints_;
  Facts facts_;
  struct Index;
  std::shared_ptr<const Index> index_;
};

/// Reads search_spaces/<kernel>.<backend>.json ("rooftune-space-1"), evaluates value lists, defaults and
/// applicability with `facts`. Throws Error with all faults.
SearchSpace read_space(const std::filesystem::path& file, const Facts& facts);
SearchSpace space_from_json(const Json& json, const std::string& where, const Facts& facts);

}  // namespace rooftune
