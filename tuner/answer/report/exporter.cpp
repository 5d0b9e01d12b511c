// The exporters: a C and C++ header, the file that rooftune/rooftune.h reads, and starting points
// for studies elsewhere.
#include "report/exporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "core/fields.h"
#include "core/file.h"
#include "core/list.h"
#include "core/split.h"
#include "core/text.h"
#include "report/answer.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/study_evidence.h"
#include "report/study_tables.h"
#include "study/best_known.h"
#include "study/find_study.h"

namespace rooftune::report {
namespace {

/// Throws Error where nothing was validated and measured.
const Contender& best_of(const StudyResult& result) {
  if (!result.best)
    throw Error("study " + result.header.id + " has no validated configuration to export",
                result.header.kernel, "tune it again; `tune report` tells why every trial failed");
  return *result.best;
}

/// What an application falls back to. The space knows it even where the baseline could not be
/// measured.
Configuration defaults_of(const StudyResult& result) {
  if (result.baseline) return result.baseline->configuration;
  Configuration defaults = best_of(result).configuration;
  for (const Knob& knob : result.space.knobs) defaults.set(knob.name, knob.fallback);
  return defaults;
}

/// A C string literal; bytes beyond ASCII become octal numbers, always three digits long.
std::string literal(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = uint8_t(c);
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (byte < 0x20 || byte >= 0x7F || c == '?')
      out += fmt::format("\\{:03o}", byte);
    else
      out += c;
  }
  return out + '"';
}

Json knobs_json(const Knobs& knobs) {
  Json json = Json::object();
  for (const Knob& knob : knobs) {
    Json entry{{"kind", to_text(knob.kind)}, {"values", encode(knob.values)}};
    if (!knob.setting.empty()) entry["setting"] = knob.setting;
    if (!knob.doc.empty()) entry["doc"] = knob.doc;
    json[knob.name] = entry;
  }
  return json;
}

/// Bytes in one instance by level, from an identity's text: "L1 48 KiB x 2, L2 1024 KiB x 2".
Json caches_json(const std::string& text) {
  Json caches = Json::object();
  for (const std::string& part : split(text, ',')) {
    std::istringstream words(part);
    std::string level;
    int64_t kibibytes = 0;
    if (words >> level >> kibibytes) caches[level] = kibibytes * 1024;
  }
  return caches;
}

/// Data by which an application judges whether the configuration may serve on its machine.
Json class_json(const Machine& machine) {
  Json json = encode(machine_class(machine));
  const auto& identity = machine.identity;
  int64_t threads = 0;
  if (identity.contains("cpus") && std::istringstream(identity.at("cpus")) >> threads)
    json["threads"] = threads;
  if (identity.contains("caches"))
    if (Json caches = caches_json(identity.at("caches")); !caches.empty()) json["caches"] = caches;
  return json;
}

/// Ties and warnings for those who use the export.
Texts notes_of(const StudyResult& result) {
  Texts notes;
  if (result.inputs)
    notes.push_back(fmt::format("{} The times here are those of input {}.",
                                inputs_sentence(*result.inputs), result.inputs->shown + 1));
  if (const std::string tie = tie_sentence(result); !tie.empty()) notes.push_back(tie);
  append(notes, result.notes);
  return notes;
}

Json provenance_json(const StudyResult& result, const Texts& flags) {
  const StudyHeader& study = result.header;
  const Contender& best = *result.best;
  FieldWriter all;
  all("study", study.id)("date", result.date)("tool", "rooftune " + result.setup.version);
  ROOFTUNE_EACH(all, study, strategy, seed);
  all("threads", result.roofline.threads)("cache", study.cache_state)("compiler",
                                                                      result.setup.compiler);
  all("seconds", best.seconds)("speedup", result.speedup);
  all.sparse("figures", further_figures(result, best.trial));
  Json of_bound, of_gap;
  // Without work or traffic there is no limit.
  if (const Bound& bound = result.bound; bound.known()) {
    Texts ceilings{bound.ceiling};
    append(ceilings, bound.also);
    FieldWriter source, gap;
    ROOFTUNE_EACH(source, bound.source, kind, text, date);
    of_bound = {{"seconds", bound.time.value()}, {"ceilings", ceilings}, {"source", source.json}};
    gap("total", best.gap.total.value);
    ROOFTUNE_EACH(gap, best.gap.total, low, high);
    ROOFTUNE_EACH(gap, best.gap, work, traffic, rate);
    of_gap = gap.json;
  }
  all("bound", of_bound)("gap", of_gap);
  FieldWriter verdict;
  verdict("sentence", headline(claims(result)))("conclusive", result.inconclusive.empty());
  ROOFTUNE_EACH(verdict, result, inconclusive, baseline_stands);
  return all("verdict", verdict.json)("flags", flags)("notes", notes_of(result)).json;
}

}  // namespace

std::string header_export(const StudyResult& result, const Texts& flags) {
  const std::string prefix = "ROOFTUNE_" + macro_word(result.header.kernel) + "_";
  TextSet taken;
  std::string lines;
  // Different names may become the same word ("a-b", "a_b"): it stays with its first owner.
  const auto define = [&](const std::string& name, const std::string& value) {
    if (taken.insert(name).second) lines += fmt::format("#define {}{} {}\n", prefix, name, value);
  };
  for (const auto& [name, value] : best_of(result).configuration.values()) {
    const std::string macro = macro_word(name);
    if (value.is_text()) {
      define(macro + "_" + macro_word(value.text()), "1");
      define(macro + "_TEXT", literal(value.text()));
    } else if (!value.is_list()) {
      define(macro, value.is_bool() ? std::to_string(value.truth()) : to_text(value));
    }
  }
  if (!flags.empty()) define("FLAGS", literal(joined(flags, " ")));
  define("STUDY", literal(result.header.id));
  define("MACHINE_ID", literal(result.roofline.machine.id));
  return fmt::format(
      "/* Written by `tune export`: include it, do not edit it. `--format json` has more. */\n"
      "#ifndef {0}TUNED_H\n#define {0}TUNED_H\n\n{1}\n#endif\n",
      prefix, lines);
}

std::string json_export(const StudyResult& result, const Texts& flags) {
  const Machine& machine = result.roofline.machine;
  Json json{{"schema", "rooftune-export-1"},
            {"kernel", result.header.kernel},
            {"backend", result.header.backend},
            {"machine",
             {{"name", machine.name},
              {"id", machine.id},
              {"class", class_json(machine)},
              {"identity", machine.identity}}},
            {"problem", facts_json(result.problem)},
            {"configuration", to_json(best_of(result).configuration)},
            {"defaults", to_json(defaults_of(result))},
            {"knobs", knobs_json(result.space.knobs)},
            {"provenance", provenance_json(result, flags)}};
  if (result.inputs)
    for (const InputRow& row : result.inputs->rows)
      json["problems"].push_back(facts_json(row.problem));
  return json_text(json, 2) + '\n';
}

std::string best_known_export(const StudyResult& result, const Texts&) {
  const StudyHeader& study = result.header;
  const Contender& best = best_of(result);
  if (result.inputs)
    throw Error("a study of several inputs has no one problem to be known for", study.kernel,
                "export a study of one of them");
  if (!result.bound.known())
    throw Error("this study has no bound, and such an entry says how far from it the best is",
                study.kernel, "state what a run does at least: --work, --traffic");
  KnownBest entry;
  entry.machine = machine_class(result.roofline.machine);
  entry.problem = result.problem;
  const Configuration defaults = defaults_of(result);
  for (const auto& [name, value] : best.configuration.values())
    if (!defaults.has(name) || defaults.at(name) != value) entry.difference.set(name, value);
  entry.seconds = best.seconds.value;
  if (result.speedup) entry.over_baseline = result.speedup->value;
  entry.gap = best.gap.total.value;
  entry.compiler = result.setup.compiler;
  entry.date = result.date;
  entry.version = result.setup.version;
  entry.study = study.id;
  return json_text(encode(BestKnown{study.kernel, study.backend, {entry}}), 1) + '\n';
}

std::string joined_best_known(const fs::path& before, const std::string& text) {
  BestKnown known = decoded<BestKnown>(read_json(before), before.string());
  const BestKnown more = decoded<BestKnown>(parse_json(text, "export"), "export");
  if (known.kernel != more.kernel || known.backend != more.backend)
    throw Error("this file is of " + known.kernel + ", back end " + known.backend, before,
                "name " + more.kernel + "." + more.backend + ".json");
  for (const KnownBest& entry : more.entries) add(known, entry);
  return json_text(encode(known), 1) + '\n';
}

int x86_simd_bits(const Machine& machine) {
  return contains(machine.features, "avx2") ? machine.simd_bits : 0;
}

const char* isa_flag(int simd_bits) {
  return simd_bits >= 512 ? "-march=x86-64-v4" : simd_bits >= 256 ? "-march=x86-64-v3" : nullptr;
}

}  // namespace rooftune::report
