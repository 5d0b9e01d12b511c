// One line of a record file: {"schema": ..., "event": ..., "body": ...}, and the header that begins
// a file. Shared by the writer and the reader; the schema word changes when an old reader would
// misread.
#pragma once
#include <filesystem>
#include <string>

#include "store/record_store.h"

namespace rooftune {

inline constexpr const char* record_schema = "rooftune-record-1";
/// Every schema of records, whatever its version, starts so.
inline constexpr const char* record_family = "rooftune-record-";

/// Event names that the store itself writes; all others belong to their writers.
inline constexpr const char* study_event = "study";
inline constexpr const char* started_event = "started";
inline constexpr const char* trial_event = "trial";
inline constexpr const char* given_up_event = "given up";

Json record(const std::string& event, const Json& body);
Json to_json(const StudyHeader& header);
/// Throws Error with all faults; unknown members are left for newer versions.
StudyHeader header_from_json(const Json& json, const std::string& where);
/// results/records/<kernel>.<backend>.<id>
std::filesystem::path study_directory(const std::filesystem::path& results,
                                      const std::string& kernel, const std::string& backend,
                                      const std::string& id);

}  // namespace rooftune
