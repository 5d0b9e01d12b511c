// Rules about the text of the tree: lengths, words, names, and one version.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <regex>
#include <set>

#include "lint/tree.h"

using rooftune::lint::files;
using rooftune::lint::LinePattern;
using rooftune::lint::SourceFile;

namespace {

std::vector<SourceFile> code() {
  auto all = files("tuner", {".h", ".cpp", ".in"});
  for (const std::string folder : {"kernels", "tests", "docs"})
    for (SourceFile& file : files(folder, {".h", ".cpp"})) all.push_back(std::move(file));
  return all;
}

/// "path:line: text" of every line that matches.
std::string matches(const std::vector<SourceFile>& sources, const std::string& pattern) {
  const LinePattern expression(pattern);
  std::string found;
  for (const SourceFile& file : sources)
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      if (expression.is_in(file.lines[i]))
        found += file.path.string() + ":" + std::to_string(i + 1) + ": " + file.lines[i] + "\n";
  return found;
}

}  // namespace

TEST_CASE("no file of code is longer than 400 lines") {
  for (const SourceFile& file : code()) {
    INFO(file.path.string());
    CHECK(file.lines.size() <= 400);
  }
}

TEST_CASE("every file of the engine begins with what it is, or its header does") {
  for (const SourceFile& file : files("tuner", {".h", ".cpp"})) {
    INFO(file.path.string());
    const auto header = std::filesystem::path(ROOFTUNE_SOURCE_DIR) / file.path;
    if (file.path.extension() == ".cpp" &&
        std::filesystem::exists(std::filesystem::path(header).replace_extension(".h")))
      continue;
    REQUIRE_FALSE(file.lines.empty());
    CHECK(file.lines[0].starts_with("// "));
  }
}

TEST_CASE("a file that a comment of the engine names is there") {
  std::set<std::string> names{
      // Headers of systems and libraries, and examples of a user's own files.
      "cuda_fp16.h", "stdbool.h", "stdint.h", "sysexits.h", "Kokkos_Profiling_C_Interface.h",
      "app.cpp",     "lulesh.h"};
  for (const SourceFile& file : code()) names.insert(file.path.filename().string());
  const std::regex name(R"(\b(\w+\.(h|cpp))\b)");
  for (const SourceFile& file : files("tuner", {".h", ".cpp"}))
    for (const std::string& line : file.lines) {
      const std::size_t comment = line.find("// ");
      if (comment == line.npos || line.find('.', comment) == line.npos) continue;
      const std::string text = line.substr(comment);
      for (std::sregex_iterator one(text.begin(), text.end(), name), end; one != end; ++one) {
        INFO(file.path.string() << ": " << line);
        CHECK(names.contains((*one)[1]));
      }
    }
}

TEST_CASE("no header includes itself") {
  for (const SourceFile& file : files("tuner", {".h"})) {
    const std::string own = file.path.parent_path().filename() / file.path.filename();
    INFO(file.path.string());
    CHECK(std::ranges::count(file.lines, "#include \"" + own + "\"") == 0);
  }
}

TEST_CASE("headers guard themselves") {
  for (const SourceFile& file : files("tuner", {".h"})) {
    INFO(file.path.string());
    const bool guarded =
        std::find(file.lines.begin(), file.lines.end(), "#pragma once") != file.lines.end();
    CHECK(guarded);
  }
}

TEST_CASE("every module has a namespace of its own") {
  const std::regex own(R"(^(inline )?namespace (rooftune::)?(\w+)(::\w+)? \{)");
  for (const SourceFile& file : files("tuner", {".h", ".cpp"})) {
    // tuner/<floor>/<module>, tuner/extensions/<extension>/<module>, tuner/cli
    std::vector<std::string> parts;
    for (const auto& part : file.path) parts.push_back(part.string());
    const std::string module = parts.at(parts[1] == "cli" ? 1 : parts[1] == "extensions" ? 3 : 2);
    if (file.path.filename() == "modules.h") continue;
    INFO(file.path.string());
    bool has = false;
    for (const std::string& line : file.lines) {
      std::smatch match;
      // A part of a module may have a name that says what it is: cupti.
      has = has || (std::regex_search(line, match, own) &&
                    (match[3] == module || (match[2].matched && match[3] == "cupti")));
    }
    const bool declares = std::any_of(file.lines.begin(), file.lines.end(), [](const auto& line) {
      return line.starts_with("namespace rooftune");
    });
    CHECK((has || !declares));
  }
}

TEST_CASE("the caller's duties stand in words where they matter, not in a ritual line") {
  CHECK(matches(code(), "(The|Who) (caller|owner)[^.]* owes") == "");
}

namespace {}  // namespace

TEST_CASE("members of JSON are read by readers, where another type is a fault of its author") {
  // Json::value() throws what is no Error. A worker's replies have been written by the worker.
  std::vector<SourceFile> sources = files("tuner", {".h", ".cpp"});
  std::erase_if(sources, [](const SourceFile& file) {
    return file.path.string().starts_with("tuner/computer/run/");
  });
  REQUIRE(sources.size() > 100);
  CHECK(matches({{"a.cpp", {"json.value(\"name\", \"\")"}}}, R"(\.value\("|Json\(\)\))") != "");
  CHECK(matches(sources, R"(\.value\("|\.value\(.*Json\(\)\))") == "");
}

TEST_CASE("names of tests have no semicolon, at which CMake would cut them so that nothing runs") {
  const std::regex name(R"re(TEST_CASE\(\s*(?:"[^"]*"\s*)*"[^"]*;)re");
  CHECK(std::regex_search("TEST_CASE(\n    \"one, \"\n    \"two; three\") {", name));
  for (const SourceFile& file : files("tests", {".cpp"})) {
    std::string text;
    for (const std::string& line : file.lines) text += line + "\n";
    INFO(file.path.string());
    CHECK_FALSE(std::regex_search(text, name));
  }
}

TEST_CASE("pages have lines of at most 120 columns, but for tables and code") {
  const auto pages = files("docs", {".md"});
  CHECK(pages.size() > 9);
  const auto columns = [](const std::string& line) {
    return std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });
  };
  for (const SourceFile& file : pages) {
    bool code = false;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string& line = file.lines[i];
      if (line.starts_with("```")) code = !code;
      INFO(file.path.string() << ":" << i + 1);
      CHECK((code || line.starts_with("|") || line.starts_with("    ") || columns(line) <= 120));
    }
  }
}

TEST_CASE("types are named for what they are") {
  CHECK(matches(code(),
                "\\b(class|struct|enum) \\w*(Manager|Helper|Util|Utils|Data|Info|Base)\\b") == "");
}

TEST_CASE("kernels leave the macros of knobs to the build") {
  for (const char* folder : {"kernels", "docs/examples"})
    CHECK(matches(files(folder, {".h", ".cpp", ".cu"}), R"(#\s*(ifndef|define) KNOB_)") == "");
}

TEST_CASE("nothing is left unfinished") {
  // Spelled apart, so that this rule does not match itself.
  const std::string marks =
      std::string("\\b(TO") + "DO|FIX" + "ME|XX" + "X|HA" + "CK|not imple" + "mented)\\b";
  CHECK(matches(code(), marks) == "");
}

TEST_CASE("the code speaks of the project, not of the machine it was written on") {
  const std::string paths = std::string("(^|[^A-Za-z0-9_.])/(wo") + "rk|fa" + "rm)/";
  auto all = code();
  for (const std::string folder : {"docs", "kernels", "search_spaces", "scripts"})
    for (SourceFile& file : files(folder, {".md", ".json", ".txt"})) all.push_back(std::move(file));
  CHECK(matches(all, paths) == "");
}

TEST_CASE("the library neither prints nor exits") {
  std::vector<SourceFile> library;
  for (SourceFile& file : files("tuner", {".h", ".cpp"}))
    if (const std::string path = file.path.string();
        !path.starts_with("tuner/cli/") && path.find("_commands/") == std::string::npos)
      library.push_back(std::move(file));
  CHECK(matches(library,
                "std::(cout|cerr|clog)\\b|\\b(std::)?(printf|puts|exit)\\(|\\bfmt::print\\(") ==
        "");
}

TEST_CASE("one file of the engine pays for the compile time of std::regex") {
  auto sources = files("tuner", {".h", ".cpp", ".in"});
  const auto with_regex = [](const SourceFile& file) {
    return file.path == "tuner/model/core/pattern.cpp";
  };
  CHECK(std::erase_if(sources, with_regex) == 1);
  CHECK(matches(sources, R"(#\s*include\s*<regex>)") == "");
}

TEST_CASE("kinds of machines and names of back ends are compared where their tables stand") {
  CHECK(matches(files("tuner", {".h", ".cpp"}),
                "(kind|backend|backend(\\.|->)name) [!=]= \"(cpu|gpu|openmp|kokkos|cuda)\"") == "");
}

TEST_CASE("the version stands once, in the project's CMakeLists.txt") {
  std::string digits = ROOFTUNE_VERSION;
  for (std::size_t dot = digits.find('.'); dot != std::string::npos;
       dot = digits.find('.', dot + 2))
    digits.insert(dot, "\\");
  // Comments may show an example of it.
  CHECK(matches(files("tuner", {".h", ".cpp"}), "^[^/]*[^0-9./]" + digits + "([^0-9.]|$)") == "");
  const auto change_log = files(".", {"CHANGELOG.md"});
  REQUIRE(change_log.size() >= 1);
  CHECK(matches(change_log, "^## " + digits) != "");
}
