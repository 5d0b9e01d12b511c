// Events as the lines of a record file: {"schema": ..., "event": ..., "body": ...}. docs/records.md
// describes every body, docs/schema/record.schema.json holds the rules.
#pragma once
#include <optional>
#include <string>

#include "core/json.h"
#include "store/study_record.h"

namespace rooftune::store {

/// The schema of written records. It changes when an old reader would misread.
inline constexpr const char* record_schema = "rooftune-record-2";
/// Beginning of every schema of records, of any version.
inline constexpr const char* record_family = "rooftune-record-";

/// "study", "setup", "trial", "race", ...
const char* event_name(const Event& event);
Json body_json(const Event& event);
/// The line of an event.
Json record(const Event& event);
/// nullopt for an unknown event. Throws Error for a malformed body.
std::optional<Event> event_from_json(const std::string& name, const Json& body,
                                     const std::string& where);

/// Throws Error with all faults; unknown members are left for newer versions.
StudyHeader header_from_json(const Json& json, const std::string& where);

/// A machine as a study keeps it: without the probe's raw samples, a quarter of its file and an
/// input of no figure.
Json recorded_machine(Machine machine);
Json to_json(const StudySetup& setup);
/// Throws Error with all faults.
StudySetup setup_from_json(const Json& json, const std::string& where);

}  // namespace rooftune::store
