// Meaning is an enum: text is compared where it is read, and nowhere else.
#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>

#include "lint/tree.h"

using rooftune::lint::files;
using rooftune::lint::SourceFile;

namespace {

/// Ends of paths of files that read text of others, with the owner of the words.
struct Border {
  const char* words;
  std::vector<std::string> files;
};
const std::vector<Border> borders{
    {"words of assemblers, compilers and the preprocessor",
     {"build/host_compiler.cpp", "build/kokkos.cpp", "kokkos/connector.cpp", "cuda/ptx_code.cpp"}},
    {"files of the operating system", {"os/process_tree.cpp"}},
    {"documents of other tuners", {"/t1_kernel.cpp", "/t1_space.cpp", "/form_readers.cpp"}},
    {"the language of expressions, and numbers unknown to JSON",
     {"core/expression_parser.cpp", "core/fields.cpp", "core/value.cpp",
      "exports/kernel_library.cpp"}},
    {"documents of this program, at their reader",
     {"space/space_reader.cpp", "sweep/plan.cpp", "runtime/exported.cpp", "run/metric.cpp"}},
    {"languages of sources", {"scaffold/function.cpp", "scaffold/fortran.cpp"}},
    {"options and their placeholders",
     {"cli/main.cpp", "/replay_command.cpp", "/console.cpp", "kernel/program.cpp"}},
};

bool is_border(const std::string& path) {
  return std::any_of(borders.begin(), borders.end(), [&](const Border& border) {
    return std::any_of(border.files.begin(), border.files.end(),
                       [&](const std::string& end) { return path.ends_with(end); });
  });
}

/// Comparisons with a literal word; endings of files and schemas are names.
int comparisons(const SourceFile& file) {
  static const std::regex word(R"re([\w)\]] [!=]= "[^"]*[A-Za-z][^"]*")re");
  static const std::regex name(R"re(extension\(\)|filename\(\)|"rooftune-)re");
  return static_cast<int>(std::count_if(file.lines.begin(), file.lines.end(), [](const auto& line) {
    return std::regex_search(line, word) && !std::regex_search(line, name);
  }));
}

}  // namespace

TEST_CASE("no answer depends on a word compared") {
  const auto sources = files("tuner", {".h", ".cpp"});
  for (const SourceFile& file : sources) {
    const std::string path = file.path.string();
    INFO(path);
    if (!is_border(path)) CHECK(comparisons(file) == 0);
  }
  // A border is a file with such words.
  for (const Border& border : borders)
    for (const std::string& end : border.files) {
      INFO(end);
      CHECK(std::any_of(sources.begin(), sources.end(), [&](const SourceFile& file) {
        return file.path.string().ends_with(end) && comparisons(file) > 0;
      }));
    }
}
