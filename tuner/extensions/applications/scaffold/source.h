// A source as its compiler reads it: behind the preprocessor, and of the user's files alone.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "build/artefact.h"
#include "core/modules.h"

namespace rooftune::scaffold {

struct SourceText {
  /// Macros are expanded, branches are chosen, the user's headers stand in place of their #include
  /// lines; those of the system stay such lines.
  std::string text;
  build::Language language = build::Language::cpp;
  /// The lines of `text` from `begin` on come from `file`, from line `number` on.
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

/// Runs the preprocessor of the source's language. `flags`: those of its own build; without any
/// those of a compile_commands.json beside it, above it or in a folder `build` there, are taken.
/// Throws Error with the compiler's first error.
SourceText preprocessed(const fs::path& file, Texts flags = {});

/// The range [begin, end) of a text gives way to other text.
struct Edit {
  size_t begin, end;
  std::string text;
};
/// All edits at once; none may reach into another. Those of one place come in their order.
std::string edited(const std::string& text, std::vector<Edit> edits);

}  // namespace rooftune::scaffold
