// The exporters of a C and C++ header, for shells, and of starting points for studies elsewhere.
#include "report/exporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

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

/// A C string literal's inside; bytes beyond ASCII as three-digit octal, of fixed length.
std::string literal_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (byte < 0x20 || byte >= 0x7F || c == '?')
      out += fmt::format("\\{:03o}", byte);
    else
      out += c;
  }
  return out;
}

std::string real_literal(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".einf") == std::string::npos) text += ".0";
  return text;
}

/// Source of the values: what is known, each with its name.
std::vector<std::pair<const char*, std::string>> provenance(const BestConfiguration& best) {
  const ResultIdentity& study = best.identity;
  std::vector<std::pair<const char*, std::string>> lines;
  if (best.problems.empty()) lines.emplace_back("problem", facts_text(best.problem));
  for (const Facts& problem : best.problems) lines.emplace_back("problem", facts_text(problem));
  lines.emplace_back("machine", fmt::format("{} (id {})", best.machine, best.machine_id));
  if (const auto cpu = best.machine_identity.find("cpu"); cpu != best.machine_identity.end())
    lines.emplace_back("cpu", cpu->second);
  lines.emplace_back("energy", energy_text(best));
  lines.emplace_back("time", seconds_interval(best.seconds) + " per call");
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
std::vector<std::string> texts_of(const BestConfiguration& best, const std::string& name,
                                  const Value& value) {
  std::vector<std::string> texts;
  for (const Knob& knob : best.knobs)
    if (knob.name == name)
      for (const Value& one : knob.values)
        if (one.is_text()) texts.push_back(one.text());
  if (value.is_text() && std::find(texts.begin(), texts.end(), value.text()) == texts.end())
    texts.push_back(value.text());
  return texts;
}

std::string doc_of(const BestConfiguration& best, const std::string& name) {
  for (const Knob& knob : best.knobs)
    if (knob.name == name && !knob.doc.empty()) return "  /* " + comment_text(knob.doc) + " */";
  return {};
}

std::string scalar(const Value& value) {
  if (value.is_bool()) return value.truth() ? "1" : "0";
  return value.is_real() ? real_literal(value.real()) : to_text(value);
}

/// The #define lines; a name in use stays with its first owner.
class Macros {
 public:
  bool define(const std::string& name, const std::string& value, const std::string& doc = {}) {
    if (!taken_.insert(name).second) return false;
    text_ += fmt::format("#define {} {}{}\n", name, value, doc);
    return true;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::set<std::string> taken_;
};

/// Different texts may become the same word ("a-b", "a_b"): the later one then has a number only.
void define_text(Macros& macros, const std::string& macro, const std::vector<std::string>& texts,
                 const std::string& chosen, const std::string& doc) {
  std::string number;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string name = macro + "_" + macro_word(texts[i]);
    const bool named = macros.define(name, std::to_string(i));
    if (texts[i] == chosen) number = named ? name : std::to_string(i);
  }
  macros.define(macro, number, doc);
  macros.define(macro + "_TEXT", '"' + literal_text(chosen) + '"');
}

std::string macros(const BestConfiguration& best, const std::string& prefix) {
  Macros macros;
  for (const auto& [name, value] : best.configuration.values()) {
    const std::string macro = prefix + macro_word(name);
    if (value.is_list()) continue;
    if (value.is_text())
      define_text(macros, macro, texts_of(best, name, value), value.text(), doc_of(best, name));
    else
      macros.define(macro, scalar(value), doc_of(best, name));
  }
  if (!best.flags.empty())
    macros.define(prefix + "FLAGS",
                  '"' + literal_text(fmt::format("{}", fmt::join(best.flags, " "))) + '"');
  macros.define(prefix + "STUDY", '"' + literal_text(best.identity.id) + '"');
  macros.define(prefix + "MACHINE_ID", '"' + literal_text(best.machine_id) + '"');
  return macros.text();
}

std::string shell_value(const Value& value) {
  return shell_quoted(value.is_text()   ? one_line(value.text())
                      : value.is_real() ? fmt::format("{}", value.real())
                                        : scalar(value));
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
  if (best.ranked_by == Figure::energy)
    throw Error("this study ranks by energy, and such an entry says what is fastest",
                best.identity.kernel, "export a study of time");
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
