// The commands that build an artefact's library from its shim, and what their ends mean.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "build/artefact.h"
#include "os/subprocess.h"

namespace rooftune::build {

inline constexpr const char* library_file = "variant.so";
/// Kernels for a GPU, and their compiler's log.
inline constexpr const char* image_file = "kernels.image";
inline constexpr const char* kernels_log = "kernels.log";

/// A compiler's command, to run in `folder`.
Command command_in(const fs::path& folder, double limit_seconds);
/// The commands from `source` to variant.so in `folder`; `libraries` may hold sources, too.
Commands commands(const std::string& compiler, const Texts& flags, const std::string& source,
                  const Texts& libraries, const fs::path& folder, double limit_seconds);
/// Runs the commands until one fails, with `weaving` woven in between; fills log and error. The
/// error leaves `source_folder` out of file names.
void compile(const Commands& steps, const fs::path& source_folder,
             const std::optional<Weaving>& weaving, Artefact& artefact);
/// Whether a compiler, or a program that it runs, was killed or found no memory: that alone is no
/// fault in the sources. A compiler's own crash is one.
bool failed_from_outside(const ExitStatus& status, const std::string& log);
/// Whether this line from a compiler or linker says what is wrong.
bool names_error(const std::string& line);
/// The first line in a log that names an error, without the names of `folders`; else the first line
/// at all. A driver's summary ("linker command failed") comes last.
std::string first_error(const std::string& log, const Paths& folders);
/// Writes without fsync: the folder counts only when it is sealed. Throws Error.
void write_plainly(const fs::path& file, const std::string& text);
/// Throws Error where a compiler has found the disk full.
void check_room(const std::string& log, const fs::path& directory);

}  // namespace rooftune::build
