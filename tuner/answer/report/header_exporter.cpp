// The exporter of a C and C++ header.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "kernel/manifest_reader.h"
#include "report/exporter.h"
#include "report/figures.h"

namespace rooftune::report {
namespace {

/// As the variants see it: capitals, digits and _ only; never a leading digit.
std::string macro_word(const std::string& text) {
  std::string word;
  for (const char c : text) {
    if (c >= 'a' && c <= 'z')
      word += static_cast<char>(c - 'a' + 'A');
    else
      word += (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
  }
  return word;
}

/// Keywords, names reserved by the language, and macros defined by compilers and headers of the
/// system: none of them can name a member.
bool is_taken(const std::string& word) {
  static const std::set<std::string> macros{
      "assert",   "complex",  "errno",    "fpclassify", "htonl",    "htons",     "i386",
      "isfinite", "isinf",    "isnan",    "isnormal",   "linux",    "major",     "makedev",
      "minor",    "noreturn", "offsetof", "setjmp",     "signbit",  "sigsetjmp", "stderr",
      "stdin",    "stdout",   "unix",     "va_arg",     "va_copy",  "va_end",    "va_start",
      "BUFSIZ",   "CHAR_BIT", "EOF",      "HUGE_VAL",   "I",        "INFINITY",  "INT_MAX",
      "NAN",      "NDEBUG",   "NULL",     "PATH_MAX",   "RAND_MAX", "PAGE_SIZE", "BIG_ENDIAN",
      "M_PI",     "SIGINT",   "CHAR_MAX", "LONG_MAX",   "SIZE_MAX", "SEEK_SET",  "LITTLE_ENDIAN"};
  const bool reserved = word.find("__") != std::string::npos ||
                        (word.size() > 1 && word[0] == '_' && word[1] >= 'A' && word[1] <= 'Z');
  return reserved || !is_identifier(word) || macros.count(word) != 0;
}

std::string member_word(const std::string& text) {
  std::string word;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    word += letter || (c >= '0' && c <= '9') ? c : '_';
  }
  if (word.empty() || (word[0] >= '0' && word[0] <= '9')) word = "_" + word;
  return is_taken(word) ? word + "_" : word;
}

/// Inside a block comment: one line, no way out of the comment, no trigraph to join lines.
std::string comment_text(std::string text) {
  text = plain_text(std::move(text));
  for (char& c : text)
    if (c == '\n' || c == '\t' || c == '\\') c = ' ';
  for (std::size_t at = text.find("*/"); at != std::string::npos; at = text.find("*/", at))
    text.replace(at, 2, "* /");
  for (std::size_t at = text.find("/*"); at != std::string::npos; at = text.find("/*", at))
    text.replace(at, 2, "/ *");
  for (std::size_t at = text.find("??"); at != std::string::npos; at = text.find("??", at))
    text.insert(at + 1, " ");
  return text;
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

std::string comment(const BestConfiguration& best) {
  const ResultIdentity& study = best.identity;
  std::string text = "/* Tuned configuration of " + comment_text(study.kernel) + " (" +
                     comment_text(study.backend) +
                     "), written by `tune export`: include it, do not edit it.\n *\n";
  const auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format(" * {:<9} {}\n", name, comment_text(value));
  };
  if (best.problems.empty()) line("problem", facts_text(best.problem));
  for (const Facts& problem : best.problems) line("problem", facts_text(problem));
  line("machine", fmt::format("{} (id {})", best.machine, best.machine_id));
  for (const auto& [name, value] : best.machine_identity)
    if (name == "cpu") line("cpu", value);
  line("energy", energy_text(best));
  line("time", seconds_interval(best.seconds) + " per call");
  line("speed-up", best.speedup ? ratio_interval(*best.speedup) + " over the defaults" : "");
  if (best.bound.value() > 0) {
    line("gap",
         ratio_interval(best.gap.total) + " from the bound " + seconds_text(best.bound.value()));
    line("ceiling", list_text(best.ceilings) + "; " + source_text(best.ceiling_source));
  }
  line("verdict", verdict_text(best));
  line("compiler", study.compiler);
  line("flags", fmt::format("{}", fmt::join(best.flags, " ")));
  for (const std::string& setting : settings_to_apply(best)) line("apply", setting);
  line("study", fmt::format("{}, strategy {}, seed {}", study.id, study.strategy, study.seed));
  line("date", study.date);
  line("tool", "rooftune " + study.version);
  for (const std::string& note : best.notes) line("note", note);
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

std::string cpp_member(const std::string& member, const Value& value) {
  if (value.is_bool())
    return fmt::format("  static constexpr bool {} = {};\n", member,
                       value.truth() ? "true" : "false");
  if (value.is_text())
    return fmt::format("  static constexpr const char* {} = \"{}\";\n", member,
                       literal_text(value.text()));
  if (value.is_real())
    return fmt::format("  static constexpr double {} = {};\n", member, real_literal(value.real()));
  return fmt::format("  static constexpr long long {} = {};\n", member, to_text(value));
}

std::string cpp_struct(const BestConfiguration& best) {
  const std::string name = member_word(best.identity.kernel);
  std::string out =
      fmt::format("#ifdef __cplusplus\nnamespace rooftune_tuned {{\nstruct {} {{\n", name);
  // A member may bear neither the name of its class nor another's.
  std::set<std::string> members{name};
  for (const auto& [knob, value] : best.configuration.values()) {
    if (value.is_list()) continue;
    std::string member = member_word(knob);
    while (!members.insert(member).second) member += '_';
    out += cpp_member(member, value);
  }
  return out + "};\n}  // namespace rooftune_tuned\n#endif\n";
}

}  // namespace

std::string header_export(const BestConfiguration& best) {
  const std::string prefix = "ROOFTUNE_" + macro_word(best.identity.kernel) + "_";
  const std::string guard = prefix + "TUNED_H";
  std::string out = comment(best);
  out += fmt::format("#ifndef {0}\n#define {0}\n\n", guard);
  out += macros(best, prefix) + '\n' + cpp_struct(best);
  return out + fmt::format("\n#endif  /* {} */\n", guard);
}

}  // namespace rooftune::report
