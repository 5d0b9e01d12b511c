// Resolution of preprocessor conditions by unifdef (Debian: unifdef); the rest depend on the
// compiler and the instruction set, and stay true wherever the text is compiled. Without unifdef
// branches of other configurations stay, behind conditions of numbers.
#include "build/amalgamation.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <sstream>

#include "build/includes.h"
#include "core/file.h"
#include "core/pattern.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"

namespace rooftune::build {
namespace {

/// Known macros of the compiler, as options of unifdef. Kokkos may be for a card.
std::vector<std::string> known_of(Side side) {
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

/// unifdef leaves a condition of several lines alone.
std::string with_whole_directives(const std::string& text) {
  std::string result;
  bool directive = false, begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins) {
      const std::size_t at = text.find_first_not_of(" \t", i);
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
  Writer(const std::filesystem::path& directory, const std::vector<Macro>& macros, Side side)
      : directory_(directory), unifdef_(find_program("unifdef")), known_(known_of(side)) {
    std::map<std::string, std::string> texts;
    for (const Macro& macro : macros) texts[macro.name] = macro.text;
    // A word's macro is the name of another one, with the number.
    for (const auto& [name, text] : texts)
      values_[name] = texts.contains(text) ? texts.at(text) : text;
  }

  void write(const std::filesystem::path& file) {
    static const Pattern pragma_once("\\s*#pragma\\s+once\\b.*");
    std::istringstream lines(resolved(with_whole_directives(read_text(file))));
    for (std::string line; std::getline(lines, line);) {
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
  void write(const Include& include, const std::filesystem::path& beside) {
    for (const auto& place : {beside, directory_}) {
      const auto file = (place / include.name).lexically_normal();
      if (!std::filesystem::is_regular_file(file)) continue;
      if (written_.insert(file).second) write(file);
      return;
    }
    if (include.quoted)
      throw Error("header \"" + include.name + "\" is not there", beside.string(),
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
    command.argv.insert(command.argv.end(), known_.begin(), known_.end());
    command.argv.push_back(file.string());
    const Finished finished = execute(command);
    // 1: the text was changed; above: it could not be read.
    return finished.status.code.value_or(2) < 2 ? read_text(folder.path() / "resolved") : text;
  }

  std::string numbered(const std::string& line) const {
    std::string result;
    for (std::size_t at = 0; at < line.size();) {
      std::size_t end = at;
      while (end < line.size() && is_identifier(line[end])) ++end;
      const std::string word = line.substr(at, end - at);
      const auto value = values_.find(word);
      if (end == at)
        result += line[end++];
      else
        result += value == values_.end() ? word : value->second;
      at = end;
    }
    return result;
  }

  std::filesystem::path directory_;
  std::optional<std::filesystem::path> unifdef_;
  std::vector<std::string> known_;
  std::map<std::string, std::string> values_;
  std::set<std::filesystem::path> written_;
  Amalgamation result_;
};

}  // namespace

std::string Amalgamation::includes() const {
  std::string lines;
  for (const std::string& name : system_headers)
    lines += fmt::format("#if __has_include(<{0}>)\n#include <{0}>\n#endif\n", name);
  return lines;
}

Amalgamation amalgamated(const std::filesystem::path& source,
                         const std::filesystem::path& directory, const std::vector<Macro>& macros,
                         Side side) {
  Writer writer(directory, macros, side);
  writer.write(source);
  return writer.take();
}

}  // namespace rooftune::build
