#include "study/own_code.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/list.h"
#include "core/pattern.h"
#include "core/split.h"
#include "kernel/kernel.h"
#include "os/paths.h"
#include "os/subprocess.h"
#include "store/record_reader.h"
#include "store/study_store.h"

namespace rooftune::study {
namespace {

bool is_program(const StudyRecord& record) { return record.header.backend == command_backend; }

fs::path list_of_own() { return cache_directory() / "tuned_here"; }

/// Id, and the code to run: somebody else's record may name other code under this user's id.
std::string line_of(const StudyRecord& record) {
  const StudySetup& setup = record.require_setup();
  Json code = is_program(record) ? Json(setup.command) : Json(setup.kernel_folder.string());
  return record.header.id + " " + json_text(code);
}

bool is_tuned_here(const std::string& wanted) {
  require_private(cache_directory(), "ROOFTUNE_CACHE");
  return contains(split(text_if_readable(list_of_own())), wanted);
}

Paths files_of_program(const StudySetup& setup) {
  Paths files{fs::current_path()};
  // "./app {b}", "command:./check.sh", "LD_PRELOAD=./own.so"
  static const Pattern blanks("\\s+"), signs("[\\s:=,;'\"()]+");
  for (const std::string& typed : setup.command)
    for (const Pattern* const between : {&blanks, &signs})
      for (const std::string& word : between->split(typed))
        if (is_file(word)) add_once(files, fs::path(word));
  return files;
}

Paths files_of_kernel(const fs::path& folder) {
  Paths files{folder};
  append(files, entries_of<fs::recursive_directory_iterator>(folder));
  return files;
}

}  // namespace

void remember_own_code(const StudyRecord& record) {
  try {
    const std::string line = line_of(record);
    if (is_tuned_here(line)) return;
    make_private(cache_directory(), "ROOFTUNE_CACHE");
    const Descriptor file(open(list_of_own().c_str(),
                               O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                               0600));
    // One write, for several runs may end at once. A torn line matches no study.
    const std::string text = line + "\n";
    if (::write(file.get(), text.data(), text.size()) < 0) return;
  } catch (const Error&) {
    // As the header says.
  }
}

void require_own_code(const StudyRecord& record) {
  const bool program = is_program(record);
  const StudySetup& setup = record.require_setup();
  const std::string code =
      program ? "the program" : "the kernel in " + setup.kernel_folder.string();
  constexpr const char* cure =
      "look at it and tune it yourself, which goes on from these records; `tune export "
      "--as-recorded` runs nothing";
  if (!is_tuned_here(line_of(record)))
    throw Error(fmt::format("you have not tuned this study here, and {} that it names would run "
                            "as you",
                            code),
                record.place, cure);
  Paths places{record.place};
  append(places, records_in(record.place));
  append(places, program ? files_of_program(setup) : files_of_kernel(setup.kernel_folder));

  for (const fs::path& place : places)
    if (const std::string why = others_may_change(place); !why.empty())
      throw Error(fmt::format("{}, and {} that the record names would run as you", why, code),
                  place, cure);
}

}  // namespace rooftune::study
