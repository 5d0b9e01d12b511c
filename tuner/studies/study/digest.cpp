#include "study/digest.h"

#include <fmt/format.h>

#include "core/file.h"
#include "search/strategy.h"
#include "store/kept_parts.h"
#include "study/analyse.h"
#include "study/model.h"

namespace rooftune::study {
namespace {

namespace fs = std::filesystem;

constexpr const char *digest_file = "digest.json", *digest_schema = "rooftune-digest-1";

/// Record files are only appended to: others have another size, and those mended by hand another
/// time. Another version may come to another result.
Json origin(const std::vector<fs::path>& files) {
  Json all = Json::array({digest_schema, core::version});
  std::error_code gone;
  for (const fs::path& file : files)
    all.push_back({file.filename().string(), fs::file_size(file, gone),
                   fs::last_write_time(file, gone).time_since_epoch().count()});
  return all;
}

StudyDigest digest_of(const StudyRecord& record, const StudyResult& result) {
  StudyDigest digest;
  digest.head.header = record.header;
  digest.head.setup = record.setup;
  digest.head.newer = record.newer;
  const std::vector<Trial>& trials = record.history.trials();
  digest.trials = trials.size();
  digest.fingerprint = fmt::format("{:016x}", record.history.fingerprint(trials.size()));
  if (!trials.empty()) digest.last = trials.back().started;
  for (const Trial* trial : record.history.fastest(most_of_a_study))
    digest.fastest.push_back(trial->configuration);
  if (result.best) digest.best = result.best->seconds.value;
  digest.inconclusive = result.inconclusive;
  return digest;
}

void write(const StudyDigest& digest, const fs::path& folder, const Json& of) {
  try {
    Json json = encode(digest);
    keep_parts(folder.parent_path(), json["setup"]);
    json["of"] = of;
    write_atomically(folder / digest_file, json_text(json) + "\n");
  } catch (const Error&) {
    // Results that only others may write.
  }
}

std::optional<StudyDigest> kept(const fs::path& folder, const Json& of) {
  try {
    Json json = read_json(folder / digest_file);
    if (!json.is_object() || json.value("of", Json()) != of) return std::nullopt;
    bring_parts(folder.parent_path(), json.at("setup"));
    return decoded<StudyDigest>(json, (folder / digest_file).string());
  } catch (const std::exception&) {
    return std::nullopt;  // None, or it was damaged.
  }
}

}  // namespace

std::optional<StudyDigest> read_digest(const fs::path& results, const StudyFiles& study) {
  const fs::path folder = study.files.front().parent_path();
  const Json of = origin(study.files);
  if (auto digest = kept(folder, of)) return digest;
  auto record = read_study(results, study.kernel, study.backend, study.id);
  if (!record) return std::nullopt;
  if (!record->setup || !record->newer.empty()) return digest_of(*record, {});
  StudyResult result;
  try {
    remove_impossible_entries(*record, space_of(*record));
    result = analyse(*record);
  } catch (const Error& error) {
    result.inconclusive = {error.what()};
  }
  StudyDigest digest = digest_of(*record, result);
  write(digest, folder, of);
  return digest;
}

void keep_digest(const fs::path& results, const StudyRecord& record, const StudyResult& result) {
  const fs::path folder = study_directory(results, record.header);
  write(digest_of(record, result), folder, origin(records_in(folder)));
}

}  // namespace rooftune::study
