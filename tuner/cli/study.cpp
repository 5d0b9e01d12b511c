#include "cli/study.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "build/kokkos.h"
#include "cli/gpu.h"
#include "cli/machines.h"
#include "core/file.h"
#include "core/units.h"
#include "core/version.h"
#include "kernel/catalogue.h"
#include "os/paths.h"

namespace rooftune {
namespace {

std::vector<std::string> backend_names(const Kernel& kernel) {
  std::vector<std::string> names;
  for (const auto& backend : kernel.backends) names.push_back(backend.name);
  return names;
}

Backend chosen_backend(const Kernel& kernel, const std::string& name) {
  if (const Backend* backend = kernel.backend(name)) return *backend;
  throw Error(fmt::format("kernel {} has no back end \"{}\"", kernel.name, name), "--backend",
              fmt::format("there are: {}", fmt::join(backend_names(kernel), ", ")));
}

void require_here(const Machine& machine, const std::string& card) {
  const bool is_gpu = machine.kind == "gpu";
  const std::string reason = is_gpu ? why_no_card(machine, card) : why_not_here(machine);
  if (reason.empty()) return;
  if (is_gpu)
    throw Error(
        fmt::format("machine \"{}\" is not here: {}", machine.name, reason), "--machine",
        fmt::format("--machine auto takes the card that is here; run the same command where "
                    "{} is to tune there; --dry-run compiles for it and shows bound, "
                    "occupancy and registers without it",
                    machine.name),
        ExitCode::unavailable);
  throw Error(
      fmt::format("machine \"{}\" is not this host: {}", machine.name, reason), "--machine",
      fmt::format(
          "this is {}. --machine host tunes here (tune probe measures it first); run the same "
          "command on {} to tune there; --dry-run shows its bound and space; "
          "tune report --machine {} draws its roofline",
          this_host(), machine.name, machine.name),
      ExitCode::unavailable);
}

int chosen_threads(int wanted, const Machine& machine) {
  if (wanted > machine.cores)
    throw Error(fmt::format("{} threads were asked for, but {} has {} usable cores", wanted,
                            machine.name, machine.cores),
                "--threads", fmt::format("give 1 to {}", machine.cores));
  return wanted > 0 ? wanted : machine.cores;
}

void require_memory(const Kernel& kernel, const Facts& facts) {
  const double needed =
      3 * array_bytes(kernel, facts);  // arrays, pristine copies, reference outputs
  const double present =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (needed <= 0.9 * present) return;
  throw Error(
      fmt::format("the problem needs {} (arrays, copies for validation), this machine has {}",
                  to_text(Bytes(needed)), to_text(Bytes(present))),
      "--problem", "choose a smaller size");
}

/// Studies that share this host have a part of its memory each.
RunLimits limits_of(std::size_t sharers) {
  RunLimits limits;
  if (sharers < 2) return limits;
  constexpr double usable = 0.8;
  const double present =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  limits.memory_bytes = static_cast<std::size_t>(usable * present / static_cast<double>(sharers));
  return limits;
}

/// The one input that the options name.
std::map<std::string, std::string> only_input(const std::vector<std::string>& options) {
  const auto inputs = problem_inputs(options);
  if (inputs.size() > 1)
    throw Error(fmt::format("{} inputs were given, but this takes one", inputs.size()), "--problem",
                "all parameters of one input in one: --problem n=1000,steps=4; several are for "
                "tune --kernel");
  return inputs.front();
}

/// Every file of the kernel's folder but prose: a change of any starts a new study.
void add_sources(LabelledHash& hash, const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() != ".md") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) hash.add("source " + file.filename().string(), read_text(file));
}

StudyHeader study_header(const ReadyStudy& study, const StudyOptions& options) {
  LabelledHash hash;
  hash.add("kernel", study.kernel.name).add("backend", study.backend.name);
  add_sources(hash, study.kernel.folder);
  hash.add("space", read_text(study.space_file));
  Json problem = Json::object();
  for (const auto& parameter : study.kernel.parameters) {
    const Value& value = study.parameters.at(parameter.name);
    problem[parameter.name] = to_json(value);
    hash.add("problem " + parameter.name, to_text(value));
    // The same path with other contents is another problem.
    if (parameter.type == Parameter::Type::file && !value.text().empty())
      hash.add("contents of " + parameter.name, hash_hex(read_text(value.text())));
  }
  for (const auto& [name, value] :
       backend_facts(study.backend, *study.cache, study.roofline.machine))
    hash.add(name, to_text(value));
  const std::string cache = study.kernel.warm ? "warm" : "cold";
  hash.add("machine", study.roofline.machine.id.empty() ? study.roofline.machine.name
                                                        : study.roofline.machine.id);
  hash.add("threads", std::to_string(study.roofline.threads)).add("cache state", cache);
  if (options.amortize > 0) hash.add("amortize", fmt::format("{}", options.amortize));
  hash.add("strategy", options.strategy).add("seed", std::to_string(options.seed));
  StudyHeader header;
  header.id = hash.hex().substr(0, 16);
  header.kernel = study.kernel.name;
  header.backend = study.backend.name;
  header.machine = study.roofline.machine.name;
  header.machine_id = study.roofline.machine.id;
  header.strategy = options.strategy;
  header.seed = options.seed;
  header.problem = problem;
  header.threads = study.roofline.threads;
  header.cache_state = cache;
  header.explanation = hash.dump();
  return header;
}

}  // namespace

std::map<std::string, std::string> problem_words(const std::vector<std::string>& options) {
  std::map<std::string, std::string> words;
  for (const auto& option : options) {
    std::size_t begin = 0;
    while (begin <= option.size()) {
      // A comma separates only when a name and '=' follow it, so that paths may hold commas.
      std::size_t end = begin;
      for (;;) {
        end = option.find(',', end);
        if (end == std::string::npos) break;
        const std::size_t stop = option.find_first_of(",=", end + 1);
        if (stop != std::string::npos && option[stop] == '=') break;
        ++end;
      }
      const std::string word = option.substr(begin, end == std::string::npos ? end : end - begin);
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos || equals == 0)
        throw Error(fmt::format("\"{}\" is not name=value", word), "--problem",
                    "for example --problem n=1000000,steps=4");
      words[word.substr(0, equals)] = word.substr(equals + 1);
      if (end == std::string::npos) break;
      begin = end + 1;
    }
  }
  return words;
}

std::vector<std::map<std::string, std::string>> problem_inputs(
    const std::vector<std::string>& options) {
  std::vector<std::map<std::string, std::string>> inputs;
  for (const std::string& option : options) inputs.push_back(problem_words({option}));
  if (inputs.empty()) inputs.emplace_back();
  for (const auto& input : inputs)
    for (const auto& [name, value] : inputs.front())
      if (input.size() != inputs.front().size() || !input.contains(name))
        throw Error(
            fmt::format("\"{}\" and \"{}\" do not set the same parameters", options.front(),
                        options[static_cast<std::size_t>(&input - inputs.data())]),
            "--problem",
            "each --problem is an input of its own: write all parameters of an input in one, as in "
            "--problem n=1000,steps=4, and set the same ones for every input");
  return inputs;
}

StudyOptions completed(StudyOptions options) {
  options.machine = machine_of_card(options.machine, options.gpu);
  if (options.backend.empty())
    options.backend = load_machine(options.machine).kind == "gpu" ? "cuda" : "openmp";
  return options;
}

Facts backend_facts(const Backend& backend, const ArtefactCache& cache, const Machine& machine) {
  if (backend.name != "kokkos") return {};
  const KokkosLibrary library = kokkos_library(cache.directory() / "kokkos", cache.compiler());
  const bool wants_host = machine.kind != "gpu";
  if (wants_host != library.on_host())
    throw Error(fmt::format("this Kokkos ({}, {}) computes on {}, not on the {}", library.origin,
                            library.version_text(), library.space, wants_host ? "CPU" : "GPU"),
                "--backend kokkos",
                fmt::format("name one with {} as its default: ROOFTUNE_KOKKOS=<prefix>",
                            wants_host ? "Serial, OpenMP or Threads" : "Cuda"),
                ExitCode::unavailable);
  return kokkos_facts(library);
}

ReadyStudy ready_study(const StudyOptions& given, bool elsewhere, std::size_t sharers) {
  const StudyOptions options = completed(given);
  ReadyStudy study;
  study.kernel = find_kernel(options.kernel, home());
  if (!options.cache.empty()) study.kernel.warm = options.cache == "warm";
  study.backend = chosen_backend(study.kernel, options.backend);
  study.roofline.machine = load_machine(options.machine);
  require_fit(study.roofline.machine, study.backend.name, backend_names(study.kernel));
  if (!elsewhere) require_here(study.roofline.machine, options.gpu);
  study.roofline.threads = chosen_threads(options.threads, study.roofline.machine);
  study.space_file = find_space(study.kernel, study.backend.name, home());
  study.parameters = problem_parameters(study.kernel, only_input(options.problem));
  if (!study.kernel.problem) require_memory(study.kernel, study.parameters);

  study.scratch = std::make_unique<TemporaryDirectory>();
  study.cache = std::make_unique<ArtefactCache>(cache_directory() / "artefacts", host_compiler());
  CudaSetup cuda;
  if (study.backend.name == "cuda") {
    try {
      use_cuda_compiler(*study.cache, study.roofline.machine);
    } catch (const Error& error) {
      if (!elsewhere || error.code() != ExitCode::unavailable) throw;
      study.not_compiled = error.message() + " (" + error.hint() + ")";
    }
    cuda = cuda_setup(study.roofline.machine,
                      elsewhere ? CudaSetup::Mode::planned : CudaSetup::Mode::card, options.gpu);
  }
  // Cores of a GPU are no threads of this host.
  const int host_threads = study.roofline.machine.kind == "gpu" ? 0 : study.roofline.threads;
  study.evaluator = std::make_unique<HostEvaluator>(
      Study{study.kernel, study.backend, study.parameters, host_threads, options.amortize, cuda},
      *study.cache, study.scratch->path(), limits_of(sharers));
  study.facts = study.parameters;
  study.facts.merge(backend_facts(study.backend, *study.cache, study.roofline.machine));
  study.facts.merge(study.evaluator->facts());
  Facts known = study.facts;
  known.merge(machine_facts(study.roofline.machine, study.roofline.threads));
  study.space = read_space(study.space_file, known);
  study.compulsions = read_compulsions(study.space_file, *study.space, known);
  study.isolations = read_isolations(study.space_file, *study.space, known);
  study.evaluator->use(*study.space);
  study.roofline.work = work(study.kernel, study.facts);
  study.roofline.traffic = traffic(study.kernel, study.facts);
  study.bound = study.roofline.bound();
  study.header = study_header(study, options);
  return study;
}

Json setup_record(const ReadyStudy& study, const std::vector<std::string>& argv) {
  Json facts = Json::object();
  for (const auto& [name, value] : study.facts) facts[name] = to_json(value);
  return Json{{"version", version},
              {"command", argv},
              {"kernel_folder", study.kernel.folder.string()},
              {"space_file", study.space_file.string()},
              {"facts", facts},
              {"machine", to_json(study.roofline.machine)},
              {"compiler", host_compiler().version}};
}

}  // namespace rooftune
