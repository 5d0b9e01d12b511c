// What makes equal words another program: a study of a program is known by it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>

#include "core/file.h"
#include "core/hash.h"
#include "os/subprocess.h"
#include "run/command_evaluator.h"
#include "run/command_template.h"

namespace rooftune::run {
namespace {

namespace fs = std::filesystem;

/// Beginnings of the names of variables that libraries under a program read.
constexpr std::string_view of_runs[] = {
    "OMP_",       "GOMP_",           "KMP_",          "MKL_", "OPENBLAS_", "BLIS_", "MALLOC_",
    "LD_PRELOAD", "LD_LIBRARY_PATH", "GLIBC_TUNABLES"};
/// Names of those that make and CMake read.
constexpr std::string_view of_builds[] = {"CC",       "CXX",      "FC",     "CFLAGS",
                                          "CXXFLAGS", "CPPFLAGS", "FFLAGS", "LDFLAGS"};

bool matters(const std::string& name, bool builds) {
  return std::ranges::any_of(of_runs, [&](auto begin) { return name.starts_with(begin); }) ||
         (builds && std::ranges::any_of(of_builds, [&](auto whole) { return name == whole; }));
}

/// Variables of this process that runs and builds of the program inherit, by name.
std::map<std::string, std::string> inherited(const Program& program) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = text.substr(0, equals);
    if (matters(name, !program.build.empty()) && !program.environment.contains(name))
      variables[name] = text.substr(equals + 1);
  }
  return variables;
}

/// By its contents; a large one by its size and its time.
std::string fingerprint(const fs::path& file) {
  constexpr std::uintmax_t most = std::uintmax_t{64} << 20;
  const std::uintmax_t size = fs::file_size(file);
  if (size <= most) return hash_hex(read_text(file));
  return fmt::format("{} bytes of {}", size, fs::last_write_time(file).time_since_epoch().count());
}

/// A file named after such a word is written and no input.
bool names_output(const std::string& word) {
  constexpr std::string_view short_form = "-o";
  return word == short_form || word.starts_with("-out") || word.starts_with("--out") ||
         word.ends_with('>');
}

/// Adds the files that a word names: whole, behind '=' (--in=FILE) and, in a text for a shell or
/// a list, between its signs. `before`: the word before it.
void add_files(const std::string& word, std::string before,
               std::vector<std::pair<std::string, std::string>>& parts) {
  const auto is_file = [](const std::string& name) {
    std::error_code fault;
    return fs::is_regular_file(name, fault);
  };
  std::vector<std::string> names{word};
  if (!is_file(word)) {
    names.clear();
    for (std::size_t begin = 0; begin <= word.size();) {
      const std::size_t end =
          std::min(word.find_first_of(" \t\n=,:;|&<>'\"()", begin), word.size());
      names.push_back(word.substr(begin, end - begin));
      if (end < word.size() && word[end] == '>') names.emplace_back(">");
      begin = end + 1;
    }
  }
  for (const std::string& name : names) {
    if (!names_output(before) && is_file(name))
      parts.emplace_back("file " + name, fingerprint(name));
    if (!name.empty()) before = name;
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> program_identity(const Program& program) {
  std::vector<std::pair<std::string, std::string>> parts{
      {"command", program.command}, {"build", program.build},
      {"metric", program.metric},   {"metric unit", program.unit},
      {"check", program.check},     {"started in", fs::current_path().string()}};
  for (const auto& [name, text] : program.environment) {
    parts.emplace_back("variable " + name, text);
    add_files(text, {}, parts);
  }
  for (const auto& [name, text] : program.figures) parts.emplace_back("figure " + name, text);
  for (const auto& [name, text] : inherited(program)) parts.emplace_back("variable " + name, text);
  for (const auto& [precision, text] : program.work) parts.emplace_back("work " + precision, text);
  for (const auto& [member, text] : program.traffic) parts.emplace_back("traffic " + member, text);
  for (const std::string& file : program.templates)
    parts.emplace_back("template " + file, fingerprint(file));
  const CommandTemplate command = CommandTemplate::parse(program.command, "--command");
  // Made by the build it is no input.
  if (const auto file = find_program(command.fixed_word(0)); file && program.build.empty())
    parts.emplace_back("program file", fingerprint(*file));
  for (std::size_t i = 1; i < command.size(); ++i)
    add_files(command.fixed_word(i), command.fixed_word(i - 1), parts);
  return parts;
}

}  // namespace rooftune::run
