// What tests of a kernel's variants share: the machine that they read the space for, the walk over
// a sample of it, and how far results may be apart. The caller brings problems and comparisons.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "built_function.h"
#include "core/value.h"
#include "kernel/kernel.h"
#include "space/search_space.h"

namespace rooftune::testing {

/// `facts` of the problem, and of a machine with two cores, three hardware threads and the vectors
/// of this CPU; what `facts` says of the machine wins.
Facts on_small_machine(Facts facts);

/// Sets the OpenMP runtime as the configuration has it.
void set_openmp(const BuiltFunction& variant, const Configuration& configuration);

/// At night all; by day, when compilers take most of the time, a few with every value of every knob
/// of all.
std::vector<Configuration> few_by_day(std::vector<Configuration> all);

/// Calls `check` on the OpenMP baseline, then on every configuration of `sample`, built and set.
/// The sample must leave out no value of the space.
void check_variants(const Kernel& kernel, const SearchSpace& space,
                    const std::vector<Configuration>& sample,
                    const std::function<void(const BuiltFunction&)>& check);

/// Largest magnitude; infinite for a NaN.
double largest(const std::vector<double>& values);
/// Largest magnitude of got - wanted; infinite for a NaN.
double difference(const std::vector<double>& got, const std::vector<double>& wanted);
/// The difference over what is allowed of arrays whose tolerance is relative to the largest value.
double excess(const std::vector<double>& got, const std::vector<double>& wanted,
              const Tolerance& allowed);

}  // namespace rooftune::testing
