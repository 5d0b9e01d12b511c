// The exporters: a C and C++ header, the file of rooftune/rooftune.h, lines for shells, and
// starting points for studies elsewhere.
#include "report/exporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "core/estimate_json.h"
#include "core/text.h"
#include "kernel/manifest_reader.h"
#include "report/figures.h"
#include "study/best_known.h"

namespace rooftune::report {
namespace {

/// As the variants see it: capitals, digits and _ only.
std::string macro_word(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    c = std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return text;
}

std::string one_line(const std::string& text) {
  std::string line = plain_text(text);
  for (char& c : line)
    if (c == '\n' || c == '\t') c = ' ';
  return line;
}

/// Inside a block comment: one line, no way out of the comment, no trigraph to join lines.
std::string comment_text(const std::string& text) {
  std::string out;
  for (const char c : one_line(text)) {
    const char last = out.empty() ? ' ' : out.back();
    if ((last == '*' && c == '/') || (last == '/' && c == '*') || (last == '?' && c == '?'))
      out += ' ';
    out += c == '\\' ? ' ' : c;
  }
  return out;
}

/// A C string literal; bytes beyond ASCII as three-digit octal, of fixed length.
std::string literal(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (byte < 0x20 || byte >= 0x7F || c == '?')
      out += fmt::format("\\{:03o}", byte);
    else
      out += c;
  }
  return out + '"';
}

std::string real_literal(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".einf") == std::string::npos) text += ".0";
  return text;
}

/// Source of the values in named lines; unknown ones are absent.
std::vector<std::pair<const char*, std::string>> provenance(const BestConfiguration& best) {
  const ResultIdentity& study = best.identity;
  std::vector<std::pair<const char*, std::string>> lines;
  if (best.problems.empty()) lines.emplace_back("problem", facts_text(best.problem));
  for (const Facts& problem : best.problems) lines.emplace_back("problem", facts_text(problem));
  lines.emplace_back("machine", fmt::format("{} (id {})", best.machine, best.machine_id));
  if (const auto cpu = best.machine_identity.find("cpu"); cpu != best.machine_identity.end())
    lines.emplace_back("cpu", cpu->second);
  if (best.own_figure)
    lines.emplace_back("figure",
                       fmt::format("{} ({})", figure_interval(best.own_figure, best.seconds),
                                   figure_name(best.own_figure)));
  else
    lines.emplace_back("time", seconds_interval(best.seconds) + " per call");
  for (const auto& [name, value] : best.figures)
    lines.emplace_back("figure", fmt::format("{} = {:.6g}", name, value));
  if (best.speedup)
    lines.emplace_back("speed-up", ratio_interval(*best.speedup) + " over the defaults");
  if (best.bound.value() > 0) {
    lines.emplace_back("gap", ratio_interval(best.gap.total) + " from the bound " +
                                  seconds_text(best.bound.value()));
    lines.emplace_back("ceiling",
                       list_text(best.ceilings) + "; " + source_text(best.ceiling_source));
  }
  lines.insert(lines.end(), {{"verdict", verdict_text(best)},
                             {"compiler", study.compiler},
                             {"flags", fmt::format("{}", fmt::join(best.flags, " "))}});
  for (const std::string& setting : settings_to_apply(best)) lines.emplace_back("apply", setting);
  lines.insert(
      lines.end(),
      {{"study", fmt::format("{}, strategy {}, seed {}", study.id, study.strategy, study.seed)},
       {"date", study.date},
       {"tool", "rooftune " + study.version}});
  for (const std::string& note : best.notes) lines.emplace_back("note", note);
  std::erase_if(lines, [](const auto& line) { return line.second.empty(); });
  return lines;
}

std::string comment(const BestConfiguration& best) {
  std::string text = fmt::format(
      "/* Tuned configuration of {} ({}), written by `tune export`: include it, do not edit it.\n"
      " *\n",
      comment_text(best.identity.kernel), comment_text(best.identity.backend));
  for (const auto& [name, line] : provenance(best))
    text += fmt::format(" * {:<9} {}\n", name, comment_text(line));
  return text + " */\n";
}

/// All possible texts of a knob: those of the space and the winner's.
std::vector<std::string> texts_of(const Knob& knob, const std::string& chosen) {
  std::vector<std::string> texts;
  for (const Value& one : knob.values)
    if (one.is_text()) texts.push_back(one.text());
  if (std::ranges::find(texts, chosen) == texts.end()) texts.push_back(chosen);
  return texts;
}

/// Without name and values where the space does not know it.
Knob knob_named(const BestConfiguration& best, const std::string& name) {
  const auto known = std::ranges::find(best.knobs, name, &Knob::name);
  return known != best.knobs.end() ? *known : Knob();
}

std::string scalar(const Value& value) {
  if (value.is_bool()) return value.truth() ? "1" : "0";
  return value.is_real() ? real_literal(value.real()) : to_text(value);
}

/// The #define lines; a name in use stays with its first owner. Different texts may become the same
/// word ("a-b", "a_b"): the later one then has a number only.
std::string macros(const BestConfiguration& best, const std::string& prefix) {
  std::string lines;
  std::set<std::string> taken;
  const auto define = [&](const std::string& name, const std::string& value,
                          const std::string& doc = {}) {
    if (!taken.insert(name).second) return false;
    lines += fmt::format("#define {} {}{}\n", name, value, doc);
    return true;
  };
  const auto define_text = [&](const std::string& macro, const Knob& knob,
                               const std::string& chosen, const std::string& doc) {
    const std::vector<std::string> texts = texts_of(knob, chosen);
    std::string number;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string name = macro + "_" + macro_word(texts[i]);
      const bool named = define(name, std::to_string(i));
      if (texts[i] == chosen) number = named ? name : std::to_string(i);
    }
    define(macro, number, doc);
    define(macro + "_TEXT", literal(chosen));
  };
  for (const auto& [name, value] : best.configuration.values()) {
    const std::string macro = prefix + macro_word(name);
    if (value.is_list()) continue;
    const Knob knob = knob_named(best, name);
    const std::string doc = knob.doc.empty() ? "" : "  /* " + comment_text(knob.doc) + " */";
    if (value.is_text())
      define_text(macro, knob, value.text(), doc);
    else
      define(macro, scalar(value), doc);
  }
  if (!best.flags.empty())
    define(prefix + "FLAGS", literal(fmt::format("{}", fmt::join(best.flags, " "))));
  define(prefix + "STUDY", literal(best.identity.id));
  define(prefix + "MACHINE_ID", literal(best.machine_id));
  return lines;
}

std::string shell_value(const Value& value) {
  return shell_quoted(value.is_text()   ? one_line(value.text())
                      : value.is_real() ? fmt::format("{}", value.real())
                                        : scalar(value));
}

Json knobs_json(const std::vector<Knob>& knobs) {
  Json json = Json::object();
  for (const Knob& knob : knobs) {
    Json entry{{"kind", to_text(knob.kind)}, {"values", encode(knob.values)}};
    if (!knob.setting.empty()) entry["setting"] = knob.setting;
    if (!knob.doc.empty()) entry["doc"] = knob.doc;
    json[knob.name] = entry;
  }
  return json;
}

/// Bytes of one instance by level, of the text of an identity: "L1 48 KiB x 2, L2 1024 KiB x 2".
Json caches_json(const std::string& text) {
  Json caches = Json::object();
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::istringstream words(part);
    std::string level;
    std::int64_t kibibytes = 0;
    if (words >> level >> kibibytes) caches[level] = kibibytes * 1024;
  }
  return caches;
}

/// Data for an application to judge whether the configuration may serve on its own machine.
Json class_json(const BestConfiguration& best) {
  Json json = encode(best.machine_class);
  const auto& identity = best.machine_identity;
  std::int64_t threads = 0;
  if (identity.contains("cpus") && std::istringstream(identity.at("cpus")) >> threads)
    json["threads"] = threads;
  if (identity.contains("caches"))
    if (Json caches = caches_json(identity.at("caches")); !caches.empty()) json["caches"] = caches;
  return json;
}

/// Quality of the configuration and objections to it, in a line for logs.
std::string verdict_sentence(const BestConfiguration& best) {
  std::string sentence;
  if (!best.inconclusive.empty()) sentence = "inconclusive (" + best.inconclusive.front() + "): ";
  if (best.baseline_stands)
    sentence += "nothing beats the defaults beyond the noise, ";
  else if (best.speedup)
    sentence += ratio_interval(*best.speedup) + " faster than the baseline, ";
  return sentence + (best.bound.value() > 0 ? ratio_interval(best.gap.total) + " from the bound"
                                            : std::string("no limit was given"));
}

Json provenance_json(const BestConfiguration& best) {
  const ResultIdentity& study = best.identity;
  Json json{{"study", study.id},
            {"date", study.date},
            {"tool", "rooftune " + study.version},
            {"strategy", study.strategy},
            {"seed", study.seed},
            {"threads", best.threads},
            {"cache", study.cache_state},
            {"compiler", study.compiler}};
  json["seconds"] = estimate_json(best.seconds);
  json["speedup"] = estimate_or_null(best.speedup);
  if (!best.figures.empty()) json["figures"] = best.figures;
  // Without work or traffic there is no limit.
  if (best.bound.value() > 0) {
    json["bound"] = {{"seconds", best.bound.value()},
                     {"ceilings", best.ceilings},
                     {"source",
                      {{"kind", to_text(best.ceiling_source.kind)},
                       {"text", best.ceiling_source.text},
                       {"date", best.ceiling_source.date}}}};
    json["gap"] = {{"total", best.gap.total.value},
                   {"low", best.gap.total.low},
                   {"high", best.gap.total.high},
                   {"work", number_or_null(best.gap.work)},
                   {"traffic", number_or_null(best.gap.traffic)},
                   {"rate", number_or_null(best.gap.rate)}};
  } else {
    json["bound"] = json["gap"] = Json();
  }
  json["verdict"] = {{"sentence", verdict_sentence(best)},
                     {"conclusive", best.inconclusive.empty()},
                     {"inconclusive", best.inconclusive},
                     {"baseline_stands", best.baseline_stands}};
  json["flags"] = best.flags;
  json["notes"] = best.notes;
  return json;
}

}  // namespace

std::string header_export(const BestConfiguration& best) {
  const std::string prefix = "ROOFTUNE_" + macro_word(best.identity.kernel) + "_";
  const std::string guard = prefix + "TUNED_H";
  std::string out = comment(best);
  out += fmt::format("#ifndef {0}\n#define {0}\n\n", guard);
  out += macros(best, prefix);
  return out + fmt::format("\n#endif  /* {} */\n", guard);
}

std::string json_export(const BestConfiguration& best) {
  Json json{{"schema", "rooftune-export-1"},
            {"kernel", best.identity.kernel},
            {"backend", best.identity.backend},
            {"machine",
             {{"name", best.machine},
              {"id", best.machine_id},
              {"class", class_json(best)},
              {"identity", best.machine_identity}}},
            {"problem", facts_json(best.problem)},
            {"configuration", to_json(best.configuration)},
            {"defaults", to_json(best.baseline)},
            {"knobs", knobs_json(best.knobs)},
            {"provenance", provenance_json(best)}};
  for (const Facts& problem : best.problems) json["problems"].push_back(facts_json(problem));
  return json_text(json, 2) + '\n';
}

std::string environment_export(const BestConfiguration& best) {
  std::string text = fmt::format("# {:<9} {} ({}), written by tune export\n", "kernel",
                                 one_line(best.identity.kernel), one_line(best.identity.backend));
  for (const auto& [name, line] : provenance(best))
    text += fmt::format("# {:<9} {}\n", name, one_line(line));
  text += "# . THIS_FILE\n";
  for (const Knob& knob : best.knobs) {
    if (!best.configuration.has(knob.name)) continue;
    const std::string value = shell_value(best.configuration.at(knob.name));
    if (knob.kind == Knob::Kind::environment && is_identifier(knob.setting))
      text += fmt::format("export {}={}\n", knob.setting, value);
    if (&knob == thread_knob(best.knobs)) text += fmt::format("export OMP_NUM_THREADS={}\n", value);
  }
  // Equal words of different names get a number.
  std::set<std::string> taken;
  for (const auto& [name, value] : best.configuration.values()) {
    if (value.is_list()) continue;
    const std::string word = macro_word("ROOFTUNE_" + best.identity.kernel + "_" + name);
    std::string free = word;
    for (int more = 2; !taken.insert(free).second; ++more) free = fmt::format("{}_{}", word, more);
    text += fmt::format("export {}={}\n", free, shell_value(value));
  }
  return text;
}

std::string best_known_export(const BestConfiguration& best) {
  if (!best.problems.empty())
    throw Error("a study of several inputs has no one problem to be known for",
                best.identity.kernel, "export a study of one of them");
  if (!(best.bound.value() > 0))
    throw Error("this study has no bound, and such an entry says how far from it the best is",
                best.identity.kernel, "state what a run does at least: --work, --traffic");
  KnownBest entry;
  entry.machine = best.machine_class;
  entry.problem = best.problem;
  for (const auto& [name, value] : best.configuration.values())
    if (!best.baseline.has(name) || !(best.baseline.at(name) == value))
      entry.difference.set(name, value);
  entry.seconds = best.seconds.value;
  if (best.speedup) entry.over_baseline = best.speedup->value;
  entry.gap = best.gap.total.value;
  entry.compiler = best.identity.compiler;
  entry.date = best.identity.date;
  entry.version = best.identity.version;
  entry.study = best.identity.id;
  return json_text(encode(BestKnown{best.identity.kernel, best.identity.backend, {entry}}), 1) +
         '\n';
}

std::string joined_best_known(const std::filesystem::path& before, const std::string& text) {
  BestKnown known = decoded<BestKnown>(read_json(before), before.string());
  const BestKnown more = decoded<BestKnown>(parse_json(text, "export"), "export");
  if (known.kernel != more.kernel || known.backend != more.backend)
    throw Error("this file is of " + known.kernel + ", back end " + known.backend, before.string(),
                "name " + more.kernel + "." + more.backend + ".json");
  for (const KnownBest& entry : more.entries) add(known, entry);
  return json_text(encode(known), 1) + '\n';
}

const std::vector<ExporterRow>& exporters() {
  static const std::vector<ExporterRow> rows{
      {"header", "C and C++ header: a macro per knob", header_export},
      {"json", "JSON with provenance, for the run-time look-up", json_export},
      {"env", "Lines for a POSIX shell to source", environment_export},
      {"best-known", "Where other studies start; joins the entries of a file that is there",
       best_known_export, joined_best_known},
  };
  return rows;
}

const ExporterRow* find_exporter(const std::string& name) {
  for (const ExporterRow& row : exporters())
    if (name == row.name) return &row;
  return nullptr;
}

}  // namespace rooftune::report
