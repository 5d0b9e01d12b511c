// Every study of some results, read whole.
#pragma once
#include "store/record_reader.h"
#include "store/study_store.h"

namespace rooftune {

/// In order of their ids.
inline std::vector<StudyRecord> read_studies(const std::filesystem::path& results) {
  std::vector<StudyRecord> studies;
  for (const StudyFiles& study : study_files(results))
    if (auto record = read_study(results, study)) studies.push_back(std::move(*record));
  return studies;
}

}  // namespace rooftune
