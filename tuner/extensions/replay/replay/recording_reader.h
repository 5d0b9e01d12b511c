// What all readers of recorded spaces share.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "core/modules.h"
#include "core/object_reader.h"
#include "core/unique.h"
#include "replay/recording.h"

struct gzFile_s;

namespace rooftune::replay {

/// A file with thousands of results may repeat a fault thousands of times: reading stops after so
/// many.
inline constexpr size_t most_recording_faults = 20;

/// A form's word for an outcome.
struct OutcomeWord {
  const char* word;
  Outcome outcome;
};
inline constexpr OutcomeWord t4_outcomes[]{
    {"correct", Outcome::ok},           {"timeout", Outcome::timed_out},
    {"compile", Outcome::build_failed}, {"correctness", Outcome::wrong_result},
    {"runtime", Outcome::crashed},      {"constraints", Outcome::pruned}};
/// Failures only; the first stands for outcomes without a word.
inline constexpr OutcomeWord cachefile_outcomes[]{
    {"RuntimeFailedConfig", Outcome::crashed},
    {"CompilationFailedConfig", Outcome::build_failed},
    {"InvalidConfig", Outcome::pruned}};
inline constexpr OutcomeWord ktt_outcomes[]{{"Ok", Outcome::ok},
                                            {"CompilationFailed", Outcome::build_failed},
                                            {"ValidationFailed", Outcome::wrong_result},
                                            {"DeviceLimitsExceeded", Outcome::out_of_memory},
                                            {"ComputationFailed", Outcome::crashed}};

/// A form's member for a part of a trial's cost, in its unit of time.
struct CostMember {
  const char* name;
  std::optional<double> RecordedResult::*cost;
};
using CostMembers = std::span<const CostMember>;
inline constexpr CostMember t4_costs[]{{"compilation_time", &RecordedResult::build},
                                       {"framework", &RecordedResult::framework},
                                       {"search_algorithm", &RecordedResult::search},
                                       {"validation", &RecordedResult::validate},
                                       {"benchmark", &RecordedResult::measure}};
inline constexpr CostMember cachefile_costs[]{{"compile_time", &RecordedResult::build},
                                              {"verification_time", &RecordedResult::validate},
                                              {"benchmark_time", &RecordedResult::measure},
                                              {"strategy_time", &RecordedResult::search},
                                              {"framework_time", &RecordedResult::framework}};
/// Compilation is most of KTT's overhead.
inline constexpr CostMember ktt_costs[]{{"SearcherOverhead", &RecordedResult::search},
                                        {"ValidationOverhead", &RecordedResult::validate},
                                        {"TotalOverhead", &RecordedResult::build},
                                        {"DataMovementOverhead", &RecordedResult::framework}};

/// Reads one format: first the file's head, then its results one by one. Collects the knobs with
/// their values, and reports bad times and repeated configurations.
class RecordingReader : Unique {
 public:
  RecordingReader(std::string format, std::string where, Faults& faults);
  virtual ~RecordingReader() = default;
  virtual void head(ObjectReader&) {}
  virtual void result(ObjectReader&) {}
  void add(RecordedResult result, const std::string& where);
  /// Throws Error when there was any fault.
  Recording finish();

  Recording recording;

 protected:
  /// A positive, finite time in the file's unit, as seconds; anything else is a fault.
  std::optional<double> seconds(const Json& json, const std::string& where);
  /// Members that are times in the file's unit, possibly 0, as seconds; absent and null give
  /// nothing.
  void costs(ObjectReader& object, CostMembers members, RecordedResult& result);
  /// The unit of time that the member names, in seconds; a fault where it names none.
  std::optional<double> unit_in(ObjectReader& object, const std::string& key);
  /// Every repeat; empty when absent.
  Numbers runtimes(ObjectReader& object, const std::string& key);

  Faults& faults_;
  double unit_ = 1e-3;  ///< unit of the file's times [s]
  Texts names_;         ///< the knobs' names, in order; empty: as in the first configuration
  Json values_;         ///< value lists by knob: unused values stay

 private:
  void collect_values();
  std::string where_;
  /// Results by configuration; values are equal as in Python: 0, 0.0 and False are one.
  std::set<size_t, std::function<bool(size_t, size_t)>> seen_;
};

/// Seconds per unit: "ms", "milliseconds", "miliseconds", "Microseconds", "us", "ns", "s", ...
std::optional<double> time_unit(const std::string& word);

/// The readers, one for each format.
using NewRecordingReader = std::unique_ptr<RecordingReader>(const std::string& where,
                                                            Faults& faults);
NewRecordingReader t4_reader, cachefile_reader, ktt_reader;

/// A file's bytes, expanded when it begins as gzip files do (under any name). Throws Error:
/// unreadable, damaged or truncated, more than `limit` bytes, or expanding as only a bomb does.
/// Bytes after the last gzip member are ignored, as by zlib.
class CompressedFile : public ByteSource {
 public:
  explicit CompressedFile(const fs::path& file, size_t limit = size_t{1} << 31);
  std::string_view next() override;
  /// Reads the rest, so a damaged file is reported as damaged, not as what its contents look like.
  void drain();

 private:
  struct Close {
    void operator()(gzFile_s* stream) const;
  };
  /// Throws Error for the stream's latest fault, if any.
  void check() const;

  std::string where_;
  size_t limit_, given_ = 0;
  std::unique_ptr<gzFile_s, Close> stream_;
  std::array<char, 1 << 16> block_;
};

}  // namespace rooftune::replay
