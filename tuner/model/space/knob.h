// One value chosen for every knob; and one knob: its values, its way into the variant, and the
// ceilings it can break.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/expression.h"
#include "core/fields.h"
#include "core/modules.h"
#include "core/value.h"
#include "roofline/machine.h"

namespace rooftune::space {

/// Ordered by knob name; equality is equality of all values.
class Configuration {
 public:
  Configuration() = default;
  const Value& at(const std::string& knob) const;  ///< throws Error for an unknown knob
  bool has(const std::string& knob) const { return values_.contains(knob); }
  void set(const std::string& knob, Value value) { values_[knob] = std::move(value); }
  const ByName<Value>& values() const { return values_; }
  bool operator==(const Configuration&) const = default;
  /// "knob=value knob=value": the identity used in maps and records.
  std::string key() const;

 private:
  ByName<Value> values_;
};

using Configurations = std::vector<Configuration>;

/// The same as value numbers (in the knob's order), by knob: for computation in spaces and
/// searches.
using Assignment = std::vector<uint32_t>;
using Assignments = std::vector<Assignment>;
using AssignmentRefs = std::vector<const Assignment*>;

Json to_json(const Configuration& configuration);
void decode(const Place& place, Configuration& configuration);

/// "unroll=4 simd=8": only the differences from `baseline`; "(baseline)" without any.
std::string difference_text(const Configuration& configuration, const Configuration& baseline);

/// Names for values, defaults, applicability and constraints besides knobs: problem parameters and
/// facts by their own name, machine_cores machine_threads machine_numa_nodes machine_simd_bits
/// machine_l1_bytes machine_l2_bytes machine_l3_bytes machine_huge_pages machine_fast_memory, and
/// compilers_fact.
using Facts = ByName<Value>;
using FactsList = std::vector<Facts>;
Json facts_json(const Facts& facts);

struct Knob {
  ROOFTUNE_NESTED_ENUM(
      Kind, compile,  ///< macro KNOB_<NAME>; text values also get KNOB_<NAME>_<VALUE> enumerators
      flag,           ///< compiler flags per value (allow-listed)
      compiler,       ///< a compiler family; its values are the fact `compilers_fact`
      argument,       ///< visible to the kernel's argument expressions at run time
      openmp,         ///< OpenMP control variable set before the call: threads, schedule, chunk
      environment,    ///< environment variable, set before the worker starts
      memory,         ///< how the worker allocates: huge_pages, first_touch, numa_policy, offset
  )
  std::string name;
  Kind kind = Kind::compile;
  std::string setting;           ///< for openmp/memory; environment: variable
  ValueList values;              ///< in the file's order, without duplicates
  ValueList barred;              ///< the file's values that `collapsed` removed
  Value fallback;                ///< the default: written first by hand
  std::vector<Texts> flags;      ///< flag: each value's compiler flags
  std::vector<Paradigm> breaks;  ///< its abilities, in the file's order
  std::string doc;
  Expression active;      ///< over other knobs; empty = always. When false the knob is `fallback`
  std::string collapsed;  ///< why only `fallback` is left on this machine/problem, or empty
  size_t index_of(const Value& value) const;  ///< values.size() when absent
};
using Knobs = std::vector<Knob>;
/// How many configurations have each value, for each knob.
using ValueCounts = std::vector<std::vector<uint64_t>>;

/// Lists the compiler families that build variants on this host, its own first: "g++", "clang++".
/// Only spaces with a compiler knob know it.
inline constexpr const char* compilers_fact = "machine_compilers";
/// Knob::setting for the OpenMP thread count.
inline constexpr const char* threads_setting = "threads";
/// "block_rows" -> "KNOB_BLOCK_ROWS"; characters outside letters, digits and _ become _.
std::string macro_name(const std::string& name);
/// The knob for the OpenMP thread count; nullptr without one.
const Knob* thread_knob(const Knobs& knobs);

/// Product of value counts.
double cartesian_size(const Knobs& knobs);

/// An expression over knobs (and facts), true for every configuration.
struct Constraint {
  Expression expression;
  std::string reason;
};
using Constraints = std::vector<Constraint>;

/// The settings that a knob of this kind may have; empty where the kind has no list of settings.
Texts settings_of(Knob::Kind kind);
/// A value that a knob's kind and setting forbid; with message and hint.
struct ValueFault {
  std::string message, hint;
};
std::vector<ValueFault> value_faults(const Knob& knob);
/// Empty for a name usable in expressions and macros, else its fault.
std::string name_fault(const std::string& name);

/// NVRTC options for the arithmetic or the registers, -O levels, and the -f and -m options that are
/// listed because they change the code of functions and nothing else. Never -D, -I, -W, @.
bool allowed_flag(const std::string& flag);
/// OMP_*, GOMP_*, KMP_*, MALLOC_*.
bool allowed_variable(const std::string& variable);
/// Hints from both for the author of a refused entry.
extern const char* const allowed_flags_hint;
extern const char* const allowed_variables_hint;

}  // namespace rooftune::space
