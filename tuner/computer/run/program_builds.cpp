#include "run/program_builds.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string_view>
#include <utility>

#include "build/compilation.h"
#include "core/error.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/hash.h"
#include "core/list.h"
#include "core/pattern.h"
#include "core/seconds_since.h"
#include "core/text.h"
#include "os/parallel.h"
#include "os/subprocess.h"
#include "run/metric.h"

namespace rooftune::run {
namespace {

constexpr auto build_limit = std::chrono::minutes(30);
/// Folders kept.
constexpr size_t most_builds = 48;
/// A larger folder is not copied for every build.
constexpr uintmax_t most_copied = uintmax_t{2} << 30;

/// Whether libraries under a program read the variable, or, where it `builds`, make and CMake.
bool matters(const std::string& name, bool builds) {
  static const Pattern of_runs(
      "(OMP_|GOMP_|KMP_|MKL_|OPENBLAS_|BLIS_|MALLOC_|LD_PRELOAD|LD_LIBRARY_PATH|GLIBC_TUNABLES).*");
  static const Pattern of_builds("CC|CXX|FC|CFLAGS|CXXFLAGS|CPPFLAGS|FFLAGS|LDFLAGS");
  return of_runs.matches(name) || (builds && of_builds.matches(name));
}

/// Variables from this process that the program's runs and builds inherit, by name.
NamedTexts inherited(const Program& program) {
  NamedTexts variables;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string text(*entry);
    const size_t equals = text.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = text.substr(0, equals);
    if (matters(name, !program.build.empty()) && !program.environment.contains(name))
      variables[name] = text.substr(equals + 1);
  }
  return variables;
}

/// By its contents; a large one by its size and its time.
std::string fingerprint(const fs::path& file) {
  constexpr uintmax_t most = uintmax_t{64} << 20;
  const uintmax_t size = fs::file_size(file);
  if (size <= most) return hash_hex(read_text(file));
  return fmt::format("{} bytes of {}", size, fs::last_write_time(file).time_since_epoch().count());
}

/// A file named after such a word is output, not input.
bool names_output(const std::string& word) {
  constexpr std::string_view short_form = "-o";
  return word == short_form || word.starts_with("-out") || word.starts_with("--out") ||
         word.ends_with('>');
}

/// Adds the files that a word names: whole, behind '=' (--in=FILE) and, in a text for a shell or
/// a list, between its signs. `before`: the word before it.
void add_files(const std::string& word, std::string before, TextPairs& parts) {
  Texts names{word};
  if (!is_file(word)) {
    names.clear();
    for (size_t begin = 0; begin <= word.size();) {
      const size_t end = std::min(word.find_first_of(" \t\n=,:;|&<>'\"()", begin), word.size());
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

Error unknown_placeholder(const std::string& name, const std::string& option, const Texts& names) {
  if (name == build_folder_name)
    return {"{BUILD_DIR} is the folder of a build, and there is none", option,
            "say how the program is built: --build 'make -C {BUILD_DIR} ...'"};
  const std::string near = nearest_word(name, names);
  return {fmt::format("{{{}}} is neither a knob nor a problem parameter", name), option,
          near.empty() ? fmt::format("write {{{{{}}}}} for the text {{{}}} itself", name, name)
                       : fmt::format("did you mean {{{}}}?", near)};
}

std::vector<Cost> built_together(size_t count, int builders,
                                 const std::function<double(size_t)>& build) {
  const auto begin = SteadyClock::now();
  Numbers seconds(count);
  in_parallel(count, std::max(builders, 1), [&](size_t i) { seconds[i] = build(i); });
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  const double share = all > 0 ? seconds_since(begin) / all : 0;
  std::vector<Cost> costs;
  for (const double own : seconds) costs.push_back({own, 0, 0, share * own, share * own});
  return costs;
}

ProgramBuilds::ProgramBuilds(const Program& program, int builders, fs::path scratch)
    : program_(program),
      scratch_(std::move(scratch)),
      builders_(builders),
      command_(CommandTemplate::parse(program.build, "--build")) {}

Texts ProgramBuilds::words(const Lookup& lookup, const fs::path& folder) const {
  return command_.filled([&](const std::string& name) {
    return name == build_folder_name ? std::vector{folder.string()} : lookup(name);
  });
}

std::string ProgramBuilds::key(const Lookup& lookup) const {
  return quoted(words(lookup, build_folder_name));
}

ProgramBuild ProgramBuilds::made(const Lookup& lookup, const fs::path& folder) const {
  ProgramBuild result;
  result.folder = folder;
  Command build;
  build.argv = words(lookup, folder);
  build.limit = build_limit;
  build.keeps_end = true;
  if (copies()) {
    copy_tree(fs::current_path(), folder, program_.left_out, most_copied);
    build.directory = folder;
  } else {
    fs::create_directories(folder);
  }
  Finished finished = execute(build);
  const auto is_from_outside = [&finished] {
    return failed_from_outside(finished.status, finished.output);
  };
  // Whatever killed its compiler may be over.
  if (is_from_outside()) finished = execute(build);
  result.from_outside = is_from_outside();
  if (!finished.status.ok()) {
    const std::string ended = quoted(build.argv) + ": " + finished.status.text();
    const std::string why = first_error(plain_text(finished.output), {folder});
    const std::string last = last_lines(finished.output);
    // make and its kin print more after that line.
    result.error = names_error(why) && !contains(last, why)
                       ? fmt::format("{}; {}; {}", ended, excerpt(why, 200), last)
                       : ended + "; " + last;
  } else if (copies()) {
    result.prepared = {folder, fs::current_path()};
  } else if (fs::is_empty(folder) && contains(program_.command, "{BUILD_DIR}")) {
    result.error = fmt::format(
        "{}: ended well and left {{BUILD_DIR}} empty: does what it starts read the folder's name, "
        "and write there? {}",
        quoted(build.argv), last_lines(finished.output));
  }
  return result;
}

void ProgramBuilds::build(const std::vector<Lookup>& wanted) {
  if (command_.empty()) return;
  Texts keys;
  std::vector<const Lookup*> lookups;
  for (const Lookup& lookup : wanted) {
    const std::string one = key(lookup);
    auto* there = value_at(kept_, one);
    const bool made = there && !there->build.from_outside;
    if (made) there->used = ++uses_;
    if (made || contains(keys, one)) continue;
    keys.push_back(one);
    lookups.push_back(&lookup);
  }
  if (keys.empty()) return;
  std::vector<ProgramBuild> builds(keys.size());
  const size_t first = std::exchange(serial_, serial_ + keys.size());
  const auto costs = built_together(keys.size(), builders_, [&](size_t i) {
    const auto begin = SteadyClock::now();
    builds[i] = made(*lookups[i], scratch_ / std::to_string(first + i));
    return seconds_since(begin);
  });
  for (const size_t i : indices(keys)) {
    builds[i].cost = costs[i];
    kept_[keys[i]] = {std::move(builds[i]), ++uses_};
  }
  limit(wanted.size());
}

void ProgramBuilds::limit(size_t recent) {
  while (kept_.size() > most_builds) {
    const auto oldest = min_element(kept_, {}, [](const auto& one) { return one.second.used; });
    if (oldest->second.used + recent > uses_) return;
    std::error_code ignored;
    fs::remove_all(oldest->second.build.folder, ignored);
    kept_.erase(oldest);
  }
}

ProgramBuild ProgramBuilds::take(const Lookup& lookup) {
  if (command_.empty()) return {};
  build({lookup});
  Kept& kept = kept_.at(key(lookup));
  ProgramBuild result = kept.build;
  if (result.from_outside)
    throw Unavailable(
        "a build was killed, twice: " + result.error, "--build",
        "free memory, or let it start fewer compilers at once; the same command goes on");
  kept.build.cost = {};
  return result;
}

TextPairs program_identity(const Program& program) {
  TextPairs parts{{"command", program.command}, {"build", program.build},
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
  // A program that the build makes is no input.
  if (const auto file = find_program(command.fixed_word(0)); file && program.build.empty())
    parts.emplace_back("program file", fingerprint(*file));
  for (size_t i = 1; i < command.size(); ++i)
    add_files(command.fixed_word(i), command.fixed_word(i - 1), parts);
  return parts;
}

}  // namespace rooftune::run
