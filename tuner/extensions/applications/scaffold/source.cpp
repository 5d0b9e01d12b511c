#include "scaffold/source.h"

#include <fmt/format.h>

#include <algorithm>

#include "build/compilation.h"
#include "build/flags.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/list.h"
#include "core/pattern.h"
#include "core/split.h"
#include "core/text.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"

namespace rooftune::scaffold {
namespace {

constexpr const char* no_capture =
    "#define ROOFTUNE_CAPTURE(nth, function, ...) (function)(__VA_ARGS__)\n"
    "#define ROOFTUNE_ARRAY(pointer, count) (pointer)\n";

/// The words in a compiler command that the preprocessor needs.
Texts preprocessor_words(const Texts& words, const fs::path& folder) {
  Texts kept;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with("-std=")) kept.push_back(words[i]);
    for (const std::string option : {"-isystem", "-include", "-I", "-D", "-U"}) {
      if (!words[i].starts_with(option)) continue;
      std::string value = words[i].substr(option.size());
      if (value.empty() && i + 1 < words.size()) value = words[++i];
      append(kept, {option, begins(option, "-i -I") ? (folder / value).string() : value});
      break;
    }
  }
  return kept;
}

/// The file's flags from a compile_commands.json; empty where there is none.
Texts recorded_flags(const fs::path& file) {
  std::error_code fault;
  const fs::path source = fs::weakly_canonical(fs::absolute(file), fault);
  for (fs::path folder = source.parent_path();; folder = folder.parent_path()) {
    for (const fs::path& list :
         {folder / "compile_commands.json", folder / "build" / "compile_commands.json"}) {
      if (!is_file(list)) continue;
      for (const Json& entry : read_json(list)) {
        const fs::path base = text_of(entry, "directory");
        if (fs::weakly_canonical(base / text_of(entry, "file"), fault) != source) continue;
        Texts words = build::shell_words(text_of(entry, "command"), list.string());
        if (entry.contains("arguments"))
          for (const Json& word : entry["arguments"])
            if (word.is_string()) words.push_back(word.get<std::string>());
        return preprocessor_words(words, base);
      }
    }
    if (folder == folder.parent_path()) return {};
  }
}

/// Takes a preprocessor's output apart, line by line.
class Reader {
 public:
  explicit Reader(SourceText& result) : result_(result) {}

  void line(const std::string& line) {
    static const Pattern marker(R"re(# ([0-9]+) "([^"]*)"([ 0-9]*))re");
    const auto found = line.starts_with("# ") ? marker.match(line) : std::nullopt;
    if (line.starts_with("#include")) {
      include_ = text_before(line, " /*");
    } else if (found) {
      const std::string &file = (*found)[2], &flags = (*found)[3];
      const bool was_system = system_, enters = contains(flags, " 1");
      // A system macro, expanded in the user's line.
      const bool expansion = !was_system && !enters && !contains(flags, " 2") &&
                             !result_.origins.empty() && result_.origins.back().file == file;
      system_ = (contains(flags, " 3") && !expansion) || file.starts_with('<');
      if (enters && system_ && !was_system && !include_.empty()) {
        result_.text += include_ + "\n";
        include_.clear();
      }
      result_.origins.push_back({result_.text.size(), file, std::stoll((*found)[1])});
    } else if (!system_) {
      include_.clear();
      result_.text += line + "\n";
    }
  }

 private:
  SourceText& result_;
  std::string include_;  ///< an #include line, kept until its file's markers follow
  bool system_ = false;
};

}  // namespace

SourceText::Origin SourceText::at(size_t position) const {
  auto after = std::ranges::upper_bound(origins, position, {}, &Origin::begin);
  if (after == origins.begin()) return {0, "", 1};
  Origin found = *--after;
  found.number +=
      std::count(text.begin() + ptrdiff_t(found.begin), text.begin() + ptrdiff_t(position), '\n');
  return found;
}

std::string SourceText::place(size_t position) const {
  const Origin found = at(position);
  return fmt::format("{}:{}", found.file, found.number);
}

SourceText preprocessed(const fs::path& file, Texts flags) {
  SourceText result;
  result.language = build::language_of(file);
  if (flags.empty()) flags = recorded_flags(file);
  const build::HostCompiler compiler = build::compiler_of(result.language, build::host_compiler());
  const TemporaryDirectory folder;
  Command command;
  command.argv = {compiler.path};
  append(command.argv, compiler.flags);
  std::erase(command.argv, "-shared");
  // Found before the real header, wherever the application has that.
  make_folders(folder.path() / "rooftune");
  write_atomically(folder.path() / "rooftune/capture.h", no_capture);
  command.argv.push_back("-I" + folder.path().string());
  append(command.argv, flags);
  const fs::path output = folder.path() / "source";
  // Comments stay, and so do the #include lines.
  append(command.argv, {"-E", "-C", "-dI", "-o", output.string(), file.string()});
  command.environment["LC_ALL"] = "C";
  const Finished finished = execute(command);
  if (!finished.status.ok())
    throw Error(
        "the compiler cannot read it: " + build::first_error(plain_text(finished.output), {}), file,
        "the flags of its own build: --cxxflags \"-DNAME -Iinclude\"");
  Reader reader(result);
  for (const std::string& line : split(read_text(output))) reader.line(line);
  return result;
}

std::string edited(const std::string& text, Edits edits) {
  stable_sort(edits, {}, &Edit::begin);
  std::string result;
  size_t done = 0;
  for (const Edit& edit : edits) {
    // Inside a part that is gone.
    if (edit.begin < done) continue;
    result += text.substr(done, edit.begin - done) + edit.text;
    done = edit.end;
  }
  return result + text.substr(done);
}

}  // namespace rooftune::scaffold
