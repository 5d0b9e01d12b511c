#include "study/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/file.h"
#include "core/folder.h"
#include "core/hash.h"
#include "core/list.h"
#include "core/split.h"
#include "store/record_writer.h"
#include "store/study_store.h"

namespace rooftune::study {
namespace {

/// "label" and "text" from each "label = text" in a dump; a text may go on over several lines.
TextPairs parts_of(const std::string& dump) {
  TextPairs parts;
  for (const std::string& line : split(dump))
    if (const size_t equals = line.find(" = "); equals != std::string::npos)
      parts.emplace_back(line.substr(0, equals), line.substr(equals + 3));
    else if (!parts.empty())
      parts.back().second += "\n" + line;
  return parts;
}

/// Labels that concern the search alone: the same variants, found another way.
bool is_of_search(const std::string& label) {
  static const TextSet labels{"strategy", "seed"};
  return labels.contains(label);
}

fs::path file_of(const fs::path& results, const std::string& key) {
  return baseline_folder(results) / (key + ".json");
}

Baseline baseline_from_file(const fs::path& file) {
  Json json = read_json(file);
  if (json.is_object() && json.contains("setup"))
    bring_parts(file.parent_path().parent_path() / "records", json["setup"]);
  return decoded<Baseline>(json, file.string());
}

}  // namespace

std::string series_key(const StudyHeader& header, double amortize) {
  LabelledHash hash;
  hash.add("machine id", header.machine_id)
      .add("problem", json_text(header.problem))
      .add("threads", std::to_string(header.threads))
      .add("cache state", header.cache_state)
      .add("amortize", fmt::format("{}", amortize));
  return fmt::format("{}.{}.{}.{}", header.kernel, header.backend, header.machine,
                     hash.hex().substr(0, 12));
}

fs::path baseline_folder(const fs::path& results) { return results / "baselines"; }

std::optional<Baseline> read_baseline(const fs::path& results, const std::string& key) {
  const fs::path file = file_of(results, key);
  if (!fs::exists(file)) return std::nullopt;
  return baseline_from_file(file);
}

Baselines read_baselines(const fs::path& results, Texts& faults) {
  Baselines all;
  for (const fs::path& file : files_in(baseline_folder(results), ".json")) try {
      all.push_back(baseline_from_file(file));
    } catch (const Error& error) {
      faults.emplace_back(error.what());
    }
  return all;
}

void write_baseline(const fs::path& results, const Baseline& baseline) {
  folder_below(results, baseline_folder({}));
  Json json = encode(baseline);
  keep_parts(results / "records", json["setup"]);
  write_atomically(file_of(results, baseline.key), json_text(json, 1) + "\n");
}

Against compared(const Estimate& ratio, double threshold) {
  if (ratio.low > 1 && ratio.value >= 1 + threshold) return Against::slower;
  if (ratio.high < 1 && ratio.value <= 1 - threshold) return Against::faster;
  if (ratio.high <= 1 + threshold) return Against::same;
  return Against::unknown;
}

Texts changed_parts(const std::string& before, const std::string& after) {
  const auto old = parts_of(before);
  Texts changed;
  for (const auto& [label, text] : parts_of(after)) {
    if (is_of_search(label)) continue;
    const auto* const same =
        first_where(old, [&](const auto& part) { return part.first == label; });
    if (!same || same->second != text) changed.push_back(label);
  }
  return changed;
}

Texts differing_parts(const std::string& before, const std::string& after) {
  Texts parts = changed_parts(before, after);
  for (std::string& part : changed_parts(after, before)) add_once(parts, std::move(part));
  return parts;
}

}  // namespace rooftune::study
