// tune records: what becomes of the records once they are written.
#include <fmt/format.h>

#include "cli/options.h"
#include "store/study_store.h"

namespace rooftune::inline cli {
namespace {

std::filesystem::path results_with_records(const std::string& option) {
  std::filesystem::path results = std::filesystem::absolute(results_directory(option));
  if (!std::filesystem::exists(results / "records"))
    throw Error("there are no records", (results / "records").string(),
                "name the directory with --results");
  return results;
}

int index_records(const RecordsOptions& options) {
  const std::filesystem::path results = results_with_records(options.results);
  rebuild_index(results);
  fmt::print("wrote {}\n", (results / "index.sqlite").string());
  return 0;
}

}  // namespace

int records_command(const RecordsOptions& options) { return index_records(options); }

}  // namespace rooftune::inline cli
