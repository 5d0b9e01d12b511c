// Events as the lines of a record file: {"schema": ..., "event": ..., "body": ...}. docs/records.md
// describes every body, docs/schema/record.schema.json holds the rules.
#pragma once
#include <optional>
#include <string>

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

}  // namespace rooftune::store
