#include "build/compilation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "core/split.h"
#include "core/text.h"
#include "os/subprocess.h"

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

/// The command from the source to shim.s, for the same code as `commands` make.
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
  return any_of(marks, [&](const char* mark) { return contains(text, mark); });
}

/// Whether this line only sums up: a driver says it when a program that it ran has failed.
bool sums_up(const std::string& line) {
  return has_any(line, {"linker command failed", "ld returned"});
}

/// Runs the steps to a product; fills log and error.
void compile_to(const char* product, const Commands& steps, const fs::path& source_folder,
                Artefact& artefact) {
  for (const Command& step : steps) {
    const Finished finished = execute(step);
    artefact.log += plain_text(finished.output.substr(0, kept_log - artefact.log.size()));
    if (finished.status.ok()) continue;
    // Beyond our bounds the source asks too much.
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

}  // namespace

bool failed_from_outside(const ExitStatus& status, const std::string& log) {
  if (status.ok() || status.timed_out) return false;
  const auto killed = {SIGKILL, SIGTERM, SIGHUP, SIGXCPU};
  return (status.signal && contains(killed, *status.signal)) ||
         // gcc, its linker driver, clang; then gcc, clang and the system without memory.
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

Commands commands(const std::string& compiler, const Texts& flags, const std::string& source,
                  const Texts& libraries, const fs::path& folder, double limit_seconds) {
  Command one = command_in(folder, limit_seconds);
  one.argv.push_back(compiler);
  append(one.argv, flags);
  Command link = one;
  if (none_of(flags, changes_rounding)) {
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

void compile(const Commands& steps, const fs::path& source_folder,
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

}  // namespace rooftune::build
