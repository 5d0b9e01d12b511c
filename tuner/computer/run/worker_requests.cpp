// Requests beside trials: plans, a problem and its reference (their faults are the user's), a race
// (its configurations stand ready beside each other, and are timed in turn), and counts.
#include <rooftune/problem.h>

#include <algorithm>
#include <cmath>

#include "build/artefact.h"
#include "build/shim.h"
#include "core/error.h"
#include "core/list.h"
#include "core/text.h"
#include "run/array_set.h"
#include "run/comparison.h"
#include "run/element.h"
#include "run/fill.h"
#include "run/process_state.h"
#include "run/sampler.h"
#include "run/worker.h"

namespace rooftune::run {
namespace {

/// The reference is called on further inputs while all its calls together take no longer [s].
constexpr double references_limit = 3;

/// After a sample whose call took longer, data in caches no longer matters to the next one.
constexpr double long_call = 0.1;
/// Before a sample in a race, uncounted [s].
constexpr double settling = 0.01;
/// How often to retake a sample whose thread was switched out, for a race has one sample a round:
/// one, for on a busy machine a long call never comes clean.
constexpr int least_retakes = 1;
/// Looks at the fastest after a round: one, and more where calls are short, until so much computing
/// [s] or ten times as much time [s] is spent, for neighbours do not make a winner right.
constexpr double looking = 0.005, longest_looking = 0.05;

/// Names become file names.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 100 && all_of(name, is_identifier_char);
}

class ProblemHost final : public Problem {
 public:
  explicit ProblemHost(Facts parameters) : parameters_(std::move(parameters)) {}

  const char* text(const char* name) const override { return parameter(name).text().c_str(); }
  int64_t integer(const char* name) const override { return parameter(name).integer(); }
  double real(const char* name) const override { return parameter(name).real(); }
  void set(const char* fact, double value) override {
    if (!std::isfinite(value))
      throw Error(std::string("problem.cpp sets fact \"") + or_empty(fact) +
                  "\" to a value that is not finite");
    store(fact, value);
  }
  void set(const char* fact, int64_t value) override { store(fact, value); }
  void set(const char* fact, const char* value) override { store(fact, or_empty(value)); }
  void* elements(const char* name, const char* type, size_t, int64_t count) override {
    const std::string text = or_empty(name);
    const auto known = ElementType::named(or_empty(type));
    if (!is_plain_name(text)) throw Error("problem.cpp names an array \"" + text + "\"");
    if (!known)
      throw Error(
          "problem.cpp makes array " + text + " of the unknown type \"" + or_empty(type) + "\"", {},
          ElementType::words());
    if (count < 0) throw Error("problem.cpp makes array " + text + " with a negative count");
    if (arrays_.contains(text)) throw Error("problem.cpp makes array " + text + " twice");
    Slot slot;
    slot.argument.name = text;
    slot.argument.type = *known;
    slot.argument.pointer = true;
    slot.count = count;
    return arrays_.emplace(text, GuardedArray(std::move(slot), 0, false)).first->second.data();
  }
  [[noreturn]] void fail(const char* message, const char* where, const char* hint) override {
    throw ProblemFault{or_empty(message), or_empty(where), or_empty(hint)};
  }

  const Facts& facts() const { return facts_; }
  const ByName<GuardedArray>& arrays() const { return arrays_; }

 private:
  static const char* or_empty(const char* text) { return text ? text : ""; }
  void store(const char* fact, const Value& value) { facts_[or_empty(fact)] = value; }
  const Value& parameter(const char* name) const {
    auto* found = value_at(parameters_, or_empty(name));
    if (!found)
      throw Error(std::string("problem.cpp asks for parameter \"") + or_empty(name) +
                  "\", which kernel.json does not declare");
    return *found;
  }

  Facts parameters_, facts_;
  ByName<GuardedArray> arrays_;
};

}  // namespace

void Worker::run_reference(const Json& request) {
  const auto library = member<std::string>(request, "library");
  const auto scalars = member<Json>(request, "scalars");
  const auto image = member<std::string>(request, "image");
  ArraySet& arrays = arrays_for(Placement{});
  int done = 0;
  double spent = 0;
  for (double last = 0; done < setup_->inputs && spent + last <= references_limit; ++done) {
    const double begin = raw_clock();
    try {
      arrays.refill(done);
      const Arguments arguments = arrays.pointers(scalars);
      const LoadedVariant reference(library);
      reference.attach(gpu_.get());
      use_device({library, image, {}, {}, {}, {}}, arrays);
      reference.prepare(arguments);
      reference.call(arguments);
      second_step(reference, arrays, arguments);
      finish(reference, arrays, arguments, false);
      check_guards(arrays, "the reference");
    } catch (const VariantFault& fault) {
      // The fault is the user's when the variant is the reference.
      throw Error(fault.detail);
    }
    last = raw_clock() - begin;
    spent += last;
    keep_outputs(arrays);
  }
  replies_.send(Phase::done, {{"inputs", done}});
}

void Worker::keep_outputs(const ArraySet& arrays) const {
  if (const std::string fault = setup_->swap.empty() ? "" : not_finite(arrays, 1); !fault.empty())
    throw Error(
        fault + " after the second step: it reads what the first has not written", {},
        "let the kernel write all of it (copy the border), or say \"access\": \"update\" and "
        "fill it");
  const fs::path folder = reference_folder(*setup_, arrays.input());
  fs::create_directories(folder);
  for (const GuardedArray& array : arrays.arrays()) {
    const Slot& slot = array.slot();
    if (slot.is(Argument::Access::read)) continue;
    if (slot.is(Argument::Access::write) && slot.count > 0 &&
        is_all_poison(slot.argument.type, array.data(), slot.count))
      throw Error("the reference writes nothing to array " + slot.argument.name, {},
                  "an output that stays as it was makes every comparison pass");
    write_bytes(array_file(folder, slot.argument.name), array.data(), array.bytes());
  }
  // A scale with the wrong size shows here, not as a fault of the first variant.
  compare(*setup_, arrays, *openmp_, 1);
}

void Worker::told(const std::string& when, const Callback& body) {
  try {
    body();
  } catch (VariantFault& fault) {
    if (fault.outcome == Outcome::wrong_result) fault.detail = when + fault.detail;
    throw;
  }
}

void Worker::enter_race(const Json& request) {
  const ProcessState before;
  const double begin = raw_clock();
  Entry entry;
  entry.task = member<Task>(request, "task");
  ArraySet& arrays = arrays_for(entry.task.placement);
  entry.variant = validated(entry.task, arrays, entry.call_seconds);
  entry.prepared_for = arrays.serial();
  const Calls calls = calls_of(entry.task, arrays, *entry.variant);
  entry.restored = calls.restored;
  entry.repeats = calls_per_sample(calls, entry.call_seconds);
  replies_.send(Phase::calibrated, {{"repeats", entry.repeats}});
  check_guards(arrays);
  if (!gpu_) {
    try_out(entry, [&] { renew(calls, {one_sample(calls, entry.repeats)}, begin); });
    begin_on(0, calls);
  }
  if (gpu_) entry.lifetime = gpu_->lifetime;
  put_back(before, entry.task);
  entries_[member<int>(request, "entry")] = std::move(entry);
  replies_.send(Phase::done);
}

Worker::Entry& Worker::entered(const Json& request) {
  auto* found = value_at(entries_, member<int>(request, "entry"));
  if (!found) throw Error("nobody entered the race with this number");
  return *found;
}

Calls Worker::calls_of(Entry& entry) {
  ArraySet& arrays = arrays_for(entry.task.placement);
  Calls calls(entry.task, arrays, *entry.variant, entry.restored);
  openmp_->set(entry.task.team);
  use_device(entry.task, arrays);
  // After making room arrays lie elsewhere: pointers kept by prepare are void.
  const unsigned lifetime = gpu_ ? gpu_->lifetime : 0;
  if (entry.prepared_for != arrays.serial() || entry.lifetime != lifetime)
    prepare(*entry.variant, calls.arguments);
  entry.prepared_for = arrays.serial();
  entry.lifetime = lifetime;
  return calls;
}

void Worker::sample_entry(const Json& request) {
  const ProcessState before;
  Entry& entry = entered(request);
  const Calls calls = calls_of(entry);
  // The last entry left its own data in the caches and another team size; and a team just awake may
  // share one core until the scheduler spreads it. A card only queues calls.
  const double settled = raw_clock() + (!gpu_ && entry.task.team.threads > 1 ? settling : 0);
  if (entry.call_seconds < long_call) {
    do entry.variant->call(calls.arguments);
    while (raw_clock() < settled);
  }
  const double begin = raw_clock();
  Sample one = filled_sample(calls, entry.repeats);
  // While a neighbour pauses a shorter window comes clean sooner.
  const int shorter = std::max(1, entry.repeats / 4);
  for (int i = 0; !one.clean() && (i < least_retakes || raw_clock() - begin < retaking); ++i)
    if (const Sample again = one_sample(calls, shorter); again.clean() || again.lost < one.lost)
      one = again;
  entry.sampled_seconds += raw_clock() - begin;
  check_guards(calls.arrays);
  if (!gpu_ && entry.looks.due(entry.sampled_seconds, one.seconds)) look_at(entry, calls);
  put_back(before, entry.task);
  replies_.send(Phase::samples, {{"samples", Json::array({encode(one)})}});
  replies_.send(Phase::done);
}

void Worker::try_out(Entry& entry, const Callback& body) {
  if (!entry.wrong) try {
      body();
    } catch (const VariantFault& fault) {
      entry.wrong = fault;
    }
}

void Worker::look_at(Entry& entry, const Calls& calls) {
  try_out(entry, [&] { look(calls, entry.call_seconds, entry.looks); });
}

void Worker::look_at_entry(const Json& request) {
  const ProcessState before;
  Entry& entry = entered(request);
  const Calls calls = calls_of(entry);
  const double begin = raw_clock(), computed = thread_clock();
  for (bool more = !gpu_ && entry.call_seconds < long_call; more && !entry.wrong;
       more = thread_clock() - computed < looking && raw_clock() - begin < longest_looking)
    look_at(entry, calls);
  put_back(before, entry.task);
  replies_.send(Phase::done);
}

void Worker::check_entry(const Json& request) {
  const ProcessState before;
  Entry& entry = entered(request);
  ArraySet& arrays = arrays_for(entry.task.placement);
  openmp_->set(entry.task.team);
  use_device(entry.task, arrays);
  if (entry.wrong) throw *entry.wrong;
  check_again(entry.task, arrays, *entry.variant);
  put_back(before, entry.task);
  // A process with a card serves on.
  if (gpu_) {
    const Task task = entry.task;
    entries_.erase(member<int>(request, "entry"));
    drop_from_device(task);
  }
  replies_.send(Phase::done);
}

void Worker::count(const Json& request) {
  const Task task = member<Task>(request, "task");
  const auto plan = member<CountingPlan>(request, "plan");
  const CounterProviderRow* row = counter_provider(member<std::string>(request, "provider"));
  if (!row) throw Error("a request to count with a provider that cannot");
  const auto counter = row->open(plan);
  ArraySet& arrays = arrays_for(task.placement);
  const double begin = raw_clock();
  double first = 0;
  const auto variant = validated(task, arrays, first, counter.get());
  const Calls calls = calls_of(task, arrays, *variant);
  Launch launch;
  launch.call = [&] { calls.call(); };
  launch.restore = [&] { restore(calls); };
  launch.settle = [&] {
    if (plan.warm) calls.call();
    restore(calls);
    if (plan.warm) return;
    gpu_ ? gpu_->flush() : flush_caches(task.team.threads);
  };
  const Counts counts = counter->count(launch);
  check_guards(arrays);
  // Its timing has checked it: here only where there is time left for the counts.
  if (plan.seconds <= 0 || raw_clock() - begin + first + prepare_seconds_ < plan.seconds)
    check_again(task, arrays, *variant);
  replies_.send(Phase::counted, {{"counts", to_json(counts)}});
  replies_.send(Phase::done);
}

void Worker::plan_trial(const Json& request) {
  auto* const plan = dynamic_cast<PlannedGpu*>(gpu_.get());
  if (!plan) throw Error("only a planned device can plan");
  const Task task = member<Task>(request, "task");
  ArraySet& arrays = arrays_for(task.placement);
  const Arguments arguments = arrays.pointers(task.scalars);
  arrays.refill();
  const LoadedVariant variant(task.library);
  variant.attach(plan);
  plan->use(task);
  variant.prepare(arguments);
  plan->begin_call();
  variant.call(arguments);
  replies_.send(Phase::planned, {{"launches", encode(plan->launches())},
                                 {"device_bytes", plan->allocated()},
                                 {"not_followed", plan->not_followed()},
                                 {"guessed", encode(plan->guessed())}});
}

void Worker::make_problem(const Json& request) {
  auto parameters = member<Facts>(request, "parameters");
  const auto folder = member<fs::path>(request, "folder");
  problem_ = std::make_unique<DynamicLibrary>(member<std::string>(request, "library"));
  const auto problem = reinterpret_cast<void (*)(Problem&)>(problem_->symbol(problem_symbol));
  ProblemHost host(std::move(parameters));
  problem(host);
  ByName<Slot> arrays;
  for (const auto& [name, array] : host.arrays()) {
    if (const std::string damage = array.damage(); !damage.empty()) throw Error(damage);
    write_bytes(array_file(folder, name), array.data(), array.bytes());
    arrays[name] = array.slot();
  }
  replies_.send(Phase::done, {{"facts", encode(host.facts())}, {"arrays", encode(arrays)}});
}

}  // namespace rooftune::run
