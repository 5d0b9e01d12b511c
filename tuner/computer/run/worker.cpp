// The steps of requests, in an order that separates one fault from the next.
#include "run/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cfenv>
#include <csignal>
#include <cstdio>
#include <new>
#include <vector>

#include "core/file.h"
#include "core/list.h"
#include "os/process_tree.h"
#include "run/array_set.h"
#include "run/comparison.h"
#include "run/gpu_runtime.h"
#include "run/process_state.h"
#include "run/sampler.h"

namespace rooftune::run {
namespace {

/// A longer conversion is not made twice for a trial: a race looks at its finalists [s].
constexpr double costly_prepare = 0.1;
/// How much CPU time a variant's threads may use after a trial before they fall asleep [s].
constexpr double thread_sleep_limit = 0.05;

Replies* explained = nullptr;

/// Whether the failed access was a write; true where the CPU does not say.
bool was_writing(const void* context) {
#if defined(__x86_64__)
  constexpr greg_t write_bit = 2;  // in the page fault's error code
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  return (registers[REG_ERR] & write_bit) != 0;
#else
  return context != nullptr;
#endif
}

/// The access came from foreign code, without a lock that the words below need; if it holds one all
/// the same, the parent's deadline ends us.
void on_invalid_access(int number, siginfo_t* info, void* context) {
  try {
    if (opened_by_access(info->si_addr)) return;
  } catch (const VariantFault& fault) {
    explained->fault(fault.outcome, fault.detail);
    _exit(0);
  }
  if (const auto fault = forbidden_access(info->si_addr, was_writing(context))) {
    explained->fault(fault->outcome, fault->detail);
    _exit(0);
  }
  // The same instruction fails again, and now for good.
  signal(number, SIG_DFL);
}

/// From now on a forbidden access to an array in this process (array_set.h) sends the current
/// request's last reply and ends the process. Any other invalid access ends it as ever.
void explain_forbidden_accesses(Replies& replies) {
  explained = &replies;
  // A separate stack: that of the thread may be exhausted.
  static std::vector<unsigned char> memory(size_t{1} << 18);
  stack_t stack{};
  stack.ss_sp = memory.data();
  stack.ss_size = memory.size();
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_invalid_access;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int number : {SIGSEGV, SIGBUS}) sigaction(number, &action, nullptr);
}

/// Away from 3 and 4, out of a variant's reach when it writes to foreign descriptors.
int hidden(int fd) {
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, 200);
  if (high >= 0) close(fd);
  return high >= 0 ? high : fd;
}

}  // namespace

void Worker::serve(const std::string& line) {
  Json request;
  std::optional<Action> action;
  attempt([&] {
    request = parse_json(line, "request");
    if (!request.is_object()) throw Error("a request is an object");
    replies_.begin(member<int64_t>(request, "sequence"));
    action = member<Action>(request, "do");
  });
  if (!action) return;
  // The copy of a process must not use its driver.
  const bool on_card = setup_ && setup_->gpu.mode == GpuSetup::Mode::card;
  if (*action != Action::trial || on_card) attempt([&] { answer(*action, request); });
  if (*action != Action::trial) return;
  if (on_card) return replies_.send(Phase::ended, {{"status", 0}, {"files", Json::array()}});
  // Files from one variant must not meet the next one.
  const fs::path folder = "trial";
  mkdir(folder.c_str(), S_IRWXU);
  const auto answered = [&] {
    if (chdir(folder.c_str()) != 0) throw Error("there is no working directory for it");
    answer(*action, request);
  };
  const int status = in_a_copy([&] { attempt(answered); });
  replies_.send(Phase::ended, {{"status", status}, {"files", removed_files(folder)}});
}

void Worker::attempt(const Callback& body) {
  try {
    body();
  } catch (const VariantFault& variant) {
    replies_.fault(variant.outcome, variant.detail);
  } catch (const ProblemFault& problem) {
    replies_.fault(std::nullopt, problem.message, problem.where, problem.hint);
  } catch (const Error& error) {
    replies_.fault(std::nullopt, error.message(), error.where(), error.hint(), error.code());
  } catch (const std::bad_alloc&) {
    replies_.fault(Outcome::out_of_memory, "the arrays cannot be allocated");
  } catch (const std::exception& error) {
    replies_.fault(std::nullopt, as_error(error).message());
  }
}

int Worker::in_a_copy(const Callback& body) {
  const pid_t self = getpid();
  const pid_t copy = fork();
  if (copy < 0) {
    replies_.fault(std::nullopt, "no process can be started for it");
    return 0;
  }
  if (copy == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self) _exit(1);
    is_copy_ = true;
    body();
    // Foreign exit handlers and destructors must not run.
    _exit(0);
  }
  int status = 0;
  while (waitpid(copy, &status, 0) < 0 && errno == EINTR) {
  }
  // Also detached ones: orphans of a copy are children of this process.
  end_children();
  remove_shared_names(copy);
  return status;
}

void Worker::answer(Action action, const Json& request) {
  if (!setup_ && action != Action::problem && action != Action::setup)
    throw Error("the first request must be setup or problem");
  // In the order of Action.
  static constexpr void (Worker::*answers[])(const Json&) = {
      &Worker::make_problem, &Worker::set_up,     &Worker::run_reference, &Worker::run_trial,
      &Worker::plan_trial,   &Worker::enter_race, &Worker::sample_entry,  &Worker::look_at_entry,
      &Worker::check_entry,  &Worker::count};
  (this->*answers[size_t(action)])(request);
}

void Worker::set_up(const Json& request) {
  entries_.clear();
  sets_.clear();
  setup_ = member<Setup>(request, "setup");
  openmp_ = std::make_unique<OpenMpRuntime>(setup_->openmp);
  gpu_.reset();
  if (setup_->gpu.mode != GpuSetup::Mode::none) gpu_ = gpu_machine(setup_->gpu);
  flushed_.reset();
  replies_.send(Phase::ready);
}

ArraySet& Worker::arrays_for(const Placement& placement, bool other) {
  const std::pair key(placement, other);
  if (auto* found = value_at(sets_, key)) return **found;
  // Free memory first: two sets at a time may exceed the machine's. The two sets for a placement
  // are in use together.
  if (other) std::erase_if(sets_, [&](const auto& set) { return set.first.first != placement; });
  while (!sets_.empty() && sets_.size() >= setup_->array_sets) sets_.erase(sets_.begin());
  auto set = std::make_unique<ArraySet>(*setup_, placement, *openmp_);
  return *sets_.emplace(key, std::move(set)).first->second;
}

void Worker::use_device(const Task& task, ArraySet& arrays) {
  if (!gpu_) return;
  gpu_->use(task);
  gpu_->serve(&arrays);
}

void Worker::settle() const {
  if (gpu_) gpu_->wait();
}

void Worker::check_guards(const ArraySet& arrays, const char* during) const {
  settle();
  std::string damage = arrays.damage();
  if (damage.empty() && gpu_) damage = gpu_->damage();
  if (!damage.empty()) throw VariantFault{Outcome::wrong_result, damage + " by " + during};
}

std::unique_ptr<LoadedVariant> Worker::validated(const Task& task, ArraySet& arrays,
                                                 double& call_seconds, CallCounter* counter) {
  arrays.refill();
  const Arguments arguments = arrays.pointers(task.scalars);
  know_teams(task);
  replies_.send(Phase::allocated, {{"note", arrays.note()}});
  auto variant = std::make_unique<LoadedVariant>(task.library);
  // A thread left by the variant would lose its code after the first fault.
  if (is_copy_) variant->library().stay();
  variant->attach(gpu_.get());
  use_device(task, arrays);
  if (counter) counter->attach(variant->library());
  replies_.send(Phase::loaded);
  openmp_->set(task.team);
  // What is uploaded once for all variants is nobody's conversion.
  const auto clock = [&] { return raw_clock() - (gpu_ ? gpu_->keeping_seconds() : 0); };
  double begin = clock();
  prepare(*variant, arguments);
  settle();
  prepare_seconds_ = variant->has_prepare() ? clock() - begin : 0;
  check_guards(arrays, "prepare");
  replies_.send(Phase::prepared, {{"seconds", prepare_seconds_}});
  // Prepare makes a layout and no result.
  if (variant->has_prepare()) arrays.poison_outputs();
  begin = clock();
  const auto call = [&] { variant->call(arguments); };
  counter ? counter->watch(call) : call();
  settle();
  call_seconds = clock() - begin;
  check_guards(arrays);
  replies_.send(Phase::called);
  second_step(*variant, arrays, arguments);
  check_guards(arrays);
  begin = clock();
  finish(*variant, arrays, arguments);
  if (variant->has_finish()) prepare_seconds_ += clock() - begin;
  const double error = compared(task, arrays);
  replies_.send(Phase::validated, {{"max_error", error}, {"prepare_seconds", prepare_seconds_}});
  return variant;
}

void Worker::second_step(const LoadedVariant& variant, const ArraySet& arrays,
                         const Arguments& arguments) const {
  if (const auto exchanged = arrays.exchanged(arguments); !exchanged.empty())
    variant.call(exchanged);
}

void Worker::prepare(const LoadedVariant& variant, const Arguments& arguments) const {
  if (gpu_) gpu_->spare_copies(true);
  variant.prepare(arguments);
  if (gpu_) gpu_->spare_copies(false);
}

void Worker::finish(const LoadedVariant& variant, const ArraySet& arrays,
                    const Arguments& arguments, bool compares) const {
  if (gpu_) gpu_->spare_copies(compares);
  if (const auto exchanged = arrays.exchanged(arguments); !exchanged.empty())
    variant.finish(exchanged);
  variant.finish(arguments);
  if (gpu_) gpu_->spare_copies(false);
  check_guards(arrays, "finish");
}

double Worker::compared(const Task& task, ArraySet& arrays) const {
  const Comparison comparison = compare(*setup_, arrays, *openmp_, task.team.threads);
  arrays.stay();
  if (!comparison.fault.empty()) throw VariantFault{Outcome::wrong_result, comparison.fault};
  return comparison.max_error;
}

void Worker::check_again(const Task& task, ArraySet& timed, const LoadedVariant& variant,
                         double prepare_seconds) {
  const std::string how = gpu_ ? gpu_->circumstances() : "";
  const bool prepares = prepare_seconds <= costly_prepare || !how.empty();
  // Without it a variant's own layout would not follow the restored arrays.
  if (!prepares && timed.updates()) return;
  replies_.send(Phase::checking);
  // On a card arrays that nobody changes need not be filled again.
  const bool has_other = setup_->gpu.mode == GpuSetup::Mode::card && prepares &&
                         setup_->inputs > 1 && setup_->array_sets > 1;
  ArraySet& arrays = has_other ? arrays_for(task.placement, true) : timed;
  if (gpu_) gpu_->serve(&arrays);
  const Arguments arguments = arrays.pointers(task.scalars);
  arrays.refill(prepares ? setup_->inputs - 1 : 0);
  // A variant's layout must follow the inputs, and a device see the outputs without a result.
  if (prepares) prepare(variant, arguments);
  variant.call(arguments);
  second_step(variant, arrays, arguments);
  check_guards(arrays);
  told("after it was timed: " + how, [&] {
    finish(variant, arrays, arguments);
    compared(task, arrays);
  });
  replies_.send(Phase::checked);
}

void Worker::run_trial(const Json& request) {
  std::optional<ProcessState> before;
  if (!is_copy_) before.emplace();
  const Task task = member<Task>(request, "task");
  const double begin = raw_clock();
  ArraySet& arrays = arrays_for(task.placement);
  double first = 0;
  const auto variant = validated(task, arrays, first);
  const Calls calls = calls_of(task, arrays, *variant);
  const int repeats = calls_per_sample(calls, first);
  replies_.send(Phase::calibrated, {{"repeats", repeats}});
  check_guards(arrays);
  const Held before_calls = held();
  calls.made = 0;
  Looks looks;
  const auto samples = collect(calls, repeats, looks);
  check_guards(arrays);
  if (!gpu_) {
    const std::string kept = growth(before_calls, held(), double(calls.made));
    require_finite(calls);
    for (const std::string& note : {kept, ageing(calls, first)})
      replies_.send(Phase::noted, {{"note", note}});
    if (may_be_best(samples, task.timing)) renew(calls, samples, begin);
  }
  // What loses is neither raced nor exported.
  if (gpu_ || may_be_best(samples, task.timing))
    check_again(task, arrays, *variant, prepare_seconds_);
  before ? put_back(*before, task) : require_rest();
  drop_from_device(task);
  replies_.send(Phase::done);
}

void Worker::drop_from_device(const Task& task) {
  if (!gpu_) return;
  for (const auto& [number, entry] : entries_)
    if (entry.task.library == task.library) return;
  gpu_->drop(task);
}

void Worker::put_back(const ProcessState& before, const Task& task) const {
  openmp_->parallel(task.team.threads, [](int, int) { std::fesetenv(FE_DFL_ENV); });
  if (const std::string left = before.put_back(); !left.empty())
    throw VariantFault{Outcome::crashed, left + " was changed for good"};
  require_rest();
}

void Worker::require_rest() const {
  // A driver computes on its own threads.
  if (gpu_) return;
  if (leaves_thread_running(team_, thread_sleep_limit))
    throw VariantFault{Outcome::crashed,
                       "a thread of it still computes after the kernel has returned"};
}

void Replies::send(Phase phase, Json body) {
  body["sequence"] = sequence_;
  body["phase"] = word(phase);
  // A failed write means that the parent has gone.
  if (!write_all(fd_, json_text(body) + '\n')) _exit(3);
}

void Replies::fault(std::optional<Outcome> outcome, const std::string& detail,
                    const std::string& where, const std::string& hint, ExitCode code) {
  send(Phase::fault, {{"outcome", outcome ? Json(to_text(*outcome)) : Json()},
                      {"detail", detail},
                      {"where", where},
                      {"hint", hint},
                      {"code", int(code)}});
}

int worker_main() {
  // A parent or sanitizer may have installed handlers; our parent reads the signals.
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT})
    std::signal(number, SIG_DFL);
  FILE* const requests = fdopen(hidden(3), "r");
  Replies replies(hidden(4));
  explain_forbidden_accesses(replies);
  os::go_before_neighbours(getpid());
  // Orphans of a variant come to this process, and it ends them.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Worker worker(replies);
  char* line = nullptr;
  size_t room = 0;
  for (ssize_t size; (size = getline(&line, &room, requests)) > 0;)
    worker.serve({line, size_t(size)});
  end_children();
  // Foreign exit handlers and destructors must not run.
  _exit(0);
}

}  // namespace rooftune::run
