// tune export --format library: which variants a library holds, and the exchange of an installed
// one for a newer one that is right and faster.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "application_commands/extension.h"
#include "build/artefact.h"
#include "cli/console.h"
#include "core/file.h"
#include "core/list.h"
#include "core/pattern.h"
#include "exports/kernel_library.h"
#include "exports/library_package.h"
#include "exports/library_text.h"
#include "host/host_platform.h"
#include "os/paths.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"
#include "os/topology.h"
#include "report/exporter.h"
#include "report/figures.h"
#include "study/find_study.h"
#include "study/prepare.h"
#include "trial/statistics.h"

namespace rooftune::application_commands {
namespace {

Json document_of(const ExportChoice& choice) {
  return parse_json(json_export(choice.result, flags_of(choice.study, choice.result)), "export");
}

/// A document without what tells one host from another of its kind.
Json published(Json document) {
  Json& identity = document["machine"]["identity"];
  for (const char* own : {"hostname", "kernel", "microcode", "driver"}) identity.erase(own);
  return document;
}

/// The text of a problem without folders of the one who tuned.
std::string public_text(const Kernel& kernel, Facts problem) {
  for (const Parameter& one : kernel.parameters)
    if (auto* file = value_at(problem, one.name); one.type == Parameter::Type::file && file)
      *file = fs::path(file->text()).filename().string();
  return facts_text(problem);
}

/// The application's assurances for the variant.
std::vector<Condition> promises_of(const LibraryVariant& variant) {
  std::vector<Condition> all = variant.conditions;
  std::erase_if(all, [](const Condition& condition) { return !condition.is_promise(); });
  return all;
}

/// One with no more needs than the other.
bool asks_no_more(const LibraryVariant& one, const LibraryVariant& other) {
  const std::vector<Condition> known = promises_of(other), asked = promises_of(one);
  return std::ranges::all_of(asked, [&](const auto& promise) { return holds(known, promise); });
}

/// Its best, and then the fastest ones with fewer assurances by the application, down to none: not
/// every application can give them all.
void add_variants(const ExportChoice& choice, LibrarySource& source) {
  const StudyRecord& record = choice.study;
  const SearchSpace space = space_of(record);
  const size_t first = source.variants.size();
  const auto add = [&](const Configuration& configuration, const std::string& about) {
    LibraryVariant variant =
        library_variant(record, source.kernel, source.backend, space, configuration);
    if (std::any_of(source.variants.begin() + ptrdiff_t(first), source.variants.end(),
                    [&](const LibraryVariant& faster) { return asks_no_more(faster, variant); }))
      return;
    variant.name = fmt::format("v{}", source.variants.size() + 1);
    const std::string where =
        source.backend.needs_gpu_compiler()
            ? fmt::format("compute capability {:.1f}", variant.capability / 10.0)
            : fmt::format("{} threads", record.header.threads);
    variant.about =
        fmt::format("{} on {} with {}: {}", public_text(source.kernel, choice.result.problem),
                    choice.result.roofline.machine.name, where, about);
    source.variants.push_back(std::move(variant));
  };
  const auto is_complete = [&] { return promises_of(source.variants.back()).empty(); };
  const Contender& best = *choice.result.best;
  const std::string faster = choice.result.speedup ? ", " + ratio_interval(*choice.result.speedup) +
                                                         " over the untuned form"
                                                   : "";
  add(best.configuration, fmt::format("{}{}, {} from the bound", seconds_interval(best.seconds),
                                      faster, ratio_interval(best.gap.total)));
  if (is_complete()) return;
  std::vector<const Trial*> others;
  for (const Trial& trial : record.history.trials())
    if (trial.ok()) others.push_back(&trial);
  std::ranges::sort(others, {}, [](const Trial* one) { return one->seconds(); });
  for (const Trial* trial : others) {
    add(trial->configuration, fmt::format("{}, the fastest of the search with fewer promises",
                                          seconds_interval(trial->measurement->seconds)));
    if (is_complete()) return;
  }
}

/// Its test is on the problem of this study from now on.
void test_on(const StudyRecord& study, LibrarySource& source) {
  const SearchSpace space = space_of(study);
  source.variants.back().settings.scalars =
      library_variant(study, source.kernel, source.backend, space, space.baseline())
          .settings.scalars;
  source.problem = study.require_setup().inputs.front().problem;
  source.slots = slots(source.kernel, known_facts(study, 0));
}

/// A library of each study's best. Throws Error for a program's study, and for several back ends.
LibrarySource library_of(const std::vector<ExportChoice>& choices, const std::string& name) {
  const StudyRecord& first = choices.front().study;
  if (first.header.backend == command_backend)
    throw Error("a library holds the variants of a kernel, and this study is of a program",
                "--format library", "--format json or header carry its configuration");
  LibrarySource source;
  source.kernel = read_kernel(first.require_setup().kernel_folder);
  source.name = name;
  source.backend = *source.kernel.backend(first.header.backend);
  // Arrays of an application may lie on a card, where no inspector reads them.
  if (source.backend.needs_gpu_compiler()) source.kernel.inspected.clear();
  for (const ExportChoice& choice : choices) {
    if (choice.study.header.backend != source.backend.name)
      throw Error("the studies that fit are of several back ends", "--backend", "name one");
    add_variants(choice, source);
    source.studies.push_back(published(document_of(choice)));
  }
  const SearchSpace space = space_of(first);
  LibraryVariant plain =
      library_variant(first, source.kernel, source.backend, space, space.baseline());
  plain.name = "baseline";
  plain.about = fmt::format("the untuned form, for any {} and any size",
                            source.backend.needs_gpu_compiler() ? "card" : "CPU");
  plain.threads = plain.simd_bits = plain.capability = 0;
  plain.conditions.clear();
  source.variants.push_back(std::move(plain));
  test_on(first, source);
  return source;
}

/// The problems with what their variants gain; any other problem is raced where it comes up.
std::string gains(const std::vector<ExportChoice>& choices) {
  std::string lines;
  for (const ExportChoice& choice : choices) {
    const StudyResult& result = choice.result;
    lines += fmt::format(
        "  {}: {}{}{}\n", facts_text(result.problem),
        result.baseline ? seconds_interval(result.baseline->seconds) + " untuned, " : "",
        seconds_interval(result.best->seconds),
        result.baseline_stands ? ": the untuned form stays"
        : result.speedup       ? ", " + ratio_interval(*result.speedup) + " faster"
                               : "");
  }
  return lines +
         "  any other problem: raced when it is prepared, the untuned form among the rivals\n";
}

constexpr const char* stays = "; the installed library stays";

/// The parts without times, which each export has anew.
std::pair<Json, Json> essence(const Json& document) {
  return {part_of(document, "/provenance/study"), part_of(document, "/configuration")};
}

bool is_of(const Json& document, const Json& installed) {
  constexpr const char* machine = "/machine/id";
  return same_task(document, installed) &&
         part_of(document, machine) == part_of(installed, machine);
}

/// For the library's own problems, in its order. Throws Error where one has no study.
std::vector<ExportChoice> choices_for(const LibraryRecord& record, const fs::path& object,
                                      const std::vector<ExportChoice>& choices) {
  std::vector<ExportChoice> all;
  for (const Json& installed : record.studies) {
    const auto found = std::ranges::find_if(
        choices, [&](const ExportChoice& choice) { return is_of(document_of(choice), installed); });
    if (found == choices.end())
      throw Error(fmt::format("it holds the best of {} for {} on {}, and no study among those "
                              "chosen is of that",
                              shown(part_of(installed, "/kernel")),
                              excerpt(json_text(part_of(installed, "/problem"))),
                              shown(part_of(installed, "/machine/name"))),
                  object.string(),
                  "tune that again, or build and install the library of other problems anew");
    all.push_back(*found);
  }
  return all;
}

/// Its output. Throws Error with the output's end where it fails.
std::string ran(const std::string& what, Command command) {
  command.limit = std::chrono::minutes(20);
  command.keeps_end = true;
  const Finished finished = execute(command);
  if (finished.status.ok()) return finished.output;
  const std::string& said = finished.output;
  constexpr size_t enough = 2000;
  throw Error(fmt::format("{} failed: {}{}\n{}", what, finished.status.text(), stays,
                          said.substr(said.size() - std::min(said.size(), enough))),
              command.argv.front(), {}, ExitCode::failure);
}

/// A library built, tested and installed in a folder of its own.
class Candidate {
 public:
  Candidate(LibrarySource source, const std::vector<ExportChoice>& choices)
      : name_(library_name(source)) {
    if (!find_program("cmake"))
      throw Error("there is no cmake, which builds the newer library", "PATH", "install cmake",
                  ExitCode::unavailable);
    std::map<fs::path, std::string> races;
    for (size_t i = choices.size(); i-- > 0;) {
      test_on(choices[i].study, source);
      // The first is the library's own test.
      if (i > 0) races[fmt::format("test/race_{}.cpp", i)] = self_test_text(source);
    }
    write_library(folder_.path() / "library", library_files(source, races));
    const std::string build = (folder_.path() / "build").string();
    run("cmake", {"cmake", "-S", (folder_.path() / "library").string(), "-B", build,
                  "-DBUILD_SHARED_LIBS=ON", "-DCMAKE_INSTALL_LIBDIR=lib",
                  "-DCMAKE_CXX_COMPILER=" + host_compiler().path});
    run("the build of the newer library",
        {"cmake", "--build", build, "--parallel", std::to_string(topology().cpus.size())});
    run("the self-test of the newer library",
        {"ctest", "--test-dir", build, "--output-on-failure"});
    run("its installation",
        {"cmake", "--install", build, "--prefix", (folder_.path() / "prefix").string()});
  }

  fs::path object() const {
    return fs::canonical(folder_.path() / "prefix/lib" / ("lib" + name_ + ".so"));
  }

  /// Time of a call of the installed one over that of this one, paired by rounds, on the problem
  /// of a choice.
  Estimate raced(const fs::path& installed, size_t choice, int threads) const {
    Command command;
    const std::string program = choice == 0 ? "self_test" : fmt::format("race_{}", choice);
    command.argv = {(folder_.path() / "build" / (name_ + "_" + program)).string(),
                    installed.string(), object().string()};
    command.environment = {{"OMP_NUM_THREADS", std::to_string(threads)}};
    command.without = {upper(name_) + "_VARIANT"};
    std::istringstream lines(ran("the race against the installed library", command));
    Numbers ratios;
    for (std::string line; std::getline(lines, line);)
      if (double first = 0, second = 0;
          std::sscanf(line.c_str(), "round %lg %lg", &first, &second) == 2 && second > 0)
        ratios.push_back(first / second);
    if (ratios.empty())
      throw Error(fmt::format("the race has no round{}", stays), installed.string(), {},
                  ExitCode::failure);
    return median_ratio(ratios, confidence_);
  }

 private:
  static constexpr double confidence_ = 0.95;

  static void run(const std::string& what, const Texts& words) {
    Command command;
    command.argv = words;
    ran(what, command);
  }

  std::string name_;
  TemporaryDirectory folder_;
};

fs::path installed_object(const fs::path& named) {
  const fs::path object = followed(fs::absolute(named));
  if (!fs::exists(object))
    throw Error("there is no such shared object", object.string(),
                "move the latest *.until-* beside it there; the first is built from the folder of "
                "tune export with -DBUILD_SHARED_LIBS=ON, and installed");
  require_writable_target(object);
  if (const std::string why = others_may_change(object); !why.empty())
    throw Error(why + ", and it would run as you", object.string(),
                "read where it comes from; chmod go-w, or install it anew");
  return object;
}

/// Races on all problems. Throws Error unless it is worth it.
Texts proven(const Candidate& candidate, const fs::path& object,
             const std::vector<ExportChoice>& choices) {
  Texts sentences;
  bool faster = false, slower = false;
  for (const size_t i : indices(choices)) {
    const StudyRecord& record = choices[i].study;
    StudySpec spec = spec_of(record);
    spec.wait = true;
    HostPlatform platform;
    const auto alone = platform.reserve(spec, print_note);
    const Estimate ratio = candidate.raced(object, i, record.header.threads);
    faster = faster || ratio.low > 1;
    slower = slower || ratio.high < 1;
    sentences.push_back(fmt::format("{} the time of the newer for {}", ratio_interval(ratio),
                                    facts_text(choices[i].result.problem)));
  }
  if (slower || !faster)
    throw Error(fmt::format("the installed library takes {}: {}{}", fmt::join(sentences, ", "),
                            slower ? "the newer is slower" : "the newer is no faster", stays),
                object.string(), "tune with a larger --budget", ExitCode::failure);
  return sentences;
}

}  // namespace

int export_library(std::vector<ExportChoice>& choices, const ExportOptions& options) {
  if (options.output.empty() || is_stdout(options.output))
    throw Error("a library is a folder", "--output", "tune export --format library -o FOLDER");
  if (is_shared_object(options.output)) {
    fmt::print("{}\n", update_library(options.output, choices));
    return 0;
  }
  if (!options.name.empty() && !Pattern("[A-Za-z][A-Za-z0-9_]*").matches(options.name))
    throw Error("\"" + options.name + "\" cannot begin names of functions", "--name",
                "a letter, then letters, digits and _");
  const LibrarySource source = library_of(choices, options.name);
  write_library(options.output, library_files(source));
  fmt::print("wrote {}: {} variant{} of {} and the untuned form\n{}", options.output,
             source.variants.size() - 1, source.variants.size() == 2 ? "" : "s", source.kernel.name,
             gains(choices));
  if (const auto fixed = constants(source.kernel); !fixed.empty())
    fmt::print("constants in it, no arguments: {} (a parameter in kernel.json makes it one)\n",
               fmt::join(fixed, ", "));
  return 0;
}

std::string update_library(const fs::path& named, const std::vector<ExportChoice>& choices) {
  const fs::path object = installed_object(named);
  const std::string before = read_text(object);
  const LibraryRecord record = library_record(object);
  const std::vector<ExportChoice> chosen = choices_for(record, object, choices);
  const LibrarySource source = library_of(chosen, text_of(record.interface, "name"));
  if (source.backend.needs_gpu_compiler())
    throw Error("libraries for cards are not exchanged in place", object.string(),
                "export the folder, build it and install it");
  const LibraryRecord fresh = record_of(source);
  if (const std::string why = interface_difference(record.interface, fresh.interface); !why.empty())
    throw Error(fmt::format("it has another interface than today's kernel ({}), and applications "
                            "are compiled against it{}",
                            why, stays),
                object.string(), "export the folder, install it, and build the applications anew");
  if (std::ranges::equal(record.studies, fresh.studies, {}, essence, essence))
    return fmt::format("{} holds the best of these studies already", object.string());
  const Candidate candidate(source, chosen);
  const auto sentences = proven(candidate, object, chosen);
  if (read_text(object) != before)
    throw Error(fmt::format("was changed while it was raced{}", stays), object.string());
  const fs::path kept = replace_export(object, read_text(candidate.object()));
  return fmt::format(
      "{} is exchanged: it took {}. Programs that start now load the newer one; {} is the earlier "
      "one, to be moved back where it is wanted",
      object.string(), fmt::join(sentences, ", "), kept.filename().string());
}

}  // namespace rooftune::application_commands
