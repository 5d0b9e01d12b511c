// A recorded space: every configuration that was tried, with its outcome, in any format.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/list.h"
#include "core/modules.h"
#include "core/unique.h"
#include "space/search_space.h"
#include "store/study_record.h"
#include "trial/trial.h"

namespace rooftune::replay {

/// The member in Rooftune's exports for outcomes that the form lacks.
inline constexpr const char* outcome_member = "rooftune_outcome";

/// A figure besides the time: a rate, a hardware counter, a register count.
struct Metric {
  std::string name;
  Json value;  ///< number, text or array
  std::string unit;
  bool operator==(const Metric&) const = default;
};

/// One configuration's cost and times. Times in seconds, absent if missing in the file.
struct RecordedResult {
  Configuration configuration;
  Outcome outcome = Outcome::ok;
  std::string failure;            ///< the file's word: "RuntimeFailedConfig", "compile", ...
  std::optional<double> seconds;  ///< the file's own time for the configuration
  Numbers runtimes;               ///< each repeat's
  std::optional<double> build, validate, measure, search, framework;
  std::string timestamp;
  std::vector<Metric> metrics;

  /// The trial's cost [s]; missing parts count as 0.
  Cost cost() const;
};

struct Recording {
  /// "T4", "Kernel Tuner cachefile", "KTT output", "Rooftune records"
  std::string format;
  std::string kernel, device;
  Json problem_size;  ///< null when missing in the file
  std::string objective = "time";
  Knobs knobs;  ///< names and values; numbers ascending unless the file orders them
  std::vector<RecordedResult> results;
  Texts deviations;  ///< from the published form, in words, each once

  /// The recorded configurations as a search space.
  SearchSpace space() const;
  void deviates(const std::string& words);
};

/// A file with a recorded space in any format, plain or gzip; the content decides. Its results are
/// read one by one, so reading needs no more memory than the recording.
class RecordingFile : Unique {
 public:
  /// Reads all but the results. Throws Error: a pipe, unreadable, damaged, malformed, or in two
  /// formats at once.
  explicit RecordingFile(const fs::path& file);
  /// The same for a text, which must outlive this object; `where` names it in faults.
  RecordingFile(const std::string& text, std::string where);
  /// The document without its recorded results.
  const Json& head() const { return head_; }
  /// Throws Error with every fault and its place: an unknown form, negative or missing times, a
  /// configuration twice, results that take too much memory for the file's size.
  Recording read() const;

 private:
  struct Form;
  static const std::vector<Form>& forms();
  using Open = std::function<std::unique_ptr<ByteSource>()>;
  using Take = std::function<void(const std::string&, const std::string&, const Json&)>;
  void look();
  JsonRest parse(const Texts& lists, const Take& take) const;

  std::string where_;
  Open open_;
  size_t bytes_ = 0;  ///< the file's, as it lies there
  bool cut_ = false;
  const Form* form_ = nullptr;  ///< none: no recording
  Json head_;
};

/// Reads a RecordingFile.
Recording read_recording(const fs::path& file);
/// A study's trials.
Recording recording_of(const StudyRecord& study);

// Writers for the field's forms, so others' and Rooftune's measurements can be used anywhere. The
// caller writes the text, atomically.

/// One row per format: the visible table is in recording.cpp.
struct RecordingFormat {
  const char* name;
  const char* summary;
  std::string (*write)(const Recording&);
};
const std::vector<RecordingFormat>& recording_formats();

/// T4 results, valid against the community's schema 1.0.0; times in milliseconds.
std::string t4_text(const Recording& recording);
/// A cachefile for Kernel Tuner's simulation mode; times in milliseconds.
std::string cachefile_text(const Recording& recording);

}  // namespace rooftune::replay
