// Problem and reference, run in a separate worker: no variant ever shares a process with them.
#include "run/study_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "core/file.h"
#include "core/folder.h"
#include "core/list.h"
#include "core/split.h"
#include "os/parallel.h"
#include "os/paths.h"
#include "os/topology.h"
#include "run/array_contents.h"
#include "run/array_set.h"
#include "run/comparison.h"
#include "run/launch_settings.h"
#include "run/remote_worker.h"

namespace rooftune::run {
namespace {

/// The shared object, or an Error with the compiler's words.
const Artefact& checked(const Artefact& artefact, const fs::path& source) {
  if (artefact.error.empty()) return artefact;
  throw Error("does not compile: " + artefact.error, source, artefact.log,
              artefact.from_outside ? ExitCode::unavailable : ExitCode::usage);
}

/// How many bytes to walk to empty every cache: more than all caches together.
size_t flush_bytes() {
  const Topology host = topology();
  uint64_t bytes = 0;
  for (const ReportedCache& cache : host.caches) bytes += cache.bytes * cache.instances;
  // Replacement is not exactly by age: half as much again. A virtual machine may report a cache
  // shared with others; an eighth of the memory bounds that cost.
  bytes = std::max<uint64_t>(bytes + bytes / 2, uint64_t{64} << 20);
  return std::min<uint64_t>(bytes, host.memory_bytes / 8);
}

}  // namespace

StudyInput::StudyInput(const Study& study, ArtefactCache& cache, fs::path scratch,
                       const RunLimits& limits)
    : study_(study), cache_(cache), scratch_(std::move(scratch)), limits_(limits) {
  setup_.problem_folder = scratch_ / "problem";
  setup_.reference_folder = scratch_ / "reference";
  setup_.openmp = openmp_libraries(cache.compiler());
  setup_.warm = study.kernel.warm;
  setup_.evolves = study.kernel.evolves;
  setup_.keeps_inputs = study.kernel.keeps_inputs;
  setup_.swap = study.kernel.swap;
  setup_.flush_bytes = setup_.warm ? 0 : flush_bytes();
  setup_.gpu = study.gpu;
  fs::create_directories(setup_.problem_folder);
}

Json StudyInput::ask(Action action, Json body, const fs::path& source) {
  // A problem may open files by names relative to our folder.
  RemoteWorker worker({}, limits_.memory_bytes, action == Action::problem);
  if (action != Action::problem) {
    // A reference runs on the CPU, a baseline in its place where the variants do.
    Setup plain = setup_;
    if (!stands_in_) plain.gpu = {};
    worker.send(Action::setup, {{"setup", encode(plain)}});
    worker.next(limits_.first_call_seconds);
  }
  if (!worker.ended()) worker.send(action, std::move(body));
  const RemoteWorker::Answer answer =
      worker.ended() ? RemoteWorker::Answer{{}, Ending{}} : worker.next(limits_.reference_seconds);
  if (answer.ending) {
    if (answer.ending->outcome == Outcome::timed_out)
      throw Error(fmt::format("does not return within {:g} s", limits_.reference_seconds), source,
                  "choose a smaller problem, or mend the loop that never ends");
    if (answer.ending->outcome == Outcome::out_of_memory)
      throw Error("needs too much memory: " + answer.ending->how, source,
                  "choose a smaller problem");
    throw Error("crashes: " + answer.ending->how, source);
  }
  const Json& reply = answer.reply;
  if (answer.phase != Phase::fault) return reply;
  const std::string where = reply.value("where", ""), hint = reply.value("hint", "");
  const auto code = ExitCode(member<int>(reply, "code"));
  throw Error(reply.value("detail", "unknown fault"), where.empty() ? source.string() : where,
              hint.empty() && code == ExitCode::io
                  ? "free space there, or set TMPDIR to a folder on another disk"
                  : hint,
              code);
}

void StudyInput::check_facts(const Facts& facts) const {
  const auto& declared = study_.kernel.facts;
  const std::string where = study_.kernel.problem->string();
  Faults faults;
  for (const auto& [name, value] : facts)
    if (!contains(declared, name))
      faults.add(where, "sets fact \"" + name + "\"", "declare it under \"facts\" in kernel.json");
  for (const std::string& name : declared)
    if (!facts.contains(name))
      faults.add(where, "does not set fact \"" + name + "\"", "kernel.json declares it");
  faults.raise();
}

void StudyInput::take_arrays(const ByName<Slot>& arrays) {
  const std::string where = study_.kernel.problem->string();
  Faults faults;
  for (Slot& slot : setup_.slots) {
    const Argument& argument = slot.argument;
    if (!argument.from_problem) continue;
    auto* made = value_at(arrays, argument.name);
    if (!made) {
      faults.add(where, "makes no array \"" + argument.name + "\"",
                 "kernel.json says that it comes from the problem");
      continue;
    }
    const auto& [other, count] = *made;
    if (other.type != argument.type)
      faults.add(where, fmt::format("makes array {} of {}, kernel.json says {}", argument.name,
                                    other.type.word(), argument.type.word()));
    if (!argument.count.empty() && count != slot.count)
      faults.add(where, fmt::format("makes array {} with {} elements, kernel.json says {} ({})",
                                    argument.name, count, argument.count.text(), slot.count));
    slot.count = count;
  }
  for (const auto& [first, second] : setup_.swap)
    if (const Slot& one = setup_.slots[first], &other = setup_.slots[second];
        one.count != other.count)
      faults.add(where,
                 fmt::format("makes array {} with {} elements and {} with {}, which change roles",
                             one.argument.name, one.count, other.argument.name, other.count),
                 "make them equally long, or remove them from \"swap\" in kernel.json");
  faults.raise();
}

void StudyInput::take_files() {
  const Kernel& kernel = study_.kernel;
  if (kernel.captured())
    for (const auto& [name, value] : problem_parameters(kernel, {}))
      if (study_.parameters.at(name) != value)
        throw Error(fmt::format("the results in files are those of {} = {}", name, to_text(value)),
                    manifest().string() + ": /parameters",
                    "leave it as it is, or give a reference instead of results");
  for (const size_t i : indices(setup_.slots)) {
    Slot& slot = setup_.slots[i];
    const std::string& name = slot.argument.name;
    const auto copied = [&](const fs::path& from, const fs::path& to) {
      const ArrayContents contents(from, slot);
      fs::create_directories(to);
      write_bytes(array_file(to, name), contents.bytes().data(), contents.bytes().size());
    };
    if (!slot.argument.file.empty()) {
      copied(slot.argument.file, setup_.problem_folder);
      slot.argument.from_problem = true;
    }
    if (!slot.argument.result.empty()) copied(slot.argument.result, reference_folder(setup_, 0));
  }
}

void StudyInput::run_problem(const Artefact& problem) {
  const Json reply = ask(Action::problem,
                         {{"library", problem.library.string()},
                          {"folder", setup_.problem_folder.string()},
                          {"parameters", encode(study_.parameters)}},
                         *study_.kernel.problem);
  const auto facts = member<Facts>(reply, "facts");
  check_facts(facts);
  for (const auto& [name, value] : facts) facts_[name] = value;
  setup_.slots = slots(study_.kernel, facts_);
  take_arrays(member<ByName<Slot>>(reply, "arrays"));
}

Facts StudyInput::load() {
  facts_ = study_.parameters;
  const Kernel& kernel = study_.kernel;
  // Before anything is built, where their sizes are known.
  if (!kernel.problem) {
    setup_.slots = slots(kernel, facts_);
    take_files();
  }
  Artefact reference, problem;
  in_parallel(2, std::max(1, study_.builders), [&](size_t i) {
    if (i == 0 && !kernel.reference.empty()) reference = cache_.reference(kernel);
    if (i == 1 && kernel.problem) problem = cache_.problem(kernel);
  });
  if (!kernel.reference.empty()) reference_ = checked(reference, kernel.reference);
  if (kernel.problem) {
    run_problem(checked(problem, *kernel.problem));
    take_files();
  }
  Facts only_facts;
  for (const std::string& name : kernel.facts) only_facts[name] = facts_.at(name);
  return only_facts;
}

double StudyInput::array_bytes() const {
  double bytes = 0;
  for (const Slot& slot : setup_.slots)
    if (slot.argument.pointer) bytes += double(slot.count) * double(slot.argument.type.size());
  return bytes;
}

size_t StudyInput::sets_in_memory() const {
  const double sets = 0.5 * double(limits_.memory_bytes) / std::max(array_bytes(), 1.0);
  return size_t(std::clamp(sets, 1.0, 16.0));
}

void StudyInput::run_reference(const Json& scalars, const Artefact& artefact,
                               const fs::path& source) {
  // A tolerance made by the problem belongs to the first input.
  const bool scaled = any_of(setup_.slots, [](const Slot& slot) {
    return slot.argument.pointer && scaling(slot.argument.tolerance) == Scaling::by_array;
  });
  setup_.inputs = !scaled && any_of(setup_.slots, is_random) ? 3 : 1;
  const Json reply = ask(Action::reference,
                         {{"library", artefact.library.string()},
                          {"image", artefact.image.string()},
                          {"scalars", scalars}},
                         source);
  setup_.inputs = member<int>(reply, "inputs");
}

const Setup& StudyInput::ready(const Json& scalars, bool stands_in,
                               const std::function<Artefact()>& baseline) {
  if (referenced_) return setup_;
  // A race loads copies from there.
  require_executable(scratch_, "TMPDIR");
  stands_in_ = stands_in || (study_.kernel.reference.empty() && !study_.kernel.captured());
  if (study_.kernel.captured())
    setup_.inputs = 1;
  else if (stands_in_)
    run_reference(scalars, checked(baseline(), study_.backend.source), study_.backend.source);
  else
    run_reference(scalars, reference_, study_.kernel.reference);
  referenced_ = true;
  files_ = files();
  return setup_;
}

std::string StudyInput::weakness() const {
  Texts constant;
  size_t compared = 0, changed = 0;
  const int last = setup_.inputs - 1;
  for (const Slot& slot : setup_.slots) {
    const Argument& one = slot.argument;
    if (!one.pointer || one.access == Argument::Access::read || slot.count == 0) continue;
    ++compared;
    const MappedFile result(array_file(reference_folder(setup_, 0), one.name));
    const auto* const bytes = static_cast<const unsigned char*>(result.data());
    // Every element equals the one before.
    const size_t size = one.type.size();
    if (slot.count > 1 && std::memcmp(bytes, bytes + size, result.size() - size) == 0)
      constant.push_back(fmt::format("all {} elements of {} are equal", slot.count, one.name));
    if (last == 0) continue;
    const MappedFile other(array_file(reference_folder(setup_, last), one.name));
    if (std::memcmp(bytes, other.data(), result.size()) != 0) ++changed;
  }
  if (compared == 0) return "nothing is compared: no array is written";
  if (constant.size() == compared) return joined(constant);
  if (last > 0 && changed == 0) return "other random numbers in its inputs change no output";
  return {};
}

std::string StudyInput::suspicion() const {
  const auto log = reference_.library.parent_path() / "log";
  if (reference_.library.empty() || !fs::exists(log)) return {};
  for (const std::string& line : split(read_text(log)))
    if (contains(line, "uninitialized"))
      return fmt::format(
          "the reference may be at fault: {}; such a result depends on the order of passes",
          line.substr(line.rfind('/', line.find(": ")) + 1));
  return {};
}

size_t StudyInput::files() const {
  return entries_of<fs::recursive_directory_iterator>(setup_.problem_folder).size() +
         entries_of<fs::recursive_directory_iterator>(setup_.reference_folder).size();
}

void StudyInput::restore() {
  referenced_ = false;
  fs::create_directories(setup_.problem_folder);
  load();
}

}  // namespace rooftune::run
