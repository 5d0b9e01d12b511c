// A recorded space: every configuration that somebody tried and what came of it, in whatever
// format it was written.
// The caller owes nothing; readers say what differs from the published forms.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "space/search_space.h"
#include "store/record_store.h"
#include "trial/trial.h"

namespace rooftune {

/// The member by which Rooftune's exports say outcomes that the form has no word for.
inline constexpr const char* outcome_member = "rooftune_outcome";

/// A figure besides the time: a rate, a hardware counter, a number of registers.
struct Metric {
  std::string name;
  Json value;  ///< number, text or array
  std::string unit;
  bool operator==(const Metric&) const = default;
};

/// What one configuration took. Times in seconds, absent where the file does not say.
struct RecordedResult {
  Configuration configuration;
  Outcome outcome = Outcome::ok;
  std::string failure;            ///< the word of the file: "RuntimeFailedConfig", "compile", ...
  std::optional<double> seconds;  ///< what the file calls the time of the configuration
  std::vector<double> runtimes;   ///< of each repeat
  std::optional<double> build, validate, measure, search, framework;
  std::string timestamp;
  std::optional<double> correctness;
  std::vector<std::string> objectives;
  std::vector<Metric> metrics;
  Json rest = Json::object();  ///< members that have no place here, as they were

  /// What trying it cost [s]; parts that the file lacks count as 0.
  Cost cost() const;
};

struct Recording {
  std::string format;  ///< "T4", "Kernel Tuner cachefile", "KTT output", "Rooftune records"
  std::string kernel, device;
  Json problem_size;  ///< null when the file does not say
  std::string objective = "time";
  std::vector<Knob> knobs;  ///< names and values; numbers ascending unless the file orders them
  std::vector<RecordedResult> results;
  Json rest = Json::object();           ///< members of the file's head that have no place here
  std::vector<std::string> deviations;  ///< from the published form, in words, each once

  /// The recorded configurations as a search space.
  SearchSpace space() const;
  void deviates(const std::string& words);
};

/// What `outcome_member` of an entry says, if it has one; an unknown word is a fault.
std::optional<Outcome> stated_outcome(ObjectReader& entry);

/// Reads any of the formats, plain or gzip; the format is told by the content. Throws Error with
/// every fault and its place: an unknown form, negative or missing times, a configuration twice.
Recording read_recording(const std::filesystem::path& file);
/// The same for a text; `where` names it in faults.
Recording recording_from_text(const std::string& text, const std::string& where);
/// The trials of own records.
Recording recording_of(const StoredStudy& study);

// The readers of the formats, each in its own file; `json` was recognised as theirs.
bool is_t4(const Json& json);
Recording t4_from_json(const Json& json, const std::string& where);
bool is_cachefile(const Json& json);
Recording cachefile_from_json(const Json& json, const std::string& where);
bool is_ktt_output(const Json& json);
Recording ktt_output_from_json(const Json& json, const std::string& where);

/// Collects what a reader finds: knobs with their values, faults of times, configurations twice.
class RecordingBuilder {
 public:
  RecordingBuilder(std::string format, std::string where, Faults& faults);
  /// One configuration; `where` is its place. A value that JSON cannot carry as knob is a fault.
  Configuration configuration(const Json& object, const std::string& where);
  /// A positive, finite number times `unit` [s]; anything else is a fault.
  std::optional<double> seconds(const Json& json, double unit, const std::string& where);
  /// A number that may be 0, times `unit`; absent and null give nothing.
  std::optional<double> cost(const Json& json, double unit, const std::string& where);
  /// Every repeat; empty when absent.
  std::vector<double> runtimes(const Json& json, double unit, const std::string& where);
  void add(RecordedResult result, const std::string& where);
  /// Knobs are those of `order` when given, else of the first configuration; values that no
  /// configuration has stay when `values` lists them.
  Recording finish(const std::vector<std::string>& order = {}, const Json& values = {});

  Recording recording;
  Faults& faults;

 private:
  void collect_values(const std::vector<std::string>& order, const Json& values);
  std::string where_;
  std::map<std::string, std::string> seen_;  ///< key of a configuration -> its place
};

}  // namespace rooftune
