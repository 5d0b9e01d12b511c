// Search spaces as files, for kernels, for whole programs, and in forms that extensions add.
#pragma once
#include <filesystem>
#include <functional>
#include <string>

#include "core/json.h"
#include "space/search_space.h"

namespace rooftune::space {

/// Reads search_spaces/<kernel>.<backend>.json ("rooftune-space-1"), evaluates value lists,
/// defaults and applicability with `facts`. Throws Error with all faults.
SearchSpace read_space(const fs::path& file, const Facts& facts);
/// Also a space in a form that an extension added.
SearchSpace space_from_json(const Json& json, const std::string& where, const Facts& facts);
/// Whether a knob chooses among compilers: the space needs compilers_fact then.
bool chooses_compiler(const Json& space);
/// The back end in a whole program's space.
inline constexpr const char* command_space = "command";
/// Such a space's file, completed: it need not write its program, nor its knobs' kinds, since all
/// are placeholders. Throws Error where it cannot be read.
Json read_command_space(const fs::path& file, const std::string& name);

/// Returns what `make` returns. Its errors about the space `name`, or a knob or constraint in it,
/// are thrown about the file `where` and that knob or constraint.
SearchSpace space_of_file(const std::string& name, const std::string& where,
                          const std::function<SearchSpace()>& make);

/// A form that search-space files may have besides Rooftune's own.
struct SpaceForm {
  bool (*recognises)(const Json& json) = nullptr;
  /// Throws Error with all faults.
  SearchSpace (*read)(const Json& json, const std::string& where) = nullptr;
};
/// Before any thread starts.
void add_space_form(const SpaceForm& form);

}  // namespace rooftune::space
