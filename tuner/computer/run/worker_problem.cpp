// The requests for loading a problem and running the reference; their faults are the user's, not a
// variant's.
#include "build/shim.h"
#include "run/comparison.h"
#include "run/fill.h"
#include "run/problem_host.h"
#include "run/sampler.h"
#include "run/worker.h"

namespace rooftune::run {
namespace {

/// A longer reference is called on one input only [s].
constexpr double second_input_limit = 5;

/// A fault of a variant is the user's fault when the variant is the reference.
template <class Body>
void as_user_fault(Body body) {
  try {
    body();
  } catch (const VariantFault& fault) {
    throw Error(fault.detail);
  }
}

}  // namespace

void Worker::make_problem(const Json& request) {
  auto parameters = member<Facts>(request, "parameters");
  const auto folder = member<std::filesystem::path>(request, "folder");
  problem_ = std::make_unique<DynamicLibrary>(member<std::string>(request, "library"));
  const auto problem = reinterpret_cast<void (*)(Problem&)>(problem_->symbol(problem_symbol));
  ProblemHost host(std::move(parameters));
  problem(host);
  std::map<std::string, MadeArray> arrays;
  for (const auto& [name, array] : host.arrays()) {
    if (const std::string damage = array.damage(); !damage.empty()) throw Error(damage);
    write_bytes(array_file(folder, name), array.data(), array.bytes());
    arrays[name] = {array.slot().argument.type, array.slot().count};
  }
  replies_.send(Phase::done, {{"facts", encode(host.facts())}, {"arrays", encode(arrays)}});
}

void Worker::run_reference(const Json& request) {
  const auto library = member<std::string>(request, "library");
  const auto scalars = member<Json>(request, "scalars");
  const auto image = member<std::string>(request, "image");
  ArraySet& arrays = arrays_for(Placement{});
  int done = 0;
  for (double seconds = 0; done < setup_->inputs && seconds <= second_input_limit; ++done) {
    const double begin = raw_clock();
    as_user_fault([&] {
      arrays.refill(done);
      const std::vector<void*> arguments = arrays.pointers(scalars);
      const LoadedVariant reference(library);
      reference.attach(gpu_.get());
      if (gpu_) gpu_->use({library, image, {}, {}, {}, {}});
      reference.prepare(arguments);
      reference.call(arguments);
      reference.finish(arguments);
      check_guards(arrays, "the reference");
    });
    seconds = raw_clock() - begin;
    keep_outputs(arrays);
  }
  replies_.send(Phase::done, {{"inputs", done}});
}

void Worker::keep_outputs(const ArraySet& arrays) const {
  const std::filesystem::path folder = reference_folder(*setup_, arrays.input());
  std::filesystem::create_directories(folder);
  for (const GuardedArray& array : arrays.arrays()) {
    const Slot& slot = array.slot();
    if (slot.argument.access == Argument::Access::read) continue;
    if (slot.argument.access == Argument::Access::write && slot.count > 0 &&
        is_all_poison(slot.argument.type, array.data(), slot.count))
      throw Error("the reference writes nothing to array " + slot.argument.name, {},
                  "an output that stays as it was makes every comparison pass");
    write_bytes(array_file(folder, slot.argument.name), array.data(), array.bytes());
  }
  // A scale of the wrong size shows here, not as a fault of the first variant.
  compare(*setup_, arrays, *openmp_, 1);
}

}  // namespace rooftune::run
