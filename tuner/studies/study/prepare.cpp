#include "study/prepare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "core/file.h"
#include "core/hash.h"
#include "core/list.h"
#include "core/units.h"
#include "kernel/kernel.h"
#include "os/mapping.h"
#include "os/paths.h"
#include "os/topology.h"
#include "space/knob.h"
#include "space/search_space.h"
#include "space/space_reader.h"
#include "study/find_study.h"
#include "study/machines.h"
#include "study/model.h"
#include "study/platform.h"

namespace rooftune::study {
namespace {

/// As many compilers as usable CPUs (affinity mask, quota), if the memory has room for them.
int usable_builders(const Topology& host) {
  constexpr uint64_t memory_of_one = uint64_t{2} << 30;
  const uint64_t room = std::max<uint64_t>(1, host.memory_bytes / memory_of_one);
  return int(std::min<uint64_t>(room, host.cpus.size()));
}

int chosen_threads(const StudySpec& spec, const Machine& machine) {
  const int wanted = spec.threads;
  if (wanted > machine.cores)
    throw Error(fmt::format("{} threads were asked for, but {} has {} usable cores", wanted,
                            machine.name, machine.cores),
                "--threads", fmt::format("give 1 to {}", machine.cores));
  return wanted > 0 ? wanted : machine.cores;
}

void require_memory(const Kernel& kernel, const Facts& facts) {
  const double needed =
      3 * array_bytes(kernel, facts);  // arrays, pristine copies, reference outputs
  const double present = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE));
  if (needed <= 0.9 * present) return;
  throw Error(
      fmt::format("the problem needs {} (arrays, copies for validation), this machine has {}",
                  to_text(Bytes(needed)), to_text(Bytes(present))),
      "--problem", "choose a smaller size");
}

std::string contents_hash(const fs::path& file) {
  const MappedFile mapped(file);
  return hash_hex({static_cast<const char*>(mapped.data()), mapped.size()});
}

/// The identity of a study on this input alone: kernel, space, problem, machine, search.
LabelledHash identity(const PreparedStudy& study, const PreparedInput& input,
                      const Facts& backend_facts, const TextPairs& toolchain) {
  LabelledHash hash;
  hash.add("kernel", study.kernel.name).add("backend", study.backend.name);
  if (!study.kernel.program) add_sources(hash, study.kernel.folder);
  hash.add("space", read_text(study.space_file.file));
  for (const auto& parameter : study.kernel.parameters) {
    const Value& value = input.model.problem.at(parameter.name);
    hash.add("problem " + parameter.name, to_text(value));
    // The same path with other contents is another problem.
    if (parameter.type == Parameter::Type::file && !value.text().empty())
      hash.add("contents of " + parameter.name, hash_hex(read_text(value.text())));
  }
  for (const auto& argument : study.kernel.arguments)
    for (const auto& file : {argument.file, argument.result})
      if (!file.empty()) hash.add("contents of " + file_name(file), contents_hash(file));
  for (const auto& [name, value] : backend_facts) hash.add(name, to_text(value));
  for (const auto& [name, value] : toolchain) hash.add(name, value);
  hash.add("machine", study.machine.id.empty() ? study.machine.name : study.machine.id);
  hash.add("threads", std::to_string(study.spec.threads))
      .add("cache state", word(study.cache_state()));
  const auto& arguments = study.kernel.arguments;
  if (!study.kernel.evolves &&
      any_of(arguments, [](const auto& one) { return one.access == Argument::Access::update; }))
    hash.add("inputs", "put back before each call");
  if (study.spec.amortize > 0) hash.add("amortize", fmt::format("{}", study.spec.amortize));
  hash.add("strategy", study.spec.strategy).add("seed", std::to_string(study.spec.seed));
  return hash;
}

std::string short_id(const LabelledHash& hash) { return hash.hex().substr(0, 16); }

StudyHeader header_of(const PreparedStudy& study) {
  StudyHeader header;
  header.kernel = study.kernel.name;
  header.backend = study.backend.name;
  header.machine = study.machine.name;
  header.machine_id = study.machine.id;
  static_cast<SearchMethod&>(header) = study.spec;
  header.threads = study.spec.threads;
  header.cache_state = word(study.cache_state());
  if (!study.objective) {
    header.id = study.first().id;
    header.explanation = study.first().explanation;
    header.problem = facts_json(study.first().model.problem);
    return header;
  }
  LabelledHash hash;
  hash.add("objective", to_text(study.objective->aim()));
  header.problem = Json::array();
  for (const size_t i : indices(study.inputs)) {
    hash.add(fmt::format("input {}", i + 1), study.inputs[i]->id);
    header.problem.push_back(facts_json(study.inputs[i]->model.problem));
  }
  header.id = short_id(hash);
  header.explanation = hash.dump();
  for (const size_t i : indices(study.inputs))
    header.explanation += fmt::format("\n-- input {}\n{}", i + 1, study.inputs[i]->explanation);
  return header;
}

/// Gives all inputs one space to search: what their spaces have in common.
void share_space(PreparedStudy& study) {
  SearchSpaces spaces;
  FactsList facts;
  for (const auto& input : study.inputs) {
    spaces.push_back(*input->space);
    facts.push_back(study.known(*input));
  }
  const SearchSpace common = common_space(spaces, facts);
  for (const auto& input : study.inputs) {
    input->space = common;
    input->runner->use(common);
  }
}

void require_different(const PreparedStudy& study) {
  for (const size_t i : indices(study.inputs))
    for (size_t j = 0; j < i; ++j)
      if (study.inputs[i]->id == study.inputs[j]->id)
        throw Error(fmt::format("is the same input as number {}", j + 1),
                    fmt::format("--problem number {} ({})", i + 1, study.inputs[i]->model.name),
                    "name every input once");
}

/// Reads the published path; where the user chose no value, the single input gets the
/// publication's.
void take_published_path(PreparedStudy& study, InputSpecs& inputs) {
  const auto file = published_path_file(study.kernel.folder, study.backend.name);
  if (inputs.size() > 1)
    throw Error("the published path is one of one input", "--path", "give one --problem");
  if (!fs::exists(file)) {
    // By name alone: a fault in another kernel's files must not hide this one.
    std::string names;
    for (const std::string& name : kernel_names(home()))
      for (const auto& [other, builder, runs_on] : backend_table())
        if (fs::exists(published_path_file(home() / "kernels" / name, other)))
          join(names, fmt::format("{} ({})", name, other));
    throw Error(fmt::format("kernel {} has no published path for back end {}", study.kernel.name,
                            study.backend.name),
                file, "these have one: " + names);
  }
  study.published = read_json(file);
  const PublishedPath path = published_path_from_json(study.published, file.string(),
                                                      study.kernel.name, study.backend.name);
  inputs.front().parameters.insert(path.problem.begin(), path.problem.end());
}

/// Says what stands in for the problem's reference where that is too slow; else empty.
std::string stand_in(const Kernel& kernel, const Facts& facts) {
  const std::optional<Facts> smaller = validation_problem(kernel, facts);
  if (!smaller) return {};
  std::string size;
  for (const auto& [name, value] : *smaller)
    if (value != facts.at(name)) size += fmt::format(" {}={}", name, to_text(value));
  return fmt::format(
      "results are compared with the baseline's on the card, because the reference would take "
      "minutes on the CPU; the baseline is compared with the reference at{}",
      size);
}

/// This host without ceilings.
Machine host_without_ceilings(const std::string& name) {
  Machine machine = unprobed_host();
  machine.name = name;
  machine.id = hash_hex(this_host()).substr(0, 16);
  return machine;
}

/// Reads a program in place of kernel and back end.
void read_program(PreparedStudy& study, Platform& platform, bool probed) {
  StudySpec& spec = study.spec;
  if (spec.path) throw Error("a program has no published path", "--path", "leave it out");
  Program& program = *spec.program;
  program.space = fs::absolute(program.space).lexically_normal();
  program.left_out = {fs::absolute(spec.results).lexically_normal()};
  add_stated(program);
  study.kernel = program_kernel(program, spec.inputs.empty() ? Facts{} : spec.inputs[0].parameters);
  study.backend = study.kernel.backends.front();
  study.space_file = {program.space, read_command_space(program.space, study.kernel.name)};
  spec.kernel = study.kernel.name;
  spec.backend = study.backend.name;
  spec.counters = "none";
  if (program.states_limit()) {
    spec.machine = platform.machine_named(spec);
    study.machine = probed ? load_machine(spec.machine) : host_without_ceilings(spec.machine);
  } else {
    study.machine = host_without_ceilings(spec.machine);
  }
}

/// Reads kernel, back end, machine and space file.
void read_kernel_of(PreparedStudy& study, Platform& platform, bool probed) {
  StudySpec& spec = study.spec;
  spec.machine = platform.machine_named(spec);
  study.machine = probed ? load_machine(spec.machine) : host_without_ceilings(host_machine);
  if (spec.backend.empty()) spec.backend = default_backend(study.machine.kind);
  study.kernel = find_kernel(spec.kernel, home());
  study.backend = require_backend(study.kernel, spec.backend);
  require_fit(study.machine, study.backend.name, members(study.kernel.backends, &Backend::name));
  study.space_file.file = find_space(study.kernel, study.backend.name, home());
  study.space_file.content = read_json(study.space_file.file);
}

/// Reads what the spec names; `probed`: the machine's file too.
PreparedStudy read_all(StudySpec spec, Platform& platform, bool probed) {
  PreparedStudy study;
  study.spec = std::move(spec);
  (study.spec.program ? read_program : read_kernel_of)(study, platform, probed);
  if (study.spec.cache) study.kernel.warm = *study.spec.cache == CacheState::warm;
  study.spec.threads = chosen_threads(study.spec, study.machine);
  return study;
}

void weigh(PreparedStudy& study) {
  Numbers bounds;
  bool known = true;
  for (const auto& input : study.inputs) {
    known = known && input->bound.known();
    bounds.push_back(input->bound.known() ? input->bound.time.value() : 1);
  }
  require_different(study);
  share_space(study);
  const bool minimax = study.spec.objective == Goal::minimax;
  study.objective.emplace(minimax ? Objective::Aim::minimax : Objective::Aim::mean, bounds);
  if (!known && minimax)
    throw Error("an input has no bound, and so no gap", "--objective",
                "--work or --traffic says what a run does at least");
  study.bound.time = Seconds(known ? study.objective->bound() : 0);
}

/// Adds ceilings for precisions that no kernel has asked for before.
void add_missing(PreparedStudy& study, const Work& work, Platform& platform) {
  auto& ceilings = study.machine.ceilings;
  for (const auto& [precision, flops] : work.least) {
    // A first probe leaves out vectors of whole numbers.
    const bool vectors = is_of_integers(precision);
    const auto is_there = [&](const Ceiling& one) {
      return one.precision == precision && (!vectors || one.simd_bits > 64);
    };
    if (!(flops.value() > 0) || ceilings.empty() || any_of(ceilings, is_there)) continue;
    const auto found = platform.missing(study, precision);
    append(ceilings, found);
  }
}

/// Prepares an input with its own space.
std::unique_ptr<PreparedInput> prepare_input(PreparedStudy& study, Platform& platform,
                                             const InputSpec& spec) {
  auto input = std::make_unique<PreparedInput>();
  input->model.name = spec.name;
  input->model.problem = problem_parameters(study.kernel, spec.parameters, study.machine.kind);
  // What is only planned for a card needs no arrays.
  const bool has_arrays = !study.on_gpu() || study.purpose != Purpose::plan;
  if (has_arrays && !study.kernel.problem) require_memory(study.kernel, input->model.problem);
  input->runner = platform.runner(study, input->model.problem);
  const Facts of_backend = platform.backend_facts(study);
  input->model.facts = of_backend;
  input->model.facts.merge(input->runner->facts());
  const Facts all = input->model.known(), known = study.known(*input);
  const auto& [file, content] = study.space_file;
  input->space = space_from_json(content, file.string(), known);
  input->movements = least_movements_from_json(content, file.string(), *input->space, known);
  input->runner->use(*input->space);
  input->model.work = work(study.kernel, all);
  input->model.traffic = traffic(study.kernel, all);
  if (study.on_gpu()) input->model.reference = stand_in(study.kernel, all);
  if (study.purpose == Purpose::measure) add_missing(study, input->model.work, platform);
  input->roofline = {input->model.work, input->model.traffic, study.machine, study.spec.threads};
  if (study.states_limit() && !study.machine.ceilings.empty())
    input->bound = input->roofline.bound();
  const LabelledHash hash = identity(study, *input, of_backend, platform.toolchain(study));
  input->id = short_id(hash);
  input->explanation = hash.dump();
  return input;
}

}  // namespace

Facts PreparedStudy::known(const PreparedInput& input) const {
  Facts all = input.model.known();
  all.merge(machine_facts(machine, spec.threads));
  return all;
}

PreparedStudy prepare(StudySpec spec, Platform& platform, Purpose purpose) {
  const bool measured = purpose == Purpose::measure, probed = measured || is_probed(spec.machine);
  PreparedStudy study = read_all(std::move(spec), platform, probed);
  study.purpose = purpose;
  if (study.machine.ceilings.empty()) study.spec.anchors = false;
  if (study.spec.builders == 0) study.spec.builders = usable_builders(topology());
  if (measured && study.states_limit()) study.machine = platform.as_usable(study);
  InputSpecs& inputs = study.spec.inputs;
  if (inputs.empty()) inputs.emplace_back();
  if (inputs.size() < 2 && study.spec.weighs_inputs())
    throw Error("there is one input, and so nothing to weigh", "--objective",
                "give --problem once for every input");
  if (study.spec.path) take_published_path(study, inputs);
  if (inputs.size() == 1) inputs.front().name.clear();
  for (const InputSpec& input : inputs)
    study.inputs.push_back(prepare_input(study, platform, input));
  study.bound = study.first().bound;
  if (study.inputs.size() > 1) weigh(study);
  study.header = header_of(study);
  return study;
}

void require_readable(const StudySpec& spec, Platform& platform) {
  make_strategy(spec.strategy);
  const bool probed = is_probed(platform.machine_named(spec));
  const PreparedStudy study = read_all(spec, platform, probed);
  // A program takes what it is given, and a published path may complete it.
  if (spec.program || spec.path) return;
  for (const InputSpec& input : spec.inputs)
    problem_parameters(study.kernel, input.parameters, study.machine.kind);
}

StudySpec spec_of(const StudyRecord& record) {
  const StudySetup& setup = record.require_setup();
  StudySpec spec;
  spec.kernel = setup.kernel_folder;
  spec.machine = record.header.machine;
  spec.backend = record.header.backend;
  for (const InputModel& input : setup.inputs) spec.inputs.push_back({input.name, input.problem});
  if (!setup.objective.empty()) spec.objective = enumerator<Goal>("objective", setup.objective);
  static_cast<SearchMethod&>(spec) = record.header;
  spec.threads = record.header.threads;
  spec.cache = enumerator<CacheState>("cache state", record.header.cache_state);
  spec.amortize = setup.amortize;
  return spec;
}

std::shared_ptr<Evaluator> evaluator_of(const PreparedStudy& study, const History& history) {
  // A single input has its own evaluator; the study keeps it.
  if (!study.objective) return {std::shared_ptr<void>(), study.first().runner.get()};
  EvaluatedInputs inputs;
  for (const auto& input : study.inputs) inputs.push_back({input->model.name, input->runner.get()});
  return many_inputs(*study.objective, std::move(inputs), history);
}

}  // namespace rooftune::study
