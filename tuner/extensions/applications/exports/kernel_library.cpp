#include "exports/kernel_library.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>

#include "core/file.h"
#include "core/hash.h"
#include "core/pattern.h"
#include "exports/library_text.h"
#include "os/paths.h"
#include "os/temporary_directory.h"
#include "report/exporter.h"
#include "study/find_study.h"

namespace rooftune::exports {
namespace {

/// Marks a folder of `tune export`, free to be written again.
constexpr const char* marker = "provenance.json";

void check_arguments(const Kernel& kernel, const Configuration& configuration) {
  // The library's own parameters stand beside them.
  static const std::set<std::string> taken{"promises", "problem", "arguments_"};
  for (const Argument& argument : kernel.arguments) {
    if (taken.contains(argument.name))
      throw Error(fmt::format("a library cannot have an argument named {}", argument.name),
                  (kernel.folder / "kernel.json").string(), "rename it there");
    const auto& names = argument.value.names();
    const auto knobs = std::count_if(names.begin(), names.end(), [&](const std::string& name) {
      return configuration.has(name);
    });
    if (knobs > 0 && static_cast<std::size_t>(knobs) < names.size())
      throw Error(fmt::format("argument {} depends on a knob and on the problem: {}", argument.name,
                              argument.value.text()),
                  (kernel.folder / "kernel.json").string(),
                  "a library cannot hold it: make the knob one of kind compile");
  }
}

/// Names all that is not the interface by the content: two libraries in one program, of two
/// versions of Rooftune or of one, share no function, and never choose for each other.
void name_by_content(std::map<std::filesystem::path, std::string>& files, const std::string& name) {
  const auto is_code = [](const std::filesystem::path& file) {
    return file.extension() == ".cpp" || file.extension() == ".h";
  };
  LabelledHash content;
  for (const auto& [file, text] : files)
    if (is_code(file)) content.add(file.string(), text);
  const std::string id = "_" + content.hex().substr(0, 12);
  for (auto& [file, text] : files)
    for (const std::string& space :
         {std::string("rooftune_library"), std::string("rooftune_cuda_library"), name + "_library"})
      for (std::size_t at = text.find(space); is_code(file) && at != std::string::npos;
           at = text.find(space, at + space.size()))
        text.insert(at + space.size(), id);
}

}  // namespace

LibraryVariant library_variant(const StudyRecord& study, const Kernel& kernel,
                               const Backend& backend, const SearchSpace& space,
                               const Configuration& configuration) {
  check_arguments(kernel, configuration);
  const Machine& machine = study.require_setup().machine;
  LibraryVariant variant;
  variant.configuration = configuration;
  variant.threads = study.header.threads;
  variant.simd_bits = x86_simd_bits(machine);
  variant.settings = launch_settings(kernel, space, configuration, known_facts(study, 0),
                                     study.header.threads, machine.numa_nodes > 1);
  for (const Json& scalar : variant.settings.scalars) variant.scalars.push_back(scalar);
  variant.conditions = conditions_of(study, kernel, configuration);
  variant.macros = build::knob_macros(space, configuration);
  variant.flags = backend.flags;
  const std::vector<std::string> chosen = build::knob_flags(space, configuration);
  if (backend.needs_gpu_compiler() && machine.gpu) {
    variant.threads = machine.gpu->multiprocessors;
    variant.capability = machine.gpu->compute_capability;
    variant.kernel_options = chosen;
  } else {
    variant.flags.insert(variant.flags.end(), chosen.begin(), chosen.end());
  }
  return variant;
}

std::string interface_difference(const Json& installed, const Json& fresh) {
  const auto part = [](const Json& interface, const char* name) {
    return interface.value(name, Json());
  };
  for (const char* name : {"arguments", "prepares", "swap"})
    if (part(installed, name) != part(fresh, name))
      return fmt::format("{}: {} there, {} now", name, shown(part(installed, name)),
                         shown(part(fresh, name)));
  // Applications know promises by their bits.
  const Json before = part(installed, "promises"), now = part(fresh, "promises");
  for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i)
    if (before[i] != now[i])
      return fmt::format("promise {}: {} there, {} now", i + 1, shown(before[i]), shown(now[i]));
  return {};
}

std::map<std::filesystem::path, std::string> library_files(
    const LibrarySource& source, const std::map<std::filesystem::path, std::string>& more) {
  const std::string name = library_name(source);
  const std::filesystem::path headers = variant_include_directory() / "rooftune";
  const bool own_licence = std::filesystem::exists(source.kernel.folder / "LICENSE");
  std::map<std::filesystem::path, std::string> files{
      {"CMakeLists.txt", build_text(source)},
      {"README.md", readme_text(source)},
      {"LICENSE", read_text(own_licence ? source.kernel.folder / "LICENSE" : home() / "LICENSE")},
      {marker, provenance_text(source)},
      {"include/" + name + ".h", header_text(source)},
      {"include/" + name + ".f90", fortran_text(source)},
      {"python/" + name + ".py", python_text(source)},
      {"src/" + name + ".cpp", dispatch_text(source)},
      {"src/variants.h", variants_header_text(source)},
      {"test/self_test.cpp", self_test_text(source)}};
  const auto add = [&](const char* folder, const char* part) {
    files[fmt::format("{}/rooftune/{}", folder, part)] = read_text(headers / part);
  };
  // Its own, named by its content.
  const auto add_own = [&](const char* folder, const char* part) {
    files[fmt::format("{}/rooftune/{}", folder, part)] =
        Pattern("\\brooftune(::| \\{)").replaced(read_text(headers / part), "rooftune_library$1");
  };
  for (const char* part : {"self_test.h", "elements.h"}) add_own("test", part);
  add_own("src", "elements.h");
  add("src", "library_choice.h");
  add("src", "library_fault.h");
  if (source.backend.needs_gpu_compiler()) {
    add("test", "self_test_cuda.h");
    for (const char* part : {"library_cuda.h", "library_driver.h", "library_nvrtc.h"})
      add("src", part);
  } else {
    add("test", "self_test_race.h");
    add("src", "library.h");
  }
  if (source.backend.needs_kokkos()) files["kokkos.cmake"] = filled(source, "kokkos.cmake", {});
  for (const LibraryVariant& one : source.variants) {
    files["src/" + one.name + ".cpp"] = variant_text(source, one);
    if (source.backend.needs_gpu_compiler())
      files["src/" + one.name + "_kernels.cpp"] = cuda_kernels_text(source, one);
  }
  files.insert(more.begin(), more.end());
  name_by_content(files, name);
  return files;
}

void write_library(const std::filesystem::path& folder,
                   const std::map<std::filesystem::path, std::string>& files) {
  namespace fs = std::filesystem;
  const fs::path whole = fs::absolute(folder).lexically_normal();
  const fs::path target = whole.has_filename() ? whole : whole.parent_path();
  const bool there = fs::exists(fs::symlink_status(target));
  if (there && !fs::is_directory(target))
    throw Error("is no folder", target.string(), "a library is a folder: name a new one");
  if (there && !fs::is_empty(target) && !fs::exists(target / marker))
    throw Error("this folder holds something else than an exported library", target.string(),
                "name a new or an empty folder");
  make_folders(target.parent_path());
  // Written whole beside it, then exchanged in one step: a killed process leaves the old one.
  const TemporaryDirectory beside(target.parent_path(), "rooftune-library");
  const fs::path fresh = beside.path() / "library";
  for (const auto& [name, text] : files) {
    make_folders((fresh / name).parent_path());
    write_atomically(fresh / name, text);
  }
  if (renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, target.c_str(), there ? RENAME_EXCHANGE : 0) !=
      0)
    throw Error(fmt::format("cannot be put in place: {}", std::strerror(errno)), target.string(),
                "remove the old one, or name a new folder", ExitCode::io);
}

}  // namespace rooftune::exports
