#include "build/host_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>

#include "build/compilation.h"
#include "build/flags.h"
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

/// A command such as "ccache g++" is allowed; a path with spaces is one word when it exists.
Texts command_words(const std::string& text, const char* variable) {
  return find_program(text) ? Texts{text} : shell_words(text, variable);
}

/// The compiler's command: the user's choice, else the first one on PATH.
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
  return text_before(output, '\n');
}

std::string version_of(const Texts& command) {
  Command question;
  question.argv = command;
  question.argv.push_back("--version");
  question.environment["LC_ALL"] = "C";
  // The loader complains by name about libraries that it cannot load.
  question.without = {"LD_PRELOAD"};
  const Finished answer = execute(question);
  if (!answer.status.ok())
    throw Unavailable("the compiler does not tell its version: " + answer.status.text(),
                      command[0]);
  return version_line(answer.output);
}

/// Threads, their own memory and mathematics, as variants link them; without headers and
/// optimisation it takes a third of the time.
constexpr const char* sample = R"(extern "C" double exp(double);
static __thread double last;
extern "C" double sample(const double* x, int n) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += exp(x[i]);
  return last = sum;
})";

/// What `find` gives for a key, which is asked once in this process.
template <class Answer, class Find>
Answer asked_once(const Texts& key, const Find& find) {
  static std::mutex mutex;
  static std::map<Texts, Answer> known;
  const std::lock_guard lock(mutex);
  const auto* found = value_at(known, key);
  return found ? *found : known[key] = find();
}

/// The fastest working linker. For a variant GNU's ld takes 69 ms, lld 38 and gold 25, while the
/// whole build takes 450 ms and more.
Texts fastest_linker(const HostCompiler& compiler) {
  Texts key = compiler.flags;
  append(key, {compiler.path, compiler.version});
  return asked_once<Texts>(key, [&] {
    Texts chosen;
    for (const char* name : {"gold", "lld"})
      if (chosen.empty() && find_program(std::string("ld.") + name) &&
          sample_fault(compiler, std::string("-fuse-ld=") + name).empty())
        chosen = {std::string("-fuse-ld=") + name};
    return chosen;
  });
}

HostCompiler compiler_by(const Texts& command) {
  HostCompiler compiler;
  compiler.path = find_program(command[0])->string();
  compiler.version = version_of(command);
  // Words behind the program's name in a chosen command come before every flag.
  compiler.flags.assign(command.begin() + 1, command.end());
  for (const char* flag : {"-std=c++20", "-O3", "-fopenmp", "-fPIC", "-shared"})
    compiler.flags.emplace_back(flag);
  for (const std::string& flag : cpu_features().compiler_flags) compiler.flags.push_back(flag);
  return compiler;
}

constexpr const char* gnu = "g++";
constexpr const char* llvm = "clang++";

/// "clang++-19" before "clang++-14" before "clang++", which may be an older one.
std::optional<HostCompiler> newest(const std::string& name) {
  constexpr int newest_version = 40, oldest_version = 9;
  for (int version = newest_version; version >= oldest_version; --version) {
    const std::string program =
        version > oldest_version ? fmt::format("{}-{}", name, version) : name;
    if (!find_program(program)) continue;
    try {
      HostCompiler compiler = compiler_by({program});
      if (family(compiler) == name && sample_fault(compiler).empty()) return compiler;
    } catch (const Error&) {  // a program that does not answer is no compiler
    }
  }
  return {};
}

}  // namespace

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
  // In "ccache g++" the compiler's name comes second.
  const std::string behind = host.flags.empty() ? "" : host.flags.front();
  for (const std::string& word : {behind, file_name(host.path)})
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
  HostCompiler compiler = compiler_by(chosen_command());
  compiler.linker = fastest_linker(compiler);
  return compiler;
}

std::optional<HostCompiler> other_compiler(const HostCompiler& host) {
  const std::string wanted = is_gnu(host) ? llvm : gnu;
  return asked_once<std::optional<HostCompiler>>({wanted, environment_text("PATH")}, [&] {
    auto found = newest(wanted);
    if (found) found->linker = fastest_linker(*found);
    return found;
  });
}

std::string family(const HostCompiler& compiler) { return is_gnu(compiler) ? gnu : llvm; }

bool is_gnu(const HostCompiler& compiler) { return !contains(compiler.version, "clang"); }

Texts openmp_libraries(const HostCompiler& compiler) {
  if (is_gnu(compiler)) return {"libgomp.so.1"};
  return {"libomp.so.5", "libomp.so", "libgomp.so.1"};
}

}  // namespace rooftune::build
