#include "study/find_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "core/value.h"
#include "kernel/kernel.h"
#include "os/paths.h"
#include "search/strategy.h"
#include "store/record_writer.h"
#include "store/study_store.h"
#include "study/baseline.h"
#include "study/model.h"
#include "study/result.h"

namespace rooftune::study {
namespace {

bool holds(const Json& problem, const InputSpec& input) {
  for (const auto& [name, wanted] : input.parameters) {
    if (!problem.contains(name)) return false;
    const Value value = value_from_json(problem.at(name));
    const std::string text = to_text(wanted);
    // A path may have been given relative to another directory.
    if (value == wanted || value == parse_value(text) || to_text(value) == text) continue;
    std::error_code ignored;
    if (!value.is_text() || !fs::equivalent(value.text(), text, ignored)) return false;
  }
  return true;
}

RecordFilter by_name(RecordFilter filter) {
  if (contains(filter.kernel, '/'))
    filter.kernel = file_name(fs::absolute(filter.kernel).lexically_normal());
  return filter;
}

/// Looks for studies.
struct Finder {
  const fs::path& results;
  const RecordFilter filter;
  TextSet kernels = {};   ///< all studies'
  TextSet machines = {};  ///< those of the studies whose names match

  bool has_problem(const Json& problem) const {
    if (!problem.is_array())
      return filter.inputs.size() < 2 &&
             all_of(filter.inputs, [&](const InputSpec& input) { return holds(problem, input); });
    const auto has = [&](const InputSpec& wanted) {
      return any_of(problem, [&](const Json& input) { return holds(input, wanted); });
    };
    return filter.inputs.size() != 1 && all_of(filter.inputs, has);
  }

  /// The studies whose folders' names match.
  std::vector<StudyFiles> named_so() {
    const auto is_any = [](const std::string& wanted, const std::string& name) {
      return wanted.empty() || wanted == name;
    };
    return filtered(study_files(results), [&](const StudyFiles& files) {
      kernels.insert(files.kernel);
      return is_any(filter.kernel, files.kernel) && is_any(filter.backend, files.backend) &&
             files.id.starts_with(filter.id);
    });
  }

  bool matches(const StudyHeader& header) const {
    if (!filter.machine.empty() && header.machine != filter.machine) return false;
    if (filter.threads > 0 && header.threads != filter.threads) return false;
    if (filter.cache && header.cache_state != word(*filter.cache)) return false;
    return has_problem(header.problem);
  }

  bool matches(const StudyRecord& head, size_t trials) const {
    return trials > 0 && matches(head.header) &&
           (filter.amortize == 0 || (head.setup && head.setup->amortize == filter.amortize));
  }

  /// Judges by the first line, so that few of the studies stored over years are read whole. True
  /// where that line cannot be read; the rest may say more.
  bool may_match(const StudyFiles& files) {
    try {
      const StudyHeader header = read_header(files);
      machines.insert(header.machine);
      return matches(header);
    } catch (const Error&) {
      return true;
    }
  }

  /// Throws Error.
  [[noreturn]] void nothing_found() const {
    const bool more =
        !filter.inputs.empty() || filter.threads > 0 || filter.cache || filter.amortize > 0;
    const std::string kernel = filter.kernel.empty() ? "" : " of kernel " + filter.kernel;
    const std::string id =
        filter.id.empty() ? "" : fmt::format(" whose id begins with \"{}\"", filter.id);
    if (!machines.empty() && !filter.machine.empty() && !machines.contains(filter.machine))
      throw Error(
          fmt::format("no study{}{} on machine {} is on record here", kernel, id, filter.machine),
          (results / "records"),
          fmt::format("there are studies on {}: --machine", joined(machines)));
    throw Error(fmt::format("no study{}{}{} is on record here", kernel, id,
                            more ? " with that problem or options" : ""),
                (results / "records"),
                kernels.empty()
                    ? "run tune --kernel NAME first, or name its directory with --results"
                : !filter.id.empty() ? "tune list studies shows the ids"
                : kernels.contains(filter.kernel)
                    ? fmt::format("there are studies of: {}", joined(kernels))
                    : did_you_mean(filter.kernel, {kernels.begin(), kernels.end()}));
  }
};

constexpr const char *digest_file = "digest.json", *digest_schema = "rooftune-digest-1";

/// From what a digest was made: record files are only appended to, so changed ones have another
/// size, and those mended by hand another time. Another version may come to another result.
Json origin(const Paths& files) {
  Json all = Json::array({digest_schema, core::version});
  std::error_code gone;
  for (const fs::path& file : files)
    all.push_back({file_name(file), fs::file_size(file, gone),
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
    // Only others may write these results.
  }
}

std::optional<StudyDigest> kept(const fs::path& folder, const Json& of) {
  try {
    Json json = read_json(folder / digest_file);
    if (json.at("of") != of) return std::nullopt;
    bring_parts(folder.parent_path(), json.at("setup"));
    return decoded<StudyDigest>(json, (folder / digest_file).string());
  } catch (const std::exception&) {
    return std::nullopt;  // None, or it was damaged.
  }
}

}  // namespace

RecordFilter filter_of(const StudySpec& spec, const std::string& id) {
  RecordFilter filter{spec, id, spec.inputs, spec.cache, spec.amortize};
  if (!id.empty() && spec.machine == StudySpec().machine) filter.machine.clear();
  return filter;
}

std::vector<StudyDigest> find_studies(const fs::path& results, const RecordFilter& given) {
  Finder finder{results, by_name(given)};
  std::vector<StudyDigest> found;
  for (const StudyFiles& files : finder.named_so()) {
    if (!finder.may_match(files)) continue;
    auto study = read_digest(results, files);
    if (study && finder.matches(study->head, study->trials)) found.push_back(std::move(*study));
  }
  stable_sort(found, {}, &StudyDigest::last);
  if (!found.empty()) return found;
  finder.nothing_found();
}

StudyRecord find_study(const fs::path& results, const RecordFilter& given) {
  Finder finder{results, by_name(given)};
  std::vector<StudyFiles> all = finder.named_so();
  stable_sort(all, std::greater<>(), &StudyFiles::latest);
  for (const StudyFiles& files : all) {
    if (!finder.may_match(files)) continue;
    auto study = read_study(results, files);
    if (study && finder.matches(*study, study->history.size()))
      return with_model(std::move(*study));
  }
  finder.nothing_found();
}

StudyRecord with_model(StudyRecord study) {
  remove_impossible_entries(study, space_of(study));
  for (const std::string& change : changes_since(study))
    study.notes.push_back(change + "; this is the study's own model");
  return study;
}

Difference difference_from_latest(const fs::path& results, const StudyHeader& header) {
  try {
    const StudyRecord latest = find_study(results, {{header.kernel, header.backend}});
    return {latest.header.id, differing_parts(latest.header.explanation, header.explanation)};
  } catch (const Error&) {
    return {};  // Nothing is on record.
  }
}

std::optional<StudyDigest> read_digest(const fs::path& results, const StudyFiles& study) {
  const fs::path folder = study.files.front().parent_path();
  const Json of = origin(study.files);
  if (auto digest = kept(folder, of)) return digest;
  auto record = read_study(results, study);
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
