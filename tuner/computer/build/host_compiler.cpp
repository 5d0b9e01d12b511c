// The C++ compiler of this host.
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

#include "build/artefact.h"
#include "build/compilation.h"
#include "build/flags.h"
#include "core/text.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"
#include "os/topology.h"

namespace rooftune::build {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A command such as "ccache g++" is allowed; a path with spaces is one word when it exists.
std::vector<std::string> command_words(const std::string& text, const char* variable) {
  return find_program(text) ? std::vector<std::string>{text} : shell_words(text, variable);
}

/// The command of the compiler: chosen by the user, else the first one on PATH.
std::vector<std::string> chosen_command() {
  const std::string hint = "install a C++ compiler: apt-get install g++";
  for (const char* variable : {"ROOFTUNE_CXX", "CXX"}) {
    const char* text = std::getenv(variable);
    if (!text || !*text) continue;
    const auto command = command_words(text, variable);
    if (!command.empty() && find_program(command[0])) return command;
    throw Error(std::string("there is no compiler \"") + text + "\"", variable, hint,
                ExitCode::unavailable);
  }
  for (const char* name : {"c++", "g++", "clang++"})
    if (const auto path = find_program(name)) return {path->string()};
  throw Error("no C++ compiler was found (c++, g++, clang++)", "PATH", hint, ExitCode::unavailable);
}

/// The first line with a number such as 12.2: a wrapper may complain before.
std::string version_line(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    for (std::size_t dot = line.find('.', 1); dot < line.size() - 1; dot = line.find('.', dot + 1))
      if (is_digit(line[dot - 1]) && is_digit(line[dot + 1])) return line;
  return output.substr(0, output.find('\n'));
}

std::string version_of(const std::vector<std::string>& command) {
  Command question;
  question.argv = command;
  question.argv.push_back("--version");
  question.environment["LC_ALL"] = "C";
  // The loader complains of unloadable libraries, by name.
  question.without = {"LD_PRELOAD"};
  const Finished answer = execute(question);
  if (!answer.status.ok())
    throw Error("the compiler does not tell its version: " + answer.status.text(), command[0], {},
                ExitCode::unavailable);
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
std::vector<std::string> fastest_linker(const HostCompiler& compiler) {
  static std::mutex mutex;
  static std::map<std::vector<std::string>, std::vector<std::string>> known;
  std::vector<std::string> key = compiler.flags;
  key.insert(key.end(), {compiler.path, compiler.version});
  const std::lock_guard lock(mutex);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  std::vector<std::string> chosen;
  for (const char* name : {"gold", "lld"})
    if (chosen.empty() && find_program(std::string("ld.") + name) &&
        sample_fault(compiler, std::string("-fuse-ld=") + name).empty())
      chosen = {std::string("-fuse-ld=") + name};
  return known[key] = chosen;
}

}  // namespace

std::string sample_fault(const HostCompiler& compiler, const std::string& flag) {
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / "sample.cpp") << sample;
  Command command = command_in(folder.path(), 60);
  command.argv = {compiler.path};
  command.argv.insert(command.argv.end(), compiler.flags.begin(), compiler.flags.end());
  command.argv.insert(command.argv.end(),
                      {"-O0", "-Wl,-z,defs", "-o", "sample.so", "sample.cpp", "-lm"});
  if (!flag.empty()) command.argv.push_back(flag);
  const Finished finished = execute(command);
  if (finished.status.ok() && std::filesystem::exists(folder.path() / "sample.so")) return {};
  const std::string words = first_error(plain_text(finished.output), {folder.path()});
  return words.empty() ? "the compiler ended with " + finished.status.text() : words;
}

HostCompiler host_compiler() {
  std::vector<std::string> command = chosen_command();
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
