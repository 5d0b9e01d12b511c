// tune import: reads others' recordings, reports deviations from the published forms, and writes
// another form.
#include <fmt/format.h>

#include <algorithm>

#include "cli/command_table.h"
#include "cli/console.h"
#include "cli/export_choice.h"
#include "cli/study_files.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/list.h"
#include "kernel/kernel.h"
#include "os/temporary_directory.h"
#include "replay/recording.h"
#include "replay/t1_space.h"
#include "replay_commands/extension.h"
#include "space/search_space.h"
#include "space/space_reader.h"

namespace rooftune::replay_commands {
namespace {

struct ImportOptions {
  std::string file, format = "t4", output;
  static void fields(auto& self, auto& visit) {
    visit.position("file", self.file, "T4, cachefile, KTT output (.gz too)")->required();
    ROOFTUNE_FIELD(format,
                   {"t4 or cachefile; kernel: a folder from a T1 file with its CUDA source"});
    visit("o,output", self.output, {"File to write", "FILE", "standard output"});
  }
};

/// The name for a kernel folder, beside the recording formats.
constexpr const char* kernel_format = "kernel";

const RecordingFormat& chosen(const std::string& name) {
  Texts names{kernel_format};
  for (const RecordingFormat& row : recording_formats()) {
    if (name == row.name) return row;
    names.emplace_back(row.name);
  }
  throw Error("unknown format \"" + name + "\"", "--format", did_you_mean(name, names));
}

void write_kernel(const T1Kernel& kernel, const fs::path& source, const fs::path& folder) {
  make_folders(folder);
  for (const auto& [name, text] : kernel.files) write_atomically(folder / name, text);
  write_atomically(folder / kernel.source.filename(), read_text(source));
}

/// Writes the kernel into a temporary folder first: an unreadable one leaves nothing behind.
void check_kernel(const T1Kernel& kernel, const fs::path& source, const std::string& form) {
  const TemporaryDirectory folder;
  write_kernel(kernel, source, folder.path());
  try {
    read_kernel(folder.path());
  } catch (const Error& error) {
    std::string text = error.what();
    const std::string place = folder.path().string() + "/";
    for (size_t at; (at = text.find(place)) != std::string::npos;) text.erase(at, place.size());
    throw Error("the kernel that it describes cannot be read: " + text, form);
  }
}

/// A kernel folder in `output` from a T1 file; the source is copied beside it.
int import_kernel(const ImportOptions& options) {
  if (options.output.empty() || options.output == "-")
    throw Error("a kernel folder needs a place", "--output", "for example -o ./mykernel");
  const fs::path folder = options.output, form = options.file;
  const T1Kernel kernel = t1_kernel(read_json(form), form.string());
  const fs::path source = form.parent_path() / kernel.source;
  if (!is_file(source))
    throw Error("there is no file " + source.string(),
                form.string() + ": /KernelSpecification/KernelFile",
                "the source lies beside the T1 file, or its path starts there");
  check_kernel(kernel, source, form.string());
  write_kernel(kernel, source, folder);
  for (const std::string& note : kernel.notes) fmt::print("note: {}\n", note);
  fmt::print(
      "{}: kernel {}; wrote {}\nnext: tune --kernel {} --machine auto (a100 --dry-run without a "
      "GPU)\n",
      options.file, kernel.name, folder.string(),
      folder.is_absolute() || folder.string().starts_with(".") ? folder.string()
                                                               : "./" + folder.string());
  return 0;
}

int import_command(const ImportOptions& options) {
  if (options.format == kernel_format) return import_kernel(options);
  const RecordingFormat& format = chosen(options.format);
  require_output(options.output);
  const Recording recording = read_recording(options.file);
  const std::string text = format.write(recording);
  const bool to_stdout = options.output.empty() || is_stdout(options.output);
  write_output(to_stdout ? "-" : options.output, text);
  const auto ran = std::ranges::count(recording.results, Outcome::ok, &RecordedResult::outcome);
  std::FILE* const notes = to_stdout ? stderr : stdout;
  for (const std::string& deviation : recording.deviations)
    fmt::print(notes, "note: {}\n", deviation);
  fmt::print(notes, "{}: {}, {} configurations, {} ran{}\n", options.file, recording.format,
             recording.results.size(), ran, to_stdout ? "" : "; wrote " + options.output);
  return 0;
}

void add_import(CLI::App& app, CommandLine& line) {
  add_command(app, line, "import", "Read results of other tuners and write them in another form",
              import_command);
}

}  // namespace

void add_replay() {
  extend_command_line(add_space);
  extend_command_line(add_strategies);
  extend_command_line(add_import);
  extend_command_line(add_recording_report);
  add_space_form({is_t1, [](const Json& json, const std::string& where) {
                    return t1_from_json(json, where).space;
                  }});
  for (const RecordingFormat& row : recording_formats())
    add_export_form(
        {row.name, row.summary,
         [write = row.write](const StudyRecord& study) { return write(recording_of(study)); },
         nullptr});
}

}  // namespace rooftune::replay_commands
