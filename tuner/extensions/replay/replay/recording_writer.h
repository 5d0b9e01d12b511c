// Writers of recorded spaces in the forms of the field, for use of others' and Rooftune's
// measurements anywhere. The caller writes the text, atomically.
#pragma once
#include <string>
#include <vector>

#include "replay/module.h"
#include "replay/recording.h"

namespace rooftune::replay {

/// One row per format: the visible table is in recording_writer.cpp.
struct RecordingFormat {
  const char* name;
  const char* summary;
  std::string (*write)(const Recording&);
};
const std::vector<RecordingFormat>& recording_formats();
/// nullptr for an unknown name.
const RecordingFormat* find_recording_format(const std::string& name);

/// T4 results, valid against the community's schema 1.0.0; times in milliseconds.
std::string t4_text(const Recording& recording);
/// A cachefile for Kernel Tuner's simulation mode; times in milliseconds.
std::string cachefile_text(const Recording& recording);
/// One line per configuration; times in seconds.
std::string csv_text(const Recording& recording);

}  // namespace rooftune::replay
