// Scans C++ for #include lines and words. No compiler does it for knob names: a preprocessor takes
// an unknown name in #if for 0, and a guard (#ifndef, #define) hides it altogether.
//
// In a plain text unifdef (Debian: unifdef) resolves the preprocessor conditions; the rest depend
// on the compiler and the instruction set, and stay true wherever the text is compiled. Without
// unifdef other configurations' branches stay, behind conditions on numbers.
#include "build/includes.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "build/flags.h"
#include "core/file.h"
#include "core/list.h"
#include "core/pattern.h"
#include "core/split.h"
#include "core/text.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"

namespace rooftune::build {
namespace {

/// The literal name in an #include line; an empty name for any other line.
Include included(const std::string& line) {
  size_t at = line.find_first_not_of(" \t");
  if (at == std::string::npos || line[at] != '#') return {};
  at = line.find_first_not_of(" \t", at + 1);
  if (at == std::string::npos || line.compare(at, 7, "include") != 0) return {};
  at = line.find_first_of("\"<", at + 7);
  if (at == std::string::npos) return {};
  const bool quoted = line[at] == '"';
  const size_t end = line.find(quoted ? '"' : '>', at + 1);
  if (end == std::string::npos) return {};
  return {line.substr(at + 1, end - at - 1), quoted};
}

void collect(const fs::path& file, const fs::path& directory, std::set<fs::path>& found) {
  for (const std::string& line : split(read_text(file))) {
    const std::string name = included(line).name;
    if (name.empty()) continue;
    for (const auto& place : {file.parent_path(), directory}) {
      const auto candidate = (place / name).lexically_normal();
      if (!is_file(candidate)) continue;
      if (found.insert(candidate).second) collect(candidate, directory, found);
      break;
    }
  }
}

constexpr std::string_view macro_prefix = "KNOB_";

bool names(const NamedKnob& one, const std::string& macro) {
  return one.is_part ? macro.starts_with(one.macro) : macro == one.macro;
}

/// Why a name is no macro, and a similar one.
std::string complaint(const std::string& macro, const SearchSpace& space, const Texts& known) {
  for (const Knob& knob : space.knobs())
    if (macro_name(knob.name) == macro)
      return fmt::format("knob {} is of kind {}, which has no macro", knob.name,
                         to_text(knob.kind));
  const std::string near = nearest_word(macro, known);
  return fmt::format("{} is no knob of search space {}{}", macro, space.name(),
                     near.empty() ? "" : "; did you mean " + near + "?");
}

/// Macros that the compiler surely has or lacks, as unifdef options. Kokkos may be for a card.
Texts known_of(Side side) {
  switch (side) {
    case Side::kokkos:
      return {"-DKOKKOS_FORCEINLINE_FUNCTION", "-U__CUDACC_RTC__", "-DROOFTUNE_LIBRARY"};
    case Side::kernels:
      return {"-D__CUDACC__", "-D__CUDACC_RTC__", "-DROOFTUNE_HOST=0", "-U__HIP_DEVICE_COMPILE__",
              "-UKOKKOS_FORCEINLINE_FUNCTION"};
    default:
      return {"-U__CUDACC__",
              "-U__CUDACC_RTC__",
              "-U__CUDA_ARCH__",
              "-U__HIP_DEVICE_COMPILE__",
              "-UKOKKOS_FORCEINLINE_FUNCTION",
              side == Side::launching ? "-DROOFTUNE_HOST=1" : "-UROOFTUNE_HOST",
              "-DROOFTUNE_LIBRARY"};
  }
}

/// Joins continued directives: unifdef leaves a condition over several lines alone.
std::string with_whole_directives(const std::string& text) {
  std::string result;
  bool directive = false, begins = true;
  for (size_t i = 0; i < text.size(); ++i) {
    if (begins) {
      const size_t at = text.find_first_not_of(" \t", i);
      directive = at != std::string::npos && text.compare(at, 3, "#if") == 0;
      directive = directive || (at != std::string::npos && text.compare(at, 5, "#elif") == 0);
    }
    begins = text[i] == '\n';
    if (directive && text.compare(i, 2, "\\\n") == 0) {
      ++i;
      begins = false;
      continue;
    }
    result += text[i];
  }
  return result;
}

class Writer {
 public:
  Writer(const fs::path& directory, const Macros& macros, Side side)
      : directory_(directory), unifdef_(find_program("unifdef")), known_(known_of(side)) {
    NamedTexts texts;
    for (const Macro& macro : macros) texts[macro.name] = macro.text;
    // The macro for a word names another macro, which holds the number.
    for (const auto& [name, text] : texts)
      values_[name] = texts.contains(text) ? texts.at(text) : text;
  }

  void write(const fs::path& file) {
    static const Pattern pragma_once("\\s*#pragma\\s+once\\b.*");
    for (const std::string& line : split(resolved(with_whole_directives(read_text(file))))) {
      if (pragma_once.matches(line) || (line.empty() && result_.text.ends_with("\n\n"))) continue;
      const Include include = included(line);
      if (include.name.empty())
        result_.text += numbered(line) + '\n';
      else
        write(include, file.parent_path());
    }
  }
  Amalgamation take() { return std::move(result_); }

 private:
  void write(const Include& include, const fs::path& beside) {
    for (const auto& place : {beside, directory_}) {
      const auto file = (place / include.name).lexically_normal();
      if (!fs::is_regular_file(file)) continue;
      if (written_.insert(file).second) write(file);
      return;
    }
    if (include.quoted)
      throw Error("header \"" + include.name + "\" is not there", beside,
                  "a library holds only the kernel's own headers and Rooftune's");
    result_.system_headers.insert(include.name);
  }

  std::string resolved(const std::string& text) const {
    if (!unifdef_) return text;
    const TemporaryDirectory folder;
    const auto file = folder.path() / "source";
    std::ofstream(file) << text;
    Command command;
    command.argv = {unifdef_->string(), "-k", "-o", (folder.path() / "resolved").string()};
    for (const auto& [name, value] : values_)
      command.argv.push_back(fmt::format("-D{}={}", name, value));
    append(command.argv, known_);
    command.argv.push_back(file.string());
    const Finished finished = execute(command);
    // 1: the text was changed; above: it could not be read.
    return finished.status.code.value_or(2) < 2 ? read_text(folder.path() / "resolved") : text;
  }

  std::string numbered(const std::string& line) const {
    std::string result;
    for (size_t at = 0; at < line.size();) {
      size_t end = at;
      while (end < line.size() && is_identifier_char(line[end])) ++end;
      const std::string word = line.substr(at, end - at);
      const auto* value = value_at(values_, word);
      if (end == at)
        result += line[end++];
      else
        result += value ? *value : word;
      at = end;
    }
    return result;
  }

  fs::path directory_;
  std::optional<fs::path> unifdef_;
  Texts known_;
  NamedTexts values_;
  std::set<fs::path> written_;
  Amalgamation result_;
};

}  // namespace

Paths included_files(const fs::path& source, const fs::path& directory) {
  std::set<fs::path> found;
  collect(source, directory, found);
  return {found.begin(), found.end()};
}

NamedKnobs named_knobs(const fs::path& source, const fs::path& directory) {
  Paths files = included_files(source, directory);
  files.insert(files.begin(), source);
  NamedKnobs named;
  TextSet seen;
  for (const auto& file : files) {
    const std::string text = read_text(file);
    const Tokens tokens = tokens_of(text, false);
    for (const size_t at : indices(tokens)) {
      const std::string word(tokens[at].text);
      if (!word.starts_with(macro_prefix) || !seen.insert(word).second) continue;
      const auto line = std::ranges::count(text.substr(0, tokens[at].begin), '\n') + 1;
      named.push_back({word, file, int(line), tokens[at + 1].is("##")});
    }
  }
  return named;
}

Texts unknown_knobs(const NamedKnobs& named, const SearchSpace& space) {
  Texts known = members(knob_macros(space, space.baseline()), &Macro::name);
  Texts faults;
  for (const NamedKnob& one : named) {
    const bool is_known =
        any_of(known, [&](const std::string& macro) { return names(one, macro); });
    if (!is_known)
      faults.push_back(fmt::format("{}:{}: error: {}", one.file.string(), one.line,
                                   complaint(one.macro, space, known)));
  }
  return faults;
}

Texts unread_knobs(const NamedKnobs& named, const Kernel& kernel, const SearchSpace& space) {
  TextSet in_arguments;
  for (const Argument& argument : kernel.arguments)
    in_arguments.insert(argument.value.names().begin(), argument.value.names().end());
  const auto is_read = [&](const Knob& knob) {
    if (knob.kind == Knob::Kind::argument) return in_arguments.contains(knob.name);
    if (knob.kind != Knob::Kind::compile) return true;
    return any_of(named, [&](const NamedKnob& one) { return names(one, macro_name(knob.name)); });
  };
  Texts unread;
  for (const Knob& knob : space.knobs())
    if (!is_read(knob)) unread.push_back(knob.name);
  return unread;
}

std::string Amalgamation::includes() const {
  std::string lines;
  for (const std::string& name : system_headers)
    lines += fmt::format("#if __has_include(<{0}>)\n#include <{0}>\n#endif\n", name);
  return lines;
}

Amalgamation amalgamated(const fs::path& source, const fs::path& directory, const Macros& macros,
                         Side side) {
  Writer writer(directory, macros, side);
  writer.write(source);
  return writer.take();
}

}  // namespace rooftune::build
