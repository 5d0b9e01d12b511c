// tune import: reads what others recorded, says what differs from the published forms, and writes
// it in another form.
#include <fmt/format.h>

#include <algorithm>

#include "cli/options.h"
#include "core/error.h"
#include "core/file.h"
#include "store/recording_writer.h"

namespace rooftune {
namespace {

const RecordingFormat& chosen(const std::string& name) {
  if (const RecordingFormat* format = find_recording_format(name)) return *format;
  std::string all;
  for (const RecordingFormat& row : recording_formats())
    all += (all.empty() ? "" : ", ") + std::string(row.name);
  throw Error("unknown format \"" + name + "\"", "--format", "one of " + all);
}

}  // namespace

int import_command(const ImportOptions& options) {
  const RecordingFormat& format = chosen(options.format);
  const Recording recording = read_recording(options.file);
  const std::string text = format.write(recording);
  const bool to_stdout = options.output.empty() || options.output == "-";
  if (to_stdout)
    std::fputs(text.c_str(), stdout);
  else
    write_atomically(options.output, text);
  const auto ran =
      std::count_if(recording.results.begin(), recording.results.end(),
                    [](const RecordedResult& result) { return result.outcome == Outcome::ok; });
  std::FILE* const notes = to_stdout ? stderr : stdout;
  for (const std::string& deviation : recording.deviations)
    fmt::print(notes, "note: {}\n", deviation);
  fmt::print(notes, "{}: {}, {} configurations, {} ran{}\n", options.file, recording.format,
             recording.results.size(), ran, to_stdout ? "" : "; wrote " + options.output);
  return 0;
}

}  // namespace rooftune
