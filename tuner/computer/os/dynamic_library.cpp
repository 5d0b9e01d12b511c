// dlopen, with the linker's message after a failure.
#include "os/dynamic_library.h"

#include <dlfcn.h>
#include <link.h>

#include "core/error.h"
#include "core/file.h"
#include "core/folder.h"

namespace rooftune::os {
namespace {

std::string linker_message() {
  const char* text = dlerror();
  return text ? text : "unknown fault of the dynamic linker";
}

}  // namespace

// Every symbol is looked up now: a missing one must show when loading, not in the middle of a run.
DynamicLibrary::DynamicLibrary(const fs::path& file) {
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw Error(linker_message(), file);
  handle_ = {handle, dlclose};
}

void DynamicLibrary::stay() const {
  link_map* loaded = nullptr;
  if (dlinfo(handle_.get(), RTLD_DI_LINKMAP, &loaded) != 0 || !loaded) return;
  dlopen(loaded->l_name, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

void* DynamicLibrary::find(const std::string& symbol) const {
  return dlsym(handle_.get(), symbol.c_str());
}

void* DynamicLibrary::symbol(const std::string& symbol) const {
  dlerror();
  void* address = dlsym(handle_.get(), symbol.c_str());
  if (!address) throw Error(linker_message());
  return address;
}

void load_beside(const fs::path& library, const std::string& name) {
  if (!library.has_parent_path()) return;
  std::error_code fault;
  for (const auto& file : {library, fs::canonical(library, fault)})
    for (const fs::path& entry : entries_of(file.parent_path()))
      if (file_name(entry).starts_with(name)) dlopen(entry.c_str(), RTLD_LAZY | RTLD_LOCAL);
}

}  // namespace rooftune::os
