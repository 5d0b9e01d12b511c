// A library of the card's vendor that a peer calls (cuBLAS, cuSPARSE): opened while the peer
// prepares, so that building needs no toolkit and nothing is missed where no peer runs. What goes
// wrong ends the trial in the library's own words. Host code only.
#pragma once
#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace rooftune {

/// Why a peer cannot go on; known by its name to whoever has loaded the peer.
class __attribute__((visibility("default"))) VendorFault : public std::runtime_error {
 public:
  enum class Kind { missing, out_of_memory, failed };
  VendorFault(Kind the_kind, const std::string& text) : std::runtime_error(text), kind(the_kind) {}
  Kind kind;
};

/// How a library is found: `variable` names its file, else the files with these names are tried,
/// the newest first, on the linker's path and in lib64 of the toolkit.
struct VendorNames {
  const char *title, *variable;
  std::vector<std::string> files;
};

class VendorLibrary {
 public:
  /// Throws VendorFault. It stays until the process ends: its exit handlers outlive a variant.
  explicit VendorLibrary(const std::string& file)
      : file_(file), handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
    if (!handle_) throw VendorFault(VendorFault::Kind::missing, dlerror());
  }
  VendorLibrary(const VendorLibrary&) = delete;
  VendorLibrary& operator=(const VendorLibrary&) = delete;

 protected:
  ~VendorLibrary() {
    if (handle_) dlclose(handle_);
  }
  /// Null where it is absent.
  template <class Function>
  void find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
  }
  template <class Function>
  void bind(Function& function, const char* name) const {
    find(function, name);
    if (!function)
      throw VendorFault(VendorFault::Kind::missing,
                        file_ + " has no function " + name + ": it is too old or another library");
  }
  /// Throws VendorFault for versions before CUDA 11.
  void require_version(int major) const {
    constexpr int oldest = 11;
    if (major < oldest)
      throw VendorFault(VendorFault::Kind::missing,
                        file_ + " is of version " + std::to_string(major) + ": too old");
  }
  /// "cusparseSpMV: CUSPARSE_STATUS_EXECUTION_FAILED (6)".
  [[noreturn]] static void fail(const char* what, const char* name, int status, int alloc_failed) {
    throw VendorFault(
        status == alloc_failed ? VendorFault::Kind::out_of_memory : VendorFault::Kind::failed,
        std::string(what) + ": " + (name ? name : "status") + " (" + std::to_string(status) + ")");
  }

 private:
  std::string file_;
  void* handle_;
};

/// Files that may be the library.
inline std::vector<std::string> candidates(const VendorNames& names) {
  if (const char* chosen = std::getenv(names.variable); chosen && *chosen) return {chosen};
  std::vector<std::string> all;
  for (const std::string& file : names.files) {
    all.push_back(file);
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
      if (const char* folder = std::getenv(variable); folder && *folder)
        all.push_back(std::string(folder) + "/lib64/" + file);
    all.push_back("/usr/local/cuda/lib64/" + file);
  }
  return all;
}

/// The first candidate that starts here: the newest may need a newer driver. Throws VendorFault
/// with what the first one that is there said, else that there is none.
template <class Library>
std::unique_ptr<Library> started(const VendorNames& names) {
  std::optional<VendorFault> fault;
  for (const std::string& file : candidates(names)) try {
      return std::make_unique<Library>(file);
    } catch (const VendorFault& one) {
      // That a file is not there is said in its own name; another name is what it needs.
      const bool is_absent = std::string(one.what()).rfind(file + ": cannot open", 0) == 0;
      if (!is_absent && !fault) fault = one;
    }
  if (fault) throw VendorFault(*fault);
  std::string tried;
  for (const std::string& file : names.files) tried += (tried.empty() ? "" : ", ") + file;
  const char* const chosen = std::getenv(names.variable);
  throw VendorFault(VendorFault::Kind::missing,
                    std::string("there is no ") + names.title + " here (" +
                        (chosen && *chosen ? std::string(names.variable) + "=" + chosen : tried) +
                        ")");
}

}  // namespace rooftune
