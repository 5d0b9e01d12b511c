#include "run/input_templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "core/error.h"
#include "core/file.h"
#include "run/program_builds.h"

namespace rooftune::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* template_option = "--template";

/// Of the file made from it, in a run's folder.
fs::path name_in_folder(const fs::path& file) {
  const fs::path here = fs::current_path();
  fs::path name = fs::absolute(file).lexically_normal().lexically_relative(here);
  if (name.empty() || *name.begin() == "..") name = file.filename();
  if (name.extension() == ".in") name.replace_extension();
  return name;
}

}  // namespace

InputTemplates::InputTemplates(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    constexpr std::size_t most = std::size_t{1} << 26;
    fs::path name = name_in_folder(file);
    for (const auto& [other, text] : files_)
      if (other == name)
        throw Error(fmt::format("\"{}\" and another template make {}", file, name.string()),
                    template_option, "leave one out");
    files_.emplace_back(
        std::move(name),
        CommandTemplate::word(read_text(file, most), fmt::format("{} {}", template_option, file)));
  }
}

std::vector<const CommandTemplate*> InputTemplates::texts() const {
  std::vector<const CommandTemplate*> result;
  for (const auto& [name, text] : files_) result.push_back(&text);
  return result;
}

bool InputTemplates::has(const std::string& knob) const {
  return std::ranges::any_of(files_, [&](const auto& file) { return file.second.has(knob); });
}

std::vector<std::pair<fs::path, std::string>> InputTemplates::filled(
    const CommandTemplate::Lookup& lookup) const {
  std::vector<std::pair<fs::path, std::string>> result;
  for (const auto& [name, text] : files_) result.emplace_back(name, text.text(lookup));
  return result;
}

void InputTemplates::write(const CommandTemplate::Lookup& lookup, const fs::path& folder) const {
  for (const auto& [name, text] : filled(lookup)) {
    const fs::path file = folder / name;
    fs::create_directories(file.parent_path());
    fs::remove(file);
    // Nobody needs it after a crash: no synchronised write beside a timed run.
    std::ofstream out(file, std::ios::binary);
    if (!(out << text).flush())
      throw Error("cannot be written", file.string(), "is there room in $TMPDIR?", ExitCode::io);
  }
}

PreparedFolder folder_of_runs(const fs::path& scratch, std::vector<fs::path> left_out) {
  constexpr std::uintmax_t most_copied = std::uintmax_t{256} << 20;
  const fs::path here = fs::current_path(), around = scratch / "run";
  left_out.push_back(fs::canonical(scratch));
  copy_tree(here, around / here.filename(), left_out, most_copied, Large::linked);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(here.parent_path(), ignored))
    if (entry.path() != here)
      fs::create_symlink(entry.path(), around / entry.path().filename(), ignored);
  return {around / here.filename(), here};
}

}  // namespace rooftune::run
