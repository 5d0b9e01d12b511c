// The steps of requests, in the order in which a fault can be told from the next.
#include "run/worker.h"

#include <unistd.h>

#include <cerrno>
#include <cfenv>
#include <stdexcept>

#include "run/comparison.h"
#include "run/fill.h"
#include "run/planned_cuda.h"
#include "run/sampler.h"

namespace rooftune::inline run {
namespace {

/// A sample of a longer call keeps no data in caches that would matter to the next one.
constexpr double long_call = 0.25;
/// The parent is woken at most this often while time is taken [s].
constexpr double report_interval = 0.05;
/// Of the wanted window: the least that a sample may last, and how often calls are counted again.
constexpr double least_window = 0.25;
constexpr int most_calibrations = 3;

/// A variant linked with gcc's fast start-up code switches denormals off; the next must not inherit
/// it.
void restore_rounding() { std::fesetenv(FE_DFL_ENV); }

}  // namespace

void Replies::send(const char* phase, Json body) {
  body["sequence"] = sequence_;
  body["phase"] = phase;
  const std::string line = body.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t count = write(fd_, line.data() + sent, line.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    // Nobody listens any more.
    if (count <= 0) _exit(3);
    sent += static_cast<std::size_t>(count);
  }
}

void Worker::answer(const Json& request) {
  if (!request.is_object()) throw Error("a request is an object");
  replies_.begin(member<std::int64_t>(request, "sequence"));
  const auto word = member<std::string>(request, "do");
  if (word == "problem") return make_problem(request);
  if (word == "setup") return set_up(request);
  if (!setup_) throw Error("the first request must be setup or problem");
  if (word == "reference") return run_reference(request);
  if (word == "trial") return run_trial(request);
  if (word == "plan") return plan_trial(request);
  if (word == "enter") return enter_race(request);
  if (word == "sample") return sample_entry(request);
  if (word == "count") return count(request);
  if (word == "launch") return launch(request);
  if (word == "leave") leaving_ = true;
  if (leaving_) return;
  throw Error("unknown request " + word);
}

void Worker::set_up(const Json& request) {
  entries_.clear();
  sets_.clear();
  setup_ = member<Setup>(request, "setup");
  openmp_ = std::make_unique<OpenMpRuntime>(setup_->openmp);
  cuda_.reset();
  if (setup_->cuda.mode != CudaSetup::Mode::none) cuda_ = cuda_machine(setup_->cuda);
  flush_ = std::make_unique<CacheFlush>(setup_->warm || cuda_ ? 0 : setup_->flush_bytes);
  replies_.send("ready", {{"openmp", openmp_->available()}});
}

ArraySet& Worker::arrays_for(const Placement& placement) {
  if (const auto found = sets_.find(placement); found != sets_.end()) return *found->second;
  // Room first: two sets at a time may be more than the machine has.
  while (!sets_.empty() && sets_.size() >= setup_->array_sets) sets_.erase(sets_.begin());
  auto set = std::make_unique<ArraySet>(*setup_, placement, *openmp_);
  return *sets_.emplace(placement, std::move(set)).first->second;
}

void Worker::settle() const {
  if (cuda_) cuda_->wait();
}

void Worker::check_guards(const ArraySet& arrays, const char* during) const {
  settle();
  std::string damage = arrays.damage();
  if (damage.empty() && cuda_) damage = cuda_->damage();
  if (!damage.empty()) throw VariantFault{"wrong_result", damage + " by " + during};
}

std::unique_ptr<LoadedVariant> Worker::validated(const Task& task, ArraySet& arrays,
                                                 double& call_seconds, CallCounter* counter) {
  const std::vector<void*> arguments = arrays.pointers(task.scalars);
  arrays.refill();
  replies_.send("allocated", {{"note", arrays.note()}});
  auto variant = std::make_unique<LoadedVariant>(task.library);
  variant->attach(cuda_.get());
  if (cuda_) cuda_->use(task);
  if (counter) counter->attach(variant->library());
  replies_.send("loaded");
  openmp_->set(task.team);
  double begin = raw_clock();
  variant->prepare(arguments);
  settle();
  const double prepare_seconds = variant->has_prepare() ? raw_clock() - begin : 0;
  check_guards(arrays, "prepare");
  replies_.send("prepared", {{"seconds", prepare_seconds}});
  begin = raw_clock();
  variant->call(arguments);
  settle();
  call_seconds = raw_clock() - begin;
  check_guards(arrays, "the kernel");
  replies_.send("called", {{"seconds", call_seconds}});
  variant->finish(arguments);
  check_guards(arrays, "finish");
  const Comparison comparison = compare(*setup_, arrays);
  if (!comparison.fault.empty()) throw VariantFault{"wrong_result", comparison.fault};
  const std::string changed = arrays.changed_input();
  if (!changed.empty()) throw VariantFault{"wrong_result", changed};
  replies_.send("validated", {{"max_error", comparison.max_error}});
  return variant;
}

int Worker::calls_per_sample(const Task& task, const std::function<void()>& call,
                             double first) const {
  const auto window = [&](int calls) {
    const double begin = raw_clock();
    for (int i = 0; i < calls; ++i) call();
    settle();
    return raw_clock() - begin;
  };
  // From cold caches only the first call counts.
  return setup_->warm ? calibrated_repeats(window, first, task.timing.sample_seconds) : 1;
}

Sample Worker::one_sample(const Task& task, const std::function<void()>& call, int repeats) {
  if (cuda_) {
    if (!setup_->warm) cuda_->flush();
    Sample one;
    one.seconds = cuda_->seconds([&] {
      for (int i = 0; i < repeats; ++i) call();
    }) / repeats;
    return one;
  }
  if (!setup_->warm) flush_->walk(*openmp_, task.team.threads);
  return sample(call, repeats);
}

Sample Worker::filled_sample(const Task& task, const std::function<void()>& call, int& repeats) {
  Sample one = one_sample(task, call, repeats);
  const double least = least_window * task.timing.sample_seconds;
  for (int i = 0; setup_->warm && i < most_calibrations && one.seconds * repeats < least; ++i) {
    const int more = calls_per_sample(task, call, one.seconds);
    if (more <= repeats) break;
    repeats = more;
    replies_.send("calibrated", {{"repeats", repeats}});
    one = one_sample(task, call, repeats);
  }
  return one;
}

void Worker::collect(const Task& task, const std::function<void()>& call, int repeats) {
  std::vector<Sample> samples;
  Json batch = Json::array();
  double reported = raw_clock();
  const auto report = [&] {
    replies_.send("samples", {{"samples", batch}});
    batch = Json::array();
    reported = raw_clock();
  };
  const auto collect_until = [&](const StopRule& rule) {
    while (!rule.enough(samples, raw_clock())) {
      const int before = repeats;
      const Sample one = filled_sample(task, call, repeats);
      if (repeats != before) {
        samples.clear();
        batch = Json::array();
      }
      samples.push_back(one);
      batch.push_back(encode(samples.back()));
      if (raw_clock() - reported > report_interval) report();
    }
  };
  collect_until(StopRule(task.timing, raw_clock()));
  // One more chance before the parent calls it unstable.
  if (static_cast<int>(samples.size()) >= task.timing.min_samples && is_irreproducible(samples)) {
    Timing more = task.timing;
    more.min_samples += static_cast<int>(samples.size());
    more.max_samples += static_cast<int>(samples.size());
    collect_until(StopRule(more, raw_clock()));
  }
  report();
}

void Worker::run_trial(const Json& request) {
  const Task task = member<Task>(request, "task");
  ArraySet& arrays = arrays_for(task.placement);
  double first = 0;
  const auto variant = validated(task, arrays, first);
  const std::vector<void*> arguments = arrays.pointers(task.scalars);
  const auto call = [&] { variant->call(arguments); };
  const int repeats = calls_per_sample(task, call, first);
  replies_.send("calibrated", {{"repeats", repeats}});
  check_guards(arrays, "the kernel");
  collect(task, call, repeats);
  check_guards(arrays, "the kernel");
  restore_rounding();
  drop_from_device(task);
  if (cuda_) replies_.send("device", {{"state", encode(cuda_->state())}});
  replies_.send("done");
}

void Worker::drop_from_device(const Task& task) {
  if (!cuda_) return;
  for (const auto& [number, entry] : entries_)
    if (entry.task.library == task.library) return;
  cuda_->drop(task);
}

void Worker::plan_trial(const Json& request) {
  auto* const plan = dynamic_cast<PlannedCuda*>(cuda_.get());
  if (!plan) throw Error("only a planned device can plan");
  const Task task = member<Task>(request, "task");
  ArraySet& arrays = arrays_for(task.placement);
  const std::vector<void*> arguments = arrays.pointers(task.scalars);
  arrays.refill();
  const LoadedVariant variant(task.library);
  variant.attach(plan);
  plan->use(task);
  variant.prepare(arguments);
  plan->forget_launches();
  variant.call(arguments);
  replies_.send("planned",
                {{"launches", encode(plan->launches())}, {"device_bytes", plan->allocated()}});
}

void Worker::enter_race(const Json& request) {
  Entry entry;
  entry.task = member<Task>(request, "task");
  ArraySet& arrays = arrays_for(entry.task.placement);
  entry.variant = validated(entry.task, arrays, entry.call_seconds);
  entry.prepared_for = arrays.serial();
  const std::vector<void*> arguments = arrays.pointers(entry.task.scalars);
  const auto call = [&] { entry.variant->call(arguments); };
  entry.repeats = calls_per_sample(entry.task, call, entry.call_seconds);
  replies_.send("calibrated", {{"repeats", entry.repeats}});
  check_guards(arrays, "the kernel");
  entries_[member<int>(request, "entry")] = std::move(entry);
  replies_.send("done");
}

void Worker::sample_entry(const Json& request) {
  const auto found = entries_.find(member<int>(request, "entry"));
  if (found == entries_.end()) throw Error("nobody entered the race with this number");
  Entry& entry = found->second;
  ArraySet& arrays = arrays_for(entry.task.placement);
  const std::vector<void*> arguments = arrays.pointers(entry.task.scalars);
  openmp_->set(entry.task.team);
  if (cuda_) cuda_->use(entry.task);
  // Arrays that had to make room lie elsewhere now: what prepare remembered of them is void.
  if (entry.prepared_for != arrays.serial()) entry.variant->prepare(arguments);
  entry.prepared_for = arrays.serial();
  const auto call = [&] { entry.variant->call(arguments); };
  // The one before left its own data in the caches and a team of its own size.
  if (entry.call_seconds < long_call) call();
  const Sample one = filled_sample(entry.task, call, entry.repeats);
  check_guards(arrays, "the kernel");
  replies_.send("samples", {{"samples", Json::array({encode(one)})}});
  replies_.send("done");
}

}  // namespace rooftune::inline run
