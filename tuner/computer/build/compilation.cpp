// Compilers at work in their output folders, temporary files included; and the C++ compiler of this
// host.
#include "build/compilation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

#include "build/artefact.h"
#include "build/flags.h"
#include "build/tokens.h"
#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "core/split.h"
#include "core/text.h"
#include "os/paths.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"
#include "os/topology.h"

namespace rooftune::build {
namespace {

constexpr size_t kept_log = 16 << 10;

bool usable(const fs::path& library) {
  std::error_code fault;
  return fs::file_size(library, fault) > 0 && !fault;
}

/// Flags that make gcc link start-up code for switching denormals off in the whole worker.
bool changes_rounding(const std::string& flag) {
  return is_among(flag, "-Ofast -ffast-math -funsafe-math-optimizations");
}

/// The command from the source to shim.s, of the same code as by `commands`.
Command to_assembly(Command compile_and_link) {
  auto& argv = compile_and_link.argv;
  std::erase(argv, "-shared");
  std::erase_if(argv, [](const std::string& word) { return word.starts_with("-Wl,"); });
  // "-o", the product, the source.
  const auto output = std::ranges::find(argv, "-o");
  const std::string source = output[2];
  argv.erase(output, argv.end());
  append(argv, {"-fno-lto", "-S", "-o", "shim.s", source});
  return compile_and_link;
}

/// The command from woven.s to the shared object.
Command from_assembly(Command link) {
  std::ranges::find(link.argv, "-o")[2] = "woven.s";
  return link;
}

std::string without(std::string text, const std::string& part) {
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at))
    text.erase(at, part.size());
  return text;
}

bool has_any(const std::string& text, std::initializer_list<const char*> marks) {
  return std::ranges::any_of(marks, [&](const char* mark) { return contains(text, mark); });
}

/// Whether a driver says this line about the end of one of its programs.
bool sums_up(const std::string& line) {
  return has_any(line, {"linker command failed", "ld returned"});
}

/// Runs the steps to a product; fills log and error.
void compile_to(const char* product, const std::vector<Command>& steps,
                const fs::path& source_folder, Artefact& artefact) {
  for (const Command& step : steps) {
    const Finished finished = execute(step);
    artefact.log += plain_text(finished.output.substr(0, kept_log - artefact.log.size()));
    if (finished.status.ok()) continue;
    // Beyond a limit of ours it is the source that asks too much.
    artefact.from_outside =
        finished.excess.empty() && failed_from_outside(finished.status, finished.output);
    if (!finished.excess.empty())
      artefact.error = "the compiler was killed: it took " + finished.excess;
    else if (finished.status.timed_out)
      artefact.error =
          fmt::format("the compiler was killed after {:g} s", double(step.limit.count()) / 1000);
    else
      artefact.error = first_error(artefact.log, {source_folder, step.directory});
    if (artefact.error.empty())
      artefact.error = "the compiler ended with " + finished.status.text();
    return;
  }
  if (!usable(steps.back().directory / product))
    artefact.error =
        fmt::format("the compiler wrote no {}",
                    product == std::string_view(library_file) ? "shared object" : "assembly");
}

/// A command such as "ccache g++" is allowed; a path with spaces is one word when it exists.
Texts command_words(const std::string& text, const char* variable) {
  return find_program(text) ? Texts{text} : shell_words(text, variable);
}

/// The command of the compiler: chosen by the user, else the first one on PATH.
Texts chosen_command() {
  const std::string hint = "install a C++ compiler: apt-get install g++";
  for (const char* variable : {"ROOFTUNE_CXX", "CXX"}) {
    const std::string text = environment_text(variable);
    if (text.empty()) continue;
    const auto command = command_words(text, variable);
    if (!command.empty() && find_program(command[0])) return command;
    throw Unavailable("there is no compiler \"" + text + "\"", variable, hint);
  }
  for (const char* name : {"c++", "g++", "clang++"})
    if (const auto path = find_program(name)) return {path->string()};
  throw Unavailable("no C++ compiler was found (c++, g++, clang++)", "PATH", hint);
}

/// The first line with a number such as 12.2: a wrapper may complain before.
std::string version_line(const std::string& output) {
  for (const std::string& line : split(output))
    for (size_t dot = line.find('.', 1); dot < line.size() - 1; dot = line.find('.', dot + 1))
      if (is_digit(line[dot - 1]) && is_digit(line[dot + 1])) return line;
  return output.substr(0, output.find('\n'));
}

std::string version_of(const Texts& command) {
  Command question;
  question.argv = command;
  question.argv.push_back("--version");
  question.environment["LC_ALL"] = "C";
  // The loader complains of unloadable libraries, by name.
  question.without = {"LD_PRELOAD"};
  const Finished answer = execute(question);
  if (!answer.status.ok())
    throw Unavailable("the compiler does not tell its version: " + answer.status.text(),
                      command[0]);
  return version_line(answer.output);
}

/// Threads, memory of each and mathematics, as variants link them; without headers and optimisation
/// in a third of the time.
constexpr const char* sample = R"(extern "C" double exp(double);
static __thread double last;
extern "C" double sample(const double* x, int n) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += exp(x[i]);
  return last = sum;
})";

/// The fastest working linker. A variant takes GNU's ld 69 ms, lld 38 and gold 25, of 450 ms and
/// more; asked once for each compiler.
Texts fastest_linker(const HostCompiler& compiler) {
  static std::mutex mutex;
  static std::map<Texts, Texts> known;
  Texts key = compiler.flags;
  append(key, {compiler.path, compiler.version});
  const std::lock_guard lock(mutex);
  const auto* found = value_at(known, key);
  if (found) return *found;
  Texts chosen;
  for (const char* name : {"gold", "lld"})
    if (chosen.empty() && find_program(std::string("ld.") + name) &&
        sample_fault(compiler, std::string("-fuse-ld=") + name).empty())
      chosen = {std::string("-fuse-ld=") + name};
  return known[key] = chosen;
}

}  // namespace

bool failed_from_outside(const ExitStatus& status, const std::string& log) {
  if (status.ok() || status.timed_out) return false;
  const auto killed = {SIGKILL, SIGTERM, SIGHUP, SIGXCPU};
  return (status.signal && contains(killed, *status.signal)) ||
         // gcc, its linker driver, clang; gcc's, clang's and the system's lack of memory.
         has_any(log, {"fatal error: Killed signal", "fatal error: Terminated signal",
                       "terminated with signal 9", "unable to execute command: Killed",
                       "unable to execute command: Terminated", "out of memory allocating",
                       "virtual memory exhausted", "LLVM ERROR: out of memory",
                       "Cannot allocate memory", "Resource temporarily unavailable"});
}

bool names_error(const std::string& line) {
  return has_any(line,
                 {"error:", "Error:", "undefined reference", "undefined symbol", "cannot find"});
}

std::string first_error(const std::string& log, const Paths& folders) {
  std::string first, sum, found;
  for (const std::string& line : split(log)) {
    if (first.empty()) first = line;
    if (found.empty() && names_error(line)) (sums_up(line) ? sum : found) = line;
  }
  if (found.empty()) found = sum.empty() ? first : sum;
  for (const auto& folder : folders) found = without(found, folder.string() + "/");
  return found;
}

void write_plainly(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream)
    throw Error("cannot be written (disk full?)", file,
                "make room or set ROOFTUNE_CACHE to another disk", ExitCode::io);
}

Command command_in(const fs::path& folder, double limit_seconds) {
  Command command;
  command.environment["LC_ALL"] = "C";
  // A killed compiler leaves its temporary files; they go with the folder.
  command.environment["TMPDIR"] = folder;
  command.directory = folder;
  command.limit = std::chrono::milliseconds(int64_t(limit_seconds * 1000));
  return command;
}

std::vector<Command> commands(const std::string& compiler, const Texts& flags,
                              const std::string& source, const Texts& libraries,
                              const fs::path& folder, double limit_seconds) {
  Command one = command_in(folder, limit_seconds);
  one.argv.push_back(compiler);
  append(one.argv, flags);
  Command link = one;
  if (std::ranges::none_of(flags, changes_rounding)) {
    append(one.argv, {"-o", library_file, source});
    append(one.argv, libraries);
    return {one};
  }
  std::erase(one.argv, "-shared");
  append(one.argv, {"-c", "-o", "shim.o", source});
  std::erase_if(link.argv, changes_rounding);
  append(link.argv, {"-o", library_file, "shim.o"});
  append(link.argv, libraries);
  return {one, link};
}

void compile(const std::vector<Command>& steps, const fs::path& source_folder,
             const std::optional<Weaving>& weaving, Artefact& artefact) {
  if (!weaving) return compile_to(library_file, steps, source_folder, artefact);
  const auto& folder = steps.front().directory;
  // This step makes no shared object, and that is no fault.
  compile_to("shim.s", {to_assembly(steps.front())}, source_folder, artefact);
  if (!artefact.error.empty()) return;
  try {
    write_plainly(folder / "woven.s", weaving->weave(read_text(folder / "shim.s")));
  } catch (const Error& error) {
    artefact.error = error.message();
    return;
  }
  compile_to(library_file, {from_assembly(steps.back())}, source_folder, artefact);
}

void check_room(const std::string& log, const fs::path& directory) {
  if (contains(log, "No space left on device"))
    throw Error("the disk is full", directory, "make room or set ROOFTUNE_CACHE to another disk",
                ExitCode::io);
}

std::string sample_fault(const HostCompiler& compiler, const std::string& flag) {
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / "sample.cpp") << sample;
  Command command = command_in(folder.path(), 60);
  command.argv = {compiler.path};
  append(command.argv, compiler.flags);
  append(command.argv, {"-O0", "-Wl,-z,defs", "-o", "sample.so", "sample.cpp", "-lm"});
  if (!flag.empty()) command.argv.push_back(flag);
  const Finished finished = execute(command);
  if (finished.status.ok() && fs::exists(folder.path() / "sample.so")) return {};
  const std::string words = first_error(plain_text(finished.output), {folder.path()});
  return words.empty() ? "the compiler ended with " + finished.status.text() : words;
}

Language language_of(const fs::path& source) {
  const std::string end = source.extension();
  if (end == ".c") return Language::c;
  return is_among(end, ".f90 .F90 .f .F") ? Language::fortran : Language::cpp;
}

HostCompiler compiler_of(Language language, const HostCompiler& host) {
  if (language == Language::cpp) return host;
  const bool c = language == Language::c;
  std::string name = c ? "cc" : "gfortran";
  // "ccache g++" has the name behind.
  const std::string behind = host.flags.empty() ? "" : host.flags.front();
  for (const std::string& word : {behind, fs::path(host.path).filename().string()})
    for (const auto& [cpp, plain] : {std::pair("g++", "gcc"), std::pair("clang++", "clang")})
      if (const size_t at = word.find(cpp); c && at != word.npos)
        name = std::string(word).replace(at, std::strlen(cpp), plain);
  const char* const variable = c ? "CC" : "FC";
  const std::string chosen = environment_text(variable);
  const Texts command = chosen.empty() ? Texts{name} : command_words(chosen, variable);
  const auto path = command.empty() ? std::nullopt : find_program(command[0]);
  if (!path)
    throw Unavailable(fmt::format("there is no compiler \"{}\"", chosen.empty() ? name : chosen),
                      variable,
                      c ? "apt-get install gcc, or name one in CC"
                        : "apt-get install gfortran, or name one in FC");
  HostCompiler compiler;
  compiler.path = path->string();
  static std::mutex mutex;
  static NamedTexts versions;
  const std::lock_guard lock(mutex);
  std::string& version = versions[compiler.path];
  if (version.empty()) version = version_of(command);
  compiler.version = version;
  compiler.flags.assign(command.begin() + 1, command.end());
  const auto standard = std::ranges::find(host.flags, "-std=c++20");
  compiler.flags.emplace_back(c ? "-std=gnu17" : "-cpp");
  if (standard != host.flags.end())
    compiler.flags.insert(compiler.flags.end(), standard + 1, host.flags.end());
  return compiler;
}

HostCompiler host_compiler() {
  Texts command = chosen_command();
  HostCompiler compiler;
  compiler.path = find_program(command[0])->string();
  compiler.version = version_of(command);
  // Words behind the program's name in a chosen command come before every flag.
  compiler.flags.assign(command.begin() + 1, command.end());
  for (const char* flag : {"-std=c++20", "-O3", "-fopenmp", "-fPIC", "-shared"})
    compiler.flags.emplace_back(flag);
  for (const std::string& flag : cpu_features().compiler_flags) compiler.flags.push_back(flag);
  compiler.linker = fastest_linker(compiler);
  return compiler;
}

}  // namespace rooftune::build
