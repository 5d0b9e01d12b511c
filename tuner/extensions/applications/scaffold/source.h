// A source as its compiler reads it: preprocessed, with the text from the user's files alone.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "build/artefact.h"
#include "core/modules.h"

namespace rooftune::scaffold {

struct SourceText {
  /// Macros are expanded, branches are chosen, the user's headers replace their #include lines; the
  /// #include lines for system headers stay.
  std::string text;
  build::Language language = build::Language::cpp;
  /// The text from `begin` on comes from `file`, from line `number` on.
  struct Origin {
    size_t begin;
    std::string file;
    int64_t number;
  };
  std::vector<Origin> origins;  ///< in order of `begin`

  Origin at(size_t position) const;
  /// "src/lulesh.h:12".
  std::string place(size_t position) const;
};

/// Runs the preprocessor for the source's language. `flags`: from the user's build; if empty, they
/// come from a compile_commands.json beside the file, above it or in a folder `build` there. Throws
/// Error with the compiler's first error.
SourceText preprocessed(const fs::path& file, Texts flags = {});

/// Replaces the range [begin, end) in a text.
struct Edit {
  size_t begin, end;
  std::string text;
};
using Edits = std::vector<Edit>;
/// Applies all edits at once; no edit may reach into another. Edits at the same place keep their
/// order.
std::string edited(const std::string& text, Edits edits);

}  // namespace rooftune::scaffold
